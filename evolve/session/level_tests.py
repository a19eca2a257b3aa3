"""Tests of a run's champions against random moves and the yardsticks of levels, which show what they beat.

The games are those of a person's climb in the window, where strength counts: the ballots that are not barred, with both
colours; the champion as it was rated, with the search of its generation and without tablebases; the yardstick with its
depth and its tablebases. These are the ones of up to 4 pieces, which every machine builds, so that results do not
depend on installed tables.

Ballots are drawn anew for each pair, so pairs are independent, as `evolve.strength.betting` requires.
"""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from evolve.config.model import Config
from evolve.kinds.individual import Individual
from evolve.names.players import frozen_player
from evolve.run.log import Log
from evolve.session import champion_rating
from evolve.streams import Draw, stream
from evolve.strength.betting import ROUND, ROUNDS, decide
from evolve.strength.levels import YARDSTICKS
from evolve.strength.match_games import GamePairs, Sides, play_pairs
from evolve.strength.verdict import OPPONENTS, LevelState
from evolve.tournament.arena import Map
from game import moves
from game.ballots import deck
from game.board import Position
from game.errors import InputError, describe
from game.generator import derive_seed
from game.openings import Opening
from game.players.player import Player
from game.players.registry import player
from game.rules import WCDF

log = logging.getLogger(__name__)

PIECES = 4
"""Largest number of pieces of the tablebases that a level uses."""

TASK_PAIRS = 4
"""Pairs in a task; a round has several, so that workers share them."""

FAULTS = (InputError, OSError, MemoryError)
"""Exceptions of tablebases and runs that cannot be used."""

Follow = Callable[[Iterable[Any], Sequence[int], str], Iterable[Any]]


def play(task: GamePairs) -> tuple[int, ...]:
    """Play the games of a task in a worker; return the result of each pair, as an index into `PAIR_POINTS`."""
    try:
        task.sides.b.begin_game(WCDF, 0)  # opens its tablebases, and builds them first if they are missing
        games, _ = play_pairs(task)
    except FAULTS as error:
        log.warning("a level cannot play here: %s", describe(error))
        return ()
    return tuple(2 + first.result - second.result for first, second in zip(games[::2], games[1::2], strict=True))


@functools.cache
def opponent_player(index: int) -> Player:
    """Return an opponent of `OPPONENTS`: random moves, or a yardstick with tablebases of at most `PIECES` pieces."""
    if not index:
        return player("random")
    level = YARDSTICKS[index - 1]
    tables = f",tablebase={PIECES}" if level.depth > 1 else ""  # a search of one ply uses none
    return frozen_player(f"{level.player},depth={level.depth}{tables}")


@functools.cache
def _openings() -> list[Opening]:
    return [Opening(one.line, functools.reduce(moves.apply, one.line, Position.start())) for one in deck()]


def begun(log: Log) -> LevelState | None:
    """Return the state of a run's tests after its log; None if an earlier version began it, without their columns."""
    return None if log.header and not {*LevelState().numbers()} <= {*log.header} else LevelState.of_log(log)


def continued(
    state: LevelState,
    config: Config,
    champion: Individual,
    generation: int,
    low: float,
    map_: Map,
    follow: Follow = lambda results, sizes, what: results,
    ready: Callable[[], None] = lambda: None,
) -> LevelState:
    """Return the state of a run's tests after those that the champion of a generation is worth."""
    rated = champion_rating.rated_player(config, champion, generation)
    low = round(low, 1)  # as in the log, from which a session that continues the run reads it
    while (index := state.next(low)) is not None:
        if index and YARDSTICKS[index - 1].searches:
            ready()
        proved = _test(config.seed, generation, rated, index, state.unproven, map_, follow)
        if proved is None:
            break
        state = state.after(proved, generation, low)
    return state


def _test(
    seed: int, generation: int, champion: Player, index: int, unproven: int, map_: Map, follow: Follow
) -> bool | None:
    try:
        opponent = opponent_player(index)
        opponent.begin_game(WCDF, 0)  # once here, so that workers need not build its tablebases
    except FAULTS as error:
        log.warning("%s is not tested: %s", OPPONENTS[index], describe(error))
        return None
    ballots, sides = _openings(), Sides.of(champion, opponent, WCDF, keep=False)
    drawn = stream(seed, generation, Draw.LEVEL, index).integers(len(ballots), size=ROUND * ROUNDS).tolist()
    seeds = [derive_seed(seed, generation, Draw.LEVEL, index, game) for game in range(2 * len(drawn))]
    pairs: list[int] = []
    while True:
        tasks = [
            GamePairs(
                sides, [ballots[one] for one in drawn[at : at + TASK_PAIRS]], seeds[2 * at : 2 * at + 2 * TASK_PAIRS]
            )
            for at in range(len(pairs), len(pairs) + ROUND, TASK_PAIRS)
        ]
        played = follow(map_(play, tasks), [2 * TASK_PAIRS] * len(tasks), f"games against {OPPONENTS[index]}")
        # A task that failed in a worker is repeated here: the verdict must not depend on the assignment of tasks.
        results = [result or play(task) for task, result in zip(tasks, played, strict=True)]
        if not all(results):
            return None
        pairs += [pair for result in results for pair in result]
        verdict = decide(pairs, unproven)
        if verdict is not None:
            log.info(
                "generation %d: %s %s, %d pairs",
                generation,
                "beats" if verdict else "not shown to beat",
                OPPONENTS[index],
                len(pairs),
            )
            return verdict
