"""The table of individuals as a screen: runs, generations, order, search, and the choice of an opponent."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from evolve.run.runs import SHIPPED_RUNS
from extras.individuals.screen import IndividualsScreen
from gui.screens.individuals.chooser import Chooser
from gui.screens.play.play import Play
from tests.gui import test_lists
from tests.gui.chooser_helpers import choose, listed
from tests.gui.hands import Hands, Opened
from tests.gui.test_lists import Listed, ListHands
from tests.runs import make_run
from tests.synthetic import make_run as make_synthetic_run


def shown(hands: Hands) -> IndividualsScreen:
    """Return the open table once it has read everything."""
    screen = hands.app.screen
    assert isinstance(screen, IndividualsScreen)
    for _ in range(2):
        hands.until(lambda: not screen.library.busy)
        hands.wait(0.6)
    return screen


def test_rows_have_the_shields_of_their_players(opened: Opened) -> None:
    hands = opened(runs=SHIPPED_RUNS)
    hands.app.open(IndividualsScreen(hands.app, SHIPPED_RUNS / "cowan-deep", print))
    shown(hands)
    for row, player in ((0, "cowan-deep"), (2, "cowan-deep@60:Gen60_0031")):
        hands.until(lambda row=row: None not in hands.widget("rows").cells(row)[0].emblems)
        assert hands.widget("rows").cells(row)[0].emblems == (hands.app.services.personas.emblem(player),)
        hands.click_row("generations", 1)  # from all champions to the newest generation
        shown(hands)


def test_runs_generations_order_and_search(opened: Opened, tmp_path: Path) -> None:
    make_run(tmp_path / "runs", "alpha")
    hands = opened()
    hands.key("n", "2")
    listed(hands)
    hands.click("do.table")
    table = shown(hands)
    runs, generations = hands.widget("runs"), hands.widget("generations")
    assert [runs.cells(row)[0].text for row in range(runs.count)] == ["alpha"] and runs.selected == 0
    assert [generations.cells(row)[0].text for row in (0, 1, 3)] == ["All champions", "2", "0"]
    assert generations.selected == 0 and names(hands) == [f"Generation {number} of alpha" for number in (2, 1, 0)]
    hands.click_row("generations", 2)
    shown(hands)
    assert len(names(hands)) == 12 and table.chosen is not None and table.chosen.rank == 1
    rows = hands.widget("rows")
    assert [column.title for column in rows.columns[:3]] == ["Name", "Rank", "Points"]  # none has a rating
    rows.sort("points")
    shown(hands)
    assert hands.widget("rows").sorted_by == "points" and names(hands)[0] == "Gen01_0011"
    hands.key("<order>", "/")
    hands.type("0003")
    assert names(hands) == []  # a part of a name; numbers are whole
    hands.key("ctrl+a")
    hands.type("gen01_0003")
    shown(hands)
    assert names(hands) == ["Gen01_0003"]
    hands.key("return")
    one = table.chosen
    assert one is not None and one.player == "alpha@1:Gen01_0003"
    hands.key("return")  # which takes it to the opponents, where it is chosen, and played
    assert listed(hands).chosen == one
    hands.key("p")
    assert isinstance(hands.app.screen, Play) and hands.app.screen.model.seats[1].player == one.player


def names(hands: Hands) -> list[str]:
    rows = hands.widget("rows")
    return [rows.cells(row)[0].text for row in range(rows.count)]


def test_a_game_of_the_chosen_one_is_played(opened: Opened) -> None:
    hands = opened(runs=SHIPPED_RUNS)
    screen = IndividualsScreen(hands.app, SHIPPED_RUNS / "cowan-deep", lambda player: None)
    hands.app.open(screen)
    hands.until(lambda: not screen.library.busy)
    screen.show(screen.library.source, 60)
    hands.until(lambda: screen.game.model is not None)
    assert screen.chosen is not None and screen.chosen.name in screen.game.caption
    hands.until(lambda: hands.widget("board").marks.last != ())
    screen._select(40)  # one without recorded games
    hands.wait(1.0)
    assert len(hands.widget("board").pieces) == 24 and not screen.game.count


def test_it_begins_with_the_chosen_run(opened: Opened, tmp_path: Path) -> None:
    make_run(tmp_path / "runs", "alpha")
    make_run(tmp_path / "runs", "beta")
    hands = opened()
    hands.key("n")
    choose(hands, "alpha")
    hands.key("a")
    table = shown(hands)
    assert table.library.source is not None and table.library.source.name == "alpha"
    hands.click_row("rows", 1)
    assert hands.widget("details.name").text == "Generation 1 of alpha"
    hands.key("escape")
    assert isinstance(hands.app.screen, Chooser)


def _open(hands: Hands, folder: Path) -> None:
    make_synthetic_run(folder / "runs", "alpha", 0)
    hands.app.open(IndividualsScreen(hands.app, folder / "runs" / "alpha", lambda player: None))
    hands.until(lambda: not hands.app.screen.library.busy)  # type: ignore[attr-defined]
    hands.click_row("generations", 1)
    hands.app.screen.ui.focus = "rows"


@pytest.fixture
def listing(opened: Opened, tmp_path: Path) -> ListHands:
    """Open the table, as a list like others."""
    return ListHands(opened(), Listed(_open, "rows", "Gen00_000"), tmp_path)


@pytest.mark.parametrize(
    "check",
    [
        test_lists.test_the_choice_follows_keys_and_stays_while_rows_move,
        partial(test_lists.test_a_click_chooses_and_a_second_one_or_enter_opens, by="mouse"),
        test_lists.test_a_search_chooses_nothing_else_and_is_reset,
        test_lists.test_each_column_sorts_and_its_second_click_reverses,
    ],
)
def test_the_table_behaves_as_other_lists(check: Callable[[ListHands], None], listing: ListHands) -> None:
    check(listing)
