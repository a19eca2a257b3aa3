"""Settings of all tests: what is random is seeded, and compiled code may take its time at first use."""

from __future__ import annotations

from collections.abc import Iterator

import hypothesis
import pytest

from game import compiling
from tests import rights

hypothesis.settings.register_profile("crownhead", derandomize=True, deadline=None)
hypothesis.settings.load_profile("crownhead")


@pytest.fixture
def ordinary_rights() -> Iterator[None]:
    """The test is held to the permissions of files, also where it is run by root."""
    if not rights.can_be_had():
        pytest.skip("permissions of files are not held to here")
    with rights.ordinary():
        yield


@pytest.fixture(autouse=True)
def silent_compiling(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Verbs say nothing of compiling: what is compiled by then depends on the tests before, which are any of all."""
    if request.path.name != "test_compiling.py":
        monkeypatch.setattr(compiling.Notice, "__call__", lambda *_: None)
