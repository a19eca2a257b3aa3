"""The 247-weight network: compiled, in numpy, and by plain loops; its genome weight by weight; a value by hand."""

from __future__ import annotations

import itertools
import math
from random import Random
from typing import Any

import numpy as np
import pytest

from game import layout
from game.board import Position
from game.errors import InputError
from game.networks import cnn247, evaluator, kernels
from game.rules import BLACK, WHITE
from tests import naive, naive_network

CANARY = np.float32(-123456.789)
LN3 = math.log(3)


def genomes(seed: int, count: int, scale: float = 1.0) -> np.ndarray[Any, np.dtype[np.float32]]:
    return np.random.default_rng(seed).uniform(-scale, scale, (count, cnn247.WEIGHTS)).astype(np.float32)


def positions(seed: int, count: int) -> list[Position]:
    return [Position.from_fen(board.fen()) for board in naive.random_boards(Random(seed), count)]


def in_layers(genome: Any, position: Position, side: int) -> tuple[Any, Any, Any, float]:
    """What the kernel leaves: first (4, 4, 3) and second (2, 2, 3) after sigmoids, sums of the hidden layer, total."""
    table = np.empty(kernels.TABLE_SIZE, np.float32)
    scratch = np.empty(kernels.SCRATCH_SIZE, np.float32)
    weights = np.asarray(genome, np.float32)
    kernels.fill_table(weights, table)
    own, other = (position.black, position.white) if side == BLACK else (position.white, position.black)
    words = (np.uint64(own), np.uint64(other), np.uint64(position.kings))
    total = kernels.evaluate(*words, side, weights, table, scratch)
    return scratch[:48].reshape(4, 4, 3), scratch[48:60].reshape(2, 2, 3), scratch[60:], float(total)


# ---------------------------------------------------------------------------------------------------------------
# Three ways to one value
# ---------------------------------------------------------------------------------------------------------------


def test_encoding_like_the_naive_twin() -> None:
    for position in positions(1, 120):
        for side, letter in ((BLACK, "B"), (WHITE, "W")):
            assert cnn247.encoded(position, side).tolist() == naive_network.encoded(position.fen(), letter)


def test_start_is_encoded_from_the_own_back_row() -> None:
    """Written out once: both sides see their men in rows 0 to 2, row 0 with squares 1-4 (for White 32-29)."""
    board = cnn247.encoded(Position.start(), BLACK)
    assert board[0].tolist() == [0, 1, 0, 1, 0, 1, 0, 1]
    assert board[1].tolist() == [1, 0, 1, 0, 1, 0, 1, 0]
    assert (board[3:5] == 0).all()
    assert board[7].tolist() == [-1, 0, -1, 0, -1, 0, -1, 0]
    assert (board == cnn247.encoded(Position.start(), WHITE)).all()
    lonely = cnn247.encoded(Position.from_fen("B:WK32:B2"), WHITE)
    assert np.argwhere(lonely).tolist() == [[0, 1], [7, 4]]  # square 32 is White's 1, square 2 its 31
    assert (lonely[0, 1], lonely[7, 4]) == (2, -1)


@pytest.mark.parametrize("scale", [0.1, 1.0, 3.0])
def test_numpy_and_compiled_like_the_naive_twin(scale: float) -> None:
    boards = positions(int(10 * scale), 60)
    for number, genome in enumerate(genomes(247, 10, scale)):
        exact = genome.astype(float).tolist()
        for position in boards[number::10] + boards[:2]:
            for side, letter in ((BLACK, "B"), (WHITE, "W")):
                value = naive_network.layers(exact, naive_network.encoded(position.fen(), letter)).value
                assert cnn247.forward(genome, cnn247.encoded(position, side)) == pytest.approx(value, abs=1e-12)
                (total,) = evaluator.scores(genome, [position], side)
                assert naive_network.sigmoid(total) == pytest.approx(value, abs=1e-6)


