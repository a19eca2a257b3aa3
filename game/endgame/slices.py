"""Slices: the positions of a tablebase with the same numbers of men and kings, seen by the side to move."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

MOST_PIECES = 7
"""Pieces of the largest slices that have an index."""
LEAST_PIECES = 2
MOST_BUILT = 6
"""Pieces of the largest tables that are built and kept."""

_HOME = 4
_MIDDLE = 24
_SQUARES = 32


@dataclass(frozen=True, slots=True, order=True)
class Slice:
    """Positions with the same numbers of pieces of the side to move and of its opponent; both sides have some."""

    men: int
    kings: int
    opponent_men: int
    opponent_kings: int

    @property
    def name(self) -> str:
        """The name in files and reports: 2 men and a king against a king is ``2101``."""
        return f"{self.men}{self.kings}{self.opponent_men}{self.opponent_kings}"

    @property
    def pieces(self) -> int:
        """The number of all pieces."""
        return self.men + self.kings + self.opponent_men + self.opponent_kings

    @property
    def number(self) -> int:
        """The place in a directory."""
        return ((self.men * 8 + self.kings) * 8 + self.opponent_men) * 8 + self.opponent_kings

    @property
    def other(self) -> Slice:
        """The slice of the same pieces with the opponent to move."""
        return Slice(self.opponent_men, self.opponent_kings, self.men, self.kings)

    @property
    def arrangements(self) -> int:
        """The number of ways in which the men can stand."""
        return arrangements_before(self.men, self.opponent_men, self.men + 1, 0)

    @property
    def settings(self) -> int:
        """The number of ways in which the kings can stand on the squares that the men leave free."""
        free = _SQUARES - self.men - self.opponent_men
        return comb(free, self.kings) * comb(free - self.kings, self.opponent_kings)

    @property
    def positions(self) -> int:
        """The number of positions."""
        return self.arrangements * self.settings


def arrangements_before(men: int, opponent_men: int, home: int, opponent_home: int) -> int:
    """Return the number of arrangements whose men at home (own, opponent's) come before (`home`, `opponent_home`).

    A man at home is on the row where the opponent's men become kings, so these cannot stand there.
    """
    total = 0
    for own in range(men + 1):
        for theirs in range(opponent_men + 1):
            if (own, theirs) < (home, opponent_home):
                rest = _MIDDLE - (men - own)
                total += (
                    comb(_HOME, own)
                    * comb(_MIDDLE, men - own)
                    * comb(_HOME, theirs)
                    * (comb(rest, opponent_men - theirs) if rest >= 0 else 0)
                )
    return total


def slices_up_to(pieces: int) -> list[Slice]:
    """Return all slices of 2 to `pieces` pieces, those of fewer pieces first."""
    return [each for number in range(LEAST_PIECES, pieces + 1) for each in slices_of(number)]


def slices_of(pieces: int) -> list[Slice]:
    """Return all slices of `pieces` pieces, each after those slices of as many pieces that its crownings lead to."""
    found = [
        Slice(men, own - men, opponent_men, pieces - own - opponent_men)
        for own in range(1, pieces)
        for men in range(own + 1)
        for opponent_men in range(pieces - own + 1)
    ]
    return sorted(found, key=lambda each: (each.men + each.opponent_men, min(each, each.other), each))
