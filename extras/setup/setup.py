"""A position being set up."""

from __future__ import annotations

from game import plain
from game.board import FenError, Position
from game.number_text import count_text
from game.rules import BLACK, KING_ROW, WHITE
from gui.model.ending import SIDE_NAME
from gui.model.lines import Piece, pieces_of

_CYCLE = (None, Piece(BLACK, False), Piece(BLACK, True), Piece(WHITE, False), Piece(WHITE, True))


class Setup:
    """A position being set up, which may be invalid."""

    def __init__(self, position: Position | None = None) -> None:
        self.pieces: dict[int, Piece] = {}
        self.side = BLACK
        self.show(position or Position.start())

    def show(self, position: Position) -> None:
        self.pieces = pieces_of(position)
        self.side = position.side

    def clear(self) -> None:
        self.pieces = {}

    def put(self, square: int, piece: Piece | None) -> None:
        """Put a piece on a square, or clear it with None. A man on its king row becomes a king."""
        self.pieces.pop(square, None)
        if square and piece is not None:
            self.pieces[square] = Piece(piece.side, piece.king or square in KING_ROW[piece.side])

    def cycle(self, square: int) -> None:
        """Put the next kind of piece on a square: man, king, the other side's, none."""
        if not square:
            return
        steps = [p for p in _CYCLE if p is None or p.king or square not in KING_ROW[p.side]]
        now = self.pieces.get(square)
        at = steps.index(now) if now in steps else 0
        self.put(square, steps[(at + 1) % len(steps)])

    def move(self, start: int, target: int) -> None:
        piece = self.pieces.pop(start, None)
        if piece is not None:
            self.put(target, piece)

    def turn_round(self) -> None:
        """Swap the colours and rotate the board, which gives an equivalent position."""
        self.pieces = {33 - square: Piece(1 - piece.side, piece.king) for square, piece in self.pieces.items()}
        self.side = 1 - self.side

    def position(self) -> Position:
        """Return the position.

        Raises:
            FenError: it is invalid, for example with thirteen pieces on one side.
        """

        def squares(side: int) -> list[int]:
            return sorted(square for square, piece in self.pieces.items() if piece.side == side)

        kings = sorted(square for square, piece in self.pieces.items() if piece.king)
        return Position.from_squares(squares(BLACK), squares(WHITE), kings, self.side)

    @property
    def fault(self) -> str:
        """The reason why no game can begin here, in one sentence; empty if one can."""
        for side in (BLACK, WHITE):
            count = sum(piece.side == side for piece in self.pieces.values())
            if count == 0:
                return f"{SIDE_NAME[side]} has no pieces."
            if count > 12:
                return f"{SIDE_NAME[side]} has {count_text(count, 'piece')}; a side has at most 12."
        try:
            position = self.position()
        except FenError as error:
            return f"{error}."
        return "" if plain.legal_moves(position) else f"{SIDE_NAME[self.side]} is to move and has no legal move."
