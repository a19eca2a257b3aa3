"""The base of the screens that list individuals: runs and files, their generations, and a table."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from gui.events import Drop, Event
from gui.files import is_table
from gui.geometry import Rect, Size
from gui.individuals.browser import Browser
from gui.individuals.columns import column_of, default_columns
from gui.individuals.individual import ListedPlayer
from gui.key_table import with_keys
from gui.look.canvas import Look
from gui.look.theme import CONTROL, GAP, ROOM
from gui.runs.sources import Source
from gui.screens.individuals import panes
from gui.screens.individuals.columns import Columns
from gui.screens.screen import Screen, below_header
from gui.widgets.base import Command, Label, ProgressBar, Widget, by_id
from gui.widgets.button import Slider, button
from gui.widgets.field import Dropdown
from gui.widgets.table import Column, Table

if TYPE_CHECKING:
    from gui.app import App

STEP_SECONDS = 0.008
INDIVIDUALS = ("rows", "family")
"""Tables that do not change while the mouse moves over them, since a click may be about to follow."""

STILL_SECONDS = 2.0
"""Seconds without movement after which the mouse counts as at rest."""
TABLE, RUNS = "The table", "Runs"
"""Groups of commands."""

SORT = 122
"""Width of the name of the default order, in pixels of the design."""


class Listing(Screen):
    """A list of individuals, to browse or to choose an opponent from."""

    choosing: ClassVar[bool] = False

    def __init__(self, app: App, run: str = "", also: Source | None = None) -> None:
        super().__init__(app)
        services = app.services
        self.browser = Browser(
            services.library, services.background, services.writes, choosing=self.choosing, also=also
        )
        self.to_close.append(self.browser.close)
        self.columns: list[str] | None = None
        """The chosen columns; None for the default ones."""
        self.first = 0
        """Number of the first visible column after the name."""
        self._run = run
        self._fitting = 1
        self._shown: tuple[list[str], list[str] | None, list[str]] = ([], None, [])
        self.ui.focus = "runs"

    # Time ---------------------------------------------------------------------------------------------------------

    @property
    def pace(self) -> float:
        return 1 / 30 if self.browser.busy or self.app.frames == 0 else 0.5

    def tick(self, now: float, dt: float) -> bool:
        if self.app.frames == 0:
            return False
        browser = self.browser
        aiming = self.ui.hover in INDIVIDUALS and now - self.ui.moved < STILL_SECONDS
        held = aiming or bool(self.ui.opened) or self.app.screen is not self
        changed = browser.step(now, STEP_SECONDS, held=held)
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
        if isinstance(event, Drop) and is_table(Path(event.path)):
            self.open_csv(Path(event.path))
            return True
        return False

    def open_csv(self, path: Path) -> str:
        """Open a file; always return an empty string, since errors are displayed in the row of the file."""
        self.app.services.remember_players(path)
        self.browser.add_file(path)
        self.ui.focus = "rows"
        return ""

    def shown_columns(self) -> list[str]:
        available = self.browser.columns
        if self._shown[0] is available and self._shown[1] is self.columns:
            # There may be thousands of columns, and this runs every frame.
            return self._shown[2]
        wanted = self.columns if self.columns is not None else default_columns(of_many=self.browser.gathers)
        known = frozenset(available)
        columns = [name for name in wanted if name in known and name != "name"]
        if self.columns is None and len(columns) < 2:  # a file of names and weights
            columns += [name for name in available if name not in ("name", "star", "note", *columns)]
        self._shown = (available, self.columns, columns)
        return columns

    def show_columns(self, columns: list[str] | None) -> None:
        self.columns, self.first = columns, 0

    # To override --------------------------------------------------------------------------------------------------

    def activate_row(self, row: int) -> None:
        """Choose an individual of the table and act on it."""

    def pane(self, rect: Rect, look: Look) -> list[Widget]:
        return []

    # Commands -----------------------------------------------------------------------------------------------------

    def shared_commands(self) -> list[Command]:
        browser = self.browser
        return [
            Command(id="search", name="Search", keys=("/", "ctrl+f"), run=partial(self._lead, "search"),
                    about="Search for words, or conditions like points>=20", icon="search", group=TABLE),
            Command(id="columns", name="Columns", keys=("shift+l",), run=self._columns,
                    about="Choose the columns of the table", icon="columns", enabled=bool(browser.columns), group=TABLE,
                    why="The table is empty."),
            Command(id="sort", name="Sort", keys=("z",), run=self._sort_next,
                    about="Sort by the next column; after the last one, in the default order", group=TABLE),
            Command(id="sort-by", name="Sort by", keys=("shift+o",), run=self._open_sort,
                    about="Choose a column to sort by", group=TABLE),
            Command(id="reverse", name="Reverse the order", keys=("shift+z",), run=self._turn,
                    about="Put the largest or the smallest first", enabled=bool(browser.sorted_by[0]),
                    why=with_keys("The list is in the default order: {z|sort|Sort} sorts it."), group=TABLE),
            Command(id="columns-left", name="Columns left", keys=("left", "ctrl+left"),
                    run=partial(self._across, -1), about="Show earlier columns", group=TABLE),
            Command(id="columns-right", name="Columns right", keys=("right", "ctrl+right"),
                    run=partial(self._across, 1), about="Show later columns", group=TABLE),
            Command(id="runs", name="To the runs", keys=("1",), run=partial(self._lead, "runs"),
                    about="Move the focus to the runs", group=RUNS),
            Command(id="generations", name="To the generations", keys=("2",), run=partial(self._lead, "generations"),
                    about="Move the focus to the generations", group=RUNS),
            Command(id="individuals", name="To the individuals", keys=("3",), run=partial(self._lead, "rows"),
                    about="Move the focus to the individuals", group=RUNS),
            Command(id="previous", name="Previous generation", keys=("[",), run=partial(self._step, -1),
                    about="Go back one generation", icon="previous", enabled=browser.generation > 0, group=RUNS,
                    why="There is no earlier generation."),
            Command(id="next", name="Next generation", keys=("]",), run=partial(self._step, 1),
                    about="Go forward one generation", icon="next", enabled=-1 < browser.generation < browser.newest,
                    group=RUNS, why="There is no later generation."),
            Command(id="follow", name="Follow", keys=("ctrl+end",), run=self._follow,
                    about="Show new generations as they appear", chosen=browser.follow, group=RUNS),
            Command(id="open", name="Open a file", keys=("o", "ctrl+o"), run=self._open,
                    about="Open a CSV file of individuals", icon="open", group=RUNS),
            Command(id="remove", name="Remove the file", keys=("delete",), run=self._remove,
                    about="Remove the chosen file from the list", icon="delete", enabled=browser.removable is not None,
                    group=RUNS, why="Only files that you opened can be removed."),
        ]  # fmt: skip

    def _lead(self, key: str) -> None:
        self.ui.focus, self.ui.focus_shown = key, True

    def _columns(self) -> None:
        self.app.open(Columns(self.app, self.browser, self.shown_columns, self.show_columns))

    def _open_sort(self) -> None:
        self.ui.open("sort")

    def _sort(self, column: str) -> None:
        before, descending = self.browser.sorted_by
        down = column_of(column).largest_first
        if before != column:
            self.browser.sort(column, descending=down)
        elif descending == down:
            self.browser.sort(column, descending=not descending)
        else:
            self.browser.sort("")

    def _sort_next(self) -> None:
        """Sort by the next column; after the last one, in the default order."""
        names = ["", "name", *self.shown_columns()]
        by, _ = self.browser.sorted_by
        name = names[(names.index(by) + 1) % len(names)] if by in names else ""
        self._pick_sort(names, names.index(name))
        self.app.say(f"Sorted by: {column_of(name).title}" if name else "In the default order, best first")

    def _pick_sort(self, names: Sequence[str], number: int) -> None:
        self.browser.sort(names[number], descending=column_of(names[number]).largest_first)

    def _turn(self) -> None:
        by, descending = self.browser.sorted_by
        self.browser.sort(by, descending=not descending)

    def _across(self, step: int) -> None:
        self._to_column(self.first + step * max(self._fitting - 1, 1))

    def _shown_columns(self, count: int) -> str:
        """Return which of the columns are displayed, such as ``1 to 6 of 9``."""
        first, last = self.first + 1, min(self.first + self._fitting, count)
        return f"{first} to {last} of {count}" if last > first else f"{first} of {count}"

    def _to_column(self, first: int) -> None:
        self.first = min(max(first, 0), max(len(self.shown_columns()) - self._fitting, 0))

    def _step(self, step: int) -> None:
        self._choose_generation(self.browser.generation + step)

    def _follow(self) -> None:
        browser = self.browser
        browser.follow = not browser.follow
        if browser.follow:
            browser.choose_generation(browser.newest)

    def _open(self) -> None:
        from gui.screens.dialogs.files import Files

        self.app.open(Files.to_open(self.app, self._opened))

    def _opened(self, path: Path) -> str:
        if not is_table(path):
            return "Expected a CSV file of individuals."
        return self.open_csv(path)

    def _remove(self) -> None:
        path = self.browser.remove_file()
        if path is not None:
            self.app.services.forget_players(path)

    # Choosing ----------------------------------------------------------------------------------------------------

    def name_of(self, one: ListedPlayer) -> str:
        """Return the name of a player in lists of many files."""
        return one.brief

    def _choose_source(self, row: int) -> None:
        source = self.browser.sources[row]
        if self.browser.source is None or source.path != self.browser.source.path:
            self.browser.choose_source(source)
            self.first = 0

    def _choose_generation(self, generation: int) -> None:
        browser = self.browser
        if generation != browser.generation:
            browser.follow = browser.follow and generation == browser.newest
            browser.choose_generation(generation)

    def choose_row(self, row: int) -> None:
        self.browser.follow = False
        self.browser.choose_at(row)

    def _find(self, text: str) -> None:
        self.browser.search = text

    def _to_rows(self) -> None:
        self.ui.focus = "rows"
        if self.browser.chosen_at < 0:
            self.browser.choose_at(0)

    def escape(self) -> bool:
        if not self.browser.search:
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
        if self.choosing and area.w < px(760):  # the right side needs room
            lists, right = area.columns(None, px(256), gap=px(ROOM))
            left, middle = lists.rows(min(px(210), lists.h // 3), None, gap=px(GAP))
        else:
            needed = px(200) if self.choosing else max(px(230), panes.sources_width(self.browser, look))
            left, rest = area.columns(min(needed, area.w * 27 // 100), None, gap=px(ROOM))
            middle, right = rest.columns(None, min(px(340), area.w * 3 // 10), gap=px(ROOM))
        return [
            *self.header(size, look),
            *self._left(left, look),
            *self.middle(middle, look),
            *self.pane(right, look),
        ]

    def _left(self, rect: Rect, look: Look) -> list[Widget]:
        px, browser = look.px, self.browser
        source = browser.source
        if self.choosing and (source is None or not source.is_run):
            head, runs = rect.rows(px(24), None, gap=px(GAP))
            return [*self._runs_head(head, look), self._runs(runs, look)]
        head, runs, label, generations, foot = rect.rows(px(24), None, px(24), None, px(CONTROL), gap=px(GAP))
        first, newest = int(self.choosing), browser.newest
        previous, after, follow = foot.columns(px(CONTROL), px(CONTROL), None, gap=px(GAP))
        commands = by_id(self.commands())
        at = newest - browser.generation + first if browser.generation >= 0 else first - 1
        return [
            *self._runs_head(head, look),
            self._runs(runs, look),
            Label(key="generations.label", rect=label, text="Generations", bold=True),
            Table(
                key="generations", rect=generations, headed=False,
                columns=(Column("Gen.", 62, "right"), Column("Champion")),
                count=newest + 1 + first if newest >= 0 else 0,
                cells=lambda row: panes.generation_cells(browser, newest - row + first, look.theme),
                of=lambda row: newest - row + first if row >= first else -1, arranged=source and source.path,
                selected=at, select=lambda row: self._choose_generation(newest - row + first if row >= first else -1),
                empty="" if source is None else "A file without generations." if not source.is_run
                else source.trouble or "No generation is complete yet.",
            ),
            button(commands["previous"], "before", previous, icon_only=True),
            button(commands["next"], "after", after, icon_only=True),
            button(commands["follow"], "follow", follow),
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
        at = next((n for n, each in enumerate(browser.sources) if source and each.path == source.path), -1)
        brief = self.choosing or panes.are_states_brief(browser, look, rect.w)
        columns = [Column("Run")]
        if not self.choosing:
            columns.append(Column("State", panes.state_width(browser, look, brief=brief), "right"))
        empty = "Looking…" if browser.loading else browser.library.folder_trouble or with_keys(panes.NO_RUNS)
        return Table(
            key="runs", rect=rect, headed=False,
            columns=columns, count=len(browser.sources),
            cells=lambda row: panes.source_cells(browser, look.theme, brief, row)[: len(columns)],
            of=lambda row: browser.sources[row].path, selected=at,
            select=self._choose_source, empty=empty, hint=panes.source_hint(browser, source),
        )  # fmt: skip

    def tools(self) -> tuple[str, ...]:
        return ("columns", "open")

    def middle(self, rect: Rect, look: Look) -> list[Widget]:
        px, browser = look.px, self.browser
        listing = browser.listing
        top, body, across, foot = rect.rows(px(CONTROL), None, px(CONTROL), px(22), gap=px(GAP))
        sort_wide, narrow = max(min(px(170), top.w // 4), px(SORT)), top.w < px(560)
        tool_wide, gap = (px(CONTROL), px(4)) if narrow else (px(44), px(8))
        search, sort, *tools = top.columns(None, sort_wide, *[tool_wide] * len(self.tools()), gap=gap)
        commands = by_id(self.commands())
        shown = self.shown_columns()
        table_columns, visible = self._table_columns(body, look, shown)
        by, descending = browser.sorted_by
        names = ["", "name", *shown] if by in ("", "name", *shown) else ["", "name", *shown, by]
        trouble = "" if listing is None else listing.trouble
        wide = len(shown) > self._fitting
        widgets: list[Widget] = [
            self.search_field(
                search, browser.search, self._find, panes.searched(browser), enter=self._to_rows, wrong=bool(trouble),
                hint="Words and numbers of the list, or conditions like points>=20 origin=mutated w7<0",
            ),
            Dropdown(
                key="sort", rect=sort, chosen=names.index(by),
                names=[column_of(name).title if name else "Best first" for name in names],
                pick=partial(self._pick_sort, names), hint=commands["sort-by"].hint, enabled=listing is not None,
            ),
            *(button(commands[name], f"do.{name}", place, icon_only=True)
              for name, place in zip(self.tools(), tools, strict=True)),
            Table(
                key="rows", rect=body if wide else body.around(across), columns=table_columns,
                count=0 if listing is None else len(listing.rows),
                cells=lambda row: panes.row_cells(browser, row, visible, look.theme, self.name_of),
                of=browser.identify, arranged=browser.arranged,
                selected=browser.chosen_at, select=self.choose_row, activate=self.activate_row, sort=self._sort,
                sorted_by=by, descending=descending, empty=panes.why_empty(browser),
            ),
        ]  # fmt: skip
        if wide:
            widgets.append(
                Slider(
                    key="across",
                    rect=across,
                    text="Columns   ← →",
                    value=self.first,
                    low=0,
                    high=max(len(shown) - self._fitting, 1),
                    change=self._to_column,
                    page=max(self._fitting - 1, 1),
                    shown=self._shown_columns(len(shown)),
                )
            )
        if browser.sheet is not None and browser.sheet.busy:
            widgets.append(ProgressBar(key="progress", rect=foot, share=browser.sheet.share, text="Reading"))
        else:
            text, colour = trouble or panes.counted(browser), look.theme.danger if trouble else look.theme.muted
            icon = "warning" if trouble else ""
            widgets.append(Label(key="counted", rect=foot, text=text, colour=colour, icon=icon, may_cut=True))
        return widgets

    def _table_columns(self, rect: Rect, look: Look, shown: Sequence[str]) -> tuple[list[Column], list[str]]:
        """Return the column of names and as many other columns as fit, and the names of all these columns."""
        px = look.px
        name_width = 190 if self.browser.gathers else 140  # for "Blondie24 champion" with its icon, or "Gen840_0015"
        room = rect.w - px(name_width) - px(12)
        fits, used = 0, 0
        first = min(self.first, max(len(shown) - 1, 0))
        while first + fits < len(shown):
            wide = px(column_of(shown[first + fits]).width)
            if fits and used + wide > room:
                break
            used, fits = used + wide, fits + 1
        self._fitting = max(fits, 1)
        visible = list(shown[first : first + fits])
        columns = [Column("Name", None, sort="name")]
        for name in visible:
            one = column_of(name)
            columns.append(Column(one.title, one.width, one.align, sort=name))
        return columns, ["name", *visible]
