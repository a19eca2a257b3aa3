"""Mutants of a cast, proposed by pyribs: lines between members of the map, and a mean whose steps adapt (CMA-ME).

No object of pyribs outlives a generation: its generators are seeded anew from the run's own streams, and the state of
the adapted mutants is an array of float32 that the run saves. So a run that was killed continues with the same bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evolve.config.model import Config
from evolve.kinds.individual import Individual
from evolve.kinds.variation import halved
from evolve.streams import Draw, stream
from extras.cast.archive import Archive
from extras.cast.kind import adapted_of, mutants_of, rules_of

State = NDArray[np.float32]

PAIRS, LINE, MEAN, RESTART = range(4)
"""Indexes of the streams of a generation's mutants."""
HIGHEST_STEP = 1e3


def line_mutants(config: Config, archive: Archive, generation: int) -> list[Individual]:
    """Return mutants on lines between two members, with a step of each weight beside the line.

    Source: Vassiliades and Mouret, Discovering the elite hypervolume by leveraging interspecies correlation (2018).
    """
    from ribs.emitters.operators import IsoLineOperator

    rules = rules_of(config)
    count = mutants_of(config) - adapted_of(config)
    if not count:
        return []
    members = [archive.members[cell].individual for cell in archive.best_first()]
    generator = stream(config.seed, generation, Draw.SELECTION)
    first = np.repeat(np.arange(config.population.parents), config.population.mutants)[:count]
    chosen = rules.select(members, config.population.parents, generator)
    firsts = [chosen[index] for index in first.tolist()]
    seconds = rules.select(members, count, generator)
    operator = IsoLineOperator(_step(config, generation), rules.line, _seed(config, generation, LINE))
    pairs = np.array([[np.asarray(one) for one in part] for part in (firsts, seconds)], np.float64)
    made = []
    for genome, one, other in zip(operator.ask(pairs), firsts, seconds, strict=True):
        parents = (one.name,) if one.name == other.name or not rules.line else (one.name, other.name)
        origin = "mutated" if len(parents) == 1 else "recombined"
        made.append(Individual(genome, "", origin, parents, config.network.king))
    return made


@dataclass(frozen=True)
class Gain:
    """The gain of the map by one mutant.

    Attributes:
        status: 2 if its cell was empty, 1 if it replaced a holder, 0 if it holds none.
        value: its score, less that of the holder it had to beat.
    """

    status: int
    value: float


class Adapted:
    """Mutants around a mean; the mean, and the step of each weight, follow the mutants that improved the map.

    Source: Fontaine and others, Covariance matrix adaptation for the rapid illumination of behavior space (2020); Ros
    and Hansen, A simple modification in CMA-ES achieving linear time and space complexity (2008).
    """

    def __init__(self, config: Config, archive: Archive, generation: int, state: State) -> None:
        from ribs.emitters.opt import SeparableCMAEvolutionStrategy

        rules = rules_of(config)
        self._config, self._archive = config, archive
        self._count = adapted_of(config)
        width = config.network.weights
        self._strategy = SeparableCMAEvolutionStrategy(
            max(_step(config, generation), 1e-6), width, self._count, _seed(config, generation, MEAN), np.float32
        )
        if len(state) and state[-1] > 0:
            mean, path, step_path, variances = np.split(np.array(state[:-2]), 4)
            self._strategy.reset(mean)
            self._strategy.pc, self._strategy.ps, self._strategy.cov.cov = path, step_path, variances
            self._strategy.current_eval, self._strategy.sigma = int(state[-2]), float(state[-1])
        else:
            members = [archive.members[cell].individual for cell in archive.best_first()]
            (begin,) = rules.select(members, 1, stream(config.seed, generation, Draw.MUTATION, RESTART))
            self._strategy.reset(np.asarray(begin))

    def ask(self) -> list[Individual]:
        genomes = np.array(self._strategy.ask(), np.float32)
        members = [self._archive.members[cell].individual for cell in self._archive.best_first()]
        mean = np.asarray(self._strategy.mean, np.float64)
        apart = [float(np.square(np.asarray(one, np.float64) - mean).sum()) for one in members]
        parents = (members[int(np.argmin(apart))].name,)
        return [Individual(genome, "", "mutated", parents, self._config.network.king) for genome in genomes]

    def tell(self, gains: Sequence[Gain]) -> State:
        """Return the state after a generation; it begins anew elsewhere if no mutant improved the map."""
        status = np.array([gain.status for gain in gains])
        values = np.array([gain.value for gain in gains])
        order = np.lexsort((np.arange(len(gains)), -values, -status))
        better = int((status > 0).sum())
        empty = np.zeros(self._config.state_size, np.float32)
        if not better:
            return empty
        strategy = self._strategy
        strategy.tell(order, values[order][:, None], better)
        parts = [strategy.mean, strategy.pc, strategy.ps, strategy.cov.cov, [strategy.current_eval, strategy.sigma]]
        state = np.concatenate([np.asarray(part, np.float32) for part in parts])
        sound = bool(np.isfinite(state).all() and (strategy.cov.cov > 0).all() and 0 < state[-1] < HIGHEST_STEP)
        if not sound or strategy.check_stop(values[order][:better, None]):
            return empty
        return state


def _step(config: Config, generation: int) -> float:
    rules = rules_of(config)
    return halved(rules.step, rules.halving, generation)


def _seed(config: Config, generation: int, index: int) -> int:
    return int(stream(config.seed, generation, Draw.MUTATION, index).integers(2**63))
