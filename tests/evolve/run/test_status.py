"""What a session says of itself and others ask of it; tags and notes beside the run."""

from __future__ import annotations

import json
import math
import multiprocessing
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import filelock
import pytest

from evolve.run import notes, status
from evolve.run.folder import Run
from evolve.run.notes import NotesError, RunNote
from evolve.run.status import CONTROL, NAME, Request, State, Status, request, take_requests
from tests.cases import for_each
from tests.synthetic import make_run

RUNNING = Status(State.RUNNING, 4711, 1_700_000_000.25, 7, 15, 12_345)


@pytest.mark.parametrize("state", [state for state in State if state not in status.UNREPORTED])
def test_a_status_reads_back(state: State, tmp_path: Path) -> None:
    outcome = replace(RUNNING, state=state)
    status.write(tmp_path, outcome)
    result = status.read(tmp_path)
    assert result == outcome
    assert type(result.state) is State


def test_the_file_is_json_that_any_program_reads(tmp_path: Path) -> None:
    status.write(tmp_path, RUNNING)
    assert json.loads((tmp_path / "status.json").read_text()) == {
        "state": "running", "pid": 4711, "heartbeat": 1_700_000_000.25, "generation": 7, "generations": 15,
        "games": 12_345, "phase": "", "reason": "", "cluster": "", "work": "", "left": None,
    }  # fmt: skip
    assert [path.name for path in tmp_path.iterdir()] == [NAME]


def test_unknown_status_files_are_read_safely(tmp_path: Path) -> None:
    path = tmp_path / NAME
    values = asdict(RUNNING)
    del values["phase"], values["reason"]
    path.write_text(json.dumps(values))
    assert status.read(tmp_path) == RUNNING
    path.write_text(json.dumps(values | {"reason": "\x1b]0;x\x07 and\nmore" + 10_000 * "y"}))
    result = status.read(tmp_path)
    assert result is not None and result.reason.startswith(r"\x1b]0;x\x07 and more") and len(result.reason) < 600
    path.write_text(json.dumps(values | {"reason": 5}))
    assert status.read(tmp_path) is None


def test_a_missing_status_is_none(tmp_path: Path) -> None:
    assert status.read(tmp_path) is None
    (tmp_path / NAME).mkdir()
    assert status.read(tmp_path) is None


def changed(**values: Any) -> bytes:
    return json.dumps(asdict(RUNNING) | values).encode()


NONSENSE = {
    "empty": b"",
    "cut": changed()[:-5],
    "binary": b"\x00\xff\xfe",
    "unknown state": changed(state="dreaming"),
    "a state that cannot be looked up": changed(state=["running"]),
    "a key too many": changed(mood="good"),
    "a key too few": json.dumps({"state": "running", "pid": 1}).encode(),
    "text for a pid": changed(pid="4711"),
    "true for a generation": changed(generation=True),
    "text for a heartbeat": changed(heartbeat="noon"),
    "NaN for a heartbeat": changed(heartbeat=math.nan),
    "infinity for a heartbeat": changed(heartbeat=math.inf),
    "text for the time left": changed(left="soon"),
    "infinity for the time left": changed(left=math.inf),
    "a monstrous heartbeat": changed(heartbeat=10**400),
    "a number of thousands of digits": b'{"state": "running", "pid": ' + b"1" * 5000 + b"}",
    "deep": b"[" * 100_000,
    "no UTF-8": b'{"state": "\xff"}',
}


@for_each("data", NONSENSE.values())
def test_a_status_that_makes_no_sense_is_none(data: bytes, tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes(data)
    assert status.read(tmp_path) is None


def test_requests_are_files_that_any_program_can_drop(tmp_path: Path) -> None:
    assert [what.value for what in Request] == ["pause", "resume", "stop-after-generation", "stop"]
    (tmp_path / CONTROL).mkdir()
    (tmp_path / CONTROL / "pause").touch()
    assert take_requests(tmp_path) == [Request.PAUSE]
    assert take_requests(tmp_path) == []  # consumed


def test_the_most_urgent_comes_first(tmp_path: Path) -> None:
    for what in Request:
        request(tmp_path, what)
    assert take_requests(tmp_path) == [Request.STOP, Request.STOP_AFTER_GENERATION, Request.RESUME, Request.PAUSE]


def test_other_files_are_not_taken_as_requests(tmp_path: Path) -> None:
    request(tmp_path, Request.STOP)
    for name in ("explode", "stop.txt", "STOP_NOW"):
        (tmp_path / CONTROL / name).touch()
    (tmp_path / CONTROL / "resume").mkdir()  # cannot be unlinked, so it is no request either
    assert take_requests(tmp_path) == [Request.STOP]
    assert sorted(path.name for path in (tmp_path / CONTROL).iterdir()) == ["STOP_NOW", "explode", "resume", "stop.txt"]


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
