"""Wishes of a person to end a verb, which keep what was played: Ctrl-C and SIGTERM."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
from collections.abc import Iterator
from types import FrameType, TracebackType
from typing import Any

from game.installation import PROGRAM


class Interrupted(BaseException):
    """Somebody wishes the end; what is half done here is of no use."""


class Interruption:
    """Turns the first Ctrl-C or SIGTERM into `Interrupted`, and only where nothing that counts is half done.

    A context manager. A second wish ends the verb wherever it is, as the first would without this. An `Interrupted`
    that nobody took ends the verb, too, with the exit code of its signal.

    Attributes:
        signal: number of the signal that came; None if none did.
    """

    def __init__(self) -> None:
        self.signal: int | None = None
        self._allowed = False
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Interruption:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                if signal.getsignal(number) is not signal.SIG_IGN:  # as for what a shell runs in the background
                    self._before[number] = signal.signal(number, self._on_signal)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        if isinstance(error, Interrupted):
            if sys.stderr is not None:
                with contextlib.suppress(OSError):
                    print(f"{PROGRAM}: stopped before there was a result", file=sys.stderr, flush=True)
            sys.exit(self.exit_code)

    @property
    def exit_code(self) -> int:
        """Of a verb that ends here: 0, or 128 and the number of the signal."""
        return 0 if self.signal is None else 128 + self.signal

    def _on_signal(self, number: int, _frame: FrameType | None) -> None:
        if self.signal is not None:
            if number == signal.SIGINT:
                raise KeyboardInterrupt
            sys.exit(128 + number)
        self.signal = number
        if self._allowed:
            raise Interrupted

    def check(self) -> None:
        """Raises:
        Interrupted: somebody wishes the end.
        """
        if self.signal is not None:
            raise Interrupted

    @contextlib.contextmanager
    def allowed(self) -> Iterator[None]:
        """Within this context a wish is heard at once.

        Raises:
            Interrupted: somebody wishes the end, or did so before.
        """
        self._allowed = True
        try:
            self.check()
            yield
        finally:
            self._allowed = False
