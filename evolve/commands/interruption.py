"""How verbs end that are told to, where Python's own way is too slow or leaves something behind."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
from collections.abc import Iterator


@contextlib.contextmanager
def exit_at_sigterm() -> Iterator[None]:
    """Make SIGTERM an ordinary end, by which no process and no half file is left; exit code 143."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextlib.contextmanager
def end_at_ctrl_c() -> Iterator[None]:
    """Let Ctrl-C end the process itself: compiled code that runs for minutes never looks whether it was pressed."""
    before = signal.getsignal(signal.SIGINT)
    if before is not signal.default_int_handler:
        yield
        return
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
