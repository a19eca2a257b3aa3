"""Opponents of six measured strengths: champions of a shipped run, of early generations and of the newest."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from evolve.run.runs import FROZEN_RUN, Runs, is_frozen_run
from game.number_text import whole_text
from gui.individuals import first_frame
from gui.individuals.rows import Row

RANDOM, RANDOM_MARGIN = -1168, 34
"""Rating of random moves on the same ladder, and half of its 95 % interval."""


@dataclass(frozen=True)
class Strength:
    """One of them.

    Attributes:
        name: as it is offered.
        generation: of the run `evolve.run.frozen`, whose champion it is; None for the newest.
        depth: plies that it looks ahead.
        rating, margin: measured, on the scale whose 0 is a piece counter that looks 8 plies ahead, and half of its
            95 % interval (docs/ratings.md has the command).
        less: what it does less than the strongest, in words.
        captures: whether it plays captures out after its own move, which others do that look ahead more than one ply.
    """

    name: str
    generation: int | None
    depth: int
    rating: int
    margin: int
    less: str
    captures: bool = False

    @property
    def player(self) -> str:
        """Its name as a player, without its depth."""
        generation = "" if self.generation is None else f"@{self.generation}"
        return f"{FROZEN_RUN}{generation}{',quiescence=yes' if self.captures else ''}"

    @property
    def about(self) -> str:
        """What it is, in words."""
        who = "newest generation" if self.generation is None else f"generation {self.generation}"
        plies = "1 ply" if self.depth == 1 else f"{self.depth} plies"
        return f"{who}, {plies}{' and captures' if self.captures else ''}"


STRENGTHS = (
    Strength("Beginner", 1, 1, -853, 48, "looks 1 ply, overlooks captures"),
    Strength("Casual", 0, 1, -567, 38, "looks 1 ply, only counts pieces", captures=True),
    Strength("Club", 0, 3, -281, 34, "looks 3 plies, only counts pieces"),
    Strength("Strong", 1, 3, 18, 32, "looks 3 plies, early generation"),
    Strength("Expert", None, 4, 287, 42, "looks 4 plies, not 8"),
    Strength("Champion", None, 8, 599, 67, "8 plies, the newest: nothing less"),
)


EXPERT = STRENGTHS[4]
"""Plays as the newest generation evolved."""


def strength_of(player: str, depth: int) -> int:
    """Which of `STRENGTHS` a player at a depth is; -1 for none."""
    return next((n for n, each in enumerate(STRENGTHS) if (each.player, each.depth) == (player, depth)), -1)


def find_row(runs: Path, player: str) -> Row | None:
    """The row of a player of `STRENGTHS`; None for any other, and if its run is not there as it was shipped."""
    one = next((each for each in STRENGTHS if each.player == player), None)
    folder = Runs(runs).path(FROZEN_RUN)
    if one is None or Runs(runs).player_name(folder) != FROZEN_RUN or not is_frozen_run(folder):
        return None
    row = first_frame.champion(runs, FROZEN_RUN, one.generation)
    return None if row is None else row._replace(player=player)


def measured(number: int) -> str:
    """What a strength is and its rating, in a line; of none, what there is to choose."""
    if number < 0:
        return f"{len(STRENGTHS)} measured strengths"
    one = STRENGTHS[number]
    return f"{whole_text(one.rating)} ± {one.margin}: {one.about}"


def shown_beside(number: int) -> str:
    """Elo of a strength, and what it does less; of none, what there is to choose."""
    if number < 0:
        return f"{len(STRENGTHS)} measured strengths, from Beginner to Champion"
    one = STRENGTHS[number]
    return f"{whole_text(one.rating)} ± {one.margin} Elo: {one.less}"


def explained(number: int) -> str:
    """The same for somebody who does not know what the rating means."""
    if number < 0:
        return "Champions of the run that comes with the program, of early generations and of the newest"
    return f"{measured(number)}. 0 is a piece counter that looks 8 plies ahead, random moves are {whole_text(RANDOM)}"
