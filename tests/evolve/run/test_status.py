"""What a session says of itself, and what others ask of it."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from evolve.run import status
from evolve.run.status import CONTROL, NAME, Request, State, Status, request, take_requests
from tests.cases import for_each

RUNNING = Status(State.RUNNING, 4711, 1_700_000_000.25, 7, 15, 12_345)


@pytest.mark.parametrize("state", [state for state in State if state not in status.UNREPORTED])
def test_a_status_reads_back(state: State, tmp_path: Path) -> None:
    outcome = replace(RUNNING, state=state)
    status.write(tmp_path, outcome)
    result = status.read(tmp_path)
    assert result == outcome
    assert result is not None
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
