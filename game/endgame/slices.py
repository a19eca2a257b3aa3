"""Slices of tablebases and the layout of their files, as plain values; this module opens no tables.

A slice is all positions with the same numbers of men and kings. Slices are seen by the side to move.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

MOST_PIECES = 7
"""Number of pieces of the largest slices that have an index."""
LEAST_PIECES = 2
MOST_BUILT = 6
"""Number of pieces of the largest tables that can be built and saved."""

MOST_NUMBERED = 8
"""Number of pieces of the largest positions that have an index in their slice, at most seven of them of one side."""

KING = 1.5
"""Value of a king in men where pieces are counted."""

_HOME = 4
_MIDDLE = 24
_SQUARES = 32


@dataclass(frozen=True, slots=True, order=True)
class Slice:
    """All positions with the given numbers of men and kings; both sides have at least one piece."""

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
        return self.men + self.kings + self.opponent_men + self.opponent_kings

    @property
    def number(self) -> int:
        """The index in the directory of open tables (see the end of this module)."""
        return ((self.men * 8 + self.kings) * 8 + self.opponent_men) * 8 + self.opponent_kings

    @property
    def balanced(self) -> bool:
        """True if no side is a man or more ahead; a king counts `KING` men."""
        return abs(self.men - self.opponent_men + KING * (self.kings - self.opponent_kings)) < 1

    @property
    def other(self) -> Slice:
        """The slice of the same pieces with the opponent to move."""
        return Slice(self.opponent_men, self.opponent_kings, self.men, self.kings)

    @property
    def arrangements(self) -> int:
        return arrangements_before(self.men, self.opponent_men, self.men + 1, 0)

    @property
    def settings(self) -> int:
        """The number of ways to place the kings on the squares that the men leave free."""
        free = _SQUARES - self.men - self.opponent_men
        return comb(free, self.kings) * comb(free - self.kings, self.opponent_kings)

    @property
    def positions(self) -> int:
        return self.arrangements * self.settings


def arrangements_before(men: int, opponent_men: int, home: int, opponent_home: int) -> int:
    """Return the number of arrangements whose numbers of men at home come before (`home`, `opponent_home`).

    Men at home are on their own back row. The opponent's men become kings there, so they are never on it.
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
    return [each for number in range(LEAST_PIECES, pieces + 1) for each in slices_of(number)]


def slices_of(pieces: int) -> list[Slice]:
    """Return all slices of a number of pieces, fewest men first, so that crownings lead to earlier slices."""
    slices = [
        Slice(men, own - men, opponent_men, pieces - own - opponent_men)
        for own in range(1, pieces)
        for men in range(own + 1)
        for opponent_men in range(pieces - own + 1)
    ]
    return sorted(slices, key=lambda each: (each.men + each.opponent_men, min(each, each.other), each))


def slices_with(sides: tuple[int, int]) -> list[Slice]:
    """Return the slices in which a side has the first number of pieces and the other the second, either to move."""
    own = {sides, sides[::-1]}
    return [each for each in slices_of(sum(sides)) if (each.men + each.kings, each.other.men + each.other.kings) in own]


def select_slices(
    pieces_from: int, pieces_to: int, sides: tuple[int, int] | None = None, *, balanced: bool = False
) -> list[Slice]:
    """Return the slices with some numbers of pieces.

    Args:
        sides: if given, only slices in which the sides have these numbers of pieces.
        balanced: whether slices in which a side is a man or more ahead are left out.
    """
    numbers = range(pieces_from, pieces_to + 1)
    slices = slices_with(sides) if sides else [each for pieces in numbers for each in slices_of(pieces)]
    return [each for each in slices if each.balanced or not balanced]


# Layout of a file, and of the memory that describes open tables to compiled code ------------------------------------
#
# Codes are stored in blocks. A block of values has its most common value and two sets of places, one for each of the
# other two values. A set is a list of bytes or a bitmap, whichever is shorter. A block of equal values takes no bytes.
# A block of distances uses the same number of bits for each code, as few as its range allows.

BLOCK = 256
"""Number of codes in a block, so that a place in it is a byte."""
BITMAP_BYTES = BLOCK // 8

# A block of values has an entry (uint32): the value of all its codes, or PACKED plus 4 times the offset of its bytes.
# The first two bytes contain the sizes of both sets (6 bits each; BITMAP_BYTES means a bitmap), the most common value,
# and the value of the first set (2 bits each); the sets follow.
DRAWN, LOST, WON = 0, 1, 2
PACKED = 3

# A block of distances has an entry (uint32): the number of bits of a code (3 bits), the smallest distance (7 bits), and
# the offset of its bytes in units of BITMAP_BYTES. Distances are halved, because they are even in lost positions and
# odd in won ones.
WIDTH_BITS, LEAST_BITS = 3, 7

SPARE = 256
"""Zero bytes after the last block of values and of distances, so that reads of a damaged block stay in the file."""

# The directory, the memory that describes open tables (`Tables.address`), in words of int64: the largest number of
# pieces, the same with distances, and from FIRST_SLICE on, SLICE_WORDS for each slice by `Slice.number`: addresses of
# entries and bytes of values, then of distances.
PIECES, DISTANCES, FIRST_SLICE = 0, 1, 8
SLICE_WORDS = 4
VALUE_ENTRIES, VALUE_BYTES, DISTANCE_ENTRIES, DISTANCE_BYTES = 0, 1, 2, 3
SLICES = 4096
DIRECTORY_WORDS = FIRST_SLICE + SLICES * SLICE_WORDS
