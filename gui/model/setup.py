"""A position being set up, and its tablebase verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING

from game import plain
from game.board import FenError, Position
from game.endgame.slices import MOST_BUILT
from game.number_text import count_text
from game.rules import BLACK, KING_ROW, WHITE
from gui.model.analyses import Analysis
from gui.model.ending import SIDE_NAME
from gui.model.game import GameModel
from gui.model.lines import Piece, pieces_of
from gui.model.seats import Seat
from gui.model.table import GameTable, Said

if TYPE_CHECKING:
    from gui.thinking.thinker import Thinker

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

    def cycle(self, square: int, side: int | None = None) -> None:
        if not square:
            return
        steps = [p for p in _CYCLE if p is None or side is None or p.side == side]
        steps = [p for p in steps if p is None or p.king or square not in KING_ROW[p.side]]
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


ASKS = Seat("material", 1, 1.0)
"""The fastest analyst, since only the tablebase verdict is displayed."""


class JudgedPosition:
    """The visible position with its tablebase verdict, which a separate table requests."""

    def __init__(self, thinker: Thinker) -> None:
        self._thinker = thinker
        self._table = GameTable(thinker)
        self._table.analyst = ASKS

    @property
    def waits(self) -> bool:
        return self._table.analysing

    def update(self, position: Position | None, now: float) -> list[str]:
        """Read answers, and ask about a new position; return messages for the person.

        Args:
            now: the time of a monotonic clock, in seconds.
        """
        table = self._table
        asks = False
        if position is not None and (position.black | position.white).bit_count() <= MOST_BUILT:
            asks = True
            if position != table.model.start:
                table.begin(GameModel(start=position))
        table.analyse(asks)
        # Polling also consumes answers meant for other tables, which ask again when they see a newer ticket.
        events = table.update(now) if asks or table.analysing else []
        return [event.text for event in events if isinstance(event, Said)]

    def find(self, position: Position | None) -> Analysis | None:
        """Return the analysis of the position; None if there is none, or if `update` was last called with another."""
        return self._table.analysis if position is not None and position == self._table.model.start else None

    def close(self) -> None:
        if self.waits:
            self._thinker.drop()
