"""The end of all programs after each test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from extras.external import program as programs


@pytest.fixture(autouse=True)
def _no_program_left() -> Iterator[None]:
    yield
    programs.close_all()
    programs._supported.clear()
