"""Fixtures of the core's tests, for those of all extras."""

from __future__ import annotations

from tests.conftest import (
    limit,
    open_instead,
    ordinary_rights,
    own_names,
    runs_in,
    shared,
    silent_compiling,
    tables_in,
    typed,
    usual_signals,
)
from tests.evolve.conftest import evolve, one, template
from tests.gui.conftest import display, opened, reader, starts
