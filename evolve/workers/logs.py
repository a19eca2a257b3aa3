"""One log of all processes of a session, through multiprocessing-logging.

Each worker has a queue of its own. A worker that is killed while it logs can leave its queue locked for ever; here no
other process uses that queue, and the worker that replaces it gets a new one.
"""

from __future__ import annotations

import contextlib
import logging
import logging.handlers
import multiprocessing.queues
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from multiprocessing_logging import MultiProcessingHandler

from game.regular_files import open_regular

LOGGER_NAMES = ("evolve", "game")
FORMAT = "%(asctime)s %(levelname)s %(processName)s %(name)s: %(message)s"


QUIETLY = {"aloud": False}
"""As `extra` of a record: for the file alone, since a person is told otherwise or cannot be told."""


class _Forward(logging.Handler):
    """Hands the records of a worker to the handlers of this process, through their locks."""

    def emit(self, record: logging.LogRecord) -> None:
        logger = logging.getLogger(record.name)
        if logger.isEnabledFor(record.levelno):
            logger.callHandlers(record)


class WorkerLog:
    """The way of one worker's records into the log of this process.

    Attributes:
        queue: hand it to the worker, which calls `log_to` with it.
    """

    def __init__(self, name: str) -> None:
        self._handler = MultiProcessingHandler(name, sub_handler=_Forward())
        self.queue: multiprocessing.queues.Queue[Any] = self._handler.queue

    def close_writer(self) -> None:
        """Close this process's copy of the end that the worker writes to, so that reading ends when the worker dies.

        Otherwise a listener would wait for ever for the rest of a record that a killed worker has begun; and workers
        that are forked later would hold the end as well.
        """
        self.queue._writer.close()  # type: ignore[attr-defined]

    def close(self) -> None:
        """Take the last records of a worker that has ended by itself."""
        self._handler.close()

    def abandon(self) -> None:
        """Stop listening to a worker that was killed, without waiting: its queue may be locked or cut."""
        # close() would wait for a reader that may never come back from half a record.
        self._handler._is_closed = True


def log_to(queue: Any) -> None:
    """In a worker: send every record to the parent and write nothing here."""
    handler = logging.handlers.QueueHandler(queue)
    for name in LOGGER_NAMES:
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.propagate = False
        logger.setLevel(logging.INFO)


class _File(logging.FileHandler):
    """On a full disk records are lost; that must not end a session, or hide why one has ended."""

    def _open(self) -> Any:
        return open_regular(Path(self.baseFilename), self.mode, encoding=self.encoding, errors=self.errors)

    def emit(self, record: logging.LogRecord) -> None:
        try:
            super().emit(record)
        except OSError:  # of opening the file, which `FileHandler` does outside of its own care
            self.handleError(record)

    def close(self) -> None:
        # What could not be written is still in the buffer, and is tried once more here.
        with contextlib.suppress(OSError):
            super().close()


class _Aloud(logging.Handler):
    """Prints the warnings of this process for a person."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        super().__init__(logging.WARNING)
        self.addFilter(lambda record: getattr(record, "aloud", True))  # asked before the lock of this handler is taken
        self._tell = tell

    def emit(self, record: logging.LogRecord) -> None:
        if record.process == os.getpid():
            with contextlib.suppress(OSError):  # standard error may be closed
                self._tell(record.getMessage())


class LogFile:
    """`session.log` of a run while a session has it open; a context manager.

    Args:
        path: the file.
        tell: is told the warnings of this process, besides.
    """

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
