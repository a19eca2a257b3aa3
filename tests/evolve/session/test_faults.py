"""Faults of saves, files and workers, which a session must survive; those of whole sessions are in tests/faults."""

from __future__ import annotations

import logging
import multiprocessing
import os
import random
import shutil
import signal
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import wait
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evolve.config.model import Config
from evolve.run import append_only, generation_csv, manifest, status
from evolve.run.files import BusyError, DamagedRunError
from evolve.run.folder import Run
from evolve.run.generation_csv import Generation
from evolve.run.log import LOG_COLUMNS
from evolve.run.manifest import Manifest
from evolve.run.runs import Runs
from evolve.run.status import State, lock
from evolve.session import saving
from evolve.session.control import Control
from evolve.session.reporters import Reporter
from evolve.workers import logs
from game.compiled import kernel_cache
from tests.faults import powercut, saves, tasks
from tests.faults.crews import crew, fails, killed_while_logging, succeeds, thaws
from tests.faults.damage import cut, flipped, refused
from tests.faults.harness import MEMORY, children, wait_until
from tests.faults.inject import Fault, in_child

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="faults are inflicted and seen by means of Linux"),
    pytest.mark.usefixtures("usual_signals"),
]

FAULTS = (Fault.KILL, Fault.KILL_HALF, Fault.KILL_AFTER, Fault.FULL)


@pytest.fixture
def fast() -> Iterator[Path]:
    """A folder in memory if there is such a place, for what waits for the disk very often."""
    folder = Path(tempfile.mkdtemp(prefix="crownhead-test-", dir=MEMORY))
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return saves.run_of(tmp_path_factory.mktemp("whole") / "run", 5).path


IN_TURN = pytest.mark.parametrize("in_turn", [True, pytest.param(False, marks=pytest.mark.check)])
"""One fault at each system call; in the check each of them."""


def _wrong(points: Iterator[tuple[str, str]]) -> list[str]:
    results = list(points)
    assert len(results) > 10
    return [f"{place}: {wrong}" for place, wrong in results if wrong]


@IN_TURN
def test_a_save_that_fails_anywhere_leaves_one_generation_or_the_other(whole: Path, fast: Path, in_turn: bool) -> None:
    before = saves.run_of(fast / "before" / "run", 2).path
    check = saves.checked_save(whole, 1)
    assert _wrong(saves.each_point(fast, before, saves.save_next, check, FAULTS, in_turn=in_turn)) == []


@pytest.mark.check
@IN_TURN
def test_a_save_that_thins_and_fails_anywhere_leaves_whole_or_thinned_generations(fast: Path, in_turn: bool) -> None:
    before = saves.run_of(fast / "before" / "run", 2).path
    done = Path(shutil.copytree(before, fast / "done" / "run"))
    saves.save_and_thin(done)
    assert Run(done).manifest().whole == [0, 2]
    check, faults = saves.checked_thinning(done), (Fault.KILL, Fault.FULL)
    points = saves.each_point(fast, before, saves.save_and_thin, check, faults, in_turn=in_turn)
    assert _wrong(points) == []


def test_a_power_cut_in_a_save_that_thins(fast: Path) -> None:
    before = saves.run_of(fast / "before" / "run", 2).path
    done = Path(shutil.copytree(before, fast / "done" / "run"))
    calls = powercut.recorded(lambda: saves.save_and_thin(done))
    assert _wrong(powercut.cuts(fast / "cuts", before, calls, saves.checked_thinning(done))) == []


@pytest.mark.check
@IN_TURN
def test_resume_that_fails_anywhere_can_be_repeated(whole: Path, fast: Path, in_turn: bool) -> None:
    before = saves.torn(fast / "torn" / "run")
    check = saves.checked_resume(whole, 2, saves.resume)
    faults = (Fault.KILL, Fault.EIO)
    assert _wrong(saves.each_point(fast, before, saves.resume, check, faults, in_turn=in_turn)) == []


@pytest.mark.check
@IN_TURN
def test_a_start_that_fails_anywhere_can_be_repeated(fast: Path, in_turn: bool) -> None:
    (fast / "runs").mkdir()
    faults = (Fault.KILL, Fault.FULL)
    points = saves.each_point(fast, fast / "runs", saves.start, saves.checked_start, faults, in_turn=in_turn)
    assert _wrong(points) == []


