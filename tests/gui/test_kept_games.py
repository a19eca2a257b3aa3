"""What waits on the first screen: watched games, and all that `redo` brings again."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from game import plain
from game.board import Position
from gui.model.game import GameModel
from gui.model.seats import HUMAN, Seat
from gui.screens.home import Home
from gui.screens.play.play import Play
from gui.screens.play.watching import Watching
from gui.storage.game_text import SavedGameError, from_text, to_text
from tests.gui.hands import Hands

Opened = Callable[..., Hands]
COUNTER, RANDOM = Seat("material", 2), Seat("random")


def game(*moves: int, seats: tuple[Seat, Seat] = (HUMAN, HUMAN)) -> GameModel:
    """A game of moves by their number among the legal ones."""
    model = GameModel(seats)
    for number in moves:
        model.play(plain.legal_moves(model.last)[number])
    return model


def moves(model: GameModel) -> list[str]:
    return [str(ply.move) for ply in model.plies]


def test_what_was_undone_is_kept_with_the_game() -> None:
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


def test_what_was_undone_must_be_legal() -> None:
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
    again.key("y", "y")
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
    assert again.widget("kept").cells(0)[0].text == "material against random"
    again.key("c")
    screen = again.app.screen
    assert isinstance(screen, Watching)
    assert moves(screen.model) == whole
    assert screen.flipped
    again.answer()
    assert len(screen.model.plies) == 4


def test_a_watched_game_that_is_over_or_begun_again_does_not_wait(opened: Opened) -> None:
    hands = opened()
    autosave = hands.app.services.autosave
    hands.app.open(Watching(hands.app, GameModel((COUNTER, RANDOM), Position.from_fen("B:W18:B15,1"))))
    hands.answer()
    assert hands.game.model.over
    hands.key("escape")
    assert list(autosave.games()) == []
    hands.app.open(Watching(hands.app, game(0, 1, seats=(COUNTER, RANDOM))))
    hands.wait(1.5)
    hands.key("r")
    assert hands.game.model.plies == []
    hands.key("escape")
    assert isinstance(hands.app.screen, Home)
    assert list(autosave.games()) == []
