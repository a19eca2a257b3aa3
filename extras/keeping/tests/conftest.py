"""Fixtures of the core's tests."""

from __future__ import annotations

from tests.conftest import limit, ordinary_rights, own_names, runs_in, shared, silent_compiling, typed, usual_signals
from tests.gui.conftest import display, opened, reader
