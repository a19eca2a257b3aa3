"""The table of individuals as a screen: runs, generations, order, search, and the choice of an opponent."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from extras.individuals.columns import LIST_COLUMNS, PlayerColumn
from extras.individuals.screen import IndividualsScreen
from gui.individuals.individual import ListedPlayer
from gui.screens.individuals.chooser import Chooser
from gui.screens.play.play import Play
from gui.screens.sessions.session import SessionScreen
from tests.gui import test_lists
from tests.gui.chooser_helpers import choose, listed
from tests.gui.hands import Hands, Opened
from tests.gui.test_lists import (
    Listed,
    ListHands,
    rest,
)
from tests.runs import make_run
from tests.synthetic import make_run as make_synthetic_run


def shown(hands: Hands) -> IndividualsScreen:
    """Return the open table once it has read everything."""
    screen = hands.app.screen
    assert isinstance(screen, IndividualsScreen)
    for _ in range(2):
        hands.until(lambda: not screen.browser.busy)
        hands.wait(0.6)
    return screen


def test_runs_generations_order_and_search(opened: Opened, tmp_path: Path) -> None:
    make_run(tmp_path / "runs", "alpha")
    hands = opened()
    hands.key("n", "3")
    listed(hands)
    hands.click("do.table")
    table = shown(hands)
    library = table.browser.library
    runs = hands.widget("runs")
    assert [runs.cells(row)[0].text for row in range(runs.count)] == ["Champions and others", "All", "alpha"]
    hands.click_row("runs", 1)
    shown(hands)
    assert len(library.rows) == 2 + 3 * 12
    hands.click_row("runs", 2)
    shown(hands)
    assert [row.name for row in library.rows] == [f"Gen0{n}_0000" for n in (2, 1, 0)]
    generations = hands.widget("generations")
    assert [generations.cells(row)[0].text for row in (1, 3)] == ["2", "0"] and generations.selected == 0
    hands.click_row("generations", 2)
    shown(hands)
    assert table.browser.generation == 1 and len(library.rows) == 12
    rows = hands.widget("rows")
    for x in (rows.rect.x + 30, rows.rect.right - 40):  # by name, then by points
        hands.click((x, rows.rect.y + 10))
    shown(hands)
    assert library.sorted_by == ("points", True)
    assert library.rows[0].rank == 12
    hands.click((rows.rect.right - 40, rows.rect.y + 10))
    assert library.sorted_by == ("points", False)
    hands.click((rows.rect.right - 40, rows.rect.y + 10))
    assert library.sorted_by[0] == ""
    hands.key("/")
    hands.type("rank>3")
    shown(hands)
    assert len(library.rows) == 9
    hands.key("return")
    one = table.chosen
    assert one is not None and one.player == f"alpha@1:{one.name}"
    hands.key("return")  # which takes it to the opponents, where it is chosen, and played
    assert listed(hands).chosen == one
    hands.key("p")
    assert isinstance(hands.app.screen, Play) and hands.app.screen.model.seats[1].player == one.player


def test_it_begins_with_the_chosen_run(opened: Opened, tmp_path: Path) -> None:
    make_run(tmp_path / "runs", "alpha")
    hands = opened()
    hands.key("n")
    choose(hands, "alpha")
    hands.key("a")
    table = shown(hands)
    assert table.browser.source is not None and table.browser.source.name == "alpha"
    hands.click_row("rows", 1)
    assert hands.widget("details.name").text == "Generation 1 of alpha"
    hands.key("<sort>")
    orders = [table.browser.library.sorted_by]
    for _ in range(10):
        hands.key("<sort>")
        orders.append(table.browser.library.sorted_by)
    assert [name for name, _ in orders] == [
        "name", "rating", "source", "generation", "rank", "games", "wins", "draws", "losses", "points", "",
    ]  # fmt: skip
    assert dict(orders)["points"] and not dict(orders)["name"]
    hands.key("escape")
    assert isinstance(hands.app.screen, Chooser)


def test_the_page_of_a_run_leads_to_its_individuals(opened: Opened, tmp_path: Path) -> None:
    run = make_run(tmp_path / "runs", "alpha")
    hands = opened()
    hands.app.open(SessionScreen(hands.app, run.path))
    hands.wait(0.5)
    hands.key("a")
    table = shown(hands)
    assert table.browser.source is not None and table.browser.source.name == "alpha"
    hands.click_row("rows", 2, times=2)
    chosen = listed(hands).chosen
    assert chosen is not None and chosen.player == "alpha@0"


def _open(hands: Hands, folder: Path) -> None:
    make_synthetic_run(folder / "runs", "alpha", 0)
    hands.app.open(SessionScreen(hands.app, folder / "runs" / "alpha"))
    hands.wait(0.5)
    hands.key("a")
    hands.until(lambda: not hands.app.screen.browser.busy)  # type: ignore[attr-defined]
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


def _wins_per_game(of: ListedPlayer) -> float | None:
    return of.results[1] / of.results[0] if of.results else None


def test_a_column_is_one_entry(opened: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is displayed, sortable and searchable."""
    monkeypatch.setitem(LIST_COLUMNS, "share", PlayerColumn("Share won", _wins_per_game, largest_first=True))
    listing = ListHands(opened(), Listed(_open, "rows"), tmp_path)
    listing.hands.resize((1900, 1000))

    def values() -> list[float]:
        at = [column.title for column in listing.table.columns].index("Share won")
        cells = [listing.cells(row)[at] for row in range(listing.table.count)]
        return [float(cell) for cell in cells if cell != "–"]

    listing.table.sort("share")
    listing.hands.app.redraw()
    rest(listing.hands)
    assert values() and values() == sorted(values(), reverse=True)
    listing.search("share>0.5")
    assert values() and min(values()) > 0.5
