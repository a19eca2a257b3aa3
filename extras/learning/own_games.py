"""Games that alpha-beta plays over a network, with the scores of its searches: what `searches` learns from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evolve.streams import Draw, stream
from evolve.workers.processes import get_shared_rows, refers_to_rows
from extras.learning.methods import Searches
from extras.learning.self_play import SearchedGames
from extras.learning.self_play_kernels import NONE, STEPS
from extras.learning.steps import first_steps, legal_steps
from extras.learning.zero_games import ENDING, TreeGames, joined
from game import moves, openings
from game.batch.games import BatchPlayers, Outcomes, follow, index_openings, play_all
from game.board import Position
from game.endings import Reason
from game.moves import Move
from game.review.chances import count_pieces
from game.search.interface import Limits
from game.search.layout import DRAWN, NO_SCORE

SEARCHED_A_TASK = 10
ENDING_PLIES = 8
"""The most random plies before a game that begins in an ending."""


@refers_to_rows
def play_searches(task: TreeGames) -> SearchedGames | None:
    """Play the games of a task in a worker; they depend only on seed, generation, number and network."""
    config, method = task.config, task.config.learning.method
    assert isinstance(method, Searches)
    stage = method.stage(task.generation)
    adjudicate, rules = config.games.adjudicate, config.games.rules()
    field = BatchPlayers.of_networks(
        config.network,
        get_shared_rows().genomes()[:1],
        limits=Limits(nodes=stage.nodes),
        style=replace(config.search.style(), tablebase=adjudicate),
    )
    ballots = openings.openings(config.games.openings)
    rules = replace(rules, max_plies=min(rules.max_plies or stage.length, stage.length))

    def play(lines: Sequence[Sequence[Move]], start: Position) -> Outcomes:
        player, games = np.zeros(len(lines), np.int64), np.arange(len(lines))
        return play_all(
            field, player, player, start=start, openings=index_openings(lines, start), opening_of=games, rules=rules,
            keep=True, adjudicate=adjudicate,
        )  # fmt: skip

    lines = []
    for number in range(*task.games):
        generator = stream(config.seed, task.generation, Draw.LEARNING_GAMES, number)
        ballot = ballots[int(generator.integers(len(ballots)))]
        lines.append(openings.lengthen(ballot, int(generator.integers(stage.plies + 1)), generator).moves)
    begun = play(lines, Position.start())
    parts = []
    for game, number in enumerate(range(*task.games)):
        parts.append((begun.select(np.array([game])), Position.start()))
        generator = stream(config.seed, task.generation, Draw.LEARNING_GAMES, number, 1)
        starts = [_ending(begun, game, adjudicate, generator) for _ in range(stage.endings)]
        parts += [(play([()], start), start) for start in starts if start is not None]
    if any((outcomes.reasons == Reason.FAILURE).any() for outcomes, _ in parts):
        return None
    return joined([_samples(outcomes, start) for outcomes, start in parts])


def _ending(begun: Outcomes, game: int, known: int, generator: np.random.Generator) -> Position | None:
    """Return an ending of a game with kings and more than `known` pieces, after some random plies; None without one."""
    record, position = begun.record(game, Position.start()), Position.start()
    positions = [position, *(position := moves.apply(position, move) for move in record.moves)]
    suitable = [each for each in positions if each.kings and known < count_pieces(each) <= ENDING]
    if not suitable:
        return None
    position = suitable[int(generator.integers(len(suitable)))]
    for _ in range(int(generator.integers(1, ENDING_PLIES + 1))):
        after = moves.successors(position)
        position = after[int(generator.integers(len(after)))][1] if after else position
    return position if count_pieces(position) > known and moves.successors(position) else None


def _samples(outcomes: Outcomes, start: Position) -> SearchedGames:
    assert outcomes.codes is not None and outcomes.scores is not None
    codes, scores = np.concatenate(outcomes.codes), np.concatenate(outcomes.scores)
    rows = np.concatenate([follow(game, start)[0] for game in outcomes.codes])
    games = np.repeat(np.arange(len(outcomes.codes), dtype=np.int32), outcomes.plies)
    plies = np.concatenate([np.arange(each, dtype=np.int32) for each in outcomes.plies]) + np.int32(start.side)
    teaches = np.flatnonzero((scores != NO_SCORE) & (rows[:, 3] == 0))
    rows, at_plies = rows[teaches, :3], plies[teaches]
    legal = legal_steps(rows)
    steps = np.sort(np.where(legal, np.arange(legal.shape[1]), NONE).astype(np.uint8), axis=1)[:, :STEPS]
    chosen = first_steps(codes[teaches], at_plies.astype(np.int64) % 2)
    return SearchedGames(
        results=outcomes.results.astype(np.int8),
        plies=outcomes.plies.astype(np.int32),
        evaluations=int(outcomes.evaluations.sum()),
        rows=rows,
        values=_values(scores[teaches]),
        surprises=np.zeros(len(rows), np.float32),
        games=games[teaches],
        at_plies=at_plies,
        steps=steps,
        shares=(steps == chosen[:, None]).astype(np.float16),
    )


def _values(scores: NDArray[Any]) -> NDArray[np.float32]:
    sizes = np.minimum(np.minimum(np.abs(scores), DRAWN).view(np.float32), np.float32(1))
    values: NDArray[np.float32] = np.copysign(sizes, scores, dtype=np.float32)
    return values
