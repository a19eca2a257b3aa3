"""Values and functions shared by `test_thinker` and other tests."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from gui.thinking.messages import Answer, Failed
from gui.thinking.thinker import Thinker

PATIENCE = 120.0  # kernels may have to be compiled


@pytest.fixture(scope="module")
def thinker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Thinker]:
    runs = tmp_path_factory.mktemp("runs")
    made = Thinker(runs)
    made.warm_up()
    until(made, lambda _: made.ready)
    yield made
    made.close()


def until(thinker: Thinker, done: Callable[[list[Any]], object], patience: float = PATIENCE) -> list[Any]:
    replies: list[Any] = []
    end = time.monotonic() + patience
    while not done(replies):
        assert time.monotonic() < end, replies
        replies += thinker.poll(time.monotonic())
        time.sleep(0.002)
    return replies


def ended(ticket: int) -> Callable[[list[Any]], bool]:
    return lambda replies: any(isinstance(r, Answer | Failed) and r.ticket == ticket for r in replies)


def last(replies: list[Any]) -> Any:
    return next(reply for reply in reversed(replies) if isinstance(reply, Answer | Failed))
