"""The forward pass in numpy: like the naive twin."""

from __future__ import annotations

import numpy as np
import pytest

from extras.learning.passes import encode, output_row, value
from game.board import Position
from game.networks.activations import ACTIVATIONS
from game.networks.evaluator import Evaluator, rows_seen
from game.networks.named import ANACONDA_5046, BLONDIE_1741, CNN_247
from game.networks.spec import Spec
from game.rules import BLACK, WHITE
from tests import naive_network
from tests.game.networks.network_samples import POLICIES, SPECS, genomes, names, positions, slowest_in_check, tame
from tests.game.networks.test_networks import KINGS, LETTERS


@pytest.mark.parametrize("king", [None, 1.0, 2.71])
def test_encoding_like_the_naive_twin(king: float | None) -> None:
    for position in positions(1, 120):
        for side, letter in LETTERS:
            board = naive_network.encode(position.fen(), letter, 2.0 if king is None else king)
            assert encode(CNN_247, position, side, king)[:, :, 0].tolist() == board
            dark = [board[row][column] for row in range(8) for column in range(8) if (row + column) % 2]
            assert encode(BLONDIE_1741, position, side, king).tolist() == dark


def test_start_is_encoded_from_the_own_back_row() -> None:
    """Written out once: both sides see their men in rows 0 to 2, row 0 with squares 1-4 (for White 32-29)."""
    board = encode(CNN_247, Position.start(), BLACK)[:, :, 0]
    assert board[0].tolist() == [0, 1, 0, 1, 0, 1, 0, 1]
    assert board[1].tolist() == [1, 0, 1, 0, 1, 0, 1, 0]
    assert (board[3:5] == 0).all()
    assert board[7].tolist() == [-1, 0, -1, 0, -1, 0, -1, 0]
    assert (board == encode(CNN_247, Position.start(), WHITE)[:, :, 0]).all()
    assert encode(ANACONDA_5046, Position.start(), WHITE).tolist() == [1] * 12 + [0] * 8 + [-1] * 12
    lonely = Position.from_fen("B:WK32:B2")
    assert np.argwhere(encode(CNN_247, lonely, WHITE)).tolist() == [[0, 1, 0], [7, 4, 0]]
    assert encode(BLONDIE_1741, lonely, WHITE, 1.5).tolist() == [1.5] + [0] * 29 + [-1, 0]


@pytest.mark.parametrize("spec", slowest_in_check(SPECS), ids=names(SPECS))
def test_numpy_like_the_naive_twin(spec: Spec) -> None:
    for number, (king, position) in enumerate(zip(KINGS[::2], positions(2, 3), strict=True)):
        (genome,) = genomes(spec, number, 1, (0.2, 1.0)[number % 2])
        for side, letter in LETTERS:
            if spec.by_mover and side != position.side:
                continue
            twin = naive_network.output(spec, genome.tolist(), position.fen(), letter, king)
            defined = value(spec, genome, position, side, king)
            assert defined == pytest.approx(twin, rel=1e-12, abs=1e-12)
            twin = naive_network.value(spec, genome.tolist(), position.fen(), letter, king)
            assert ACTIVATIONS[spec.activation].values(defined) == pytest.approx(twin, rel=1e-12, abs=1e-12)


def test_compiled_outputs_like_the_definition() -> None:
    """A diagonal layer after a dense one; weights are multiples of the grid to which first layers are rounded."""
    spec, boards = POLICIES[0], positions(11, 19)
    genome = np.round(tame(spec, 3) * 2**12).astype(np.float32) / 2**12
    rows = Evaluator(spec, genome).output_rows(rows_seen(boards))
    for position, row in zip(boards, rows, strict=True):
        assert row == pytest.approx(output_row(spec, genome, position, position.side), rel=1e-5, abs=1e-5)
