"""Values and functions of `test_check` that other tests use, too."""

from __future__ import annotations

import io
import os
from pathlib import Path

ROOT = Path(__file__).parents[3]
ACF = Path(os.environ.get("CROWNHEAD_ACF") or ROOT.parent / "shared" / "data" / "acf.pdn")


class Repeated(io.RawIOBase):
    """A stream that repeats a text and holds it once."""

    def __init__(self, text: bytes, times: int) -> None:
        self._text, self._left = text, times

    def read(self, size: int = -1) -> bytes:  # type: ignore[override]
        times = min(self._left, max(1, size // len(self._text)))
        self._left -= times
        return self._text * times
