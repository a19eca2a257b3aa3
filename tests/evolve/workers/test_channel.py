"""One end of a pipe, for which nobody waits."""

from __future__ import annotations

import multiprocessing
import sys

import pytest

from evolve.workers import channel
from evolve.workers.channel import Channel

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a pipe hands on whole messages there")


def test_a_message_is_sent_bit_by_bit_however_fast_it_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of other workers wait meanwhile, and so do wishes to stop."""
    ours, theirs = multiprocessing.Pipe()
    with ours, theirs:
        end = Channel(ours)
        monkeypatch.setattr(channel.os, "write", lambda _, data: min(len(data), 1000))
        end.put(bytes(2000))
        assert end.sending
        for _ in range(2):
            assert end.step() == []
        assert not end.sending
