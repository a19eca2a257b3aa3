"""The rated games of a person: beginning, recording and rating them. No pygame.

Damaged files never cause an exception. Ratings are computed in a thread, since rating many games takes longer than a
frame.
"""

from __future__ import annotations

import math
import secrets
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from evolve.strength.elo import RatingEstimate
from game.ballots import Ballot, all_ballots, deck
from game.board import Position
from game.moves import Move
from game.players.names import parse_name
from gui.background import Background, Trouble
from gui.model.game import GameModel
from gui.model.seats import HUMAN, Seat
from gui.rating.rating import METHOD, PRIOR, Opponent, RatedResult, level_opponents, rate_person
from gui.storage.rated_games import RatedGamesFile

TAG = "Rated"
"""The tag of a PDN record whose value is the id of a rated game."""

SAME = "an earlier game had the same moves"
RATINGS = "ratings"
"""The name of a background task."""

_NAMES = tuple(field.name for field in fields(Opponent))


@dataclass(frozen=True)
class _Begun:
    """A rated game that has begun."""

    opponent: Opponent
    black: bool
    ballot: int


class Career:
    """The rated games of a person.

    Args:
        clock: returns seconds since 1970.

    Attributes:
        ladder: the rungs that the person climbs, from weak to strong; the levels until the climb has been opened.
    """

    def __init__(
        self, folder: Path, background: Background | None = None, clock: Callable[[], float] = time.time
    ) -> None:
        self.results: list[RatedResult] = []
        self.stamp = 0
        self.ladder: Sequence[Opponent] = level_opponents()
        self._folder = folder
        self._file = RatedGamesFile(folder)
        self._clock = clock
        self._begun: dict[str, _Begun] = {}
        self._outdated: set[str] = set()
        self._void: dict[str, str] = {}
        self._background = background or Background()
        self._reported = 0

    @property
    def trouble(self) -> str:
        """Why results cannot be read or saved; empty if they can."""
        return self._file.trouble

    @property
    def rating(self) -> RatingEstimate | None:
        """The newest rating; None before the first game."""
        return next((result.after for result in reversed(self.results) if result.after is not None), None)

    @property
    def rating_value(self) -> float:
        """The rating, or the one before the first game."""
        return PRIOR if self.rating is None else self.rating.value

    @property
    def busy(self) -> bool:
        return self._background.wants(self)

    def plays_black(self, opponent: Opponent) -> bool:
        """Return whether the person plays Black in the next game against an opponent; colours alternate."""
        before = self._games_against(opponent)
        return not before or not self._begun[before[-1]].black

    @property
    def unfinished(self) -> list[str]:
        """Ids of games that will count as lost once another one begins."""
        done = {result.game for result in self.results} | self._void.keys()
        return [game for game, begun in self._begun.items() if begun.ballot and game not in done]

    def begin(self, opponent: Opponent) -> GameModel:
        """Begin a rated game, either on the ballot of the previous game with the other colour or on a new one.

        Unfinished games count as lost from now on.
        """
        now, game = self._clock(), secrets.token_hex(8)
        black, ballot = self.plays_black(opponent), self._next_ballot(opponent)
        left = [{"event": "end", "game": old, "when": now, "points": 0, "left": True} for old in self.unfinished]
        begin = {"event": "begin", "game": game, "when": now, "black": black, "ballot": ballot.number}
        self._add(*left, begin | {"opponent": asdict(opponent)})
        program = Seat(opponent.player, opponent.depth, None, opponent.title)
        seats = (HUMAN, program) if black else (program, HUMAN)
        date = time.strftime("%Y.%m.%d", time.localtime(now))
        people = ("Black", "Person"), ("White", "Person")  # when the game is written, the program's name replaces one
        tags = ("Event", "Rated game"), ("Site", "?"), ("Date", date), *people, ("Opening", ballot.pdn), (TAG, game)
        model = GameModel.of_moves(Position.start(), ballot.line, seats, tags=tags)
        # A player that draws its moves needs a seed; one that searches has none, so that it plays as it was rated.
        return model.vary() if "strength" in parse_name(opponent.player).options else model

    def _games_against(self, opponent: Opponent) -> list[str]:
        """Return the ids of rated games on ballots against an opponent, in their order."""
        return [game for game, begun in self._begun.items() if begun.ballot and begun.opponent.key == opponent.key]

    def _next_ballot(self, opponent: Opponent) -> Ballot:
        """Return the ballot played with only one colour so far, or else one of the ballots least played.

        Only games against this opponent count.
        """
        before = self._games_against(opponent)
        played = Counter(self._begun[game].ballot for game in before)
        if before and played[self._begun[before[-1]].ballot] % 2 and not self.reason(before[-1]):
            return all_ballots()[self._begun[before[-1]].ballot - 1]
        least = min(played[ballot.number] for ballot in deck())
        return secrets.choice([ballot for ballot in deck() if played[ballot.number] == least])

    def game_of(self, model: GameModel) -> str:
        """Return the id of a rated game that still has its opponent and start position; empty for any other game."""
        game = dict(model.tags).get(TAG, "")
        begun = self._begun.get(game)
        programs = [seat for seat in model.seats if not seat.human]
        if begun is None or len(programs) != 1 or model.start != Position.start():
            return ""
        opponent = begun.opponent
        return game if (programs[0].player, programs[0].depth) == (opponent.player, opponent.depth) else ""

    def opponent_of(self, game: str) -> Opponent:
        return self._begun[game].opponent

    def result_of(self, game: str) -> RatedResult | None:
        """Return the result of a game; None if it does not count, or not yet."""
        return next((result for result in self.results if result.game == game), None)

    def results_until(self, game: str) -> list[RatedResult]:
        """Return the results up to that of a game, the last one; none if the game does not count, or not yet."""
        at = next((at for at, result in enumerate(self.results) if result.game == game), -1)
        return self.results[: at + 1]

    def reason(self, game: str) -> str:
        """Return why a game does not count; empty if it counts or still may."""
        return self._void.get(game, "")

    def spoil(self, game: str, why: str) -> None:
        """Exclude a game from the ratings, unless it already counts."""
        if not self.reason(game) and self.result_of(game) is None:
            self._add({"event": "void", "game": game, "why": why})

    def finish(self, game: str, points: float, moves: Sequence[Move] = ()) -> None:
        """Record the result of a game, unless it is excluded or already counts."""
        if not self.reason(game) and self.result_of(game) is None:
            written = " ".join(map(str, moves))
            self._add({"event": "end", "game": game, "when": self._clock(), "points": points, "moves": written})

    def step(self) -> bool:
        """Read new events and take computed ratings; return whether anything has changed since the last step."""
        if self._file.refresh():
            self._read()
        self._background.deliver()
        changed, self._reported = self.stamp != self._reported, self.stamp
        return changed

    def _take_ratings(self, answer: list[tuple[str, RatingEstimate]] | Trouble) -> None:
        if isinstance(answer, list):
            self._add(*(_rating_event(game, rating) for game, rating in answer))

    def _add(self, *events: dict[str, Any]) -> None:
        if events:
            self._file.add(*events)
            self._read()

    def _read(self) -> None:
        begun: dict[str, _Begun] = {}
        void: dict[str, str] = {}
        results: dict[str, RatedResult] = {}
        outdated: set[str] = set()
        first: dict[tuple[str, bool, str], str] = {}
        for event in self._file.events:
            game, kind = event["game"], event.get("event")
            if kind == "begin" and game not in begun:
                opponent, ballot = _opponent(event.get("opponent")), event.get("ballot", 0)
                if opponent is not None:
                    number = ballot if type(ballot) is int and 0 < ballot <= len(all_ballots()) else 0
                    begun[game] = _Begun(opponent, event.get("black") is True, number)
            elif kind == "void" and game not in results:
                void.setdefault(game, str(event.get("why", "")) or "it was taken out")
            elif kind == "end" and game in begun and game not in void and game not in results:
                points, when = event.get("points"), event.get("when")
                if points not in (0, 0.5, 1):
                    continue
                left, moves = event.get("left") is True, event.get("moves")
                if (
                    isinstance(moves, str)
                    and moves
                    and first.setdefault((begun[game].opponent.key, begun[game].black, moves), game) != game
                ):
                    void[game] = SAME
                    continue
                at = float(when) if isinstance(when, (int, float)) else 0.0
                results[game] = RatedResult(game, begun[game].opponent, float(points), at, left=left)
            elif kind == "rating" and game in results:
                numbers = _numbers(event.get("rating"))
                if numbers is not None:
                    results[game] = replace(results[game], after=RatingEstimate(*numbers))
                    (outdated.discard if event.get("method") == METHOD else outdated.add)(game)
        self._begun, self._void, self.results, self._outdated = begun, void, list(results.values()), outdated
        self.stamp += 1
        self._find_ratings()

    def _find_ratings(self) -> None:
        """Rate the newest game, and games that were rated by another method; leave other games unrated."""
        rated = [result for result in self.results if result.opponent.rating is not None]
        asked = [
            (result.game, rated[: at + 1])
            for at, result in enumerate(rated)
            if result.game in self._outdated or (result.after is None and result is rated[-1])
        ]
        if asked and not self._background.wants(self, RATINGS):
            self._background.ask(
                self, RATINGS, lambda: [(game, rate_person(until)) for game, until in asked], self._take_ratings
            )