def test_compiled_like_numpy_on_many_positions() -> None:
    seen_kings = 0
    boards = positions(5, 450)
    for number, genome in enumerate(genomes(5, 9)):
        for side in (BLACK, WHITE):
            part = boards[number::9]
            for position, total in zip(part, evaluator.scores(genome, part, side), strict=True):
                seen_kings += position.kings != 0
                value = cnn247.forward(genome, cnn247.encoded(position, side))
                assert naive_network.sigmoid(total) == pytest.approx(value, abs=1e-6)
    assert seen_kings > 300


def test_each_layer_like_the_naive_twin() -> None:
    for genome, position in zip(genomes(8, 40, 2.0), positions(8, 40), strict=True):
        first, second, hidden, total = in_layers(genome, position, position.side)
        letter = "BW"[position.side]
        expected = naive_network.layers(genome.astype(float).tolist(), naive_network.encoded(position.fen(), letter))
        assert first == pytest.approx(np.array(expected.first), abs=3e-6)
        assert second == pytest.approx(np.array(expected.second), abs=5e-6)
        assert hidden == pytest.approx(np.array(expected.hidden), abs=5e-5)
        assert total == pytest.approx(expected.total, abs=5e-5)


# ---------------------------------------------------------------------------------------------------------------
# By hand
# ---------------------------------------------------------------------------------------------------------------


def by_hand() -> np.ndarray[Any, np.dtype[np.float32]]:
    """Six weights that are not zero, chosen so that the sigmoids give simple fractions: sigmoid(ln 3) = 3/4.

    The first filter looks only at row 0, column 1 of its window. Square 1 of a side lies in row 0, column 1 of the
    board, so just the window at (0, 0) has it there.
    """
    genome = np.zeros(cnn247.WEIGHTS, np.float32)
    genome[(0 * 5 + 1) * 3 + 0] = LN3  # first kernels: row 0, column 1, filter 0
    genome[78 + ((0 * 3 + 0) * 3 + 0) * 3 + 0] = 4 * LN3  # second kernels: row 0, column 0, plane 0, filter 0
    genome[159 + 0] = -2 * LN3  # second biases: filter 0
    genome[162 + 0 * 6 + 5] = 4 * LN3  # dense: input 0, sum 5
    genome[234 + 5] = -2 * LN3  # dense biases: sum 5
    genome[240 + 5] = 8.0  # output: input 5
    return genome


@pytest.mark.parametrize(
    ("fen", "side", "total"),
    [
        # A man of one's own: ln 3 -> 3/4, all other places 1/2. Second layer at (0, 0): 4 ln 3 (3/4) - 2 ln 3 = ln 3
        # -> 3/4; at the other places 4 ln 3 (1/2) - 2 ln 3 = 0 -> 1/2. Sum 5: again ln 3 -> 3/4. Total 8 (3/4) = 6.
        ("B:W:B1", BLACK, 6.0),
        ("B:W32:B", WHITE, 6.0),
        # Nobody there: 0 -> 1/2, then 0 -> 1/2, then 0 -> 1/2. Total 4.
        ("B:W:B2", BLACK, 4.0),
        ("B:W:B", WHITE, 4.0),
        # The other side's man, which on square 1 of a side can only be a king: -2 ln 3 -> 1/(1 + 9) = 1/10. Second
        # layer: 4 ln 3 (1/10) - 2 ln 3 = -1.6 ln 3 -> 1/(1 + 3^1.6) = y. Sum 5: (4y - 2) ln 3. Total 8/(1 + 3^(2-4y)).
        ("B:WK1:B", BLACK, 8 / (1 + 3 ** (2 - 4 / (1 + 3**1.6)))),
        ("B:W:BK32", WHITE, 8 / (1 + 3 ** (2 - 4 / (1 + 3**1.6)))),
        # One's own king: 2 ln 3 -> 9/10. Second layer: 4 ln 3 (9/10) - 2 ln 3 = 1.6 ln 3 -> z = 1/(1 + 3^-1.6).
        ("B:W:BK1", BLACK, 8 / (1 + 3 ** (2 - 4 / (1 + 3**-1.6)))),
    ],
)
def test_value_worked_out_by_hand(fen: str, side: int, total: float) -> None:
    position = Position.from_fen(fen)
    assert evaluator.scores(by_hand(), [position], side) == [pytest.approx(total, abs=1e-5)]
    value = 1 / (1 + math.exp(-total))
    assert cnn247.forward(by_hand(), cnn247.encoded(position, side)) == pytest.approx(value, abs=1e-7)
    letter = "BW"[side]
    twin = naive_network.layers(by_hand().tolist(), naive_network.encoded(fen, letter))
    assert twin.total == pytest.approx(total, abs=1e-5)


