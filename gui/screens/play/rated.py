"""A rated game on the board: whether it counts, and its result."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from evolve.config.anchors import shown_text
from evolve.run.runs import is_shipped
from evolve.strength.levels import LEVELS, level_of
from game.errors import capital
from game.number_text import signed_text
from gui.geometry import Rect
from gui.model.ending import Cause
from gui.model.game import GameModel
from gui.rating.career import TAG, Career
from gui.rating.rating import PRIOR, Opponent, RatedResult, is_climbed, milestone, points_against
from gui.screens.dialogs.dialog import Dialog
from gui.screens.play.game_files import show_kept
from gui.screens.play.game_parts import Climbed

if TYPE_CHECKING:
    from gui.app import App


BROKEN = "the program failed"
RULES = "Rated: no take-backs, hints or analysis."
DRAWN = "The first three moves were drawn by lot, as in tournaments."
WAITS = "In a rated game the program thinks for as long as when it was rated."
SECONDS = 1.4
"""Seconds after the end of a game in which the rating counts and the piece climbs."""
LEFT = "It counted as lost when you began another rated game."


def begin_rated(app: App, opponent: Opponent, then: Callable[[GameModel], object]) -> None:
    """Begin a rated game, but ask first if an unfinished one would then count as lost."""
    career = app.services.career
    career.step()
    waiting = career.unfinished

    def begin() -> None:
        then(career.begin(opponent))
        app.say(DRAWN)

    if not waiting:
        begin()
        return
    against = capital(career.opponent_of(waiting[-1]).label)
    text = f"Your rated game against {against} is unfinished. It counts as lost if you begin another one."
    answers = (("Continue it", "return", partial(_continue, app, waiting[-1])), ("Begin another", "ctrl+return", begin),
               ("Cancel", "escape", lambda: None))  # fmt: skip
    app.open(Dialog(app, "Leave a rated game?", text, answers))


def _continue(app: App, game: str) -> None:
    services = app.services
    for kept_game in services.kept.read_all():
        kept = None if kept_game.over else services.autosave.read(services.kept.path(kept_game))
        if kept is not None and dict(kept.model.tags).get(TAG) == game:
            app.go_home(keep=lambda screen: screen.browses)
            show_kept(app, kept_game)
            return
    app.say("This game is no longer kept, so it cannot be continued.", "warning")


class RatedGame:
    """The part of a game that concerns the person's rating: whether it counts, and its result."""

    def __init__(self, career: Career, model: GameModel) -> None:
        self._career = career
        self._model = model
        self._reported = self._was_over = model.over
        self._since = -math.inf
        self._now = 0.0
        career.step()
        self.game = career.game_of(model)

    @property
    def counts(self) -> bool:
        return bool(self.game) and not self._model.over and not self._career.reason(self.game) and self.result is None

    @property
    def result(self) -> RatedResult | None:
        """The rated result; None if the game does not count, or not yet."""
        return self._career.result_of(self.game)

    def rematch(self, app: App, then: Callable[[GameModel], object]) -> None:
        begin_rated(app, self._career.opponent_of(self.game), then)

    def step(self, app: App) -> bool:
        """Count the game when it is over, and report its result; return whether anything changed."""
        ending = self._model.ending
        if not self.game:
            moves, self._now = self.moves, app.now
            if self.beaten != self._reported:
                self._reported, moves = self.beaten, True
                self._since = app.now if app.services.settings.hop_seconds else -math.inf
            return moves
        if ending is not None and self.result is None and not self._career.reason(self.game):
            if ending.cause is Cause.FAILED:
                self._career.spoil(self.game, BROKEN)
            else:
                person = next(side for side in (0, 1) if self._model.seats[side].human)
                points = 0.5 if ending.winner is None else float(ending.winner == person)
                self._career.finish(self.game, points, [ply.move for ply in self._model.plies])
        moves, self._now = self.moves, app.now
        changed = self._career.step() or moves
        if ending is not None and not self._reported and (not self._career.busy or self._career.reason(self.game)):
            self._reported = changed = True
            if app.services.settings.hop_seconds:
                self._since = app.now
            results = self._career.results_until(self.game)
            app.say(milestone(results, ancestor=self._is_ancestor(app)) if results else "", "star")
            app.say(self._career.trouble, "warning")
        return changed

    def _is_ancestor(self, app: App) -> bool:
        """Return whether the opponent is a champion of a run that the person evolved, with a later one above it."""
        one = self._career.opponent_of(self.game)
        own = app.services.runs / one.run
        later = any(each.run == one.run and each.generation > one.generation for each in self._career.ladder)
        return bool(one.run) and later and own.is_dir() and not is_shipped(own)

    @property
    def celebrated(self) -> float:
        """The share of the animation after the end of the game that is over, from 0 to 1."""
        return min((self._now - self._since) / SECONDS, 1.0) if self._reported else 0.0

    @property
    def moves(self) -> bool:
        """True while the rating counts and the piece climbs."""
        return self._reported and self.celebrated < 1

    def describe(self, side: int) -> tuple[str, str]:
        """Return the rating of a player and a few words about it; they are empty if no program plays."""
        if not self.game:
            return "", "Unrated" * (self._model.seats[side].human and not self._model.seats[1 - side].human)
        if not self._model.seats[side].human:
            rating = self._career.opponent_of(self.game).rating
            return "" if rating is None else shown_text(rating), ""
        if self._career.reason(self.game):
            return "", f"Not rated: {self._career.reason(self.game)}"
        if self.result is not None and self.result.left:
            return "", "Counted as lost"
        rating = self._career.rating_value
        return self._figures[0] if self.moves else shown_text(rating), "Rated game"

    @property
    def outcome(self) -> str:
        """The effect on the climb and on the person's rating; empty if there is none, or none yet."""
        why, result = self._career.reason(self.game), self.result
        if not self.game or (result is None and not why):
            return ""
        if result is None:
            return f"Not counted: {why}."
        if result.left:
            return LEFT
        if result.after is None or not self._reported or self.climbed:  # the ladder has the rating
            return self._climb_words
        figure, change = self._figures
        return f"{self._climb_words} Your rating: {figure} ({change}).".lstrip()

    @property
    def _before(self) -> float:
        earlier = self._career.results_until(self.game)[:-1]
        return next((result.after.value for result in reversed(earlier) if result.after is not None), PRIOR)

    @property
    def _figures(self) -> tuple[str, str]:
        """The rating, which counts from the one before this game to the one after it, and the difference."""
        before, result = self._before, self.result
        moved = 0.0 if result is None or result.after is None else result.after.value - before
        return shown_text(before + moved * self.celebrated), signed_text(moved).replace("-", "−")

    @property
    def _climb_words(self) -> str:
        ladder, opponent, points = self._ladder, self._career.opponent_of(self.game), self._points
        above = ladder[-1].name if len(ladder) > 1 and ladder[-1].rung != opponent.rung else ""
        suggested = self.suggested
        if suggested is not None:
            text = f"{capital(opponent.name)} is climbed: next is {suggested.name}."
            return text if is_climbed(points) else f"Try {suggested.name}?"
        if not points or is_climbed(points):
            return ""
        meet = f"you meet {above}" if above else "you move up"
        return f"One more win and {meet}." if is_climbed([*points, 1.0]) else f"Win two of three, and {meet}."

    @property
    def _points(self) -> list[float]:
        """The points against the opponent up to this game, or until now if it has no result."""
        results = self._career.results_until(self.game) or self._career.results
        return points_against(results, self._career.opponent_of(self.game))

    @property
    def climbed(self) -> bool:
        """True if this game climbed the rung of its opponent."""
        points = self._points if self.game and self.result is not None else []
        return is_climbed(points) and not is_climbed(points[:-1])

    @property
    def beaten(self) -> bool:
        """True if the person has just won an unrated game against a program."""
        ending, seats = self._model.ending, self._model.seats
        if self.game or self._was_over or ending is None or ending.winner is None:
            return False
        return seats[ending.winner].human and not seats[1 - ending.winner].human

    @property
    def rungs(self) -> list[str]:
        """The part of the ladder to draw, from weak to strong: the climbed rung, with one below it and two above.

        A beaten opponent that is no rung of it has the only one with a name.
        """
        at = self._place
        if at is None:
            return [] if self.game else ["", *(seat.brief for seat in self._model.seats if not seat.human)]
        return [capital(rung.name) for rung in self._career.ladder[max(at - 1, 0) : at + 3]]

    def climb(self, rect: Rect, side: int) -> Climbed:
        """Return the picture of the climbed rung with the rating, for a person who played this side."""
        place = self._place or 0
        figure, change = self._figures if self.game else ("", "")
        start = min(place, 1) if self.game else 0  # without a rating, the piece goes up to the opponent
        return Climbed(key="climbed", rect=rect, rungs=self.rungs, start=start, share=self.celebrated, figure=figure,
                       change=change, side=side)  # fmt: skip

    @property
    def _place(self) -> int | None:
        return next((at for at, each in enumerate(self._career.ladder) if each.rung == self._rung), None)

    @property
    def _rung(self) -> tuple[str, int] | None:
        """The rung of the opponent; without a rating, only that of a level."""
        if self.game:
            return self._career.opponent_of(self.game).rung
        program = next((seat for seat in self._model.seats if not seat.human), None)
        level = -1 if program is None else level_of(program.player or "", program.depth)
        return (LEVELS[level].name, -1) if level >= 0 else None

    @property
    def _ladder(self) -> list[Opponent]:
        """The rungs below, of and above the opponent, as far as the ladder is known."""
        at = self._place
        return [] if at is None else list(self._career.ladder[max(at - 1, 0) : at + 2])

    @property
    def suggested(self) -> Opponent | None:
        """The next rung if this game climbed the opponent's; the one below after two losses; otherwise None."""
        if not self.game or self.result is None:
            return None
        points, ladder, opponent = self._points, self._ladder, self._career.opponent_of(self.game)
        if is_climbed(points):
            other = ladder[-1:] if self.climbed else []
        else:
            other = ladder[:1] if points[-2:] == [0.0, 0.0] else []
        return next((rung for rung in other if rung.rung != opponent.rung), None)
