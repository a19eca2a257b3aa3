"""Values of networks: compiled, in numpy, by plain loops, by hand; broken weights; first layers as pictures."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from game.board import Position
from game.errors import InputError
from game.networks import kernels
from game.networks.evaluator import Evaluator, evaluator_of
from game.networks.first_layer import first_layer
from game.networks.kinds import square_place
from game.networks.named import ANACONDA_5046, CNN_247, SHIPPED
from game.networks.spec import Layer, NetworkError, Spec
from game.rules import BLACK, WHITE
from tests import naive_network
from tests.cases import for_each
from tests.game.networks.network_samples import BY_MOVER, SPECS, genomes, names, positions, tame

LETTERS = ((BLACK, "B"), (WHITE, "W"))
KINGS = (1.0, 1.3, 2.0, 2.71, 3.0)
POSITION = Position.from_fen("B:W14,18,21,22,K6,K11,30,32:B1,2,5,10,12,K25,K27,19")


def single(king: float) -> float:
    return float(np.float32(king))


@pytest.mark.addition(
    "network", "a TOML file anywhere ([docs/networks.md](docs/networks.md)); a built-in one in `game/networks/named.py`"
)
@pytest.mark.parametrize("spec", SPECS, ids=names(SPECS))
def test_compiled_like_the_naive_twin(spec: Spec) -> None:
    boards = positions(3, 10)
    for number, king in enumerate(KINGS):
        genome = tame(spec, number)
        part = boards[number :: len(KINGS)]
        for side, letter in LETTERS:
            result = Evaluator(spec, genome, king).scores(part, side)
            for position, score in zip(part, result, strict=True):
                fen, weights = position.fen(), genome.tolist()
                twin = naive_network.output(spec, weights, fen, letter, single(king), rounded=True)
                assert score == pytest.approx(twin, rel=1e-6, abs=1e-6)
    assert sum(position.kings != 0 for position in boards) > len(boards) / 2


@pytest.mark.parametrize("spec", SPECS, ids=names(SPECS))
def test_mirrored_positions_have_the_same_bits(spec: Spec) -> None:
    boards = positions(21, 60)
    mirror = [position.mirror() for position in boards]
    for scale in (0.2, 1.0, 30.0):
        judge = Evaluator(spec, genomes(spec, 21, 1, scale)[0], 1.7)
        for side in (BLACK, WHITE):
            assert judge.scores(boards, side) == judge.scores(mirror, 1 - side)


@pytest.mark.parametrize("spec", SPECS, ids=names(SPECS))
def test_a_value_does_not_depend_on_its_neighbours(spec: Spec) -> None:
    boards = positions(22, 13)
    for genome in (tame(spec, 22), genomes(spec, 22, 1, 3.0)[0]):
        judge = Evaluator(spec, genome)
        for side in (BLACK, WHITE):
            alone = [judge.scores([position], side)[0] for position in boards]
            assert len(set(alone)) > 3
            for count in range(len(boards) + 1):
                assert judge.scores(boards[:count], side) == alone[:count]
                assert judge.scores(boards[count:], side) == alone[count:]
            assert judge.scores(boards[::-1], side) == alone[::-1]
            shuffled = np.random.default_rng(22).permutation(len(boards)).tolist()
            assert judge.scores([boards[i] for i in shuffled], side) == [alone[i] for i in shuffled]
            assert judge.scores([boards[3]] * 9, side) == [alone[3]] * 9


@for_each("spec", BY_MOVER)
def test_networks_may_see_the_side_to_move(spec: Spec) -> None:
    """What a position is worth to one side is its loss to the other; with the move with the other, it is another one.

    Whoever looks, the network sees the board as the side to move does: to turn the move is to mirror the pieces.
    """
    judge = Evaluator(spec, tame(spec, 22), 1.3)
    for position in positions(22, 30):
        other = Position(position.black, position.white, position.kings, 1 - position.side)
        here, turned = judge.scores([position, other], BLACK)
        assert judge.scores([position, other], WHITE) == [-here, -turned]
        assert here != turned
        assert judge.scores([other.mirror()], position.side) == judge.scores([other], 1 - position.side)


def test_threads_share_a_genome() -> None:
    """The kernels let other threads run, so no call may use another's memory."""
    genome, boards = tame(ANACONDA_5046, 23), positions(23, 200)
    expected = evaluator_of(ANACONDA_5046, genome).scores(boards, BLACK)
    with ThreadPoolExecutor(4) as threads:
        calls = [threads.submit(evaluator_of(ANACONDA_5046, genome).scores, boards, BLACK) for _ in range(40)]
        assert all(call.result() == expected for call in calls)


@pytest.mark.parametrize("scale", [1e3, 1e30])
@pytest.mark.parametrize("spec", SHIPPED.values(), ids=SHIPPED)
def test_saturated_weights_give_finite_values(spec: Spec, scale: float) -> None:
    boards = positions(25, 60)
    for genome in genomes(spec, 25, 4, scale):
        for side in (BLACK, WHITE):
            assert np.isfinite(Evaluator(spec, genome, 3.0).scores(boards, side)).all()


