"""The windows of patterns: nine parts of the board, of four rows and four columns each, whose 8 dark squares overlap.

Source of the idea: Buro, From simple features to sophisticated evaluation functions (1999), whose tables of patterns by
phase made Logistello; programs for draughts (Scan, Dragon, KingsRow) count men on such windows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

WINDOWS = 9
SQUARES = 8
CELLS = 3**SQUARES
"""Number of states of a window. A square without a man has the digit 0, with an own man 1, with the opponent's 2."""


def window_squares() -> tuple[tuple[int, ...], ...]:
    """Return the dark squares (index 0-31) of each window by row from the own back row, lowest digit first."""
    return tuple(
        tuple(4 * row + column for row in range(top, top + 4) for column in (left, left + 1))
        for top in (0, 2, 4)
        for left in range(3)
    )


def ternary() -> NDArray[np.int32]:
    """Return for each set of a window's squares, as bits, the number in base 3 with the digit 1 for each of them."""
    import numpy as np

    bits = np.arange(1 << SQUARES)[:, None] >> np.arange(SQUARES) & 1
    numbers: NDArray[np.int32] = (bits * 3 ** np.arange(SQUARES)).sum(axis=1).astype(np.int32)
    return numbers
