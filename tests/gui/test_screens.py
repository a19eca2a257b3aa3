"""Screens for files, positions and settings, and the first screen."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from evolve.run.runs import SHIPPED_RUNS
from evolve.strength.levels import LEVELS
from gui.app import App
from gui.files import FileChooser
from gui.geometry import Size
from gui.model.game import GameModel
from gui.model.seats import HUMAN, Seat
from gui.rating.rating import level_opponents
from gui.screens.dialogs.files import Files
from gui.screens.dialogs.picker import Palette
from gui.screens.home import Home
from gui.screens.play.games import GamesScreen
from gui.screens.play.play import Play
from gui.screens.settings import SettingsScreen
from gui.widgets.board import BoardWidget
from gui.widgets.button import MainButton
from tests.gui.hands import Hands, Opened
from tests.gui.layouts_helpers import look_at
from tests.gui.scenes.scenes import picture

COUNTER, RANDOM = Seat("material", 2, None, "Counter"), Seat("random")


def test_a_game_is_saved_and_opened_again(opened: Opened, tmp_path: Path) -> None:
    hands = opened()
    hands.app.open(Play(hands.app, GameModel((HUMAN, COUNTER))))
    hands.touch(11, 15)
    hands.answer()
    moves = [str(ply.move) for ply in hands.game.model.plies]
    hands.app.services.store.set("folder", str(tmp_path))
    hands.key("s")
    assert isinstance(hands.app.screen, Files)
    hands.click("path")
    hands.key("ctrl+a")
    hands.type("mine")
    hands.key("return")
    assert (tmp_path / "mine.pdn").is_file()
    assert isinstance(hands.app.screen, Play)
    hands.key("s")
    hands.click("path")
    hands.key("ctrl+a")
    hands.type("mine.pdn")
    hands.key("return")
    assert "already exists" in hands.widget("trouble").text
    hands.key("escape", "escape")
    hands.key("o")
    files = hands.app.screen
    assert isinstance(files, Files)
    at = [entry.name for entry in files.chooser.entries].index("mine.pdn")
    hands.click_row("entries", at, times=2)
    hands.until(lambda: isinstance(hands.app.screen, Play))
    assert [str(ply.move) for ply in hands.game.model.plies] == moves


def test_saving_offers_recent_files_of_its_kind_and_forgets_old_errors(opened: Opened, tmp_path: Path) -> None:
    (tmp_path / "old.pdn").write_text("*")
    hands = opened()
    for name in ("players.csv", "old.pdn"):
        hands.app.services.remember_file(tmp_path / name)
    hands.app.open(Files.to_save(hands.app, "new.pdn", lambda path: "The disk is full."))
    recent = hands.widget("recent")
    assert [recent.cells(row)[0].text for row in range(recent.count)] == ["old.pdn"]
    hands.key("ctrl+return")
    assert hands.widget("trouble").text == "The disk is full."
    recent.select(0)
    hands.app.redraw()
    assert "trouble" not in hands.keys


def test_a_chosen_file_of_games_is_played_beside_the_list(opened: Opened, tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    (tmp_path / "club.pdn").write_text('[Event "Cup"]\n[Black "Anna"]\n[White "Ben"]\n\n1. 11-15 23-19 *\n')
    hands, taken = opened(), list[Path]()
    hands.app.open(Files(hands.app, FileChooser(tmp_path, (".pdn",)), lambda path: taken.append(path) or ""))
    hands.wait(0.1)
    assert hands.widget("accept").text == "Open the folder" and "board" not in hands.keys
    hands.click_row("entries", 1)
    assert hands.widget("players").text.startswith("Anna – Ben")
    hands.wait(1.5)
    assert hands.widget("board").marks.last[:2] == (11, 15)
    hands.click_row("entries", 0)
    hands.click("accept")
    assert "board" not in hands.keys and not taken
    hands.key("backspace")
    hands.click_row("entries", 1)
    hands.click("accept")
    assert taken == [tmp_path / "club.pdn"]


def test_a_dropped_position_and_a_pasted_game(opened: Opened, tmp_path: Path) -> None:
    (tmp_path / "one.fen").write_text("W:W18:BK1")
    hands = opened()
    hands.drop(tmp_path / "one.fen")
    assert hands.game.model.start.fen() == "W:W18:BK1"
    hands.app.services.clipboard.copy('[Black "Anna"]\n1. 11-15 23-19 2. 8-11 1-0')
    hands.key("ctrl+v")
    assert hands.game.model.seats[0].shown == "Anna"
    assert hands.game.model.cursor == 0
    assert hands.words[0] == "Before the first move"
    hands.app.services.clipboard.copy("1. 11-15 11-15")
    hands.key("ctrl+v")
    assert "Only part" in hands.app.notice
    hands.app.services.clipboard.copy("good morning")
    hands.key("ctrl+v")
    assert "no game" in hands.app.notice
    hands.app.services.clipboard.copy("")
    hands.key("ctrl+v")
    assert "no text" in hands.app.notice


def test_a_file_that_changes_while_it_is_shown(opened: Opened, tmp_path: Path) -> None:
    games = tmp_path / "two.pdn"
    games.write_text("1. 11-15 *\n\n1. 9-14 *\n")
    hands = opened()
    hands.drop(games)
    hands.wait(0.5)
    games.write_text("1. 10-14 *\n")
    hands.key("return")
    assert isinstance(hands.app.screen, GamesScreen)
    assert "changed" in hands.app.notice
    games.unlink()
    hands.key("return")
    assert "cannot be read" in hands.app.notice


def test_settings_take_effect_at_once_and_are_kept(opened: Opened) -> None:
    hands = opened()
    hands.key("ctrl+,")
    assert isinstance(hands.app.screen, SettingsScreen)
    hands.click("numbers")
    hands.key("2", "3", "b", "<sounds>", "<theme>", "4")
    theme = hands.widget("theme")
    hands.click((theme.rect.right - 20, theme.rect.centre[1]))
    scale = hands.widget("scale")
    hands.drag(scale.rect.centre, (scale.rect.right + 50, scale.rect.bottom - 5))
    hands.wait(1.5)
    settings = hands.app.services.settings
    assert (settings.numbers, settings.dots, settings.must_marks, settings.sounds) == (False,) * 4
    assert settings.evaluation_bar
    assert (settings.theme, settings.animation, settings.scale) == (
        "contrast",
        "slow",
        1.45,
    )  # larger would change nothing here
    again = opened()
    assert again.app.services.settings == settings
    assert again.app.look.theme.name == "contrast"


def test_settings_that_cannot_be_are_defaults(opened: Opened, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "settings.json").write_text(
        '{"theme": "pink", "scale": 99, "numbers": "yes", "depth": -1, "animation": 3, "width": -1, "seconds": -5}'
    )
    settings = opened().app.services.settings
    assert (settings.theme, settings.scale, settings.numbers, settings.depth) == ("light", 2.0, True, 0)
    assert (settings.animation, settings.width, settings.seconds) == ("normal", 1280, 0.0)


def test_the_size_that_a_person_gave_the_window_is_kept(opened: Opened) -> None:
    """The size on a small screen, which was forced, is not saved."""
    for resize, kept in ((None, (1000, 700)), ((900, 600), (900, 600))):
        hands = opened(size=(984, 604), width=1000, height=700)
        if resize:
            hands.resize(resize)
        hands.app.quit()
        settings = hands.app.services.settings
        assert (settings.width, settings.height) == kept


def test_the_first_move_on_the_first_screen_begins_a_game(opened: Opened) -> None:
    hands = opened(runs=SHIPPED_RUNS)
    assert hands.widget("board.line").text == "You play Black: move a piece to begin."
    hands.touch(11)
    assert hands.widget("board").marks.targets == (15, 16)
    hands.key("escape")
    assert isinstance(hands.app.screen, Home) and not hands.widget("board").marks.targets
    hands.touch(24)
    assert hands.app.notice == "This is a piece of the other side." and hands.heard[-1] == "refused"
    hands.touch(11, 15)
    assert [str(ply.move) for ply in hands.game.model.plies] == ["11-15"]
    assert hands.game.model.seats[1].title.startswith("Casual")
    assert not hands.app.services.career.results  # unrated
    hands.key("escape")
    assert len(hands.widget("board").pieces) == 24, "another game can begin"
    hands.until(lambda: "continue" in hands.keys)
    assert hands.widget("continue").kind == "main" and "play" not in hands.keys
    assert hands.widget("board.line").text == "Move a piece to play Casual."
    hands.key("f10")
    assert isinstance(hands.app.screen, Palette)


@pytest.mark.parametrize("size", [(1280, 800), (800, 600), (500, 820)])
def test_the_first_screen_has_the_levels_at_every_size(opened: Opened, size: Size) -> None:
    hands = opened(runs=SHIPPED_RUNS, size=size)
    hands.until(lambda: "levels" in hands.keys)
    levels = hands.widget("levels").rect
    hands.click((levels.right - 9, levels.bottom - 9))
    hands.wait(0.1)
    assert hands.app.services.opponents.level == len(LEVELS) - 1


@pytest.mark.parametrize("plays", [False, True])
def test_the_first_screen_has_few_controls_and_words(opened: Opened, plays: bool) -> None:
    hands = opened(runs=SHIPPED_RUNS)
    if plays:
        hands.touch(11, 15)
        hands.key("escape")
        hands.until(lambda: "continue" in hands.keys)
    view = [each for each in hands.app.view() if each.key != "board"]
    words = [*(getattr(each, "text", "") for each in view), "Crownhead", "Play the players that you evolve."]
    assert len(" ".join(words).split()) <= 40
    assert len([each for each in view if each.focusable]) <= 10


def test_the_program_moves_first_if_the_person_plays_white(opened: Opened) -> None:
    hands = opened(runs=SHIPPED_RUNS, colour="white")
    assert hands.widget("board.line").text == "You play White: click the board to begin."
    hands.touch(22)
    assert isinstance(hands.app.screen, Play)
    hands.answer()
    assert len(hands.game.model.plies) == 1


def texts(hands: Hands) -> list[str]:
    return [getattr(widget, "text", "") for widget in hands.app.view() if widget.key != "board.line"]


def test_games_and_rating_are_hidden_until_read(opened: Opened) -> None:
    hands = opened()
    career = hands.app.services.career
    career.finish(career.game_of(career.begin(level_opponents()[1])), 0.0)
    hands.until(lambda: career.rating is not None and not career.busy)
    hands.key("p")
    hands.until(lambda: isinstance(hands.app.screen, Play))
    screen = hands.app.screen
    assert isinstance(screen, Play)
    screen.play_text("11-15")
    hands.app.go_home()
    hands.wait(0.5)
    fresh = Home(hands.app)  # as when the window opens
    hands.app.open(fresh)
    first = texts(hands)
    assert not any("No rating" in text or "Casual" in text or "Your rating" in text for text in first)
    hands.until(lambda: any(text.startswith("Continue") for text in texts(hands)))
    assert any("Your rating" in text for text in texts(hands))


def board_of(app: App, size: Size, wanted: float) -> BoardWidget:
    look = look_at(app, size, wanted)
    return next(widget for widget in app.screen.view(size, look) if isinstance(widget, BoardWidget))


def test_the_board_has_one_place(display: None) -> None:
    apps = [
        picture(scene, (800, 600)) for scene in ("home", "play", "rated", "climbed", "game-of-file", "watch", "review")
    ]
    for size, wanted in itertools.product([(1280, 800), (800, 600), (500, 820), (1920, 1080)], [0.75, 1.0, 1.15, 2.0]):
        assert len({board_of(app, size, wanted).rect for app in apps}) == 1, (size, wanted)


def test_the_main_button_names_a_game_once_the_games_are_read(opened: Opened) -> None:
    hands = opened()
    hands.until(lambda: hands.app.services.kept.complete)
    hands.wait(0.2)
    button = hands.widget("play")
    assert isinstance(button, MainButton) and button.text.startswith("Play\n")
