"""The rating of a person from rated games, and the opponents of these games. No pygame.

At this rating, the expected points equal the points made; ratings of opponents are taken as exact.
`elo.rate_against` needs many games, since its interval is asymptotic. Here a career may be one game long, and the next
opponent depends on earlier results. So the interval is computed by tests: it contains each rating at which the points
made are neither improbably many nor improbably few.

Source: Clopper and Pearson, The use of confidence or fiducial limits illustrated in the case of the binomial,
Biometrika 26 (1934), for games whose chances differ; with half the probability of the points made (mid-P; Lancaster,
Biometrika 39, 1952).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from evolve.config.anchors import SHOWN_ZERO, shown_text
from evolve.strength.elo import RatingEstimate, expected_score, find_root
from evolve.strength.levels import LEVELS, RANDOM, RANDOM_MARGIN, level_of

SHIPPED_RUN = "first"
"""The shipped run for people who have none of their own, who climb it: it begins at random."""

PRIOR = float(LEVELS[1].rating)
"""The rating before the first game, which is the rating of the level Casual."""

PRIOR_GAMES = 0.5
"""Weight of the prior, as a number of drawn games against an opponent with this rating.

It keeps the rating finite after a first win, but does not hold back the rating of a strong player for long. The
interval does not use it."""

METHOD = 3
"""Number of this method; ratings computed by a method with another number are computed again."""

MOST_GAMES = 100
"""The rating uses only the newest games, at most this many, because people improve."""

FEW_GAMES = 8
"""A rating of fewer games is called a first guess."""

TO_WIN, OF = 2, 3
"""To go up a rung, two of three successive games must be won."""

CLOSE = 60.0
"""Opponents whose ratings differ by less Elo fit equally well; the one that was played less is chosen."""

PRIOR_TEXT = f"You begin at {shown_text(PRIOR)}, the rating of Casual. Rated games change it."
SCALE_TEXT = (
    "95 %: in 19 of 20 careers this range contains the true rating. The piece counter at depth 8 has "
    f"{SHOWN_ZERO}, which is 0 in files and on the command line."
)


@dataclass(frozen=True)
class Opponent:
    """An opponent of rated games.

    Attributes:
        player: its name as a player, with all of its options except the depth.
        depth: plies.
        rating, low, high: measured, with the ends of its 95 % interval; None if not measured.
        run: name of its run; empty for a level.
        generation: its generation in the run; -1 for a level.
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
        """Its name, with the name of its run if it has one."""
        return f"{self.name} of {self.run}" if self.run else self.name

    @property
    def key(self) -> str:
        """A text that identifies the player, whatever its name."""
        return f"{self.player},depth={self.depth}"

    @property
    def rung(self) -> tuple[str, int]:
        """Its rung on a ladder: a generation of a run stays one if it plays with other limits, unless it is a level."""
        level = level_of(self.player.removesuffix(",tablebase=no"), self.depth)
        if level >= 0:
            return LEVELS[level].name, -1
        if any(level.name == self.name for level in LEVELS):  # as an earlier version played it
            return self.name, -1
        return (self.run, self.generation) if self.run else (self.key, -1)


@dataclass(frozen=True)
class RatedResult:
    """A rated game that counts.

    Attributes:
        points: the person's points: 1, 1/2 or 0.
        when: seconds since 1970.
        after: the person's rating after this game; None until it is computed.
    """

    game: str
    opponent: Opponent
    points: float
    when: float = 0.0
    after: RatingEstimate | None = None
    left: bool = False


def rate_person(results: Sequence[RatedResult]) -> RatingEstimate:
    """Rate a person by the newest results and `PRIOR`; games against opponents without a rating do not count."""
    rated = [(result.opponent.rating, result.points) for result in results if result.opponent.rating is not None]
    return rate_games(rated[-MOST_GAMES:], PRIOR, PRIOR_GAMES)


SURE = 100.0
"""An opponent at the own rating is weaker by half of what its interval reaches down beyond this, at most by this."""


def cautious(rating: RatingEstimate | None) -> float:
    """Return the rating of the opponent for a person of this rating: lower as long as few games leave it uncertain."""
    return PRIOR if rating is None else rating.value - min(max(rating.value - rating.low - SURE, 0.0) / 2, SURE)


RANDOM_MOVES = Opponent(
    "random", 1, "Random moves", "Random moves", RANDOM, RANDOM - RANDOM_MARGIN, RANDOM + RANDOM_MARGIN
)
"""An opponent for people who cannot beat Beginner yet."""


def level_opponents() -> list[Opponent]:
    """Return a random player and the levels, from weak to strong."""
    ladder = [RANDOM_MOVES]
    for level in LEVELS:
        ladder.append(Opponent(level.player, level.depth, level.title, level.name, *level.interval))
    return ladder


def is_climbed(points: Sequence[float]) -> bool:
    """Return whether some `OF` successive games against a rung have `TO_WIN` wins."""
    return any(points[at : at + OF].count(1.0) >= TO_WIN for at in range(len(points)))


def points_against(results: Iterable[RatedResult], opponent: Opponent) -> list[float]:
    return [result.points for result in results if result.opponent.rung == opponent.rung]


