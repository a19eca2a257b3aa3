"""Sessions as processes that outlive the window: their messages, and what they leave behind."""

from __future__ import annotations

import io
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from evolve.run.status import Request
from gui.runs.live_run import LiveRun
from gui.runs.session_state import describe_session
from gui.sessions import launch
from gui.sessions.form import Form
from gui.sessions.launch import Launched

TINY = ("population.parents=2", "population.mutants=1", 'stages=[{kind="round-robin"}]', "rating.every=0")


def waited(launched: Launched, seconds: float = 120.0) -> None:
    end = time.monotonic() + seconds
    while launched.running and time.monotonic() < end:
        time.sleep(0.02)
    assert not launched.running


def test_failed_start_reports_the_reason(tmp_path: Path) -> None:
    launched = launch.start([f"--out={tmp_path}", "--name=random"])
    waited(launched)
    assert "reserved for a player" in launched.trouble
    assert not launched.trouble.startswith("main.py")
    assert launched.trouble.endswith(".")


def test_successful_session_has_no_trouble(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full() -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(launch.tempfile, "TemporaryFile", full)
    program = tmp_path / "main.py"
    program.write_text("import sys; print('told', file=sys.stderr)")
    launched = launch.start([], command=(sys.executable, str(program)))
    waited(launched)
    assert launched.trouble == ""


@pytest.mark.skipif(sys.platform == "win32", reason="sessions of processes are POSIX's")
def test_a_session_is_no_part_of_the_windows_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    program = tmp_path / "main.py"
    program.write_text("import sys, time; print('3  Gen03_0000  258', file=sys.stderr, flush=True); time.sleep(60)")
    launched = launch.start([], command=(sys.executable, str(program)))
    try:
        assert os.getsid(launched.process.pid) != os.getsid(0)
        assert list(temporary.iterdir()) == []  # nothing that would stay if the window ended first
    finally:
        os.kill(launched.process.pid, signal.SIGKILL)
        waited(launched)
    assert launched.trouble == "It was ended by signal 9."  # not its last line about progress


@pytest.mark.parametrize(("code", "number"), [(-9, 9), (129, 1), (143, 15)])
def test_a_signal_is_the_reason_and_not_the_last_progress(
    code: int, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even if the session receives the signal, finishes its generation and ends by itself."""
    process: Any = SimpleNamespace(poll=lambda: code, returncode=code)
    launched = launch.Launched(process, io.BytesIO(b"3  Gen03_0000  258"))
    monkeypatch.setattr(launch, "_started", [launched])
    assert launched.trouble == f"It was ended by signal {number}."


@pytest.mark.check
@pytest.mark.skipif(sys.platform == "win32", reason="kill -9 is POSIX's")
def test_a_real_session_is_followed_steered_killed_and_resumed(tmp_path: Path) -> None:
    form = Form()
    form.values |= {"preset": "cowan", "name": "small", "generations": "100000", "seed": "3", "workers": "1"}
    form.settings = dict(line.split("=", 1) for line in TINY)
    checked = form.check(tmp_path)
    assert checked.wrong == {}
    launched = launch.start(checked.arguments)
    followed, other = LiveRun(tmp_path / "small"), LiveRun(tmp_path / "small")

    def until(happened: Callable[[], object]) -> None:
        end = time.monotonic() + 240
        while not happened():
            assert time.monotonic() < end, (followed.state, launched.trouble)
            for each in (followed, other):
                each.step(time.monotonic())
            time.sleep(0.02)

    try:
        until(lambda: followed.newest >= 2 and other.newest >= 2)
        assert followed.state == other.state == "running"
        followed.ask(Request.PAUSE)
        until(lambda: followed.state == other.state == "paused" and not followed.requests)
        other.ask(Request.RESUME)
        until(lambda: followed.state == other.state == "running")
        os.kill(launched.process.pid, signal.SIGKILL)
        until(lambda: followed.state == other.state == "interrupted")
        assert str(launched.process.pid) in describe_session(followed, time.monotonic()).text
        reached = followed.newest
        launched = launch.start([f"--resume={followed.path}"])
        until(lambda: followed.state == "running" and followed.newest > reached)
        followed.ask(Request.STOP_AFTER_GENERATION)
        until(lambda: followed.state == other.state == "stopped")
        assert followed.trouble == other.trouble == ""
    finally:
        if launched.running:
            os.kill(launched.process.pid, signal.SIGKILL)
        waited(launched)
