"""The explorer beside a board, and the board for trying lines, by mouse and by keyboard."""

from __future__ import annotations

from pathlib import Path

import pytest

from game.board import Position
from gui.model.game import GameModel
from gui.model.seats import HUMAN
from gui.screens.dialogs.dialog import Menu
from gui.screens.dialogs.files import Files
from gui.screens.individuals.chooser import Chooser
from gui.screens.play.game_lists import GamesScreen
from gui.screens.play.play import Play
from gui.screens.play.watching import Exploring, Watching
from gui.storage.kept_games import OWN
from tests.gui.hands import Hands, Opened
from tests.gui.kept import kept_games
from tests.gui.kept_games_helpers import COUNTER, RANDOM, moves
from tests.gui.kept_list_helpers import keep

GAMES = """
1. 11-15 23-19 2. 8-11 22-17 1-0

1. 11-15 23-19 2. 9-14 22-17 0-1

1. 11-15 22-18 1/2-1/2

1. 9-13 22-18 *
"""


def played(text: str, seats: tuple[object, object] = (HUMAN, HUMAN)) -> GameModel:
    model = GameModel()
    for move in text.split():
        model.type_move(move)
    model.seats = seats  # type: ignore[assignment]
    return model


@pytest.fixture
def ready(opened: Opened, tmp_path: Path) -> Hands:
    """Return a window with games in the explorer, before any board is open."""
    path = tmp_path / "club.pdn"
    path.write_text(GAMES)
    hands = opened(panel="explorer", explorer_source=str(path))
    return hands


def board(hands: Hands, model: GameModel, *, recorded: bool = False) -> Play:
    screen = Play(hands.app, model, flipped=False, recorded=recorded)
    hands.app.open(screen)
    hands.until(lambda: not hands.app.services.explored.reading)
    hands.wait(0.5)
    return screen


def rows(hands: Hands) -> list[tuple[str, str, str]]:
    table = hands.widget("explorer")
    return [
        (move.text, games, result.text) for move, *_, games, result in (table.cells(row) for row in range(table.count))
    ]  # fmt: skip


def click_move(hands: Hands, move: str) -> None:
    hands.click_row("explorer", [row[0] for row in rows(hands)].index(move))
    hands.settle()


def test_moves_played_from_the_shown_position_are_counted(ready: Hands) -> None:
    board(ready, played("11-15 23-19", (HUMAN, COUNTER)))
    assert rows(ready) == [
        ("8-11", "1", "Black 100 %, draws 0 %, White 0 %"), ("9-14", "1", "Black 0 %, draws 0 %, White 100 %")
    ]  # fmt: skip
    assert ready.widget("explored.info").text == "In 2 of 4 games"
    assert ready.widget("explored").text == "club.pdn"
    ready.key("home")
    assert rows(ready) == [("11-15", "3", "Black 34 %, draws 33 %, White 33 %"), ("9-13", "1", "no results")]
    assert ready.widget("explorer").cells(1)[1].text == "Edinburgh"
    ready.picture()
    ready.key("end")
    ready.touch(12, 16)
    assert rows(ready) == [] and "None of these games" in ready.widget("explorer").empty


def test_the_games_of_an_opening_are_counted_under_its_name(ready: Hands) -> None:
    board(ready, played("9-13", (HUMAN, COUNTER)))
    assert ready.widget("explored.info").text == "Edinburgh: In 1 of 4 games"


def test_click_follows_the_game_with_this_move(ready: Hands) -> None:
    screen = board(ready, played("11-15 23-19 8-11"), recorded=True)
    ready.key("home")
    click_move(ready, "11-15")
    click_move(ready, "23-19")
    assert ready.app.screen is screen and screen.model.cursor == 2
    click_move(ready, "9-14")  # this line was not played, so it gets its own board
    explore = ready.app.screen
    assert isinstance(explore, Exploring)
    assert moves(explore.model) == ["11-15", "23-19", "9-14"] and explore.title == "Explore"
    assert ready.words == ("Exploring: White to move", "Nothing here is saved. Esc goes back.")
    click_move(ready, "22-17")
    assert moves(explore.model) == ["11-15", "23-19", "9-14", "22-17"]
    ready.key("escape")
    assert ready.app.screen is screen and screen.model.cursor == 2 and len(screen.model.plies) == 3


