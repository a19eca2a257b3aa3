"""Tags and notes: kept beside the run, never lost between two windows, and nothing of the run is touched."""

from __future__ import annotations

import json
import multiprocessing
from collections.abc import Callable
from pathlib import Path

import filelock
import pytest

from evolve.run import notes
from evolve.run.folder import Run
from evolve.run.notes import NotesError, RunNote
from tests.synthetic import make_run


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return make_run(tmp_path, "one", 1)


def test_notes_of_earlier_versions_on_individuals_stay(run: Run) -> None:
    before = {path: path.read_bytes() for path in run.path.iterdir() if path.is_file()}
    kept = [{"generation": 1, "name": "Gen01_0003", "starred": True, "text": 'plays "well",\nвсегда'}]
    (run.path / notes.NAME).write_text(json.dumps({"notes": kept}), encoding="utf-8")
    notes.note_run(run, "promising")
    assert json.loads((run.path / notes.NAME).read_text(encoding="utf-8"))["notes"] == kept
    assert {path: path.read_bytes() for path in before} == before
    run.check(run.manifest())
    run.rewind(0)  # of a session that goes on
    assert notes.read_of_run(run).text == "promising"


def _tag_often(path: Path, tag: str) -> None:
    for _ in range(20):
        notes.note_run(Run(path), tags=[*notes.read_of_run(Run(path)).tags, tag])


def test_two_windows_at_once(run: Run) -> None:
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=_tag_often, args=(run.path, tag)) for tag in ("wide", "slow")]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
    assert [process.exitcode for process in processes] == [0, 0]
    assert notes.read_of_run(run).tags


def test_a_program_that_holds_them(run: Run, limit: Callable[..., None]) -> None:
    limit(notes, "LOCK_SECONDS", 0.01)
    with (
        filelock.FileLock(run.path / notes.LOCK),
        pytest.raises(NotesError, match="another program has locked the notes"),
    ):
        notes.note_run(run, "promising")


@pytest.mark.parametrize("text", ["", "{}", '{"notes": 3}', "[" * 100_000])
def test_damaged_notes_are_not_overwritten(run: Run, text: str) -> None:
    path = run.path / notes.NAME
    path.write_text(text, encoding="utf-8")
    for use in (lambda: notes.read_of_run(run), lambda: notes.note_run(run, "promising")):
        with pytest.raises(NotesError, match=r"notes.json: these are not the notes of a run"):
            use()
    assert path.read_text(encoding="utf-8") == text


def test_notes_that_are_too_long_or_no_file_are_refused(run: Run, limit: Callable[..., None]) -> None:
    with pytest.raises(NotesError, match="10,001 characters, at most 10,000"):
        notes.note_run(run, "x" * 10_001)
    notes.note_run(run, "promising")
    limit(notes, "MAX_BYTES", 10)
    with pytest.raises(NotesError, match="notes have at most 10"):
        notes.read_of_run(run)
    (run.path / notes.NAME).unlink()
    (run.path / notes.NAME).mkdir()
    with pytest.raises(NotesError, match=r"notes.json: cannot be read: Is a directory"):
        notes.read_of_run(run)


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
