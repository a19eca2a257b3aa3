"""How long a session would take and how large it would be, asked of a process of its own while a form is written."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from typing import Any

from gui.sessions import launch

QUIET_SECONDS = 0.6
"""Without a change before it is asked, so that nobody asks at every key."""


class Foresight:
    """What the command line tells of a session that is not begun (`evolve --estimate`).

    Args:
        start: begins to ask with arguments; gives what is then looked at.

    Attributes:
        words: the answer in lines, of what was written last; empty while there is none.
        brief: the same in fewer words.
        trouble: why there is none, in a sentence.
    """

    def __init__(self, start: Callable[[Sequence[str], str], Any] | None = None) -> None:
        self.words: tuple[str, ...] = ()
        self.brief: tuple[str, ...] = ()
        self.trouble = ""
        self._start = start or launch.foresee
        self._asked: tuple[str, ...] = ()
        self._verb = ""
        self._ask_at = math.inf
        self._answer: Any = None

    @property
    def busy(self) -> bool:
        """Whether an answer is on its way."""
        return self._ask_at < math.inf or self._answer is not None

    def ask(self, arguments: Sequence[str], verb: str, now: float) -> None:
        """Something else is written: what was asked before is of no use any more."""
        if (tuple(arguments), verb) == (self._asked, self._verb):
            return
        self.close()
        self._asked, self._verb = tuple(arguments), verb
        self.words, self.brief, self.trouble, self._ask_at = (), (), "", now + QUIET_SECONDS

    def forget(self) -> None:
        """What is written now cannot be begun."""
        self.close()
        self._asked, self.words, self.brief, self.trouble = (), (), (), ""

    def step(self, now: float) -> bool:
        """Ask, or look whether there is an answer; returns whether anything is new."""
        if now >= self._ask_at:
            self._ask_at = math.inf
            try:
                self._answer = self._start((*self._asked, "--estimate", "--json"), self._verb)
            except OSError as error:
                self.trouble = f"It cannot be told how long it takes: {error.strerror}."
                return True
        if self._answer is None or self._answer.running:
            return False
        told, self._answer = self._answer, None
        try:
            answer = json.loads(told.output)
            self.words, self.brief = (tuple(map(str, answer[name])) for name in ("words", "brief"))
        except (ValueError, KeyError, TypeError):
            self.trouble = told.trouble or "It cannot be told how long it takes."
        return True

    def close(self) -> None:
        """Nobody waits for an answer any more."""
        self._ask_at = math.inf
        if self._answer is not None:
            self._answer.end()
            self._answer = None