def test_an_interrupted_start_is_no_run(fast: Path) -> None:
    half = saves.run_of(fast / "run", 0).path
    half.rename(fast / ".other.new")
    assert Runs(fast).names() == []
    assert Runs(saves.run_of(fast / "run", 0).path.parent).names() == ["run"]


@pytest.mark.check
def test_a_power_cut_in_a_save_leaves_one_generation_or_the_other(whole: Path, fast: Path) -> None:
    before = saves.run_of(fast / "before" / "run", 2).path
    copy = fast / "copy" / "run"
    shutil.copytree(before, copy)
    calls = powercut.recorded(lambda: saves.save_next(copy))
    check = saves.checked_save(whole, 1)
    assert _wrong(powercut.cuts(fast / "cuts", before, calls, check)) == []
    forgetful = [call for call in calls if not call[0].startswith("fsync")]
    assert any(wrong for _, wrong in powercut.cuts(fast / "cuts", before, forgetful, check))


def test_a_save_can_be_given_up_until_it_touches_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = saves.run_of(tmp_path / "run", 0)
    going_on = threading.Event()
    text = generation_csv.to_csv

    def slow(*arguments: Any, **options: Any) -> bytes:
        going_on.wait(30.0)
        return text(*arguments, **options)

    monkeypatch.setattr(generation_csv, "to_csv", slow)
    saver, record = saving.Saver(run, Config()), dict.fromkeys(LOG_COLUMNS, 0)
    weights = np.zeros((1, 3), np.float32)
    rows = Generation(["Gen00_0000"], weights, np.ones(1, np.int64), ["founder"], [()], np.zeros((1, 5), np.int64))
    given_up = saver.save(Manifest(), rows, record, b"")
    assert given_up.cancel()
    going_on.set()
    wait([saved := saver.save(Manifest(), rows, record, b"")])
    assert saved.result().newest == 0
    assert (run.path / append_only.LOG).read_text(encoding="utf-8").count("\n") == 2  # a header, and one line, once


def test_a_log_that_cannot_be_written_does_not_hide_errors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logging, "raiseExceptions", False)
    for path in (Path("/dev/full"), tmp_path / "nowhere" / "session.log"):
        with pytest.raises(ValueError, match="the reason"), logs.LogFile(path):
            logging.getLogger("evolve").info("something")
            raise ValueError("the reason")


def test_warnings_of_the_main_process_are_reported(tmp_path: Path) -> None:
    messages: list[str] = []
    with logs.LogFile(tmp_path / "log", messages.append):
        logging.getLogger("game.compiled.kernel_cache").warning("no place for %s", "this")
        logging.getLogger("evolve").info("not worth it")
        foreign = logging.makeLogRecord({"name": "evolve", "levelno": logging.ERROR, "msg": "elsewhere"})
        foreign.process = os.getpid() + 1
        logging.getLogger("evolve").handle(foreign)
    assert messages == ["no place for this"]
    assert "elsewhere" in (tmp_path / "log").read_text(encoding="utf-8")


@pytest.mark.parametrize("change", [flipped, cut])
@pytest.mark.parametrize("file", ["generation_0003.csv", "generation_0000.csv", "manifest.csv"])
def test_damage_is_refused_by_name(
    file: str, change: Callable[[Path, random.Random], str], whole: Path, fast: Path
) -> None:
    four = saves.run_of(fast / "four" / "run", 4).path
    draw = random.Random(file)
    for turn in range(4):
        copy = fast / f"copy-{turn}" / "run"
        shutil.copytree(four, copy)
        place = change(copy / file, draw)
        if file == manifest.NAME and Run(copy).manifest() == Run(four).manifest().up_to(2):
            continue  # cut at the end of a line, as if the last generation had never been complete
        assert (place, refused(copy, four, file)) == (place, "")


def test_a_damaged_header_costs_no_generation(fast: Path) -> None:
    run = saves.run_of(fast / "run", 3)
    path = run.path / manifest.NAME
    path.write_bytes(path.read_bytes().replace(b"generation,", b"generatiom,"))
    with pytest.raises(DamagedRunError, match=r"manifest\.csv.*header.*--from 2"):
        run.check(run.manifest())


