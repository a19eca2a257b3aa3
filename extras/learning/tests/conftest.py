"""What learners leave behind in the process of the tests."""

from __future__ import annotations

import ctypes
import gc
import sys
from collections.abc import Iterator

import pytest

from tests.gui.conftest import foreseen


@pytest.fixture(scope="module", autouse=True)
def compiled_learners_are_dropped() -> Iterator[None]:
    """Free hundreds of megabytes of compiled code, which would be copied into every worker forked later."""
    yield
    if (jax := sys.modules.get("jax")) is not None:
        jax.clear_caches()
        gc.collect()
        if sys.platform == "linux":
            ctypes.CDLL(None).malloc_trim(0)