# ---------------------------------------------------------------------------------------------------------------
# The genome, weight by weight: each layer with one weight alone in it, on inputs that are all different
# ---------------------------------------------------------------------------------------------------------------

POSITION = Position.from_fen("B:W14,18,21,22,K6,K11,30,32:B1,2,5,10,12,K25,K27,19")


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def only(start: int, stop: int, index: int, base: Any) -> Any:
    """`base` with zeros from `start` to `stop` but for one weight."""
    genome = base.copy()
    genome[start:stop] = 0
    genome[index] = 0.75
    return genome


def test_parts_lie_behind_each_other() -> None:
    starts = [part.start for part in cnn247.PARTS]
    assert starts == [0, 75, 78, 159, 162, 234, 240, 246]
    assert [part.stop for part in cnn247.PARTS] == [*starts[1:], cnn247.WEIGHTS]
    numbered = np.arange(cnn247.WEIGHTS)
    assert cnn247.KERNEL_1.of(numbered)[2, 3, 0, 1] == (2 * 5 + 3) * 3 + 1
    assert cnn247.KERNEL_2.of(numbered)[1, 2, 0, 2] == 78 + ((1 * 3 + 2) * 3 + 0) * 3 + 2
    assert cnn247.DENSE_1.of(numbered)[7, 4] == 162 + 7 * 6 + 4
    assert np.shares_memory(cnn247.DENSE_2.of(numbered), numbered)


@pytest.mark.parametrize("side", [BLACK, WHITE])
def test_weights_of_the_first_layer(side: int) -> None:
    base = genomes(11, 1)[0]
    board = cnn247.encoded(POSITION, side)
    for index in range(75):
        row, column, kernel = index // 15, index // 3 % 5, index % 3
        expected = np.full((4, 4, 3), 0.5)
        expected[:, :, kernel] = sigmoid(0.75 * board[row : row + 4, column : column + 4])
        first = in_layers(only(0, 78, index, base), POSITION, side)[0]
        assert first == pytest.approx(expected, abs=1e-6), index
    for index in range(75, 78):
        expected = np.full((4, 4, 3), 0.5)
        expected[:, :, index - 75] = sigmoid(0.75)
        assert in_layers(only(0, 78, index, base), POSITION, side)[0] == pytest.approx(expected, abs=1e-6), index


def test_weights_of_the_second_layer() -> None:
    base = genomes(12, 1)[0]
    first = in_layers(base, POSITION, BLACK)[0].copy()
    assert len(np.unique(first)) == 48  # so that no two weights can be mistaken for each other
    for index in range(78, 159):
        row, column, plane, kernel = np.unravel_index(index - 78, (3, 3, 3, 3))
        expected = np.full((2, 2, 3), 0.5)
        expected[:, :, kernel] = sigmoid(0.75 * first[row : row + 2, column : column + 2, plane])
        second = in_layers(only(78, 162, index, base), POSITION, BLACK)[1]
        assert second == pytest.approx(expected, abs=1e-6), index
    for index in range(159, 162):
        expected = np.full((2, 2, 3), 0.5)
        expected[:, :, index - 159] = sigmoid(0.75)
        assert in_layers(only(78, 162, index, base), POSITION, BLACK)[1] == pytest.approx(expected, abs=1e-6), index