def choose_equal(rating: float, opponents: Iterable[Opponent], results: Sequence[RatedResult]) -> Opponent | None:
    """Return the opponent nearest to a rating; if several are within `CLOSE` of it, one played least often."""
    rated = [opponent for opponent in opponents if opponent.rating is not None]
    if not rated:
        return None
    played = [result.opponent.key for result in results]

    def gap(opponent: Opponent) -> float:
        return abs((opponent.rating or 0.0) - rating)

    near = min(map(gap, rated))
    close = [opponent for opponent in rated if gap(opponent) <= near + CLOSE]
    return min(close, key=lambda opponent: (played.count(opponent.key), gap(opponent)))


TAIL = 0.02
"""Probability beyond each end of the interval. It is less than 2.5 % because the test takes the share of draws as known
and opponents as chosen in advance, and neither is quite true. With 2 %, 95 % of simulated careers are covered."""

ADDED_GAMES = 4.0
"""Decisive games that are added before the share of draws is estimated, so that a few games do not overstate it."""

MOST_DRAWS = 0.5
"""Largest share of draws between equal players; beyond it a weaker player would have no chance to win."""

ACCURACY = 0.1  # Elo
_FARTHEST = 4_000.0  # Elo beyond all opponents; an end farther away counts as infinite


def rate_games(games: Sequence[tuple[float, float]], prior: float, weight: float) -> RatingEstimate:
    """Estimate a rating from single games, with a 95 % interval that is valid from the first game on.

    The value is the rating at which the expected points equal the points made, both including a prior: `weight` drawn
    games against an opponent rated `prior`. The interval does not use the prior. It is unbounded above if every game
    was won, and below if every game was lost.

    Args:
        games: the rating of each opponent, and the points made: 0, 1/2 or 1.
    """
    value = expected_rating(games, prior, weight)
    draws, points = _share_of_draws(games, value), sum(made for _, made in games)
    low = -math.inf if points == 0 else _end(games, draws, value, upper=False)
    high = math.inf if points == len(games) else _end(games, draws, value, upper=True)
    return RatingEstimate(value, low, high)


def expected_rating(games: Sequence[tuple[float, float]], prior: float, weight: float) -> float:
    """Return the value of `rate_games`, without its interval."""
    known = [prior, *(rating for rating, _ in games)]
    points = weight / 2 + sum(made for _, made in games)

    def too_low(rating: float) -> bool:
        expected = sum(expected_score(rating - other) for other in known[1:])
        return weight * expected_score(rating - prior) + expected < points

    return find_root(too_low, min(known) - _FARTHEST, max(known) + _FARTHEST, ACCURACY)


def _share_of_draws(games: Sequence[tuple[float, float]], rating: float) -> float:
    """Estimate the share of draws between equal players.

    Between unequal players it is smaller, in proportion to the variance of the result of a decisive game.
    """
    draws = sum(points == 0.5 for _, points in games)
    evenness = sum(4.0 * score * (1.0 - score) for other, _ in games for score in [expected_score(rating - other)])
    return min(draws / (evenness + ADDED_GAMES), MOST_DRAWS)


def _end(games: Sequence[tuple[float, float]], draws: float, value: float, *, upper: bool) -> float:
    """Return the rating beyond which the points made are improbable: too few above it, or too many below."""
    sign = 1.0 if upper else -1.0

    def probable(distance: float) -> bool:
        return _tail(games, draws, value + sign * distance, few=upper) >= TAIL

    far = 100.0
    while probable(far):
        far *= 2.0
        if far > 2 * _FARTHEST:
            return sign * math.inf
    return value + sign * find_root(probable, 0.0, far, ACCURACY)


def _tail(games: Sequence[tuple[float, float]], draws: float, rating: float, *, few: bool) -> float:
    """Return the probability, at a rating, of fewer (or more) points than were made, counting equal points as half."""
    chances = [1.0]  # chances[n]: the probability of n half points in the games so far
    for other, _ in games:
        score = expected_score(rating - other)
        drawn = draws * 4.0 * score * (1.0 - score)
        won, lost = score - drawn / 2, 1.0 - score - drawn / 2
        grown = [0.0] * (len(chances) + 2)
        for at, chance in enumerate(chances):
            grown[at] += chance * lost
            grown[at + 1] += chance * drawn
            grown[at + 2] += chance * won
        chances = grown
    made = round(2 * sum(points for _, points in games))
    return sum(chances[:made] if few else chances[made + 1 :]) + chances[made] / 2


LEAST_SERIES = 3
"""Wins in a row that are worth a word."""


def milestone(results: Sequence[RatedResult], *, ancestor: bool = False) -> str:
    """Return what the newest of these games is the first of, in one sentence; empty if it is nothing special.

    Args:
        ancestor: whether its opponent is an earlier champion of a run that the person evolved.
    """
    *before, newest = results
    if newest.points < 1:
        return ""
    beaten = [result for result in before if result.points == 1]
    if not beaten:
        return "Your first win in a rated game!"
    *earlier, series = map(len, "".join("x" if result.points == 1 else " " for result in results).split(" "))
    if series == max([LEAST_SERIES, *(length + 1 for length in earlier)]):
        return f"{series} wins in a row: your longest series!"
    if any(result.opponent.rung == newest.opponent.rung for result in beaten):
        return ""
    return f"Your first win against {newest.opponent.label}{', an ancestor of its champion' if ancestor else ''}!"


def chance_words(person: float, rating: float) -> str:
    """Return the share of the points that a person may expect against an opponent, with its name."""
    return f"You score about {100 * expected_score(person - rating):.0f} %."
