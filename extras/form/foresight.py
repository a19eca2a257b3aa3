"""The estimate of the time and size of a session that has not begun."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from gui.sessions import launch
from gui.sessions.form import Form, config_of, is_foreseen

QUIET_SECONDS = 0.6
"""Seconds for which the form must stay unchanged before an estimate is requested."""


class Foresight:
    """The estimate for a session that has not begun, made by a separate process (`evolve --estimate`).

    Attributes:
        words: the estimate for the last arguments, in lines; empty while there is none.
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
        return self._ask_at < math.inf or self._answer is not None

    def ask(self, arguments: Sequence[str], verb: str, now: float) -> None:
        """Request an estimate for these arguments, replacing any earlier request."""
        if (tuple(arguments), verb) == (self._asked, self._verb):
            return
        self.close()
        self._asked, self._verb = tuple(arguments), verb
        self._empty()
        self._ask_at = now + QUIET_SECONDS

    def forget(self) -> None:
        """Remove the estimate, since the current form cannot be estimated."""
        self.close()
        self._asked = ()
        self._empty()

    def _empty(self) -> None:
        self.words, self.brief, self.trouble = (), (), ""

    def step(self, now: float) -> bool:
        if now >= self._ask_at:
            self._ask_at = math.inf
            try:
                self._answer = self._start((*self._asked, "--estimate", "--json"), self._verb)
            except OSError as error:
                self.trouble = f"The time cannot be estimated: {error.strerror}."
                return True
        if self._answer is None or self._answer.running:
            return False
        process, self._answer = self._answer, None
        try:
            answer = json.loads(process.output)
            self.words, self.brief = (tuple(map(str, answer[name])) for name in ("words", "brief"))
        except (ValueError, KeyError, TypeError):
            self.trouble = process.trouble or "The time cannot be estimated."
        return True

    def close(self) -> None:
        self._ask_at = math.inf
        if self._answer is not None:
            self._answer.end()
            self._answer = None


def options_of(form: Form, runs: Path) -> list[str] | None:
    """Return the options for an estimate of time and size; None if something is missing or wrong.

    There is no estimate for a run with its own code, since such code is not loaded without consent.
    """
    checked = form.check(runs)
    if checked.wrong.keys() - {"name"} or not is_foreseen(config_of(form.values["preset"], form.lines)):
        return None
    return [option for option in checked.arguments if not option.startswith(("--out=", "--name="))]
