"""The film of a run, saved as a page."""

from __future__ import annotations

from pathlib import Path

import pytest

from evolve.run.status import State
from gui.screens.sessions.session import SessionScreen
from tests.gui.hands import Hands, Opened
from tests.gui.session_folder import SessionFolder, Starts
from tests.gui.sharing_helpers import shared


@pytest.fixture
def folder(tmp_path: Path) -> SessionFolder:
    folder = SessionFolder(tmp_path / "runs" / "demo", 5)
    folder.say(State.DONE)
    return folder


def page_of(hands: Hands, folder: SessionFolder) -> Hands:
    hands.app.open(SessionScreen(hands.app, folder.path))
    hands.wait(0.5)
    return hands


def test_the_film_of_a_run_is_saved_as_a_page_by_another_process(
    opened: Opened, folder: SessionFolder, tmp_path: Path, starts: Starts
) -> None:
    hands = page_of(opened(), folder)
    assert shared(hands, str(tmp_path / "film.gif"), "share").endswith("expected a name that ends in .html.")
    page = tmp_path / "film.html"
    assert shared(hands, str(page), "share").startswith(f"Saved as {page}, a page with a slider")
    assert (starts.verb, starts.calls) == ("inspect", [(str(folder.path), "--games=0", f"--html={page}")])
