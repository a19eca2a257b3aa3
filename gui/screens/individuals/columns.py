"""The dialog for choosing table columns, searchable because there may be thousands, one per weight."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from gui.geometry import Rect, Size
from gui.individuals.browser import Browser
from gui.individuals.columns import column_of
from gui.key_table import with_keys
from gui.look.canvas import Look
from gui.look.theme import CONTROL, EDGE, GAP, TITLE
from gui.screens.screen import Screen
from gui.widgets.base import Command, Label, Panel, Widget, by_id
from gui.widgets.button import button
from gui.widgets.table import Cell, Column, Table

if TYPE_CHECKING:
    from gui.app import App


class Columns(Screen):
    """A list of all columns, each visible or hidden."""

    overlay = True
    title = "Columns"

    def __init__(
        self, app: App, browser: Browser, shown: Callable[[], list[str]], change: Callable[[list[str] | None], None]
    ) -> None:
        super().__init__(app)
        self._browser, self._shown, self._change = browser, shown, change
        self._search = ""
        self._row = 0
        self.ui.focus = "columns"

    @property
    def _names(self) -> list[str]:
        words = self._search.lower()
        return [name for name in self._browser.columns if name != "name" and words in _described(name).lower()]

    def commands(self) -> Sequence[Command]:
        return [
            Command(id="toggle", name="Show or hide", keys=("space",), run=self._toggle,
                    about="Show or hide the chosen column", icon="check"),
            Command(id="show-all", name="Show all", keys=("ctrl+a",), run=partial(self._all, True),
                    about="Show all columns listed here"),
            Command(id="hide-all", name="Hide all", keys=("ctrl+h",), run=partial(self._all, False),
                    about="Hide all columns listed here"),
            Command(id="usual", name="Default", keys=("ctrl+r",), run=self._usual, about="Show the default columns",
                    icon="rematch"),
            Command(id="search", name="Search", keys=("/", "ctrl+f"), run=self.to_search,
                    about="Move the focus to the search", icon="search"),
            Command(id="done", name="Done", keys=("escape",), run=self.app.back, about="Return to the table",
                    icon="back"),
        ]  # fmt: skip

    def _to_list(self) -> None:
        self.ui.focus = "columns"

    def _usual(self) -> None:
        self._change(None)

    def _toggle(self, row: int | None = None) -> None:
        names, at = self._names, self._row if row is None else row
        if 0 <= at < len(names):
            shown = set(self._shown()) ^ {names[at]}
            self._show(shown)

    def _all(self, on: bool) -> None:
        shown = set(self._shown())
        self._show(shown | set(self._names) if on else shown - set(self._names))

    def _show(self, shown: set[str]) -> None:
        self._change([name for name in self._browser.columns if name in shown])

    def _find(self, text: str) -> None:
        self._search, self._row = text, 0

    def _select(self, row: int) -> None:
        self._row = row

    def _click(self, row: int, column: int) -> None:
        self._row = row
        self._toggle(row)

    def view(self, size: Size, look: Look) -> list[Widget]:
        px = look.px
        card = Rect(0, 0, *size).centre_within(px(460), px(620))
        inner = card.inset(px(EDGE), px(EDGE))
        head, field, body, first, second = inner.rows(px(32), px(CONTROL), None, px(CONTROL), px(CONTROL), gap=px(GAP))
        names, shown = self._names, set(self._shown())
        commands = by_id(self.commands())

        def cells(row: int) -> Sequence[str | Cell]:
            on = names[row] in shown
            return Cell("", icon="check" if on else ""), Cell(_described(names[row]), None if on else look.theme.muted)

        widgets: list[Widget] = [
            Panel(key="card", rect=card, radius=12),
            Label(key="head", rect=head, text=f"Columns: {len(shown):,} visible", size=TITLE, bold=True),
            self.search_field(field, self._search, self._find, "Search columns", enter=self._to_list),
            Table(key="columns", rect=body, headed=False, columns=(Column("On", 40), Column("Column")),
                  count=len(names), cells=cells, selected=self._row, select=self._select, choose=self._click,
                  empty="No column matches. Search for something else.",
                  hint=with_keys("{space|toggle|Show or hide} shows or hides a column")),
        ]  # fmt: skip
        for ids, row in ((("toggle", "usual"), first), (("show-all", "hide-all", "done"), second)):
            for name, place in zip(ids, row.columns(*[None] * len(ids), gap=px(GAP)), strict=True):
                widgets.append(button(commands[name], f"do.{name}", place))
        return widgets


def _described(name: str) -> str:
    """Return the heading of a column; for a weight or step size, also its kind and number."""
    if name[1:].isdigit() and name[:1] in "ws":
        return f"{name}: {'weight' if name[0] == 'w' else 'step size'} {int(name[1:]):,}"
    return column_of(name).title
