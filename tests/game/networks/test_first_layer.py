"""First layers as pictures: every weight in its place."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from game.networks.first_layer import first_layer
from game.networks.kinds import square_place
from game.networks.named import CNN_247, SHIPPED
from game.networks.spec import Layer, Spec
from tests.game.networks.network_samples import BY_MOVER


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
