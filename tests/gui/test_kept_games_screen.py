"""The screen with all games, and what is kept of a game, by mouse and by keyboard."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evolve.run.runs import SHIPPED_RUNS
from evolve.strength.levels import LEVELS
from game import plain
from gui.model import pdn
from gui.model.seats import HUMAN, Seat
from gui.screens.dialogs.files import Files
from gui.screens.home import Home
from gui.screens.individuals.chooser import Chooser
from gui.screens.play.games import GamesScreen
from gui.screens.play.kept_list import CHOOSE, NONE_YET
from gui.screens.play.play import Play
from gui.screens.play.review import ReviewScreen
from gui.screens.play.watching import Watching
from gui.storage.game_text import SavedGameError, from_text, to_text
from tests.gui.chooser_helpers import choose
from tests.gui.hands import Hands, Opened
from tests.gui.kept_games_helpers import COUNTER, RANDOM, REVIEW, game, keep, moves
from tests.gui.review_helpers import think


def texts(hands: Hands, column: int = 0) -> list[str]:
    table = hands.widget("games")
    return [table.cells(row)[column].text for row in range(table.count)]


@pytest.fixture
def listed(opened: Opened, tmp_path: Path) -> Hands:
    """Make three games: an unfinished one, a reviewed loss, and a draw between two players."""
    two = game(0, 0, 0, 0, 0)
    two.agree_draw()
    keep(tmp_path / "data", two)
    lost = game(1, 1, 1, seats=(HUMAN, COUNTER))
    lost.resign(0)
    keep(tmp_path / "data", lost, REVIEW)
    keep(tmp_path / "data", game(2, 2, seats=(COUNTER, HUMAN)), {"flipped": False})
    hands = opened()
    hands.key("a")
    hands.wait(0.2)
    return hands


def test_a_button_and_a_key_lead_there_and_back(opened: Opened) -> None:
    hands = opened()
    hands.click("do.play-group")
    card = hands.widget("card").rect
    hands.click((card.x + 4, card.y + 4))
    assert "menu.all-games" in hands.keys
    hands.click((2, 2))  # beside the menu
    assert isinstance(hands.app.screen, Home)
    hands.click("do.play-group")
    hands.click("menu.all-games")
    assert isinstance(hands.app.screen, GamesScreen)
    assert hands.widget("trouble").text == NONE_YET
    assert [each.key for each in hands.app.view() if each.key.startswith("do.")] == ["do.open-file"]
    for key in ("return", "p", "s", "delete"):
        hands.key(key)
        assert hands.app.notice == CHOOSE
    hands.key("<save-all>", "left", "<order>", "<filter>", "escape")
    for key in ("o", "ctrl+o"):
        hands.key(key)
        assert isinstance(hands.app.screen, Files)
        hands.key("escape")
    hands.key("escape")
    assert isinstance(hands.app.screen, Home)
    hands.click("do.play-group")
    hands.click("menu.open")
    assert isinstance(hands.app.screen, Files)


def test_all_games_are_listed(listed: Hands) -> None:
    assert texts(listed) == ["White against Piece counter", "Black against Piece counter", "Two players"]
    assert listed.widget("count").text == "3 games"
    assert listed.widget("do.open").text == "Continue" and "3 mistakes" not in str(listed.widget("games").cells(0))
    listed.click_row("games", 1)
    assert listed.widget("do.open").text == "Open" and listed.widget("facts").text == ""
    assert all(text in str(listed.widget("games").cells(1)) for text in ("You lost", "3 mistakes"))


def test_a_file_that_is_still_being_read_leads_back_to_all_games(listed: Hands, tmp_path: Path) -> None:
    path = tmp_path / "many.pdn"
    path.write_text("1. 11-15 *\n\n" * 20_000)
    listed.drop(path)
    screen = listed.app.screen
    assert isinstance(screen, GamesScreen)
    listed.until(lambda: screen.games.index.rows)
    listed.key("return")
    assert not screen.games.index.complete and listed.widget("place").text == "Game 1"
    listed.key("escape")
    assert listed.app.screen is screen
    listed.key("escape")
    assert isinstance(listed.app.screen, GamesScreen)


def test_an_opponent_has_its_name_alone(opened: Opened, tmp_path: Path) -> None:
    casual = Seat("crownhead-2@0,quiescence=yes", 1, 5.0, "Casual (crownhead-2, generation 0)")
    keep(tmp_path / "data", game(1, 1, seats=(HUMAN, casual)))
    hands = opened(size=(784, 504))
    hands.key("a")
    hands.wait(0.2)
    assert texts(hands) == ["Black against Casual"]
    assert hands.widget("facts").text.startswith("Black against Casual: ")


def test_programs_have_their_shields_in_the_list(opened: Opened, tmp_path: Path) -> None:
    level, champion = Seat(LEVELS[2].player, LEVELS[2].depth), Seat("plain", 3)
    keep(tmp_path / "data", game(1, 1, seats=(champion, level)))
    hands = opened(runs=SHIPPED_RUNS)
    for _ in range(2):  # from its file, and then from the index
        hands.key("a")
        hands.wait(0.2)
        hands.until(lambda: bool(hands.widget("games").cells(0)[0].emblems))  # none until all are known
        shields = tuple(hands.app.services.persona(seat).emblem for seat in (champion, level))
        assert hands.widget("games").cells(0)[0].emblems == shields
        hands.key("escape")


def test_all_finished_games_are_reviewed_one_after_another(listed: Hands) -> None:
    listed.key("w")  # the first game is not finished
    assert isinstance(listed.app.screen, ReviewScreen)
    think(listed)
    for _ in range(10):
        if listed.widget("do.next-mistake").text == "Next game":
            break
        listed.key("space")
    assert listed.widget("do.next-mistake").text == "Next game"
    assert [type(screen) for screen in listed.app.stack[1:]] == [GamesScreen, Play, ReviewScreen]
    listed.key("space")
    think(listed)
    listed.key("escape")
    if isinstance(listed.app.screen, ReviewScreen):
        listed.key("escape")
    assert listed.game.title == "Two players" and listed.widget("place").text == "Game 3 of 3"
    listed.key("pageup")
    assert listed.game.title == "Against Piece counter"
    listed.key("pageup")
    assert listed.app.notice == "There is no further game in the list."
    listed.key("escape")
    assert isinstance(listed.app.screen, GamesScreen) and listed.widget("games").selected == 1


def test_searching_and_filtering(listed: Hands) -> None:
    listed.key("/")
    listed.type("draw")
    assert texts(listed) == ["Two players"] and listed.widget("count").text == "1 of 3 games"
    listed.key("escape")
    listed.click("games")
    listed.key("<filter>")
    assert texts(listed) == ["White against Piece counter"]
    listed.key("<filter>", "<filter>")
    assert texts(listed) == ["Black against Piece counter"]
    listed.click("filter")
    listed.key("escape")
    listed.key("<order>")
    assert listed.widget("games").sorted_by == "game"
    listed.widget("games").sort("moves")
    assert texts(listed)[0] == "Two players"
    listed.widget("games").sort("moves")
    assert texts(listed)[-1] == "Two players"


def test_a_kept_game_is_continued_from_any_position_against_any_opponent(listed: Hands) -> None:
    listed.click_row("games", 2)
    assert listed.widget("place").text == "Move 3 of 3, Black"
    listed.key("left", "left")
    listed.click("step.previous")
    assert listed.widget("place").text == "Move 1 of 3, White"
    listed.key("ctrl+home", "left")
    assert listed.app.notice == "This is the start of the game."
    listed.key("ctrl+end", "left")
    whole = moves(game(0, 0, 0, 0, 0))
    listed.key("p")
    assert listed.widget("begin").names[listed.widget("begin").chosen] == "The position on the board"
    choose(listed, "material")
    listed.key("p")
    screen = listed.app.screen
    assert isinstance(screen, Play)
    assert moves(screen.model) == whole[:4] and not screen.model.over
    assert {seat.player for seat in screen.model.seats} == {None, "material"}
    listed.key("escape")
    listed.wait(0.2)
    listed.key("a")
    listed.wait(0.2)
    assert len(texts(listed)) == 4 and listed.widget("games").count == 4


def test_ended_games_cannot_be_continued(opened: Opened, tmp_path: Path) -> None:
    from game.board import Position
    from gui.model.game import GameModel

    model = GameModel(start=Position.from_fen("B:W18:B15,1"))
    model.type_move("15-22")
    model.type_move("15x22")
    assert model.over
    keep(tmp_path / "data", model)
    hands = opened()
    hands.key("a")
    hands.wait(0.2)
    hands.key("p")
    assert "go back first" in hands.app.notice
    hands.key("left", "p")
    assert isinstance(hands.app.screen, Chooser)


def test_opening_one_that_is_over_and_one_that_is_not(listed: Hands) -> None:
    listed.click_row("games", 1, times=2)
    screen = listed.app.screen
    assert isinstance(screen, Play) and screen.model.over
    listed.key("escape")
    assert isinstance(listed.app.screen, GamesScreen)
    listed.widget("games").select(0)
    listed.key("return")
    screen = listed.app.screen
    assert isinstance(screen, Play) and not screen.model.over and not screen.flipped
    listed.touch(11, 15) if screen.model.person_to_move else listed.answer()
    listed.key("escape")
    listed.wait(0.2)
    assert texts(listed)[0] == "White against Piece counter"
    assert listed.widget("games").count == 3


def test_deleting_asks_first(listed: Hands) -> None:
    listed.click_row("games", 1)
    listed.key("delete", "escape")
    assert len(texts(listed)) == 3
    listed.click("do.delete")
    listed.key("return")
    listed.wait(0.2)
    assert texts(listed) == ["White against Piece counter", "Two players"]
    assert listed.widget("games").selected == 1  # what took its place
    listed.key("delete", "return")
    listed.wait(0.2)
    assert listed.widget("count").text == "1 game"


def save_under(hands: Hands, path: Path) -> None:
    files = hands.app.screen
    assert isinstance(files, Files)
    files.chooser.text = str(path)
    hands.key("ctrl+return")


def test_one_game_as_pdn(listed: Hands, tmp_path: Path) -> None:
    listed.click_row("games", 2)
    listed.key("s")
    save_under(listed, tmp_path / "one.pdn")
    listed.until((tmp_path / "one.pdn").exists)
    text = (tmp_path / "one.pdn").read_text()
    assert moves(pdn.read(text).model) == moves(game(0, 0, 0, 0, 0))
    assert '[Result "1/2-1/2"]' in text and '[Opening "' in text
    assert isinstance(listed.app.screen, GamesScreen)


def test_matching_games_are_copied_as_pdn(listed: Hands, tmp_path: Path) -> None:
    listed.key("/")
    listed.type("counter")
    listed.click("do.save-all")
    save_under(listed, tmp_path / "all.pdn")
    listed.until((tmp_path / "all.pdn").exists)
    listed.until(lambda: listed.app.notice == f"Saved as {tmp_path / 'all.pdn'}")
    with (tmp_path / "all.pdn").open() as file:
        results = list(pdn.read_all(file))
    assert [moves(each.model) for each in results] == [moves(game(2, 2)), moves(game(1, 1, 1))]
    assert all(each.faults == () for each in results)


def test_a_game_whose_moves_are_not_legal_is_set_aside_when_it_is_shown(listed: Hands, tmp_path: Path) -> None:
    path = tmp_path / "data" / "games" / "bad.json"
    some = next(path.parent.glob("*.json"))
    text = some.read_text()
    first = text.split('"moves": ["')[1].split('"')[0]
    path.write_text(text.replace(f'"{first}"', '"1-32"', 1))
    listed.wait(4.0)
    listed.until(lambda: len(texts(listed)) == 4)
    for row in range(4):
        listed.widget("games").select(row)
    assert "was damaged and set aside" in listed.app.notice
    listed.until(lambda: len(texts(listed)) == 3)


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


def test_a_watched_game_waits_for_the_next_start(opened: Opened) -> None:
    hands = opened()
    hands.app.open(Play(hands.app, game(0, 1, seats=(COUNTER, RANDOM))))
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
    assert isinstance(screen, Play) and isinstance(screen.state, Watching)
    assert moves(screen.model) == whole
    assert screen.flipped
    again.answer()
    assert len(screen.model.plies) == 4
    screen.model.resign(0)
    again.key("escape", "a")
    again.until(lambda: again.widget("games").count)
    again.key("return")
    assert again.game.title == "Piece counter against Random moves" and not isinstance(again.state, Watching)
    again.key("r")
    assert isinstance(again.state, Watching) and not again.game.model.plies


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
