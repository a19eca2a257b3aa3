"""The forms that are fitted are those of the networks they are compared with."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from evolve.names.registration import register
from evolve.run.runs import FROZEN_RUN, SHIPPED_RUNS
from game.networks.evaluator import rows_seen
from game.networks.forward import inputs_of
from game.players.registry import player
from tests.measurements import gauge, windows


def test_the_form_of_today_gives_the_values_of_its_network() -> None:
    register(SHIPPED_RUNS)
    network = player(FROZEN_RUN).network
    assert network is not None
    spec, weights, king = network
    pieces, tempo = (part.of(weights) for part in spec.parts[:2])
    cells = spec.pattern_part.of(weights).reshape(2, -1)
    ours = np.hstack([cells, pieces.reshape(2, -1), tempo.reshape(2, 1)]).astype(np.float64)
    rows = rows_seen([each.position for each in gauge.read_positions()[::50]])
    counts = inputs_of(rows).sum(axis=2)
    extra = counts[:, 0] - counts[:, 2] + (spec.king if king is None else king) * (counts[:, 1] - counts[:, 3])
    values = windows.TODAY.matrix(rows) @ ours.ravel() + extra * spec.piece_difference
    np.testing.assert_allclose(values, windows.log_odds(FROZEN_RUN, rows), atol=1e-4)


@pytest.mark.parametrize("kings", [False, True])
def test_tied_windows_have_opposite_values_to_both_sides(kings: bool) -> None:
    form = windows.Form(tables=False, windows=windows.NINE + windows.BACK_RANKS, kings=kings, tied=True)
    positions = [each.position for each in gauge.read_positions()[::50]]
    matrix = form.matrix(rows_seen(positions))
    weights = np.random.default_rng(1).normal(size=matrix.shape[1])
    other = form.matrix(rows_seen([replace(each, side=1 - each.side) for each in positions]))
    np.testing.assert_allclose(matrix @ weights, -(other @ weights), atol=1e-9)


def test_a_fit_is_where_the_slope_vanishes() -> None:
    generator = np.random.default_rng(1)
    matrix = sparse.random_array((300, 20), density=0.2, rng=generator, format="csr")
    points = generator.random(300)
    weights = windows.fit(matrix.astype(np.float32), points, 4.0)
    slope = matrix.T @ (1 / (1 + np.exp(-(matrix @ weights))) - points) + 4.0 * weights
    assert np.abs(slope).max() < 0.05 < np.abs(matrix.T @ (0.5 - points)).max()
