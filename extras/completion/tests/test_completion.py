"""Completion scripts, run by their shells."""

from __future__ import annotations

import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from tests.sources import ROOT


@cache
def completion(shell: str) -> str:
    command = [sys.executable, "main.py", "--print-completion", shell]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=True).stdout


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
@pytest.mark.parametrize(
    ("words", "expected"), [(["lad"], ["ladder"]), (["ladder", "--li"], ["--limit"]), (["tablebase", "bui"], ["build"])]
)
def test_completion(words: list[str], expected: list[str], tmp_path: Path) -> None:
    script = tmp_path / "completion"
    script.write_text(completion("bash"), encoding="utf-8")
    line = f"COMP_WORDS=(main.py {' '.join(words)}); COMP_CWORD={len(words)}"
    code = f'source {script}; {line}; _shtab_main_py main.py {words[-1]} x; echo "${{COMPREPLY[@]}}"'
    done = subprocess.run(["bash", "--norc", "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == expected


def test_completion_for_zsh() -> None:
    script = completion("zsh")
    assert script.startswith("#compdef main.py") and "--every-generation" in script
