"""Telling people that code is being compiled: some seconds that only the first start of a version takes.

`game.jit` reports each kernel that is not in the cache when it begins to be compiled. So what is told is what happens:
a start that loads everything is silent, and one that lacks a single kernel says so, whatever else is there. This module
loads nothing; whoever wants to know says so before kernels are used::

    with compiling.told(compiling.Notice(sys.stderr, live=sys.stderr.isatty())):
        ...
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import TextIO

Listener = Callable[[str, int], None]
"""Called with the name of a kernel when it begins to be compiled, and how many have been so far, itself included; with
an empty name when all that was begun is done. Calls come from the thread that compiles, one at a time."""

WIDTH = 70

_listener: Listener | None = None
_begun = _nested = 0


@contextlib.contextmanager
def told(listener: Listener) -> Iterator[None]:
    """Within this context `listener` is told, and nobody else."""
    global _listener, _begun  # one for the process, as the compiler is
    before = _listener, _begun
    _listener, _begun = listener, 0
    try:
        yield
    finally:
        _listener, _begun = before


def begin(kernel: str) -> None:
    """For `game.jit`: a kernel is being compiled, perhaps because another one needs it."""
    global _begun, _nested  # noqa: PLW0603
    _begun += 1
    _nested += 1
    if _listener is not None:
        _listener(kernel, _begun)


def end() -> None:
    """For `game.jit`: the last kernel that was begun is done."""
    global _nested  # noqa: PLW0603
    _nested -= 1
    if _nested == 0 and _listener is not None:
        _listener("", _begun)


class Notice:
    """A listener that writes one line, or on a terminal one that counts kernels and goes away.

    Args:
        stream: where to.
        live: whether it is a terminal.
    """

    def __init__(self, stream: TextIO | None, *, live: bool) -> None:
        self._stream, self._live = stream, live
        self._said = False

    def __call__(self, kernel: str, number: int) -> None:
        """Say it."""
        if self._live:
            text = f"compiling, only the first time: {number} kernels, {kernel}" if kernel else ""
            self._write(f"\r{text[:WIDTH]:{WIDTH}}\r")
        elif not self._said:
            self._said = True
            self._write("compiling what is used for the first time: some seconds, only once\n")

    def _write(self, text: str) -> None:
        # Nothing depends on it: a closed pipe, or no standard error at all, ends no program here.
        if self._stream is not None:
            with contextlib.suppress(OSError, ValueError):
                self._stream.write(text)
                self._stream.flush()