def _rating_event(game: str, rating: RatingEstimate) -> dict[str, Any]:
    """Return the event that records a rating; infinite bounds become None."""
    values = [value if math.isfinite(value) else None for value in (rating.value, rating.low, rating.high)]
    return {"event": "rating", "game": game, "rating": values, "method": METHOD}


def _numbers(values: Any) -> tuple[float, float, float] | None:
    if not isinstance(values, list) or len(values) != 3:
        return None
    values = [end if value is None else value for value, end in zip(values, (None, -math.inf, math.inf), strict=True)]
    if not all(type(value) in (int, float) for value in values) or not math.isfinite(values[0]):
        return None
    value, low, high = map(float, values)
    return value, low, high


def _opponent(values: Any) -> Opponent | None:
    if not isinstance(values, dict) or not all(isinstance(values.get(name), str) for name in ("player", "title")):
        return None
    known = {name: values[name] for name in _NAMES if name in values}
    ratings = [known.get(name) for name in ("rating", "low", "high")]
    if any(not (value is None or (type(value) in (int, float) and math.isfinite(value))) for value in ratings):
        return None
    texts = [known.get(name, "") for name in ("name", "run")]
    if any(type(known.get(name)) is not int for name in ("depth", "generation")):
        return None
    try:
        Seat(known["player"], known["depth"])
        return Opponent(**known) if all(isinstance(text, str) for text in texts) else None
    except (ValueError, TypeError):
        return None
