"""Three runs of the user, shown among the opponents."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from evolve.run import notes
from evolve.run.manifest import NAME
from tests.gui.chooser_helpers import listed
from tests.gui.hands import Hands, Opened
from tests.gui.session_folder import SessionFolder
from tests.synthetic import make_run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Make three runs: the newest with tags and a note, an earlier one, and an archived one."""
    runs = tmp_path / "runs"
    notes.note_run(make_run(runs, "wide", 2, seed=7), "diversity lasts", ["good", "slow"])
    SessionFolder(runs / "narrow", 2)
    notes.note_run(make_run(runs, "gone", 0), archived=True)
    for number, name in enumerate(("wide", "narrow", "gone")):
        os.utime(runs / name / NAME, (2e9 - number,) * 2)
    return runs


@pytest.fixture
def hands(opened: Opened, folder: Path) -> Hands:
    hands = opened()
    hands.key("<all-runs>")
    listed(hands)
    return hands
