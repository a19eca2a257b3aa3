"""Games on the first screen: watched games, and everything that `redo` restores."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from game import plain
from game.board import Position
from gui.model.game import GameModel
from gui.model.seats import HUMAN
from gui.screens.home import NO_GAMES, READING, Home
from gui.screens.play.play import Play
from gui.screens.play.watching import Watching
from gui.storage.autosave import Autosave
from gui.storage.game_text import SavedGameError, from_text, to_text
from gui.storage.kept_games import KeptGames
from tests.gui.hands import Hands
from tests.gui.kept import kept_games
from tests.gui.kept_games_helpers import COUNTER, RANDOM, game, moves

Opened = Callable[..., Hands]


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
    hands.until(lambda: hands.widget("kept").count == 1)
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


def test_a_recent_game_is_deleted_with_the_mouse_alone(opened: Opened) -> None:
    hands = opened(size=(800, 600))
    for plies in ((0,), (0, 1)):
        hands.app.open(Play(hands.app, game(*plies)))
        hands.app.go_home()
    hands.wait(1.0)
    kept = hands.widget("kept")
    texts = [str(kept.cells(row)) for row in range(kept.count)]
    hands.click_row("kept", 1)
    hands.click("do.forget")
    hands.click("answer0")
    hands.wait(1.0)
    left = hands.widget("kept")
    assert [str(left.cells(row)) for row in range(left.count)] == texts[:1]


def test_continue_waits_for_games_that_are_being_read(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    hands = opened()
    hands.app.open(Play(hands.app, game(0, 1, 2)))
    hands.key("ctrl+q")
    hands.app.services.close()
    again = reading(opened, monkeypatch)
    again.key("delete")
    assert again.app.said == READING
    again.click("do.continue")
    assert isinstance(again.app.screen, Home) and again.app.said == READING
    again.wait(1.0)
    assert isinstance(again.app.screen, Home)
    monkeypatch.undo()
    again.until(lambda: isinstance(again.app.screen, Play))
    assert moves(again.game.model) == moves(game(0, 1, 2))


def test_what_is_done_meanwhile_counts_more(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    hands = opened()
    hands.app.open(Play(hands.app, game(0, 1, 2)))
    hands.key("ctrl+q")
    hands.app.services.close()
    again = reading(opened, monkeypatch)
    again.key("c", "?")
    monkeypatch.undo()
    again.until(lambda: again.app.services.kept.complete)
    again.wait(0.5)
    assert not isinstance(again.app.screen, Play)
    again.key("escape")
    again.wait(0.5)
    assert isinstance(again.app.screen, Home)


def test_continue_says_so_once_there_is_no_game(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    hands = reading(opened, monkeypatch)
    hands.key("c")
    monkeypatch.undo()
    hands.until(lambda: hands.app.said == NO_GAMES)
    assert isinstance(hands.app.screen, Home)


def test_games_that_are_over_stay_in_the_list(opened: Opened) -> None:
    hands = opened()
    hands.app.open(Play(hands.app, game(0, 1, 2)))
    hands.key("escape")
    hands.app.open(Play(hands.app, GameModel((HUMAN, COUNTER), Position.from_fen("B:W18:B15,1"))))
    hands.touch(15, 22)
    assert hands.game.model.over
    hands.key("escape", "escape")
    assert isinstance(hands.app.screen, Home)
    hands.until(lambda: hands.widget("kept").count == 2)
    over, begun = (hands.widget("kept").cells(row) for row in (0, 1))
    assert [cell.text for cell in over[:3]] == ["Black against material", "1 move", "you won"]
    assert re.fullmatch(r"\d\d:\d\d", over[3].text)
    assert [cell.text for cell in begun[:3]] == ["Two players", "2 moves", "unfinished"]
    assert hands.widget("kept").selected == 0  # what was left last
    hands.click_row("kept", 1)
    before = dict(hands.widget("preview").pieces)
    hands.click_row("kept", 0)
    assert hands.widget("preview").pieces != before  # the chosen one is shown
    hands.click("preview")
    screen = hands.app.screen
    assert isinstance(screen, Play) and screen.model.over
    hands.key("u")  # another game from here on: this one stays as it was
    hands.touch(15, 22)
    hands.key("escape", "escape")
    hands.until(lambda: hands.widget("kept").count == 3)

    def results() -> list[str]:
        table = hands.widget("kept")
        return [table.cells(row)[2].text for row in range(table.count)]

    assert results() == ["you won", "you won", "unfinished"]
    hands.widget("kept").select(0)
    hands.key("delete", "return")
    hands.until(lambda: results() == ["you won", "unfinished"])
    hands.key("c")
    assert not hands.game.model.over


def test_all_games_that_are_over_are_kept(tmp_path: Path) -> None:
    autosave = Autosave(tmp_path)
    over = GameModel(start=Position.from_fen("B:W18:B15,1"))
    over.play(plain.legal_moves(over.last)[0])
    assert over.over
    for _ in range(40):
        autosave.save(over)
        autosave.release()
    autosave.save(game(0))
    autosave.release()
    assert [kept.model.over for kept in kept_games(tmp_path)] == [False] + [True] * 40
    assert len(list((tmp_path / "games").glob("*.json"))) == 41
    assert len(list((tmp_path / "games").glob("*.lock"))) == 1  # viewing a finished game needs no lock


def test_a_watched_game_that_is_over_or_begun_again_does_not_wait(opened: Opened, tmp_path: Path) -> None:
    hands = opened()
    hands.app.open(Watching(hands.app, GameModel((COUNTER, RANDOM), Position.from_fen("B:W18:B15,1"))))
    hands.answer()
    assert hands.game.model.over
    hands.key("escape")
    assert [kept.model.over for kept in kept_games(tmp_path / "data")] == [True]
    hands.app.open(Watching(hands.app, game(0, 1, seats=(COUNTER, RANDOM))))
    hands.wait(1.5)
    hands.key("r")
    assert hands.game.model.plies == []
    hands.key("escape")
    assert isinstance(hands.app.screen, Home)
    assert [kept.model.over for kept in kept_games(tmp_path / "data")] == [True]
