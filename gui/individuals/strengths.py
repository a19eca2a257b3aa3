"""Four strengths of an opponent for somebody who knows none: the shipped champion at four depths, with its ratings."""

from __future__ import annotations

from dataclasses import dataclass

from game.number_text import whole_text
from gui.individuals.first_frame import SHIPPED

RANDOM = -1138
"""Rating of random moves on the same ladder."""


@dataclass(frozen=True)
class Strength:
    """One of the four.

    Attributes:
        name: as it is offered.
        depth: plies that the champion of the shipped run looks ahead.
        rating, margin: measured, on the scale whose 0 is a piece counter that looks 8 plies ahead, and half of its
            95 % interval: ``main.py ladder crownhead-1,depth=1 crownhead-1,depth=2 crownhead-1,depth=4
            crownhead-1,depth=8 --games 100 --seed 1``.
    """

    name: str
    depth: int
    rating: int
    margin: int


STRENGTHS = (
    Strength("Beginner", 1, -983, 59),
    Strength("Casual", 2, -232, 30),
    Strength("Strong", 4, 74, 29),
    Strength("Expert", 8, 397, 47),
)


def strength_of(player: str, depth: int) -> int:
    """Which of `STRENGTHS` a player at a depth is; -1 for none."""
    return next((n for n, each in enumerate(STRENGTHS) if player == SHIPPED and each.depth == depth), -1)


def measured(number: int) -> str:
    """What is known of a strength, in a line; of none, where they come from."""
    if number < 0:
        return "Four measured strengths."
    one = STRENGTHS[number]
    return f"On a ladder {whole_text(one.rating)} ± {one.margin}; random moves {whole_text(RANDOM)}."
