"""The parent's end of a worker's pipe, where neither half an answer nor a task that is not taken makes it wait.

The worker's end is an ordinary `multiprocessing.connection.Connection`, whose messages are made and read here: a pickle
after its length.

Source: `multiprocessing.connection.Connection._send_bytes` for the length.
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
_MOST = 0x7FFFFFFF  # bytes of a message whose length is short


if sys.platform == "win32":  # there a pipe hands on whole messages, and knows no other way

    class Channel:
        """One end of a pipe."""

        def __init__(self, pipe: Any) -> None:
            self.pipe = pipe

        def put(self, message: object) -> None:
            """Send a message."""
            self.pipe.send(message)

        def step(self) -> list[Any]:
            """The message that is there."""
            return [self.pipe.recv()]

    def wait_ready(channels: Sequence[Channel], seconds: float) -> list[Channel]:
        """Those on which something can be done; waits for the first."""
        ready = connection.wait([channel.pipe for channel in channels], seconds)
        return [channel for channel in channels if channel.pipe in ready]

else:

    class Channel:
        """One end of a pipe.

        Args:
            pipe: the `Connection`, which nobody else reads or writes.
        """

        def __init__(self, pipe: connection.Connection) -> None:
            self.pipe = pipe
            os.set_blocking(pipe.fileno(), False)
            self._out = memoryview(b"")
            self._in = bytearray()

        @property
        def sending(self) -> bool:
            """Whether a part of the last message still has to be taken."""
            return len(self._out) > 0

        def put(self, message: object) -> None:
            """Begin to send a message; the one before was taken.

            Raises:
                OSError: the other process is gone.
            """
            data = bytes(ForkingPickler.dumps(message))
            header = _SHORT.pack(len(data)) if len(data) <= _MOST else _LONG.pack(-1, len(data))
            self._out = memoryview(header + data)
            self._write()

        def step(self) -> list[Any]:
            """Send and read as much as is possible now; the message, once all of it has come.

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
            # Once, and not as long as it is taken: the others wait meanwhile, and so do wishes to stop.
            with contextlib.suppress(BlockingIOError):
                if self._out:
                    self._out = self._out[os.write(self.pipe.fileno(), self._out) :]

        def _complete(self) -> list[Any]:
            """The message that has come, at most one, since a worker has one task."""
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
        """Those on which something can be done, or whose process is gone; waits for the first."""
        poll = select.poll()
        for channel in channels:
            poll.register(channel.pipe.fileno(), select.POLLIN | (select.POLLOUT if channel.sending else 0))
        ready = {number for number, _ in poll.poll(1000 * seconds)}
        return [channel for channel in channels if channel.pipe.fileno() in ready]
