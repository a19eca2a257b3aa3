"""Fixtures of the core's tests."""

from __future__ import annotations

from tests.conftest import limit, ordinary_rights, own_names, silent_compiling, tables_in, typed, usual_signals
