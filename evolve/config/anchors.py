"""Fixed opponents, which always play the same way, and the scale of ratings that rests on them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from game.errors import InputError

ZERO = "material,depth=8,quiescence=yes"
"""The player to which all ratings refer."""

SCALE = f"{ZERO} = 0"
"""The scale of ratings in ``log.csv``, JSON and `Run.log`."""

SHOWN_ZERO = 1500
"""The rating of `ZERO` wherever a person reads ratings: so they look like those of a chess or checkers federation, and
none that people see is negative."""

RATING_COLUMNS = ("rating", "rating_low", "rating_high")
"""Columns of a log on the scale: a rating and the ends of its 95 % interval."""


BELOW_RANDOM = "below random moves"


def shown(rating: float) -> float:
    """Return a rating on the scale as people see it, `SHOWN_ZERO` higher than in files and never below 0."""
    return max(rating + SHOWN_ZERO, 0.0)


def shown_text(rating: float, *, brief: bool = False) -> str:
    """Return a rating as people see it; what would be below 0 is given in words, or as ``< 0`` if it must be brief."""
    if round(rating + SHOWN_ZERO) < 0:
        return "< 0" if brief else BELOW_RANDOM
    return f"{shown(rating):.0f}"


def shown_interval(low: float, high: float) -> str:
    """Return the ends of an interval as people see them.

    An end is left out if it has no bound, and the lower one if it would be below 0; without both, the text is empty.
    """
    if not math.isfinite(high):
        return f"above {shown_text(low)}" if math.isfinite(low) else ""
    if math.isfinite(low) and round(low + SHOWN_ZERO) >= 0:
        return f"{shown_text(low)} to {shown_text(high)}"
    return BELOW_RANDOM if round(high + SHOWN_ZERO) < 0 else f"below {shown_text(high)}"


def shown_above(column: str) -> int:
    """Return the number that is added to the values of a column of a log where people see them."""
    return SHOWN_ZERO if column in RATING_COLUMNS else 0


DEPTHS = (1, 2, 4, 6, 8)
BUILT_IN = ("random", *(f"material,depth={depth}{ending}" for depth in DEPTHS for ending in ("", ",quiescence=yes")))
"""The anchors that need no file, roughly from weak to strong; sessions may play these."""

FROZEN = tuple(f"crownhead-2,nodes={nodes},tablebase=4" for nodes in (20_000, 100_000))
"""The top of the scale: the champion of a frozen run. No session plays against it, since its games would take longer
than the generations."""

ANCHORS = (*BUILT_IN, *FROZEN)

CHAIN = ("random", "material,depth=1", "material,depth=2", "material,depth=4", "material,depth=6", ZERO)
"""The default anchors of a ladder: each is close enough to its neighbours to win and lose games against them."""

RATINGS = {
    "random": -1166.0,
    "material,depth=1": -1052.0,
    "material,depth=1,quiescence=yes": -518.0,
    "material,depth=2": -628.0,
    "material,depth=2,quiescence=yes": -391.0,
    "material,depth=4": -327.0,
    "material,depth=4,quiescence=yes": -216.0,
    "material,depth=6": -185.0,
    "material,depth=6,quiescence=yes": -99.0,
    "material,depth=8": -75.0,
    ZERO: 0.0,
    FROZEN[0]: 715.0,
    FROZEN[1]: 805.0,
}
"""Ratings of the anchors. The built-in ones were rated by 55 matches among themselves, then the frozen ones against
these. docs/ratings.md has the commands and the 95 % intervals."""

_SHORT = {"material": "material,depth=1"}

SETS = {"chain": CHAIN, "strong": ("material,depth=8", ZERO, *FROZEN), "built-in": BUILT_IN, "all": ANCHORS, "none": ()}
SESSION_SETS = {"chain": CHAIN, "all": BUILT_IN, "none": ()}


def parse_anchors(text: str) -> tuple[str, ...]:
    """Return the anchors of a ladder: one of `SETS`, or names of anchors separated by semicolons."""
    return _parse(text, "--anchors", SETS, ANCHORS)


def parse_session_anchors(text: str) -> tuple[str, ...]:
    """Return the anchors of a session's ratings: one of `SESSION_SETS`, or names as in `parse_anchors`."""
    return _parse(text, "rating.anchors", SESSION_SETS, BUILT_IN)


def _parse(text: str, key: str, sets: Mapping[str, tuple[str, ...]], known: Sequence[str]) -> tuple[str, ...]:
    if text in sets:
        return sets[text]
    words = (part.strip() for part in text.split(";"))
    names = tuple(dict.fromkeys(_SHORT.get(word, word) for word in words))
    for name in names:
        if name not in known:
            raise InputError(f"{key}: expected {', '.join(sets)}, or some of {'; '.join(known)}, got {name[:80]!r}")
    return names
