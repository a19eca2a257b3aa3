"""Fixtures of the core's tests."""

from __future__ import annotations

from tests.evolve.conftest import evolve, one, template
from tests.gui.conftest import display, opened, reader, starts
