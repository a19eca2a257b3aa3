"""Fixtures of the core's tests."""

from __future__ import annotations

from tests.conftest import ordinary_rights, own_names, silent_compiling, typed, usual_signals
