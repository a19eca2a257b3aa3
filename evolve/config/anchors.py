"""Fixed opponents: the same program gives the same player for ever, so ratings against them can be compared."""

from __future__ import annotations

from game.errors import InputError

ZERO = "material,depth=8,quiescence=yes"
"""The zero of all ratings."""

DEPTHS = (1, 2, 4, 6, 8)
ANCHORS = (
    "random",
    *(f"material,depth={depth}{ending}" for depth in DEPTHS for ending in ("", ",quiescence=yes")),
)
"""All anchors, about from weak to strong."""

CHAIN = ("random", "material,depth=1", "material,depth=2", "material,depth=4", "material,depth=6", ZERO)
"""Those that play along unless others are asked for: each takes points of its neighbours."""

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
}
"""Of the anchors, by ``main.py ladder random --anchors all --games 500 --seed 1``: 55 matches between them. Their 95 %
intervals are 10 to either side of most, 30 for the two weakest (docs/ratings.md)."""

_SHORT = {"material": "material,depth=1"}

SETS = {"chain": CHAIN, "all": ANCHORS, "none": ()}


def parse_anchors(text: str) -> tuple[str, ...]:
    """The anchors that people mean: one of `SETS`, or names of anchors with semicolons between them.

    Raises:
        InputError: a name of no anchor; those that there are are named.
    """
    if text in SETS:
        return SETS[text]
    words = (part.strip() for part in text.split(";"))
    names = tuple(dict.fromkeys(_SHORT.get(word, word) for word in words))
    for name in names:
        if name not in ANCHORS:
            raise InputError(
                f"--anchors: expected {', '.join(SETS)}, or some of {'; '.join(ANCHORS)}, got {name[:80]!r}"
            )
    return names
