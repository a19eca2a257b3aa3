"""The rating of the champion of a generation: a few games against fixed opponents.

Ratings of different runs can be compared, since the conditions are always the same: three-move ballots with colours
swapped, the draw rules of tournaments, and the known ratings in `evolve.config.anchors`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evolve.config import anchors
from evolve.config.model import Config
from evolve.kinds.individual import Individual
from evolve.run.conditions import PlayConditions
from evolve.run.log import ESTIMATE
from evolve.streams import Draw
from evolve.strength import effort
from evolve.strength.elo import RatingEstimate, rate_against
from evolve.strength.match import play_match
from evolve.tournament.arena import Map
from game.generator import derive_seed
from game.players.registry import player
from game.rules import DrawRules
from game.search.interface import Limits

WARM_UP_PLIES = 8

BEYOND = 200.0
"""Elo by which an estimate may lie outside the ratings of the anchors."""


@dataclass(frozen=True)
class RatingTask:
    champion: effort.EvolvedPlayer
    anchor: str
    games: int
    seed: int


def play(task: RatingTask) -> tuple[int, ...]:
    """Play the games in a worker; return the counts of game pairs as in `MatchResult.pentanomial`."""
    return play_match(task.champion, player(task.anchor), task.games, seed=task.seed).pentanomial


def warm_up(config: Config) -> None:
    """Load the code that ratings need, so that forked workers have it."""
    blank = Individual(np.zeros(config.network.weights, np.float32), "blank", king=config.network.king)
    for task in tasks(config, blank, 0):
        play_match(task.champion, player(task.anchor), 2, rules=DrawRules(max_plies=WARM_UP_PLIES))


def is_due(config: Config, generation: int) -> bool:
    return config.rating.every > 0 and generation % config.rating.every == 0


def rate(
    config: Config,
    champion: Individual,
    generation: int,
    map_: Map,
    follow: Callable[[Iterable[Any], Sequence[int], str], Iterable[Any]] = lambda results, sizes, what: results,
) -> RatingEstimate:
    """Return the rating of a champion with its interval; `follow` passes results on and reports progress."""
    names = anchors.parse_session_anchors(config.rating.anchors)
    # Start with the slow opponents, so that workers finish at about the same time.
    slow_first = tasks(config, champion, generation)[::-1]
    played = follow(map_(play, slow_first), [task.games for task in slow_first], "rating games")
    counts: list[Any] = list(played)[::-1]
    return rate_against([(anchors.RATINGS[name], pairs) for name, pairs in zip(names, counts, strict=True)])


def estimate(config: Config, champion: Individual, generation: int, map_: Map) -> dict[str, float | None]:
    """Return the column `ESTIMATE` of the log: a rating by a few games of a shallow search, or None if none is wanted.

    The estimates of a run can be compared with each other; they are below its ratings, whose games are searched deeper.
    """
    depth = config.rating.estimate_depth
    if not config.rating.estimates:
        return {ESTIMATE: None}
    names = ["random", *(f"material,depth={each},quiescence=yes" for each in anchors.DEPTHS if each <= depth)]
    conditions = PlayConditions(Limits(depth=depth), config.search.style())
    rated = _player(config, champion, conditions)
    seeds = [derive_seed(config.seed, generation, Draw.RATING, number, depth) for number in range(len(names))]
    played = map_(play, [RatingTask(rated, name, 2, seed) for name, seed in zip(names, seeds, strict=True)])
    known = [(anchors.RATINGS[name], pairs) for name, pairs in zip(names, played, strict=True)]
    return {ESTIMATE: round(_finite_rating(known), 1)}


def rate_all(config: Config, population: Sequence[Individual], generation: int, map_: Map) -> NDArray[np.float64]:
    """Return the rating of each individual of a generation; float64 of shape (individuals,)."""
    names = anchors.parse_session_anchors(config.rating.anchors)
    played = iter(map_(play, [task for one in population for task in tasks(config, one, generation)]))
    return np.array([_finite_rating([(anchors.RATINGS[name], next(played)) for name in names]) for _ in population])


def _finite_rating(known: Sequence[tuple[float, tuple[int, ...]]]) -> float:
    """Return a rating from games against anchors, near theirs if all games were won or lost, which give no number."""
    ends = [rating for rating, _ in known]
    return min(max(rate_against(known).value, min(ends) - BEYOND), max(ends) + BEYOND)


def rated_player(config: Config, champion: Individual, generation: int) -> effort.EvolvedPlayer:
    """Return the champion of a generation with the search with which it plays others, without tablebases."""
    return _player(config, champion, PlayConditions.played(config.search, generation))


def _player(config: Config, champion: Individual, conditions: PlayConditions) -> effort.EvolvedPlayer:
    weights = np.array(champion, np.float32)
    return effort.network_player(champion.name, weights, config.network, champion.king, conditions)


def tasks(config: Config, champion: Individual, generation: int) -> list[RatingTask]:
    rated = rated_player(config, champion, generation)
    names = anchors.parse_session_anchors(config.rating.anchors)
    seeds = [derive_seed(config.seed, generation, Draw.RATING, number) for number in range(len(names))]
    return [RatingTask(rated, name, config.rating.games, seed) for name, seed in zip(names, seeds, strict=True)]
