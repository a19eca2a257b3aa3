"""Readers never call a growing run damaged, and find true damage at the next read."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import pytest

from evolve.run.folder import Run
from tests.growing_readers import NEWEST, READERS, SLOW_READERS, by_name, complaint, tried
from tests.growing_run import BRED, Writer, at_every_access, learnt, writing

SELDOM = pytest.mark.check
"""Every run has the cases of a session that saves several generations, or that goes back and does."""


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


@pytest.fixture(scope="module", params=["bred", pytest.param("learnt", marks=SELDOM)])
def template(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run that is complete to generation 9."""
    return Writer.new(tmp_path_factory.mktemp("template"), NEWEST, BRED if request.param == "bred" else learnt()).run


@pytest.mark.parametrize(
    ("reader", "change"),
    [
        # In every run each quick reader with one of the two changes that have all the others' steps.
        pytest.param(reader, change, marks=SELDOM if reader in SLOW_READERS or column != row % 2 else ())
        for row, reader in enumerate((*READERS, *SLOW_READERS))
        for column, change in enumerate((save_three, go_back_and_save, save, go_back))
    ],
)
@pytest.mark.parametrize("every", [6, pytest.param(1, marks=SELDOM)])
def test_a_session_may_change_a_run_at_any_moment_of_its_reading(
    template: Run, tmp_path: Path, reader: str, change: Callable[[Run], None], every: int
) -> None:
    results = list(at_every_access(template, tmp_path, (READERS | SLOW_READERS)[reader], change, every))
    assert results
    assert [text for result, _ in results if (text := complaint(result))] == []
    assert [error for _, error in results if error is not None] == []


@pytest.mark.parametrize("reads", [80, pytest.param(1000, marks=SELDOM)])
def test_reads_beside_a_writer_find_true_damage_alone(reads: int, tmp_path: Path) -> None:
    run = Writer.new(tmp_path, NEWEST).run
    old = run.generation_path(3)
    sound = old.read_bytes()
    with writing(run) as process:
        for reader, _ in zip(itertools.cycle(READERS.values()), range(reads)):
            assert complaint(tried(reader, run)) == ""
        old.write_bytes(sound[:-30] + b"7" + sound[-29:])
        for reader in (lambda run: run.check(run.manifest()), lambda run: run.table(3), by_name("@3")):
            assert "generation_0003.csv: damaged, its bytes" in str(tried(reader, run))
        old.write_bytes(sound)
        run.check(run.manifest().up_to(NEWEST))
        assert run.table(3).shape[0] == 8
        assert process.poll() is None
    assert run.manifest().newest > NEWEST
