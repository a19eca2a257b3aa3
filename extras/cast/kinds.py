"""The kinds of a cast in configurations: the selection by cells of a map, and the stage against a fixed field."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from evolve.kinds.kind import number, string, texts, whole
from evolve.kinds.selection import Selection
from evolve.kinds.stages import Stage, StageContext, Standings
from evolve.kinds.variation import MAX_HALVING


@dataclass(frozen=True)
class Cells(Selection, kind="cells"):
    """The best individual in each cell of a map of traits; all of them are equally likely parents (MAP-Elites).

    Source: Mouret and Clune, Illuminating search spaces by mapping elites (2015).
    """

    run_kind: ClassVar[str] = "extras.cast.kind:CastRuns"

    traits: str = string("back-row,pieces,centre", "the map: one to four traits, each with LOW:HIGH:CELLS if wanted")
    step: float = number(0.05, 0.0, 1e6, "standard deviation of the change of each weight of a mutant")
    halving: int = whole(0, 0, MAX_HALVING, "generations in which this step halves (0: it stays the same)")
    line: float = number(0.2, 0.0, 1e6, "standard deviation along the line to another member, 1 for its whole length")
    adapted: float = number(
        0.25, 0.0, 1.0, "share of the mutants around a mean whose steps adapt to what improves the map (CMA-ME)"
    )
    refresh: int = whole(
        16, 0, 4096, "members with the fewest games, the best first, that play again in each generation"
    )
    first: int = whole(0, 0, 100_000, "individuals of generation 0 (0: as many as the mutants of a later one)")
    spread: float = number(
        2.0,
        0.0,
        1e6,
        "founders.method = player: largest step of the first mutants, in standard deviations of the player's weights; "
        "their steps grow evenly from 0, which is the player itself",
    )

    def select(self, individuals: Sequence[Any], count: int, generator: np.random.Generator) -> list[Any]:
        """Return random individuals; an individual may be drawn more than once."""
        return [individuals[index] for index in generator.integers(0, len(individuals), count).tolist()]


@dataclass(frozen=True)
class FieldStage(Stage, kind="field"):
    """Mutants play a fixed field of opponents with both colours; those that seem better than the holder of their cell,
    and the holder, play again. All games of a player count, also those of earlier generations.

    It needs population.selection = "cells". A mutant whose cell is empty plays again, too.
    """

    ranks: ClassVar = True
    selection: ClassVar[str] = "cells"

    opponents: str = string(
        "material,depth=3; first,depth=3; crownhead-1@20,depth=3; crownhead-1,depth=3",
        "the field: players, separated by semicolons",
    )
    genomes: tuple[str, ...] = texts(
        "digest of each opponent's weights when the run began, empty without weights", lambda stage: bool(stage.genomes)
    )
    ballots: int = whole(2, 1, 1000, "ballots from which a mutant plays each opponent, with both colours")
    again: int = whole(4, 1, 1000, "ballots from which both play again before a mutant replaces the holder of its cell")

    @property
    def names(self) -> list[str]:
        return [name.strip() for name in self.opponents.split(";") if name.strip()]

    def survivors(self, players: int) -> int:
        return players

    def play(self, field: StageContext) -> Standings:
        """Play each player against each of the champions, which are the field."""
        pairs = np.stack(np.meshgrid(field.players, field.champions, indexing="ij"), axis=-1).reshape(-1, 2)
        field.play_round(0, np.repeat(pairs, self.ballots, axis=0))
        return Standings(field.tally.best_first(field.players), len(field.players))
