"""A game: its moves with a cursor, a person's turn, undo and redo, and the ending.

Invalid input from a person never raises here; it is refused with a sentence.
"""

from __future__ import annotations

import itertools
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from game import plain
from game.ballots import GameOpening, longest, opening_of
from game.board import Position
from game.moves import IllegalMoveError, Move
from game.review.chances import GameKind, games_of
from game.rules import BLACK, WCDF, WHITE, DrawRules
from gui.model.ending import BY_MOVES, Cause, Ending, Undone, find_ending
from gui.model.lines import (
    Branch,
    Notes,
    Piece,
    Ply,
    Thought,
    keep_line,
    pieces_of,
    read_variation,
    replace_variation,
    swap_line,
    variations_of,
)
from gui.model.seats import HUMAN, Seat
from gui.model.turn import Completed, Proposed, Refusal, Refused, Touch, Turn

_numbers = itertools.count(1)

MOST_SEED = 2**32 - 1
SEED = "Seed"


def seed_tags(seed: int) -> tuple[tuple[str, str], ...]:
    """Return the tag of PDN with the seed of a game, on which the first moves of players depend."""
    return ((SEED, f"{seed}"),)


@dataclass
class GameModel:
    """A game.

    Attributes:
        stamp: changes with the game; answers to requests with an earlier stamp are stale.
        turn: the turn of the side to move in the last position, with the hops played so far.
        offered: by side, the number of plies when it last offered a draw.
        notes: annotations before the first move, as in `Ply`.
        branches: the variation on the board and those that it is part of, from outside in; empty in the game itself.
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
    notes: Notes = ()
    undone: list[Undone] = field(default_factory=list)
    seed: int = 0
    branches: list[Branch] = field(default_factory=list)

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
        return cls(seats, start, tags=tags, plies=plies, cursor=len(plies))

    @property
    def last(self) -> Position:
        return self.plies[-1].after if self.plies else self.start

    @property
    def shown(self) -> Position:
        """The position at the cursor, without the hops of an unfinished turn, which are in `turn`."""
        return self.position_at(self.cursor)

    def position_at(self, cursor: int) -> Position:
        return self.plies[cursor - 1].after if cursor else self.start

    @property
    def shown_ply(self) -> Ply | None:
        return self.plies[self.cursor - 1] if self.cursor else None

    @property
    def at_end(self) -> bool:
        return self.cursor == len(self.plies)

    @property
    def side(self) -> int:
        return self.last.side

    @property
    def seat(self) -> Seat:
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
        return None if self.ending is None else self.ending.result

    @property
    def person_to_move(self) -> bool:
        return not self.over and self.seat.human and not self.looking

    @property
    def program_to_move(self) -> bool:
        return not self.over and not self.seat.human and not self.branches

    @property
    def move_number(self) -> int:
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
        if not self.cursor:
            return "Before the first move"
        rows, here = self.rows(), self.cursor - 1
        number, black, _ = next(row for row in rows if here in row[1:])
        return f"Move {number} of {len(rows)}, {'Black' if black == here else 'White'}"

    @property
    def comment(self) -> str:
        notes = self.plies[self.cursor - 1].notes if self.cursor else self.notes
        return " ".join(text for kind, text in notes if kind == "comment")

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

    def go_to(self, cursor: int) -> None:
        """Show the position after `cursor` moves, clamped to the game, and drop unfinished hops.

        Before the first move of a variation, the game that contains it is displayed again.
        """
        self.turn.path = ()
        while self.branches and cursor <= self.branches[-1].index:
            self.leave_variation()
        self.cursor = min(max(cursor, 0), len(self.plies))

    def touch(self, square: int, *, confirm: bool = False) -> Touch:
        """Choose the piece on a square, or move the chosen piece there; 0 means a light square.

        A completed turn is played, if `confirm` only after a second touch of its last square.
        """
        refusal = self._refusal(square)
        if refusal is not None:
            return Refused(refusal, square)
        touch = self.turn.touch(square)
        if confirm and isinstance(touch, Completed) and touch.hops:
            return Proposed(touch.hops)
        return self._played(touch)

    def drag(self, square: int) -> Touch:
        """Choose the piece on a square when the person begins to drag it."""
        refusal = self._refusal(square)
        return Refused(refusal, square) if refusal is not None else self.turn.choose(square)

    def drop(self, square: int, *, confirm: bool = False) -> Touch:
        """Drop a dragged piece on a square; like `touch`, but dropping it where it came from does nothing."""
        if square and square == self.turn.selected and square not in self.turn.finals:
            return self.drag(square)
        return self.touch(square, confirm=confirm)

    def type_move(self, text: str) -> Touch:
        """Play a typed move: ``11-15``, ``22x15``, ``26x17x10``, or ``26x10`` if only one capture fits."""
        refusal = self._refusal(0)
        return Refused(refusal, 0) if refusal is not None else self._played(self.turn.type_move(text))

    def _refusal(self, square: int) -> Refusal | None:
        if self.looking:
            return Refusal.VARIATION
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
        """Play a legal move for the side to move, at the end of the game.

        Raises:
            IllegalMoveError: the move is not legal, or the game is over.
        """
        if self.over:
            raise IllegalMoveError(f"{move}: the game is over")
        follows = self.at_end
        ply = self._keep_line(Ply(self.last, move, plain.apply(self.last, move), thought))
        self.plies.append(ply)
        self.cursor = len(self.plies) if follows else self.cursor
        self.ending = self._find_ending()
        self._changed()
        return ply

    def _keep_line(self, ply: Ply) -> Ply:
        """Return a new move with the moves that were taken back as a variation; those of the same line stay undone."""
        old = [before for undone in reversed(self.undone) for before in undone.plies]
        ending = self.undone[0].ending if self.undone and old[:1] and old[0].move == ply.move else None
        ply, rest = keep_line(ply, old, self._before(len(self.plies)))
        self.undone = [Undone(rest, ending)] if rest else []
        return ply

    def _before(self, index: int) -> int:
        """Return the number of plies before a move, counted as if Black had begun."""
        return index + self.start.side

    def _find_ending(self) -> Ending | None:
        """Return the ending by the moves; None in a variation, which ends nothing."""
        return None if self.branches else find_ending(self.start, self.plies, self.rules)

    def _changed(self) -> None:
        self.turn = Turn(self.last)
        self.stamp += 1

    @property
    def can_undo(self) -> bool:
        return not self.looking and (self._taken_back() > 0 or self._declared_ending)

    @property
    def can_redo(self) -> bool:
        return bool(self.undone) and not self.looking

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
        if not self.can_undo:
            return False
        cut = len(self.plies) - count
        self.undone.append(Undone(tuple(self.plies[cut:]), self.ending))
        self._cut(cut)
        return True

    def redo(self) -> bool:
        """Replay what the last `undo` took back; return False if there is nothing to redo."""
        if not self.can_redo:
            return False
        undone = self.undone.pop()
        self.plies += undone.plies
        self.cursor = len(self.plies)
        self.ending = undone.ending
        self._changed()
        return True

    def play_on_from_here(self) -> bool:
        """Take back the moves after the cursor, and make a variation on the board the game."""
        promoted = bool(self.branches)
        self._promote()
        if self.at_end and not self._declared_ending:
            return promoted
        self.undone.append(Undone(tuple(self.plies[self.cursor :]), self.ending))
        self._cut(self.cursor)
        return True

    def _cut(self, count: int) -> None:
        del self.plies[count:]
        if self.branches and count == self.branches[-1].index:
            self.leave_variation()  # nothing of it is left
            self._changed()
            return
        self.cursor = count
        self.ending = self._find_ending()
        self.offered = {side: ply for side, ply in self.offered.items() if ply <= count}
        self._changed()

    @property
    def looking(self) -> bool:
        """True if a variation is on the board of a game with a program, which does not move there."""
        return bool(self.branches) and not (self.seats[BLACK].human and self.seats[WHITE].human)

    def variations(self, index: int) -> list[tuple[int, tuple[Ply, ...]]]:
        """Return the variations that replace a move, each with its index among the notes of this move."""
        ply = self.plies[index]
        return variations_of(ply.before, ply.notes)

    def enter_variation(self, index: int, note: int) -> None:
        """Display a variation after its first move.

        Args:
            note: its index among the notes of this move, from `variations`.
        """
        ply = self.plies[index]
        text = ply.notes[note][1]
        rest = tuple(self.plies[index:])
        self.branches.append(Branch(index, note, text, rest, (self.ending, tuple(self.undone))))
        self._show_line(index, read_variation(ply.before, text), None, ())
        self.cursor = index + 1

    def leave_variation(self) -> None:
        """Display the game, or the outer variation, before the move that the innermost variation replaces."""
        branch = self.branches.pop()
        line, first = self.plies[branch.index :], branch.rest[0]
        if tuple(line) != read_variation(first.before, branch.text):
            played = self._before(branch.index)
            first = replace(first, notes=replace_variation(first.notes, branch.note, line, played))
        self._show_line(branch.index, (first, *branch.rest[1:]), *branch.state)
        self.cursor = branch.index

    def next_variation(self) -> bool:
        """Display the first variation of the next move or of the last one, or the one after the variation just begun.

        After the last variation comes the move of the game. Return False if there is none.
        """
        last = -1
        index = self.varied
        if index is None:
            return False
        if self._begun:
            last = self.branches[-1].note
            self.leave_variation()
        following = next((note for note, _ in self.variations(index) if note > last), None)
        if following is not None:
            self.enter_variation(index, following)
        else:
            self.cursor = index + 1
        return True

    @property
    def varied(self) -> int | None:
        """The index of the move whose variations `next_variation` displays; None if there is none."""
        if self._begun:
            return self.branches[-1].index
        near = (index for index in (self.cursor, self.cursor - 1) if 0 <= index < len(self.plies))
        return next((index for index in near if self.variations(index)), None)

    @property
    def _begun(self) -> bool:
        """True if a variation is on the board after its first move."""
        return bool(self.branches) and self.cursor == self.branches[-1].index + 1

    def whole(self) -> GameModel:
        """Return the game itself, with the variations on the board among its notes."""
        if not self.branches:
            return self
        copy = replace(self, plies=list(self.plies), undone=list(self.undone), branches=list(self.branches))
        while copy.branches:
            copy.leave_variation()
        return copy

    def _show_line(self, index: int, line: Sequence[Ply], ending: Ending | None, undone: Sequence[Undone]) -> None:
        self.plies[index:] = line
        self.ending, self.undone, self.turn = ending, list(undone), Turn(self.last)

    def _promote(self) -> None:
        for branch in reversed(self.branches):
            self.plies[branch.index] = swap_line(self.plies[branch.index], branch, self._before(branch.index))
        if self.branches:
            self.branches, self.undone = [], []
            self.ending = self._find_ending()
            self._changed()

    def end(self, ending: Ending) -> None:
        """End the game by declaration, such as a resignation; do nothing if it is already over."""
        if self.ending is None:
            self.ending = ending
            self.undone.clear()
            self._changed()

    def resign(self, side: int) -> None:
        self.end(Ending(-1 if side == BLACK else 1, Cause.RESIGNED))

    def agree_draw(self) -> None:
        self.end(Ending(0, Cause.AGREED))

    def fail(self, side: int, why: str) -> None:
        """End the game as a loss for a player that failed, as in `game.match`; `undo` takes this back."""
        self.end(Ending(-1 if side == BLACK else 1, Cause.FAILED, why))

    def may_offer(self, side: int) -> bool:
        """Return whether a side may offer a draw, which it may do once before each of its moves."""
        at = self.offered.get(side)
        return not self.over and (at is None or any(ply.side == side for ply in self.plies[at:]))

    def note_offer(self, side: int) -> None:
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

    def rematch(self, *, swap: bool = False) -> GameModel:
        """Return a new game of the same players from the same start, with a new seed, and its tag if this has one."""
        seats = (self.seats[WHITE], self.seats[BLACK]) if swap else self.seats
        new = GameModel(seats, self.start, self.rules).vary()
        new.tags = seed_tags(new.seed) if SEED in dict(self.tags) else ()
        return new
