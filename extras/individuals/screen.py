"""The table of all individuals: runs and files, their generations, and a list to search and sort."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from extras.individuals import cells
from extras.individuals.browser import Browser
from extras.individuals.columns import LIST_COLUMNS, visible_columns
from extras.individuals.library import ALL, START, Library
from gui.geometry import Rect, Size
from gui.individuals.individual import ListedPlayer
from gui.look.canvas import Look
from gui.look.theme import CONTROL, EDGE, GAP, LARGE_CONTROL, ROOM
from gui.screens.entries import player_commands
from gui.screens.individuals.options import details
from gui.screens.screen import Screen, below_header
from gui.widgets.base import Command, Label, Panel, Widget, by_id
from gui.widgets.button import button
from gui.widgets.table import Column, Table

if TYPE_CHECKING:
    from gui.app import App

STEP_SECONDS = 0.008

NAME = 190
"""Width of names, such as "Blondie24 champion" with its icon, in pixels of the design."""


class IndividualsScreen(Screen):
    """The table of all individuals.

    Args:
        first: the run or file to begin with; None for all champions and other players.
        take: called with the player that is chosen, after the screen has closed.
    """

    title = "Table"
    browses = True

    def __init__(self, app: App, first: Path | None, take: Callable[[ListedPlayer], object]) -> None:
        super().__init__(app)
        self.browser = Browser(Library(app.services.sources), first)
        self._take = take
        self.ui.focus = "rows"

    @property
    def chosen(self) -> ListedPlayer | None:
        return self.browser.chosen

    # Time ---------------------------------------------------------------------------------------------------------

    @property
    def pace(self) -> float:
        return 1 / 30 if self.browser.busy or self.app.frames == 0 else 0.5

    def tick(self, now: float, dt: float) -> bool:
        if self.app.frames == 0:
            return False
        browser = self.browser
        self.app.services.background.deliver()
        changed = browser.step(now, STEP_SECONDS)
        for text in browser.said:
            self.app.say(text, "warning")
        browser.said.clear()
        return changed

    # Commands -----------------------------------------------------------------------------------------------------

    def commands(self) -> Sequence[Command]:
        chosen = self.chosen
        why = "Choose an individual first." if chosen is None else chosen.trouble
        return [
            Command(id="take", name="Choose", keys=("return",), run=self._choose, icon="check",
                    about="Take it as opponent", enabled=not why, why=why),
            *self._player_commands(),
            Command(id="search", name="Search", keys=("/", "ctrl+f"), run=self.to_search, icon="search",
                    about="Search for words, or conditions like points>=20"),
            Command(id="sort", name="Sort", keys=(), run=self._sort_next,
                    about="Sort by the next column; after the last one, in the default order"),
        ]  # fmt: skip

    def _choose(self) -> None:
        chosen = self.chosen
        if chosen is not None:
            self.app.back()
            self._take(chosen)

    def _player_commands(self) -> list[Command]:
        return player_commands(self.app, [] if self.chosen is None else [self.chosen], "Choose an individual first.")

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
        self.browser.library.sort(name, descending=bool(name) and LIST_COLUMNS[name].largest_first)
        self.app.say(f"Sorted by: {LIST_COLUMNS[name].title}" if name else "In the default order, best first")

    # Choosing ----------------------------------------------------------------------------------------------------

    def _choose_source(self, row: int) -> None:
        source = self.browser.sources[row]
        if self.browser.source is None or source.path != self.browser.source.path:
            self.browser.choose_source(source)

    def _choose_generation(self, generation: int) -> None:
        if generation != self.browser.generation:
            self.browser.choose_generation(generation)

    def activate_row(self, row: int) -> None:
        self.browser.choose_at(row)
        self.key("return")

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

    def view(self, size: Size, look: Look) -> list[Widget]:
        px = look.px
        area = below_header(size, look)
        if area.w < px(760):  # the right side needs room
            lists, right = area.columns(None, px(256), gap=px(ROOM))
            left, middle = lists.rows(min(px(210), lists.h // 3), None, gap=px(GAP))
        else:
            left, rest = area.columns(min(px(200), area.w * 27 // 100), None, gap=px(ROOM))
            middle, right = rest.columns(None, min(px(340), area.w * 3 // 10), gap=px(ROOM))
        return [
            *self.header(size, look),
            *self._left(left, look),
            *self._middle(middle, look),
            *self._pane(right, look),
        ]

    def _pane(self, rect: Rect, look: Look) -> list[Widget]:
        commands, chosen = by_id(self.commands()), self.chosen
        about, take = rect.inset(look.px(EDGE), look.px(ROOM)).rows(None, look.px(LARGE_CONTROL), gap=look.px(GAP))
        name = "" if chosen is None else chosen.brief
        return [
            Panel(key="panel", rect=rect),
            *details(chosen, name, "", about, look, self._player_commands()),
            button(commands["take"], "do.take", take, kind="main"),
        ]

    def _left(self, rect: Rect, look: Look) -> list[Widget]:
        px, browser = look.px, self.browser
        source, newest = browser.source, browser.newest

        def heading(place: Rect) -> Widget:
            return Label(key="runs.label", rect=place, text="Runs and files", bold=True)

        if source is None or not source.is_run:
            head, runs = rect.rows(px(24), None, gap=px(GAP))
            return [heading(head), self._runs(runs, look)]
        head, runs, label, generations = rect.rows(px(24), None, px(24), None, gap=px(GAP))

        def number(row: int) -> int:
            return newest - row + 1 if row else -1

        return [
            heading(head),
            self._runs(runs, look),
            Label(key="generations.label", rect=label, text="Generations", bold=True),
            Table(
                key="generations", rect=generations, headed=False, columns=(Column("Generation"),),
                count=newest + 2 if newest >= 0 else 0, of=number, arranged=source.path,
                cells=lambda row: [cells.generation_cell(number(row))],
                selected=newest - browser.generation + 1 if browser.generation >= 0 else 0,
                select=lambda row: self._choose_generation(number(row)),
                empty=source.trouble or "No generation is complete yet.",
            ),
        ]  # fmt: skip

    def _runs(self, rect: Rect, look: Look) -> Widget:
        browser = self.browser
        source = browser.source
        return Table(
            key="runs", rect=rect, headed=False, columns=(Column("Run"),), count=len(browser.sources),
            cells=lambda row: [cells.source_cell(browser, row, look.theme)],
            of=lambda row: browser.sources[row].path,
            selected=next((n for n, each in enumerate(browser.sources) if source and each.path == source.path), -1),
            select=self._choose_source,
            empty="Looking…" if browser.loading else browser.library.sources.trouble or cells.NO_RUNS,
            hint="" if source is None else source.trouble or source.state,
        )  # fmt: skip

    def _middle(self, rect: Rect, look: Look) -> list[Widget]:
        px, browser, library = look.px, self.browser, self.browser.library
        top, body, foot = rect.rows(px(CONTROL), None, px(22), gap=px(GAP))
        shown = self._fitting(body, look)
        by, descending = library.sorted_by
        trouble = library.trouble
        text, colour = trouble or cells.counted(browser), look.theme.danger if trouble else look.theme.muted
        return [
            self.search_field(
                top, library.search, self._find, cells.searched(browser), enter=self._to_rows, wrong=bool(trouble),
                hint="Words and numbers of the list, or conditions like points>=20 origin=mutated",
            ),
            Table(
                key="rows", rect=body, count=len(library.rows), columns=[
                    Column("Name", None, sort="name"),
                    *(Column(LIST_COLUMNS[name].title, LIST_COLUMNS[name].width, LIST_COLUMNS[name].align, sort=name)
                      for name in shown),
                ],
                cells=lambda row: cells.row_cells(library, row, shown, look.theme),
                of=browser.identify, arranged=library.arranged,
                selected=browser.chosen_at, select=browser.choose_at, activate=self.activate_row, sort=self._sort,
                sorted_by=by, descending=descending, empty=cells.why_empty(browser),
            ),
            Label(key="counted", rect=foot, text=text, colour=colour, icon="warning" if trouble else "", may_cut=True),
        ]  # fmt: skip

    def _fitting(self, rect: Rect, look: Look) -> list[str]:
        """Return the columns that differ in the list, as many as fit beside the names."""
        source, room, shown = self.browser.source, rect.w - look.px(NAME + 12), list[str]()
        same = []
        if source is not None and source not in (START, ALL):
            same = ["source"] if source.is_run and self.browser.generation < 0 else ["source", "generation"]
        for name in visible_columns():
            if name in same:
                continue
            room -= look.px(LIST_COLUMNS[name].width)
            if room < 0:
                break
            shown.append(name)
        return shown
