"""The generation browser: runs and files, their generations, a table of individuals, and all that is known of one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from gui.events import Drop, Event
from gui.geometry import Rect, Size
from gui.individuals.browser import Browser, Individual
from gui.individuals.sheet import USUAL
from gui.look.canvas import Look
from gui.model.game import GameModel
from gui.screens import browser_panes as panes
from gui.screens.dialogs.dialog import Prompt
from gui.screens.play.beginning import begin
from gui.screens.screen import Screen, Window, below_header
from gui.widgets.base import Label, Widget
from gui.widgets.button import Slider, button
from gui.widgets.commands import Command, by_id
from gui.widgets.dropdown import Dropdown
from gui.widgets.field import Field
from gui.widgets.plot import Progress
from gui.widgets.table import Column, Table

STEP_SECONDS = 0.008
LISTS = ("runs", "generations", "rows", "family")
BEST_FIRST = ("games", "wins", "draws", "points", "generation", "star")
ROOMY = 96
"""Pixels of a column of numbers."""


class BrowserScreen(Screen):
    """Browse runs, generations and individuals.

    Args:
        run: name of the run to look at first; the newest one if empty.
    """

    title = "Generations"
    browses = True

    def __init__(self, app: Window, run: str = "") -> None:
        super().__init__(app)
        services = app.services
        self.browser = Browser(services.runs, services.library.files)
        self.columns: list[str] | None = None
        """Columns that the person chose; None for the usual ones."""
        self.first = 0
        """The first column that is shown after the name."""
        self.tab = 0
        self._run = run
        self._search = ""
        self._fitting = 1
        self._shown: tuple[list[str], list[str] | None, list[str]] = ([], None, [])
        self.ui.focus = "runs"

    # What is shown ------------------------------------------------------------------------------------------------

    @property
    def pace(self) -> float:
        """Often while something is read."""
        return 1 / 30 if self.browser.busy or self.app.frames == 0 else 0.5

    def tick(self, now: float, dt: float) -> bool:
        """Read on, and see what has changed."""
        if self.app.frames == 0:
            return False
        browser = self.browser
        held = self.ui.hover in LISTS or bool(self.ui.opened) or self.app.screen is not self
        changed = browser.step(now, STEP_SECONDS, held=held)
        if self._run and browser.sources:
            run, self._run = self._run, ""
            found = next((source for source in browser.sources if source.name == run), None)
            if found is not None:
                browser.choose_source(found)
        for text in browser.said:
            self.app.say(text, "warning")
        browser.said.clear()
        if browser.compared is not None:
            from gui.screens.browser_compare import RunsCompared

            comparison, browser.compared = browser.compared, None
            self.app.open(RunsCompared(self.app, comparison))
        return changed

    def closed(self) -> None:
        """Nothing is read any more."""
        self.browser.close()

    def handle(self, event: Event) -> bool:
        """A CSV file that is dropped here is looked at here."""
        if isinstance(event, Drop) and event.path.lower().endswith(".csv"):
            self.open_csv(Path(event.path))
            return True
        return False

    def open_csv(self, path: Path) -> str:
        """Look at a file; nothing can be wrong with it that its row does not say."""
        self.app.services.opened_players(path)
        self.app.services.library.add_file(path)
        self.browser.add_file(path)
        self.ui.focus = "rows"
        return ""

    def shown_columns(self) -> list[str]:
        """The columns after the name that the person can scroll through."""
        there = self.browser.columns
        if self._shown[0] is there and self._shown[1] is self.columns:  # thousands of columns, at each picture
            return self._shown[2]
        wanted = USUAL if self.columns is None else self.columns
        known = frozenset(there)
        found = [name for name in wanted if name in known and name != "name"]
        if self.columns is None and len(found) < 2:  # a file of names and weights
            found += [name for name in there if name not in ("name", "star", "note", *found)]
        self._shown = (there, self.columns, found)
        return found

    def show_columns(self, columns: list[str] | None) -> None:
        """Show other columns."""
        self.columns, self.first = columns, 0

    # Commands -----------------------------------------------------------------------------------------------------

    def commands(self) -> Sequence[Command]:
        """Everything that can be done here."""
        browser, one = self.browser, self.browser.individual
        playable = one is not None and bool(one.player)
        marked, source = browser.marked, browser.source
        run = source is not None and source.info is not None
        pair = playable and marked is not None and bool(marked.player)
        star = one is not None and browser.note(one.name)[0]
        player, table, runs = "The individual", "The table", "Runs"
        return [
            Command(id="play", name="Play", keys=("p",), run=self._play, about="Play against this individual",
                    icon="play", enabled=playable, group=player),
            Command(id="mark", name="Mark", keys=("m",), run=self._mark,
                    about="Remember it, to compare it with another one or to let both play", icon="flag",
                    enabled=one is not None,
                    chosen=one is not None and marked is not None and marked.title == one.title, group=player),
            Command(id="compare", name="Compare", keys=("x",), run=self._compare,
                    about="The marked individual beside this one, and their difference", icon="swap",
                    enabled=one is not None and marked is not None, group=player),
            Command(id="watch", name="Watch", keys=("w",), run=self._watch,
                    about="The marked individual (Black) plays this one (White)", icon="eye", enabled=pair,
                    group=player),
            Command(id="star", name="Star", keys=("t",), run=self._star, about="Give it a star, or take it away",
                    icon="star", enabled=run and one is not None, chosen=star, group=player),
            Command(id="note", name="Note", keys=("n",), run=self._note, about="Write a note about it", icon="file",
                    enabled=run and one is not None, group=player),
            Command(id="search", name="Search", keys=("/", "ctrl+f"), run=partial(self._lead, "search"),
                    about="Words, or conditions like points>=20", icon="search", group=table),
            Command(id="columns", name="Columns", keys=("c",), run=self._columns, about="Choose what the table shows",
                    icon="list", enabled=bool(browser.columns), group=table),
            Command(id="sort", name="Sort", keys=("s",), run=self._open_sort, about="By which column", group=table),
            Command(id="reverse", name="Turn the order", keys=("r",), run=self._turn,
                    about="Largest first or smallest first", group=table),
            Command(id="columns-left", name="Columns left", keys=("left",), run=partial(self._across, -1),
                    about="Earlier columns", group=table),
            Command(id="columns-right", name="Columns right", keys=("right",), run=partial(self._across, 1),
                    about="Further columns", group=table),
            Command(id="runs", name="To the runs", keys=("1",), run=partial(self._lead, "runs"),
                    about="Lead the keyboard to the runs", group=runs),
            Command(id="generations", name="To the generations", keys=("2",), run=partial(self._lead, "generations"),
                    about="Lead the keyboard there", group=runs),
            Command(id="individuals", name="To the individuals", keys=("3",), run=partial(self._lead, "rows"),
                    about="Lead the keyboard there", group=runs),
            Command(id="previous", name="Generation before", keys=("[",), run=partial(self._step, -1),
                    about="One generation back", icon="previous", enabled=browser.generation > 0, group=runs),
            Command(id="next", name="Generation after", keys=("]",), run=partial(self._step, 1),
                    about="One generation on", icon="next", enabled=browser.generation < browser.newest, group=runs),
            Command(id="follow", name="Follow", keys=("f",), run=self._follow,
                    about="Show new generations as they come", chosen=browser.follow, group=runs),
            Command(id="page", name="Next page", keys=("d",), run=self._next_tab,
                    about="Individual, ancestry, what the run's numbers mean", group=player),
            Command(id="mark-run", name="Mark run", keys=("shift+m",), run=self._mark_run,
                    about="Remember this run, to compare it with another one", icon="flag", enabled=run,
                    chosen=run and browser.marked_run is not None and source is not None
                    and browser.marked_run.path == source.path,
                    group=runs),
            Command(id="compare-runs", name="Compare runs", keys=("shift+x",), run=self._compare_runs,
                    about="What differs between the marked run and this", icon="swap",
                    enabled=run and browser.marked_run is not None, group=runs),
            Command(id="open", name="Open a file", keys=("o", "ctrl+o"), run=self._open,
                    about="A CSV file of individuals", icon="open", group=runs),
            Command(id="remove", name="Leave the file out", keys=("delete",), run=self._remove,
                    about="Take the chosen file out of the list", icon="close",
                    enabled=source is not None and source.info is None and not source.lies, group=runs),
        ]  # fmt: skip

    def _lead(self, key: str) -> None:
        self.ui.focus, self.ui.focus_shown = key, True

    def _play(self) -> None:
        one = self.browser.individual
        if one is None or not one.player:
            self.app.say("Choose somebody whose weights were kept.", "warning")
            return
        services = self.app.services
        services.change_settings(opponent=one.player, opponent_title=one.title)
        begin(self.app, services.seat(one.player, one.title), services.settings.colour)

    def _mark(self) -> None:
        self.browser.marked = self.browser.individual
        if self.browser.marked is not None:
            self.app.say(
                f"{self.browser.marked.name} is marked. Choose another one to compare (X) or watch (W).", "flag"
            )

    def _pair(self) -> tuple[Individual, Individual] | None:
        marked, one = self.browser.marked, self.browser.individual
        return None if marked is None or one is None else (marked, one)

    def _compare(self) -> None:
        from gui.screens.browser_compare import Compared

        pair = self._pair()
        if pair is not None:
            self.app.open(Compared(self.app, *pair))

    def _watch(self) -> None:
        pair = self._pair()
        if pair is not None:
            watch(self.app, *pair)

    def _star(self) -> None:
        self._tell(self.browser.toggle_star())

    def _note(self) -> None:
        one = self.browser.individual
        if one is not None:
            text = "Kept beside the run. An empty line takes it away."
            value = self.browser.note(one.name)[1]
            self.app.open(
                Prompt(self.app, f"Note on {one.name}", text, self.browser.set_note, value=value, take="Keep")
            )

    def _tell(self, trouble: str) -> None:
        self.app.say(trouble, "warning")

    def _columns(self) -> None:
        from gui.screens.browser_columns import Columns

        self.app.open(Columns(self.app, self))

    def _open_sort(self) -> None:
        self.ui.open("sort")

    def _sort(self, column: str) -> None:
        sheet = self.browser.sheet
        if sheet is None:
            return
        before, descending = sheet.sorted_by
        down = column in BEST_FIRST
        if before != column:
            sheet.sort(column, descending=down)
        elif descending == down:
            sheet.sort(column, descending=not descending)
        else:
            sheet.sort("")

    def _pick_sort(self, names: Sequence[str], number: int) -> None:
        sheet = self.browser.sheet
        if sheet is not None:
            name = names[number]
            sheet.sort(name, descending=name in BEST_FIRST)

    def _turn(self) -> None:
        sheet = self.browser.sheet
        if sheet is not None and sheet.sorted_by[0]:
            sheet.sort(sheet.sorted_by[0], descending=not sheet.sorted_by[1])

    def _across(self, step: int) -> None:
        self._to_column(self.first + step * max(self._fitting - 1, 1))

    def _to_column(self, first: int) -> None:
        self.first = min(max(first, 0), max(len(self.shown_columns()) - self._fitting, 0))

    def _step(self, step: int) -> None:
        self._choose_generation(self.browser.generation + step)

    def _follow(self) -> None:
        browser = self.browser
        browser.follow = not browser.follow
        if browser.follow:
            browser.choose_generation(browser.newest)

    def _next_tab(self) -> None:
        self.tab = (self.tab + 1) % len(panes.TABS)

    def set_tab(self, tab: int) -> None:
        """Show another page about the individual."""
        self.tab = tab

    def _mark_run(self) -> None:
        source = self.browser.source
        self.browser.marked_run = source
        if source is not None:
            self.app.say(f"{source.name} is marked. Choose another run to compare (Shift+X).", "flag")

    def _compare_runs(self) -> None:
        self._tell(self.browser.compare_runs())

    def _open(self) -> None:
        from gui.screens.dialogs.files import Files

        self.app.open(Files.to_open(self.app, self._opened))

    def _opened(self, path: Path) -> str:
        if path.suffix.lower() != ".csv":
            return "Expected a CSV file of individuals."
        return self.open_csv(path)

    def _remove(self) -> None:
        source = self.browser.source
        if source is not None and self.browser.remove_file():
            self.app.services.library.remove_file(source.path)

    # Choosing -----------------------------------------------------------------------------------------------------

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

    def _choose_row(self, row: int) -> None:
        sheet = self.browser.sheet
        if sheet is not None and 0 <= row < len(sheet.rows):
            self.browser.follow = False
            self.browser.choose(sheet.head(row).name)

    def _activate_row(self, row: int) -> None:
        self._choose_row(row)
        self._play()

    def _find(self, text: str) -> None:
        self._search = text
        if self.browser.sheet is not None:
            self.browser.sheet.search = text

    # The picture --------------------------------------------------------------------------------------------------

    def view(self, size: Size, look: Look) -> list[Widget]:
        """Runs and generations, the table, what is known of the chosen one."""
        px = look.px
        area = below_header(size, look)
        left, rest = area.columns(min(px(230), area.w // 4), None, gap=px(12))
        middle, right = rest.columns(None, min(px(340), area.w * 3 // 10), gap=px(12))
        return [
            *self.header(size, look),
            *self._left(left, look),
            *self._middle(middle, look),
            *panes.pane(self, right, look),
        ]

    def _left(self, rect: Rect, look: Look) -> list[Widget]:
        px, browser = look.px, self.browser
        head, runs, label, generations, foot = rect.rows(px(24), None, px(24), None, px(34), gap=px(6))
        source = browser.source
        newest = browser.newest
        at = next((n for n, each in enumerate(browser.sources) if source and each.path == source.path), -1)
        empty = "Looking…" if browser.loading or not browser.sources else ""
        if not browser.loading and not browser.sources:
            empty = browser.folder_trouble or panes.NO_RUNS
        waiting = "New ones wait: mouse off" if browser.waiting else ""
        previous, after, follow = foot.columns(px(34), px(34), None, gap=px(6))
        found = by_id(self.commands())
        return [
            Label(key="runs.label", rect=head, text="Runs and files", size=14, bold=True),
            Table(
                key="runs", rect=runs, headed=False, columns=(Column("Run"), Column("State", 96, "right")),
                count=len(browser.sources), cells=partial(panes.source_cells, browser, look.theme), selected=at,
                select=self._choose_source, empty=empty, size=13,
                hint=panes.source_hint(browser, source),
            ),
            Label(key="generations.label", rect=label, text=waiting or "Generations", size=14, bold=not waiting,
                  may_cut=bool(waiting), icon="info" if waiting else ""),
            Table(
                key="generations", rect=generations, headed=False,
                columns=(Column("Gen.", 62, "right"), Column("Champion")), count=newest + 1,
                cells=lambda row: panes.generation_cells(browser, newest - row, look.theme),
                selected=newest - browser.generation if browser.generation >= 0 else -1,
                select=lambda row: self._choose_generation(newest - row), size=13,
                empty="" if source is None else "A file on its own." if source.info is None
                else source.trouble or "No generation is complete yet.",
            ),
            button(found["previous"], "before", previous, icon_only=True),
            button(found["next"], "after", after, icon_only=True),
            button(found["follow"], "follow", follow, size=13),
        ]  # fmt: skip

    def _middle(self, rect: Rect, look: Look) -> list[Widget]:
        px, sheet = look.px, self.browser.sheet
        top, body, across, foot = rect.rows(px(36), None, px(38), px(22), gap=px(6))
        search, sort, columns, file = top.columns(None, min(px(170), top.w // 4), px(44), px(44), gap=px(8))
        found = by_id(self.commands())
        shown = self.shown_columns()
        table_columns, visible = self._table_columns(body, look, shown)
        by, descending = ("", False) if sheet is None else sheet.sorted_by
        names = ["", "name", *shown] if by in ("", "name", *shown) else ["", "name", *shown, by]
        trouble = "" if sheet is None else sheet.trouble
        wide = len(shown) > self._fitting
        widgets: list[Widget] = [
            Field(
                key="search", rect=search, value=self._search, change=self._find, icon="search",
                ghost="Search   /", enter=partial(self._lead, "rows"), wrong=bool(trouble),
                clipboard=self.app.services.clipboard, hint="Words; or conditions like points>=20 origin=mutated w7<0",
            ),
            Dropdown(
                key="sort", rect=sort, names=[name or "best first" for name in names], chosen=names.index(by),
                pick=partial(self._pick_sort, names), hint="How the table is sorted  (S)", enabled=sheet is not None,
            ),
            button(found["columns"], "columns", columns, icon_only=True),
            button(found["open"], "open", file, icon_only=True),
            Table(
                key="rows", rect=body if wide else body.around(across), columns=table_columns,
                count=0 if sheet is None else len(sheet.rows),
                cells=lambda row: panes.row_cells(self.browser, row, visible, look.theme),
                selected=-1 if sheet is None or not self.browser.name else sheet.row_of(self.browser.name),
                select=self._choose_row, activate=self._activate_row, sort=self._sort, sorted_by=by,
                descending=descending, empty=panes.why_empty(self.browser),
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
                    shown=f"{self.first + 1:,} to {min(self.first + self._fitting, len(shown)):,} of {len(shown):,}",
                )
            )
        if sheet is not None and sheet.busy:
            share = sheet.heads.share if not sheet.heads.complete else None
            widgets.append(Progress(key="progress", rect=foot, share=share, text="Reading"))
        else:
            text, colour = trouble or panes.counted(self.browser), look.theme.danger if trouble else look.theme.muted
            icon = "warning" if trouble else ""
            widgets.append(Label(key="counted", rect=foot, text=text, size=13, colour=colour, icon=icon, may_cut=True))
        return widgets

    def _table_columns(self, rect: Rect, look: Look, shown: Sequence[str]) -> tuple[list[Column], list[str]]:
        """The name, and as many columns as there is room for; and what these are."""
        px = look.px
        name = 140
        room = rect.w - px(name) - px(12)
        fits, used = 0, 0
        first = min(self.first, max(len(shown) - 1, 0))
        while first + fits < len(shown):
            wide = px(panes.width_of(shown[first + fits]))
            if fits and used + wide > room:
                break
            used, fits = used + wide, fits + 1
        self._fitting = max(fits, 1)
        visible = list(shown[first : first + fits])
        columns = [Column("Name", None, sort="name")]
        columns += [
            Column(panes.TITLES.get(each, each), panes.width_of(each), panes.align_of(each), sort=each)
            for each in visible
        ]
        return columns, ["name", *visible]


def watch(app: Window, first: Individual, second: Individual) -> None:
    """Let two individuals play each other."""
    if not first.player or not second.player:
        app.say("The weights of one of them were not kept.", "warning")
        return
    services = app.services
    seats = (services.seat(first.player, first.title), services.seat(second.player, second.title))
    app.open(app.screens.watching(GameModel(seats)))
