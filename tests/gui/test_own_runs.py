"""Your runs among the opponents: search, archived ones and their pages."""

from __future__ import annotations

from pathlib import Path

from evolve.run import status
from gui.screens.home import Home
from gui.screens.individuals.chooser import CHOOSE, NOTHING
from gui.screens.sessions.session import SessionScreen
from gui.widgets.cards import CardScroll
from tests.gui.chooser_helpers import click_card, listed, titles
from tests.gui.hands import Hands, Opened
from tests.gui.own_runs import folder, hands
from tests.synthetic import make_run

__all__ = ["folder", "hands"]


def test_a_button_and_a_key_lead_there_and_back(opened: Opened) -> None:
    hands = opened()
    hands.click("do.evolve-group")
    hands.click("menu.all-runs")
    assert titles(hands) == [] and hands.widget("cards").empty == NOTHING
    hands.key("<run>")
    assert hands.app.notice == CHOOSE
    hands.key("escape")
    assert isinstance(hands.app.screen, Home)


def test_runs_are_listed_but_for_archived_ones(hands: Hands) -> None:
    assert titles(hands) == ["wide", "narrow"]
    hands.key("/")
    hands.type("hidden")
    assert titles(hands) == ["gone"]
    hands.key("escape")
    assert titles(hands) == ["wide", "narrow"]


def test_searching_by_name_preset_tag_and_note(hands: Hands) -> None:
    for text, result in (("wid", "wide"), ("SLOW", "wide"), ("lasts good", "wide"), ("cowan", "wide narrow")):
        hands.key("/")
        hands.type(text)
        assert titles(hands) == result.split(), text
        hands.key("escape")


def test_a_card_leads_to_the_page_of_its_run_and_evolves_on(hands: Hands, folder: Path) -> None:
    status.write(folder / "wide", status.now(status.State.DONE, 1, 1, 2, 0))
    click_card(hands, "wide")
    hands.click("do.run")
    page = hands.app.screen
    assert isinstance(page, SessionScreen) and page.run.name == "wide"
    hands.key("escape")
    scroll = hands.app.screen.ui.recall(hands.widget("cards"), CardScroll)
    hands.click(scroll.actions[0][0].centre)
    assert hands.app.stack[2].title == page.title and hands.app.screen.title == "Evolve wide on"
    hands.key("escape", "escape")
    offer = listed(hands).offer
    assert offer is not None and offer.title == "wide"


def test_new_and_damaged_runs_appear(hands: Hands, folder: Path) -> None:
    make_run(folder, "another", 1)
    (make_run(folder, "broken", 1).path / "manifest.csv").write_text("nonsense")
    hands.until(lambda: len(titles(hands)) == 4, 3.0)
    assert "manifest.csv" in click_card(hands, "broken").line
    hands.key("p")
    assert "manifest.csv" in hands.app.notice


def test_runs_of_a_sweep_are_listed_and_looked_at(hands: Hands, folder: Path) -> None:
    (folder / "many").mkdir()
    (folder / "many" / "sweep.toml").write_text("")
    for seed in (1, 2):
        make_run(folder / "many", f"seed={seed}", 1, seed=seed)
    hands.until(lambda: len(titles(hands)) == 4, 3.0)
    assert titles(hands)[2:] == ["many/seed=1", "many/seed=2"]
    click_card(hands, "many/seed=2")
    # The page of the run is named by its sweep, too, and says why the sweep stopped it.
    result = status.now(status.State.STOPPED, 1, 1, 5, 0, reason="its sweep: 296 Elo behind seed=1 in generation 1")
    status.write(folder / "many" / "seed=2", result)
    hands.click("do.run")
    hands.until(lambda: "296 Elo behind seed=1" in hands.widget("status").text, 5.0)
    assert hands.app.screen.title == "Evolution of many/seed=2"
