"""Individuals of a hundred thousand weights, most of them zero, as networks of patterns have them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from evolve.run.generation_csv import parse, to_csv
from tests.evolve.run.test_generation_csv import a_generation, error_of


def test_a_hundred_thousand_weights_keep_their_bits() -> None:
    """Most of them zero, some of them minus zero; and a last line that is cut is no shorter number."""
    weights = a_generation(3).weights[:, :1]
    wide = np.zeros((3, 118_228), np.float32)
    wide[:, ::977], wide[:, 1::977] = weights, -0.0
    data = to_csv(replace(a_generation(3), weights=wide, steps=None))
    assert len(data) < 3 * 4.1 * 118_228 + 1e6
    found = parse(data, "wide")
    assert found.weights.tobytes() == wide.tobytes()
    assert found.weights.flags.c_contiguous
    assert error_of(data[:-1]) == "line 4: the last line does not end (is the file cut?)"
    assert error_of(data[:-5]) == "line 4: 118236 fields, expected 118237 (is the file cut?)"
    assert error_of(data.replace(b",0.0\n", b",x\n", 1)) == "line 2: w118227 is 'x', expected a number"