def test_the_game_on_the_table_stays_as_it_is(ready: Hands, tmp_path: Path) -> None:
    screen = board(ready, played("11-15 23-19", (HUMAN, COUNTER)))
    click_move(ready, "8-11")
    assert isinstance(ready.app.screen, Exploring)
    ready.touch(27, 23)
    ready.touch(4, 8)
    assert moves(ready.game.model) == ["11-15", "23-19", "8-11", "27-23", "4-8"]
    ready.wait(2.0)
    ready.key("escape", "escape")
    assert moves(screen.model) == ["11-15", "23-19"]
    assert [moves(kept.model) for kept in kept_games(tmp_path / "data")] == [["11-15", "23-19"]]


def test_two_players_play_the_move_that_is_clicked(ready: Hands) -> None:
    screen = board(ready, GameModel())
    click_move(ready, "11-15")
    click_move(ready, "23-19")
    assert ready.app.screen is screen and moves(screen.model) == ["11-15", "23-19"]


def test_by_keyboard_alone(ready: Hands) -> None:
    screen = board(ready, GameModel())
    assert ready.widget("explorer").selected == -1
    for _ in range(30):
        if screen.ui.focus == "explorer":
            break
        ready.key("tab")
    assert screen.ui.focus == "explorer" and ready.widget("explorer").selected == 0
    ready.key("down", "return")
    ready.settle()
    assert moves(screen.model) == ["9-13"]


def test_a_watched_game_is_left_alone(ready: Hands) -> None:
    watching = Watching(ready.app, played("11-15", (COUNTER, RANDOM)))
    ready.app.open(watching)
    ready.until(lambda: not ready.app.services.explored.reading)
    ready.wait(0.5)
    click_move(ready, "22-18")
    assert isinstance(ready.app.screen, Exploring)
    ready.key("escape")
    assert ready.app.screen is watching and moves(watching.model) == ["11-15"]


def test_another_line_from_an_earlier_position_and_the_first_one_again(ready: Hands) -> None:
    explore = Exploring(ready.app, played("11-15 23-19 8-11"))
    ready.app.open(explore)
    ready.wait(0.5)
    ready.key("left", "left")
    ready.touch(22, 18)  # by hand
    assert moves(explore.model) == ["11-15", "22-18"]
    ready.key("u", "shift+u")
    ready.key("home")
    click_move(ready, "9-13")
    assert moves(explore.model) == ["9-13"]
    ready.key("home", "escape")
    assert not isinstance(ready.app.screen, Exploring)


def test_an_explored_position_is_played_against_any_opponent(ready: Hands) -> None:
    ready.app.open(Exploring(ready.app, played("11-15 23-19 8-11")))
    ready.wait(0.5)
    ready.key("left")
    ready.click("do.play-on")
    chooser = ready.app.screen
    assert isinstance(chooser, Chooser)
    ready.until(lambda: not chooser.browser.library.busy)
    row = next(n for n, row in enumerate(chooser.browser.library.rows) if row.player == "material")
    chooser.browser.choose_at(row)
    ready.key("p")
    assert moves(ready.game.model) == ["11-15", "23-19"] and not isinstance(ready.app.screen, Exploring)


