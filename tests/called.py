"""One call of the program in the process of the test: its exit code and what it printed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

import main
from tests.notices import without_notice


class Called(NamedTuple):
    """What one call of the program gave."""

    code: int
    out: str
    err: str


Call = Callable[..., Called]


def call_program(capfd: pytest.CaptureFixture[str], *arguments: str) -> Called:
    """Run a command line; what was printed before is left out, and what is said of compiling."""
    capfd.readouterr()
    try:
        code = main.main(arguments)
    except SystemExit as end:
        assert isinstance(end.code, int)
        code = end.code
    out, err = capfd.readouterr()
    return Called(code, out, without_notice(err))


def evolve_cowan(*options: Any) -> list[str]:
    """Return a command line of `evolve` with the preset cowan, unless the options name what is played."""
    words = [str(option) for option in options]
    named = ("--preset", "--config", "--resume", "--branch")
    return ["evolve", *([] if any(word.startswith(named) for word in words) else ["--preset=cowan"]), *words]
