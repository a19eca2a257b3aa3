"""Operators of DEAP as kinds, called ``deap:NAME``, each with a table of options.

DEAP uses global generators, which are seeded from the stream of the run before each call and restored after it. It
calculates with the mathematics library of the system, whose last bits may differ between processors.
"""

from __future__ import annotations

import contextlib
import difflib
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from evolve.kinds.kind import Kind, Rules, number, switch, whole
from evolve.kinds.selection import Selection
from evolve.kinds.variation import Exchange, G, Mutation, Recombination


def global_states() -> list[str]:
    """Return the states of the generators of `random` and `numpy.random` as text, for comparison."""
    return [repr(random.getstate()), repr([np.asarray(part).tolist() for part in np.random.get_state(legacy=True)])]


@contextlib.contextmanager
def global_generators(generator: np.random.Generator) -> Iterator[None]:
    """Seed the generators of `random` and `numpy.random` from the given one, and restore their states at the end."""
    # DEAP draws from global generators. Seeded from the run's own stream, its operators repeat; restored, nothing else
    # notices.
    ours, theirs = random.getstate(), np.random.get_state()
    random.seed(int(generator.integers(2**63)))
    np.random.seed(int(generator.integers(2**32)))
    try:
        yield
    finally:
        random.setstate(ours)
        np.random.set_state(theirs)


class _Deap(Kind):
    """A kind that calls an operator of DEAP (`operator`), with its own fields as a table of options."""

    operator: ClassVar[str]
    table: ClassVar[str]

    @classmethod
    def rules(cls) -> Rules:
        return {f"{cls.table}.{name}": rule for name, rule in super().rules().items()}

    def call(self, generator: np.random.Generator, *arguments: Any) -> Any:
        from deap import tools  # slow to import, and reading a configuration does not need it

        options = {item.name: getattr(self, item.name) for item in fields(self)}  # type: ignore[arg-type]
        with global_generators(generator):
            return getattr(tools, self.operator)(*arguments, **options)

    def values(self, genome: Any) -> list[float]:
        """Return the weights for an operator; one with bounds expects them between these."""
        inside = genome.clip(self.low, self.up) if hasattr(self, "low") and hasattr(self, "up") else genome
        return inside.tolist()  # type: ignore[no-any-return]


@dataclass(frozen=True)
class _Exchange(_Deap, Exchange):
    """A crossover of DEAP that exchanges weights, such as cxTwoPoint."""

    def kept(self, weights: int, generator: np.random.Generator) -> NDArray[np.bool_]:
        # The operator exchanges marks instead of weights, which shows what it exchanges without knowing how.
        first, _ = self.call(generator, [True] * weights, [False] * weights)
        return np.array(first, np.bool_)


@dataclass(frozen=True)
class _Recombination(_Deap, Recombination):
    """A crossover of DEAP that makes new weights, such as cxBlend. Step sizes are not exchanged."""

    def recombine(self, first: G, second: G, generator: np.random.Generator) -> tuple[G, G]:
        first[:], second[:] = self.call(generator, self.values(first), self.values(second))
        return first, second


@dataclass(frozen=True)
class _Mutation(_Deap, Mutation):
    def mutate(self, genome: G, generator: np.random.Generator, generation: int = 0) -> tuple[G]:
        (genome[:],) = self.call(generator, self.values(genome))
        return (genome,)


@dataclass(frozen=True)
class _Selection(_Deap, Selection):
    def select(self, individuals: Sequence[Any], count: int, generator: np.random.Generator) -> list[Any]:
        chosen: list[Any] = self.call(generator, list(individuals), count)
        return chosen


def _share(default: float, what: str) -> Any:
    return number(default, 0.0, 1.0, f"chance of each weight to be {what}")


def _bounds() -> dict[str, Any]:
    return {
        "low": number(-1.0, -1e6, 0.0, "smallest weight; smaller ones are moved to it"),
        "up": number(1.0, 1e-6, 1e6, "largest weight; larger ones are moved to it"),
    }


def _eta() -> dict[str, Any]:
    return {"eta": number(20.0, 0.0, 1000.0, "crowding degree: the higher, the more children resemble their parents")}


