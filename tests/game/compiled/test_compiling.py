"""Notices about compiling, variants of compiled code, and a process that compiles ahead."""

from __future__ import annotations

import functools
import gc
import io
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from game.compiled import compiling
from game.compiled.compiling import CompileProcess, Notice
from game.compiled.jit import Int, compiled, part, variant
from tests.called import NOTICE
from tests.processes import gone
from tests.screen import Screen

ROOT = Path(__file__).parents[3]


def test_whether_code_is_there() -> None:
    """Nothing begins where something had to be compiled, and nobody is told."""
    done: list[str] = []

    def load(there: bool) -> None:
        done.append("begun")
        if not there:
            compiling.begin("kernel")
            done.append("compiled")
            compiling.end()

    messages: list[tuple[str, int]] = []
    with compiling.notify(lambda kernel, number: messages.append((kernel, number))):
        assert compiling.is_there(lambda: load(True))
        assert not compiling.is_there(lambda: load(False))
        assert (done, messages) == (["begun"] * 2, [])
        load(False)
    assert messages == [("kernel", 1), ("", 1)]


def events(notice: Notice) -> None:
    with compiling.notify(notice):
        for kernel in ("outer", "inner"):
            compiling.begin(kernel)
        compiling.end()
        compiling.begin("a" * 100)
        compiling.end()
        compiling.end()
        compiling.begin("another")
        compiling.end()
    compiling.begin("nobody listens")
    compiling.end()


def test_lines_name_steps_and_modules_once() -> None:
    stream = io.StringIO()
    events(Notice(stream, live=False))
    with compiling.notify(Notice(stream, live=False)):
        for module in ("game.kernels", "crownhead.game.endgame.pack_kernels", "game.kernels"):
            compiling.begin("outer", module)
            compiling.begin("inner", "game.bits")
            compiling.end()
            compiling.end()
        with compiling.step("search, 2 of 7"):
            compiling.wait()
            compiling.begin("outer", "game.kernels")
            compiling.end()
    parts = ("code", "moves", "the tablebase builder", "search, 2 of 7")
    assert stream.getvalue() == "".join(f"compiling {part} (only the first time)\n" for part in parts)
    assert all(NOTICE.fullmatch(line) for line in stream.getvalue().splitlines())


def test_every_kernel_belongs_to_a_part() -> None:
    for path in (ROOT / "game").rglob("*.py"):
        if re.search("^@(compiled|callback)", path.read_text(encoding="utf-8"), re.MULTILINE):
            compiling.begin("kernel", ".".join(path.relative_to(ROOT).with_suffix("").parts))
            compiling.end()
            assert compiling.part() != "code", path


@pytest.mark.parametrize(("width", "kernel"), [(80, ", outer"), (60, ", outer"), (49, "")])
def test_a_line_of_a_terminal_counts_and_goes_away(width: int, kernel: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    stream, screen = io.StringIO(), Screen(width)
    events(Notice(stream, live=True))
    seen = []
    for text in stream.getvalue().split("\r")[1::2]:
        screen.feed(f"\r{text}\r")
        seen.append(screen.lines[0].rstrip().removeprefix("compiling code (only the first time), "))
    assert len(screen.lines) == 1
    assert [text[:17] for text in seen] == [
        f"1 kernels{kernel}"[:17], f"2 kernels{kernel and ', inner'}"[:17], "3 kernels", "",
        f"4 kernels{kernel and ', another'}"[:17], "",
    ]  # fmt: skip


@pytest.mark.parametrize("live", [False, True])
def test_notice_without_a_listener(live: bool) -> None:
    events(Notice(None, live=live))
    closed = io.StringIO()
    closed.close()
    events(Notice(closed, live=live))
    if Path("/dev/full").exists():
        with open("/dev/full", "w", encoding="utf-8") as full:
            events(Notice(full, live=live))
            with pytest.raises(OSError, match="space"):
                full.close()


def test_listeners_within_listeners() -> None:
    messages: list[tuple[str, str, int]] = []
    with compiling.notify(lambda kernel, number: messages.append(("outer", kernel, number))):
        compiling.begin("a")
        compiling.end()
        with compiling.notify(lambda kernel, number: messages.append(("inner", kernel, number))):
            compiling.begin("b")
            compiling.end()
        compiling.begin("c")
        compiling.end()
    assert messages == [
        *(("outer", "a", 1), ("outer", "", 1), ("inner", "b", 1), ("inner", "", 1)),
        *(("outer", "c", 2), ("outer", "", 2)),
    ]


def test_garbage_is_collected_again_after_a_compilation() -> None:
    for collects in (True, False):
        (gc.enable if collects else gc.disable)()
        try:
            compiling.begin("outer")
            compiling.begin("inner")
            compiling.end()
            assert not gc.isenabled()
            compiling.end()
            assert gc.isenabled() is collects
        finally:
            gc.enable()


STEP = 1


@part
def count_down(left: Int) -> Int:
    """Return STEP for each number from `left` to 1."""
    if left <= 0:
        return 0
    return STEP + count_down(left - 1)


_by_tens: Any = variant(count_down, STEP=10)


@compiled
def both(left: Int) -> Int:
    """Return what both say, told apart by their size."""
    return 1000 * count_down(left) + _by_tens(left)


def test_a_copy_has_its_own_constants_all_the_way_down() -> None:
    assert both(5) == 5050


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


@pytest.mark.usefixtures("usual_signals")
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


@pytest.mark.usefixtures("usual_signals")
def test_a_task_that_fails_and_one_that_compiles(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "file"
    with compiling.notify(lambda kernel, number: os.write(2, kernel.encode()) and None):
        process = CompileProcess([_fail, functools.partial(_compile, file)], start_method=METHOD)
        process.wait(2, lambda: None)
        process.close()
    assert file.exists()
    assert capfd.readouterr() == ("", "")


@pytest.mark.usefixtures("usual_signals")
def test_a_process_that_dies_is_not_waited_for(tmp_path: Path) -> None:
    process = CompileProcess([_die, functools.partial(_write, tmp_path / "x", "")], start_method=METHOD)
    process.wait(2, lambda: None)
    assert not (tmp_path / "x").exists()
    process.wait(2, lambda: None)
    process.close()


@pytest.mark.usefixtures("usual_signals")
def test_compiling_without_another_process(monkeypatch: pytest.MonkeyPatch) -> None:
    import multiprocessing.process

    def refused(*_: object) -> None:
        raise OSError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(multiprocessing.process.BaseProcess, "start", refused)
    process = CompileProcess([_fail], start_method=METHOD)
    assert process.pid is None
    process.wait(1, lambda: None)
    process.close()


@pytest.mark.usefixtures("usual_signals")
def test_giving_up_and_closing_leave_no_process() -> None:
    process = CompileProcess([functools.partial(time.sleep, 600)], start_method=METHOD)
    pid = process.pid

    def enough() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        process.wait(1, enough)
    process.close()
    assert pid is not None and gone([pid])


@pytest.mark.usefixtures("usual_signals")
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
