"""One log for all processes of a session, through multiprocessing-logging.

Each worker has its own pipe, with one writer and one reader, so no locks are needed.
"""

from __future__ import annotations

import contextlib
import logging
import logging.handlers
import multiprocessing
import os
import queue
import threading
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from multiprocessing_logging import MultiProcessingHandler

from game.installation import module_name
from game.regular_files import open_regular

LOGGER_NAMES = (module_name("evolve"), module_name("extras"), module_name("game"))
FORMAT = "%(asctime)s %(levelname)s %(processName)s %(name)s: %(message)s"


QUIETLY = {"aloud": False}
"""The `extra` of a record that goes only to the file, because the user is informed in another way or not at all."""


class _Forward(logging.Handler):
    """A handler that passes a worker's records to the handlers of this process, whose locks it uses."""

    def emit(self, record: logging.LogRecord) -> None:
        logger = logging.getLogger(record.name)
        if logger.isEnabledFor(record.levelno):
            logger.callHandlers(record)


class _Records:
    """The reading end of a pipe, with the methods of `multiprocessing.Queue` that `MultiProcessingHandler` uses."""

    def __init__(self, reader: Connection[Any, Any]) -> None:
        self._reader = reader
        self.close, self.join_thread = reader.close, lambda: None

    def get(self, timeout: float) -> logging.LogRecord:
        if not self._reader.poll(timeout):
            raise queue.Empty
        record: logging.LogRecord = self._reader.recv()
        return record

    def qsize(self) -> int:
        """Return 1 if `get` would not wait: there is a record, or the pipe has ended."""
        return int(self._reader.poll())


class _Reader(MultiProcessingHandler):  # type: ignore[misc]  # it has no types
    """A handler whose thread reads the records of one worker.

    It is made without a queue, whose semaphores would remain in the system if a session is killed together with its
    resource tracker.
    """

    def __init__(self, name: str, reader: Connection[Any, Any]) -> None:
        logging.Handler.__init__(self)
        self.sub_handler = _Forward()
        self.queue = _Records(reader)
        self._is_closed = False
        self._receive_thread = threading.Thread(target=self._receive, name=name, daemon=True)
        self._receive_thread.start()


class WorkerLog:
    """A pipe that brings the records of one worker to the log of this process.

    Attributes:
        writer: the end for the worker, which passes it to `log_to`. Close it here once the worker has started, so that
            reading ends when the worker dies, and workers forked later do not inherit it.
    """

    def __init__(self, name: str) -> None:
        reader, self.writer = multiprocessing.Pipe(duplex=False)
        self._handler = _Reader(name, reader)

    def close(self) -> None:
        """Read the last records of a worker that has ended normally."""
        self._handler.close()

    def abandon(self) -> None:
        """Stop reading from a worker that was killed, without waiting for a record that may be incomplete."""
        self._handler._is_closed = True


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