@for_each("bad", [math.nan, math.inf, -math.inf])
@for_each("spec", SPECS)
def test_a_weight_that_is_no_number_is_never_hidden(spec: Spec, bad: float) -> None:
    boards = [Position.start(), POSITION, Position.from_fen("B:W:B"), Position.from_fen("B:WK32:BK1")]
    for part in spec.parts:
        for index in {part.start, (part.start + part.stop) // 2, part.stop - 1}:
            genome = tame(spec, 27)
            genome[index] = bad
            for side in (BLACK, WHITE):
                assert np.isnan(Evaluator(spec, genome).scores(boards, side)).all(), (part.name, index)


@pytest.mark.parametrize("king", [math.nan, math.inf])
def test_a_king_value_that_is_no_number_is_never_hidden(king: float) -> None:
    for spec in SPECS:
        assert not np.isfinite(Evaluator(spec, tame(spec, 28), king).scores([Position.start(), POSITION], BLACK)).any()


def test_a_first_layer_beyond_the_range_of_a_float_is_broken_as_a_whole() -> None:
    limit = 2.0**126 / (24 * 2.0 + 1)
    boards = [Position.start(), POSITION, Position.from_fen("B:W:B")]
    genome = np.zeros(247, np.float32)
    for factor, finite in ((0.999, True), (1.001, False)):
        genome[:78] = limit * factor
        assert (np.isfinite(Evaluator(CNN_247, genome).scores(boards, BLACK)) == finite).all()


def test_a_wrong_number_of_weights() -> None:
    for spec in SPECS:
        for count in (0, spec.weights - 1, spec.weights + 1):
            with pytest.raises(InputError, match=f"expected {spec.weights} weights for {spec.name}"):
                evaluator_of(spec, np.zeros(count, np.float32)).scores([Position.start()], BLACK)
        with pytest.raises(InputError, match=f"expected {spec.weights} weights"):
            evaluator_of(spec, np.zeros((1, spec.weights), np.float32)).scores([Position.start()], BLACK)


def test_lists_and_doubles_are_taken_as_float32() -> None:
    (genome,) = genomes(CNN_247, 29, 1)
    expected = evaluator_of(CNN_247, genome).scores([POSITION], BLACK)
    frozen = genome.copy()
    frozen.flags.writeable = False
    for same in (genome.tolist(), genome.astype(np.float64), np.repeat(genome, 2)[::2], frozen):
        assert evaluator_of(CNN_247, same).scores([POSITION], BLACK) == expected
        assert Evaluator(CNN_247, same).scores([POSITION], BLACK) == expected
    assert len(kernels.prepare.signatures) == 1  # type: ignore[attr-defined]  # compiled once for all of them


def test_a_genome_is_judged_as_it_is_now() -> None:
    (genome,) = genomes(CNN_247, 30, 1)
    before = evaluator_of(CNN_247, genome).scores([POSITION], BLACK)
    genome[0] += 1
    assert evaluator_of(CNN_247, genome).scores([POSITION], BLACK) != before
    genome[0] -= 1
    assert evaluator_of(CNN_247, genome).scores([POSITION], BLACK) == pytest.approx(before, abs=1e-4)


def test_a_network_too_large_for_the_kernel() -> None:
    with pytest.raises(NetworkError, match=r"layers\.0: 64 inputs by 128,000 outputs, at most 4,194,304 connections"):
        Spec("wide", "board", (Layer("convolution", 2000, 1), Layer("dense", 1)))


def test_kernels_of_a_convolution_stand_with_the_own_side_below() -> None:
    weights = np.arange(CNN_247.weights, dtype=np.float32)
    part = CNN_247.parts[0].of(weights)
    shown = first_layer(weights, CNN_247)
    rows, columns, _, filters = part.shape
    assert len(shown) == filters
    for number, picture in enumerate(shown):
        assert picture.size == (columns, rows)
        assert picture.rows[rows - 1] == tuple(part[0, :, 0, number].tolist())
        assert picture.rows[0] == tuple(part[-1, :, 0, number].tolist())


def test_parts_of_the_board_show_means_on_dark_squares() -> None:
    spec = next(each for each in SHIPPED.values() if each.layers[0].kind == "subsquares")
    board = first_layer(np.full(spec.weights, 0.25), spec)[0].rows
    dark = {(7 - row, column) for row, column in map(square_place, range(32))}
    for row in range(8):
        for column in range(8):
            assert board[row][column] == (0.25 if (row, column) in dark else None)


@pytest.mark.parametrize("spec", BY_MOVER, ids=[spec.name for spec in BY_MOVER])
def test_tables_and_kinds_of_pieces_are_pictures_of_one_size(spec: Spec) -> None:
    weights = np.arange(spec.weights, dtype=np.float32)
    shown = first_layer(weights, spec)
    assert len({picture.size for picture in shown}) == 1
    assert len(shown) >= 1 + spec.tables
    if spec.tables:
        assert [shown[0].title, shown[-1].title] == (
            ["men", "kings"]
            if spec.phases == 1
            else ["men in the opening", "kings in the endgame"]
            if spec.phases == 2
            else ["men, 24 pieces", "kings, 0 pieces"]
        )
        assert shown[1].rows[7] == (None, 32.0, None, 33.0, None, 34.0, None, 35.0)


def test_kinds_of_pieces_have_pictures_of_their_own() -> None:
    shown = first_layer(np.arange(586.0 - 65), replace(BY_MOVER[1], tables=False))
    assert [picture.title for picture in shown][:4] == [
        f"unit 1, {kind}" for kind in ("men", "kings", "their men", "their kings")
    ]
    assert shown[6].rows[7][1] == 64 * 4 + 1  # unit 2, square 1 of the third kind
    spec = Spec("planes", "planes", (Layer("convolution", 2, 3), Layer("dense", 1)))
    shown = first_layer(np.arange(float(spec.weights)), spec)
    assert (len(shown), shown[7].title, shown[7].rows[2][0]) == (8, "filter 2, their kings", 7.0)
