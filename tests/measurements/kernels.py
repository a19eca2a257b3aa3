"""Speed of probes of tables, of tree searches, and of a move by an engine."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack
from queue import SimpleQueue
from typing import cast

import numpy as np

from evolve.names.players import resolve
from evolve.run.runs import CHAMPION_RUN, SHIPPED_RUNS
from extras.bench.figures import Probe, Sample
from extras.bench.speed import search_all
from extras.engine.engine import Engine
from extras.learning.self_play import SearchedGames, play
from game import moves, openings
from game.board import Position
from game.generator import SplitMix64
from game.networks.evaluator import Evaluator, rows_seen
from game.players.names import parse_name
from game.players.network import NetworkPlayer
from game.rules import WCDF
from game.search.interface import SearchOptions
from game.search.search import AlphaBeta
from game.search.tree.search import TreeOptions
from tests.measurements.goals import Metric

PROBES, PROBES_GOAL = "search-probes", 5.0
ENDINGS = (
    "W:WK5,K12,26:BK7,K11", "W:WK9,23,K30:BK3,K22", "W:W11,18,K22:BK20,K27", "B:W5,11,K24:BK3,K21",
    "B:WK11,K15,28:BK12,K18",
)  # fmt: skip
"""Endings with five pieces. About a fifth to a quarter of the positions searched are in tables of 2 to 4 pieces."""
ZERO = "zero"
VISITS = 16
ENGINE_GOAL = 0.3


def probes(rounds: int, quick: bool, open_until: ExitStack) -> list[Probe]:
    """Return the probes of one core, which need no cleanup."""
    return [make(rounds, quick) for make in (_probes, _trees, _engine)]


def _probes(rounds: int, quick: bool) -> Probe:
    text = "positions looked up in tables of 2 to 4 pieces by a search, including all its other work"

    def prepare() -> Sample:
        endings = [Position.from_fen(fen) for fen in ENDINGS]
        prober = AlphaBeta(None, SearchOptions(quiescence=True, tablebase=4))
        search_all(prober, endings, 2)

        def sample() -> dict[str, float]:
            _, hits, seconds = search_all(prober, endings, 6 if quick else 10, 0.02 if quick else 0.2)
            return {PROBES: hits / seconds / 1e6}

        return sample

    return Probe("search", (Metric(PROBES, "million/s", text, PROBES_GOAL, alone=True),), prepare, rounds)


def shipped(name: str) -> NetworkPlayer:
    return cast(NetworkPlayer, resolve(SHIPPED_RUNS, None, parse_name(name)))


def tree_games(evaluator: Evaluator, games: int) -> tuple[SearchedGames, float]:
    """Play games of a network against itself as the preset `zero` does.

    Return them, and the processor time of this thread in seconds.
    """
    generator, ballots = np.random.default_rng(3), openings.openings("three-move")
    starts = rows_seen([ballots[each].position for each in generator.integers(len(ballots), size=games)])
    seeds = generator.integers(1, 2**63, size=games, dtype=np.uint64)
    options = TreeOptions(selection="gumbel", candidates=8, tablebase=4, skips_forced=True)
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
