"""The same bits on every processor: two hashes, computed by code for this machine and for two older ones."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from tests.game.networks.network_samples import BY_MOVER, golden

ROOT = Path(__file__).parents[3]
GOLDEN = "c210ab189a00fe4e56dab4a83ac4369ee4890feae2a969a98fa48dba39334a74"
"""Changes only with the arithmetic of the networks; then the games of all runs change too, which CHANGELOG.md says."""
GOLDEN_BY_MOVER = "bb7ec949b19e37c646da639219db63c494a5ebbdb519a2f41708f9895718c875"
"""Of networks that see who moves; new kinds of them change it, too."""

X86 = pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="the targets are those of x86")


def check(folder: Path, targets: dict[str, dict[str, str]]) -> dict[str, dict[str, str]]:
    """Compute the hash for each target, side by side since nearly all of it is compilation; words in the code of each.

    The features are set too: else Numba would add those of the present processor.
    """
    running = {}
    for name, variables in targets.items():
        kept = {key: value for key, value in os.environ.items() if key != "NUMBA_CACHE_DIR"}
        target = {"NUMBA_CPU_FEATURES": "", "CROWNHEAD_CACHE_DIR": str(folder / name), **variables}
        running[name] = subprocess.Popen(
            [sys.executable, "-m", "tests.game.networks.network_samples"],
            cwd=ROOT,
            env=kept | target,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
    results = {}
    for name, process in running.items():
        printed, errors = process.communicate(timeout=300)
        assert process.returncode == 0, errors
        result, by_mover, *words = printed.split()
        assert (result, by_mover) == (GOLDEN, GOLDEN_BY_MOVER), name
        results[name] = dict(word.split("=") for word in words)
    return results


def test_golden_hash_of_this_machine() -> None:
    assert (golden(), golden(BY_MOVER)) == (GOLDEN, GOLDEN_BY_MOVER)


@X86
@pytest.mark.check
def test_golden_hash_of_other_targets(tmp_path: Path) -> None:
    targets = {"avx2": {"NUMBA_CPU_NAME": "haswell"}, "plain": {"NUMBA_CPU_NAME": "generic", "NUMBA_OPT": "0"}}
    words = check(tmp_path, targets)  # what the code is made of shows that the targets are different ones
    assert words["avx2"] == {"zmm": "False", "ymm": "True", "vfmadd": "True"}
    assert words["plain"] == {"zmm": "False", "ymm": "False", "vfmadd": "False"}


@X86
@pytest.mark.check
def test_golden_hash_of_the_generic_target(tmp_path: Path) -> None:
    words = check(tmp_path, {"generic": {"NUMBA_CPU_NAME": "generic"}})
    assert words["generic"] == {"zmm": "False", "ymm": "False", "vfmadd": "False"}
