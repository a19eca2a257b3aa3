"""Worker processes: results in order, shared genomes, one log, named failures, and nobody left behind."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from multiprocessing import get_all_start_methods
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from evolve.workers import processes
from evolve.workers.processes import SharedRows, WorkerProcesses, choose_start_method
from game.installation import TREE
from tests.processes import alive, completed, gone

START_METHODS = sorted(get_all_start_methods())

log = logging.getLogger("evolve.tasks")


def square(number: int) -> int:
    return number * number


def row_sum(row: int) -> float:
    return float(processes.get_shared_rows().genomes()[row].sum())


def process_id(_: Any) -> int:
    time.sleep(0.01)
    return os.getpid()


def refuse(number: int) -> int:
    if number == 3:
        raise ValueError("three is not to be had")
    return number


def die_once(marker: Path) -> str:
    if not marker.exists():
        marker.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return "done"


def hang_once(marker: Path) -> str:
    if not marker.exists():
        marker.touch()
        time.sleep(600)
    return "done"


def say(number: int) -> int:
    log.info("task says %d", number)
    return number


Make = Callable[..., WorkerProcesses]


def patience() -> Callable[[], None]:
    """A tick that gives up on what hangs."""
    end = time.monotonic() + 100

    def tick() -> None:
        assert time.monotonic() < end, "a task was lost"

    return tick


@pytest.fixture
def make() -> Iterator[Make]:
    """Makes crews that are ended after the test."""
    made = []

    def crew(count: int = 2, method: str = "fork", rows: int = 4, **options: Any) -> WorkerProcesses:
        shared = SharedRows(rows, 3)
        shared.genomes()[:] = np.arange(3 * rows).reshape(rows, 3)
        given: dict[str, Any] = {"timeout": 300.0, "tick": patience(), **options}
        made.append(WorkerProcesses(count, start_method=method, shared=shared, **given))
        return made[-1]

    yield crew
    for one in made:
        one.close(kill=True)


@pytest.mark.parametrize("count", [1, 2, 5])
def test_results_come_in_order_of_the_tasks(count: int, make: Make) -> None:
    crew = make(count)
    assert len(crew) == count
    for tasks in (range(50), range(0), range(1)):
        assert list(crew.stream(square, tasks)) == [square(number) for number in tasks]
    assert crew.lost == 0


def test_the_work_is_done_by_other_processes(make: Make) -> None:
    crew = make(2)
    pids = set(crew.stream(process_id, range(20)))
    assert pids == set(crew.pids())
    assert os.getpid() not in pids


@pytest.mark.parametrize(
    "method", ["fork", *(pytest.param(one, marks=pytest.mark.check) for one in START_METHODS if one != "fork")]
)
def test_every_start_method(method: str, make: Make) -> None:
    crew = make(2, method)
    assert list(crew.stream(square, range(20))) == [square(number) for number in range(20)]
    assert list(crew.stream(row_sum, range(4))) == [3, 12, 21, 30]


def test_genomes_are_seen_as_they_are_now() -> None:
    shared = SharedRows(4, 3)
    crew = WorkerProcesses(2, start_method="fork", shared=shared, timeout=300, tick=lambda: None)
    try:
        assert list(crew.stream(row_sum, range(4))) == [0, 0, 0, 0]
        shared.genomes()[2] = 5
        assert list(crew.stream(row_sum, range(4))) == [0, 0, 15, 0]
    finally:
        crew.close()


@pytest.mark.parametrize("count", [1, 3])
def test_a_lost_worker_is_replaced_and_its_task_done_again(
    count: int, make: Make, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    crew = make(count)
    before = set(crew.pids())
    with caplog.at_level(logging.WARNING):
        assert list(crew.stream(die_once, [tmp_path / str(number) for number in range(4)])) == ["done"] * 4
    assert crew.lost == 4
    assert len(crew) == count
    assert caplog.text.count("has died; its task goes to another") == 4
    assert not before & set(crew.pids())
    assert list(crew.stream(square, range(5))) == [0, 1, 4, 9, 16]


def test_a_task_that_hangs_goes_to_another(make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The time passes once, when the first worker hangs; the second may take as long as a busy machine needs."""
    marker = tmp_path / "marker"
    monkeypatch.setattr(processes, "time", SimpleNamespace(monotonic=lambda: float(marker.exists())))
    crew = make(1, timeout=0.3)
    assert list(crew.stream(hang_once, [marker])) == ["done"]
    assert crew.lost == 1


def test_tick_can_give_up(make: Make, tmp_path: Path) -> None:
    ticks = iter(range(5))

    def tick() -> None:
        if next(ticks, None) is None:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(make(2, tick=tick).stream(hang_once, [tmp_path / "one", tmp_path / "other"]))


@pytest.mark.parametrize("kill", [False, True])
def test_processes_end_with_the_pool(kill: bool, make: Make) -> None:
    crew = make(3)
    pids = crew.pids()
    assert all(alive(pid) for pid in pids)
    crew.close(kill=kill)
    assert gone(pids)
    assert len(crew) == 0