def test_weights_of_the_dense_layers() -> None:
    base = genomes(13, 1)[0]
    second = in_layers(base, POSITION, BLACK)[1].reshape(-1).copy()
    assert len(np.unique(second)) == 12
    for index in range(162, 234):
        expected = np.zeros(6)
        expected[(index - 162) % 6] = 0.75 * second[(index - 162) // 6]
        hidden = in_layers(only(162, 240, index, base), POSITION, BLACK)[2]
        assert hidden == pytest.approx(expected, abs=1e-6), index
    for index in range(234, 240):
        expected = np.zeros(6)
        expected[index - 234] = 0.75
        assert in_layers(only(162, 240, index, base), POSITION, BLACK)[2] == pytest.approx(expected, abs=1e-6), index


def test_weights_of_the_output() -> None:
    base = genomes(14, 1)[0]
    hidden = in_layers(base, POSITION, BLACK)[2].copy()
    assert len(np.unique(hidden)) == 6
    for index in range(240, 246):
        total = in_layers(only(240, 247, index, base), POSITION, BLACK)[3]
        assert total == pytest.approx(0.75 * sigmoid(hidden[index - 240]), abs=1e-6), index
    assert in_layers(only(240, 247, 246, base), POSITION, BLACK)[3] == np.float32(0.75)


def test_every_weight_counts() -> None:
    """At the start of a game each of the 247 changes the value, for both colours."""
    genome = genomes(15, 1, 0.5)[0]
    for side in (BLACK, WHITE):
        (before,) = evaluator.scores(genome, [Position.start()], side)
        for index in range(cnn247.WEIGHTS):
            changed = genome.copy()
            changed[index] += 0.5
            assert evaluator.scores(changed, [Position.start()], side) != [before], index


# ---------------------------------------------------------------------------------------------------------------
# Colours, numbers at their limits, memory
# ---------------------------------------------------------------------------------------------------------------


def test_mirrored_positions_have_the_same_bits() -> None:
    boards = positions(21, 300)
    mirrored = [position.mirrored() for position in boards]
    for genome in genomes(21, 4):
        for side in (BLACK, WHITE):
            assert evaluator.scores(genome, boards, side) == evaluator.scores(genome, mirrored, 1 - side)


def test_who_is_to_move_does_not_matter_but_who_looks_does() -> None:
    genome = genomes(22, 1)[0]
    for position in positions(22, 30):
        other = Position(position.black, position.white, position.kings, 1 - position.side)
        black, white = (evaluator.scores(genome, [position, other], side) for side in (BLACK, WHITE))
        assert black[0] == black[1]
        assert white[0] == white[1]
    assert evaluator.scores(genome, [POSITION], BLACK) != evaluator.scores(genome, [POSITION], WHITE)


def test_exponential_on_a_dense_grid() -> None:
    grid = np.concatenate([np.linspace(-87, 87, 60_001), np.linspace(-1, 1, 20_001)]).astype(np.float32)
    found = np.array([kernels.exponential(x) for x in grid], np.float64)
    exact = np.array([math.exp(float(x)) for x in grid])
    assert found.dtype == np.float64
    assert np.max(np.abs(found / exact - 1)) < 1e-6
    assert np.max(np.abs(found / exact - 1)) < 3e-7  # what its docstring says


def test_exponential_beyond_its_range_stays_at_the_border() -> None:
    for x in (87.5, 1e3, 1e30, math.inf):
        assert kernels.exponential(np.float32(x)) == kernels.exponential(np.float32(87))
        assert kernels.exponential(np.float32(-x)) == kernels.exponential(np.float32(-87))
    assert kernels.exponential(np.float32(0)) == 1


def test_sigmoid_never_decreases_and_keeps_what_is_no_number() -> None:
    grid = np.linspace(-100, 100, 20_001).astype(np.float32)
    values = [float(kernels.sigmoid(x)) for x in grid]
    assert all(after - before > -1e-7 for before, after in itertools.pairwise(values))
    assert (min(values), max(values)) == (pytest.approx(0, abs=1e-30), 1)
    assert kernels.sigmoid(np.float32(0)) == 0.5
    for x in (math.nan, math.inf, -math.inf):
        assert math.isnan(kernels.sigmoid(np.float32(x)))


@pytest.mark.parametrize("scale", [1e3, 1e30])
def test_saturated_weights_give_finite_values(scale: float) -> None:
    boards = positions(23, 60)
    for genome in genomes(23, 6, scale):
        for side in (BLACK, WHITE):
            assert np.isfinite(evaluator.scores(genome, boards, side)).all()


def test_saturated_weights_like_the_naive_twin() -> None:
    """Sums of thousands, so that nearly every sigmoid is 0 or 1."""
    compared = 0
    for genome, position in zip(genomes(24, 40, 1e3), positions(24, 40), strict=True):
        twin = naive_network.layers(genome.astype(float).tolist(), naive_network.encoded(position.fen(), "B"))
        assert cnn247.forward(genome, cnn247.encoded(position, BLACK)) == pytest.approx(twin.value, abs=1e-6)
        if min(abs(value) for value in twin.hidden) > 1:  # else float32 may round to the other side of a cliff
            (total,) = evaluator.scores(genome, [position], BLACK)
            assert total == pytest.approx(twin.total, rel=1e-5)
            compared += 1
    assert compared > 30


def test_a_wrong_number_of_weights() -> None:
    for count in (0, 246, 248, 5046):
        with pytest.raises(InputError, match="expected 247 weights"):
            evaluator.scores(np.zeros(count, np.float32), [Position.start()], BLACK)
    with pytest.raises(InputError, match="expected 247 weights"):
        evaluator.scores(np.zeros((1, 247), np.float32), [Position.start()], BLACK)


def test_lists_and_doubles_are_taken_as_float32() -> None:
    genome = genomes(25, 1)[0]
    expected = evaluator.scores(genome, [POSITION], BLACK)
    assert evaluator.scores(genome.tolist(), [POSITION], BLACK) == expected
    assert evaluator.scores(genome.astype(np.float64), [POSITION], BLACK) == expected
    assert evaluator.scores(np.repeat(genome, 2)[::2], [POSITION], BLACK) == expected  # not contiguous


def test_kernels_write_only_to_their_scratch() -> None:
    tables = np.full((3, kernels.TABLE_SIZE), CANARY, np.float32)
    scratches = np.full((3, kernels.SCRATCH_SIZE), CANARY, np.float32)
    genome = genomes(26, 1)[0]
    before = genome.copy()
    kernels.fill_table(genome, tables[1])
    assert not (tables[1] == CANARY).any()
    filled = tables[1].copy()
    for position in positions(26, 100):
        words = (np.uint64(position.own), np.uint64(position.opponent), np.uint64(position.kings))
        kernels.evaluate(*words, position.side, genome, tables[1], scratches[1])
    assert (tables[[0, 2]] == CANARY).all()
    assert (scratches[[0, 2]] == CANARY).all()
    assert (tables[1] == filled).all()
    assert (genome == before).all()


def test_table_rows_of_bits_that_are_no_squares_are_zero() -> None:
    table = np.full(kernels.TABLE_SIZE, CANARY, np.float32)
    kernels.fill_table(genomes(27, 1)[0], table)
    rows = table.reshape(-1, kernels.LANES)
    for bit, square in enumerate(layout.BIT_SQUARE):
        assert rows[bit].any() == (square != 0)
