"""A game: its moves with a cursor, a person's turn, undo and redo, and the ending.

Clocks and searches belong to `gui.model.table`, drawing to the window. Invalid input from a person never raises here;
it is refused with a sentence.
"""

from __future__ import annotations

import itertools
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import NamedTuple

from game import bitboard, plain
from game.ballots import GameOpening, longest, opening_of
from game.board import Position
from game.endings import Reason, draw_reason
from game.moves import IllegalMoveError, Move
from game.review.chances import GameKind, games_of
from game.rules import BLACK, KING_ROW, WCDF, WHITE, DrawRules
from gui.model.seats import HUMAN, Seat
from gui.model.turn import Completed, Refusal, Refused, Touch, Turn


@dataclass(frozen=True, slots=True)
class Thought:
    """A player's report on its move; missing values are None or empty.

    Attributes:
        score: in men, from the point of view of the mover; `game.search.interface` says how it encodes a proved win.
        share: the score scaled from -1 (lost) to 1 (won), so that bars and graphs suit any player.
        depth, nodes, seconds: depth, number of positions and duration of the search.
        pv: the expected line, beginning with this move.
        text: the score in words, such as ``+0.53`` or ``win in 23 plies``.
    """

    score: float | None = None
    share: float | None = None
    depth: int | None = None
    nodes: int | None = None
    seconds: float | None = None
    pv: tuple[Move, ...] = ()
    text: str = ""


@dataclass(frozen=True, slots=True)
class Ply:
    """One move of a game.

    Attributes:
        before, after: the positions before and after the move; `before.side` moved.
        move: a whole turn.
        thought: the program's report.
        notes: annotations of a recorded game as (kind, text), as in `game.pdn.check.Annotation`.
    """

    before: Position
    move: Move
    after: Position
    thought: Thought | None = None
    notes: tuple[tuple[str, str], ...] = ()

    @property
    def side(self) -> int:
        return self.before.side

    @property
    def by_king(self) -> bool:
        return bool(self.before.kings >> bitboard.SQUARE_BIT[self.move.path[0]] & 1)

    @property
    def crowned(self) -> bool:
        return not self.by_king and self.move.path[-1] in KING_ROW[self.side]

    @property
    def reversible(self) -> bool:
        """True if the position before it could recur: a king moved and captured nothing."""
        return self.by_king and not self.move.captured


SIDE_NAME = ("Black", "White")
"""The names of the sides, indexed by side."""

PDN_RESULT = {1: "1-0", -1: "0-1", 0: "1/2-1/2"}
"""The notation of a result in PDN. The keys are 1 if Black won, -1 if White won, 0 for a draw."""


class Cause(StrEnum):
    """The reason why a game ended."""

    NO_PIECES = "no pieces"
    NO_MOVE = "no move"
    REPETITION = "repetition"
    QUIET = "quiet"
    LENGTH = "length"
    RESIGNED = "resigned"
    AGREED = "agreed"
    FAILED = "failed"
    RECORDED = "recorded"


BY_MOVES = (Cause.NO_PIECES, Cause.NO_MOVE, Cause.REPETITION, Cause.QUIET, Cause.LENGTH)
"""Causes that follow from the moves; the other causes do not."""

_CAUSES = {Reason.REPETITION: Cause.REPETITION, Reason.QUIET: Cause.QUIET, Reason.LENGTH: Cause.LENGTH}


@dataclass(frozen=True, slots=True)
class Ending:
    """The end of a game.

    Attributes:
        result: 1 if Black won, -1 if White won, 0 for a draw.
        cause: why the game ended.
        detail: additional text, such as a player's error.
    """

    result: int
    cause: Cause
    detail: str = ""

    @property
    def winner(self) -> int | None:
        """The side that won; None for a draw."""
        return None if self.result == 0 else (1 - self.result) // 2

    @property
    def pdn_result(self) -> str:
        """The result in PDN: ``1-0`` means that Black, the first mover, won."""
        return PDN_RESULT[self.result]

    @property
    def headline(self) -> str:
        """The winner, or a draw, in at most two words."""
        return "Draw" if self.winner is None else f"{SIDE_NAME[self.winner]} wins"

    @property
    def reason(self) -> str:
        """The cause, in one sentence."""
        loser = "" if self.winner is None else SIDE_NAME[1 - self.winner]
        text = {
            Cause.NO_PIECES: f"{loser} has no pieces left.",
            Cause.NO_MOVE: f"{loser} has no legal move.",
            Cause.REPETITION: "The position has occurred for the third time.",
            Cause.QUIET: "Each side has made 40 moves without a capture or a move of a man.",
            Cause.LENGTH: "The game has reached its maximum length.",
            Cause.RESIGNED: f"{loser} resigned.",
            Cause.AGREED: "Both sides agreed on a draw.",
            Cause.FAILED: f"{loser} failed.",
            Cause.RECORDED: "According to the record of the game.",
        }[self.cause]
        return f"{text} ({self.detail})" if self.detail else text


