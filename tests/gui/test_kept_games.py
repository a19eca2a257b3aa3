"""Games on the first screen: watched games, and everything that `redo` restores."""

from __future__ import annotations

import json

import pytest

from game import plain
from gui.screens.home import Home
from gui.screens.play.play import Play
from gui.screens.play.watching import Watching
from gui.storage.game_text import SavedGameError, from_text, to_text
from gui.storage.kept_games import KeptGames
from tests.gui.hands import Hands, Opened
from tests.gui.kept_games_helpers import COUNTER, RANDOM, game, moves


def test_undone_moves_are_kept_with_the_game() -> None:
    model = game(0, 1, 2, 1)
    whole = moves(model)
    model.resign(0)
    for _ in range(3):
        model.undo()
    model.go_to(0)
    model.play_on_from_here()
    again, _ = from_text(to_text(model))
    assert again.undone == model.undone
    assert moves(again) == []
    while again.redo():
        pass
    assert moves(again) == whole
    assert again.ending is not None
    assert again.ending.result == -1


def test_a_game_that_was_kept_before_there_was_that_is_read() -> None:
    text = to_text(game(0, 1)).replace('"undone": [], ', "")
    assert "undone" not in text
    assert from_text(text)[0].undone == []


def test_undone_moves_must_be_legal() -> None:
    model = game(0, 1)
    model.undo()
    text = to_text(model).replace(f'"moves": ["{model.undone[0].plies[0].move}"]', '"moves": ["11-15"]')
    with pytest.raises(SavedGameError, match="not legal"):
        from_text(text)


def test_redo_works_after_the_window_was_closed(opened: Opened) -> None:
    hands = opened()
    hands.app.open(Play(hands.app, game(0, 1, 2)))
    whole = moves(hands.game.model)
    hands.key("u", "u", "ctrl+q")
    hands.app.services.close()
    again = opened()
    again.wait(0.5)
    again.key("c")
    assert moves(again.game.model) == whole[:1]
    again.key("shift+u", "shift+u")
    assert moves(again.game.model) == whole


def test_a_watched_game_waits_for_the_next_start(opened: Opened) -> None:
    hands = opened()
    hands.app.open(Watching(hands.app, game(0, 1, seats=(COUNTER, RANDOM))))
    hands.key("f")
    hands.answer()
    whole = moves(hands.game.model)
    assert len(whole) == 3
    hands.key("ctrl+q")
    hands.app.services.close()
    again = opened()
    again.wait(0.5)
    assert again.widget("continue").text == "Continue\nPiece counter against Random moves"
    again.key("c")
    screen = again.app.screen
    assert isinstance(screen, Watching)
    assert moves(screen.model) == whole
    assert screen.flipped
    again.answer()
    assert len(screen.model.plies) == 4


def reading(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> Hands:
    """Stop the reading of kept games, and return a window that still waits for them."""
    monkeypatch.setattr(KeptGames, "step", lambda kept, seconds: False)
    hands = opened()
    assert not hands.app.services.kept.complete
    return hands


def test_a_game_that_is_only_looked_at_keeps_its_time(opened: Opened) -> None:
    hands = opened()
    hands.app.open(Play(hands.app, game(0, 1, 2)))
    hands.app.go_home()
    kept = hands.app.services.kept
    hands.until(lambda: "continue" in hands.keys)
    path = kept.path(kept.games[0])
    path.write_text(json.dumps(json.loads(path.read_text()) | {"when": 1.7e9}))

    def when() -> float:
        return float(json.loads(path.read_text())["when"])

    hands.wait(3.0)  # the list reads it again
    hands.key("c", "left", "f")
    assert not hands.game.flipped
    hands.wait(2.0)
    hands.key("escape", "escape")
    assert isinstance(hands.app.screen, Home) and when() == 1.7e9
    hands.key("c", "end")
    assert not hands.game.flipped  # viewed games are kept, too
    hands.game.model.play(plain.legal_moves(hands.game.model.last)[0])
    hands.wait(2.0)
    assert when() > 1.7e9
