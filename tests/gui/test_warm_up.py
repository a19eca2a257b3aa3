"""The order in which the thinking process loads code, and compiling in another process at the first start."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable
from multiprocessing.connection import Connection

import pytest

from game.compiled import compiling, kernel_cache
from gui.thinking import thoughts
from gui.thinking.thoughts import WarmUp
from tests.processes import children


def _cold_start(connection: Connection) -> None:
    """Pretend that nothing is compiled, in a process that must not have child processes."""
    compiling.is_there = lambda load: False  # type: ignore[assignment]
    told: list[str] = []
    warm_up = WarmUp(lambda: told.append("waits"))
    for stage in warm_up.stages:
        before = len(told)
        stage()
        connection.send((warm_up.compiles_beside, len(children(os.getpid())) > 0, len(told) > before))


def test_another_process_compiles_the_search_at_a_first_start() -> None:
    """The process is a daemon and cannot be forked, as when the window starts it."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_cold_start, args=(theirs,), daemon=True)
    process.start()
    stages = [ours.recv() for _ in range(4)]
    process.join()
    assert [beside for beside, _, _ in stages] == [True, True, False, False]
    assert stages[0][1]  # it is there
    assert [waits for _, _, waits in stages] == [False, False, True, False]


@pytest.mark.parametrize("cold", [False, True])
def test_nothing_is_started_without_need_or_use(cold: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> None:
        raise AssertionError("a process was started")

    monkeypatch.setattr(thoughts, "CompileProcess", refused)
    if cold:  # and no place for what it would compile
        monkeypatch.setattr(kernel_cache, "CACHE_FOLDER", None)
    is_there: Callable[[Callable[[], object]], bool] = compiling.is_there
    monkeypatch.setattr(compiling, "is_there", lambda load: is_there(load) and not cold)
    for stage in WarmUp().stages:
        stage()
