"""A monkey presses any key or button at any time: no screen fails, and games stay legal."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from game import plain
from gui.screens.play.game_screen import GameScreen
from gui.sessions import launch
from gui.toolkit import pygame
from tests.gui.hands import CODES, Hands, Opened
from tests.runs import make_run, plain_file

KEYS = [*CODES, *"abcdefghiklmnoprstuvwxyz0123456789?/.+-<>"]
KEYS += ["ctrl+z", "ctrl+c", "ctrl+v", "ctrl+p"]
SIZES = ((1280, 800), (800, 600), (640, 900), (1920, 1080), (400, 300))
DEEDS = {1: 120, 2: 400}
"""Number of actions by seed of the random numbers; the whole check has the longer series."""


def monkey(hands: Hands, seed: int, deeds: int, files: list[Path]) -> None:
    draw = random.Random(seed)
    for _ in range(deeds):
        deed = draw.random()
        if deed < 0.35:
            hands.key(draw.choice(KEYS))
        elif deed < 0.65:
            widgets = [widget for widget in hands.app.view() if widget.rect.w > 0 and widget.rect.h > 0]
            rect = draw.choice(widgets).rect
            at = rect.x + draw.randrange(rect.w), rect.y + draw.randrange(rect.h)
            hands.click(at, draw.choice((1, 1, 1, 3)))
        elif deed < 0.75:
            width, height = hands.app.surface.get_size()
            places = [(draw.randrange(width), draw.randrange(height)) for _ in range(2)]
            hands.drag(*places)
        elif deed < 0.80:
            hands.send(pygame.event.Event(pygame.MOUSEWHEEL, x=0, y=draw.choice((-2, 1, 5)), flipped=False))
        elif deed < 0.82:
            hands.resize(draw.choice(SIZES))
        elif deed < 0.83:
            hands.drop(draw.choice(files))
        elif deed < 0.95:
            hands.wait(draw.choice((0.02, 0.3, 1.0)))
            if hands.thinker.present is not None and plain.legal_moves(hands.thinker.present[1].position):
                hands.thinker.answer(0, draw.choice((None, 0.3, -0.9)))
        else:
            hands.key("escape")
        check(hands)


def check(hands: Hands) -> None:
    """Check the conditions that must always hold."""
    assert hands.app.running
    assert len(hands.keys) == len(set(hands.keys))
    for screen in hands.app.stack:
        if isinstance(screen, GameScreen):
            model = screen.model
            assert 0 <= model.cursor <= len(model.plies)
            position = model.start
            for ply in model.plies:
                assert ply.before == position
                position = plain.apply(position, ply.move)
                assert ply.after == position


@pytest.fixture
def tamed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Keep the monkey from saving files outside the test's folder and from starting sessions."""

    def refuse(*arguments: object, **more: object) -> None:
        raise OSError("no process may be started here")

    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(launch.subprocess, "Popen", refuse)


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.check)])
def test_pressing_anything_never_fails(opened: Opened, tamed: None, tmp_path: Path, seed: int) -> None:
    make_run(tmp_path / "runs", "alpha")
    (tmp_path / "games.pdn").write_text("1. 11-15 23-19 *\n\n1. 9-14 22-18 1-0\n")
    (tmp_path / "bad.csv").write_text("names,w0\nx,y\n")
    files = [tmp_path / "games.pdn", tmp_path / "bad.csv", plain_file(tmp_path / "good.csv", ["Anna", "Berta"])]
    hands = opened()
    hands.app.services.store.set("folder", str(tmp_path))
    monkey(hands, seed, DEEDS[seed], files)
