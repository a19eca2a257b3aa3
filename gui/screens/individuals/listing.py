"""The base of the screens that list players: runs and files, their generations, and a table."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from gui.events import Drop, Event
from gui.files import has_players
from gui.geometry import Rect, Size
from gui.individuals.browser import Browser
from gui.individuals.columns import LIST_COLUMNS, visible_columns
from gui.individuals.individual import ListedPlayer
from gui.key_table import with_keys
from gui.look.canvas import Look
from gui.look.theme import CONTROL, GAP, ROOM
from gui.screens.individuals import panes
from gui.screens.screen import Screen, below_header
from gui.widgets.base import Command, Label, Widget, by_id
from gui.widgets.button import button
from gui.widgets.field import Dropdown
from gui.widgets.table import Column, Table

if TYPE_CHECKING:
    from gui.app import App

STEP_SECONDS = 0.008
TABLE, RUNS = "The table", "Runs"
"""Groups of commands."""

SORT = 122
"""Width of the name of the default order, in pixels of the design."""

NAME = 190
"""Width of names, such as "Blondie24 champion" with its icon, in pixels of the design."""


class Listing(Screen):
    """A list of players to choose from."""

    def __init__(self, app: App, run: str = "") -> None:
        super().__init__(app)
        self.browser = Browser(app.services.library)
        self._run = run

    # Time ---------------------------------------------------------------------------------------------------------

    @property
    def pace(self) -> float:
        return 1 / 30 if self.browser.busy or self.app.frames == 0 else 0.5

    def tick(self, now: float, dt: float) -> bool:
        if self.app.frames == 0:
            return False
        browser = self.browser
        changed = self.app.services.background.deliver()  # what extras have asked for
        changed = browser.step(now, STEP_SECONDS) or changed
        if self._run and not browser.loading:
            run, self._run = self._run, ""
            wanted = next((source for source in browser.sources if source.name == run), None)
            if wanted is not None:
                browser.choose_source(wanted)
        for text in browser.said:
            self.app.say(text, "warning")
        browser.said.clear()
        return changed

    def handle(self, event: Event) -> bool:
        if isinstance(event, Drop) and has_players(Path(event.path)):
            self.open_csv(Path(event.path))
            return True
        return False

    def open_csv(self, path: Path) -> str:
        """Open a file; always return an empty string, since errors are displayed in the row of the file."""
        self.app.services.remember_players(path)
        self.browser.add_file(path)
        self.ui.focus = "rows"
        return ""

    # To override --------------------------------------------------------------------------------------------------

    def activate_row(self, row: int) -> None:
        """Choose a player of the table and act on it."""

    def pane(self, rect: Rect, look: Look) -> list[Widget]:
        return []

    # Commands -----------------------------------------------------------------------------------------------------

    def shared_commands(self) -> list[Command]:
        return [
            Command(id="search", name="Search", keys=("/", "ctrl+f"), run=self._to_search,
                    about="Search for words, or conditions like points>=20", icon="search", group=TABLE),
            Command(id="sort", name="Sort", keys=(), run=self._sort_next,
                    about="Sort by the next column; after the last one, in the default order", group=TABLE),
            Command(id="open", name="Open a file", keys=("o", "ctrl+o"), run=self._open,
                    about="Open a file of players", icon="open", group=RUNS),
            Command(id="remove", name="Remove the file", keys=("delete",), run=self._remove,
                    about="Remove the chosen file from the list", icon="delete",
                    enabled=self.browser.removable is not None,
                    group=RUNS, why="Only files that you opened can be removed."),
        ]  # fmt: skip

    def _to_search(self) -> None:
        self.ui.focus, self.ui.focus_shown = "search", True

    def _sort(self, column: str) -> None:
        library, down = self.browser.library, LIST_COLUMNS[column].largest_first
        before, descending = library.sorted_by
        if before != column:
            library.sort(column, descending=down)
        elif descending == down:
            library.sort(column, descending=not descending)
        else:
            library.sort("")

    def _sort_next(self) -> None:
        """Sort by the next column; after the last one, in the default order."""
        names = ["", "name", *visible_columns()]
        name = names[(names.index(self.browser.library.sorted_by[0]) + 1) % len(names)]
        self._pick_sort(names, names.index(name))
        self.app.say(f"Sorted by: {LIST_COLUMNS[name].title}" if name else "In the default order, best first")

    def _pick_sort(self, names: Sequence[str], number: int) -> None:
        name = names[number]
        self.browser.library.sort(name, descending=bool(name) and LIST_COLUMNS[name].largest_first)

    def _open(self) -> None:
        from gui.screens.dialogs.files import Files

        self.app.open(Files.to_open(self.app, self._opened))

    def _opened(self, path: Path) -> str:
        if not has_players(path):
            return "Expected a file of players."
        return self.open_csv(path)

    def _remove(self) -> None:
        path = self.browser.remove_file()
        if path is not None:
            self.app.services.forget_players(path)

    # Choosing ----------------------------------------------------------------------------------------------------

    def name_of(self, one: ListedPlayer) -> str:
        """Return the name of a player in the table."""
        return one.brief

    def _choose_source(self, row: int) -> None:
        source = self.browser.sources[row]
        if self.browser.source is None or source.path != self.browser.source.path:
            self.browser.choose_source(source)

    def _choose_generation(self, generation: int) -> None:
        if generation != self.browser.generation:
            self.browser.choose_generation(generation)

    def choose_row(self, row: int) -> None:
        self.browser.choose_at(row)

    def _find(self, text: str) -> None:
        self.browser.library.search = text

    def _to_rows(self) -> None:
        self.ui.focus = "rows"
        if self.browser.chosen_at < 0:
            self.browser.choose_at(0)

    def escape(self) -> bool:
        if not self.browser.library.search:
            return False
        self._find("")
        self.ui.focus = "rows"
        return True

    # Widgets ------------------------------------------------------------------------------------------------------

    def area(self, size: Size, look: Look) -> Rect:
        return below_header(size, look)

    def view(self, size: Size, look: Look) -> list[Widget]:
        px = look.px
        area = self.area(size, look)
        if area.w < px(760):  # the right side needs room
            lists, right = area.columns(None, px(256), gap=px(ROOM))
            left, middle = lists.rows(min(px(210), lists.h // 3), None, gap=px(GAP))
        else:
            left, rest = area.columns(min(px(200), area.w * 27 // 100), None, gap=px(ROOM))
            middle, right = rest.columns(None, min(px(340), area.w * 3 // 10), gap=px(ROOM))
        return [
            *self.header(size, look),
            *self._left(left, look),
            *self.middle(middle, look),
            *self.pane(right, look),
        ]

    def _left(self, rect: Rect, look: Look) -> list[Widget]:
        px, browser = look.px, self.browser
        source, newest = browser.source, browser.newest
        if source is None or not source.is_run:
            head, runs = rect.rows(px(24), None, gap=px(GAP))
            return [*self._runs_head(head, look), self._runs(runs, look)]
        head, runs, label, generations = rect.rows(px(24), None, px(24), None, gap=px(GAP))

        def number(row: int) -> int:
            return newest - row + 1 if row else -1

        return [
            *self._runs_head(head, look),
            self._runs(runs, look),
            Label(key="generations.label", rect=label, text="Generations", bold=True),
            Table(
                key="generations", rect=generations, headed=False, columns=(Column("Generation"),),
                count=newest + 2 if newest >= 0 else 0, of=number, arranged=source.path,
                cells=lambda row: [panes.generation_cell(browser, number(row), look.theme)],
                selected=newest - browser.generation + 1 if browser.generation >= 0 else 0,
                select=lambda row: self._choose_generation(number(row)),
                empty=source.trouble or "No generation is complete yet.",
            ),
        ]  # fmt: skip

    def _runs_head(self, rect: Rect, look: Look) -> list[Widget]:
        """Return the heading of the runs, with a button that removes the chosen file, if one can be removed."""
        label, corner = rect.columns(None, rect.h, gap=look.px(GAP))
        removes = self.browser.removable is not None
        heading = Label(key="runs.label", rect=label if removes else rect, text="Runs and files", bold=True)
        if not removes:
            return [heading]
        return [heading, button(by_id(self.commands())["remove"], "do.remove", corner, kind="quiet", icon_only=True)]

    def _runs(self, rect: Rect, look: Look) -> Widget:
        browser = self.browser
        source = browser.source
        return Table(
            key="runs", rect=rect, headed=False, columns=(Column("Run"),), count=len(browser.sources),
            cells=lambda row: [panes.source_cell(browser, row, look.theme)],
            of=lambda row: browser.sources[row].path,
            selected=next((n for n, each in enumerate(browser.sources) if source and each.path == source.path), -1),
            select=self._choose_source,
            empty="Looking…" if browser.loading else browser.library.folder_trouble or with_keys(panes.NO_RUNS),
            hint="" if source is None else browser.trouble_of(source) or source.state,
        )  # fmt: skip

    def tools(self) -> tuple[str, ...]:
        return ("open",)

    def middle(self, rect: Rect, look: Look) -> list[Widget]:
        px, browser, library = look.px, self.browser, self.browser.library
        top, body, foot = rect.rows(px(CONTROL), None, px(22), gap=px(GAP))
        sort_wide, narrow = max(min(px(170), top.w // 4), px(SORT)), top.w < px(560)
        tool_wide, gap = (px(CONTROL), px(4)) if narrow else (px(44), px(8))
        commands = by_id(self.commands())
        names = [name for name in self.tools() if name in commands]
        search, sort, *places = top.columns(None, sort_wide, *[tool_wide] * len(names), gap=gap)
        shown = self._fitting(body, look)
        by, descending = library.sorted_by
        orders, trouble = ["", "name", *visible_columns()], library.trouble
        text, colour = trouble or panes.counted(browser), look.theme.danger if trouble else look.theme.muted
        return [
            self.search_field(
                search, library.search, self._find, panes.searched(browser), enter=self._to_rows, wrong=bool(trouble),
                hint="Words and numbers of the list, or conditions like points>=20 origin=mutated",
            ),
            Dropdown(
                key="sort", rect=sort, chosen=orders.index(by), hint=commands["sort"].hint,
                names=[LIST_COLUMNS[name].title if name else "Best first" for name in orders],
                pick=partial(self._pick_sort, orders),
            ),
            *(button(commands[name], f"do.{name}", place, icon_only=True)
              for name, place in zip(names, places, strict=True)),
            Table(
                key="rows", rect=body, count=len(library.rows), columns=[
                    Column("Name", None, sort="name"),
                    *(Column(LIST_COLUMNS[name].title, LIST_COLUMNS[name].width, LIST_COLUMNS[name].align, sort=name)
                      for name in shown),
                ],
                cells=lambda row: panes.row_cells(library, row, shown, look.theme, self.name_of),
                of=browser.identify, arranged=browser.arranged,
                selected=browser.chosen_at, select=self.choose_row, activate=self.activate_row, sort=self._sort,
                sorted_by=by, descending=descending, empty=panes.why_empty(browser),
            ),
            Label(key="counted", rect=foot, text=text, colour=colour, icon="warning" if trouble else "", may_cut=True),
        ]  # fmt: skip

    def _fitting(self, rect: Rect, look: Look) -> list[str]:
        """Return the columns that differ in the list, as many as fit beside the names."""
        source, room, shown = self.browser.source, rect.w - look.px(NAME + 12), list[str]()
        same = []
        if source is not None and source.scope is None:
            same = ["source"] if source.is_run and self.browser.generation < 0 else ["source", "generation"]
        for name in visible_columns():
            if name in same:
                continue
            room -= look.px(LIST_COLUMNS[name].width)
            if room < 0:
                break
            shown.append(name)
        return shown