def test_workers_have_one_log_with_the_parent(make: Make, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        crew = make(2)
        list(crew.stream(say, range(30)))
        crew.close()
    messages = [record.getMessage() for record in caplog.records if record.name == "evolve.tasks"]
    assert sorted(messages) == sorted(f"task says {number}" for number in range(30))
    assert {record.processName for record in caplog.records if record.name == "evolve.tasks"} <= {
        "worker-1",
        "worker-2",
    }
    started = {record.processName for record in caplog.records if record.getMessage() == "started"}
    assert started >= {"worker-1", "worker-2"}  # records of an earlier test may come late


KILLED = """
import os, signal, time
from evolve.workers.processes import SharedRows, WorkerProcesses

if __name__ == "__main__":
    crew = WorkerProcesses(2, start_method="spawn", shared=SharedRows(1, 1), timeout=300, tick=lambda: None)
    list(crew.stream(abs, [1, 2]))
    time.sleep(0.5)
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_a_killed_session_leaves_no_names_in_the_system_to_warn_of(tmp_path: Path) -> None:
    """Under spawn and forkserver semaphores have names, which Python's own tracker reports when their maker is gone."""
    script = tmp_path / "killed.py"
    script.write_text(KILLED)
    command = [sys.executable, str(script)]
    done = completed(command, env=os.environ | {"PYTHONPATH": str(TREE)}, timeout=120)
    assert (done.returncode, done.stderr) == (-signal.SIGKILL, "")


@pytest.mark.parametrize(
    ("wanted", "platform", "chosen"),
    [
        ("auto", "linux", "fork"),
        ("auto", "darwin", "spawn"),
        ("auto", "win32", "spawn"),
        ("fork", "darwin", "fork"),
        ("forkserver", "linux", "forkserver"),
        ("spawn", "linux", "spawn"),
    ],
)
def test_a_start_method_is_chosen_by_the_system(
    wanted: str, platform: str, chosen: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.platform", platform)
    assert choose_start_method(wanted) == chosen


def test_shared_rows_have_no_name() -> None:
    folder = Path("/dev/shm")
    before = set(folder.iterdir()) if folder.is_dir() else set()
    shared = SharedRows(1000, 247)
    assert shared.genomes().shape == (1000, 247)
    assert shared.genomes().dtype == np.float32
    assert not shared.genomes().any()
    shared.genomes()[3, 4] = 2.5
    assert shared.genomes()[3, 4] == 2.5  # the same memory each time
    new = set(folder.iterdir()) - before if folder.is_dir() else set()
    assert not [path for path in new if path.name.startswith(("pym-", "psm_"))]


STRICT = """
import errno, resource, sys, _multiprocessing

def refuse(*arguments):
    raise OSError(errno.ENOSYS, "Function not implemented")

if __name__ == "__main__":
    _multiprocessing.SemLock = refuse
    resource.setrlimit(resource.RLIMIT_FSIZE, (LIMIT, LIMIT))
import numpy as np
from evolve.workers.pool import open_workers
from evolve.workers.processes import SharedRows
from tests.evolve.workers.test_processes import row_sum, process_id

if __name__ == "__main__":
    import os
    shared = SharedRows(50, 1000)
    shared.put(np.arange(50000, dtype=np.float32).reshape(50, 1000), np.ones(50, np.float32))
    notes = []
    workers = open_workers(
        2, None, shared=shared, timeout=60, tick=lambda: None, start_method=METHOD, tell=notes.append
    )
    sums = list(workers.stream(row_sum, range(3)))
    print(sums, len(workers), os.getpid() in workers.stream(process_id, range(3)), *notes)
    workers.close()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="limits of Unix")
@pytest.mark.parametrize(
    ("method", "limit"),
    [
        (START_METHODS[0], 10_000),
        *(pytest.param(method, 10_000, marks=pytest.mark.check) for method in START_METHODS[1:]),
        (START_METHODS[0], 1 << 30),
    ],
)
def test_neither_semaphores_nor_files_in_memory_are_needed(method: str, limit: int, tmp_path: Path) -> None:
    """Containers may forbid semaphores, and a limit of file sizes forbids shared files; results stay the same."""
    path = tmp_path / "strict.py"
    path.write_text(
        STRICT.replace("(LIMIT, LIMIT)", f"({limit}, {limit})").replace("METHOD", repr(method)), encoding="utf-8"
    )
    environment = os.environ | {"PYTHONPATH": str(TREE), "PYTHONDONTWRITEBYTECODE": "1"}  # cut by the limit
    done = subprocess.run([sys.executable, str(path)], env=environment, capture_output=True, text=True, check=False)
    alone = limit < 200_000 and method != "fork"
    note = " memory shared by processes: File too large; everything is done in this process, with the same results"
    expected = f"[499500.0, 1499500.0, 2499500.0] {1 if alone else 2} {alone}{note if alone else ''}\n"
    assert (done.returncode, done.stdout, done.stderr) == (0, expected, "")
