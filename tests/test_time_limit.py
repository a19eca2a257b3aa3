"""A hanging test ends the run of all tests, which reports where it hung."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
HANGING = """
import ctypes

def test_before():
    pass

def test_hangs():
    {hang}

def test_after():
    print("came after")
"""


@pytest.mark.parametrize("hang", ["while True: pass", "ctypes.PyDLL(None).pause()"])  # the second keeps the interpreter
def test_a_test_that_hangs_ends_the_run(hang: str, tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(HANGING.format(hang=hang))
    command = [sys.executable, "-m", "pytest", "-q", "-c", str(ROOT / "pyproject.toml"), "--rootdir", str(tmp_path)]
    done = subprocess.run(
        [*command, "-p", "no:cacheprovider", "-o", "faulthandler_timeout=1", str(tmp_path)],
        cwd=tmp_path, check=False, capture_output=True, text=True, timeout=100,
    )  # fmt: skip
    output = done.stdout + done.stderr
    assert done.returncode == 1
    assert "Timeout (0:00:01)!" in output and "in test_hangs" in output and "came after" not in output


def test_there_is_a_limit(pytestconfig: pytest.Config) -> None:
    assert 0 < float(pytestconfig.getini("faulthandler_timeout")) <= 900
