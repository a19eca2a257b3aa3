"""The list of all runs, in which they are searched, marked, compared, tagged, annotated, archived and deleted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from game.number_text import count_text, size_text
from gui.geometry import Rect, Size
from gui.key_table import key_for, with_key, with_keys
from gui.look.canvas import Canvas, Look
from gui.look.theme import BODY, CONTROL, GAP, ROOM, SMALL, TIGHT, TITLE, UNIT, Theme
from gui.runs.run_list import FILTERS, RunList
from gui.runs.session_state import ICONS
from gui.runs.sources import Source
from gui.screens.dialogs.dialog import Dialog
from gui.screens.screen import Screen, list_areas
from gui.screens.sessions.questions import ask_note, ask_tags
from gui.widgets.base import Command, Label, Panel, Widget, by_id
from gui.widgets.button import Segments, button
from gui.widgets.table import Cell, Column, ListColumn, ListOrder, Table

if TYPE_CHECKING:
    from gui.app import App

STEP_SECONDS = 0.006
PANE, LOW_PANE = 330, 250
"""Width of the pane of the selected run, and its height if it is below the list."""

BUTTON = 150
"""Minimum width of a button in a row of three, in pixels of the design."""

NONE_YET = "No runs yet. Press Esc, then {g|evolve|Evolve} to start one; it appears here at once."
NO_MATCH = "No run matches. Esc clears the search and the filter."
CHOOSE = "Choose a run first."
ROWS = "{space|mark|Mark} marks a run, Enter opens its page"
MARK = "Mark two runs or more first ({space|mark|Mark})."
GOES_ON = "A session is running: stop it first."


def draw_tick(on: bool, canvas: Canvas, rect: Rect) -> None:
    side = canvas.px(4 * UNIT)
    theme, box = canvas.theme, rect.centre_within(side, side)
    canvas.box(box, theme.accent if on else theme.control, None if on else theme.control_line, UNIT)
    if on:
        canvas.icon("check", box, theme.on_accent, SMALL)


def _name_cell(run: Source, theme: Theme) -> Cell:
    icon = "archive" if run.archived else "warning" if run.trouble else "evolution"
    return Cell(run.name, theme.warning if run.trouble else None, icon)


def _state_cell(run: Source, theme: Theme) -> Cell:
    return Cell(run.state, theme.warning if run.trouble else theme.muted, ICONS.get(run.state, ""))


COLUMNS: tuple[ListColumn[Source], ...] = (
    ListColumn("Run", sort="name", cell=_name_cell, order=lambda run: run.name.lower()),
    ListColumn("Preset", 120, sort="preset", room=740, cell=lambda run, theme: Cell(run.preset, theme.muted),
               order=lambda run: run.preset),
    ListColumn("State", 122, sort="state", cell=_state_cell, order=lambda run: run.state),
    ListColumn("Gen.", 66, "right", sort="newest", largest_first=True, order=lambda run: run.newest,
               cell=lambda run, theme: Cell(f"{run.newest:,}" if run.newest >= 0 else "")),
    ListColumn("Tags", 120, sort="tags", room=640, cell=lambda run, theme: Cell(", ".join(run.tags), theme.muted),
               order=lambda run: (not run.tags, run.tags)),
    # Running sessions change constantly, so their order is kept.
    ListColumn("Changed", 116, "right", sort="changed", room=500, largest_first=True,
               cell=lambda run, theme: Cell(run.date, theme.muted),
               order=lambda run: (run.live, 0 if run.live else run.changed)),
)  # fmt: skip
"""Columns after the box that marks a run."""


def _name_of(runs: Sequence[Source]) -> str:
    return runs[0].name if len(runs) == 1 else count_text(len(runs), "run")


class RunsScreen(Screen):
    """The list of all runs, and a pane for the selected run."""

    title = "All runs"
    browses = True

    def __init__(self, app: App, path: Path | None = None) -> None:
        super().__init__(app)
        self._order = ListOrder(COLUMNS, "changed")
        services = app.services
        self.runs = RunList(services.library, services.background, services.writes, self._order.sort)
        self._path = path
        self._row = 0
        self._asks = False
        self.ui.focus = "runs"

    # Runs ---------------------------------------------------------------------------------------------------------

    @property
    def run(self) -> Source | None:
        return next((run for run in self.runs.shown if run.path == self._path), None)

    @property
    def pace(self) -> float:
        return 1 / 30 if self.runs.busy or self.app.frames == 0 else 0.5

    def on_open(self) -> None:
        self.app.services.library.look_soon()

    def tick(self, now: float, dt: float) -> bool:
        if self.app.frames == 0:
            return False
        changed = self.runs.step(now, STEP_SECONDS)
        self._settle()
        if self._asks and self.app.screen is self:
            self._delete()
        for text in self.runs.said:
            self.app.say(text, "warning")
        self.runs.said.clear()
        return changed

    def _settle(self) -> None:
        """Keep a run selected; if it is no longer in the list, select the run in its place."""
        shown = self.runs.shown
        row = next((row for row, run in enumerate(shown) if run.path == self._path), -1)
        if row < 0 and shown and self.runs.looked:
            row = min(self._row, len(shown) - 1)
            self._path = shown[row].path
        self._row = max(row, 0)
        if self.run is not None:
            self.runs.size(self.run.path)

    # Commands -----------------------------------------------------------------------------------------------------

    def commands(self) -> Sequence[Command]:
        run, marked = self.run, self.runs.chosen
        chosen, why = run is not None, "" if run is not None else CHOOSE
        kept = self._why_kept()
        about = self._meant
        back = bool(about) and all(run.archived for run in about)
        many = f" {len(marked)} runs" if len(marked) > 1 else ""
        one, list_ = "The run", "The list"
        return [
            Command(id="run", name="Open", keys=("return", "o"), run=self._open, icon="evolution", enabled=chosen,
                    about="Open its page: progress, curves and champions", why=why, group=one),
            Command(id="browse", name="Browse", keys=("shift+a",), run=self._browse, icon="table", enabled=chosen,
                    why=why, about="Browse its generations and individuals", group=one),
            Command(id="tags", name=f"Tag{many}" if many else "Tags", keys=("#",), run=self._tag, icon="tag",
                    enabled=bool(about), why=CHOOSE, group=one,
                    about="Tag the marked runs, or the selected one, with words to search for"),
            Command(id="note", name="Note", keys=("shift+t",), run=self._write, icon="write", enabled=chosen, why=why,
                    about="Write a note about it", group=one),
            Command(id="archive", name=f"Restore{many}" if back else f"Archive{many}", keys=("ctrl+h",), icon="archive",
                    run=partial(self._archive, about, not back), enabled=bool(about), why=CHOOSE, group=one,
                    about="Hide the marked runs, or the selected one, from lists; or list them again"),
            Command(id="delete", name=f"Delete{many}", keys=("delete",), run=self._delete, icon="delete",
                    enabled=not kept, about="Delete the marked runs, or the selected one, after confirmation", why=kept,
                    group=one),
            Command(id="compare-runs", name=f"Compare{many}", keys=("shift+x",), run=self._compare, icon="compare",
                    enabled=len(marked) > 1, about="Show curves of the marked runs in one chart, and their differences",
                    why=with_keys(MARK), group=list_),
            Command(id="mark", name="Mark", keys=("space", "m"), run=self._mark, icon="bookmark", enabled=chosen,
                    about="Mark or unmark the selected run", why=why, group=list_,
                    chosen=run is not None and run.path in self.runs.marked),
            Command(id="mark-all", name="Mark all", keys=("ctrl+a",), run=self.runs.mark_all, group=list_,
                    about="Mark or unmark all runs of the list", enabled=bool(self.runs.shown),
                    why="There are no runs in the list."),
            Command(id="search", name="Search", keys=("/", "ctrl+f"), run=self.to_search, icon="search",
                    about="Type into the search", group=list_),
            Command(id="filter", name="Filter", keys=(), run=self._next_filter, group=list_,
                    about="List current, running, archived or all runs"),
            Command(id="order", name="Order", keys=("z",), run=self._next_order, group=list_,
                    about="Order by the next column"),
        ]  # fmt: skip

    @property
    def _meant(self) -> list[Source]:
        """The runs that tags, archive and delete act on: the marked ones, or else the selected one."""
        return self.runs.chosen or ([self.run] if self.run is not None else [])

    def _why_kept(self) -> str:
        """Return the reason why the runs cannot be deleted now; empty if they can."""
        from evolve.run.runs import why_kept

        if not self._meant:
            return CHOOSE
        whys = (why_kept(run.path) or (GOES_ON if run.live else "") for run in self._meant)
        return next(filter(None, whys), "")

    def _open(self) -> None:
        if self.run is not None:
            from gui.screens.sessions.session import SessionScreen

            self.app.open(SessionScreen(self.app, self.run.path))

    def _browse(self) -> None:
        if self.run is not None:
            from gui.screens.individuals.browser import BrowserScreen

            self.app.open(BrowserScreen(self.app, self.run.name, self.run if self.run.unlisted else None))

    def _tag(self) -> None:
        """Ask for the tags that the runs have in common; each keeps its other tags."""
        runs = self._meant
        if not runs:
            return
        shared = [tag for tag in runs[0].tags if all(tag in run.tags for run in runs)]

        def keep(text: str) -> str:
            whys = [
                self.runs.notes.tag(run.path, ",".join([*(tag for tag in run.tags if tag not in shared), text]))
                for run in runs
            ]
            return next(filter(None, whys), "")

        ask_tags(self.app, _name_of(runs), shared, keep)

    def _write(self) -> None:
        if self.run is not None:
            ask_note(self.app, self.run.name, self.run.note, partial(self.runs.notes.write, self.run.path))

    def _archive(self, runs: Sequence[Source], archived: bool) -> None:
        self.runs.archive(runs, archived)
        self.runs.marked -= {run.path for run in runs}
        name = _name_of(runs)
        key = key_for("ctrl+h", "archive", "Restore")
        self.app.say(f"{name}: archived. To restore, press {key} in “Archived”." if archived else f"{name}: restored.")

    def _delete(self) -> None:
        """Ask for confirmation once the sizes are known."""
        runs = self._meant
        sizes = [self.runs.size(run.path) for run in runs]
        known = [size for size in sizes if size is not None]
        self._asks = len(known) < len(runs)
        if not runs or self._asks:
            return
        count = sum(run.newest + 1 for run in runs)
        holds = count_text(count, "generation") if count else "no complete generation"
        where = str(runs[0].path) if len(runs) == 1 else ", ".join(run.name for run in runs)
        text = f"{holds}, {size_text(sum(known))} in {where}. This cannot be undone; archiving only hides runs."
        # Enter does not delete: a run may have taken days.
        answers = (("Delete", "ctrl+return", partial(self._remove, runs)), ("Keep", "escape", lambda: None))
        self.app.open(Dialog(self.app, f"Delete {_name_of(runs)}?", text, answers, "danger"))

    def _remove(self, runs: Sequence[Source]) -> None:
        for run in runs:
            self.runs.delete(run.path)
            self.runs.marked.discard(run.path)

    def _mark(self) -> None:
        """Mark or unmark the selected run, then select the next one, as file managers do."""
        if self.run is not None:
            self.runs.toggle(self.run.path)
            self._select(min(self._row + 1, len(self.runs.shown) - 1))

    def _compare(self) -> None:
        from gui.screens.runs.curves import RunCurves

        self.app.open(RunCurves(self.app, {run.name: run.path for run in self.runs.chosen}))

    def _search(self, text: str) -> None:
        self.runs.words = text
        self._find()

    def _set_filter(self, number: int) -> None:
        self.runs.narrowed = FILTERS[number % len(FILTERS)]
        self._find()

    def _next_filter(self) -> None:
        self._set_filter(FILTERS.index(self.runs.narrowed) + 1)

    def _next_order(self) -> None:
        self._order.choose_next()
        self._find()

    def _sort(self, column: str) -> None:
        self._order.choose(column)
        self._find()

    def _find(self) -> None:
        self.runs.find()
        self._settle()

    def _select(self, row: int) -> None:
        self._path, self._row, self._asks = self.runs.shown[row].path, row, False
        self.runs.size(self._path)

    def _choose(self, row: int, column: int) -> None:
        """Select a row; a click on the box also marks it."""
        self._select(row)
        if column == 0:
            self.runs.toggle(self.runs.shown[row].path)

    def escape(self) -> bool:
        """Clear search and filter; if they are clear, the marks."""
        runs = self.runs
        if runs.words or runs.narrowed != FILTERS[0]:
            runs.words, runs.narrowed = "", FILTERS[0]
            self._find()
        elif runs.marked:
            runs.marked = set()
        else:
            return False
        self.ui.focus = "runs"
        return True

    # Widgets ------------------------------------------------------------------------------------------------------

    def view(self, size: Size, look: Look) -> list[Widget]:
        runs = self.runs
        at = list_areas(size, look, filter_width=440, pane_width=PANE, pane_height=LOW_PANE)
        return [
            *self.header(size, look),
            self.search_field(at.search, runs.words, self._search, "Search names, presets, tags"),
            Segments(
                key="filter", rect=at.filter, names=FILTERS, chosen=FILTERS.index(runs.narrowed), pick=self._set_filter,
                hint=with_key("The runs to list", key_for("", "filter")),
            ),
            self._table(at.list, look),
            Panel(key="pane", rect=at.pane),
            *self._pane(at.pane.inset(look.px(ROOM)), look),
            *self._foot(at.foot, look),
        ]  # fmt: skip

    def _table(self, rect: Rect, look: Look) -> Table:
        runs, order, columns = self.runs, self._order, self._order.fitting(rect.w, look)

        def cells(row: int) -> Sequence[str | Cell]:
            run = runs.shown[row]
            on = run.path in runs.marked
            name, *others = (column.cell(run, look.theme) for column in columns)
            return [Cell("marked" if on else "", draw=partial(draw_tick, on)), replace(name, bold=on), *others]

        return Table(
            key="runs", rect=rect, count=len(runs.shown), cells=cells, columns=(Column("", 44), *columns),
            of=lambda row: runs.shown[row].path, arranged=(runs.words, runs.narrowed),
            selected=next((row for row, run in enumerate(runs.shown) if run.path == self._path), -1),
            select=self._select, choose=self._choose, activate=lambda row: self._open(), sort=self._sort,
            sorted_by=order.by, descending=order.descending, hint=with_keys(ROWS),
            empty=runs.trouble
            or ("Looking for runs…" if not runs.looked else NO_MATCH if runs.count else with_keys(NONE_YET)),
        )  # fmt: skip

    def _pane(self, rect: Rect, look: Look) -> list[Widget]:
        px, run, commands = look.px, self.run, by_id(self.commands())
        facts = "" if run is None else self._facts(run)
        lines = min(len(look.fonts.wrap(facts, rect.w, px(BODY))), 6)
        across = 3 if rect.w >= px(3 * BUTTON) else 2
        names = ("run", "browse", "tags", "note", "archive", "delete")
        head, below, tags, note, actions = rect.rows(
            px(24), lines * look.fonts.height(px(BODY)) + px(TIGHT), px(22), None,
            px(CONTROL) * (len(names) // across) + px(GAP) * (len(names) // across - 1), gap=px(GAP),
        )  # fmt: skip
        written = "" if run is None else run.note or "No note."
        widgets: list[Widget] = [
            Label(key="name", rect=head, text="" if run is None else run.name, size=TITLE, bold=True, may_cut=True),
            Label(key="facts", rect=below, text=facts, colour=look.theme.muted, wrap=True, may_cut=True),
            Label(key="tagged", rect=tags, text=", ".join(run.tags) or "No tags." if run is not None else "",
                  icon="tag" if run is not None else "", may_cut=True),
            Label(key="noted", rect=note, text=written, icon="write" if written else "", wrap=True, may_cut=True),
        ]  # fmt: skip
        places = actions.grid(across, len(names) // across, px(GAP))
        return [
            *widgets,
            *(
                button(commands[name], f"do.{name}", place, kind="main" if name == "run" else "plain")
                for name, place in zip(names, places, strict=True)
            ),
        ]

    def _facts(self, run: Source) -> str:
        if run.trouble:
            return run.trouble
        size = self.runs.size(run.path)
        newest = run.newest
        words = (
            f"preset {run.preset}" if run.preset else "", f"seed {run.seed}" if run.seed else "", run.state,
            f"generation {newest:,}" if newest >= 0 else "no complete generation",
            "" if size is None else size_text(size), f"changed {run.date}", "archived" if run.archived else "",
        )  # fmt: skip
        return ", ".join(filter(None, words)) + "."

    def _foot(self, rect: Rect, look: Look) -> list[Widget]:
        px, runs, commands = look.px, self.runs, by_id(self.commands())
        text, mark, compare = rect.columns(None, px(150), px(190), gap=px(GAP))
        shown, every = len(runs.shown), runs.count
        count = count_text(every, "run") if shown == every else f"{shown:,} of {count_text(every, 'run')}"
        marked = f", {len(runs.marked):,} marked" if runs.marked else ""
        return [
            Label(key="count", rect=text, text=count + marked, colour=look.theme.muted, may_cut=True),
            button(commands["mark-all"], "do.mark-all", mark),
            button(commands["compare-runs"], "do.compare-runs", compare),
        ]
