"""Call the program inside the process of a test, and return its exit code and output."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

import main

NOTICE = re.compile(r"compiling [\w ,'-]+( \((\d+ of \d+; )?only the first time\)| during the first games)")
"""Said of each part that has to be compiled, which depends on what earlier tests have left in the cache."""


def without_notice(error: str) -> str:
    return "".join(line for line in error.splitlines(keepends=True) if not NOTICE.fullmatch(line.rstrip()))


SMALL = (
    *("--set=population.parents=2", "--set=population.recombine=false", "--set=population.mutants=1"),
    *('--set=stages=[{kind="elimination"},{kind="round-robin"}]', "--set=founders.method=uniform", "--workers=1"),
)
"""Options that make generations of a run of cowan small."""


class Called(NamedTuple):
    code: int
    out: str
    err: str


Call = Callable[..., Called]


def call_program(capfd: pytest.CaptureFixture[str], *arguments: str) -> Called:
    """Run a command line; omit earlier output and the notices about compiling."""
    capfd.readouterr()
    try:
        code = main.main(arguments)
    except SystemExit as end:
        assert isinstance(end.code, int)
        code = end.code
    out, err = capfd.readouterr()
    return Called(code, out, without_notice(err))


def evolve_cowan(*options: Any) -> list[str]:
    """Return a command line of `evolve` that plays the preset cowan, unless the options name another preset or run."""
    words = [str(option) for option in options]
    named = ("--preset", "--config", "--resume", "--branch")
    return ["evolve", *([] if any(word.startswith(named) for word in words) else ["--preset=cowan"]), *words]
