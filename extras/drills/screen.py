"""Drills: mistakes of earlier games, one review after another, until each better move is known."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from extras.drills.drills import Drill, Drills
from game.rules import BLACK
from gui.model.game import GameModel
from gui.model.game_review import PracticeStage
from gui.model.seats import HUMAN
from gui.screens.play.game_files import show_kept
from gui.screens.play.game_parts import StatusText
from gui.screens.play.review import ReviewScreen, ReviewState
from gui.widgets.base import Command, by_id

if TYPE_CHECKING:
    from gui.app import App

BUTTONS = ("next-mistake", "again", "answer"), ("play-on", "open", "flip")
OTHERS = ("type", "first", "previous", "next", "last")


class Round(ReviewState):
    """Drills that are done one after another; each is the review of one mistake. A missed one returns at the end."""

    title = "Drills"
    button_rows = BUTTONS
    returns = False
    _drill: Drill
    _screen: ReviewScreen

    def __init__(self, app: App, drills: Drills) -> None:
        self._app, self._drills, self._queue = app, drills, drills.due
        self._count, self._solved, self._tried = len(self._queue), 0, False

    def next_screen(self) -> ReviewScreen | None:
        """Take the next drill whose game can be read, and return its screen; None after the last one."""
        while self._queue:
            self._drill, self._tried = self._queue.pop(0), False
            kept = self._app.services.autosave.read(self._app.services.kept.path(self._drill.game))
            if kept is not None:
                flipped, values = kept.extra.get("flipped") is True, kept.extra.get("review")
                self._screen = ReviewScreen(self._app, kept.model, flipped=flipped, values=values, state=self)
                practice = self._screen.practice
                practice.only, practice.solved = self._drill.ply, {}
                if practice.mistakes:
                    self._screen.begin(practice.mistakes[0])
                    return self._screen
        return None

    def settle(self, *, solved: bool) -> None:
        """Save the result of the first attempt; a look at the answer without one is a miss."""
        if self._tried:
            return
        self._tried = True
        self._solved += solved
        if not solved:
            self._queue.append(self._drill)
        self._app.say(self._drills.answer(self._drill, solved=solved), "warning")

    def _next(self) -> None:
        """Go to the next drill, or end after the last one; a drill that was not tried stays due."""
        following = self.next_screen()
        if following is not None:
            self._app.replace(following)
            return
        self._app.back()
        self._app.say(f"{min(self._solved, self._count)} of {self._count} better moves found.", "check")

    def commands(self, own: list[Command]) -> list[Command]:
        known, game = by_id(own), self._drill.game
        last = not self._queue and self._tried
        following = replace(
            known["next-mistake"], name="Finish" if last else "Next drill", icon="check" if last else "next",
            about="End the drills" if last else "Go to the next drill", enabled=True, run=self._next,
        )  # fmt: skip
        return [
            following, known["answer"], known["again"], known["flip"],
            Command(id="open", name="Whole game", keys=("o",), run=lambda: show_kept(self._app, game),
                    about="Show the game in which this happened", icon="open"),
            Command(id="play-on", name="Play from here", keys=("p",), run=self._play_out, icon="resume",
                    about="Play from the visible position against your opponent",
                    enabled=self._screen.practice.answered, why="Find the better move first."),
            *(known[name] for name in OTHERS),
        ]  # fmt: skip

    def _play_out(self) -> None:
        """Begin a game from the position after the better move, or the visible one."""
        opponent = self._app.services.opponents.recommend()
        seats = (HUMAN, opponent) if self._drill.game.person == BLACK else (opponent, HUMAN)
        self._app.open(self._app.screens.play(self._app, GameModel(seats, self._screen.model.shown)))

    def status(self, status: StatusText) -> StatusText:
        """Return the status; the question says when and against whom the mistake was made."""
        practice, mistake = self._screen.practice, self._screen.practice.mistake
        if mistake is None or practice.stage is not PracticeStage.ASKED:
            return status
        game, left = self._drill.game, len(self._queue) + 1
        task = "Find the winning move." if self._drill.ending else "Find a better move."
        opponent = game.names[1 - game.person] if game.person is not None else ""
        played = f"You played {mistake.move} against {opponent}, {game.date}."
        head = "A won ending" if self._drill.ending else "Drill"
        words = replace(status, head=f"{head}: {left} left", icon="board", hint=played)
        return words.with_text(self._app.look, f"{played} {task}", f"You played {mistake.move}. {task}", task)
