"""Notifications of compilations, which take some seconds at the first start of a version, and a compiling process.

`game.compiled.jit` reports each kernel that it has to compile; nothing is reported if all code is in the cache.
"""

from __future__ import annotations

import contextlib
import gc
import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TextIO

from game.terminal import fit_parts, terminal_width, written_over

if TYPE_CHECKING:
    from game.child import Child

log = logging.getLogger(__name__)

POLL_SECONDS = 0.1

Listener = Callable[[str, int], None]
"""Called when the compilation of a kernel begins, with the kernel's name and its number, counted from 1.

At the end of the outermost compilation, it is called with an empty name and the number of compiled kernels; while
another process compiles, with an empty name and 0. Calls come from the compiling thread, one at a time.
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
    """Load code from the cache, and return whether all of it was there; other threads may compile meanwhile.

    Args:
        load: loads the code, or compiles it if it is missing; it must be possible to call it again after a failure.
    """

    thread = threading.get_ident()

    def refuse(kernel: str, number: int) -> None:
        if threading.get_ident() == thread:
            raise _MustCompileError(kernel)

    with notify(refuse):
        try:
            load()
        except _MustCompileError:
            return False
    return True


PARTS = (
    ("kernels", "moves"),
    ("batch", "games"),
    ("networks", "networks"),
    ("search.tablebase_kernels", "tablebase look-ups"),
    ("search", "the search"),
    ("endgame.probe_kernels", "tablebase look-ups"),
    ("endgame.verify_kernels", "the check of tablebases"),
    ("endgame", "the tablebase builder"),
    ("traits_kernels", "traits"),
)
"""Beginnings of the names of modules below `game`, and what a user would call their kernels."""
_step = _module = ""


def part() -> str:
    """Return what is being compiled, in words: the step, or what the outermost kernel belongs to."""
    name = _module.partition("game.")[2]
    return _step or next((words for beginning, words in PARTS if name.startswith(beginning)), "code")


@contextlib.contextmanager
def step(words: str) -> Iterator[None]:
    """Use these words for whatever is compiled within this context."""
    global _step  # noqa: PLW0603
    before, _step = _step, words
    try:
        yield
    finally:
        _step = before


def wait() -> None:
    """Report that this process waits for code that another one compiles."""
    if _listener is not None:
        _listener("", 0)


_under_way: list[str] = []
_collects = True


def begin(kernel: str, module: str = "") -> None:
    """Report that a compilation begins, perhaps within the compilation of a caller (for `game.compiled.jit`)."""
    global _begun, _collects, _module  # noqa: PLW0603
    if not _under_way:
        _module = module
    if _listener is not None:
        _listener(kernel, _begun + 1)
    _begun += 1
    if not _under_way:
        _collects = gc.isenabled()
    _under_way.append(kernel)
    gc.disable()  # the compiler creates many long-lived objects; scanning them took 5 % of its time


def end() -> None:
    """Report that the compilation that began last has ended (for `game.compiled.jit`)."""
    if not _under_way:  # a listener refused the compilation (`is_there`)
        return
    _under_way.pop()
    if _under_way:
        return
    if _collects:
        gc.enable()
    if _listener is not None:
        _listener("", _begun)


class Notice:
    """A listener that writes a line for each part; on a terminal, a line that counts kernels and disappears at the end.

    Args:
        stream: standard error; None discards the text.
    """

    def __init__(self, stream: TextIO | None, *, live: bool) -> None:
        self._stream, self._live = stream, live
        self._written: set[str] = set()

    def __call__(self, kernel: str, number: int) -> None:
        text = f"compiling {part()} (only the first time)"
        if self._live:
            parts = (text, f"{number} kernels", kernel) if kernel else (text,) if number == 0 else ("",)
            width = terminal_width(self._stream)
            self._write(written_over(fit_parts(parts, width - 1), width))
        elif text not in self._written:
            self._written.add(text)
            self._write(f"{text}\n")

    def _write(self, text: str) -> None:
        # A closed pipe, or no standard error at all, must not end the program.
        if self._stream is not None:
            with contextlib.suppress(OSError, ValueError):
                self._stream.write(text)
                self._stream.flush()


class CompileProcess:
    """A child process that compiles code into the cache while this process compiles other code, or plays.

    If it cannot be started, fails or is killed, the process that needs the code compiles it.

    Args:
        tasks: functions that load, and thereby compile, code; they must be picklable unless the start method is fork.
        start_method: fork, forkserver or spawn. This process must not be compiling when the other one starts.
    """

    def __init__(self, tasks: Sequence[Callable[[], object]], *, start_method: str) -> None:
        import multiprocessing  # here, so that reports do not wait for it

        from game.child import Child, signals_held

        self._done = 0
        self._child: Child | None = None
        context = multiprocessing.get_context(start_method)
        with contextlib.suppress(OSError), signals_held():
            self._child = Child(context, _work, (tasks,), "compiler", duplex=False)

    @property
    def pid(self) -> int | None:
        """The process id; None if there is no process."""
        return None if self._child is None else self._child.process.pid

    def has_done(self, tasks: int, patience: float = 0.0) -> bool:
        """Return whether the first `tasks` tasks are done, or the process has ended; `patience` is in seconds."""
        try:
            while self._child is not None and self._done < tasks and self._child.pipe.poll(patience):
                self._child.pipe.recv()
                self._done += 1
        except (EOFError, OSError):
            self.close()
        return self._child is None or self._done >= tasks

    def wait(self, tasks: int, tick: Callable[[], None]) -> None:
        """Wait until `has_done`; `tick` is called before each task, and several times a second."""
        while self._child is not None and self._done < tasks:
            tick()
            self.has_done(self._done + 1, POLL_SECONDS)

    def close(self) -> None:
        if self._child is not None:
            self._child.kill()
            self._child = None


def _work(pipe: Any, tasks: Sequence[Callable[[], object]]) -> None:
    from game.child import obey_parent_alone

    obey_parent_alone()
    with notify(lambda kernel, number: None), contextlib.suppress(OSError):  # the parent reports progress
        for number, task in enumerate(tasks):
            try:
                task()
            except Exception as error:  # the process that needs the code will fail again, and report it
                log.debug("not compiled: %r", error)
            pipe.send(number)
