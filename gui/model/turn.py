"""A person's turn, hop by hop: which pieces can be chosen, where they can go, and why a touch is refused.

Nothing outside the turn changes until its path is a legal move.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from game import bitboard, plain
from game.board import Position
from game.moves import IllegalMoveError, Move, meant_moves, move_paths, one_each
from game.rules import BLACK, KING_ROW, SQUARES
from gui.geometry import between, neighbours, on_one_diagonal, row_of

_SPACES = re.compile(r"(?<=[0-9])\s+(?=[0-9])")
"""Spaces instead of a sign between the squares of a typed move."""


class Refusal(Enum):
    """A reason to refuse a touch; the value is its text."""

    NOT_YOUR_TURN = "It is not your turn."
    GAME_OVER = "The game is over."
    LOOKING_BACK = "This is an earlier position: go to the end of the game first, or play from here."
    VARIATION = "This is a variation: press P to play from here, or Esc to return to the game."
    NO_PIECE = "There is no piece on this square."
    NOT_YOURS = "This is a piece of the other side."
    BLOCKED = "This piece cannot move."
    MUST_CAPTURE = "You must jump. Play the ringed piece."
    MUST_JUMP = "You must jump with this piece."
    MUST_CONTINUE = "The jump is not over: a capture must be played to its end."
    CROWNED = "A man that becomes a king ends its turn there."
    NOT_DIAGONAL = "Pieces move along the diagonals."
    TOO_FAR = "A piece moves one square, or jumps over one piece to the square behind it."
    BACKWARDS = "A man moves forward only; kings go both ways."
    OCCUPIED = "There is a piece on this square."
    OWN_PIECE_BETWEEN = "A piece cannot jump over its own side."
    NOTHING_TO_JUMP = "There is nothing to jump over."
    JUMPED_BEFORE = "A piece is jumped only once."
    AMBIGUOUS = "There are several ways: choose the next square."
    NO_MOVE_TEXT = "A move is written like 11-15, 22x15 or 26x17x10."
    NOT_LEGAL = "This move is not legal here."
    LIGHT_SQUARE = "Only dark squares are played on."


@dataclass(frozen=True, slots=True)
class Ignored:
    """The touch had no effect, and no message is needed."""


@dataclass(frozen=True, slots=True)
class Selected:
    square: int


@dataclass(frozen=True, slots=True)
class Unselected:
    """The choice of a piece, or its hops so far, was undone."""


@dataclass(frozen=True, slots=True)
class Hopped:
    """The piece moved, and its turn goes on; `hops` are the squares of this touch, starting with the piece's."""

    hops: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Completed:
    """The turn is complete; `hops`, as in `Hopped`, are the part of the move still to be animated."""

    move: Move
    hops: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Refused:
    """The touch was refused, for the reason in `text`."""

    refusal: Refusal
    square: int

    @property
    def text(self) -> str:
        """The reason, in one sentence for a person who sees the board."""
        return self.refusal.value


@dataclass(frozen=True, slots=True)
class Proposed:
    """The turn is complete, but is played only if a second touch confirms it; `hops` as in `Hopped`."""

    hops: tuple[int, ...]


Touch = Ignored | Selected | Unselected | Hopped | Proposed | Completed | Refused
"""The result of touching a square."""


