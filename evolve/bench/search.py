"""Speed of the search on one core, and how many positions it needs for a depth."""

from __future__ import annotations

import time

import numpy as np

from evolve.bench.measure import Metric, Probe, Sample
from game import moves, openings
from game.board import Position
from game.networks.evaluator import Evaluator
from game.networks.shipped import ANACONDA_5046, CNN_247
from game.rules import WCDF
from game.search import layout as at
from game.search.limits import Limits, SearchOptions
from game.search.search import AlphaBeta

DEPTH = 8
GOALS = {"material": 33.0, CNN_247.name: 16.0, ANACONDA_5046.name: 10.5}
POSITIONS = 40
PLIES = 12
PROBES, PROBES_GOAL = "search-probes", 5.0
ENDINGS = (
    "W:WK5,K12,26:BK7,K11", "W:WK9,23,K30:BK3,K22", "W:W11,18,K22:BK20,K27", "B:W5,11,K24:BK3,K21",
    "B:WK11,K15,28:BK12,K18",
)  # fmt: skip
"""Endings of five pieces in which captures lead into tables of 2 to 4 at every fourth or fifth position."""


def play_positions(count: int) -> list[Position]:
    """Positions from games that a search on material plays, from ballots spread over all three-move ballots."""
    searcher = AlphaBeta(None, SearchOptions(quiescence=True))
    ballots = openings.openings("three-move")
    positions: list[Position] = []
    for number in range(count):
        position = ballots[number * len(ballots) // count].position
        for _ in range(PLIES):
            if moves.legal_moves(position):
                position = moves.apply(position, searcher.search(position, limits=Limits(depth=4)).move)
        if len(moves.legal_moves(position)) > 1:
            positions.append(position)
    return positions


def evaluators() -> dict[str, Evaluator | None]:
    """Material, and random genomes of the networks."""
    generator = np.random.default_rng(1)
    networks = {
        spec.name: Evaluator(spec, generator.uniform(-0.3, 0.3, spec.weights).astype(np.float32))
        for spec in (CNN_247, ANACONDA_5046)
    }
    return {"material": None, **networks}


def search_all(
    searcher: AlphaBeta, positions: list[Position], depth: int, least: float = 0.0
) -> tuple[int, int, float]:
    """Search positions to a depth, again and again until that took `least` seconds of processor time.

    Returns:
        The number of positions visited each time, of those looked up in tablebases, and the seconds that once took:
        time of this thread alone, for on a busy machine other time says nothing of a core.
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


def probes(rounds: int, *, quick: bool) -> list[Probe]:
    """One probe for all evaluations."""
    depth, least = (4, 0.02) if quick else (DEPTH, 0.2)
    kinds = []
    for name, goal in GOALS.items():
        text = f"positions that a search of {depth} plies visits"
        kinds.append(Metric(f"search-{name}", "million/s", text, goal, alone=True))
        text = f"positions visited for {depth} plies of a middle game"
        kinds.append(Metric(f"search-nodes-{name}", "positions", text, scales=False))

    text = "positions that a search looks up in tables of 2 to 4 pieces, all its other work included"
    kinds.append(Metric(PROBES, "million/s", text, PROBES_GOAL, alone=True))

    def prepare() -> Sample:
        positions = play_positions(4 if quick else POSITIONS)
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

    return [Probe("search", tuple(kinds), prepare, rounds)]
