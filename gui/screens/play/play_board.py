"""A board on which a person moves the pieces: by clicks, drags, keys, or in notation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from gui.events import Event, Key
from gui.geometry import Rect
from gui.model.game import GameModel
from gui.model.lines import Piece
from gui.model.turn import Completed, Hopped, Proposed, Refused, Selected, Touch
from gui.screens.dialogs.dialog import Prompt
from gui.screens.play.game_screen import GameScreen
from gui.widgets.base import by_id
from gui.widgets.board import OUTSIDE, BoardMarks, BoardWidget, Hand

REFUSED_SECONDS = 4.0
DIGITS = frozenset("123456789")
EXAMPLE = "For example 11-15, 22x15 or 26x17x10."


class PlayBoard(GameScreen):
    """A game whose pieces a person moves: by clicks, drags, keys, or in notation.

    Attributes:
        refused: square, reason and end time of a visible refusal.
    """

    refused: tuple[int, str, float] | None = None

    @property
    def confirms(self) -> bool:
        return False

    def _did(self, touch: Touch, before: Mapping[int, Piece], *, by_hand: bool = False) -> bool:
        """Display the result of a touch; a dragged piece is not animated."""
        self.refused = None
        if isinstance(touch, Refused):
            self.refused = (touch.square, touch.text, self.app.now + REFUSED_SECONDS)
            self.app.services.play("refused")
        elif isinstance(touch, (Hopped, Proposed, Completed)):
            if touch.hops and not by_hand:
                self.fly(before, touch.hops)
            if isinstance(touch, Completed):
                self.hinting = False
                self.sound_of_move(touch.hops)
            elif isinstance(touch, Hopped):
                self.app.services.play(f"capture-{len(touch.hops) - 1}")
        return isinstance(touch, Selected)

    def _touch(self, square: int) -> None:
        self._wake()
        before = self.model.pieces()
        self._did(self.model.touch(square, confirm=self.confirms), before)

    def _grab(self, square: int) -> bool:
        self._wake()
        return self._did(self.model.drag(square), {})

    def _drop(self, square: int) -> None:
        if square != OUTSIDE:
            self._did(self.model.drop(square, confirm=self.confirms), {}, by_hand=True)

    def _wake(self) -> None:
        """End an animation, so that a touch during it counts."""
        self.flight = None
        self.table.hold = False

    def escape(self) -> bool:
        hand = self.ui.memory.get("board")
        if isinstance(hand, Hand) and hand.dragged:
            hand.dragged = 0
        elif self.model.turn.path:
            self.model.turn.cancel()
        elif self.model.branches:
            self.go_to(self.model.branches[0].index)
        elif not self.model.at_end:
            self.go_to(10**9)
        else:
            return False
        return True

    def tick(self, now: float, dt: float) -> bool:
        changed = super().tick(now, dt)
        if self.refused is not None and now >= self.refused[2]:
            self.refused = None
            changed = True
        return changed

    def handle(self, event: Event) -> bool:
        """Begin a move in notation with its first digit, or leave the event to every board."""
        if isinstance(event, Key) and event.name in DIGITS and (typing := by_id(self.commands()).get("type")):
            if typing.enabled:
                self.type_move(event.name)
            else:
                self.app.say(typing.reason, "warning")
            return True
        return super().handle(event)

    def type_move(self, begun: str = "") -> None:
        """Ask for a move in notation, of which the beginning may have been typed already."""
        self.app.open(Prompt(self.app, "Type a move", EXAMPLE, self.play_text, ghost="11-15", value=begun, take="Play"))

    def play_text(self, text: str) -> str:
        """Play a move in notation; return an error message, or an empty string."""
        self._wake()
        self.go_to(len(self.model.plies))
        while self.model.turn.path:
            self.model.turn.cancel()
        before = self.model.pieces()
        touch = self.model.type_move(text.strip())
        self._did(touch, before)
        return touch.text if isinstance(touch, Refused) else ""

    def board(self, rect: Rect) -> BoardWidget:
        return replace(super().board(rect), grab=self._grab, drop=self._drop, touch=self._touch)

    def marks(self) -> BoardMarks:
        model, settings = self.model, self.app.services.settings
        base = replace(super().marks(), refused=self.refused[0] if self.refused else 0)
        if not (model.person_to_move and model.at_end):
            return base
        turn, still = model.turn, self.flight is None
        return replace(
            base, last=turn.path if turn.hopping else base.last, selected=turn.selected or 0,
            captured={square: _before(model)[square] for square in turn.captured},
            targets=turn.targets if settings.dots and still else (),
            finals=turn.finals if settings.dots and still else (), movable=turn.movable,
            must=turn.must_capture if settings.must_marks and still and not turn.path else (), hint=self._hint(),
        )  # fmt: skip

    def _hint(self) -> tuple[int, ...]:
        analysis = self.table.analysis
        if not self.hinting or analysis is None or self.model.turn.path:
            return ()
        return analysis.finding.move.path


def _before(model: GameModel) -> dict[int, Piece]:
    path, model.turn.path = model.turn.path, ()
    pieces = model.pieces()
    model.turn.path = path
    return pieces
