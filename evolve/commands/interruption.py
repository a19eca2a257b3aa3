"""Signals that end a verb, where Python's default is too slow or would leave files or processes behind."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
from collections.abc import Iterator


@contextlib.contextmanager
def exit_at_sigterm() -> Iterator[None]:
    """Turn SIGTERM into SystemExit with code 143, so that cleanup code runs."""
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
    """Let Ctrl-C end the process at once: compiled code may run for minutes and does not check for signals."""
    before = signal.getsignal(signal.SIGINT)
    if before is not signal.default_int_handler:
        yield
        return
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
