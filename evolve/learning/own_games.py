"""Games that alpha-beta plays over a network, with the scores of its searches: what `searches` learns from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from evolve.learning.methods import Searches
from evolve.learning.zero_games import TreeGames
from evolve.streams import Draw, stream
from evolve.workers.processes import get_shared_rows, refers_to_rows
from game import match, moves, openings
from game.board import Position
from game.endings import Reason
from game.generator import SplitMix64
from game.networks.evaluator import rows_seen
from game.players.network import NetworkPlayer
from game.players.player import Choice
from game.players.policy import first_step
from game.rules import WCDF, DrawRules
from game.search.interface import Limits
from game.search.tree.self_play import SearchedGames
from game.search.tree.self_play_kernels import NONE, STEPS

SEARCHED_A_TASK = 10


@dataclass(frozen=True)
class Recorder(NetworkPlayer):
    """A player that keeps its choices.

    Attributes:
        record: the plies played before each of its choices, the position, and the choice.
    """

    record: list[tuple[int, Position, Choice]] = field(default_factory=list, compare=False)

    def choose(
        self, position: Position, history: Sequence[Position], generator: SplitMix64, rules: DrawRules = WCDF
    ) -> Choice:
        """Choose a move and keep the choice."""
        choice = super().choose(position, history, generator, rules)
        self.record.append((len(history), position, choice))
        return choice


@refers_to_rows
def play_searches(task: TreeGames) -> SearchedGames | None:
    """Play the games of a task in a worker; they depend only on seed, generation, number and network.

    Samples are positions without captures in which there is a choice, since alpha-beta evaluates only such positions.
    Return None if an output of the network is not a finite number.
    """
    config, method = task.config, task.config.learning.method
    assert isinstance(method, Searches)
    player = Recorder(
        "network",
        get_shared_rows().genomes()[task.player],
        spec=config.network,
        limits=Limits(nodes=method.own_nodes),
        style=replace(config.search.style(), tablebase=config.games.adjudicate),
    )
    rules = config.games.rules()
    rules = replace(rules, max_plies=min(rules.max_plies or method.own_length, method.own_length))
    ballots = openings.openings(config.games.openings)
    games: list[tuple[match.GameRecord, list[tuple[int, Position, Choice]]]] = []
    for number in range(*task.games):
        generator = stream(config.seed, task.generation, Draw.LEARNING_GAMES, number)
        ballot = ballots[int(generator.integers(len(ballots)))]
        opening = openings.lengthen(ballot, int(generator.integers(method.own_plies + 1)), generator)
        player.record.clear()
        played = match.play(
            player,
            player,
            opening=opening.moves,
            rules=rules,
            seed=int(generator.integers(2**63)),
            adjudicate=config.games.adjudicate,
        )
        if played.reason is Reason.FAILURE:
            return None
        games.append((played, [each for each in player.record if _teaches(each[1])]))
    return _samples(games)


def _teaches(position: Position) -> bool:
    legal = moves.legal_moves(position)
    return len(legal) > 1 and not legal[0].captured


def _samples(games: Sequence[tuple[match.GameRecord, Sequence[tuple[int, Position, Choice]]]]) -> SearchedGames:
    samples = [(number, *each) for number, (_, record) in enumerate(games) for each in record]
    steps = np.full((len(samples), STEPS), NONE, np.uint8)
    shares = np.zeros((len(samples), STEPS), np.float16)
    for row, share, (_, _, position, choice) in zip(steps, shares, samples, strict=True):
        found = sorted({first_step(move, position.side) for move in moves.legal_moves(position)})
        row[: len(found)] = found
        share[found.index(first_step(choice.move, position.side))] = 1
    return SearchedGames(
        results=np.array([record.result for record, _ in games], np.int8),
        plies=np.array([len(record.moves) for record, _ in games], np.int32),
        evaluations=sum(record.evaluations for record, _ in games),
        rows=rows_seen([position for _, _, position, _ in samples]),
        values=np.array([np.clip(choice.score or 0.0, -1.0, 1.0) for *_, choice in samples], np.float32),
        surprises=np.zeros(len(samples), np.float32),
        games=np.array([number for number, *_ in samples], np.int32),
        at_plies=np.array([ply for _, ply, _, _ in samples], np.int32),
        steps=steps,
        shares=shares,
    )
