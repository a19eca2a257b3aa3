"""Readers of a run's files, by name, and what they say that is true of a run that grows."""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Callable

import crownhead
import main
from evolve.names.registration import register
from evolve.report import overview
from evolve.run import champions
from evolve.run.files import DamagedRunError
from evolve.run.folder import Run
from evolve.run.log import read_history
from game.errors import InputError
from game.players import registry

NEWEST = 9
TRUE = re.compile(
    r"no generation [89]; complete generations: 0 to [0-9]+$|generation [0-9]+ (has not kept|was given up)"
    r"|went back while its log was read|generation 9 is missing$"
)
"""What is true of a run that was continued or that went back, and is not damage."""


def in_terminal(*options: str) -> Callable[[Run], object]:
    """Return a function that calls the program with a run; RUN stands for its name."""

    def work(run: Run) -> str:
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main.main([option.replace("RUN", str(run.path)) for option in options])
        if code:
            raise InputError(err.getvalue().strip())
        return out.getvalue()

    return work


def by_name(name: str) -> Callable[[Run], object]:
    def work(run: Run) -> object:
        register(run.path.parent)
        return registry.player(f"{run.path}{name}")

    return work


def manifest_of(run: Run) -> object:
    known = run.manifest()
    return DamagedRunError(known.damage) if known.damage else known


def log_of(run: Run) -> object:
    log = crownhead.open_run(run.path).log()
    return DamagedRunError("a line is cut") if log.isna().to_numpy().any() else log


READERS: dict[str, Callable[[Run], object]] = {
    "manifest": manifest_of,
    "log": log_of,
    "newest generation": lambda run: crownhead.open_run(run.path).read_generation(thinned=True),
    "generation 8": lambda run: crownhead.open_run(run.path).read_generation(8, thinned=True),
    "generation 9": lambda run: crownhead.open_run(run.path).read_generation(9, thinned=True),
    "table": lambda run: crownhead.open_run(run.path).table(),
    "check": lambda run: run.check(run.manifest()),
    "history": lambda run: read_history(run, run.manifest()),
    "champions": lambda run: champions.read_champions(run.path, [3, NEWEST]),
    "weights": lambda run: run.first_weights(NEWEST, 4),
    "facts": lambda run: run._facts(),
    "overview": overview.run_overview,
    "overview of the newest generation": lambda run: overview.generation_overview(run).individual(),
    "overview of generation 9": lambda run: overview.generation_overview(run, NEWEST).individual(),
    "player": by_name(""),
    "player of generation 9": by_name("@9"),
}
SLOW_READERS: dict[str, Callable[[Run], object]] = {
    "inspect": in_terminal("inspect", "RUN", "--games=0"),
    "inspect, JSON": in_terminal("inspect", "RUN", "--games=0", "--json"),
    "inspect generation 9": in_terminal("inspect", "RUN@9", "--games=0"),
    "inspect an individual": in_terminal("inspect", "RUN@9:Gen09_0000", "--games=0"),
}


def complaint(result: object) -> str:
    """Return what a reader says of a run that is not damaged; empty if it is true."""
    return "" if not isinstance(result, Exception) or TRUE.search(str(result)) else f"{type(result).__name__}: {result}"


def tried(reader: Callable[[Run], object], run: Run) -> object:
    try:
        return reader(run)
    except Exception as error:
        return error
