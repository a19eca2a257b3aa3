"""What learners leave behind in the process of the tests."""

from __future__ import annotations

import ctypes
import gc
import sys
from collections.abc import Iterator

import pytest

from tests.evolve.conftest import evolve, one, template
from tests.gui.conftest import display, foreseen, opened, reader, starts


@pytest.fixture(scope="module", autouse=True)
def compiled_learners_are_dropped() -> Iterator[None]:
    """Free hundreds of megabytes of compiled code, which would be copied into every worker forked later."""
    yield
    if (jax := sys.modules.get("jax")) is not None:
        jax.clear_caches()
        gc.collect()
        if sys.platform == "linux":
            ctypes.CDLL(None).malloc_trim(0)
