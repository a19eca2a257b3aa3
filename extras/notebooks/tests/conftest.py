"""Fixtures of the core's tests."""

from __future__ import annotations

from tests.evolve.conftest import evolve, one, template
