"""Drills: mistakes of earlier games, one after another, until each better move is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from extras.drills.drills import Drill, Drills
from game.rules import BLACK
from gui.geometry import Rect
from gui.look.canvas import Look
from gui.model.game import GameModel
from gui.model.game_review import AttemptResult, PracticeStage
from gui.model.lines import Piece
from gui.model.seats import HUMAN
from gui.model.turn import Completed, Touch
from gui.screens.play.game_files import show_kept
from gui.screens.play.game_parts import StatusText
from gui.screens.play.review import ReviewScreen
from gui.storage.autosave import Kept
from gui.widgets.base import Command, by_id

if TYPE_CHECKING:
    from gui.app import App

BUTTONS = ("next-mistake", "again", "answer"), ("play-on", "open", "flip")
OTHERS = ("type", "first", "previous", "next", "last")


@dataclass
class Round:
    """Drills that are done one after another."""

    drills: Drills
    queue: list[Drill]
    count: int
    solved: int = 0

    @classmethod
    def of(cls, drills: Drills) -> Round:
        due = drills.due
        return cls(drills, due, len(due))

    def next_screen(self, app: App) -> DrillScreen | None:
        """Take the next drill whose game can be read, and return its screen; None after the last one."""
        while self.queue:
            drill = self.queue.pop(0)
            kept = app.services.autosave.read(app.services.kept.path(drill.game))
            screen = None if kept is None else DrillScreen(app, drill, kept, self)
            if screen is not None and screen.practice.mistakes:
                screen.begin(screen.practice.mistakes[0])
                return screen
        return None


class DrillScreen(ReviewScreen):
    """A mistake of an earlier game.

    Args:
        others: the drills after it; if this one is missed, it returns at their end.
    """

    title = "Drills"
    button_rows = BUTTONS

    def __init__(self, app: App, drill: Drill, kept: Kept, others: Round) -> None:
        flipped = kept.extra.get("flipped") is True
        super().__init__(app, kept.model, flipped=flipped, values=kept.extra.get("review"))
        self._drill, self._others = drill, others
        self._tried = False
        self.practice.only = drill.ply
        self.practice.solved = {}

    def _settle(self, *, solved: bool) -> None:
        """Save the result of the first attempt; a missed drill returns at the end."""
        if self._tried:
            return
        self._tried = True
        self._others.solved += solved
        if not solved:
            self._others.queue.append(self._drill)
        self.app.say(self._others.drills.answer(self._drill, solved=solved), "warning")

    def _did(self, touch: Touch, before: Mapping[int, Piece], *, by_hand: bool = False) -> bool:
        chosen = super()._did(touch, before, by_hand=by_hand)
        if isinstance(touch, Completed):
            self._settle(solved=self.practice.verdict is not AttemptResult.WRONG)
        return chosen

    def show_answer(self) -> None:
        """Play the best move and the line after it; without an attempt, the drill counts as missed."""
        self._settle(solved=False)
        super().show_answer()

    def next(self) -> None:
        """Go to the next drill, or end after the last one; a drill that was not tried stays due."""
        others = self._others
        following = others.next_screen(self.app)
        if following is not None:
            self.app.replace(following)
            return
        self.app.back()
        self.app.say(f"{min(others.solved, others.count)} of {others.count} better moves found.", "check")

    def escape(self) -> bool:
        return bool(self.model.turn.path or self.model.turn.selected) and super().escape()

    def commands(self) -> Sequence[Command]:
        known = by_id(super().commands())
        last = not self._others.queue and self._tried
        following = replace(
            known["next-mistake"], name="Finish" if last else "Next drill", icon="check" if last else "next",
            about="End the drills" if last else "Go to the next drill", enabled=True, run=self.next,
        )  # fmt: skip
        return [
            following, known["answer"], known["again"], known["flip"],
            Command(id="open", name="Whole game", keys=("o",), run=lambda: show_kept(self.app, self._drill.game),
                    about="Show the game in which this happened", icon="open"),
            Command(id="play-on", name="Play on from here", keys=("p",), run=self._play_out, icon="resume",
                    about="Play on from the visible position against your opponent",
                    enabled=self.practice.answered, why="Find the better move first."),
            *(known[name] for name in OTHERS),
        ]  # fmt: skip

    def _play_out(self) -> None:
        """Begin a game from the position after the better move, or the visible one."""
        opponent = self.app.services.opponents.recommend()
        black = self._drill.game.person == BLACK
        seats = (HUMAN, opponent) if black else (opponent, HUMAN)
        self.app.open(self.app.screens.play(GameModel(seats, self.model.shown)))

    def _status(self, rect: Rect, look: Look) -> StatusText:
        """Return the status; the question says when and against whom the mistake was made."""
        words, mistake = super()._status(rect, look), self.practice.mistake
        if mistake is None or self.practice.stage is not PracticeStage.ASKED or self.refused is not None:
            return words
        game, left = self._drill.game, len(self._others.queue) + 1
        task = "Find the winning move." if self._drill.ending else "Find a better move."
        opponent = game.names[1 - game.person] if game.person is not None else ""
        played = f"You played {mistake.move} against {opponent}, {game.date}."
        head = "A won ending" if self._drill.ending else "Drill"
        words = replace(words, head=f"{head}: {left} left", hint=played)
        return words.with_text(look, f"{played} {task}", f"You played {mistake.move}. {task}", task)
