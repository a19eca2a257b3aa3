"""The optimiser `genes`: candidates learn from games of the last mean, and the mean of the best is the next one."""

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
"""Factors of rate and decay; every candidate but the first draws one for each."""
MARGIN_STEP = 0.05
"""Standard deviation of candidates' margins around the margins of the mean (`Spec.margins`)."""


@dataclass(frozen=True)
class Genes(Optimiser, kind="genes"):
    """Candidates take the place of mutants. Each learns, gene by gene and with slightly different settings, to predict
    results and search values in games that the mean plays against itself. The next mean is the mean of the candidates
    that play best.

    A candidate steps along the gradient of its loss, estimated by differences (`game.networks.gene_kernels`): it fits
    the values of searches by regression, and the tournament chooses among the fitted candidates.

    Only for networks of tables and patterns. Generation 0 begins with zeros and learns from games of players that count
    pieces.
    """

    makes: ClassVar = "evolve.breeding.candidates"
    obtained: ClassVar = "by own searches, with a gradient"

    games: int = whole(1000, 1, 1_000_000, "games of the mean against itself before each generation, random openings")
    depth: int = whole(4, 1, MAX_DEPTH, "search depth in these games, in plies")
    positions: int = whole(20, 1, 1000, "quiet positions of each game to learn from; half of them follow a random move")
    nodes: int = whole(500, 1, 1_000_000_000, "positions visited by the search that evaluates each of them")
    mix: float = number(0.8, 0.0, 1.0, "share of the search value in the target; the rest is the game's result")
    passes: int = whole(8, 1, 100_000, "number of passes through all positions, each with 16 pairs of mutants")
    step: float = number(0.05, 1e-6, 1e3, "distance of these mutants from the candidate, in each gene")
    rate: float = number(0.03, 0.0, 1.0, "how far a gene moves if the loss differs by twice the step; falls to 0")
    decay: float = number(1e-4, 0.0, 1.0, "how much genes of patterns shrink in a step, as a share of the rate")
    select: str = choice(
        "points",
        ("points", "all", "first"),
        "candidates that make the next mean: the best by points; or, whatever their points, all or only the first",
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
        """Return the individuals that form the next mean; with `points`, the current mean can be one of them.

        `all` and `first` are controls: they ignore the tournament, to show how much it contributes.
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
        """Return the training settings and the mix of a candidate; for all but the first, they vary at random.

        Args:
            place: index of the candidate, from 0.
            scale: factor by which predictions multiply values.
            generator: source of all randomness.
        """
        from game.networks.genes import Training

        rate, decay, mix = 1.0, 1.0, self.mix
        if place:
            rate, decay = (FACTORS[each] for each in generator.integers(0, len(FACTORS), 2).tolist())
            mix += (1.0 - mix) * (generator.random() - 0.5)
        training = Training(scale, self.passes, self.step, min(rate * self.rate, 1.0), min(decay * self.decay, 1.0))
        return training, mix

    def with_other_margins(self, network: Spec, weights: G, generator: np.random.Generator) -> G:
        """Return weights with randomly changed margins, which evolve only by selection and are not learnt."""
        changed = copy.deepcopy(weights)
        changed[network.valued :] += generator.normal(0.0, MARGIN_STEP, network.weights - network.valued)
        return changed
