"""Settings of all tests: what is random is seeded, and compiled code may take its time at first use."""

from __future__ import annotations

from collections.abc import Iterator

import hypothesis
import pytest

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
