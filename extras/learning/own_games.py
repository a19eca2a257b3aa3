"""Games that alpha-beta plays over a network, with the scores of its searches: what `searches` learns from."""

from __future__ import annotations

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
from extras.learning.zero_games import TreeGames
from game import openings
from game.batch.games import BatchPlayers, Outcomes, follow, index_openings, play_all
from game.board import Position
from game.endings import Reason
from game.search.interface import Limits
from game.search.layout import DRAWN, NO_SCORE

SEARCHED_A_TASK = 10


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
    lines = []
    for number in range(*task.games):
        generator = stream(config.seed, task.generation, Draw.LEARNING_GAMES, number)
        ballot = ballots[int(generator.integers(len(ballots)))]
        lines.append(openings.lengthen(ballot, int(generator.integers(stage.plies + 1)), generator).moves)
    player = np.zeros(len(lines), np.int64)
    outcomes = play_all(
        field, player, player, openings=index_openings(lines, Position.start()), opening_of=np.arange(len(lines)),
        rules=replace(rules, max_plies=min(rules.max_plies or stage.length, stage.length)), keep=True,
        adjudicate=adjudicate,
    )  # fmt: skip
    return None if (outcomes.reasons == Reason.FAILURE).any() else _samples(outcomes)


def _samples(outcomes: Outcomes) -> SearchedGames:
    assert outcomes.codes is not None and outcomes.scores is not None
    codes, scores = np.concatenate(outcomes.codes), np.concatenate(outcomes.scores)
    rows = np.concatenate([follow(game, Position.start())[0] for game in outcomes.codes])
    games = np.repeat(np.arange(len(outcomes.codes), dtype=np.int32), outcomes.plies)
    plies = np.concatenate([np.arange(each, dtype=np.int32) for each in outcomes.plies])
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
