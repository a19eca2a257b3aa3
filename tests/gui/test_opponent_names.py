"""The name of an opponent: the same in every list and game, and whole at every size of the window."""

from __future__ import annotations

from pathlib import Path

from evolve.config.anchors import shown_text
from evolve.strength.levels import LEVELS
from gui.model.seats import Seat, title_of
from gui.runs.live_run import LiveRun, titles_of
from gui.screens.individuals.browser import BrowserScreen
from gui.screens.play.game_lists import GamesScreen
from gui.sessions.boards import Replay
from tests.gui.chooser_helpers import listed, row_of
from tests.gui.hands import Opened

SIZES = ((640, 480), (800, 600), (1024, 768), (1280, 800), (1920, 1080))


def test_names_of_individuals() -> None:
    assert title_of("Gen40_0173", "first-1", 40, 1) == "Generation 40 of first-1"
    assert title_of("Gen15_0832", "cowan-1", 15, 4) == "Gen15_0832 of cowan-1 (rank 4)"
    assert title_of("anna", "players.csv", 15, 1) == "anna (players.csv)"


def test_a_level_keeps_its_name_from_the_choice_to_the_archive(opened: Opened) -> None:
    hands = opened(runs=Path("populations"), colour="black")
    hands.key("n")
    listed(hands)
    hands.click_row("levels", 3)
    assert hands.widget("details.name").text == "Club"
    hands.key("return")
    assert (hands.game.title, hands.widget("strip1").name) == ("Against Club", "Club")
    hands.touch(11, 15)
    hands.app.go_home()
    kept = hands.app.services.kept
    hands.until(lambda: kept.complete and kept.games)
    assert kept.games[0].players == "Black against Club"
    earlier = Seat("crownhead-2", 4, title="Crownhead-2 champion (gen 6)")  # as earlier versions have saved it
    assert earlier.shown == "Expert (crownhead-2)"


def test_the_strongest_player_has_one_name_and_one_rating(opened: Opened) -> None:
    """At the depth of a level it has the name of the level, from the list of all players to the archive."""
    hands = opened(runs=Path("populations"), depth=8)
    hands.key("n")
    listed(hands)
    row = row_of(hands, "crownhead")
    hands.click_row("rows", row)
    name, rating, *_ = (cell if isinstance(cell, str) else cell.text for cell in hands.widget("rows").cells(row))
    assert (name, rating) == ("Champion", shown_text(LEVELS[-1].rating))
    assert hands.widget("details.name").text == "Champion"
    assert f"Rating {rating}" in hands.widget("details").text
    hands.key("-")  # the same network with another depth is another player
    assert hands.widget("details.name").text == "Generation 120 of crownhead"
    hands.key("p")
    assert hands.widget("strip1").name == "Generation 120 of crownhead"


def test_players_without_weights_have_the_same_name_everywhere(opened: Opened) -> None:
    hands = opened()
    assert [Seat(name).shown for name in ("material", "random")] == ["Piece counter", "Random moves"]
    assert Seat("material,quiescence=yes", title="material").brief == "Piece counter"
    hands.key("n")
    listed(hands)
    hands.click_row("rows", row_of(hands, "material"))
    assert hands.widget("details.name").text == "Piece counter"
    hands.key("p")
    assert hands.widget("strip1").name == "Piece counter"


def test_the_games_of_a_run_name_its_individuals(opened: Opened) -> None:
    hands = opened()
    path = Path("populations/crownhead-1/champions.pdn")
    hands.drop(path)
    hands.until(lambda: isinstance(hands.app.screen, GamesScreen) and hands.app.screen.index.rows)
    cells = [cell.text for cell in hands.widget("games").cells(0)]
    assert cells[1:3] == ["Generation 0 of crownhead-1", "Gen00_0010 of crownhead-1"]
    hands.key("return")
    assert [hands.widget(f"strip{side}").name for side in (0, 1)] == cells[1:3]
    run = LiveRun(path.parent)
    run.read_log()
    replay = Replay()
    replay.show(path.read_text(), run.title_in_game)
    assert replay.caption.startswith(" – ".join(cells[1:3]))
    assert titles_of(Path("elsewhere/champions.pdn"))("Gen00_0000", "") == "Gen00_0000"
    hands.app.go_home()  # closes the file


def test_the_browser_names_an_individual_as_games_do(opened: Opened) -> None:
    hands = opened(runs=Path("populations"))
    hands.app.open(BrowserScreen(hands.app, "crownhead-2"))
    hands.until(lambda: "one" in hands.keys and not hands.app.screen.browser.busy)
    hands.click_row("rows", 0)
    assert hands.widget("one").text == "Generation 6 of crownhead-2"
    own = hands.widget("told").text.partition(",")[0]
    hands.click_row("rows", 1)
    assert own.startswith("Gen0") and hands.widget("one").text.endswith(" of crownhead-2")
