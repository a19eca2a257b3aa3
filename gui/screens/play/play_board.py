"""A person's move at the board: by clicks, by dragging, by keys, in notation; and what the board points out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from gui.geometry import Rect
from gui.model.game import GameModel, Piece
from gui.model.turn import Completed, Hopped, Refused, Selected, Touch
from gui.screens.dialogs.dialog import Prompt
from gui.screens.play.game_screen import GameScreen
from gui.widgets.board import OUTSIDE, Board, BoardMarks, Hand

REFUSED_SECONDS = 4.0
EXAMPLE = "As in 11-15, 22x15 or 26x17x10."


class PlayBoard(GameScreen):
    """A game with a person's hands on the board.

    Attributes:
        refused: square and reason of a refusal that is being shown, and until when.
    """

    refused: tuple[int, str, float] | None = None

    # Hands --------------------------------------------------------------------------------------------------------

    def _did(self, touch: Touch, before: Mapping[int, Piece], *, by_hand: bool = False) -> bool:
        """Show the result of a touch; a dragged piece is not animated. Return whether a piece is chosen."""
        self.refused = None
        if isinstance(touch, Refused):
            self.refused = (touch.square, touch.text, self.app.now + REFUSED_SECONDS)
            self.app.services.play("refused")
        elif isinstance(touch, (Hopped, Completed)):
            if not by_hand:
                self.fly(before, touch.hops)
            if isinstance(touch, Completed):
                self.hinting = False
                self.sound_of_move()
            else:
                self.app.services.play("capture")
        return isinstance(touch, Selected)

    def _touch(self, square: int) -> None:
        self._wake()
        before = self.model.pieces()
        self._did(self.model.touch(square), before)

    def _grab(self, square: int) -> bool:
        self._wake()
        return self._did(self.model.drag(square), {})

    def _drop(self, square: int) -> None:
        if square != OUTSIDE:
            self._did(self.model.drop(square), {}, by_hand=True)

    def _wake(self) -> None:
        """A touch while a move is being shown ends the show, and counts."""
        self.flight = None
        self.table.hold = False

    def escape(self) -> bool:
        """Esc: a piece in the hand, unfinished hops, the chosen piece, an old position."""
        hand = self.ui.memory.get("board")
        if isinstance(hand, Hand) and hand.dragged:
            hand.dragged = 0
        elif self.model.turn.path:
            self.model.cancel()
        elif not self.model.at_end:
            self.go_to(10**9)
        else:
            return False
        return True

    def tick(self, now: float, dt: float) -> bool:
        """Let time pass; a refusal disappears after a while."""
        changed = super().tick(now, dt)
        if self.refused is not None and now >= self.refused[2]:
            self.refused = None
            changed = True
        return changed

    # In notation --------------------------------------------------------------------------------------------------

    def type_move(self) -> None:
        """Ask for a move."""
        self.app.open(Prompt(self.app, "Type a move", EXAMPLE, self.play_text, ghost="11-15", take="Play"))

    def play_text(self, text: str) -> str:
        """Play a move; why it cannot be played, or nothing."""
        self._wake()
        self.go_to(len(self.model.plies))
        while self.model.turn.path:
            self.model.cancel()
        before = self.model.pieces()
        touch = self.model.type_move(text.strip())
        self._did(touch, before)
        return touch.text if isinstance(touch, Refused) else ""

    # The board ----------------------------------------------------------------------------------------------------

    def board(self, rect: Rect) -> Board:
        """The board, with hands."""
        return replace(super().board(rect), grab=self._grab, drop=self._drop, touch=self._touch)

    def marks(self) -> BoardMarks:
        """The last move, the choices of the person, a refusal, a hint."""
        model, settings = self.model, self.app.services.settings
        base = replace(super().marks(), refused=self.refused[0] if self.refused else 0)
        if not (model.person_to_move and model.at_end):
            return base
        turn, still = model.turn, self.flight is None
        return replace(
            base,
            last=() if turn.hopping else base.last,
            selected=turn.selected or 0,
            path=turn.path,
            captured={square: _before(model)[square] for square in turn.captured},
            targets=turn.targets if settings.dots and still else (),
            finals=turn.finals if settings.dots and still else (),
            movable=turn.movable,
            must=turn.must_capture if settings.must_marks and still and not turn.path else (),
            hint=self._hint(),
        )

    def _hint(self) -> tuple[int, ...]:
        analysis = self.table.analysis
        if not self.hinting or analysis is None or self.model.turn.path:
            return ()
        return analysis.finding.move.path


def _before(model: GameModel) -> dict[int, Piece]:
    """Return the pieces before the turn that is being played."""
    path, model.turn.path = model.turn.path, ()
    pieces = model.pieces()
    model.turn.path = path
    return pieces
