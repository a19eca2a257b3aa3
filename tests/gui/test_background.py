"""Work in the background: answers come once, failures are reported, and what is no longer wanted is skipped."""

from __future__ import annotations

import threading

from gui.background import Background, Trouble


def test_background_answers_once_and_reports_failures() -> None:
    background, answers = Background(), list[object]()
    one, other, held = object(), object(), threading.Event()
    background.ask(one, "a", lambda: 1, answers.append)
    background.ask(one, "b", lambda: 1 / 0, answers.append)
    assert background.wants(one) and background.wants(one, "a") and not background.wants(other)
    while background.wants(one):
        background.deliver()
    assert answers[0] == 1 and isinstance(answers[1], Trouble) and not background.deliver()
    background.ask(other, "held", held.wait, lambda answer: None)
    background.ask(one, "c", lambda: 2, answers.append)
    background.ask(one, "d", lambda: 3, answers.append)
    background.ask(other, "c", lambda: 4, answers.append)
    background.cancel(one, "c")
    background.ask(one, "d", lambda: 5, answers.append)
    held.set()
    background.finish(60.0)
    assert answers[2:] == [4, 5]


def test_background_skips_closed_owners() -> None:
    background, answers, closed, held = Background(), list[object](), object(), threading.Event()
    background.ask(background, "held", held.wait, lambda answer: None)
    background.ask(background, "soon", lambda: "soon", answers.append)
    background.ask(closed, "closed", lambda: "closed", answers.append)
    background.cancel(closed)
    held.set()
    background.finish(60.0)
    assert answers == ["soon"]
