"""Stars and notes: kept beside the run, never lost between two windows, and nothing of the run is touched."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from pathlib import Path

import filelock
import pytest

from evolve.run import notes
from evolve.run.folder import Run
from evolve.run.notes import Note, NotesError, RunNote
from tests.synthetic import make_run


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return make_run(tmp_path, "one", 1)


def test_stars_and_notes(run: Run) -> None:
    before = {path: path.read_bytes() for path in run.path.iterdir() if path.is_file()}
    assert notes.read(run) == {}
    assert notes.star(run, 1, "Gen01_0003") == Note(1, "Gen01_0003", True)
    assert notes.note(run, 1, "Gen01_0003", 'plays "well",\nвсегда') == Note(
        1, "Gen01_0003", True, 'plays "well",\nвсегда'
    )
    notes.note(run, 0, "Gen00_0000", "first")
    assert list(notes.read(run)) == [(0, "Gen00_0000"), (1, "Gen01_0003")]
    assert notes.star(run, 1, "Gen01_0003", False) == Note(1, "Gen01_0003", False, 'plays "well",\nвсегда')
    notes.note(run, 1, "Gen01_0003", "")
    notes.note(run, 0, "Gen00_0000", "")
    assert notes.read(run) == {}
    assert {path: path.read_bytes() for path in before} == before
    run.check(run.manifest())
    run.rewind(0)  # of a session that goes on
    assert notes.read(run) == {}


def test_a_session_keeps_them(run: Run) -> None:
    notes.star(run, 0, "Gen00_0000")
    run.rewind(0)
    assert list(notes.read(run)) == [(0, "Gen00_0000")]


def _star_many(path: Path, first: int) -> None:
    for number in range(first, first + 20):
        notes.star(Run(path), 0, f"Gen00_{number:04d}")


def test_two_windows_at_once(run: Run) -> None:
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=_star_many, args=(run.path, first)) for first in (0, 20)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
    assert [process.exitcode for process in processes] == [0, 0]
    assert len(notes.read(run)) == 40


def test_a_program_that_holds_them(run: Run, limit: Callable[..., None]) -> None:
    limit(notes, "LOCK_SECONDS", 0.01)
    with (
        filelock.FileLock(run.path / notes.LOCK),
        pytest.raises(NotesError, match="another program has locked the notes"),
    ):
        notes.star(run, 0, "Gen00_0000")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        '{"notes": 3}',
        '{"notes": [{"generation": "1", "name": "a", "starred": true, "text": ""}]}',
        '{"notes": [{"generation": 1, "name": "a", "starred": 1, "text": ""}]}',
        '{"notes": [{"generation": 1, "name": "a", "stars": 1}]}',
        "[" * 100_000,
    ],
)
def test_damaged_notes_are_not_overwritten(run: Run, text: str) -> None:
    path = run.path / notes.NAME
    path.write_text(text, encoding="utf-8")
    for use in (lambda: notes.read(run), lambda: notes.star(run, 0, "a")):
        with pytest.raises(NotesError, match=r"notes.json: these are not the notes of a run"):
            use()
    assert path.read_text(encoding="utf-8") == text


def test_other_mistakes(run: Run, limit: Callable[..., None]) -> None:
    with pytest.raises(NotesError, match="10,001 characters, at most 10,000"):
        notes.note(run, 0, "a", "x" * 10_001)
    notes.star(run, 0, "a")
    limit(notes, "MAX_BYTES", 10)
    with pytest.raises(NotesError, match="notes have at most 10"):
        notes.read(run)
    (run.path / notes.NAME).unlink()
    (run.path / notes.NAME).mkdir()
    with pytest.raises(NotesError, match=r"notes.json: cannot be read: Is a directory"):
        notes.read(run)


def test_a_run_is_archived_and_comes_back(run: Run) -> None:
    notes.note_run(run, "promising", ["wide", "slow"])
    assert notes.note_run(run, archived=True) == RunNote("promising", ("wide", "slow"), True)
    assert notes.note_run(run, tags=[]) == RunNote("promising", (), True)
    assert notes.read_of_run(run) == RunNote("promising", (), True)
    assert notes.note_run(run, archived=False) == RunNote("promising")
    (run.path / notes.NAME).write_text('{"notes": [], "run": {"archived": "yes"}}', encoding="utf-8")
    with pytest.raises(NotesError, match="these are not the notes of a run"):
        notes.read_of_run(run)


def test_tags_as_they_are_written() -> None:
    assert notes.checked_tags(" wide,slow , ,") == ["wide", "slow"]
    with pytest.raises(NotesError, match="expected 1 to 40 characters"):
        notes.checked_tags("wide, " + "x" * 41)
