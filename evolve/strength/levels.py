"""Opponents at seven measured levels, the yardsticks of the same strength, and comparisons of ratings with them.

The levels up to Strong err like people. Sessions measure their champions against yardsticks instead, programs whose
games are fast and never change, so a run is shown to beat the same players as ever.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from functools import lru_cache

from evolve.config.anchors import shown_text
from evolve.run.runs import CHAMPION_RUN, FROZEN_RUN, PEOPLE_RUN

RANDOM, RANDOM_MARGIN = -1168, 34
"""Rating of random moves on the scale of the levels, and half of its 95 % interval."""

NEWEST = {FROZEN_RUN: 6, PEOPLE_RUN: 12, CHAMPION_RUN: 120}
"""The newest generations of the runs of levels, which never change."""


@dataclass(frozen=True)
class Level:
    """An opponent of measured strength: a champion of a shipped run at a depth.

    Attributes:
        generation: generation of the champion; None for the newest.
        rating, margin: measured rating, and half of its 95 % interval; a piece counter that looks 8 plies ahead has
            rating 0 (docs/ratings.md has the command).
        options: options in its name, other than its depth.
        play: how it plays, in a sentence without a full stop; moves ahead are those of both sides.
        suits: whom it suits, as advice that nobody has measured.
        style: how its play differs from that of other levels, in a few words.
        position: from one of its games as White, in which one sees this (FEN).
    """

    name: str
    run: str
    generation: int | None
    depth: int
    rating: int
    margin: int
    options: str = ""
    play: str = ""
    suits: str = ""
    style: str = ""
    position: str = ""

    @property
    def player(self) -> str:
        """Its name as a player, without its depth."""
        generation = "" if self.generation is None else f"@{self.generation}"
        return f"{self.run}{generation}{self.options and f',{self.options}'}"

    @property
    def text(self) -> str:
        """Its name as a player, with its depth."""
        return f"{self.player},depth={self.depth}"

    @property
    def number(self) -> int:
        return NEWEST[self.run] if self.generation is None else self.generation

    @property
    def searches(self) -> bool:
        return self.depth > 1 or bool(self.options)

    @property
    def title(self) -> str:
        """Its name during a game, with its champion in brackets."""
        generation = "" if self.generation is None else f", generation {self.generation}"
        return f"{self.name} ({self.run}{generation})"

    @property
    def interval(self) -> tuple[float, float, float]:
        return float(self.rating), float(self.rating - self.margin), float(self.rating + self.margin)


EXPERT = Level("Expert", FROZEN_RUN, None, 4, 287, 42, "",
               "keeps its back row, and searches 4 moves ahead", "experienced players", "Keeps its back row",
               "B:WK19,21,28,30,31,32:B11,12,13,18")  # fmt: skip
"""The level that searches as the newest generation did during its evolution."""
CHAMPION = Level("Champion", CHAMPION_RUN, None, 8, 840, 36, "",
                 "often first to a king, and searches 8 moves ahead", "the strongest players", "First to a king",
                 "B:WK4,19,26,30,31,32:B6,10,12,13,27")  # fmt: skip

LEVELS = (
    Level("Beginner", PEOPLE_RUN, None, 1, -774, 20, "strength=0.53",
          "plays like people, distracted at nearly half of its moves", "first games", "Overlooks many traps",
          "B:W19,21,23,24,25,26,28,29:B1,2,9,10,11,12,16"),
    Level("Casual", PEOPLE_RUN, None, 1, -522, 25, "strength=0.8",
          "plays like people, sometimes distracted, and sees a move ahead", "newcomers", "Overlooks some traps",
          "B:W13,14,15,26,28:B5,6,12,16,20"),
    Level("Club", PEOPLE_RUN, None, 3, -276, 27, "strength=0.85",
          "plays like people, seldom distracted, and sees 3 moves ahead", "occasional players",
          "Overlooks longer traps",
          "B:W17,18,19,22,24,28,31:B3,5,7,10,11,12,15"),
    Level("Strong", PEOPLE_RUN, None, 7, -42, 27, "strength=0.9",
          "plays like people, rarely distracted, and sees 7 moves ahead", "regulars", "Seldom overlooks anything",
          "B:W13,16,20,21,26,31,32:B1,3,5,7,10,11"),
    EXPERT,
    Level("Master", CHAMPION_RUN, None, 4, 503, 50, "",
          "plays like Champion, but searches 4 moves ahead", "experts", "A hasty Champion",
          "B:W17,19,20,21,22,23,29:B9,10,11,12,13,16"),
    CHAMPION,
)  # fmt: skip

YARDSTICKS = (
    Level("Beginner", FROZEN_RUN, 1, 1, -853, 48),
    Level("Casual", FROZEN_RUN, 0, 1, -567, 38, "quiescence=yes"),
    Level("Club", FROZEN_RUN, 0, 3, -281, 34),
    Level("Strong", FROZEN_RUN, 1, 3, 18, 32),
    EXPERT,
    CHAMPION,
)
"""The programs of the levels in tests of champions."""

AT_RATING = len(LEVELS)
"""Number of the choice after the levels: an opponent about as strong as the person (`at_rating`)."""
FOLLOWS = "At my rating"
"""The name of this choice."""
WEAKER, CLOSE = {0.26: -1114, 0.32: -1020, 0.38: -910}, 50
"""Measured ratings of its lowest strengths, which are below those of levels, and by how much ratings may differ."""


def at_rating(rating: float) -> Level:
    """Return an opponent of about this rating: between players that err like people, if they are not stronger.

    It has the lowest rating of `WEAKER` or more; above Strong, it is the nearest level.
    """
    nearest, least = min(LEVELS, key=lambda level: abs(level.rating - rating)), min(WEAKER.values())
    plays = f"follows your rating, from {shown_text(least)} up"
    level = replace(nearest, name=FOLLOWS, suits="you", style="Adapts", play=plays)
    weaker = [replace(LEVELS[0], options=f"strength={strength}", rating=rated) for strength, rated in WEAKER.items()]
    for low, high in itertools.pairwise([*weaker, *(level for level in LEVELS if level.run == PEOPLE_RUN)]):
        if rating < high.rating:
            share = max(rating - low.rating, 0.0) / (high.rating - low.rating)
            weak, strong = (float(level.options.partition("=")[2]) for level in (low, high))
            depth, rated = round(low.depth + share * (high.depth - low.depth)), max(round(rating), least)
            options = f"strength={weak + share * (strong - weak):.2g}"
            return replace(level, run=PEOPLE_RUN, depth=depth, rating=rated, margin=CLOSE, options=options)
    return level


TOURNAMENT = f"{PEOPLE_RUN},strength=5,depth=6"
"""A player that errs like the average of the recorded ones, whose games are of tournaments."""

RANDOM_MOVES = "random moves"

KNOWN = {float(RANDOM): RANDOM_MOVES} | {
    float(level.rating): level.name for level in LEVELS if level.name in {each.name for each in YARDSTICKS}
}
"""Names of the levels with a yardstick and of random moves, by rating, from weak to strong.

A level has one rating wherever it is named, its own; the yardstick's only decides when a champion is tested with it."""


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
