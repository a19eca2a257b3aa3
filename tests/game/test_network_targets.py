"""The same bits on every processor: one hash, computed by code for this machine and for two older ones."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from tests.game.network_samples import golden

ROOT = Path(__file__).parents[2]
GOLDEN = "c210ab189a00fe4e56dab4a83ac4369ee4890feae2a969a98fa48dba39334a74"
"""Changes only with the arithmetic of the networks; then the games of all runs change too, which CHANGELOG.md says."""

TARGETS = {"generic": {"vfmadd": False, "ymm": False, "zmm": False}, "haswell": {"vfmadd": True, "zmm": False}}


def test_golden_hash_of_this_machine() -> None:
    assert golden() == GOLDEN


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="the targets are those of x86")
def test_golden_hash_of_other_targets(tmp_path: Path) -> None:
    """Without vectors of more than four floats and without fused instructions; then with AVX2, without AVX-512."""
    running = {}
    for name in TARGETS:  # side by side: nearly all of their time is compilation
        target = {"NUMBA_CPU_NAME": name, "NUMBA_CPU_FEATURES": "", "CROWNHEAD_CACHE_DIR": str(tmp_path / name)}
        running[name] = subprocess.Popen(
            [sys.executable, "-m", "tests.game.network_samples"],
            cwd=ROOT,
            env={key: value for key, value in os.environ.items() if key != "NUMBA_CACHE_DIR"} | target,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
    for name, process in running.items():
        printed, errors = process.communicate(timeout=300)
        assert process.returncode == 0, errors
        result, *found = printed.split()
        assert result == GOLDEN, name
        # What the code is made of, so that the three are known to be three.
        words = dict(word.split("=") for word in found)
        assert {word: words[word] == "True" for word in TARGETS[name]} == TARGETS[name]
