"""Who does the work: in order, here or in worker processes, with nobody left behind; and pipes without a reader."""

from __future__ import annotations

import multiprocessing
import os
import sys
import time
from collections.abc import Iterator
from typing import Any

import pytest

from evolve.workers import channel
from evolve.workers import pool as pools
from evolve.workers.channel import Channel
from evolve.workers.pool import MAX_WORKERS, Pool, worker_count
from evolve.workers.processes import TaskFailure
from game.errors import InputError
from tests.processes import gone


def square(number: int) -> tuple[int, int]:
    return number * number, os.getpid()


def uneven(number: int) -> int:
    time.sleep(0.05 if number % 5 == 0 else 0.001)
    return number


def refuse(number: int) -> int:
    if number == 3:
        raise InputError("three is not to be had")
    return number


@pytest.mark.parametrize("count", [1, 2, 3])
def test_results_come_in_order(count: int) -> None:
    with Pool(count, warmup=0.0) as pool:
        for tasks in (range(40), range(0), range(1)):
            assert list(pool.results(uneven, tasks)) == list(tasks)


def test_one_process_is_this_one() -> None:
    with Pool(1, warmup=0.0) as pool:
        assert {pid for _, pid in pool.results(square, range(20))} == {os.getpid()}


def test_short_work_starts_no_processes() -> None:
    with Pool(2, warmup=60.0) as pool:
        assert {pid for _, pid in pool.results(square, range(20))} == {os.getpid()}


def test_long_work_does_and_they_end_with_it() -> None:
    with Pool(2, warmup=0.0) as pool:
        pids = {pid for _, pid in pool.results(square, range(40))}
        others = pids - {os.getpid()}
        assert os.getpid() in pids  # the first task was done here
        assert 1 <= len(others) <= 2
        assert {pid for _, pid in pool.results(square, range(40))} <= others | set(pool._workers.pids())  # type: ignore[union-attr]
    assert gone(others)


def test_tasks_are_taken_a_few_at_a_time() -> None:
    taken = []

    def tasks() -> Iterator[int]:
        for number in range(1000):
            taken.append(number)
            yield number

    with Pool(2, warmup=0.0) as pool:
        for result in pool.results(uneven, tasks()):
            assert len(taken) <= result + 1 + pools.AHEAD * 2
            if result == 30:
                break


@pytest.mark.parametrize("warmup", [0.0, 60.0])
def test_abandoned_results_do_not_disturb_later_ones(warmup: float) -> None:
    """Left before the end, the next work begins; what comes late of the first is thrown away."""
    with Pool(2, warmup=warmup) as pool:
        for _ in range(5):
            for result in pool.results(uneven, range(100)):
                if result == 7:
                    break
            assert [value for value, _ in pool.results(square, range(9))] == [n * n for n in range(9)]


def test_a_task_that_fails() -> None:
    with Pool(2, warmup=0.0) as pool:
        with pytest.raises(TaskFailure, match="three is not to be had"):
            list(pool.results(refuse, range(9)))
        assert list(pool.results(refuse, range(3))) == [0, 1, 2]
    with pytest.raises(InputError, match="three is not to be had"):
        list(Pool(1).results(refuse, range(9)))


def test_an_error_ends_busy_workers_at_once() -> None:
    pids: list[int] = []

    def broken() -> None:
        with Pool(2, warmup=0.0) as pool:
            for _ in pool.results(time.sleep, [0.0, 0.0, 0.0, 600, 600, 600]):
                if pool._workers is not None and not pids:
                    pids.extend(pool._workers.pids())
                    raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        broken()
    assert len(pids) == 2
    assert gone(pids)


def test_the_number_of_workers_is_checked() -> None:
    assert worker_count(7) == 7
    assert worker_count(None) >= 1
    wrong: Any
    for wrong in (0, -1, MAX_WORKERS + 1):
        with pytest.raises(InputError, match=f"--workers: expected 1 to {MAX_WORKERS}, got {wrong}"):
            worker_count(wrong)


@pytest.mark.skipif(sys.platform == "win32", reason="a pipe hands on whole messages there")
def test_a_message_is_sent_bit_by_bit_however_fast_it_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of other workers wait meanwhile, and so do wishes to stop."""
    ours, theirs = multiprocessing.Pipe()
    with ours, theirs:
        end = Channel(ours)
        monkeypatch.setattr(channel.os, "write", lambda _, data: min(len(data), 1000))
        end.put(bytes(2000))
        assert end.sending
        for _ in range(2):
            assert end.step() == []
        assert not end.sending
