"""A rated game at the board: whether it still counts, what would end that, what it came to."""

from __future__ import annotations

from collections.abc import Callable

from game.number_text import signed_text, whole_text
from game.rules import BLACK
from gui.climb.career import Career
from gui.climb.rating import RatedResult, capital, is_climbed, rung_results
from gui.model.endings import Cause
from gui.model.game import GameModel
from gui.screens.dialogs.dialog import Dialog
from gui.screens.screen import Window

TAKEN_BACK, HINTED, ANALYSED = "a move was taken back", "a hint was shown", "analysis was shown"
LOOKED_UP = "played games were looked up"
PLAYED_ON, BROKEN = "it was played on from an earlier position", "the program could not go on"
ASKED = {
    TAKEN_BACK: "Taking back a move",
    HINTED: "A hint",
    ANALYSED: "Analysis",
    LOOKED_UP: "Looking up played games",
    PLAYED_ON: "Playing on from an earlier position",
}
"""What is asked for, by the reason why the game does not count afterwards."""
TELLS = "Rated: no take-backs, hints or analysis."
WAITS = "In a rated game the program thinks as long as it did when it was rated."


class RatedGame:
    """What is rated of a game.

    Args:
        career: the person's rated games.
        model: the game.
    """

    def __init__(self, career: Career, model: GameModel) -> None:
        self._career = career
        self._model = model
        self._level = career.level
        self._said = model.over
        career.step()
        self.game = career.game_of(model)

    @property
    def counts(self) -> bool:
        """Whether the game goes on and its result will count."""
        return bool(self.game) and not self._model.over and not self._career.reason(self.game) and self.result is None

    @property
    def result(self) -> RatedResult | None:
        """What it came to; None if it does not count, or not yet."""
        return self._career.result_of(self.game)

    def rematch(self, *, swap: bool) -> GameModel | None:
        """Another rated game against the same opponent; None if this one is none."""
        if not self.game:
            return None
        black = self._model.seats[BLACK].human
        return self._career.begin(self._career.opponent_of(self.game), black=black != swap)

    def guard(self, app: Window, why: str, then: Callable[[], object]) -> None:
        """Do something after which the game does not count; if it would have counted, ask first."""
        if not self.counts:
            then()
            return

        def spoil() -> None:
            self._career.spoil(self.game, why)
            then()

        answers = (("Keep it rated", "return", lambda: None), ("Go ahead", "g", spoil))
        app.open(Dialog(app, "No longer rated?", f"{ASKED[why]} makes this game unrated.", answers))

    def step(self, app: Window) -> bool:
        """Count the game when it is over, and say what it came to; returns whether anything changed."""
        if not self.game:
            return False
        ending = self._model.ending
        if ending is not None and self.result is None and not self._career.reason(self.game):
            if ending.cause is Cause.FAILED:
                self._career.spoil(self.game, BROKEN)
            else:
                person = next(side for side in (0, 1) if self._model.seats[side].human)
                self._career.finish(self.game, 0.5 if ending.winner is None else float(ending.winner == person))
        changed = self._career.step()
        if ending is not None and not self._said and (not self._career.busy or self._career.reason(self.game)):
            self._said = changed = True
            app.say(self._career.trouble or self.words, "warning" if self._career.reason(self.game) else "check")
        return changed

    def describe(self, side: int) -> str:
        """A few words beside a player's name: how strong it is; empty if the game was never rated."""
        if not self.game:
            return ""
        if not self._model.seats[side].human:
            rating = self._career.opponent_of(self.game).rating
            return "" if rating is None else f"{whole_text(rating)} Elo"
        if self._career.reason(self.game):
            return f"not rated: {self._career.reason(self.game)}"
        return f"{whole_text(self._career.level)} Elo, rated"

    @property
    def outcome(self) -> str:
        """What the game came to for the person, briefly; empty if it was never rated, or while that is found."""
        result = self.result
        if not self.game or (result is None and not self._career.reason(self.game)):
            return ""
        if result is None:
            return f"Not counted: {self._career.reason(self.game)}."
        return "" if result.after is None else f"Your rating after it: {whole_text(result.after.value)}."

    @property
    def words(self) -> str:
        """What the game came to, or why it does not count."""
        why, rating = self._career.reason(self.game), self._career.rating
        if why:
            return f"This game does not count for your rating: {why}."
        if rating is None:
            return f"It counts for the climb. {self._climb_words}".strip()
        moved = signed_text(rating.value - self._level).replace("-", "−")
        text = f"Your rating: {whole_text(rating.value)} ({moved}), 95 %: {whole_text(rating.low)} to "
        return f"{text}{whole_text(rating.high)}. {self._climb_words}".strip()

    @property
    def _climb_words(self) -> str:
        opponent = self._career.opponent_of(self.game)
        if not opponent.run:
            return ""
        points = rung_results(self._career.results, opponent.run, opponent.generation)
        if is_climbed(points):
            return "" if is_climbed(points[:-1]) else f"Two of three won: {opponent.name} is climbed. Go up."
        return f"{capital(opponent.name)}: {points.count(1.0)} won of {len(points)}; two wins of three go up."
