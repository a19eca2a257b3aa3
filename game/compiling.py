"""Telling people that code is being compiled, which takes some seconds at the first start of a version.

`game.jit` reports each kernel as its compilation begins, unless it is in the cache. So a start that finds everything in
the cache is silent. This module loads nothing; register a listener before kernels are used::

    with compiling.notify(compiling.Notice(sys.stderr, live=sys.stderr.isatty())):
        ...
"""

from __future__ import annotations

import contextlib
import gc
import time
from collections.abc import Callable, Iterator
from typing import TextIO

from game.terminal import fit_parts, terminal_width, written_over

Listener = Callable[[str, int], None]
"""Called with the name of a kernel when its compilation begins, and the number of kernels so far, this one included;
with an empty name when all are done. Calls come from the compiling thread, one at a time."""

_listener: Listener | None = None
_begun = 0


@contextlib.contextmanager
def notify(listener: Listener) -> Iterator[None]:
    """Within this context report to `listener`, and to nobody else."""
    global _listener, _begun  # one for the process, as the compiler is
    before = _listener, _begun
    _listener, _begun = listener, 0
    try:
        yield
    finally:
        _listener, _begun = before


class _NotThere(Exception):
    """Something would have to be compiled."""


def is_there(load: Callable[[], object]) -> bool:
    """Load code that was compiled before; where something had to be compiled, nothing is, and the result is False.

    Args:
        load: loads, or compiles, all that is meant; it can be called again.
    """

    def refuse(kernel: str, number: int) -> None:
        raise _NotThere(kernel)

    with notify(refuse):
        try:
            load()
        except _NotThere:
            return False
    return True


seconds: dict[str, float] = {}
"""CPU seconds that this process spent compiling each kernel, without those that it needs."""
_under_way: list[str] = []
_since = 0.0
_collects = True


def _count_seconds() -> None:
    """Count the time since the last call for the kernel that is being compiled."""
    global _since  # noqa: PLW0603
    now = time.process_time()
    if _under_way:
        seconds[_under_way[-1]] = seconds.get(_under_way[-1], 0.0) + now - _since
    _since = now


def begin(kernel: str) -> None:
    """For `game.jit`: the compilation of a kernel begins, perhaps because another one needs it."""
    global _begun, _collects  # noqa: PLW0603
    if _listener is not None:
        _listener(kernel, _begun + 1)
    _begun += 1
    _count_seconds()
    if not _under_way:
        _collects = gc.isenabled()
    _under_way.append(kernel)
    gc.disable()  # the compiler makes many objects that live long: looking through them took a twentieth of its time


def end() -> None:
    """For `game.jit`: the kernel begun last is done."""
    if not _under_way:  # a listener has refused its beginning (`is_there`)
        return
    _count_seconds()
    _under_way.pop()
    if _under_way:
        return
    if _collects:
        gc.enable()
    if _listener is not None:
        _listener("", _begun)


class Notice:
    """A listener that writes one line; on a terminal, a line that counts kernels and disappears at the end.

    Args:
        stream: where to write, None for nowhere.
        live: whether the stream is a terminal.
    """

    def __init__(self, stream: TextIO | None, *, live: bool) -> None:
        self._stream, self._live = stream, live
        self._written = False

    def __call__(self, kernel: str, number: int) -> None:
        """Show the state of the compilation."""
        if self._live:
            parts = (f"compiling, only the first time: {number} kernels", kernel) if kernel else ("",)
            width = terminal_width(self._stream)
            self._write(written_over(fit_parts(parts, width - 1), width))
        elif not self._written:
            self._written = True
            self._write("compiling what is used for the first time: some seconds, only once\n")

    def _write(self, text: str) -> None:
        # A closed pipe, or no standard error at all, must not end the program.
        if self._stream is not None:
            with contextlib.suppress(OSError, ValueError):
                self._stream.write(text)
                self._stream.flush()
