"""The generation browser as a person uses it, by keys and by mouse, with few and with very many individuals."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path

import pytest

from evolve.run import status
from evolve.run.status import State, Status
from game.board import Position
from gui.model.seats import HUMAN
from gui.screens.individuals import panes
from gui.screens.individuals.browser import BrowserScreen
from gui.screens.individuals.chooser import Chooser
from gui.screens.individuals.columns import Columns
from gui.screens.individuals.compare import Compared, RunsCompared
from gui.screens.play.play import Play
from gui.screens.play.set_up import SetUp
from gui.screens.play.watching import Watching
from gui.screens.sessions.session import SessionScreen
from tests.gui.hands import FRAME, Hands, Opened
from tests.gui.session_folder import SessionFolder
from tests.runs import add_generation, plain_file
from tests.runs import make_run as bare_run
from tests.synthetic import make_run


def screen(hands: Hands) -> BrowserScreen:
    result = next(each for each in hands.app.stack if isinstance(each, BrowserScreen))
    return result


def settle(hands: Hands) -> None:
    """Wait until everything has been read and computed."""
    for _ in range(20_000):
        hands.app.step([], FRAME)
        if not screen(hands).browser.busy:
            hands.wait(0.1)
            return
        time.sleep(0.001)
    raise AssertionError("it does not come to an end")


@pytest.fixture
def browsing(opened: Opened, tmp_path: Path) -> Hands:
    make_run(tmp_path / "runs", "alpha", 3, seed=1)
    make_run(tmp_path / "runs", "beta", 2, seed=2)
    hands = opened()
    hands.key("shift+a")
    settle(hands)
    hands.key("1", "home")
    if screen(hands).browser.source.name != "alpha":  # type: ignore[union-attr]
        hands.key("down")
    settle(hands)
    return hands


def test_everything_is_done_by_keys(browsing: Hands) -> None:
    hands, browser = browsing, screen(browsing).browser
    hands.key("3", "down", "down")
    settle(hands)
    assert browser.sheet is not None
    third = browser.sheet.head(2).name
    assert browser.name == third
    hands.key("*")
    assert browser.note(third) == (True, "")
    hands.key("shift+t")
    hands.type("quick")
    hands.key("return")
    assert browser.note(third) == (True, "quick")
    assert "Note: quick" in hands.widget("told").text
    shown = hands.widget("told")
    fonts = hands.app.look.fonts
    assert len(fonts.wrap(shown.text, shown.rect.w, hands.app.look.px(13))) * fonts.height(hands.app.look.px(13)) <= (
        shown.rect.h
    )
    hands.key("m", "down")
    settle(hands)
    hands.key("ctrl+d")
    assert isinstance(hands.app.screen, Compared)
    assert hands.app.screen.first.individual.name == third
    hands.key("shift+w")
    assert isinstance(hands.app.screen, Watching)
    hands.key("escape", "escape", "[")
    settle(hands)
    assert browser.generation == 2
    hands.key("shift+q", "shift+q")
    assert any("alpha" in cell.text for row in range(2) for cell in hands.widget("findings").cells(row))
    messages = [text for text, _ in panes.run_lines(browser)]
    assert any(
        text.startswith("Checked without warnings: convergence, shared stretches, one origin") for text in messages
    )
    few = "Too few ratings to check for cycles and a fall (0 of 15) and for progress (0 of 8)."
    assert f"Strength was not measured. {few}" in messages
    last = panes.run_lines(browser)[-1][0]
    assert browser.source is not None
    assert f"main.py inspect {browser.source.path}" in last
    hands.key("p")
    assert isinstance(hands.app.screen, Play)
    assert browser.portrait is not None
    assert hands.app.screen.model.seats[1].player or hands.app.screen.model.seats[0].player


def test_ancestry_is_clicked_through(browsing: Hands) -> None:
    hands, browser = browsing, screen(browsing).browser
    hands.key("shift+q")
    child = browser.name
    parent = browser.family[0]
    table = hands.widget("family")
    at = (table.rect.centre[0], table.rect.y + 8)
    hands.click(at)
    hands.click(at)
    settle(hands)
    assert (browser.generation, browser.name) == parent.individual[1:3] == (2, parent.individual.name)
    assert child in [relation.individual.name for relation in browser.family]
    hands.key("/")
    hands.type(child)  # a name that this generation does not contain
    settle(hands)
    assert browser.name == parent.individual.name
    assert hands.widget("counted").text.endswith(f"; {parent.individual.name} is not among them")


def test_search_and_sort(browsing: Hands) -> None:
    assert {"Best first", "Name", "Won", "Drawn", "Lost"} < set(browsing.widget("sort").names)
    hands, browser = browsing, screen(browsing).browser
    hands.key("/")
    hands.type("w0>0")
    settle(hands)
    sheet = browser.sheet
    assert sheet is not None and 0 < len(sheet.rows) < len(sheet.heads.heads)
    hands.key("return", "shift+o")
    hands.type("o")
    hands.key("return")
    settle(hands)
    assert sheet.sorted_by == ("origin", False)
    hands.key("shift+z")
    settle(hands)
    assert sheet.sorted_by == ("origin", True)
    hands.key("/", "ctrl+a")
    hands.type("w999<1")
    settle(hands)
    assert hands.widget("counted").text == "There is no column w999."
    assert hands.widget("search").wrong


def test_columns_are_chosen_and_scrolled(browsing: Hands) -> None:
    hands, browser = browsing, screen(browsing)
    hands.key("shift+l")
    assert isinstance(hands.app.screen, Columns)
    hands.key("/")
    hands.type("weight")
    hands.key("return", "ctrl+a", "escape")
    assert len(browser.shown_columns()) == 7 + 247
    first = hands.widget("rows").columns[1].title
    hands.key("right")
    assert hands.widget("rows").columns[1].title != first
    for _ in range(100):
        if hands.widget("rows").columns[-1].title == "w246":
            break
        hands.key("right")
    hands.key("right")
    assert hands.widget("rows").columns[-1].title == "w246"
    assert hands.widget("rows").columns[0].title == "Name"
    hands.key("shift+l", "ctrl+r", "escape")
    assert len(browser.shown_columns()) == 7


def test_two_runs_are_compared(browsing: Hands) -> None:
    hands = browsing
    hands.key("shift+m", "1", "down", "up", "down")
    other = next(n for n, each in enumerate(screen(hands).browser.sources) if each.name == "beta")
    hands.widget("runs").select(other)
    hands.app.redraw()
    settle(hands)
    hands.key("shift+x")
    settle(hands)
    hands.until(lambda: isinstance(hands.app.screen, RunsCompared))
    table = hands.widget("differences")
    assert {table.cells(row)[0] for row in range(1, 3)} <= {"generations", "seed"}


def test_new_generations_do_not_move_rows_under_the_mouse(opened: Opened, tmp_path: Path) -> None:
    run = bare_run(tmp_path / "runs", "alpha", 2)
    hands = opened()
    hands.key("shift+a")
    settle(hands)
    browser = screen(hands).browser
    table, scroll = hands.widget("generations"), hands.app.screen.ui.memory["generations"]
    hands.move((table.rect.x + 40, table.rect.y + scroll.row * 3 // 2))  # on generation 0, where the mouse stays
    add_generation(run, 2)
    hands.until(lambda: browser.newest == 2)
    settle(hands)
    assert browser.generation == 2
    hands.press(hands.app.screen.ui.mouse)
    hands.release(hands.app.screen.ui.mouse)
    assert browser.generation == 0
    hands.key("ctrl+end")
    settle(hands)
    hands.move(hands.middle("rows"))  # while an opponent is being chosen, the table does not change
    add_generation(run, 3)
    hands.until(lambda: browser.newest == 3)
    assert browser.generation == 2
    hands.wait(3.5)  # the mouse only rests there
    settle(hands)
    assert browser.generation == 3
    hands.move((5, 5))
    hands.widget("rows").select(2)
    name = browser.name
    hands.widget("rows").sort("wins")
    settle(hands)
    hands.wait(0.1)
    assert browser.name == name and hands.app.screen.ui.memory["rows"].top == 0  # the best are seen
    hands.widget("generations").select(3)
    settle(hands)
    add_generation(run, 4)
    hands.wait(3)
    settle(hands)
    assert (browser.newest, browser.generation) == (4, 0)


def test_states_are_whole_and_name_no_negative_generation(opened: Opened, tmp_path: Path) -> None:
    fresh = SessionFolder(tmp_path / "runs" / "fresh", 0, 1000)
    fresh.say(State.RUNNING)
    long = bare_run(tmp_path / "runs", "a-long-name-of-it", 2)
    status.write(long.path, Status(State.RUNNING, os.getpid(), time.time(), 1, 1000, 100))
    hands = opened()
    hands.until(lambda: not hands.app.services.library.busy)
    hands.key("shift+a")
    settle(hands)
    table = hands.widget("runs")
    states = {table.cells(row)[0].text: table.cells(row)[1].text for row in range(table.count)}
    assert states == {"fresh": "running", long.path.name: "running 1/1000"}
    hands.picture()
    assert not [text for _, text in hands.app._elided if text in states.values() or text in states]
    hands.resize((800, 600))
    table = hands.widget("runs")  # the icons say what has no room in words
    assert sorted(table.cells(row)[1].text for row in range(2)) == ["", "1/1000"]
    hands.picture()
    assert not [text for _, text in hands.app._elided if text in states or text in ("Best first", "Search")]


def test_weights_have_as_many_places_in_each_row(browsing: Hands) -> None:
    browser, theme = screen(browsing).browser, browsing.app.look.theme
    shown = [str(panes.row_cells(browser, row, ["name", "w7"], theme, screen(browsing).name_of)[1]) for row in range(5)]
    assert all(re.fullmatch(r"−?[0-9]+\.[0-9]{4}", text) for text in shown)


def test_a_game_comes_back_to_where_it_was_begun(browsing: Hands) -> None:
    hands, browser = browsing, screen(browsing).browser
    hands.key("2", "down")
    settle(hands)
    hands.key("/")
    hands.type("gen")
    hands.key("return", "z", "z", "down")
    settle(hands)
    before = (browser.source, browser.generation, browser.search, browser.sorted_by, browser.name)
    assert browser.search == "gen" and browser.sorted_by[0] and browser.name
    hands.key("p")
    assert isinstance(hands.app.screen, Play)
    hands.touch(11, 15)
    hands.key("escape")
    assert hands.app.screen is screen(hands)
    settle(hands)
    assert before == (browser.source, browser.generation, browser.search, browser.sorted_by, browser.name)
    hands.key("escape", "escape")
    hands.until(lambda: "continue" in hands.keys)
    hands.key("shift+g")
    hands.until(lambda: hands.widget("runs").count)
    hands.key("return")
    session = hands.app.screen
    assert isinstance(session, SessionScreen)
    hands.until(lambda: session.generation >= 0)
    session.play_row(0)
    assert isinstance(hands.app.screen, Play)
    hands.key("escape")
    assert hands.app.screen is session
    session.play_row(0)
    hands.app.open(SetUp(hands.app, Position.start(), (HUMAN, HUMAN)))
    hands.key("p")
    assert isinstance(hands.app.screen, Play)
    hands.key("escape")
    assert hands.app.screen is session


def test_a_file_that_is_dropped_where_runs_are_looked_at_opens_in_the_browser(browsing: Hands, tmp_path: Path) -> None:
    hands = browsing
    browser = hands.app.screen
    path = plain_file(tmp_path / "mine.csv", ["Ann", "Bob"])
    hands.key("m", "down")
    settle(hands)
    hands.key("ctrl+d")
    assert isinstance(hands.app.screen, Compared)
    hands.drop(path)
    assert hands.app.screen is browser
    settle(hands)
    assert screen(hands).browser.name == "Ann"
    hands.key("escape")
    session = SessionScreen(hands.app, tmp_path / "runs" / "alpha")
    hands.app.open(session)
    hands.drop(path)
    settle(hands)
    assert isinstance(hands.app.screen, BrowserScreen)
    assert screen(hands).browser.name == "Ann"
    hands.key("escape")
    assert hands.app.screen is session
    hands.key("escape")
    hands.drop(path)  # on the first screen one looks for an opponent
    assert isinstance(hands.app.screen, Chooser)


def test_dropped_table_reports_omitted_rows(browsing: Hands, tmp_path: Path) -> None:
    hands = browsing
    path = plain_file(tmp_path / "mine.txt", ["Ann", "Bob"])
    path.write_text(path.read_text() + "Total" + "," * 247 + "\n")
    hands.drop(path)
    settle(hands)
    assert [hands.widget("rows").cells(row)[0].text for row in range(2)] == ["Ann", "Bob"]
    assert hands.widget("counted").text == (
        "2 individuals, 247 weights; line 4 (Total) is not an individual and is left out"
    )
    games = tmp_path / "games.txt"
    games.write_text("1. 11-15 23-19 *\n")
    hands.drop(games)
    assert not isinstance(hands.app.screen, BrowserScreen)
