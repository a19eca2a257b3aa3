"""First sums that are kept from move to move, and networks whose own pieces are negative."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from game import bitboard, moves
from game.board import Position
from game.generator import SplitMix64
from game.networks import evaluator, kernels, named, sum_kernels
from game.networks.evaluator import Evaluator, for_kernels, program_of
from game.networks.named import ANACONDA_5046, BLONDIE_1741, CNN_247, SHIPPED
from game.networks.spec import NetworkError, Spec
from game.rules import BLACK, MAX_MOVES, WHITE
from tests import naive_network
from tests.cases import for_each
from tests.game.networks.network_samples import (
    CROWNHEAD,
    SPECS,
    TILES,
    Floats,
    genomes,
    names,
    positions,
    slowest_in_check,
    words,
)

SIDES = (BLACK, WHITE)
KING_ENDING = Position.from_fen("W:WK15,K23,K30,21:BK1,K10,K26,12")
SCALES = (1e-3, 1.0, 30.0, 1e4, 1e30)


def random_game(seed: int, start: Position | None = None, plies: int = 120) -> list[Position]:
    draws, position = SplitMix64(seed), start or Position.start()
    results = [position]
    while len(results) < plies:
        after = moves.successors(position)
        if not after:
            break
        position = after[draws.below(len(after))][1]
        results.append(position)
    return results


GAMES = [random_game(seed) for seed in range(4)] + [random_game(seed, KING_ENDING, 60) for seed in range(2)]


def rebuilt(judge: Evaluator, position: Position, side: int) -> Floats:
    plan, _, params = judge.addresses
    sums = np.full(judge.program.sums, np.nan, np.float32)
    sum_kernels.rebuild(*words(position, side), side, plan, params, 0, sums.nbytes, sums.ctypes.data)
    return sums


def advanced(judge: Evaluator, before: Position, after: Position, side: int, sums: Floats) -> None:
    plan, _, params = judge.addresses
    sum_kernels.advance(*words(before, side), *words(after, side), side, plan, params, 0, sums.nbytes, sums.ctypes.data)


def judges(spec: Spec, seed: int) -> Iterator[Evaluator]:
    for number, (scale, king) in enumerate(itertools.product(SCALES, (1.0, 1.7, 3.0))):
        yield Evaluator(spec, genomes(spec, seed + number, 1, scale)[0], king)


@pytest.mark.parametrize("spec", SPECS, ids=names(SPECS))
def test_kept_and_rebuilt_sums_are_the_same_bits(spec: Spec) -> None:
    for judge, game in zip(judges(spec, 100), itertools.cycle(GAMES)):
        for side in SIDES:
            for step in (1, 2, 7):
                part = game[::step]
                sums = rebuilt(judge, part[0], side)
                for before, after in itertools.pairwise(part):
                    advanced(judge, before, after, side, sums)
                    assert sums.tobytes() == rebuilt(judge, after, side).tobytes()
                assert np.isfinite(sums).all()


@pytest.mark.parametrize("spec", slowest_in_check(SPECS), ids=names(SPECS))
def test_first_sums_are_exactly_those_of_the_naive_twin(spec: Spec) -> None:
    boards, sorts = positions(42, 15), itertools.product(SCALES, (1.0, 1.7, 3.0))
    # Every other sort: each size of weights, with one or two of the king values.
    for number, (scale, king) in itertools.islice(enumerate(sorts), 0, None, 2):
        weights, position = genomes(spec, 300 + number, 1, scale)[0], boards[number]
        judge, genome = Evaluator(spec, weights, king), weights.tolist()
        side, letter = ((BLACK, "B"), (WHITE, "W"))[number // 2 % 2]
        sums = rebuilt(judge, position, side)
        views = [letter, "BW"[letter == "B"]][: 1 + spec.by_mover]  # those of the other side are the second half
        for half, view in zip(sums.reshape(len(views), -1), views, strict=True):
            twin = first_sums(spec, genome, position.fen(), view, float(np.float32(king)))
            assert half[: len(twin)].tolist() == twin
            assert (half[len(twin) :] == 0).all()  # lanes that are no output


def first_sums(spec: Spec, genome: list[float], fen: str, view: str, king: float) -> list[float]:
    result = naive_network.layer_sums(spec, genome, fen, view, king, rounded=True)[0] if spec.layers else []
    return result + (naive_network.table_sums(spec, genome, fen, view, rounded=True) if spec.tables else [])


@pytest.mark.parametrize("spec", SHIPPED.values(), ids=SHIPPED)
def test_the_grid_is_as_fine_as_it_may_be(spec: Spec) -> None:
    """2**-16 for the weights of any sane genome; coarser, by powers of two, where a board would need 24 bits."""
    for scale, king, expected in (
        (0.2, 2.0, 2.0**-16),
        (1.0, 3.0, 2.0**-16),
        (30.0, 3.0, 2.0**-11),
        (1e4, 1.0, 2.0**-5),
    ):
        genome = genomes(spec, 43, 1, scale)[0]
        judge = Evaluator(spec, genome, king)
        first = judge.params[: judge.program.first].astype(np.float64)
        assert naive_network.grid_of(spec, genome.tolist(), king) == expected
        assert (first / expected % 1 == 0).all()
        assert (first / (2 * expected) % 1 != 0).any()
        tables = judge.program.source[: judge.program.first]
        changed = np.abs(first - np.append(genome.astype(np.float64), 0)[tables])
        men = np.r_[: len(first) // (2 * evaluator.ROWS + 1) * evaluator.ROWS]
        assert changed[men].max() <= expected / 2


def test_table_rows_of_bits_that_are_no_squares_are_zero() -> None:
    for spec in SPECS:
        judge = Evaluator(spec, genomes(spec, 44, 1)[0])
        rows = judge.params[: judge.program.first - judge.program.sums].reshape(
            4 if spec.by_mover else 2, evaluator.ROWS, -1
        )
        for bit, square in enumerate(bitboard.BIT_SQUARE):
            assert rows[:, bit].any() == (square != 0)


def move_rows(position: Position) -> tuple[np.ndarray, list[Position]]:  # type: ignore[type-arg]
    after = [board for _, board in moves.successors(position)]
    rows = np.zeros((MAX_MOVES, 4), np.uint64)
    for row, board in zip(rows, after, strict=False):
        row[:3] = words(board, position.side)
    return rows, after


@pytest.mark.parametrize("spec", SPECS, ids=names(SPECS))
def test_scores_from_kept_sums_are_those_of_positions_alone(spec: Spec) -> None:
    for judge, game in zip(judges(spec, 400), itertools.cycle(GAMES)):
        plan, taps, params = judge.addresses
        scratch = np.full(judge.program.scratch, np.nan, np.float32)
        scores = np.full(MAX_MOVES, np.nan, np.float32)
        kept = [rebuilt(judge, game[0], side) for side in SIDES]
        for ply, position in enumerate(game):
            if ply:
                for side in SIDES:
                    advanced(judge, game[ply - 1], position, side, kept[side])
            if ply % 5 == 0:
                rows, after = move_rows(position)
                kernels.score_moves(
                    *words(position, position.side), position.side, rows.ctypes.data, len(after), plan, taps, params,
                    judge.king, kept[position.side].ctypes.data, scratch.ctypes.data, scores.ctypes.data,
                )  # fmt: skip
                # Where activations have no limits, weights of 1e30 can end in sums that are no numbers.
                alone = np.array(judge.scores(after, position.side), np.float32)
                assert np.array_equal(scores[: len(after)], alone, equal_nan=True)


PAD = 64


class Guarded:
    """A buffer of float32 with canaries on both sides."""

    def __init__(self, size: int, canary: float) -> None:
        self.canary = np.float32(canary)
        self.whole = np.full(size + 2 * PAD, canary, np.float32)
        self.inner = self.whole[PAD:-PAD]
        self.address = self.inner.ctypes.data

    def check(self) -> None:
        for end in (self.whole[:PAD], self.whole[-PAD:]):
            assert (end.view(np.int32) == self.canary.view(np.int32)).all()


@for_each("canary", [-123456.789, np.nan, 3e38])
@for_each("spec", SPECS)
def test_the_sizes_of_a_program_suffice(spec: Spec, canary: float) -> None:
    program, king = program_of(spec), np.float32(1.7)
    genome = genomes(spec, 45, 1, 0.5)[0]
    expected = Evaluator(spec, genome, 1.7)
    params, rounded = Guarded(program.params, canary), Guarded(spec.weights + program.linear, canary)
    params.inner[:] = 0.0
    sums, scratch = Guarded(program.sums, canary), Guarded(program.scratch, canary)
    scores = Guarded(MAX_MOVES, canary)
    constant = [genome, program.plan, program.taps, program.places]
    before = [array.copy() for array in constant]
    seen = for_kernels(spec, genome)
    kernels.prepare(seen, program.factors(king), program.places, program.linear, rounded.inner, params.inner)
    if program.integers is not None:
        program.integers.write(params.inner, seen)
    assert params.inner.tobytes() == expected.params.tobytes()
    plan, taps = program.plan.ctypes.data, program.taps.ctypes.data
    prepared = params.inner.copy()
    for game in GAMES[3:5]:
        for position in game[::6]:
            rows, after = move_rows(position)
            side = position.side
            # A copy of the scratch between canaries for each number of moves from one on: all that goes together.
            for count in {len(after), *range(1, min(kernels.TOGETHER + 2, len(after) + 1))} - {0}:
                sum_kernels.rebuild(
                    *words(position, side), side, plan, params.address, 0, sums.inner.nbytes, sums.address
                )
                scores.inner[:] = canary
                scratch.inner[:] = canary
                kernels.score_moves(
                    *words(position, side), side, rows.ctypes.data, count, plan, taps, params.address,
                    king, sums.address, scratch.address, scores.address,
                )  # fmt: skip
                assert scores.inner[:count].tolist() == expected.scores(after[:count], side)
                assert (scores.inner[count:].view(np.int32) == scores.canary.view(np.int32)).all()
                for buffer in (params, rounded, sums, scratch, scores):
                    buffer.check()
    assert params.inner.tobytes() == prepared.tobytes()
    assert all(array.tobytes() == copy.tobytes() for array, copy in zip(constant, before, strict=True))


PLAIN = (CNN_247, BLONDIE_1741, ANACONDA_5046, CROWNHEAD, TILES)
"""With piece difference and without, with evolving kings and without."""


def negated(spec: Spec, weights: Floats) -> Floats:
    return np.concatenate([-weights[..., : spec.parts[0].stop], weights[..., spec.parts[0].stop :]], axis=-1)


@pytest.mark.parametrize("spec", PLAIN, ids=names(PLAIN))
def test_scores_are_the_same_bits(spec: Spec) -> None:
    boards = positions(5, 60)
    for weights in genomes(spec, 4, 3):
        for king in (None, 1.3):
            signed = Evaluator(replace(spec, own=-1), weights, king)
            plain, other = Evaluator(spec, negated(spec, weights), king), Evaluator(spec, weights, king)
            for side in (BLACK, WHITE):
                result = signed.scores(boards, side)
                assert result == plain.scores(boards, side) != other.scores(boards, side)


def test_file_sets_the_own_sign() -> None:
    spec = replace(TILES, own=-1)
    text = named.to_toml(spec)
    assert text.endswith("own = -1\n")
    assert "own" not in named.to_toml(TILES)
    values = {"name": "mine", "input": "squares", "layers": [{"kind": "dense", "units": 1}], "extras": {"own": -1}}
    assert named.from_values(values).own == -1
    for wrong in (0, 2, -1.0, True, "-1"):
        values["extras"] = {"own": wrong}
        with pytest.raises(NetworkError, match=r"extras\.own: expected "):
            named.from_values(values)
