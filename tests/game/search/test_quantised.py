"""Quantised networks in integers: the same searches, to the bit, as in float32."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from game.networks import integer_kernels
from game.networks.evaluator import Evaluator, rows_seen
from game.networks.kernels import TOGETHER
from game.networks.spec import Spec
from game.search import search
from game.search.interface import EvaluationError, Limits
from tests.game.networks.network_samples import genomes, positions
from tests.game.search.quantised_searches import SPECS, digest, results
from tests.processes import completed

ROOT = Path(__file__).parents[3]
INTEGERS = pytest.mark.skipif(
    not integer_kernels.AVAILABLE, reason="this processor has no instructions for products of bytes"
)


@pytest.fixture
def use_integers(monkeypatch: pytest.MonkeyPatch) -> Callable[[bool], None]:
    """Return a function that says whether the processor has the instructions."""
    return lambda available: monkeypatch.setattr(integer_kernels, "AVAILABLE", available)


@INTEGERS
@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: str(spec.weights))
def test_searches_are_those_in_float32(spec: Spec, use_integers: Callable[[bool], None]) -> None:
    in_integers = [(one.move, one.score, one.nodes, one.root) for one in results(spec)]
    use_integers(False)
    assert in_integers == [(one.move, one.score, one.nodes, one.root) for one in results(spec)]


@INTEGERS
def test_a_weight_that_is_no_number_fails_in_integers_too() -> None:
    for spec in SPECS:
        genome = genomes(spec, 5, 1, 1.0)[0]
        for place in (0, spec.weights // 2, spec.valued - 1):
            broken = genome.copy()
            broken[place] = np.nan
            with pytest.raises(EvaluationError):
                search.AlphaBeta(Evaluator(spec, broken)).search(positions(6, 1)[0], limits=Limits(depth=2))


def test_weights_are_rounded_and_limited() -> None:
    from game.networks.quantised import grids, rounded

    for spec in SPECS:
        genome = genomes(spec, 7, 1, 3.0)[0]
        on_grid = rounded(spec, genome)
        steps, limits = grids(spec)
        assert (on_grid != genome).any()
        assert (np.abs(on_grid) <= limits).all()
        assert (on_grid * steps % 1 == 0).all()
        boards = positions(8, 2 * TOGETHER)
        assert Evaluator(spec, genome).scores(boards, 0) == Evaluator(spec, on_grid).scores(boards, 0)


@INTEGERS
@pytest.mark.check
def test_searches_with_narrower_instructions(use_integers: Callable[[bool], None], tmp_path: Path) -> None:
    target = {
        "NUMBA_CPU_NAME": "haswell",
        "NUMBA_CPU_FEATURES": "+sse4.2,+avx,+avx2,+fma,+bmi,+bmi2,+popcnt,+lzcnt",
        "CROWNHEAD_CACHE_DIR": str(tmp_path),
    }
    done = completed(
        [sys.executable, "-m", "tests.game.search.quantised_searches"],
        cwd=ROOT,
        env=os.environ | target,
        check=True,
        timeout=300,
    )
    use_integers(False)
    assert done.stdout.split() == ["avx2", digest()]


@INTEGERS
@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: str(spec.weights))
def test_outputs_are_those_in_float32(spec: Spec, use_integers: Callable[[bool], None]) -> None:
    evaluator = Evaluator(spec, genomes(spec, 9, 1, 0.3)[0])
    rows = rows_seen(positions(10, 2 * TOGETHER + 3))
    expected = evaluator.output_rows(rows)
    for available in (True, False):
        use_integers(available)
        address, network, scratch = evaluator.writer()
        outputs = np.full((len(rows), len(scratch) // (2 * TOGETHER)), np.nan, np.float32)
        ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_int64] * 4)(address)(
            rows.ctypes.data, len(rows), network.ctypes.data, outputs.ctypes.data
        )
        assert (outputs[:, evaluator.program.columns] == expected).all()
