"""Games that a network plays by its policy alone, against piece counters; a search of its judge scores all moves.

The network learns from positions that it reaches itself, with its own mistakes, not from those of games of its judge.

Source: Ross, Gordon and Bagnell, A reduction of imitation learning and structured prediction to no-regret online
learning (2011).
"""

from __future__ import annotations

import functools
import math
from dataclasses import replace

import numpy as np

from evolve.breeding.founder import EarlierIndividual
from evolve.streams import Draw, stream
from evolve.workers.processes import get_shared_rows, refers_to_rows
from extras.learning.methods import Distilled
from extras.learning.self_play import SearchedGames
from extras.learning.self_play_kernels import NONE, STEPS
from extras.learning.zero_games import TreeGames
from game import match, moves, openings
from game.board import Position
from game.endings import Reason
from game.networks.evaluator import Evaluator, rows_seen
from game.players.basic import MaterialPlayer
from game.players.names import Sampling
from game.players.policy import GlancePlayer, first_step, policy_likelihoods, softmax
from game.search.interface import WIN, WON, Limits, SearchOptions
from game.search.search import AlphaBeta

DEPTHS = 2, 2, 4
"""Plies that the piece counters look ahead, in turn."""
UNPROVED, SURE, LATEST, SOONER = 0.9999, 5.0, 40, 0.05
"""The preference for a move is the log odds of its score, as if that were at most UNPROVED. It is SURE for a proved
win in LATEST plies, and SOONER more for each ply less, so that won games end."""
RARE = 1e-3
"""Moves that the network would play more rarely are learnt from this chance on."""


@functools.cache
def _judge(judge: EarlierIndividual, style: SearchOptions) -> AlphaBeta:
    weights, network = judge.read_with_network()
    return AlphaBeta(Evaluator(network, weights, weights.king), style)


def preference(score: float) -> float:
    """Return how much a score of a search is worth in a choice among moves (see `UNPROVED`)."""
    if abs(score) <= WON:
        return math.atanh(max(-UNPROVED, min(UNPROVED, score)))
    return math.copysign(SURE + SOONER * max(0.0, LATEST - (WIN - abs(score))), score)


@refers_to_rows
def play_judged(task: TreeGames) -> SearchedGames | None:
    """Play the games of a task in a worker; they depend only on seed, generation, number, network and judge.

    Results are those of the network, which plays each ballot with both colours.
    """
    config, method = task.config, task.config.learning.method
    assert isinstance(method, Distilled)
    stage, rules = method.stage(task.generation), config.games.rules()
    # Tablebases would know that a move wins, but not how soon.
    style = replace(config.search.style(), tablebase=0, keeps_table=False)
    judge, limits = _judge(method.judging(config.network), style), Limits(nodes=stage.nodes)
    weights = get_shared_rows().genomes()[0]
    network = GlancePlayer("network", weights, config.network, sampling=Sampling(epsilon=method.noise))
    evaluator = Evaluator(config.network, weights)
    ballots = openings.openings(config.games.openings)
    positions, values, games = list[Position](), list[float](), list[int]()
    steps, shares = list[list[int]](), list[list[float]]()
    results, plies, evaluations = list[int](), list[int](), 0
    for number in range(*task.games):
        generator = stream(config.seed, task.generation, Draw.LEARNING_GAMES, number)
        ballot = ballots[int(generator.integers(len(ballots)))]
        opening = openings.lengthen(ballot, int(generator.integers(stage.plies + 1)), generator).moves
        side, depth = number % 2, DEPTHS[number // 2 % len(DEPTHS)]
        counter = MaterialPlayer(draws_ties=True, limits=Limits(depth))
        players = (counter, network) if side else (network, counter)
        record = match.play(
            *players,
            opening=opening,
            rules=replace(rules, max_plies=min(rules.max_plies or stage.length, stage.length)),
            seed=int(generator.integers(2**63)),
        )
        if record.reason == Reason.FAILURE:
            return None
        results.append(record.result * (1 - 2 * side))
        plies.append(len(record.moves))
        position = Position.start()
        for ply, move in enumerate(record.moves):
            after = dict(moves.successors(position))
            if ply >= len(opening) and position.side == side and len(after) > 1:
                result = judge.search(position, limits=limits, rules=rules, all_scores=True)
                evaluations += result.evaluations
                chances, most = dict(policy_likelihoods(network.name, evaluator, position)), preference(result.score)
                liked, prior = dict[int, float](), dict[int, float]()
                for each in result.root:  # other moves may have scores of a less deep search
                    step = first_step(each.move, side)
                    liked[step] = max(liked.get(step, -math.inf), min(most, preference(each.score)))
                    prior[step] = prior.get(step, 0.0) + chances[each.move]
                if len(liked) > STEPS:
                    break
                better = [math.log(max(prior[step], RARE)) + each / method.heat for step, each in liked.items()]
                # Beside it a position after one of its moves, of which the value alone is learnt.
                other = result.root[int(generator.integers(len(after)))]
                other = other if generator.random() < 0.5 else next(each for each in result.root if each.move == move)
                positions += position, after[other.move]
                values += result.score, -other.score
                games += [number - task.games[0]] * 2
                steps += [*liked, *[NONE] * (STEPS - len(liked))], [NONE] * STEPS
                shares += [*softmax(better), *[0.0] * (STEPS - len(liked))], [0.0] * STEPS
            position = after[move]
    count = len(positions)
    return SearchedGames(
        results=np.array(results, np.int8),
        plies=np.array(plies, np.int32),
        evaluations=evaluations,
        rows=rows_seen(positions),
        values=np.clip(np.array(values, np.float32), -1, 1),
        surprises=np.zeros(count, np.float32),
        games=np.array(games, np.int32),
        at_plies=np.zeros(count, np.int32),  # always the network's turn, so that results are its own
        steps=np.array(steps, np.uint8).reshape(count, STEPS),
        shares=np.array(shares, np.float16).reshape(count, STEPS),
    )
