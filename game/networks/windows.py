"""The windows of patterns: nine overlapping parts of the board, each with four rows, four columns and 8 dark squares.

Source of the idea: Buro, From simple features to sophisticated evaluation functions (1999), where the Othello program
Logistello has tables of patterns for each phase; draughts programs (Scan, Dragon, KingsRow) use such windows of men.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

WINDOWS = 9
SQUARES = 8
CELLS = 3**SQUARES
"""Number of states of a window. The digit of a square is 0 without a man, 1 for one's own man, 2 for the opponent's."""


def ternary() -> NDArray[np.int32]:
    """Return, for each set of squares of a window (as bits), its binary digits read in base 3."""
    import numpy as np

    bits = np.arange(1 << SQUARES)[:, None] >> np.arange(SQUARES) & 1
    numbers: NDArray[np.int32] = (bits * 3 ** np.arange(SQUARES)).sum(axis=1).astype(np.int32)
    return numbers
