"""Speed of one core: perft, evaluations, whole games."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np

from evolve.bench.measure import Metric, Probe, Sample
from game import moves
from game.batch.games import BatchPlayers, Outcomes, play_all
from game.board import Position
from game.generator import SplitMix64
from game.networks.evaluator import Evaluator
from game.networks.kinds import flat
from game.networks.network_file import from_file
from game.networks.shipped import ANACONDA_5046, BLONDIE_1741, CNN_247
from game.networks.spec import Layer, Spec
from game.networks.windows import WINDOWS
from game.rules import WCDF, DrawRules

EXAMPLE = Path(__file__).parent / "example.toml"
TINY = Spec("tiny", "squares", tuple(Layer("dense", units) for units in (20, 5, 5, 1)))
DEEP = Spec("deep", "squares", tuple(Layer("dense", units, activation="tanh") for units in (32,) * 6 + (1,)))
PERFT_10 = 18_391_564
POSITIONS = 64
MOVES = 8
EVALUATION_GOALS = {CNN_247.name: 30.0, ANACONDA_5046.name: 12.0}
GENOMES = 1024


def probes(rounds: int, *, quick: bool) -> list[Probe]:
    """Perft, evaluations and games."""
    return [*_perft(rounds, quick), _evaluations(rounds, quick), _games(rounds, quick)]


def _perft(rounds: int, quick: bool) -> list[Probe]:
    depth, nodes = (7, 179_740) if quick else (10, PERFT_10)
    start = Position.start()

    def probe(name: str, text: str, goal: float, bulk: bool, repeats: int) -> Probe:
        def sample() -> dict[str, float]:
            started = time.perf_counter()
            for _ in range(repeats):
                found = moves.perft(start, depth, bulk=bulk)
                if found != nodes:
                    raise RuntimeError(f"perft {depth}: {found} nodes, expected {nodes}")
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
    """Positions of seeded random games with at least so many moves."""
    generator = SplitMix64(1)
    found: list[Position] = []
    while len(found) < count:
        position = Position.start()
        while after := moves.successors(position):
            if len(after) >= least and generator.below(4) == 0:
                found.append(position)
            position = after[generator.below(len(after))][1]
            if position.kings and generator.below(20) == 0:
                break
    return found[:count]


class Judge:
    """A network with the moves of many positions and their kept sums, ready to be timed."""

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
        """How long `repeats` times all moves of all positions take."""
        from game.timing_kernels import score_again

        started = time.perf_counter()
        score_again(
            repeats, self._words, self._rows.ctypes.data, MOVES, *self._evaluator.addresses, self._evaluator.king,
            self._sums.ctypes.data, self._sums.strides[0], self._scratch.ctypes.data, self._scores.ctypes.data,
        )  # fmt: skip
        return time.perf_counter() - started


def work_of(spec: Spec) -> int:
    """Multiplications of an evaluation after a simple move: two rows of the first layer's table, and all behind it.

    Tables beside the layers are part of these rows; of patterns a weight is looked up for each window.

    (What a row adds was multiplied when the genome was prepared; it is counted all the same, as work done.)
    """
    sums = (flat(spec.shapes[1]) if spec.layers else 0) + spec.phases * spec.tables
    return 2 * sums + sum(spec.multiplications()[1:]) + WINDOWS * min(spec.phases, 2) * spec.patterns


def _evaluations(rounds: int, quick: bool) -> Probe:
    """All networks in one probe: the last figures compare them."""
    shipped = (CNN_247, BLONDIE_1741, ANACONDA_5046)
    users = (TINY, from_file(EXAMPLE), DEEP)
    wanted = 0.01 if quick else 0.2
    kinds = [
        Metric(
            f"evaluations-{spec.name}",
            "million/s",
            f"positions judged by {spec.name}, first layer kept, eight moves of each",
            EVALUATION_GOALS.get(spec.name),
        )
        for spec in (*shipped, *users)
    ]
    for spec in users:
        text = f"multiplications a second, {spec.name} against the best of the shipped networks"
        kinds.append(Metric(f"{spec.name}-ratio", "ratio", text, 0.2, scales=False))

    def prepare() -> Sample:
        positions = middle_game_positions(POSITIONS, MOVES)
        judges = [Judge(spec, positions) for spec in (*shipped, *users)]
        repeats = []
        for judge in judges:
            judge.seconds(1)
            repeats.append(max(1, round(wanted / judge.seconds(5) * 5)))

        def sample() -> dict[str, float]:
            rates = {}
            for judge, times in zip(judges, repeats, strict=True):
                rates[judge.spec] = times * POSITIONS * MOVES / judge.seconds(times)
            best = max(rates[spec] * work_of(spec) for spec in shipped)
            found = {f"evaluations-{spec.name}": rate / 1e6 for spec, rate in rates.items()}
            return found | {f"{spec.name}-ratio": rates[spec] * work_of(spec) / best for spec in users}

        return sample

    return Probe("evaluations", tuple(kinds), prepare, rounds)


def cnn_games(games: int, rules: DrawRules = WCDF) -> tuple[Outcomes, float]:
    """Games between random pairs of random cnn-247 individuals on one core, and the seconds they took."""
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
            "game-evaluations", "positions", "evaluations in one of them (choices of two or more moves)", scales=False
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
