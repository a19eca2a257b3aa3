"""Reports of compilations, which take some seconds at the first start of a version.

`game.compiled.jit` reports each kernel that it has to compile, so a start that finds all code in the cache is silent.
This module does not load Numba; register a listener before kernels are used::

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
"""A function of a kernel's name and its number, counted from 1, called when its compilation begins.

When the outermost compilation ends, it is called with an empty name and the number of kernels compiled. Calls come from
the compiling thread, one at a time.
"""

_listener: Listener | None = None
_begun = 0


@contextlib.contextmanager
def notify(listener: Listener) -> Iterator[None]:
    """Report compilations to `listener` alone within this context."""
    global _listener, _begun  # one for the process, like the compiler
    before = _listener, _begun
    _listener, _begun = listener, 0
    try:
        yield
    finally:
        _listener, _begun = before


class _MustCompileError(Exception):
    """Raised instead of compiling a kernel that is not in the cache."""


def is_there(load: Callable[[], object]) -> bool:
    """Load code from the cache, and return whether all of it was there. Nothing is compiled.

    Args:
        load: a function that loads, or else compiles, the code; it may be called again after a failure.
    """

    def refuse(kernel: str, number: int) -> None:
        raise _MustCompileError(kernel)

    with notify(refuse):
        try:
            load()
        except _MustCompileError:
            return False
    return True


seconds: dict[str, float] = {}
"""CPU seconds that this process spent compiling each kernel, without the kernels that it calls."""
_under_way: list[str] = []
_since = 0.0
_collects = True


def _count_seconds() -> None:
    """Add the time since the last call to the kernel that is being compiled."""
    global _since  # noqa: PLW0603
    now = time.process_time()
    if _under_way:
        seconds[_under_way[-1]] = seconds.get(_under_way[-1], 0.0) + now - _since
    _since = now


def begin(kernel: str) -> None:
    """Report that the compilation of a kernel begins, perhaps within that of its caller (for `game.compiled.jit`)."""
    global _begun, _collects  # noqa: PLW0603
    if _listener is not None:
        _listener(kernel, _begun + 1)
    _begun += 1
    _count_seconds()
    if not _under_way:
        _collects = gc.isenabled()
    _under_way.append(kernel)
    gc.disable()  # the compiler creates many objects that live long; scanning them took 5 % of its time


def end() -> None:
    """Report that the compilation begun last has ended (for `game.compiled.jit`)."""
    if not _under_way:  # a listener refused its beginning (`is_there`)
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
        stream: standard error; None discards the text.
        live: whether the stream is a terminal.
    """

    def __init__(self, stream: TextIO | None, *, live: bool) -> None:
        self._stream, self._live = stream, live
        self._written = False

    def __call__(self, kernel: str, number: int) -> None:
        """Write or update the line."""
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
