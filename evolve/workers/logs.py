"""One log for all processes of a session: each worker has a pipe with one writer and one reader, without locks."""

from __future__ import annotations

import contextlib
import logging
import logging.handlers
import multiprocessing
import os
import threading
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from game.installation import module_name
from game.regular_files import open_regular

LOGGER_NAMES = (module_name("evolve"), module_name("extras"), module_name("game"))
FORMAT = "%(asctime)s %(levelname)s %(processName)s %(name)s: %(message)s"


QUIETLY = {"aloud": False}
"""The `extra` of a record that goes only to the file, because the user is informed in another way or not at all."""


class WorkerLog:
    """A pipe that brings the records of one worker to the log of this process.

    Attributes:
        writer: the end for the worker, which passes it to `log_to`. Close it here once the worker has started, so that
            reading ends when the worker dies, and workers forked later do not inherit it.
    """

    def __init__(self, name: str) -> None:
        reader, self.writer = multiprocessing.Pipe(duplex=False)
        self._thread = threading.Thread(target=_read, args=(reader,), name=name, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Read the last records of a worker that has ended."""
        self._thread.join(5.0)


def _read(reader: Connection[Any, Any]) -> None:
    """Pass a worker's records to the handlers of this process until the worker ends, which may be within a record."""
    with reader, contextlib.suppress(EOFError, OSError):
        while True:
            record: logging.LogRecord = reader.recv()
            logger = logging.getLogger(record.name)
            if logger.isEnabledFor(record.levelno):
                logger.callHandlers(record)


class _ToParent(logging.handlers.QueueHandler):
    """A handler that sends records through a pipe, one thread at a time, since handlers have a lock."""

    def enqueue(self, record: logging.LogRecord) -> None:
        self.queue.send(record)  # type: ignore[attr-defined]  # a connection


def log_to(writer: Any) -> None:
    """Send every record of this worker to the parent, and write nothing here."""
    handler = _ToParent(writer)
    for name in LOGGER_NAMES:
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.propagate = False
        logger.setLevel(logging.INFO)


class _File(logging.FileHandler):
    """A log file that drops records if the disk is full: this must neither end a session nor hide why it ended."""

    def _open(self) -> Any:
        return open_regular(Path(self.baseFilename), self.mode, encoding=self.encoding, errors=self.errors)

    def emit(self, record: logging.LogRecord) -> None:
        try:
            super().emit(record)
        except OSError:  # `FileHandler` handles errors of writing, but not of opening the file
            self.handleError(record)

    def close(self) -> None:
        # Closing tries again to write the rest of the buffer.
        with contextlib.suppress(OSError):
            super().close()


class _Aloud(logging.Handler):
    """A handler that prints the warnings of this process for the user."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        super().__init__(logging.WARNING)
        self.addFilter(lambda record: getattr(record, "aloud", True))  # called before the lock of this handler is taken
        self._tell = tell

    def emit(self, record: logging.LogRecord) -> None:
        if record.process == os.getpid():
            with contextlib.suppress(OSError):  # standard error may be closed
                self._tell(record.getMessage())


class LogFile:
    """The file `session.log` of a run, open in the context; `tell` is called with the warnings of this process."""

    def __init__(self, path: Path, tell: Callable[[str], None] = lambda text: None) -> None:
        file = _File(path, encoding="utf-8", delay=True)
        file.setFormatter(logging.Formatter(FORMAT))
        self._handlers = (file, _Aloud(tell))

    def __enter__(self) -> LogFile:
        for name in LOGGER_NAMES:
            logger = logging.getLogger(name)
            for handler in self._handlers:
                logger.addHandler(handler)
            logger.setLevel(logging.INFO)
        return self

    def __exit__(self, *_exception: object) -> None:
        for handler in self._handlers:
            for name in LOGGER_NAMES:
                logging.getLogger(name).removeHandler(handler)
            handler.close()
