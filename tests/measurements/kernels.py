"""Speed of kernels in unusual networks, of tree searches, of a node by a network, and of a move by an engine."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from queue import SimpleQueue
from typing import cast

import numpy as np

from evolve.bench.figures import Metric, Probe, Sample
from evolve.bench.speed import SEARCHED, SHIPPED, evaluations, play_positions, rates
from evolve.names.players import resolve
from evolve.run.runs import CHAMPION_RUN, SHIPPED_RUNS
from extras.learning.self_play import SearchedGames, play
from game import moves, openings
from game.board import Position
from game.engine import Engine
from game.generator import SplitMix64
from game.networks.evaluator import Evaluator, rows_seen
from game.networks.named import from_file
from game.networks.spec import Layer, Spec
from game.networks.windows import WINDOWS
from game.players.names import parse_name
from game.players.network import NetworkPlayer
from game.rules import WCDF
from game.search.interface import Limits
from game.search.tree.search import TreeOptions

TINY = Spec("tiny", "squares", tuple(Layer("dense", units) for units in (20, 5, 5, 1)))
DEEP = Spec("deep", "squares", tuple(Layer("dense", units, activation="tanh") for units in (32,) * 6 + (1,)))
EXAMPLE = Path(__file__).parent / "example.toml"
CHAMPION = "crownhead-2"
ZERO = "zero"
VISITS = 16
NODE = "zero-node"
NODE_GOAL = 1.5
ENGINE_GOAL = 0.3


def probes(rounds: int, quick: bool, open_until: ExitStack) -> list[Probe]:
    """Return the probes of one core, which need no cleanup."""
    return [_networks(rounds, quick), _trees(rounds, quick), _nodes(rounds, quick), _engine(rounds, quick)]


def work_of(spec: Spec) -> int:
    """Return the number of multiplications in an evaluation after a simple move.

    These are the values in two rows of the first layer's table (which also holds the tables of the network), the
    multiplications of all later layers, and for patterns one weight of each window in at most two phases. The values of
    a row were multiplied when the genome was prepared and are only added here, but each counts as one multiplication.
    """
    sums = (math.prod(spec.shapes[1]) if spec.layers else 0) + spec.phases * spec.tables
    return 2 * sums + sum(spec.multiplications()[1:]) + WINDOWS * min(spec.phases, 2) * spec.patterns


def _networks(rounds: int, quick: bool) -> Probe:
    """Return the probe of networks of users, compared with the shipped ones."""
    users = (TINY, from_file(EXAMPLE), DEEP)
    kinds = [evaluations(spec.name) for spec in users]
    for spec in users:
        text = f"multiplications a second, {spec.name} against the best of the shipped networks"
        kinds.append(Metric(f"{spec.name}-ratio", "ratio", text, 0.2, scales=False))

    def prepare() -> Sample:
        measure = rates((*SHIPPED, *users), 0.01 if quick else 0.2)

        def sample() -> dict[str, float]:
            rate = measure()
            best = max(rate[spec.name] * work_of(spec) for spec in SHIPPED)
            figures = {f"evaluations-{spec.name}": rate[spec.name] / 1e6 for spec in users}
            return figures | {f"{spec.name}-ratio": rate[spec.name] * work_of(spec) / best for spec in users}

        return sample

    return Probe("networks", tuple(kinds), prepare, rounds)


def shipped(name: str) -> NetworkPlayer:
    return cast(NetworkPlayer, resolve(SHIPPED_RUNS, None, parse_name(name)))


def tree_games(evaluator: Evaluator, games: int) -> tuple[SearchedGames, float]:
    """Play games of a network against itself as the preset `zero` does.

    Return them, and the processor time of this thread in seconds.
    """
    generator, ballots = np.random.default_rng(3), openings.openings("three-move")
    starts = rows_seen([ballots[each].position for each in generator.integers(len(ballots), size=games)])
    seeds = generator.integers(1, 2**63, size=games, dtype=np.uint64)
    options = TreeOptions(gumbel=True, candidates=8, tablebase=4, skips_forced=True)
    started = time.thread_time()
    return play(evaluator, options, WCDF, starts, seeds, visits=VISITS), time.thread_time() - started


def _trees(rounds: int, quick: bool) -> Probe:
    kinds = (
        Metric(
            "tree-games", "games/s", f"games of {ZERO} against itself by tree searches of {VISITS} visits", alone=True
        ),
        Metric("tree-evaluations", "thousand/s", "positions evaluated in these games", alone=True),
    )

    def prepare() -> Sample:
        evaluator, games = Evaluator(*shipped(ZERO).network), 2 if quick else 240
        tree_games(evaluator, 1)

        def sample() -> dict[str, float]:
            played, seconds = tree_games(evaluator, games)
            return {"tree-games": games / seconds, "tree-evaluations": played.evaluations / seconds / 1e3}

        return sample

    return Probe("trees", kinds, prepare, rounds)


def node_costs(players: Sequence[NetworkPlayer], positions: list[Position], nodes: int) -> list[float]:
    """Search all positions with each player in turn; return the processor time per node of each, in seconds."""
    searchers = [player.searcher() for player in players]
    seconds, visited = np.zeros((2, len(players)))
    for position in positions:
        for index, searcher in enumerate(searchers):
            started = time.thread_time()
            visited[index] += searcher.search(position, limits=Limits(nodes=nodes)).nodes
            seconds[index] += time.thread_time() - started
    return [float(each) for each in seconds / visited]


def _nodes(rounds: int, quick: bool) -> Probe:
    nodes = 100 if quick else 10_000
    text = f"time of an alpha-beta node of {ZERO} over one of {CHAMPION}"

    def prepare() -> Sample:
        positions = play_positions(4 if quick else SEARCHED)
        players = [
            shipped(f"{ZERO},search=alphabeta,nodes={nodes},selective=yes,tablebase=no"),
            shipped(f"{CHAMPION},nodes={nodes},tablebase=no"),
        ]
        node_costs(players, positions[:1], nodes)

        def sample() -> dict[str, float]:
            ours, champion = node_costs(players, positions, nodes)
            return {NODE: ours / champion}

        return sample

    return Probe("nodes", (Metric(NODE, "ratio", text, NODE_GOAL, True, False),), prepare, rounds)


def random_games(count: int) -> list[list[str]]:
    """Return the lines that tell an engine each position of some random games with a move to choose."""
    generator, games = SplitMix64(1), []
    for _ in range(count):
        position, words, lines = Position.start(), ["position", "startpos"], []
        while after := moves.successors(position):
            lines.append(" ".join(words))
            move, position = after[generator.below(len(after))]
            words += ["moves", str(move)] if len(words) == 2 else [str(move)]
        games.append(lines)
    return games


def answer(player: NetworkPlayer, games: list[list[str]]) -> None:
    """Let a player answer as an engine, with a search of one position a move; the next line follows the answer."""
    answers = SimpleQueue[str]()

    def lines() -> Iterator[str]:
        for game in games:
            yield "newgame"
            for line in game:
                yield line
                yield "go nodes 1"
                while not answers.get().startswith("bestmove "):
                    pass

    Engine(player, answers.put).run(lines())


def _engine(rounds: int, quick: bool) -> Probe:
    text = "processor time of a move through the engine, searching one position"
    kinds = (Metric("engine-move", "ms", text, ENGINE_GOAL, lower=True),)

    def prepare() -> Sample:
        player, games = shipped(f"{CHAMPION_RUN},tablebase=no"), random_games(1 if quick else 20)
        count = sum(map(len, games))
        answer(player, games[:1])

        def sample() -> dict[str, float]:
            started = time.process_time()
            answer(player, games)
            return {"engine-move": (time.process_time() - started) / count * 1e3}

        return sample

    return Probe("engine", kinds, prepare, rounds)