_OPERATORS: dict[type[_Deap], dict[str, tuple[str, dict[str, Any]]]] = {
    _Mutation: {
        "mutGaussian": (
            "normally distributed numbers are added to some weights",
            {
                "mu": number(0.0, -1e6, 1e6, "mean of the numbers that are added"),
                "sigma": number(0.05, 0.0, 1e6, "standard deviation of the numbers that are added"),
                "indpb": _share(0.1, "changed"),
            },
        ),
        "mutPolynomialBounded": (
            "polynomial mutation of NSGA-II, within bounds",
            _eta() | _bounds() | {"indpb": _share(0.1, "changed")},
        ),
        "mutShuffleIndexes": ("some weights change places", {"indpb": _share(0.02, "exchanged with another")}),
        "mutInversion": ("the weights between two random points are reversed", {}),
    },
    _Exchange: {
        "cxOnePoint": ("the weights after a random point are exchanged", {}),
        "cxTwoPoint": ("the weights between two random points are exchanged", {}),
        "cxUniform": ("each weight may be exchanged", {"indpb": _share(0.5, "exchanged")}),
    },
    _Recombination: {
        "cxBlend": (
            "weights are drawn between those of the parents and a little beyond (BLX-alpha)",
            {"alpha": number(0.1, 0.0, 10.0, "how far beyond, as a share of the difference")},
        ),
        "cxSimulatedBinary": ("weights are spread around those of the parents (SBX)", _eta()),
        "cxSimulatedBinaryBounded": ("SBX within bounds", _eta() | _bounds()),
    },
    _Selection: {
        "selBest": ("the best", {}),
        "selWorst": ("the worst", {}),
        "selRandom": ("random individuals", {}),
        "selTournament": (
            "each parent is the best of some individuals drawn at random",
            {"tournsize": whole(3, 1, 1000, "number of individuals drawn")},
        ),
        "selDoubleTournament": (
            "tournaments by fitness, and by length, which is equal here",
            {
                "fitness_size": whole(3, 1, 1000, "individuals in a tournament by fitness"),
                "parsimony_size": number(1.4, 1.0, 2.0, "individuals in a tournament by length"),
                "fitness_first": switch(True, "the tournament by fitness comes first"),
            },
        ),
        "selLexicase": ("by one objective after the other, in random order", {}),
        "selEpsilonLexicase": (
            "lexicase in which small differences do not count",
            {"epsilon": number(1.0, 0.0, 1e6, "largest difference that does not count")},
        ),
        "selAutomaticEpsilonLexicase": ("epsilon lexicase by the median deviation of each objective", {}),
        "selNSGA2": ("the first Pareto fronts, then those with the most room around them (NSGA-II)", {}),
        "selSPEA2": ("by the strength of those that dominate them, and by density (SPEA2)", {}),
    },
}
_TABLES = {
    _Mutation: "mutation_options",
    _Exchange: "recombination_options",
    _Recombination: "recombination_options",
    _Selection: "selection_options",
}
PREFIX = "deap:"

for _base, _named in _OPERATORS.items():
    for _name, (_text, _options) in _named.items():
        _namespace = {
            "__doc__": f"DEAP's {_name}: {_text}.",
            "__module__": __name__,
            "__annotations__": {key: str(type(item.default).__name__) for key, item in _options.items()},
            "operator": _name,
            "table": _TABLES[_base],
            **_options,
        }
        # Under its name in this module, where other processes find it.
        globals()[_name] = dataclass(frozen=True)(type(_name, (_base,), _namespace, kind=f"{PREFIX}{_name}"))


def problem(family: type[Kind], name: str) -> str:
    """Return why no kind of a family is called ``deap:NAME``, with what to use instead."""
    bare = name.removeprefix(PREFIX)
    known = [each.removeprefix(PREFIX) for each in family.kinds if each.startswith(PREFIX)]
    near = difflib.get_close_matches(bare, known, 3) or known
    return f"{name} is not an operator of DEAP that fits here: use {' or '.join(PREFIX + each for each in near)}"
