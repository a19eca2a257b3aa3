"""A person's rated games over all days: which were begun, which count, what they came to. No pygame.

It never raises for what the disk holds, and fits ratings in a thread, since many games take longer than a frame.
"""

from __future__ import annotations

import math
import secrets
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from evolve.strength.elo import RatingEstimate
from game.board import Position
from gui.climb.rating import PRIOR, Opponent, RatedResult, rate_person
from gui.individuals.background import Background
from gui.model.game import GameModel
from gui.model.seats import HUMAN, Seat
from gui.storage.rated_games import RatedGamesFile

TAG = "Rated"
"""Tag of a game's record, whose value is the id of a rated game."""

_NAMES = tuple(field.name for field in fields(Opponent))


@dataclass(frozen=True)
class Finished:
    """A rated game that is over, or does not count.

    Attributes:
        opponent: whom it was against.
        points: that the person made; None if it does not count.
        why: it does not count.
        after: the rating after it; None until it was found, and if the game says nothing of it.
    """

    opponent: Opponent
    points: float | None = None
    why: str = ""
    after: RatingEstimate | None = None


class Career:
    """The rated games of a person.

    Args:
        folder: where their file is.
        clock: gives seconds since 1970.

    Attributes:
        results: games that count, in order.
        stamp: changes with them.
    """

    def __init__(self, folder: Path, clock: Callable[[], float] = time.time) -> None:
        self.results: list[RatedResult] = []
        self.stamp = 0
        self._file = RatedGamesFile(folder)
        self._clock = clock
        self._begun: dict[str, Opponent] = {}
        self._void: dict[str, str] = {}
        self._history: list[Finished] = []
        self._background = Background()

    @property
    def trouble(self) -> str:
        """Why results cannot be read or kept, in one sentence; empty if all is well."""
        return self._file.trouble

    @property
    def rating(self) -> RatingEstimate | None:
        """The newest one that was found; None before the first game."""
        return next((each.after for each in reversed(self.results) if each.after is not None), None)

    @cached_property
    def before(self) -> RatingEstimate:
        """The rating before the first game."""
        return rate_person(())

    @property
    def level(self) -> float:
        """The rating, or where one begins."""
        return PRIOR if self.rating is None else self.rating.value

    @property
    def busy(self) -> bool:
        """Whether a rating is being found."""
        return self._background.busy

    @property
    def history(self) -> list[Finished]:
        """Games that are over or do not count, in the order in which that was known."""
        return self._history

    # A game -------------------------------------------------------------------------------------------------------

    def begin(self, opponent: Opponent, *, black: bool) -> GameModel:
        """A new rated game; the person plays Black or White."""
        game = secrets.token_hex(8)
        program = Seat(opponent.player, opponent.depth, None, opponent.title)
        seats = (HUMAN, program) if black else (program, HUMAN)
        now = self._clock()
        self._add({"event": "begin", "game": game, "when": now, "black": black, "opponent": asdict(opponent)})
        date = time.strftime("%Y.%m.%d", time.localtime(now))
        people = (
            ("Black", "Person"),
            ("White", "Person"),
        )  # a program's name takes its place where the game is written
        return GameModel(seats, tags=(("Event", "Rated game"), ("Site", "?"), ("Date", date), *people, (TAG, game)))

    def game_of(self, model: GameModel) -> str:
        """The id of a rated game of a person against the opponent with whom it was begun; empty for any other."""
        game = dict(model.tags).get(TAG, "")
        opponent = self._begun.get(game)
        programs = [seat for seat in model.seats if not seat.human]
        if opponent is None or len(programs) != 1 or model.start != Position.start():
            return ""
        return game if (programs[0].player, programs[0].depth) == (opponent.player, opponent.depth) else ""

    def opponent_of(self, game: str) -> Opponent:
        """Whom a rated game is against."""
        return self._begun[game]

    def result_of(self, game: str) -> RatedResult | None:
        """What a game came to; None if it does not count, or not yet."""
        return next((each for each in self.results if each.game == game), None)

    def reason(self, game: str) -> str:
        """Why a game does not count; empty if it does, or may."""
        return self._void.get(game, "")

    def spoil(self, game: str, why: str) -> None:
        """A game does not count any more, unless it has already."""
        if not self.reason(game) and self.result_of(game) is None:
            self._add({"event": "void", "game": game, "why": why})

    def finish(self, game: str, points: float) -> None:
        """A game has ended; one that does not count, or has counted, changes nothing."""
        if not self.reason(game) and self.result_of(game) is None:
            self._add({"event": "end", "game": game, "when": self._clock(), "points": points})

    # Once a frame -------------------------------------------------------------------------------------------------

    def step(self) -> bool:
        """Read what is new, take ratings that were found; returns whether anything changed."""
        changed = self._file.refresh()
        if changed:
            self._read()
        for game, found in self._background.poll():
            if isinstance(found, RatingEstimate):
                self._add({"event": "rating", "game": game, "rating": [found.value, found.low, found.high]})
                changed = True
        return changed

    def close(self, seconds: float = 2.0) -> None:
        """Let what is being found be found, and keep it."""
        if self.busy:
            self._background.finish(seconds)
            self.step()
        self._background.close()

    def _add(self, event: dict[str, Any]) -> None:
        self._file.add(event)
        self._read()

    def _read(self) -> None:
        begun: dict[str, Opponent] = {}
        void: dict[str, str] = {}
        results: dict[str, RatedResult] = {}
        order: list[str] = []
        for event in self._file.events:
            game, kind = event["game"], event.get("event")
            if kind == "begin" and game not in begun:
                opponent = _opponent(event.get("opponent"))
                if opponent is not None:
                    begun[game] = opponent
            elif kind == "void" and game not in results:
                void.setdefault(game, str(event.get("why", "")) or "it was taken out")
                order.append(game)
            elif kind == "end" and game in begun and game not in void and game not in results:
                points, when = event.get("points"), event.get("when")
                if points in (0, 0.5, 1):
                    at = float(when) if isinstance(when, (int, float)) else 0.0
                    results[game] = RatedResult(game, begun[game], float(points), at)
                    order.append(game)
            elif kind == "rating" and game in results:
                found = _numbers(event.get("rating"))
                if found is not None:
                    results[game] = replace(results[game], after=RatingEstimate(*found))
        self._begun, self._void, self.results = begun, void, list(results.values())
        self._history = [
            Finished(begun[game], result.points, "", result.after) if result else Finished(begun[game], why=void[game])
            for game in dict.fromkeys(order)
            if game in begun
            for result in [results.get(game)]
        ]
        self.stamp += 1
        self._find_rating()

    def _find_rating(self) -> None:
        """Rate the newest game, if nobody has; earlier ones without a rating, as after a power cut, stay without."""
        rated = [at for at, each in enumerate(self.results) if each.opponent.rating is not None]
        if rated and self.results[rated[-1]].after is None:
            game, until = self.results[rated[-1]].game, self.results[: rated[-1] + 1]
            if not self._background.wants(game):
                self._background.ask(game, partial(rate_person, until))


def _numbers(values: Any) -> tuple[float, float, float] | None:
    if not isinstance(values, list) or len(values) != 3:
        return None
    if not all(type(each) in (int, float) and math.isfinite(each) for each in values):
        return None
    value, low, high = map(float, values)
    return value, low, high


def _opponent(values: Any) -> Opponent | None:
    """An opponent as it was written; None if it is none."""
    if not isinstance(values, dict) or not all(isinstance(values.get(name), str) for name in ("player", "title")):
        return None
    known = {name: values[name] for name in _NAMES if name in values}
    ratings = [known.get(name) for name in ("rating", "low", "high")]
    if any(not (each is None or (type(each) in (int, float) and math.isfinite(each))) for each in ratings):
        return None
    texts = [known.get(name, "") for name in ("name", "run")]
    if any(type(known.get(name)) is not int for name in ("depth", "generation")):
        return None
    try:
        Seat(known["player"], known["depth"])
        return Opponent(**known) if all(isinstance(text, str) for text in texts) else None
    except (ValueError, TypeError):
        return None