def test_source_of_explored_games_is_chosen(ready: Hands, tmp_path: Path) -> None:
    keep(tmp_path / "data", played("12-16 24-20"))
    board(ready, GameModel())
    ready.click("explored")
    assert isinstance(ready.app.screen, Menu)
    ready.key("1")
    ready.until(lambda: not ready.app.services.explored.reading)
    assert ready.widget("explored").text == "Your games" and ready.app.services.settings.explorer_source == OWN
    assert [row[0] for row in rows(ready)] == ["12-16"]
    ready.key("shift+k", "o")
    files = ready.app.screen
    assert isinstance(files, Files)
    (tmp_path / "other.pdn").write_text("1. 10-14 1-0\n")
    files.chooser.text = str(tmp_path / "other.pdn")
    ready.key("ctrl+return")
    ready.until(lambda: not ready.app.services.explored.reading)
    assert [row[0] for row in rows(ready)] == ["10-14"] and ready.widget("explored").text == "other.pdn"


def test_other_files_are_reported_and_missing_ones_replaced(opened: Opened, tmp_path: Path) -> None:
    hands = opened(panel="explorer", explorer_source=str(tmp_path / "gone.pdn"))
    board(hands, GameModel())
    assert hands.widget("explored").text == "Your games" and rows(hands) == []
    hands.key("shift+k", "o")
    (tmp_path / "binary.pdn").write_bytes(b"\0\1\2")
    files = hands.app.screen
    assert isinstance(files, Files)
    files.chooser.text = str(tmp_path / "binary.pdn")
    hands.key("ctrl+return")
    assert "is not a text file" in hands.widget("trouble").text


def test_many_games_are_read_beside_the_game(opened: Opened, tmp_path: Path) -> None:
    path = tmp_path / "many.pdn"
    path.write_text(GAMES * 2000)
    hands = opened(panel="explorer", explorer_source=str(path))
    hands.app.open(Play(hands.app, GameModel(), flipped=False))
    seen: list[str] = []
    hands.until(lambda: seen.append(hands.widget("explored.info").text) or not hands.app.services.explored.reading)
    assert any("reading: " in each for each in seen)  # how often depends on the speed
    hands.wait(0.5)
    assert hands.widget("explored.info").text == "In 8,000 of 8,000 games"
    hands.app.open(Play(hands.app, GameModel(), flipped=False))
    hands.wait(0.1)
    assert hands.widget("explored.info").text == "In 8,000 of 8,000 games"  # what was read once is there


def test_a_position_that_was_set_up_is_explored_too(opened: Opened, tmp_path: Path) -> None:
    path = tmp_path / "set-up.pdn"
    path.write_text('[SetUp "1"]\n[FEN "B:W18,26,27:B14,1"]\n\n1. 14x23x30 27-23 1-0\n')
    hands = opened(panel="explorer", explorer_source=str(path))
    board(hands, GameModel((HUMAN, HUMAN), Position.from_fen("B:W18,26,27:B14,1")))
    assert [row[0] for row in rows(hands)] == ["14x23x30"]


def test_the_games_of_an_open_file_are_explored_from_their_list(opened: Opened, tmp_path: Path) -> None:
    path = tmp_path / "club.pdn"
    path.write_text(GAMES)
    hands = opened()
    hands.drop(path)
    hands.wait(0.3)
    hands.click("explore")
    assert isinstance(hands.app.screen, Exploring)
    hands.until(lambda: not hands.app.services.explored.reading)
    hands.wait(0.5)
    assert [row[0] for row in rows(hands)] == ["11-15", "9-13"]
    hands.key("escape")
    assert isinstance(hands.app.screen, GamesScreen)


def test_a_position_of_a_kept_game_is_explored(ready: Hands, tmp_path: Path) -> None:
    keep(tmp_path / "data", played("11-15 23-19 8-11"))
    ready.key("escape", "a")
    ready.wait(4.0)
    ready.key("left", "k")
    ready.until(lambda: not ready.app.services.explored.reading)
    ready.wait(0.5)
    assert isinstance(ready.app.screen, Exploring) and {row[0] for row in rows(ready)} == {"8-11", "9-14"}
