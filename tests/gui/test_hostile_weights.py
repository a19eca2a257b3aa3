"""Hostile files of weights in the window: no screen fails, and each reports what is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from evolve.run import weights_file
from evolve.run.folder import Run
from gui.individuals.individual import ListedPlayer
from gui.screens.family.family import FamilyScreen
from gui.screens.individuals.browser import BrowserScreen
from gui.screens.sessions.session import SessionScreen
from tests.evolve.run.hostile_weights_helpers import LAST, hostile_files, with_weights
from tests.gui.hands import Opened
from tests.learnt_run import LARGE, make_learnt_run

KINDS = ("too many columns", "objects", "an archive", "not a number", "infinite", "no rows", "flat", "nested", "empty")


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("sound")
    return make_learnt_run(folder, "sound", LAST, ["learning={method='shown'}", *LARGE], {})


@pytest.mark.parametrize("kind", KINDS)
def test_no_screen_fails_over_a_file_of_weights(kind: str, sound: Run, opened: Opened, tmp_path: Path) -> None:
    good = weights_file.weights_path(sound.generation_path(LAST)).read_bytes()
    run = with_weights(sound, tmp_path / "runs" / "hostile", hostile_files(good)[kind])
    hands = opened()
    hands.app.open(SessionScreen(hands.app, run.path))
    hands.wait(1.0)
    browser = BrowserScreen(hands.app)
    hands.app.open(browser)
    hands.until(lambda: not browser.browser.busy, 3000.0)
    hands.wait(0.5)
    family = FamilyScreen(hands.app, ListedPlayer.of_player("hostile"))
    hands.app.open(family)
    hands.until(lambda: family.details is not None or family.trouble, 3000.0)
