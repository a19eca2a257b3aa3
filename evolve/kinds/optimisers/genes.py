"""The optimiser `genes`: the mean of the candidates that learnt best, gene by gene, from own games of the last mean."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from evolve.kinds.kind import choice, number, whole
from evolve.kinds.optimisers.optimiser import Mutate, Optimiser, RankedGeneration
from evolve.kinds.stages import Mirror
from evolve.kinds.variation import G, mean_of
from game.search.layout import MAX_DEPTH

if TYPE_CHECKING:
    from game.networks.genes import Training
    from game.networks.spec import Spec

FACTORS = 0.5, 0.7, 1.0, 1.4, 2.0
"""Factors of rate and decay; each candidate draws one for either."""
MARGIN_STEP = 0.05
"""Standard deviation of the margins of candidates around those of the mean (`Spec.margins`)."""


@dataclass(frozen=True)
class Genes(Optimiser, kind="genes"):
    """Candidates in place of mutants: each learns gene by gene, with other numbers, to predict what searches and
    results say of positions from own games of the mean; the mean of those that play best is the next one.

    A step of a candidate is the gradient of its loss, found by differences (`game.networks.gene_kernels`): this is
    regression on searches of its own games, and the tournament chooses among its results.

    For networks of tables and patterns alone. Generation 0 knows nothing, and learns from games of players that count
    pieces.
    """

    makes: ClassVar = "evolve.breeding.candidates"
    obtained: ClassVar = "by own searches, with a gradient"

    games: int = whole(1000, 1, 1_000_000, "own games of the mean before each generation, from random openings")
    depth: int = whole(4, 1, MAX_DEPTH, "plies that both sides look ahead in them")
    positions: int = whole(20, 1, 1000, "quiet positions of each game to learn from, half of them a random move later")
    nodes: int = whole(500, 1, 1_000_000_000, "positions that a search by the mean visits to value each")
    mix: float = number(0.8, 0.0, 1.0, "part of that value in what is predicted; the rest is the result of the game")
    passes: int = whole(8, 1, 100_000, "how often each position is gone through, by 16 pairs of mutants each time")
    step: float = number(0.05, 1e-6, 1e3, "how far mutants are from what is learnt, in each gene")
    rate: float = number(0.03, 0.0, 1.0, "how far a gene moves for a difference in loss of twice the step; falls to 0")
    decay: float = number(1e-4, 0.0, 1.0, "by what part of the rate genes of patterns shrink")
    select: str = choice(
        "points",
        ("points", "all", "first"),
        "candidates that make the next mean: the best by points, or, without a tournament, all or the first alone",
    )

    @property
    def own_games(self) -> int:
        return self.games

    def contradictions(self, config: Any) -> list[str]:
        from game.networks import genes

        problem = genes.problem(config.network)
        found = [f"network: {problem}"] if problem else []
        if config.predicts:
            found.append("founders.method: expected bred with optimiser.kind = genes, which predicts by itself")
        return found + [
            f"stages.{index}.kind: candidates of optimiser.kind = genes have no mirror images to play"
            for index, stage in enumerate(config.stages)
            if isinstance(stage, Mirror)
        ]

    def begin(self, founder: G) -> G:
        mean = copy.deepcopy(founder)
        mean[:] = 0.0
        return mean

    def used(self, last: RankedGeneration[G]) -> Sequence[G]:
        """Return the candidates that make the next mean; by points, the mean can be among them.

        `all` and `first` are controls, which show what the tournament adds: they do not depend on its results.
        """
        if self.select != "points":
            by_place = [last.ranked[at] for at in np.argsort(last.places).tolist()]
            return by_place[1:2] if self.select == "first" else by_place[1:]
        order = np.argsort(last.points <= last.points[0], kind="stable")
        return [last.ranked[at] for at in order[: last.parents].tolist()]

    def tell(self, last: RankedGeneration[G]) -> G:
        from game.networks.genes import rounded

        mean, best = copy.deepcopy(last.mean), mean_of(self.used(last))
        start = np.asarray(mean, np.float64)
        mean[:] = rounded(start + last.stride * (np.asarray(best, np.float64) - start))
        return mean

    def ask(self, mean: G, generator: np.random.Generator, generation: int, mutate: Mutate) -> G:
        raise NotImplementedError("candidates are made by evolve.breeding.candidates")

    def numbers(self, place: int, scale: float, generator: np.random.Generator) -> tuple[Training, float]:
        """Return the settings with which a candidate learns, and its mix; all but the first candidate vary them.

        Args:
            place: index of the candidate, from 0.
            scale: factor of values in predictions.
            generator: source of all randomness.
        """
        from game.networks.genes import Training

        rate, decay, mix = 1.0, 1.0, self.mix
        if place:
            rate, decay = (FACTORS[each] for each in generator.integers(0, len(FACTORS), 2).tolist())
            mix += (1.0 - mix) * (generator.random() - 0.5)
        how = Training(scale, self.passes, self.step, min(rate * self.rate, 1.0), min(decay * self.decay, 1.0))
        return how, mix

    def with_other_margins(self, network: Spec, weights: G, generator: np.random.Generator) -> G:
        """Return the weights of a candidate before it learns: with other margins, which cannot be learnt but only
        selected.
        """
        changed = copy.deepcopy(weights)
        changed[network.valued :] += generator.normal(0.0, MARGIN_STEP, network.weights - network.valued)
        return changed
