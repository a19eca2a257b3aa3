"""The behaviour shared by all lists of the window: keys, wheel, clicks, search, order, resizing, Escape."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from gui.screens.play import games_of_file, kept_list
from gui.screens.screen import Screen
from gui.widgets.table import Cell, ListColumn, Scroll, Table
from tests.gui.hands import Hands, Opened
from tests.gui.kept_games_helpers import many

MANY = 40
"""Number of rows of a list, more than a page."""


def _games(hands: Hands, folder: Path) -> None:
    many(folder / "data", MANY)
    hands.key("a")


def _recorded(hands: Hands, folder: Path) -> None:
    text = '[Event "Game {}"]\n[Result "1-0"]\n1. 11-15 23-19 1-0\n\n'
    (folder / "some.pdn").write_text("".join(text.format(number) for number in range(MANY)))
    hands.drop(folder / "some.pdn")


def _ballots(hands: Hands, folder: Path) -> None:
    hands.key("n")
    rest(hands)
    hands.widget("begin").pick(2)


@dataclass(frozen=True)
class Listed:
    """A screen with a list.

    Attributes:
        open: makes the rows, and opens the screen.
        table: key of the list.
        some: a search that few rows match; empty if all rows are alike.
        search: key of the search field.
        always: whether the field always has the focus, so that Home, End and Escape do not reach the list.
    """

    open: Callable[[Hands, Path], None]
    table: str
    some: str = ""
    search: str = "search"
    always: bool = False


LISTS = {
    "games": Listed(_games, "games"),
    "recorded games": Listed(_recorded, "games", "12"),
    "ballots": Listed(_ballots, "matches", "wild", "words", always=True),
}


def rest(hands: Hands) -> None:
    hands.wait(0.3)
    hands.until(lambda: not _busy(hands.app.screen), 5.0)
    hands.wait(0.2)


def _busy(screen: Screen) -> bool:
    owners = (getattr(screen, name, None) for name in ("runs", "library"))
    index, kept = getattr(screen, "index", None), screen.app.services.kept
    return any(getattr(owner, "busy", False) for owner in owners) or not getattr(index or kept, "complete", True)


class ListHands:
    def __init__(self, hands: Hands, listed: Listed, folder: Path) -> None:
        self.hands, self.listed = hands, listed
        listed.open(hands, folder)
        rest(hands)
        self.screen = hands.app.screen

    @property
    def table(self) -> Table:
        result: Table = self.hands.widget(self.listed.table)
        return result

    @property
    def scroll(self) -> Scroll:
        result: Scroll = self.screen.ui.memory[self.listed.table]
        return result

    @property
    def chosen(self) -> tuple[str, ...]:
        return self.cells(self.table.selected)

    def cells(self, row: int) -> tuple[str, ...]:
        return tuple(cell if isinstance(cell, str) else cell.text for cell in self.table.cells(row))

    def in_sight(self) -> bool:
        top, height = self.table.selected * self.scroll.row, self.table.body(self.scroll).h
        return self.scroll.top <= top and top + self.scroll.row <= self.scroll.top + height

    def choose(self, row: int) -> None:
        self.table.select(row)
        self.hands.app.redraw()
        self.hands.wait(0.1)

    def key(self, *names: str) -> int:
        """Press keys, and return the row that is chosen afterwards."""
        self.hands.key(*names)
        self.hands.wait(0.05)
        return self.table.selected

    def search(self, text: str) -> None:
        self.hands.click(self.listed.search)
        self.hands.type(text)
        rest(self.hands)


@pytest.fixture(params=LISTS)
def listing(request: pytest.FixtureRequest, opened: Opened, tmp_path: Path) -> ListHands:
    return ListHands(opened(), LISTS[request.param], tmp_path)


def test_the_choice_follows_keys_and_stays_while_rows_move(listing: ListHands) -> None:
    last = listing.table.count - 1
    assert last >= MANY - 1
    listing.choose(0)
    assert [listing.key(name) for name in ("up", "down", "down", "up")] == [0, 1, 2, 1]
    page = listing.key("pagedown") - 1
    assert 3 < page < last and listing.in_sight()
    assert listing.key("pageup") == 1
    listing.choose(last)
    assert [listing.key(name) for name in ("down", "up", "pagedown")] == [last, last - 1, last] and listing.in_sight()
    if not listing.listed.always:
        assert [listing.key(name) for name in ("home", "end", "home")] == [0, last, 0]
    assert listing.hands.app.screen is listing.screen
    # The wheel scrolls without choosing.
    listing.choose(0)
    listing.hands.wheel(listing.listed.table, -3)
    assert listing.table.selected == 0 and listing.scroll.top > 0
    listing.hands.wheel(listing.listed.table, 3)
    assert listing.table.selected == 0 and listing.scroll.top == 0
    # The choice stays in a window of another size and in another order.
    listing.choose(7)
    chosen = listing.chosen
    listing.hands.resize((800, 600))
    listing.hands.wait(0.1)
    assert listing.table.selected == 7 and listing.in_sight()
    listing.hands.resize((1280, 800))
    listing.hands.wait(0.1)
    assert listing.chosen == chosen
    for column in [column.sort for column in listing.table.columns if column.sort][:2]:
        listing.table.sort(column)
        listing.hands.app.redraw()
        rest(listing.hands)
        assert listing.chosen == chosen


@pytest.mark.parametrize("by", ["mouse", "enter"])
def test_a_click_chooses_and_a_second_one_or_enter_opens(listing: ListHands, by: str) -> None:
    listing.choose(0)
    listing.hands.click_row(listing.listed.table, 2)
    assert listing.table.selected == 2 and listing.hands.app.screen is listing.screen
    listing.hands.click_row(listing.listed.table, 3, times=2) if by == "mouse" else listing.hands.key("return")
    listing.hands.wait(0.1)
    assert listing.hands.app.screen is not listing.screen


def test_a_search_chooses_nothing_else_and_is_reset(listing: ListHands) -> None:
    count = listing.table.count
    if some := listing.listed.some:
        listing.choose(count - 2)
        listing.search(some)
        assert -1 <= listing.table.selected < listing.table.count < count  # -1: the choice is not among them
        assert all(some.lower() in str(listing.cells(row)).lower() for row in range(listing.table.count))
    listing.search("Zq")
    assert listing.table.count == 0 and listing.table.empty.startswith("No ") and listing.table.selected == -1
    listing.hands.key("down", "return")
    assert listing.hands.app.screen is listing.screen
    if listing.listed.always:
        listing.hands.key("ctrl+a", "backspace")
    else:
        listing.hands.key("escape")
        assert listing.hands.app.screen is listing.screen
    rest(listing.hands)
    assert listing.table.count == count
    listing.hands.key("escape")
    assert listing.hands.app.screen is not listing.screen


def test_each_column_sorts_and_its_second_click_reverses(listing: ListHands) -> None:
    for column in [column.sort for column in listing.table.columns if column.sort]:
        orders = []
        for _ in range(2):
            table, scroll = listing.table, listing.scroll
            place = scroll.columns[[each.sort for each in table.columns].index(column)]
            listing.hands.click((place.x + place.w // 2, table.rect.y + scroll.head // 2))
            rest(listing.hands)
            assert listing.table.sorted_by == column
            orders.append([listing.cells(row) for row in range(listing.table.count)])
        at = [each.sort for each in listing.table.columns].index(column)
        assert sorted(map(str, orders[0])) == sorted(map(str, orders[1]))
        values = [[row[at] for row in order if row[at] not in ("", "–")] for order in orders]
        assert values[0] == values[1][::-1], column


PLIES = partial(ListColumn, "Plies", 70, "right", cell=lambda game, theme: Cell(f"{game.plies} plies"))
ADDED = {
    "games": (kept_list, "COLUMNS", PLIES(sort="plies", order=lambda game: game.plies)),
    "recorded games": (games_of_file, "RECORDED_COLUMNS", PLIES()),
}  # fmt: skip


@pytest.mark.addition(
    "column of a list in the window",
    "an entry in `COLUMNS` of `gui/screens/play/kept_list.py` or of `extras/individuals/screen.py`",
)
@pytest.mark.parametrize("name", ADDED)
def test_a_column_is_one_entry(name: str, opened: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is displayed and sortable."""
    module, columns, column = ADDED[name]
    monkeypatch.setattr(module, columns, (*getattr(module, columns), column))
    listing = ListHands(opened(), LISTS[name], tmp_path)
    listing.hands.resize((1900, 1000))

    def values() -> list[str]:
        at = [each.title for each in listing.table.columns].index(column.title)
        return [listing.cells(row)[at] for row in range(listing.table.count)]

    assert values()
    if column.sort:
        listing.table.sort(column.sort)
        listing.hands.app.redraw()
        rest(listing.hands)
        assert listing.table.sorted_by == column.sort and values() == sorted(values())
