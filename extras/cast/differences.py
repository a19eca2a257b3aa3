"""Differences between players: the traits that set each apart from the others."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from game.errors import capital
from game.traits import FEW_GAMES, TRAITS, TraitMean

MOST_DIFFERENCES = 2
"""Maximum number of traits that set a player apart from others."""
APART = 1.0
"""Least distance from the mean of all players that sets one apart, in standard deviations over the players."""
SURE = 3.0
"""The same in standard errors of the player's own mean. Of 700 differences that are chance, two are larger."""


@dataclass(frozen=True)
class TraitDifference:
    """A trait that sets a player apart from others.

    Attributes:
        deviations: their difference, in standard deviations over the players.
    """

    trait: int
    value: float
    mean: float
    deviations: float
    beyond: int
    others: int

    def say(self) -> str:
        """Return the difference as a phrase, such as ``more exchanges than 74 of 76 others (24 %)``."""
        trait = TRAITS[self.trait]
        number = "all" if self.beyond == self.others else f"{self.beyond} of"
        value = f"{trait.say(self.value)}{' %' if trait.unit == '%' else ''}"
        return f"{trait.more if self.deviations > 0 else trait.less} than {number} {self.others} others ({value})"

    def plain(self) -> dict[str, str | float]:
        numbers = {"value": self.value, "mean": self.mean, "deviations": self.deviations}
        return {"trait": TRAITS[self.trait].name, **numbers, "beyond": self.beyond, "others": self.others}


def differences(players: Sequence[Sequence[TraitMean]]) -> list[tuple[TraitDifference, ...]]:
    """Return for each of several players the traits that set it apart from the others, the furthest first.

    Only differences that are more than chance count, in traits with `FEW_GAMES` or more games, and none among fewer
    than three players.
    """
    made: list[list[TraitDifference]] = [[] for _ in players]
    for index, trait in enumerate(TRAITS):
        known = {at: own[index] for at, own in enumerate(players) if own[index].games >= FEW_GAMES}
        values = [mean.value for mean in known.values()]
        if len(values) < 3 or min(values) == max(values):
            continue
        mean = math.fsum(values) / len(values)
        spread = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1))
        for at, own in known.items():
            apart = own.value - mean
            if abs(apart) < max(APART * spread, SURE * trait.noise / math.sqrt(own.games)):
                continue
            beyond = sum(value < own.value if apart > 0 else value > own.value for value in values)
            made[at].append(TraitDifference(index, own.value, mean, apart / spread, beyond, len(values) - 1))
    return [tuple(sorted(own, key=lambda one: -abs(one.deviations))[:MOST_DIFFERENCES]) for own in made]


def differences_text(own: Sequence[TraitDifference]) -> str:
    """Return the differences of a player as a sentence; empty if there are none."""
    text = "; ".join(one.say() for one in own)
    return f"{capital(text)}." if text else ""
