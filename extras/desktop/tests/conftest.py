"""Fixtures of the core's tests."""

from __future__ import annotations

from tests.gui.conftest import foreseen
