"""Speed of perft, whole games and searches on one core, and of generations on two."""

from __future__ import annotations

import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

import numpy as np

from evolve.config import toml
from evolve.run.status import lock
from extras.bench import counting
from extras.bench.figures import Metric, Probe, Sample
from game import moves, openings
from game.batch.games import BatchPlayers, Outcomes, play_all
from game.board import Position
from game.networks.evaluator import Evaluator
from game.networks.named import ANACONDA_5046, CNN_247
from game.rules import WCDF, DrawRules
from game.search import layout as at
from game.search.interface import Limits, SearchOptions
from game.search.search import AlphaBeta

PERFT_10 = 18_391_564
PERFTS = 5
"""Number of times that they are counted for a sample."""
GENOMES = 1024
SEARCH_DEPTH = 8
SEARCHED = 40
"""Number of positions that are searched."""
SEARCHED_PLIES = 12
"""Number of plies after the ballot at which a position is taken."""
LAST = 15


def probes(rounds: int, quick: bool, open_until: ExitStack) -> list[Probe]:
    return [_perft(rounds, quick), _games(rounds, quick), _searches(rounds, quick), _session(rounds, quick)]


def _perft(rounds: int, quick: bool) -> Probe:
    depth, nodes = (7, 179_740) if quick else (10, PERFT_10)
    start = Position.start()

    def sample() -> dict[str, float]:
        started = time.perf_counter()
        for _ in range(PERFTS):
            counted = counting.perft(start, depth)
            if counted != nodes:
                raise RuntimeError(f"perft {depth}: {counted} nodes, expected {nodes}")
        return {"perft": PERFTS * nodes / (time.perf_counter() - started) / 1e6}

    def prepare() -> Sample:
        counting.perft(start, 2)
        return sample

    return Probe("perft", (Metric("perft", "million/s", "nodes of perft 10"),), prepare, rounds)


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
    metrics = (
        Metric("games", "games/s", "whole one-ply games between cnn-247 individuals, one core"),
        Metric("game-plies", "plies", "mean length of these games"),
        Metric("game-evaluations", "positions", "evaluations in one of these games (choices of two or more moves)"),
    )

    def sample() -> dict[str, float]:
        outcomes, seconds = cnn_games(games)
        plies, evaluations = float(outcomes.plies.mean()), float(outcomes.evaluations.mean())
        return {"games": games / seconds, "game-plies": plies, "game-evaluations": evaluations}

    def prepare() -> Sample:
        cnn_games(2)
        return sample

    return Probe("games", metrics, prepare, rounds)


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
    metrics = []
    for name in evaluators():
        text = f"positions visited by a search of {depth} plies"
        metrics.append(Metric(f"search-{name}", "million/s", text))
        text = f"positions visited in a search of {depth} plies from a middle game"
        metrics.append(Metric(f"search-nodes-{name}", "positions", text))

    def prepare() -> Sample:
        positions = play_positions(4 if quick else SEARCHED)
        searchers = {name: AlphaBeta(evaluator) for name, evaluator in evaluators().items()}
        for searcher in searchers.values():
            search_all(searcher, positions[:1], 2)

        def sample() -> dict[str, float]:
            measured = {}
            for name, searcher in searchers.items():
                nodes, _, seconds = search_all(searcher, positions, depth, least)
                measured[f"search-{name}"] = nodes / seconds / 1e6
                measured[f"search-nodes-{name}"] = nodes / len(positions)
            return measured

        return sample

    return Probe("search", tuple(metrics), prepare, rounds)


def _session(rounds: int, quick: bool) -> Probe:
    settings = ["seed=1", f"generations={2 if quick else LAST}"]
    if quick:
        stages = "stages=[{kind='elimination',rounds=2},{kind='round-robin'}]"
        settings += ["population.parents=4", "population.mutants=0", stages]

    def sample() -> dict[str, float]:
        from evolve.session import create, evolution
        from evolve.session.reporters import Reporter

        config = toml.load("cowan", settings=settings)
        with tempfile.TemporaryDirectory(prefix="crownhead-bench-") as folder:
            run = create.create(Path(folder), "bench", config)
            with lock(run.path):
                summary = evolution.evolve(run, config, Reporter(), workers=2)
        if summary.signal is not None:
            raise KeyboardInterrupt
        return {"generations-15": summary.seconds}

    text = f"preset cowan, two workers: generations 0 to {LAST}, from the first game to the last file on disk"
    return Probe("sessions", (Metric("generations-15", "s", text),), lambda: sample, rounds)