class Turn:
    """The turn of the side to move in a position, with the hops that a person has played so far."""

    def __init__(self, position: Position) -> None:
        self.position = position
        self.path: tuple[int, ...] = ()
        self._after = dict(plain.successors(position))
        self.legal = tuple(self._after)

    @property
    def selected(self) -> int | None:
        """The square of the chosen piece after its hops; None if none is chosen."""
        return self.path[-1] if self.path else None

    @property
    def hopping(self) -> bool:
        return len(self.path) > 1

    @property
    def complete(self) -> bool:
        """True if the path is a whole move, which touching its last square again plays."""
        return any(move.path == self.path for move in self.legal)

    @property
    def captured(self) -> tuple[int, ...]:
        return next((move.captured[: len(self.path) - 1] for move in self._fitting()), ()) if self.hopping else ()

    @property
    def movable(self) -> tuple[int, ...]:
        return tuple(sorted({move.path[0] for move in self.legal}))

    @property
    def must_capture(self) -> tuple[int, ...]:
        """Squares of the pieces that can capture; if there are any, one of them must."""
        return tuple(sorted({move.path[0] for move in self.legal if move.captured}))

    @property
    def targets(self) -> tuple[int, ...]:
        """Squares one step or hop away for the chosen piece."""
        if not self.path or self.complete:
            return ()
        return tuple(dict.fromkeys(move.path[len(self.path)] for move in self._fitting()))

    @property
    def finals(self) -> tuple[int, ...]:
        """Squares where exactly one move of the chosen piece ends; touching one plays the whole move."""
        ends = () if self.complete else dict.fromkeys(move.path[-1] for move in self._fitting())
        return tuple(square for square in ends if len(self._to(square)) == 1)

    def touch(self, square: int) -> Touch:
        """Choose a piece or move the chosen one; 0 is a light square."""
        if not self.path:
            return self._select(square)
        if self.complete:
            return self._confirm(square)
        if square in self.targets:
            return self._go(next(move for move in self._fitting() if move.path[len(self.path)] == square), 1)
        ways = self._to(square)
        if len(ways) == 1:
            return self._go(ways[0], len(ways[0].path) - len(self.path))
        if not self.hopping and square == self.path[0]:
            return self.cancel()
        if ways:
            return Refused(Refusal.AMBIGUOUS, square)
        if not self.hopping and self._holds(self.position.own, square):
            return self._select(square)
        return Refused(self._why_not(square), square)

    def choose(self, square: int) -> Touch:
        """Choose a piece for a drag; one that is already chosen keeps its hops."""
        if square and square == self.selected:
            return Selected(square)
        if self.complete:
            self.path = ()
        if self.hopping:
            return Refused(Refusal.MUST_CONTINUE, square)
        return self._select(square)

    def type_move(self, text: str) -> Touch:
        text = _SPACES.sub("-", text.strip())
        try:
            fitting = meant_moves(self._after.items(), text)
        except IllegalMoveError:
            return Refused(Refusal.NO_MOVE_TEXT, 0)
        if len(fitting) > 1:
            return Refused(Refusal.AMBIGUOUS, fitting[0].path[-1])
        if fitting:
            return Completed(fitting[0], fitting[0].path)
        paths = move_paths(text)
        return self._not_legal(next((path for path in paths if self._holds(self.position.own, path[0])), paths[0]))

    def _not_legal(self, path: tuple[int, ...]) -> Refused:
        """Return why a written move is illegal, by touching its squares in turn."""
        if max(path) > SQUARES or min(path) < 1:
            return Refused(Refusal.NOT_LEGAL, 0)
        turn = Turn(self.position)
        for square in path:
            touch = turn.touch(square)
            if isinstance(touch, Refused):
                return touch
            if isinstance(touch, Ignored):
                return Refused(Refusal.NO_PIECE, square)
            if isinstance(touch, Completed):  # the move ends here, but the text goes on
                return Refused(Refusal.NOT_LEGAL, path[-1])
        return Refused(Refusal.MUST_CONTINUE if turn.hopping else Refusal.NOT_LEGAL, path[-1])

    def cancel(self) -> Touch:
        if not self.path:
            return Ignored()
        self.path = self.path[:1] if self.hopping else ()
        return Unselected()

    def _select(self, square: int) -> Touch:
        if not self._holds(self.position.own, square):
            if self._holds(self.position.opponent, square):
                return Refused(Refusal.NOT_YOURS, square)
            return Ignored() if square else Refused(Refusal.LIGHT_SQUARE, square)
        if square not in self.movable:
            return Refused(Refusal.MUST_CAPTURE if self.must_capture else Refusal.BLOCKED, square)
        self.path = (square,)
        return Selected(square)

    def _confirm(self, square: int) -> Touch:
        """Play the whole move that was waiting, on its last square; on another square, take it back."""
        move = next(move for move in self.legal if move.path == self.path)
        if square == self.path[-1]:
            return Completed(move, ())
        self.path = ()
        return self._select(square) if self._holds(self.position.own, square) else Unselected()

    def _go(self, move: Move, hops: int) -> Touch:
        before = len(self.path)
        self.path = move.path[: before + hops]
        squares = move.path[before - 1 : before + hops]
        return Completed(move, squares) if self.path == move.path else Hopped(squares)

    def _fitting(self) -> Iterator[Move]:
        length = len(self.path)
        return (move for move in self.legal if move.path[:length] == self.path)

    def _to(self, square: int) -> list[Move]:
        """Return the moves of the chosen piece that end on a square, one for each position to which they lead."""
        fitting = self._fitting() if self.path else ()
        return [move for move, _ in one_each((move, self._after[move]) for move in fitting if move.path[-1] == square)]

    @staticmethod
    def _holds(word: int, square: int) -> bool:
        return bool(0 < square <= SQUARES and word >> bitboard.SQUARE_BIT[square] & 1)

    def _why_not(self, square: int) -> Refusal:
        """Return why the chosen piece cannot go to a square that is neither next nor last in any of its moves."""
        position, here = self.position, self.path[-1]
        if not square:
            return Refusal.LIGHT_SQUARE
        king = self._holds(position.kings, self.path[0])
        if not king and self._past_the_crown(square):
            return Refusal.CROWNED
        middle = between(here, square)
        if middle and middle in self.captured:
            return Refusal.JUMPED_BEFORE
        if self.hopping:
            return Refusal.MUST_CONTINUE
        if self._holds(position.own | position.opponent, square):
            return Refusal.OCCUPIED
        step = square in neighbours(here)
        if not step and not middle:
            return Refusal.TOO_FAR if on_one_diagonal(here, square) else Refusal.NOT_DIAGONAL
        forward = (row_of(square) > row_of(here)) == (position.side == BLACK)
        if not king and not forward:
            return Refusal.BACKWARDS
        if step:
            return Refusal.MUST_JUMP
        return Refusal.OWN_PIECE_BETWEEN if self._holds(position.own, middle) else Refusal.NOTHING_TO_JUMP

    def _past_the_crown(self, square: int) -> bool:
        """Return whether the man could continue jumping to this square if crowning did not end its move."""
        for move in self._fitting():
            if move.captured and move.path[-1] in KING_ROW[self.position.side]:
                after = plain.apply(self.position, move)
                again = Position(after.black, after.white, after.kings, self.position.side)
                for on in plain.legal_moves(again):
                    if on.captured and on.path[0] == move.path[-1] and square in on.path[1:]:
                        return True
        return False
