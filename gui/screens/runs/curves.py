"""Curves of many runs in one chart, by run or by setting, and the differences between their configurations."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from evolve.config.anchors import shown, shown_text
from game.errors import capital
from game.number_text import count_text, value_text
from gui.geometry import Rect, Size
from gui.look.canvas import Look
from gui.look.theme import CONTROL, GAP, ROOM, TIGHT
from gui.runs.comparing import ColumnCurves, Comparing, RunCurve
from gui.runs.session_state import interval_text
from gui.screens.screen import IDLE, Screen, below_header
from gui.widgets.base import Command, Label, Widget, by_id
from gui.widgets.button import Segments, Toggle, button
from gui.widgets.field import Dropdown
from gui.widgets.many_curves import ManyCurves, draw_sample
from gui.widgets.plot import Curve
from gui.widgets.table import Cell, Column, Table

if TYPE_CHECKING:
    from gui.app import App

PACE = 0.25
"""Seconds between looks at runs that may continue."""

FEW = 6
"""Maximum number of curves with visible intervals by default; the intervals of more curves would hide each other."""

KEY, VALUE, HEAD = 210, 112, 26
"""Widths of the columns of keys and values, and height of the line above them, in pixels of the design."""

READING = "Reading the runs…"
NO_VALUES = "No run has values in this column."
GROUPING = ("By run", "By setting")


def title_of(column: str) -> str:
    return capital(column.replace("_", " "))


class RunCurves(Screen):
    """A comparison of any number of runs."""

    title = "Compare runs"
    browses = True

    def __init__(self, app: App, runs: dict[str, Path]) -> None:
        super().__init__(app)
        self.comparing = Comparing(runs, app.services.background)
        self.to_close.append(self.comparing.close)
        self.title = f"Compare {count_text(len(runs), 'run')}"
        self.hidden: set[str] = set()
        self.intervals: bool | None = None
        self._mark = -1
        self._row = 0
        self._difference = 0
        self._first = 0
        self._fitting = 1
        self._made: tuple[ColumnCurves, frozenset[str], bool] | None = None
        self._curves: tuple[Curve, ...] = ()
        self.ui.focus = "legend"

    @property
    def pace(self) -> float:
        return 1 / 30 if self.comparing.busy else PACE if self.app.screen is self else IDLE

    def tick(self, now: float, dt: float) -> bool:
        return self.comparing.step(now)

    @property
    def lines(self) -> tuple[RunCurve, ...]:
        return self.comparing.lines.lines

    @property
    def shows_intervals(self) -> bool:
        return len(self.lines) <= FEW if self.intervals is None else self.intervals

    # Commands -----------------------------------------------------------------------------------------------------

    def commands(self) -> Sequence[Command]:
        comparing = self.comparing
        ready = bool(self.lines)
        legend, table = "The legend", "Differences"
        none = "" if ready else READING
        return [
            Command(id="curve", name="Next column", keys=("]",), run=partial(self._next_column, 1), icon="next",
                    about="Show the next column of the log", enabled=ready, why=none),
            Command(id="curve-before", name="Previous curve", keys=("[",), run=partial(self._next_column, -1),
                    about="Show the previous column of the log", enabled=ready, why=none),
            Command(id="column", name="Column", keys=("shift+l",), run=self._open_columns, enabled=ready, why=none,
                    about="Choose a column of the log"),
            Command(id="group", name="By setting", keys=("ctrl+g",), run=self._regroup, enabled=ready, why=none,
                    about="Show a curve for each run, or for each setting the mean over seeds with its 95 % interval",
                    chosen=comparing.grouped),
            Command(id="intervals", name="Intervals", keys=("ctrl+i",), run=self._toggle_intervals, enabled=ready,
                    why=none, about="Show 95 % intervals, or only the curves", chosen=self.shows_intervals),
            Command(id="hide", name="Hide or show", keys=("space",), run=partial(self._toggle, None), enabled=ready,
                    about="Hide or show the selected curve; a click in the legend does the same", why=none,
                    group=legend),
            Command(id="only", name="Only this", keys=("return",), run=self._only, enabled=ready, why=none,
                    about="Hide all but the selected curve, or show all again", group=legend),
            Command(id="earlier", name="Earlier", keys=("left",), run=partial(self._step, -1), enabled=ready, why=none,
                    about="Show the values of an earlier generation beside the names", group=legend),
            Command(id="later", name="Later", keys=("right",), run=partial(self._step, 1), enabled=ready, why=none,
                    about="Show the values of a later generation beside the names", group=legend),
            Command(id="previous", name="Columns left", keys=("ctrl+left",), run=partial(self._across, -1), group=table,
                    about="Show earlier columns of differences", icon="previous", enabled=self._first > 0,
                    why="These are the first columns."),
            Command(id="next", name="Columns right", keys=("ctrl+right",), run=partial(self._across, 1), group=table,
                    about="Show later columns of differences", icon="next", why="These are the last columns.",
                    enabled=self._first + self._fitting < len(self.lines)),
        ]  # fmt: skip

    def _next_column(self, step: int) -> None:
        columns = self.comparing.columns
        self._pick_column((columns.index(self.comparing.column) + step) % len(columns))

    def _pick_column(self, number: int) -> None:
        self.comparing.show(self.comparing.columns[number], grouped=self.comparing.grouped)

    def _open_columns(self) -> None:
        self.ui.open("column")

    def _regroup(self) -> None:
        self._group(int(not self.comparing.grouped))

    def _group(self, number: int) -> None:
        if bool(number) != self.comparing.grouped:
            self._row = self._first = 0
            self.comparing.show(self.comparing.column, grouped=bool(number))

    def _toggle_intervals(self) -> None:
        self.intervals = not self.shows_intervals

    def _toggle(self, row: int | None) -> None:
        row = self._row if row is None else row
        if row < len(self.lines):
            self.hidden ^= {self.lines[row].name}

    def _only(self) -> None:
        if self._row < len(self.lines):
            others = {line.name for line in self.lines} - {self.lines[self._row].name}
            self.hidden = set() if self.hidden & {line.name for line in self.lines} == others else others

    def _choose(self, row: int, column: int) -> None:
        self._row = row
        self._toggle(row)

    def _select(self, row: int) -> None:
        self._row = row

    def _select_difference(self, row: int) -> None:
        self._difference = row

    def _step(self, step: int) -> None:
        """Move the mark to the next generation, forward or back, at which a visible curve has a value."""
        places = sorted({at for curve in self._curves for at in curve.places})
        if not places:
            return
        if self._mark < 0:
            self._mark = places[-1]
        elif step < 0:
            self._mark = next((at for at in reversed(places) if at < self._mark), places[0])
        else:
            self._mark = next((at for at in places if at > self._mark), places[-1])

    def _pick(self, generation: int) -> None:
        self._mark = generation

    def _across(self, step: int) -> None:
        last = max(len(self.lines) - self._fitting, 0)
        self._first = min(max(self._first + step * max(self._fitting - 1, 1), 0), last)

    def escape(self) -> bool:
        """Remove the mark; without one, show all curves again."""
        if self._mark >= 0:
            self._mark = -1
        elif self.hidden:
            self.hidden = set()
        else:
            return False
        return True

    # Widgets ------------------------------------------------------------------------------------------------------

    def view(self, size: Size, look: Look) -> list[Widget]:
        px = look.px
        area = below_header(size, look)
        troubles = self.comparing.troubles
        top, body, *foot = area.rows(px(CONTROL), None, *[px(24)] * bool(troubles), gap=px(GAP))
        if area.w >= area.h:
            upper, differs = body.rows(None, body.h * 30 // 100, gap=px(ROOM))
            chart, legend = upper.columns(None, min(px(420), upper.w * 38 // 100), gap=px(ROOM))
        else:
            chart, legend, differs = body.rows(None, body.h * 24 // 100, body.h * 26 // 100, gap=px(ROOM))
        plot = self._plot(chart)
        return [
            *self.header(size, look),
            *self._switches(top, look),
            plot,
            self._legend(plot, legend, look),
            *self._differences(differs, look),
            *(
                Label(key="trouble", rect=place, text=" ".join(troubles), icon="warning", colour=look.theme.warning,
                      may_cut=True)
                for place in foot
            ),
        ]  # fmt: skip

    def _switches(self, rect: Rect, look: Look) -> list[Widget]:
        px, comparing, commands = look.px, self.comparing, by_id(self.commands())
        columns = comparing.columns
        column, group, toggle, _ = rect.columns(
            min(px(260), rect.w * 34 // 100), min(px(240), rect.w * 32 // 100), px(150), None, gap=px(ROOM)
        )
        return [
            Dropdown(
                key="column", rect=column, names=[title_of(name) for name in columns], pick=self._pick_column,
                chosen=columns.index(comparing.column) if comparing.column in columns else -1,
                enabled=bool(columns), hint=f"{commands['column'].hint}, {commands['curve'].hint}",
            ),
            Segments(
                key="group", rect=group, names=GROUPING, chosen=int(comparing.grouped), pick=self._group,
                hint=commands["group"].hint,
            ),
            Toggle(
                key="intervals", rect=toggle, text="Intervals", on=self.shows_intervals, run=self._toggle_intervals,
                shortcut=commands["intervals"].key, hint=commands["intervals"].hint,
            ),
        ]  # fmt: skip

    def _shown_curves(self) -> tuple[Curve, ...]:
        """Return the visible curves, rebuilt only when something has changed."""
        wanted = self.comparing.lines, frozenset(self.hidden), self.shows_intervals
        if self._made is None or self._made[0] is not wanted[0] or self._made[1:] != wanted[1:]:
            self._made = wanted
            self._curves = tuple(
                self._curve(number, line) for number, line in enumerate(self.lines) if line.name not in self.hidden
            )
        return self._curves

    def _curve(self, number: int, line: RunCurve) -> Curve:
        rates = self.comparing.lines.column == "rating"
        wanted = (line.values, *((line.low, line.high) if self.shows_intervals else (None, None)))
        values, low, high = (each and [shown(v) if rates and v is not None else v for v in each] for each in wanted)
        return Curve(values or (), number, low, high, sparse=line.sparse)

    def _plot(self, rect: Rect) -> ManyCurves:
        lines = self.comparing.lines
        unit = f" ({lines.unit})" if lines.unit and lines.column != "rating" else ""
        curves = self._shown_curves()
        hidden = "All curves are hidden. Click one in the legend to show it." if self.lines and not curves else ""
        return ManyCurves(
            key="curves", rect=rect, curves=curves, title=f"{title_of(lines.column)}{unit}" if lines.column else "",
            mark=self._mark, pick=self._pick, says=lambda at: f"Generation {at:,}",
            empty=hidden or (NO_VALUES if self.comparing.read and not self.comparing.busy else READING),
            hint="Values under the pointer appear beside the names. Click or press ← → to mark a generation, Esc to "
            "unmark it",
        )  # fmt: skip

    def _legend(self, plot: ManyCurves, rect: Rect, look: Look) -> Table:
        theme, at = look.theme, plot.x_at(self.ui)

        def cells(row: int) -> Sequence[str | Cell]:
            line = self.lines[row]
            on = line.name not in self.hidden
            colour = None if on else theme.muted
            name = line.name if line.count == 1 else f"{line.name} ({count_text(line.count, 'seed')})"
            value, low, high = line.at(line.newest if at is None else at)
            ends = _interval(self.comparing.lines.column, low, high)
            return [
                Cell("shown" if on else "hidden", draw=partial(draw_sample, row, on)),
                Cell(name, colour), Cell(_value(self.comparing.lines.column, value, low), colour),
                *([Cell(ends, theme.muted)] if wide else []),
            ]  # fmt: skip

        wide = rect.w >= look.px(400) and any(line.low is not None for line in self.lines)
        grouped = self.comparing.lines.grouped
        return Table(
            key="legend", rect=rect, count=len(self.lines), cells=cells, selected=self._row, select=self._select,
            choose=self._choose, activate=lambda row: self._only(),
            columns=(
                Column("", 46), Column("Setting" if grouped else "Run"),
                Column("Newest" if at is None else f"Gen. {at:,}", 84, "right"),
                *([Column("95 % interval", 140, "right")] if wide else []),
            ),
            hint="Click or press Space to hide or show a curve, Enter to show only this one",
            empty="" if self.comparing.troubles else READING,
        )  # fmt: skip

    def _differences(self, rect: Rect, look: Look) -> list[Widget]:
        """Return a row for each value that differs, with as many columns of runs or settings as fit."""
        px, lines, commands = look.px, self.comparing.lines, by_id(self.commands())
        rows, every = lines.differences, len(lines.lines)
        self._fitting = min(max((rect.w - px(KEY)) // px(VALUE), 1), max(every, 1))
        first = self._first = min(self._first, max(every - self._fitting, 0))
        shown = lines.lines[first : first + self._fitting]
        head, table = rect.rows(px(HEAD), None, gap=px(TIGHT))
        count = len(shown)
        label, place, left, right = head.columns(None, px(130), px(HEAD), px(HEAD), gap=px(TIGHT))
        some = count < every
        widgets: list[Widget] = [
            Label(key="differences.label", rect=label if some else head, text="Differences", bold=True, may_cut=True)
        ]
        if some:
            where = f"{first + 1:,} to {first + count:,} of {every:,}"
            widgets += [
                Label(key="differences.told", rect=place, text=where, colour=look.theme.muted, align="right"),
                button(commands["previous"], "do.previous", left, icon_only=True),
                button(commands["next"], "do.next", right, icon_only=True),
            ]

        def cells(row: int) -> Sequence[str | Cell]:
            name, values = rows[row]
            return [Cell(name, look.theme.muted), *values[first : first + count]]

        widgets.append(
            Table(
                key="differences", rect=table, count=len(rows), cells=cells,
                selected=min(self._difference, len(rows) - 1), select=self._select_difference,
                columns=(
                    Column("Value", KEY if shown else None), *(Column(line.name, may_cut=True) for line in shown)
                ),
                hint="Values of the configurations that differ",
                empty="The configurations are the same." if self.lines else "",
            )
        )  # fmt: skip
        return widgets


def _value(column: str, value: float | None, low: float | None) -> str:
    if value is None:
        return "–" if low is None else f"> {shown_text(low, brief=True)}"
    return shown_text(value, brief=True) if column == "rating" else value_text(value)


def _interval(column: str, low: float | None, high: float | None) -> str:
    ends = [float("nan") if end is None else end for end in (low, high)]
    if column == "rating" or low is None or high is None:
        return interval_text(*ends)
    return f"{value_text(low)} to {value_text(high)}"
