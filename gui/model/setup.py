"""Setting up a position piece by piece."""

from __future__ import annotations

from game import bitboard, plain
from game.board import FenError, Position
from game.rules import BLACK, KING_ROW, WHITE
from gui.model.endings import SIDE_NAME
from gui.model.game import Piece

_CYCLE = (None, Piece(BLACK, False), Piece(BLACK, True), Piece(WHITE, False), Piece(WHITE, True))


class Setup:
    """A position that is being set up; it need not be one that can be played until it is used.

    Attributes:
        pieces: what stands where, by PDN square.
        side: who will move.
    """

    def __init__(self, position: Position | None = None) -> None:
        self.pieces: dict[int, Piece] = {}
        self.side = BLACK
        self.show(position or Position.start())

    def show(self, position: Position) -> None:
        """Begin anew from a position."""
        self.pieces = {
            square: Piece(side, bool(position.kings >> bitboard.SQUARE_BIT[square] & 1))
            for side, word in ((BLACK, position.black), (WHITE, position.white))
            for square in bitboard.squares_of(word)
        }
        self.side = position.side

    def clear(self) -> None:
        """Take all pieces away."""
        self.pieces = {}

    def put(self, square: int, piece: Piece | None) -> None:
        """Put a piece on a square, or take away what stands there. A man on its king row is put as a king."""
        self.pieces.pop(square, None)
        if square and piece is not None:
            self.pieces[square] = Piece(piece.side, piece.king or square in KING_ROW[piece.side])

    def cycle(self, square: int, side: int | None = None) -> None:
        """Change a square to the next of empty, man, king, of both colours or of one."""
        if not square:
            return
        steps = [p for p in _CYCLE if p is None or side is None or p.side == side]
        steps = [p for p in steps if p is None or p.king or square not in KING_ROW[p.side]]
        now = self.pieces.get(square)
        at = steps.index(now) if now in steps else 0
        self.put(square, steps[(at + 1) % len(steps)])

    def move(self, start: int, target: int) -> None:
        """Drag a piece to another square, or off the board (0)."""
        piece = self.pieces.pop(start, None)
        if piece is not None:
            self.put(target, piece)

    def turn_round(self) -> None:
        """Exchange the colours and turn the board: the same to the side to move."""
        self.pieces = {33 - square: Piece(1 - piece.side, piece.king) for square, piece in self.pieces.items()}
        self.side = 1 - self.side

    def position(self) -> Position:
        """The position.

        Raises:
            FenError: it is none, such as thirteen pieces of a side.
        """

        def squares(side: int) -> list[int]:
            return sorted(square for square, piece in self.pieces.items() if piece.side == side)

        kings = sorted(square for square, piece in self.pieces.items() if piece.king)
        return Position.from_squares(squares(BLACK), squares(WHITE), kings, self.side)

    @property
    def fault(self) -> str:
        """Why no game can begin here, in one sentence; empty if one can."""
        for side in (BLACK, WHITE):
            count = sum(piece.side == side for piece in self.pieces.values())
            if count == 0:
                return f"{SIDE_NAME[side]} has no pieces."
            if count > 12:
                return f"{SIDE_NAME[side]} has {count} pieces; a side has at most 12."
        try:
            position = self.position()
        except FenError as error:
            return f"{error}."
        return "" if plain.legal_moves(position) else f"{SIDE_NAME[self.side]} is to move and has no legal move."
