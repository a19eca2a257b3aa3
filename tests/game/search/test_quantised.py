"""Quantised networks in integers: the same searches, to the bit, as in float32."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from game.networks.evaluator import Evaluator
from game.networks.kernels import TOGETHER
from game.networks.spec import Spec
from game.search import integer_network_kernels, search
from game.search.interface import EvaluationError, Limits
from tests.game.networks.network_samples import genomes, positions
from tests.game.search.quantised_searches import SPECS, digest, results

ROOT = Path(__file__).parents[3]
INTEGERS = pytest.mark.skipif(
    not integer_network_kernels.AVAILABLE, reason="this processor has no instructions for products of bytes"
)


@INTEGERS
@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: str(spec.weights))
def test_searches_are_those_in_float32(spec: Spec, monkeypatch: pytest.MonkeyPatch) -> None:
    in_integers = [(one.move, one.score, one.nodes, one.root) for one in results(spec)]
    monkeypatch.setattr(integer_network_kernels, "AVAILABLE", False)
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
    """Any genome plays as the genome with rounded weights, and no weight can leave its range."""
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
def test_searches_with_narrower_instructions(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """AVX2 instead of AVX-512."""
    target = {
        "NUMBA_CPU_NAME": "haswell",
        "NUMBA_CPU_FEATURES": "+sse4.2,+avx,+avx2,+fma,+bmi,+bmi2,+popcnt,+lzcnt",
        "CROWNHEAD_CACHE_DIR": str(tmp_path),
    }
    done = subprocess.run(
        [sys.executable, "-m", "tests.game.search.quantised_searches"],
        cwd=ROOT,
        env=os.environ | target,
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    monkeypatch.setattr(integer_network_kernels, "AVAILABLE", False)
    assert done.stdout.split() == ["avx2", digest()]
