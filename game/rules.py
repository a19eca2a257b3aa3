"""The rules of American checkers (English draughts, PDN GameType 21) as data."""

from __future__ import annotations

from dataclasses import dataclass

BLACK = 0
"""Side that moves first and starts on squares 1-12. Source: WCDF rule 1.10, PDN GameType 21."""

WHITE = 1
"""Side that starts on squares 21-32."""

SQUARES = 32
"""Dark squares, numbered 1-32 from Black's back row. Source: PDN GameType 21 (`21,B,8,8,N1,0`)."""

PIECES_A_SIDE = 12
"""Pieces of each side at the start; no position can hold more."""

KING_ROW = {BLACK: range(29, 33), WHITE: range(1, 5)}
"""Squares on which a man of each side becomes a king; a jump that ends there ends the move. Source: WCDF rule 1.16."""

START_FEN = "B:W21-32:B1-12"

MAX_MOVES = 192
"""Room for all moves (every capture path) of any position.

Removing a piece that can be jumped, or blocking a landing square, never adds a maximal path. So a king has at most as
many paths as on a board where all nine squares it can jump are taken and nothing blocks: 16, 14 or 9, depending on
its square. The twelve best squares together give 184; without captures twelve kings have at most 48 moves.
"""


@dataclass(frozen=True)
class DrawRules:
    """The limits at which a game is drawn; part of the configuration of a match, never of move generation.

    Attributes:
        repetition: occurrences of a position (same pieces, same side to move) that draw the game; 0 switches the rule
            off. WCDF rule 1.32.1 says 3, older texts 4.
        quiet_plies: consecutive quiet plies that draw the game; 0 switches the rule off. WCDF rule 1.32.2: 40 moves by
            each side, so 80 plies; older texts 50 moves.
        men_reset: whether a move of a man ends a sequence of quiet plies, as WCDF says ("no man advanced and nothing
            captured"). If not, only captures do.
        max_plies: length at which the game is drawn; 0 switches the rule off. Chellapilla and Fogel (1999) stop after
            100 moves by each side, so 200 plies.

    If several rules apply after a ply, the first of these is the reason: no legal move (a loss, never a draw),
    repetition, quiet plies, length.

    Raises:
        ValueError: a number is out of range, or no rule bounds the length of a game.
    """

    repetition: int = 3
    quiet_plies: int = 80
    men_reset: bool = True
    max_plies: int = 0

    def __post_init__(self) -> None:
        if self.repetition < 0 or self.repetition == 1:
            raise ValueError(f"repetition: expected 0 (off) or at least 2, got {self.repetition}")
        for name in ("quiet_plies", "max_plies"):
            value = getattr(self, name)
            if not 0 <= value <= MAX_PLIES:
                raise ValueError(f"{name}: expected 0 (off) to {MAX_PLIES}, got {value}")
        if self.quiet_plies == 0 and self.max_plies == 0:
            raise ValueError("a game could last for ever: set quiet_plies or max_plies above 0")


MAX_PLIES = 10_000
"""Largest limit that `DrawRules` accepts; far above the length of any real game."""

WCDF = DrawRules()
"""The rules of the World Checkers and Draughts Federation."""
