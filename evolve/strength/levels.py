"""Opponents at six measured levels, and comparisons of ratings with them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from evolve.run.runs import CHAMPION_RUN, FROZEN_RUN

RANDOM, RANDOM_MARGIN = -1168, 34
"""Rating of random moves on the scale of the levels, and half of its 95 % interval."""

NEWEST = {FROZEN_RUN: 6, CHAMPION_RUN: 120}
"""The newest generations of the runs of levels, which never change."""


@dataclass(frozen=True)
class Level:
    """An opponent of measured strength: a champion of a shipped run at a depth.

    Attributes:
        generation: generation of the champion; None for the newest.
        rating, margin: measured rating, and half of its 95 % interval; a piece counter that looks 8 plies ahead has
            rating 0 (docs/ratings.md has the command).
        suits: whom it suits, as advice that nobody has measured.
        style: how its play differs from that of other levels, in a few words, by its traits (docs/traits.md).
        captures: whether it plays out captures after its own move, as all searches deeper than one ply do.
    """

    name: str
    generation: int | None
    depth: int
    rating: int
    margin: int
    play: str
    suits: str
    style: str
    captures: bool = False
    run: str = FROZEN_RUN

    @property
    def player(self) -> str:
        """Its name as a player, without its depth."""
        generation = "" if self.generation is None else f"@{self.generation}"
        return f"{self.run}{generation}{',quiescence=yes' if self.captures else ''}"

    @property
    def text(self) -> str:
        """Its name as a player, with its depth."""
        return f"{self.player},depth={self.depth}"

    @property
    def number(self) -> int:
        return NEWEST[self.run] if self.generation is None else self.generation

    @property
    def searches(self) -> bool:
        return self.depth > 1 or self.captures

    @property
    def title(self) -> str:
        """Its name during a game, with its champion in brackets."""
        generation = "" if self.generation is None else f", generation {self.generation}"
        return f"{self.name} ({self.run}{generation})"

    @property
    def interval(self) -> tuple[float, float, float]:
        return float(self.rating), float(self.rating - self.margin), float(self.rating + self.margin)

    @property
    def about(self) -> str:
        generation = "newest generation" if self.generation is None else f"generation {self.generation}"
        return f"{generation}, depth {self.depth}{' and captures' if self.captures else ''}"


LEVELS = (
    Level("Beginner", 1, 1, -853, 48, "depth 1, overlooks captures", "your first games", "Trades often"),
    Level("Casual", 0, 1, -567, 38, "depth 1, only counts pieces", "newcomers", "Leaves its back row", captures=True),
    Level("Club", 0, 3, -281, 34, "depth 3, only counts pieces", "occasional players", "Gathers on the left"),
    Level("Strong", 1, 3, 18, 32, "depth 3, early generation", "regular players", "Plays on both wings"),
    Level("Expert", None, 4, 287, 42, "depth 4, newest generation", "experienced players", "Keeps its back row"),
    Level(
        "Champion",
        None,
        8,
        840,
        36,
        "depth 8, strongest network",
        "strongest players",
        "First to a king",
        run=CHAMPION_RUN,
    ),
)

RANDOM_MOVES = "random moves"

KNOWN = {float(RANDOM): RANDOM_MOVES} | {float(level.rating): level.name for level in LEVELS}
"""Names of the levels and of random moves, by rating, from weak to strong."""

EXPERT = LEVELS[4]
"""The level that searches as the newest generation did during its evolution."""


@lru_cache(maxsize=1024)  # a screen with many opponents asks hundreds of times for each picture
def level_of(player: str, depth: int) -> int:
    """Return the number of the level with this player and depth; -1 if there is none.

    The newest generation is the same player with and without its number.
    """
    run, _, rest = player.partition("@")
    newest = f"{NEWEST[run]}" if run in NEWEST else ""
    if newest and rest.partition(",")[0] == newest:
        player = run + rest.removeprefix(newest)
    return next((n for n, level in enumerate(LEVELS) if (level.player, level.depth) == (player, depth)), -1)