def find_ending(start: Position, plies: Sequence[Ply], rules: DrawRules) -> Ending | None:
    """Return the ending by lack of moves, repetition, quiet plies or length; None if the game goes on."""
    position = plies[-1].after if plies else start
    if not plain.legal_moves(position):
        result = -1 if position.side == BLACK else 1
        return Ending(result, Cause.NO_MOVE if position.own else Cause.NO_PIECES)
    if not plies:
        return None
    back = len(plies)
    while back and plies[back - 1].reversible:
        back -= 1
    reversible = [plies[back - 1].after if back else start, *(ply.after for ply in plies[back:])]
    quiet = 0
    for ply in reversed(plies):
        if ply.move.captured or (rules.men_reset and not ply.reversible):
            break
        quiet += 1
    reason = draw_reason(reversible, quiet, len(plies), rules)
    return None if reason is None else Ending(0, _CAUSES[reason])


_numbers = itertools.count(1)

MOST_SEED = 2**32 - 1


class Piece(NamedTuple):
    """A piece."""

    side: int
    king: bool


def pieces_of(position: Position) -> dict[int, Piece]:
    """Return the pieces of a position, by square."""
    return {
        square: Piece(side, bool(position.kings >> bitboard.SQUARE_BIT[square] & 1))
        for side, word in ((BLACK, position.black), (WHITE, position.white))
        for square in bitboard.squares_of(word)
    }


@dataclass(frozen=True, slots=True)
class Undone:
    """The moves taken back by one `undo`.

    Attributes:
        plies: the moves, in order.
        ending: the ending before the undo; None if the game was not over.
    """

    plies: tuple[Ply, ...]
    ending: Ending | None