def test_process_that_holds_a_run_is_named(tmp_path: Path, limit: Callable[..., None]) -> None:
    limit(status, "HOLDER_SECONDS", 0.1)
    run = saves.run_of(tmp_path / "run", 1)
    gone = multiprocessing.get_context("fork").Process(target=os.getpid)
    gone.start()
    gone.join()
    for pid, state, who in (
        (os.getpid(), State.PAUSED, f"process {os.getpid()} (paused)"),
        (os.getpid(), State.DONE, "another process"),
        (gone.pid or 0, State.RUNNING, "another process"),
    ):
        status.write(run.path, status.now(state, pid, 1, 3, 0))
        with (
            lock(run.path),
            pytest.raises(BusyError, match=f"{who} is working".replace("(", r"\(").replace(")", r"\)")),
            lock(run.path),
        ):
            pass


def _control(folder: Path) -> Control:
    return Control(folder, Reporter(), 3, lambda: 0)


@pytest.mark.parametrize(("starting", "signals"), [(True, 2), (False, 3)])
def test_last_signal_acts_immediately(starting: bool, signals: int, tmp_path: Path) -> None:
    """While kernels compile nobody calls `tick`; and the third signal ends whatever the second did not."""

    def interrupted() -> None:
        control = _control(tmp_path)
        control.starting = starting
        with control.signals():
            for _ in range(signals):
                signal.raise_signal(signal.SIGINT)

    assert in_child(interrupted, None) == 130
    result = status.read(tmp_path)
    assert result is not None and result.state is State.STOPPED


METHODS = pytest.mark.parametrize(
    "method", ["fork", *(pytest.param(name, marks=pytest.mark.check) for name in ("forkserver", "spawn"))]
)


@METHODS
@pytest.mark.parametrize(
    ("task", "timeout", "words", "lost"),
    [
        (tasks.hang, 0.2, "gave no answer for 0.2 s, 3 times", 3),
        (tasks.freeze, 0.2, "gave no answer for 0.2 s, 3 times", 3),
        (tasks.die, 300.0, "has died, 3 times", 3),
        (tasks.fail, 300.0, "ValueError: task 1 cannot be done", 0),
    ],
)
def test_an_impossible_task_is_given_up(
    task: Callable[[Any], Any], timeout: float, words: str, lost: int, method: str
) -> None:
    assert fails(method, task, timeout, words, lost) == ""


@METHODS
@pytest.mark.parametrize("task", [tasks.die_twice, tasks.die_while_answering])
def test_a_task_may_take_workers_down_twice(task: Callable[[Any], Any], method: str, tmp_path: Path) -> None:
    assert succeeds(method, task, tmp_path / "tries")[0]


@METHODS
@pytest.mark.parametrize("task", [tasks.freeze_while_answering, tasks.freeze_before_the_next])
def test_a_worker_may_freeze_between_two_bytes(task: Callable[[Any], Any], method: str, tmp_path: Path) -> None:
    """It is noticed as one that freezes in a task is, and the heart beats meanwhile."""
    assert thaws(method, task, tmp_path / "frozen") == ""


@METHODS
def test_workers_killed_while_they_log(method: str) -> None:
    threads = threading.active_count()
    lost, numbers = killed_while_logging(method, 4, random.Random(1), 1_000)
    assert lost >= 4
    assert sorted(numbers) == list(range(1_000))
    assert wait_until(lambda: threading.active_count() <= threads)  # no thread listens to the dead


def test_all_workers_start_or_none(monkeypatch: pytest.MonkeyPatch) -> None:
    before = set(children(os.getpid()))
    start = multiprocessing.Process.start
    started: list[int] = []

    def fails_at_the_third(process: multiprocessing.Process) -> None:
        if len(started) == 2:
            raise OSError(24, "Too many open files")
        start(process)
        started.append(process.pid or 0)

    monkeypatch.setattr(multiprocessing.Process, "start", fails_at_the_third)
    with pytest.raises(OSError, match="worker 3 cannot be started"):
        crew("fork", 4)
    assert len(started) == 2
    assert set(children(os.getpid())) - before == set()


def test_without_any_temporary_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def none() -> str:
        raise FileNotFoundError("No usable temporary directory found")

    (tmp_path / "file").touch()
    monkeypatch.setenv("CROWNHEAD_CACHE_DIR", str(tmp_path / "file" / "below"))
    monkeypatch.setattr(tempfile, "gettempdir", none)
    with caplog.at_level(logging.WARNING):
        assert kernel_cache.choose_cache_folder() is None
    assert len(caplog.records) == 1
