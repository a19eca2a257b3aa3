"""Speed of one core: perft, evaluations, whole games and searches."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack

import numpy as np

from evolve.bench.figures import Metric, Probe, Sample
from game import moves, openings
from game.batch.games import BatchPlayers, Outcomes, play_all
from game.board import Position
from game.generator import SplitMix64
from game.networks.evaluator import Evaluator
from game.networks.named import ANACONDA_5046, BLONDIE_1741, CNN_247
from game.networks.spec import Spec
from game.rules import WCDF, DrawRules
from game.search import layout as at
from game.search.interface import Limits, SearchOptions
from game.search.search import AlphaBeta

SHIPPED = (CNN_247, BLONDIE_1741, ANACONDA_5046)
PERFT_10 = 18_391_564
POSITIONS = 64
MOVES = 8
EVALUATION_GOALS = {CNN_247.name: 30.0, ANACONDA_5046.name: 12.0}
GENOMES = 1024

SEARCH_DEPTH = 8
SEARCH_GOALS = {"material": 33.0, CNN_247.name: 16.0, ANACONDA_5046.name: 10.5}
SEARCHED = 40
"""Number of positions that are searched."""
SEARCHED_PLIES = 12
"""Number of plies after the ballot at which a position is taken."""
PROBES, PROBES_GOAL = "search-probes", 5.0
ENDINGS = (
    "W:WK5,K12,26:BK7,K11", "W:WK9,23,K30:BK3,K22", "W:W11,18,K22:BK20,K27", "B:W5,11,K24:BK3,K21",
    "B:WK11,K15,28:BK12,K18",
)  # fmt: skip
"""Endings with five pieces. About a fifth to a quarter of the positions searched are in tables of 2 to 4 pieces."""


def probes(rounds: int, quick: bool, open_until: ExitStack) -> list[Probe]:
    return [
        *_perft(rounds, quick),
        _evaluations(rounds, quick),
        _games(rounds, quick),
        _searches(rounds, quick),
    ]


def _perft(rounds: int, quick: bool) -> list[Probe]:
    depth, nodes = (7, 179_740) if quick else (10, PERFT_10)
    start = Position.start()

    def probe(name: str, text: str, goal: float, bulk: bool, repeats: int) -> Probe:
        def sample() -> dict[str, float]:
            started = time.perf_counter()
            for _ in range(repeats):
                counted = moves.perft(start, depth, bulk=bulk)
                if counted != nodes:
                    raise RuntimeError(f"perft {depth}: {counted} nodes, expected {nodes}")
            return {name: repeats * nodes / (time.perf_counter() - started) / 1e6}

        def prepare() -> Sample:
            moves.perft(start, 2, bulk=bulk)
            return sample

        return Probe("perft", (Metric(name, "million/s", text, goal),), prepare, rounds)

    return [
        probe("perft", "nodes of perft 10, the last ply counted by bits", 400.0, True, 5),
        probe("perft-no-bulk", "nodes of perft 10, every move made", 160.0, False, 2),
    ]


def middle_game_positions(count: int, least: int) -> list[Position]:
    """Return `count` positions with at least `least` legal moves, from random games with a fixed seed."""
    generator = SplitMix64(1)
    positions: list[Position] = []
    while len(positions) < count:
        position = Position.start()
        while after := moves.successors(position):
            if len(after) >= least and generator.below(4) == 0:
                positions.append(position)
            position = after[generator.below(len(after))][1]
            if position.kings and generator.below(20) == 0:
                break
    return positions[:count]


class Judge:
    """A network with the moves and first-layer sums of many positions, ready to be timed."""

    def __init__(self, spec: Spec, positions: list[Position]) -> None:
        from game.kernels import generate
        from game.networks.sum_kernels import rebuild

        self.spec = spec
        generator = np.random.default_rng(1)
        weights = generator.uniform(-0.3, 0.3, spec.weights).astype(np.float32)
        self._evaluator = evaluator = Evaluator(spec, weights)
        program = evaluator.program
        self._words = np.array([(p.own, p.opponent, p.kings, p.side) for p in positions], np.uint64)
        self._rows = np.zeros((len(positions), MOVES, 4), np.uint64)
        self._sums = np.zeros((len(positions), program.sums), np.float32)
        self._scratch = np.zeros(program.scratch, np.float32)
        self._scores = np.zeros(MOVES, np.float32)
        room = np.zeros((192, 4), np.uint64)
        plan, _, params = evaluator.addresses
        for words, rows, sums in zip(self._words, self._rows, self._sums, strict=True):
            side = int(words[3])
            own, opponent, kings = words[:3]
            generate(own, opponent, kings, side, room)
            rows[:] = room[:MOVES]
            rebuild(own, opponent, kings, side, plan, params, 0, sums.nbytes, sums.ctypes.data)

    def seconds(self, repeats: int) -> float:
        """Evaluate all moves of all positions `repeats` times; return the duration in seconds."""
        from game.timing_kernels import score_again

        started = time.perf_counter()
        score_again(
            repeats, self._words, self._rows.ctypes.data, MOVES, *self._evaluator.addresses, self._evaluator.king,
            self._sums.ctypes.data, self._sums.strides[0], self._scratch.ctypes.data, self._scores.ctypes.data,
        )  # fmt: skip
        return time.perf_counter() - started


def rates(specs: Sequence[Spec], seconds: float) -> Callable[[], dict[str, float]]:
    """Return a function that measures for about `seconds` how many positions a second each network evaluates."""
    positions = middle_game_positions(POSITIONS, MOVES)
    judges = [Judge(spec, positions) for spec in specs]
    repeats = []
    for judge in judges:
        judge.seconds(1)
        repeats.append(max(1, round(seconds / judge.seconds(5) * 5)))

    def measure() -> dict[str, float]:
        return {
            judge.spec.name: times * POSITIONS * MOVES / judge.seconds(times)
            for judge, times in zip(judges, repeats, strict=True)
        }

    return measure


def evaluations(name: str) -> Metric:
    text = f"positions evaluated by {name} with kept first-layer sums, eight moves of each"
    return Metric(f"evaluations-{name}", "million/s", text, EVALUATION_GOALS.get(name))


def _evaluations(rounds: int, quick: bool) -> Probe:
    kinds = tuple(evaluations(spec.name) for spec in SHIPPED)

    def prepare() -> Sample:
        measure = rates(SHIPPED, 0.01 if quick else 0.2)
        return lambda: {f"evaluations-{name}": rate / 1e6 for name, rate in measure().items()}

    return Probe("evaluations", kinds, prepare, rounds)


def cnn_games(games: int, rules: DrawRules = WCDF) -> tuple[Outcomes, float]:
    """Play games between random cnn-247 individuals on one core; return them and their duration in seconds."""
    generator = np.random.default_rng(2)
    genomes = generator.uniform(-1, 1, (GENOMES, CNN_247.weights)).astype(np.float32)
    pairs = generator.integers(0, GENOMES, (games, 2))
    started = time.perf_counter()
    outcomes = play_all(BatchPlayers.of_networks(CNN_247, genomes), pairs[:, 0].copy(), pairs[:, 1].copy(), rules=rules)
    return outcomes, time.perf_counter() - started


def _games(rounds: int, quick: bool) -> Probe:
    games = 500 if quick else 20_000
    kinds = (
        Metric("games", "games/s", "whole one-ply games between cnn-247 individuals, one core", 65_000.0),
        Metric("game-plies", "plies", "mean length of these games", scales=False),
        Metric(
            "game-evaluations",
            "positions",
            "evaluations in one of these games (choices of two or more moves)",
            scales=False,
        ),
    )

    def sample() -> dict[str, float]:
        outcomes, seconds = cnn_games(games)
        plies, evaluations = float(outcomes.plies.mean()), float(outcomes.evaluations.mean())
        return {"games": games / seconds, "game-plies": plies, "game-evaluations": evaluations}

    def prepare() -> Sample:
        cnn_games(2)
        return sample

    return Probe("games", kinds, prepare, rounds)


def play_positions(count: int) -> list[Position]:
    """Return positions from games of `material` with search, from ballots spread evenly over the three-move list."""
    searcher = AlphaBeta(None, SearchOptions(quiescence=True))
    ballots = openings.openings("three-move")
    positions: list[Position] = []
    for number in range(count):
        position = ballots[number * len(ballots) // count].position
        for _ in range(SEARCHED_PLIES):
            if moves.legal_moves(position):
                position = moves.apply(position, searcher.search(position, limits=Limits(depth=4)).move)
        if len(moves.legal_moves(position)) > 1:
            positions.append(position)
    return positions


def evaluators() -> dict[str, Evaluator | None]:
    """Return evaluators by name: None for material, and random genomes of two networks."""
    generator = np.random.default_rng(1)
    networks = {
        spec.name: Evaluator(spec, generator.uniform(-0.3, 0.3, spec.weights).astype(np.float32))
        for spec in (CNN_247, ANACONDA_5046)
    }
    return {"material": None, **networks}


def search_all(
    searcher: AlphaBeta, positions: list[Position], depth: int, least: float = 0.0
) -> tuple[int, int, float]:
    """Search all positions to a depth, repeatedly for at least `least` seconds.

    Returns:
        For one repetition: positions visited, positions looked up in tablebases, and processor time of this thread in
            seconds. Wall time would depend on other programs.
    """
    from game.search import root_kernels

    times, seconds = 0, 0.0
    while times == 0 or seconds < least:
        nodes = hits = 0
        for position in positions:
            searcher.set_root(position, (), WCDF)
            started = time.thread_time()
            root_kernels.think(searcher.memory.address, depth, at.NO_LIMIT, 0)
            seconds += time.thread_time() - started
            nodes += int(searcher.memory.context[at.NODES])
            hits += int(searcher.memory.context[at.TABLEBASE_HITS])
        times += 1
    return nodes, hits, seconds / times


def _searches(rounds: int, quick: bool) -> Probe:
    depth, least = (4, 0.02) if quick else (SEARCH_DEPTH, 0.2)
    kinds = []
    for name, goal in SEARCH_GOALS.items():
        text = f"positions visited by a search of {depth} plies"
        kinds.append(Metric(f"search-{name}", "million/s", text, goal, alone=True))
        text = f"positions visited in a search of {depth} plies from a middle game"
        kinds.append(Metric(f"search-nodes-{name}", "positions", text, scales=False))

    text = "positions looked up in tables of 2 to 4 pieces by a search, including all its other work"
    kinds.append(Metric(PROBES, "million/s", text, PROBES_GOAL, alone=True))

    def prepare() -> Sample:
        positions = play_positions(4 if quick else SEARCHED)
        searchers = {name: AlphaBeta(evaluator) for name, evaluator in evaluators().items()}
        for searcher in searchers.values():
            search_all(searcher, positions[:1], 2)
        endings = [Position.from_fen(fen) for fen in ENDINGS]
        prober = AlphaBeta(None, SearchOptions(quiescence=True, tablebase=4))
        search_all(prober, endings, 2)

        def sample() -> dict[str, float]:
            measured = {}
            for name, searcher in searchers.items():
                nodes, _, seconds = search_all(searcher, positions, depth, least)
                measured[f"search-{name}"] = nodes / seconds / 1e6
                measured[f"search-nodes-{name}"] = nodes / len(positions)
            _, hits, seconds = search_all(prober, endings, depth + 2, least)
            measured[PROBES] = hits / seconds / 1e6
            return measured

        return sample

    return Probe("search", tuple(kinds), prepare, rounds)
