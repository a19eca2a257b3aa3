"""A window without a display, for every test that asks for one."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.gui.hands import Hands
    from tests.gui.session_folder import Foreseen, Starts

os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
os.environ.setdefault("SDL_AUDIODRIVER", "dummy")


@pytest.fixture(scope="session", autouse=True)
def reader() -> None:
    """Load the code that reads runs. The window loads it in a thread, which does not follow the clocks of tests."""
    import_module("evolve.run.folder")


@pytest.fixture(scope="session")
def display() -> Iterator[None]:
    from gui.toolkit import pygame

    pygame.display.init()
    pygame.display.set_mode((64, 64))
    yield
    pygame.display.quit()


@pytest.fixture
def opened(tmp_path: Path, display: None) -> Callable[..., Hands]:
    """Return a function that opens a window on the first screen with the given settings."""
    from tests.gui.hands import Hands

    def make(**more: object) -> Hands:
        return Hands(tmp_path, **more)  # type: ignore[arg-type]

    return make


@pytest.fixture
def starts(monkeypatch: pytest.MonkeyPatch) -> Starts:
    from gui.sessions import launch
    from tests.gui.session_folder import Starts

    made = Starts()
    monkeypatch.setattr(launch, "start", made)
    return made


@pytest.fixture(autouse=True)
def foreseen(monkeypatch: pytest.MonkeyPatch) -> Foreseen:
    """Replace estimates of sessions by a fixed one, so that no process is started."""
    from gui.sessions import launch
    from tests.gui.session_folder import Foreseen

    result = Foreseen()
    monkeypatch.setattr(launch, "foresee", result)
    return result
