"""Pipes between a session and its workers, which neither side waits for.

Messages are those of `multiprocessing.connection.Connection`, sent and received in pieces.
"""

from __future__ import annotations

import contextlib
import os
import select
import struct
import sys
from collections.abc import Sequence
from multiprocessing import connection
from multiprocessing.reduction import ForkingPickler
from typing import Any

READ_BYTES = 1 << 18
_SHORT, _LONG = struct.Struct("!i"), struct.Struct("!iQ")
_MOST = 0x7FFFFFFF  # longest message, in bytes, with a short header


if sys.platform == "win32":  # its pipes carry only whole messages

    class Channel:
        def __init__(self, pipe: Any) -> None:
            self.pipe = pipe

        def put(self, message: object) -> None:
            self.pipe.send(message)

        def step(self) -> list[Any]:
            return [self.pipe.recv()]

    def wait_ready(channels: Sequence[Channel], seconds: float) -> list[Channel]:
        """Wait until a channel is ready; return all that are."""
        ready = connection.wait([channel.pipe for channel in channels], seconds)
        return [channel for channel in channels if channel.pipe in ready]

else:

    class Channel:
        """One end of a pipe.

        Args:
            pipe: the `Connection`, which nothing else reads or writes.
        """

        def __init__(self, pipe: connection.Connection) -> None:
            self.pipe = pipe
            os.set_blocking(pipe.fileno(), False)
            self._out = memoryview(b"")
            self._in = bytearray()

        @property
        def sending(self) -> bool:
            return len(self._out) > 0

        def put(self, message: object) -> None:
            """Begin to send a message; the previous one must have been sent.

            Raises:
                OSError: the other process is gone.
            """
            data = bytes(ForkingPickler.dumps(message))
            header = _SHORT.pack(len(data)) if len(data) <= _MOST else _LONG.pack(-1, len(data))
            self._out = memoryview(header + data)
            self._write()

        def step(self) -> list[Any]:
            """Send and receive as much as possible now; return the message once it is complete.

            Raises:
                EOFError, OSError: the other process is gone.
            """
            self._write()
            with contextlib.suppress(BlockingIOError):
                data = os.read(self.pipe.fileno(), READ_BYTES)
                if not data:
                    raise EOFError
                self._in += data
            return self._complete()

        def _write(self) -> None:
            # Write only once, because other workers and requests to stop may be waiting.
            with contextlib.suppress(BlockingIOError):
                if self._out:
                    self._out = self._out[os.write(self.pipe.fileno(), self._out) :]

        def _complete(self) -> list[Any]:
            """Return the message if it is complete; there is at most one, since a worker has one task."""
            header = _SHORT
            if len(self._in) >= _SHORT.size and _SHORT.unpack_from(self._in)[0] < 0:
                header = _LONG
            if len(self._in) < header.size:
                return []
            end = header.size + header.unpack_from(self._in)[-1]
            if len(self._in) < end:
                return []
            message = ForkingPickler.loads(memoryview(self._in)[header.size : end])
            self._in = self._in[end:]
            return [message]

    def wait_ready(channels: Sequence[Channel], seconds: float) -> list[Channel]:
        """Wait until a channel is ready or its process is gone; return all such channels."""
        poll = select.poll()
        for channel in channels:
            poll.register(channel.pipe.fileno(), select.POLLIN | (select.POLLOUT if channel.sending else 0))
        ready = {number for number, _ in poll.poll(1000 * seconds)}
        return [channel for channel in channels if channel.pipe.fileno() in ready]
