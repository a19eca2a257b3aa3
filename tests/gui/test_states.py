"""States of runs as the screens show them."""

from __future__ import annotations

import contextlib
from pathlib import Path
from types import SimpleNamespace
from typing import cast

from evolve.run.folder import RunFolder
from evolve.run.state import GOING, RunState
from evolve.run.status import State
from gui.individuals.browser import Browser
from gui.individuals.sources import Sources
from gui.individuals.states import ICONS
from gui.look.theme import DARK
from gui.screens.individuals import panes
from gui.widgets.table import Cell
from tests.gui.session_folder import SessionFolder


def test_the_list_of_runs_and_the_first_screen_call_a_state_the_same(tmp_path: Path) -> None:
    """One vocabulary (`RunState`), one icon for each."""
    runs = Sources(tmp_path)
    folders = {state: SessionFolder(tmp_path / state.value, 1) for state in State}
    with contextlib.ExitStack() as stack:
        for state, folder in folders.items():
            folder.say(state)
            if state in GOING:
                stack.enter_context(folder.locked())
        list(runs.look())
        found = {source.name: source for source in runs.runs}
        for state, folder in folders.items():
            source = found[state.value]
            assert RunFolder(folder.path).state()[0] == source.state
            assert (source.state, source.live) == (state.value, state in GOING)
            word, icon = runs.states.shown(folder.path)
            browser = cast(Browser, SimpleNamespace(sources=[source], trouble_of=lambda _: ""))
            run, said = panes.source_cells(browser, DARK, False, 0)
            assert isinstance(run, Cell) and isinstance(said, Cell)
            assert said.text.split()[0] == word == state.value
            assert run.icon == (icon or "crown")
    assert set(ICONS) == set(RunState)
