"""The list of all runs, in which they are searched, tagged, annotated, archived and deleted."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from game.number_text import count_text, size_text
from gui.geometry import Rect, Size
from gui.key_table import key_for, with_key, with_keys
from gui.look.canvas import Look
from gui.look.theme import BODY, CONTROL, GAP, ROOM, TIGHT, TITLE, Theme
from gui.runs.run_list import FILTERS, RunList
from gui.runs.session_state import ICONS
from gui.runs.sources import Source
from gui.screens.dialogs.dialog import Dialog
from gui.screens.screen import Screen, list_areas
from gui.screens.sessions.questions import ask_note, ask_tags
from gui.widgets.base import Command, Label, Panel, Widget, by_id
from gui.widgets.button import ButtonKind, Segments, button
from gui.widgets.table import Cell, ListColumn, ListOrder, Table

if TYPE_CHECKING:
    from gui.app import App

STEP_SECONDS = 0.006
PANE, LOW_PANE = 330, 250
"""Width of the pane of the selected run, and its height if it is below the list."""

NONE_YET = "No runs yet. Press Esc, then {g|evolve|New session} to begin one; it appears here at once."
NO_MATCH = "No run matches. Esc clears the search and the filter."
CHOOSE = "Choose a run first."
GOES_ON = "A session is running: stop it first."


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
        run = self.run
        chosen, why = run is not None, "" if run is not None else CHOOSE
        kept, back = self._why_kept(), run is not None and run.archived
        one, list_ = "The run", "The list"
        return [
            Command(id="run", name="Open", keys=("return", "o"), run=self._open, icon="evolution", enabled=chosen,
                    about="Open its page: progress, curves and champions", why=why, group=one),
            Command(id="tags", name="Tags", keys=(), run=self._tag, icon="tag", enabled=chosen, why=why, group=one,
                    about="Tag it with words to search for"),
            Command(id="note", name="Note", keys=(), run=self._write, icon="write", enabled=chosen, why=why,
                    about="Write a note about it", group=one),
            Command(id="archive", name="Restore" if back else "Archive", keys=(), icon="archive",
                    run=self._archive, enabled=chosen, why=why, group=one,
                    about="Hide it from lists, or list it again"),
            Command(id="delete", name="Delete", keys=("delete",), run=self._delete, icon="delete", enabled=not kept,
                    about="Delete it, after confirmation", why=kept, group=one),
            Command(id="search", name="Search", keys=("/", "ctrl+f"), run=self.to_search, icon="search",
                    about="Type into the search", group=list_),
            Command(id="filter", name="Filter", keys=(), run=self._next_filter, group=list_,
                    about="List current, running, archived or all runs"),
            Command(id="order", name="Order", keys=(), run=self._next_order, group=list_,
                    about="Order by the next column"),
        ]  # fmt: skip

    def _why_kept(self) -> str:
        """Return the reason why the run cannot be deleted now; empty if it can."""
        from evolve.run.runs import why_kept

        run = self.run
        return CHOOSE if run is None else why_kept(run.path) or (GOES_ON if run.live else "")

    def _open(self) -> None:
        if self.run is not None:
            from gui.screens.sessions.session import SessionScreen

            self.app.open(SessionScreen(self.app, self.run.path))

    def _tag(self) -> None:
        if self.run is not None:
            ask_tags(self.app, self.run.name, self.run.tags, partial(self.runs.notes.tag, self.run.path))

    def _write(self) -> None:
        if self.run is not None:
            ask_note(self.app, self.run.name, self.run.note, partial(self.runs.notes.write, self.run.path))

    def _archive(self) -> None:
        run = self.run
        assert run is not None
        self.runs.notes.archive(run.path, not run.archived)
        key = key_for("", "archive", "Restore")
        done = "restored." if run.archived else f"archived. To restore, press {key} in “Archived”."
        self.app.say(f"{run.name}: {done}")

    def _delete(self) -> None:
        """Ask for confirmation once the size is known."""
        run = self.run
        size = None if run is None else self.runs.size(run.path)
        self._asks = size is None
        if run is None or size is None:
            return
        holds = count_text(run.newest + 1, "generation") if run.newest >= 0 else "no complete generation"
        text = f"{holds}, {size_text(size)} in {run.path}. This cannot be undone; archiving only hides the run."
        # Enter does not delete: a run may have taken days.
        answers = (
            ("Delete", "ctrl+return", partial(self.runs.delete, run.path)), ("Keep", "escape", lambda: None)
        )  # fmt: skip
        self.app.open(Dialog(self.app, f"Delete {run.name}?", text, answers, "danger"))

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

    def escape(self) -> bool:
        """Clear search and filter."""
        runs = self.runs
        if not runs.words and runs.narrowed == FILTERS[0]:
            return False
        runs.words, runs.narrowed = "", FILTERS[0]
        self._find()
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
            self._count(at.foot, look),
        ]  # fmt: skip

    def _table(self, rect: Rect, look: Look) -> Table:
        runs, order, columns = self.runs, self._order, self._order.fitting(rect.w, look)
        return Table(
            key="runs", rect=rect, count=len(runs.shown), columns=columns,
            cells=lambda row: [column.cell(runs.shown[row], look.theme) for column in columns],
            of=lambda row: runs.shown[row].path, arranged=(runs.words, runs.narrowed),
            selected=next((row for row, run in enumerate(runs.shown) if run.path == self._path), -1),
            select=self._select, activate=lambda row: self._open(), sort=self._sort,
            sorted_by=order.by, descending=order.descending,
            empty=runs.trouble
            or ("Looking for runs…" if not runs.looked else NO_MATCH if runs.count else with_keys(NONE_YET)),
        )  # fmt: skip

    def _pane(self, rect: Rect, look: Look) -> list[Widget]:
        px, run, commands = look.px, self.run, by_id(self.commands())
        facts = "" if run is None else self._facts(run)
        lines = min(len(look.fonts.wrap(facts, rect.w, px(BODY))), 6)
        head, below, tags, note, *actions = rect.rows(
            px(24), lines * look.fonts.height(px(BODY)) + px(TIGHT), px(22), None, *[px(CONTROL)] * 3, gap=px(GAP)
        )
        written = "" if run is None else run.note or "No note."
        widgets: list[Widget] = [
            Label(key="name", rect=head, text="" if run is None else run.name, size=TITLE, bold=True, may_cut=True),
            Label(key="facts", rect=below, text=facts, colour=look.theme.muted, wrap=True, may_cut=True),
            Label(key="tagged", rect=tags, text=", ".join(run.tags) or "No tags." if run is not None else "",
                  icon="tag" if run is not None else "", may_cut=True),
            Label(key="noted", rect=note, text=written, icon="write" if written else "", wrap=True, may_cut=True),
        ]  # fmt: skip
        for names, row in zip((("run",), ("tags", "note"), ("archive", "delete")), actions, strict=True):
            for name, place in zip(names, row.columns(*[None] * len(names), gap=px(GAP)), strict=True):
                kind: ButtonKind = "main" if name == "run" else "plain"
                widgets.append(button(commands[name], f"do.{name}", place, kind=kind))
        return widgets

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

    def _count(self, rect: Rect, look: Look) -> Widget:
        shown, every = len(self.runs.shown), self.runs.count
        count = count_text(every, "run") if shown == every else f"{shown:,} of {count_text(every, 'run')}"
        return Label(key="count", rect=rect, text=count, colour=look.theme.muted, may_cut=True)