@dataclass
class GameModel:
    """A game.

    Attributes:
        seats: the players of Black and White.
        start: the first position.
        rules: the draw rules.
        number: the number of this game, unique within the process.
        stamp: changes with the game; answers to requests with an earlier stamp are stale.
        plies: all moves.
        cursor: the number of moves before the visible position, 0 to len(plies).
        turn: the turn of the side to move in the last position, with the hops played so far.
        ending: None while the game goes on.
        tags: the PDN tags of a recorded game, in order.
        offered: by side, the number of plies when it last offered a draw.
        notes: annotations before the first move, as in `Ply`.
        undone: the moves that `redo` restores; the next to restore are last.
        seed: the random seed for a program that plays against a person; 0 for none.
    """

    seats: tuple[Seat, Seat] = (HUMAN, HUMAN)
    start: Position = field(default_factory=Position.start)
    rules: DrawRules = WCDF
    tags: tuple[tuple[str, str], ...] = ()
    number: int = field(default_factory=lambda: next(_numbers))
    stamp: int = 0
    plies: list[Ply] = field(default_factory=list)
    cursor: int = 0
    ending: Ending | None = None
    offered: dict[int, int] = field(default_factory=dict)
    notes: tuple[tuple[str, str], ...] = ()
    undone: list[Undone] = field(default_factory=list)
    seed: int = 0

    def __post_init__(self) -> None:
        self.turn = Turn(self.last)
        self.ending = self.ending or find_ending(self.start, self.plies, self.rules)

    @classmethod
    def of_moves(
        cls,
        start: Position,
        moves: Sequence[Move],
        seats: tuple[Seat, Seat] = (HUMAN, HUMAN),
        *,
        rules: DrawRules = WCDF,
        tags: tuple[tuple[str, str], ...] = (),
    ) -> GameModel:
        """Return a game with moves; draw rules apply only at its end, since recorded games may go on past a draw.

        Raises:
            IllegalMoveError: a move is not legal.
        """
        plies, position = [], start
        for move in moves:
            after = plain.apply(position, move)
            plies.append(Ply(position, move, after))
            position = after
        return cls(seats, start, rules, tags, plies=plies, cursor=len(plies))

    # Positions ----------------------------------------------------------------------------------------------------

    @property
    def last(self) -> Position:
        """The position after the last move."""
        return self.plies[-1].after if self.plies else self.start

    @property
    def shown(self) -> Position:
        """The position at the cursor, without the hops of an unfinished turn, which are in `turn`."""
        return self.position_at(self.cursor)

    def position_at(self, cursor: int) -> Position:
        """Return the position after this number of moves."""
        return self.plies[cursor - 1].after if cursor else self.start

    @property
    def shown_ply(self) -> Ply | None:
        """The move that led to the position at the cursor."""
        return self.plies[self.cursor - 1] if self.cursor else None

    @property
    def at_end(self) -> bool:
        """True if the cursor is at the end of the game."""
        return self.cursor == len(self.plies)

    @property
    def side(self) -> int:
        """The side to move at the end of the game."""
        return self.last.side

    @property
    def seat(self) -> Seat:
        """The player to move at the end of the game."""
        return self.seats[self.side]

    @property
    def games(self) -> GameKind:
        """The kind of game, which selects the curve that converts scores to chances."""
        tags = dict(self.tags)
        for side, name in ((BLACK, "Black"), (WHITE, "White")):
            if not self.seats[side].human:
                tags[f"{name}Type"] = "program"
        return games_of(tags)

    @property
    def over(self) -> bool:
        return self.ending is not None

    @property
    def result(self) -> int | None:
        """The result for Black: 1, 0 or -1; None while the game goes on."""
        return None if self.ending is None else self.ending.result

    @property
    def person_to_move(self) -> bool:
        return not self.over and self.seat.human

    @property
    def program_to_move(self) -> bool:
        return not self.over and not self.seat.human

    @property
    def move_number(self) -> int:
        """The number of the next move in the move list."""
        return (len(self.plies) + (self.start.side == WHITE)) // 2 + 1

    @property
    def history(self) -> tuple[Position, ...]:
        """All positions but the last, in the order that `game.players` expects."""
        return tuple(ply.before for ply in self.plies)

    def rows(self) -> list[tuple[int, int | None, int | None]]:
        """Return the rows of the move list: move number, index of Black's ply, index of White's."""
        odd = self.start.side == WHITE and bool(self.plies)
        slots: list[int | None] = [None] * odd + list(range(len(self.plies)))
        slots += [None] * (len(slots) % 2)
        return [(row + 1, slots[2 * row], slots[2 * row + 1]) for row in range(len(slots) // 2)]

    @property
    def place(self) -> str:
        """The place of the visible position in the game, in words."""
        if not self.cursor:
            return "Before the first move"
        rows, here = self.rows(), self.cursor - 1
        number, black, _ = next(row for row in rows if here in row[1:])
        return f"Move {number} of {len(rows)}, {'Black' if black == here else 'White'}"

    def pieces(self) -> dict[int, Piece]:
        """Return the pieces at the cursor, after the hops of an unfinished turn and without the pieces jumped."""
        pieces = pieces_of(self.shown)
        if self.at_end and self.turn.hopping:
            pieces[self.turn.path[-1]] = pieces.pop(self.turn.path[0])
            for square in self.turn.captured:
                del pieces[square]
        return pieces

    @property
    def opening(self) -> GameOpening:
        """The name and the ballot of its first moves; empty if it began from another position."""
        if self.start != Position.start():
            return GameOpening()
        return opening_of([str(ply.move) for ply in self.plies[: longest()]])

    # The cursor ---------------------------------------------------------------------------------------------------

    def go_to(self, cursor: int) -> None:
        """Show the position after `cursor` moves, clamped to the game, and drop unfinished hops."""
        self.turn.path = ()
        self.cursor = min(max(cursor, 0), len(self.plies))

    # A person's turn ----------------------------------------------------------------------------------------------

    def touch(self, square: int) -> Touch:
        """Choose the piece on a square, or move the chosen piece there; 0 means a light square.

        A completed turn is played.
        """
        refusal = self._refusal(square)
        if refusal is not None:
            return Refused(refusal, square)
        return self._played(self.turn.touch(square))

    def drag(self, square: int) -> Touch:
        """Choose the piece on a square when the person begins to drag it."""
        refusal = self._refusal(square)
        return Refused(refusal, square) if refusal is not None else self.turn.choose(square)

    def drop(self, square: int) -> Touch:
        """Drop a dragged piece on a square; like `touch`, but dropping it where it came from does nothing."""
        if square and square == self.turn.selected and square not in self.turn.finals:
            return self.drag(square)
        return self.touch(square)

    def type_move(self, text: str) -> Touch:
        """Play a typed move: ``11-15``, ``22x15``, ``26x17x10``, or ``26x10`` if only one capture fits."""
        refusal = self._refusal(0)
        return Refused(refusal, 0) if refusal is not None else self._played(self.turn.type_move(text))

    def _refusal(self, square: int) -> Refusal | None:
        if not self.at_end:
            return Refusal.LOOKING_BACK
        if self.over:
            return Refusal.GAME_OVER
        if not self.seat.human:
            before = self.plies[-1] if self.plies else None
            if before and before.crowned and before.move.captured and square == before.move.path[-1]:
                return Refusal.CROWNED
            return Refusal.NOT_YOUR_TURN
        return None

    def _played(self, touch: Touch) -> Touch:
        if isinstance(touch, Completed):
            self.play(touch.move)
        return touch

    def play(self, move: Move, thought: Thought | None = None) -> Ply:
        """Play a legal move for the side to move, at the end of the game. The cursor follows if it was at the end.

        Raises:
            IllegalMoveError: the move is not legal, or the game is over.
        """
        if self.over:
            raise IllegalMoveError(f"{move}: the game is over")
        follows = self.at_end
        ply = Ply(self.last, move, plain.apply(self.last, move), thought)
        self.plies.append(ply)
        self.undone.clear()
        self.cursor = len(self.plies) if follows else self.cursor
        self.ending = find_ending(self.start, self.plies, self.rules)
        self._changed()
        return ply

    def _changed(self) -> None:
        self.turn = Turn(self.last)
        self.stamp += 1

    # Undo and redo ------------------------------------------------------------------------------------------------

    @property
    def can_undo(self) -> bool:
        """True if `undo` has an effect."""
        return self._taken_back() > 0 or self._declared_ending

    @property
    def can_redo(self) -> bool:
        """True if `redo` has an effect."""
        return bool(self.undone)

    @property
    def _declared_ending(self) -> bool:
        return self.ending is not None and self.ending.cause not in BY_MOVES

    def _taken_back(self) -> int:
        """Return the number of plies to take back: one, or against a program all since the person's last move."""
        if self.seats[BLACK].human == self.seats[WHITE].human:
            return min(len(self.plies), 1)
        for back, ply in enumerate(reversed(self.plies), 1):
            if self.seats[ply.side].human:
                return back
        return 0

    def undo(self) -> bool:
        """Take back a declared ending; otherwise the last move, or against a program your last move and the reply.

        The cursor moves to the end. Return False if there is nothing to take back.
        """
        count = 0 if self._declared_ending else self._taken_back()
        if not count and not self._declared_ending:
            return False
        cut = len(self.plies) - count
        self.undone.append(Undone(tuple(self.plies[cut:]), self.ending))
        self._cut(cut)
        return True

    def redo(self) -> bool:
        """Replay what the last `undo` took back; return False if there is nothing to redo."""
        if not self.undone:
            return False
        undone = self.undone.pop()
        self.plies += undone.plies
        self.cursor = len(self.plies)
        self.ending = undone.ending
        self._changed()
        return True

    def play_on_from_here(self) -> bool:
        """Discard the moves after the cursor; `redo` restores them. Return False if there are none."""
        if self.at_end and not self._declared_ending:
            return False
        self.undone.append(Undone(tuple(self.plies[self.cursor :]), self.ending))
        self._cut(self.cursor)
        return True

    def _cut(self, count: int) -> None:
        del self.plies[count:]
        self.cursor = count
        self.ending = find_ending(self.start, self.plies, self.rules)
        self.offered = {side: ply for side, ply in self.offered.items() if ply <= count}
        self._changed()

    # The end ------------------------------------------------------------------------------------------------------

    def end(self, ending: Ending) -> None:
        """End the game by declaration, such as a resignation; do nothing if it is already over."""
        if self.ending is None:
            self.ending = ending
            self.undone.clear()
            self._changed()

    def resign(self, side: int) -> None:
        self.end(Ending(-1 if side == BLACK else 1, Cause.RESIGNED))

    def agree_draw(self) -> None:
        """End the game as a draw by agreement."""
        self.end(Ending(0, Cause.AGREED))

    def fail(self, side: int, why: str) -> None:
        """End the game as a loss for a player that failed, as in `game.match`; `undo` takes this back."""
        self.end(Ending(-1 if side == BLACK else 1, Cause.FAILED, why))

    def may_offer(self, side: int) -> bool:
        """Return whether a side may offer a draw, which it may do once before each of its moves."""
        return not self.over and side not in self.find_draw_offers()

    def find_draw_offers(self) -> tuple[int, ...]:
        """Return the sides that have offered a draw since their own last move."""
        return tuple(side for side, at in self.offered.items() if all(ply.side != side for ply in self.plies[at:]))

    def note_offer(self, side: int) -> None:
        """Record that a side offers a draw."""
        self.offered[side] = len(self.plies)

    def branch(self, seats: tuple[Seat, Seat] = (HUMAN, HUMAN)) -> GameModel:
        """Return a new game between these players that continues from the visible position."""
        plies = [replace(ply, thought=None, notes=()) for ply in self.plies[: self.cursor]]
        return GameModel(seats, self.start, self.rules, plies=plies, cursor=self.cursor)

    def vary(self) -> GameModel:
        """Set a random seed if a person plays against a program; return the game."""
        if self.seats[BLACK].human != self.seats[WHITE].human:
            self.seed = secrets.randbelow(MOST_SEED) + 1
        return self

    # Other games --------------------------------------------------------------------------------------------------

    def rematch(self, *, swap: bool = False) -> GameModel:
        """Return a new game between the same players from the same start, with a new seed."""
        seats = (self.seats[WHITE], self.seats[BLACK]) if swap else self.seats
        return GameModel(seats, self.start, self.rules).vary()
