"""Whoever reads a run that is being written never calls it damaged, and finds what is truly damaged."""

from __future__ import annotations

import contextlib
import io
import itertools
import re
from collections.abc import Callable
from pathlib import Path

import pytest

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
from tests.growing_run import BRED, LEARNT, Writer, at_every_access, writing

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


SELDOM = pytest.mark.check
"""Every run has the cases of a session that saves several generations, or that goes back and does."""

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
    "card": lambda run: run._repr_html_(),
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
    "inspect an individual": in_terminal("inspect", "RUN@9:Gen09_0001", "--games=0"),
}


def save(run: Run) -> None:
    Writer(run).save()


def save_three(run: Run) -> None:
    Writer(run).save(3)


def go_back(run: Run) -> None:
    Writer(run).go_back(6)


def go_back_and_save(run: Run) -> None:
    writer = Writer(run)
    writer.go_back(6)
    writer.save(4)


@pytest.fixture(scope="module", params=[BRED, pytest.param(LEARNT, marks=SELDOM)], ids=["bred", "learnt"])
def template(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run that is complete to generation 9."""
    return Writer.new(tmp_path_factory.mktemp("template"), NEWEST, request.param).run


def complaint(result: object) -> str:
    """Return what a reader says of a run that is not damaged; empty if it is true."""
    return "" if not isinstance(result, Exception) or TRUE.search(str(result)) else f"{type(result).__name__}: {result}"


@pytest.mark.parametrize(
    "change", [pytest.param(save, marks=SELDOM), save_three, pytest.param(go_back, marks=SELDOM), go_back_and_save]
)
@pytest.mark.parametrize("reader", [*READERS, *(pytest.param(name, marks=SELDOM) for name in SLOW_READERS)])
def test_a_session_may_change_a_run_at_any_moment_of_its_reading(
    template: Run, tmp_path: Path, reader: str, change: Callable[[Run], None]
) -> None:
    results = list(at_every_access(template, tmp_path, (READERS | SLOW_READERS)[reader], change))
    assert results
    assert [text for result, _ in results if (text := complaint(result))] == []
    assert [error for _, error in results if error is not None] == []


READS = 1000


def test_a_thousand_reads_beside_a_writer_find_no_damage_but_true_damage(tmp_path: Path) -> None:
    run = Writer.new(tmp_path, NEWEST).run
    old = run.generation_path(3)
    sound = old.read_bytes()
    with writing(run) as process:
        for reader, _ in zip(itertools.cycle(READERS.values()), range(READS)):
            assert complaint(tried(reader, run)) == ""
        old.write_bytes(sound[:-30] + b"7" + sound[-29:])
        for reader in (lambda run: run.check(run.manifest()), lambda run: run.table(3), by_name("@3")):
            assert "generation_0003.csv: damaged, its bytes" in str(tried(reader, run))
        old.write_bytes(sound)
        run.check(run.manifest().up_to(NEWEST))
        assert run.table(3).shape[0] == 8
        assert process.poll() is None
    assert run.manifest().newest > NEWEST


def tried(reader: Callable[[Run], object], run: Run) -> object:
    try:
        return reader(run)
    except Exception as error:
        return error
