"""A person's rated games, and what they say: a rating, rungs that were climbed, who is about as strong. No pygame.

The rating is the fit of `ladder` (`evolve.strength`) for one player among opponents of known ratings, which are taken
as exact: the rating at which the expected points equal the points made. `gui.climb.single_games` computes it and
an interval that holds from the first game on.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from evolve.strength.elo import RatingEstimate, expected_score
from game.number_text import whole_text
from gui.climb.single_games import rate_games

PRIOR = -567.0
"""Rating of a person before the first game: that of the strength Casual."""

PRIOR_GAMES = 0.5
"""Weight of the prior, as drawn games against an opponent of that rating: a first win leaves a finite rating, and the
rating of a strong player is not held back for long. The interval does not use it."""

METHOD = 2
"""Number of the way ratings are computed; ratings that were kept with another one are computed again."""

MOST_GAMES = 100
"""A rating is of so many games, the newest: people improve."""

FEW_GAMES = 8
"""Below that a rating is called a first guess."""

TO_WIN, OF = 2, 3
"""Games to win, of so many in a row, to go up a rung."""

CLOSE = 60.0
"""Elo between opponents that are equally fitting; of these the one that was played less is taken."""

WHAT_COUNTS = (
    "Each ballot is played with both colours. A game counts unless a move is taken back, a hint, analysis or played "
    "games are shown, play goes on from an earlier position, or its moves repeat an earlier game. One that is left "
    "unfinished counts as lost when another begins."
)
PRIOR_TEXT = f"You begin at {whole_text(PRIOR)}, the rating of Casual, which weighs as much as half a drawn game."
SCALE_TEXT = (
    "95 %: in 19 of 20 careers this range holds the true rating. 0 is a piece counter that looks 8 plies ahead."
)


@dataclass(frozen=True)
class Opponent:
    """Somebody to play a rated game against.

    Attributes:
        player: its name for `game.players`, with all of its options but the depth.
        depth: plies.
        title: what the window calls it.
        name: a word or two, such as ``Club`` or ``generation 5``.
        rating, low, high: measured, with the ends of its 95 % interval; None where nobody has measured it.
        run: whose generation it is; empty for a strength of the window.
        generation: of that run; -1 for a strength.
    """

    player: str
    depth: int
    title: str
    name: str
    rating: float | None = None
    low: float | None = None
    high: float | None = None
    run: str = ""
    generation: int = -1

    @property
    def label(self) -> str:
        """Its name, of a generation with that of its run."""
        return f"{self.run}, {self.name}" if self.run else self.name

    @property
    def key(self) -> str:
        """The same for the same player, whatever it is called."""
        return f"{self.player},depth={self.depth}"


@dataclass(frozen=True)
class RatedResult:
    """A rated game that counts.

    Attributes:
        game: its id.
        opponent: whom it was against, with the rating that it had then.
        points: that the person made: 1, 1/2 or 0.
        when: seconds since 1970.
        after: the person's rating after it; None until it was computed.
        left: whether it was left unfinished, and counts as lost for that.
    """

    game: str
    opponent: Opponent
    points: float
    when: float = 0.0
    after: RatingEstimate | None = None
    left: bool = False


def rate_person(results: Sequence[RatedResult]) -> RatingEstimate:
    """Rate a person by the newest results, `PRIOR` included; games against opponents without a rating say nothing."""
    rated = [(each.opponent.rating, each.points) for each in results if each.opponent.rating is not None]
    return rate_games(rated[-MOST_GAMES:], PRIOR, PRIOR_GAMES)


# Climbing ---------------------------------------------------------------------------------------------------------


def rung_numbers(newest: int) -> list[int]:
    """The generations of a ladder: 0, 1, 2, 5, 10, 20, 50, ... and the newest; none of a run that has none."""
    numbers, power = {0, newest}, 1
    while power <= newest:
        numbers |= {power * step for step in (1, 2, 5) if power * step <= newest}
        power *= 10
    return sorted(numbers) if newest >= 0 else []


def is_climbed(points: Sequence[float]) -> bool:
    """Whether games against a rung, in their order, have `TO_WIN` wins among some `OF` in a row."""
    return any(points[at : at + OF].count(1.0) >= TO_WIN for at in range(len(points)))


def rung_results(results: Iterable[RatedResult], run: str, generation: int) -> list[float]:
    """The points made against a rung, in the order of the games."""
    return [r.points for r in results if r.opponent.run == run and r.opponent.generation == generation]


def next_rung(results: Sequence[RatedResult], run: str, numbers: Sequence[int]) -> int:
    """The rung to climb: the one above the highest that was climbed; the highest of all once that was, too."""
    climbed = [at for at, number in enumerate(numbers) if is_climbed(rung_results(results, run, number))]
    at = climbed[-1] + 1 if climbed else 0
    return numbers[min(at, len(numbers) - 1)] if numbers else -1


def choose_equal(rating: float, opponents: Iterable[Opponent], results: Sequence[RatedResult]) -> Opponent | None:
    """The opponent about as strong as a rating; of several within `CLOSE` of the nearest, one that was played least."""
    rated = [each for each in opponents if each.rating is not None]
    if not rated:
        return None
    played = [result.opponent.key for result in results]

    def gap(each: Opponent) -> float:
        return abs((each.rating or 0.0) - rating)

    near = min(map(gap, rated))
    close = [each for each in rated if gap(each) <= near + CLOSE]
    return min(close, key=lambda each: (played.count(each.key), gap(each)))


@dataclass(frozen=True)
class Score:
    """What a person has done against one opponent.

    Attributes:
        opponent: as it was when it was played last.
        won, drawn, lost: games.
    """

    opponent: Opponent
    won: int
    drawn: int
    lost: int

    @property
    def text(self) -> str:
        """Won, drawn and lost games."""
        return score_text(self.won, self.drawn, self.lost)

    @property
    def brief(self) -> str:
        """Points of games."""
        games = self.won + self.drawn + self.lost
        return f"{half_text(self.won + self.drawn / 2)} of {games}"


def score_text(won: int, drawn: int, lost: int) -> str:
    """Games as ``2 won, 1 lost``; what there is none of is left out."""
    parts = [f"{count} {word}" for count, word in ((won, "won"), (drawn, "drawn"), (lost, "lost")) if count]
    return ", ".join(parts) or "not played"


def capital(text: str) -> str:
    """A text that begins with a capital letter."""
    return text[:1].upper() + text[1:]


def half_text(points: float) -> str:
    """Points with halves as people write them."""
    whole = int(points)
    return f"{whole or ''}½" if points != whole else f"{whole}"


def points_text(points: Sequence[float]) -> str:
    """The same for points in their order."""
    return score_text(*_counts(points))


def scores(results: Sequence[RatedResult]) -> list[Score]:
    """Past opponents, the one that was played last first."""
    by_key: dict[str, list[RatedResult]] = {}
    for result in results:
        of_key = by_key.pop(result.opponent.key, [])
        by_key[result.opponent.key] = [*of_key, result]
    return [Score(games[-1].opponent, *_counts([game.points for game in games])) for games in reversed(by_key.values())]


def _counts(points: Sequence[float]) -> tuple[int, int, int]:
    """Won, drawn, lost."""
    return points.count(1.0), points.count(0.5), points.count(0.0)


# In words ---------------------------------------------------------------------------------------------------------


def interval_words(rating: RatingEstimate) -> str:
    """The ends of an interval; one of them is infinite if every game was won, or lost."""
    if math.isinf(rating.high):
        return "any rating" if math.isinf(rating.low) else f"above {whole_text(rating.low)}"
    if math.isinf(rating.low):
        return f"below {whole_text(rating.high)}"
    return f"{whole_text(rating.low)} to {whole_text(rating.high)}"


def chance_words(rating: float, opponent: Opponent) -> str:
    """What a person may expect of a game against an opponent."""
    if opponent.rating is None:
        return "Nobody has measured how strong it is."
    return f"You may expect {100 * expected_score(rating - opponent.rating):.0f} % of the points."
