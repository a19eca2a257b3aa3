"""Pages from the window: of a game and a review, of a champion of a session; and event files of a session."""

from __future__ import annotations

from pathlib import Path

from evolve.run.champions import read_champions
from evolve.run.runs import SHIPPED_RUNS
from evolve.strength.levels import LEVELS
from extras.export.opened import read
from extras.export.tests.exported import data_of
from gui.screens.dialogs.files import Files
from gui.screens.play.review import ReviewScreen
from gui.screens.sessions.session import SessionScreen
from tests.gui.chooser_helpers import choose, click_card
from tests.gui.hands import Opened
from tests.gui.review_helpers import playing, shared, think


def test_a_game_is_written_as_a_page(opened: Opened, tmp_path: Path) -> None:
    hands = opened()
    hands.app.services.store.set("folder", str(tmp_path))
    playing(hands)
    path = tmp_path / "a <b> & c.html"
    assert shared(hands, path.name) == f"Saved as {path}"
    assert path.read_bytes().startswith(b"<!DOCTYPE html>")


def test_a_saved_review_names_better_moves(opened: Opened, tmp_path: Path) -> None:
    hands = opened()
    hands.app.services.store.set("folder", str(tmp_path))
    playing(hands)
    hands.key("w")
    assert isinstance(hands.app.screen, ReviewScreen)
    think(hands)
    assert shared(hands, "review.html").startswith("Saved as")
    data = data_of((tmp_path / "review.html").read_text(encoding="utf-8"))
    assert [move["better"][0]["text"] for move in data["moves"] if move["better"]] == ["9-14", "27-23"]


def test_each_chosen_opponent_is_saved_as_a_page_that_plays_as_it_does(opened: Opened, tmp_path: Path) -> None:
    hands = opened(runs=SHIPPED_RUNS)
    hands.app.services.store.set("sent_folder", str(tmp_path))
    hands.key("n")
    click_card(hands, "Expert")
    hands.click("do.send")
    assert isinstance(hands.app.screen, Files) and hands.app.screen.chooser.text == "expert.html"
    assert hands.app.screen.title == "Share Expert"
    hands.key("ctrl+return")
    page = tmp_path / "expert.html"
    hands.until(lambda: hands.app.notice == f"Saved as {page}, a page that plays in any browser", 10.0)
    assert read(page)[3][0].depth == LEVELS[4].depth
    hands.key("3")
    choose(hands, "material")
    assert "do.send" not in hands.keys  # it has no network
    hands.key("ctrl+p")
    for word in ("send", "share", "save it"):
        hands.type(word)
        assert hands.widget("matches").cells(0)[0].text == "Share", word
        hands.key("ctrl+a", "backspace")


def test_a_champion_is_saved_as_a_page(opened: Opened, tmp_path: Path) -> None:
    hands = opened(runs=SHIPPED_RUNS)
    hands.app.services.store.set("sent_folder", str(tmp_path))
    screen = SessionScreen(hands.app, SHIPPED_RUNS / "crownhead-1")
    hands.app.open(screen)
    hands.wait(0.5)
    hands.key("left", "ctrl+s")
    name = f"crownhead-1-{screen.generation}.html"
    assert isinstance(hands.app.screen, Files) and hands.app.screen.chooser.text == name
    assert hands.app.screen.title == "Share the champion"
    hands.app.screen.chooser.text = str(tmp_path / "sent.txt")
    hands.key("ctrl+return")
    assert isinstance(hands.app.screen, Files)
    hands.app.screen.chooser.text = name
    hands.key("ctrl+return")
    hands.until(lambda: hands.app.notice == f"Saved as {tmp_path / name}, a page that plays in any browser", 10.0)
    assert hands.app.screen is screen
    assert read(tmp_path / name)[1].tolist() == read_champions(screen.run.path, [screen.generation])[0].weights.tolist()
