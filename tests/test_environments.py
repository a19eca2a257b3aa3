"""Environments in which the program is started: Python's options and standard output."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import main
from game.installation import VERSION

PROGRAM = str(Path(__file__).parents[1] / "main.py")


@pytest.mark.parametrize("flag", ["-I", "-P"])
def test_python_may_leave_out_the_folder_of_the_program(flag: str, tmp_path: Path) -> None:
    words = [sys.executable, flag, PROGRAM, "--version"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"crownhead {VERSION}\n", "")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a device of Linux")
@pytest.mark.parametrize("arguments", [["--help"], ["match", "--help"], ["--version"]])
def test_help_that_cannot_be_written_is_an_error_that_names_the_output(arguments: list[str]) -> None:
    with open("/dev/full", "w", encoding="ascii") as full:
        words = [sys.executable, PROGRAM, *arguments]
        environment = os.environ | {"PYTHONUNBUFFERED": ""}
        done = subprocess.run(words, env=environment, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (main.DISK, "main.py: standard output: No space left on device\n")
