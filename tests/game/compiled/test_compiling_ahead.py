"""A process that compiles beside this one: what is waited for, and that nothing depends on it."""

from __future__ import annotations

import functools
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from game.compiled import compiling
from game.compiled.compiling import CompileProcess
from tests.processes import gone

pytestmark = pytest.mark.usefixtures("usual_signals")

ROOT = Path(__file__).parents[3]
METHOD = "fork" if sys.platform == "linux" else "spawn"


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def _fail() -> None:
    raise ValueError("no such kernel")


def _compile(path: Path) -> None:
    compiling.begin("kernel")
    compiling.end()
    path.touch()


def _die() -> None:
    os._exit(3)


def test_tasks_are_done_in_order(tmp_path: Path) -> None:
    ticks = []
    tasks = [functools.partial(_write, tmp_path / str(number), "done") for number in range(3)]
    process = CompileProcess([functools.partial(time.sleep, 0.3), *tasks], start_method=METHOD)
    for number in range(3):
        process.wait(number + 2, lambda: ticks.append(1))
        assert (tmp_path / str(number)).exists()
    process.wait(9, lambda: ticks.append(1))  # there are no more
    assert ticks
    assert process.pid is None
    process.close()


def test_a_task_that_fails_and_one_that_compiles(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "file"
    with compiling.notify(lambda kernel, number: os.write(2, kernel.encode()) and None):
        process = CompileProcess([_fail, functools.partial(_compile, file)], start_method=METHOD)
        process.wait(2, lambda: None)
        process.close()
    assert file.exists()
    assert capfd.readouterr() == ("", "")


def test_a_process_that_dies_is_not_waited_for(tmp_path: Path) -> None:
    process = CompileProcess([_die, functools.partial(_write, tmp_path / "x", "")], start_method=METHOD)
    process.wait(2, lambda: None)
    assert not (tmp_path / "x").exists()
    process.wait(2, lambda: None)
    process.close()


def test_compiling_without_another_process(monkeypatch: pytest.MonkeyPatch) -> None:
    import multiprocessing.process

    def refused(*_: object) -> None:
        raise OSError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(multiprocessing.process.BaseProcess, "start", refused)
    process = CompileProcess([_fail], start_method=METHOD)
    assert process.pid is None
    process.wait(1, lambda: None)
    process.close()


def test_giving_up_and_closing_leave_no_process() -> None:
    process = CompileProcess([functools.partial(time.sleep, 600)], start_method=METHOD)
    pid = process.pid

    def enough() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        process.wait(1, enough)
    process.close()
    assert pid is not None and gone([pid])


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_it_leaves_signals_to_its_parent_and_ends_with_it() -> None:
    code = f"""
import functools, time
from game.compiled.compiling import CompileProcess
process = CompileProcess([functools.partial(time.sleep, 0), functools.partial(time.sleep, 600)],
                         start_method={METHOD!r})
process.wait(1, lambda: None)
print(process.pid, flush=True)
time.sleep(600)
"""
    with subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            os.kill(pid, number)
        time.sleep(0.1)
        os.kill(pid, 0)  # it is there
        parent.kill()
        parent.wait()
        assert gone([pid])
