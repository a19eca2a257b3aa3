"""The parts of the session screen: where they are, and what each shows."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any

from evolve.config.anchors import CHAIN, DEPTHS, RATINGS
from game.number_text import rate_text, span_text, whole_text, with_minus
from gui.geometry import Rect, Size
from gui.look.canvas import Canvas, Look
from gui.look.theme import CONTROL, GAP, HEADING, LARGE_CONTROL, ROOM, SMALL, TIGHT, TITLE
from gui.screens.play.game_parts import StatusText
from gui.screens.screen import below_header
from gui.screens.sessions.about_panel import about_panel
from gui.screens.sessions.learnt_panels import hall_columns, known_values, learnt_curves, numbers_table
from gui.screens.sessions.session_view import SessionView
from gui.sessions.generations import Generations
from gui.sessions.words import Shown, interval_text, rating_text
from gui.widgets.base import Label, Ui, Widget
from gui.widgets.board import Board, BoardMarks
from gui.widgets.button import Button, Segments, Slider, button
from gui.widgets.commands import Command, by_id
from gui.widgets.plot import Curve, Level, Plot
from gui.widgets.table import Cell, Column, Table
from gui.widgets.weight_map import WeightMap

TONES = {"plain": "normal"}
STARTING = Shown("Starting", "A process of its own gets ready; it goes on when this window is closed.", "play")


@dataclass(frozen=True)
class Layout:
    """Where everything is."""

    status: Rect
    counters: Rect
    steering: Rect
    large: Rect
    left: Rect
    right: Rect
    play: Rect
    slider: Rect
    newest: Rect
    caption: Rect
    players: Rect
    board: Rect
    actions: Rect
    layer: Rect
    kernels: Rect
    tabs: Rect
    table: Rect

    def parts(self) -> list[Rect]:
        """All of them."""
        return [getattr(self, field.name) for field in fields(self)]


def layout(size: Size, look: Look) -> Layout:
    """Session and curves on the left, the champion on the right, the generations below."""
    px = look.px
    area = below_header(size, look)
    main, strip = area.rows(None, px(LARGE_CONTROL), gap=px(GAP))
    left, right = main.columns(None, main.w * 44 // 100, gap=px(ROOM))
    status, counters, steering, large, below = left.rows(
        px(74), px(50), px(CONTROL), None, (left.h - px(190)) * 36 // 100, gap=px(GAP)
    )
    small, other = below.columns(None, None, gap=px(GAP))
    high = min(right.h * 44 // 100, right.w // 2 + px(92))  # the board is square, also where the window stands upright
    top, tabs, table = right.rows(high, px(32), None, gap=px(GAP))
    corner, weights = top.columns(min(max(high - px(62), px(190)), right.w // 2), None, gap=px(ROOM))
    caption, players, board, actions = corner.rows(px(22), px(16), None, px(CONTROL), gap=px(TIGHT))
    layer, kernels = weights.rows(px(22), None, gap=px(TIGHT))
    play, slider, newest = strip.columns(px(150), None, px(120), gap=px(ROOM))
    return Layout(
        status, counters, steering, large, small, other, play, slider, newest, caption, players,
        board, actions, layer, kernels, tabs, table,
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Counters(Widget):
    """Numbers with a word below each, side by side.

    Attributes:
        items: number and word.
    """

    items: Sequence[tuple[str, str]]

    def draw(self, canvas: Canvas, ui: Ui) -> None:
        """As wide as each needs; what is left is shared."""
        needed = [
            max(canvas.width(number, HEADING, bold=True, tabular=True), canvas.width(word, SMALL))
            for number, word in self.items
        ]
        share = max(self.rect.w - sum(needed), 0) // max(len(needed), 1)
        for (number, word), place in zip(self.items, self.rect.columns(*[w + share for w in needed]), strict=True):
            above, below = place.rows(None, canvas.px(18))
            canvas.text(number, above, size=HEADING, bold=True, tabular=True, may_cut=True)
            canvas.text(word, below, canvas.theme.muted, SMALL, may_cut=True)


def panels(screen: SessionView, size: Size, look: Look, play_row: Callable[[int], object]) -> list[Widget]:
    """Everything below the header."""
    at = layout(size, look)
    return [
        *_session(screen, at, look),
        *_curves(screen, at),
        *_champion(screen, at, look, play_row),
        *_generations(screen, at),
    ]


def _session(screen: SessionView, at: Layout, look: Look) -> list[Widget]:
    run = screen.followed
    shown = STARTING if screen.begins else run.describe(screen.now)
    text, icon, tone = shown.text, shown.icon, TONES.get(shown.tone, shown.tone)
    # That a session was killed or has failed is told by what it left, also where this window has not started it.
    failed = "" if run.going or run.state in ("interrupted", "failed") else screen.launched_trouble
    if failed or run.trouble:
        text, icon, tone = f"{failed or run.trouble} {text}", "warning", "warning"
    last = "" if run.last < 0 else f" / {run.last:,}"
    left = run.seconds_left
    what, count, rate = "games", run.games, run.games_a_second
    if screen.learns:
        what, count, rate = "samples", run.samples, run.samples_a_second
    counters = (
        (f"{screen.newest:,}{last}" if screen.newest >= 0 else f"–{last}", "generation"),
        (f"{count / 1e6:,.1f} M" if count >= 1e6 and screen.learns else f"{count:,}", what),
        (rate_text(rate), f"{what} a second"),
        (span_text(run.seconds), "time" if screen.learns else "time played"),
        ("–" if left is None else f"{span_text(left)}", "time left"),
    )
    found = by_id(screen.commands())
    steered = run.going or screen.begins
    names = ("pause", "stop-after", "stop") if steered else ("resume",)
    widgets: list[Widget] = [
        StatusText(key="status", rect=at.status, head=shown.head, text=text, icon=icon, tone=tone),
        Counters(key="counters", rect=at.counters, items=counters),
    ]
    *places, branch, like = (
        at.steering.columns(None, None, None, look.px(CONTROL), look.px(CONTROL), gap=look.px(GAP))
        if steered
        else at.steering.columns(None, None, None, gap=look.px(GAP))
    )
    widgets += [
        button(found["branch"], "do.branch", branch, icon_only=steered),
        button(found["like-this"], "do.like-this", like, icon_only=steered),
    ]
    for name, place in zip(names, places, strict=False):
        main = found[name].enabled and (name == "resume" or (name == "pause" and run.state == "paused"))
        widgets.append(button(found[name], f"do.{name}", place, kind="main" if main else "plain"))
    return widgets


def _curves(screen: SessionView, at: Layout) -> list[Widget]:
    """The measure of strength large, if the run has one; what a generation is like small below it."""
    there = screen.followed.generations
    rated = there.interval("rating")
    if screen.learns:
        return learnt_curves(screen, at, None if rated is None else partial(_rating, there, rated))
    points, diversity = partial(_points, there), partial(_column, there, "diversity", "Diversity", 2)
    large, *small = (
        [partial(_rating, there, rated), points, diversity]
        if rated is not None
        else [points, diversity, partial(_column, there, "distinct", "Distinct genomes", 3)]
    )
    places = zip((large, *small), (at.large, at.left, at.right), strict=True)
    return [make(rect=place, mark=screen.generation, pick=screen.pick) for make, place in places]


LEVELS = tuple(
    Level(RATINGS[name], f"piece count, depth {depth}" if depth else name)
    for name, depth in zip(CHAIN, (0, *DEPTHS), strict=True)
)
"""The fixed opponents of ratings, from weak to strong."""


def _rating(there: Generations, rated: tuple[list[float], list[float], list[float]], **same: Any) -> Plot:
    value, low, high = rated

    def made() -> tuple[Curve, ...]:
        sparse = any(map(math.isnan, value))
        return (Curve(known_values(value), 0, low=known_values(low), high=known_values(high), sparse=sparse),)

    def says(at: int) -> str:
        ends = interval_text(low[at], high[at])
        return f"Generation {at:,}: {rating_text(value[at], low[at])}" + (f" ({ends})" if ends else "")

    return Plot(
        key="rating", curves=there.kept("rating", made), title="Rating of the champion in Elo", says=says,
        levels=LEVELS,
        hint="With its 95 % interval (an arrow: above all measure). Click or ← → chooses a generation", **same,
    )  # fmt: skip


def _points(there: Generations, **same: Any) -> Plot:
    best, mean, worst = (there.column(f"{name}_points") for name in ("best", "mean", "worst"))

    def made() -> tuple[Curve, ...]:
        return Curve(known_values(best), 1, name="best"), Curve(
            known_values(mean), 0, low=known_values(worst), high=known_values(best), name="mean"
        )

    def says(at: int) -> str:
        middle = with_minus(f"{mean[at]:,.1f}")
        return f"{at:,}: best {whole_text(best[at])}, mean {middle}, worst {whole_text(worst[at])}"

    return Plot(
        key="points", curves=there.kept("points", made), title="Points", says=says,
        empty="The curve begins with the first complete generation.",
        hint="Won within a generation: they say nothing about strength. Click or ← → chooses a generation", **same,
    )  # fmt: skip


COLUMN_HINTS = {
    "diversity": "Root mean square distance between two genomes",
    "distinct": "How many different genomes there are. The log of this run has no ratings",
}


def _column(there: Generations, name: str, title: str, colour: int, **same: Any) -> Plot:
    values, distinct = there.column(name), there.column("distinct")
    curves = there.kept(name, lambda: (Curve(known_values(values), colour),))

    def says(at: int) -> str:
        if name == "distinct" or at >= len(distinct):
            return f"{at:,}: {values[at]:,.0f}"
        return f"{at:,}: {values[at]:,.3f}, {distinct[at]:,.0f} distinct"

    return Plot(
        key=name, curves=curves, low=0.0, title=title, says=says,
        hint=f"{COLUMN_HINTS[name]}. Click or ← → chooses a generation", **same,
    )  # fmt: skip


def _champion(screen: SessionView, at: Layout, look: Look, play_row: Callable[[int], object]) -> list[Widget]:
    there, found = screen.followed.generations, by_id(screen.commands())
    number = screen.generation
    name = there.champions[number] if number >= 0 else "No champion yet"
    pictures = there.pictures(number)
    layer = "Its tables" if pictures and pictures[0].title.startswith("men") else "Its first layer"
    board = screen.board
    actions = at.actions.columns(None, None, look.px(CONTROL), look.px(CONTROL), gap=look.px(GAP))
    widgets: list[Widget] = [
        Label(key="champion", rect=at.caption, text=name, size=TITLE, bold=True, icon="crown", may_cut=True),
        Label(
            key="players", rect=at.players, text=("On record: " if board is screen.replay else "") + board.caption,
            size=SMALL, colour=look.theme.muted, may_cut=True,
        ),
        Board(
            key="board", rect=at.board, pieces=board.pieces, numbers=False, enabled=False,
            marks=BoardMarks(last=board.last_move), hint=board.caption,
        ),
        _action(found["play"], actions[0], look),
        _action(found["watch"], actions[1], look),
        button(found["games"], "do.games", actions[2], icon_only=True),
        button(found["next-game"], "do.next-game", actions[3], icon_only=True),
        Label(key="layer", rect=at.layer, text=layer, size=TITLE, bold=True, may_cut=True),
        WeightMap(
            key="kernels", rect=at.kernels, pictures=pictures, hint="Point at a weight to see its value",
            empty="The champion's weights are shown here." if number < 0
            else "Reading the hall of fame…" if there.busy else "Its weights cannot be shown.",
        ),
    ]  # fmt: skip
    names = screen.tabs
    widgets.append(Segments(key="tabs", rect=at.tabs, names=names, chosen=screen.tab, pick=screen.show_tab, tabs=True))
    if screen.tab == len(names) - 1:
        widgets.append(_log(screen, at))
    elif screen.tab == len(names) - 2:
        widgets += about_panel(screen, at.table, look)
    elif screen.tab:
        widgets.append(numbers_table(screen, at.table))
    else:
        widgets.append(_hall(screen, at, look, play_row))
    return widgets


def _action(command: Command, rect: Rect, look: Look) -> Button:
    """A button with its name, or with its icon where the name has no room."""
    if rect.w < look.px(50):
        return button(command, f"do.{command.id}", rect, icon_only=True)
    return replace(button(command, f"do.{command.id}", rect), icon="")


def _hall(screen: SessionView, at: Layout, look: Look, play_row: Callable[[int], object]) -> Table:
    there, newest = screen.followed.generations, screen.newest
    rating = there.interval("rating")
    wide = at.table.w >= look.px(560 if screen.learns else 480)

    told = hall_columns(screen, wide=wide) if screen.learns else []

    def cells(row: int) -> Sequence[str | Cell]:
        number = newest - row
        points = there.points[number] if number < len(there.points) else math.nan
        shown = ["" if math.isnan(points) else whole_text(points)]
        if screen.learns:
            shown = [text(number) for _, text in told]
        cells: list[str | Cell] = [Cell(there.champions[number], icon="crown"), f"{number:,}", *shown]
        if rating is None:
            return cells
        value, low, high = (column[number] for column in rating)
        return [*cells, rating_text(value, low), *([interval_text(low, high)] if wide else [])]

    return Table(
        key="hall", rect=at.table, count=newest + 1, cells=cells, of=lambda row: newest - row,
        selected=newest - screen.generation,
        columns=(
            Column("Network" if screen.learns else "Champion"), Column("Gen.", 62, "right"),
            *([column for column, _ in told] if screen.learns else [Column("Points", 68, "right")]),
            *([] if rating is None else [Column("Rating", 72, "right")]),
            *([Column("95 % interval", 140, "right")] if rating is not None and wide else []),
        ),
        select=lambda row: screen.pick(newest - row), activate=play_row,
        hint="Enter or a double click plays it, W watches it",
        empty="The champion of every generation is kept here.",
    )  # fmt: skip


def _log(screen: SessionView, at: Layout) -> Table:
    lines = list(reversed(screen.followed.lines))
    theme = screen.app.look.theme

    def cells(row: int) -> Sequence[str | Cell]:
        parts = lines[row].split(maxsplit=4)
        if len(parts) < 5:
            return "", lines[row]
        bad = parts[2] in ("WARNING", "ERROR", "CRITICAL")
        said = parts[4].partition(": ")[2] or parts[4]
        return parts[1].partition(",")[0], Cell(said, theme.warning if bad else None, "warning" if bad else "")

    return Table(
        key="log", rect=at.table, columns=(Column("Time", 80), Column("Newest first")), count=len(lines), cells=cells,
        size=SMALL, empty="The session has logged nothing yet.",
    )  # fmt: skip


def _generations(screen: SessionView, at: Layout) -> list[Widget]:
    found = by_id(screen.commands())
    high = max(screen.newest, 0)
    return [
        button(found["move"], "do.move", at.play),
        Slider(
            key="slider", rect=at.slider, text="Generation", value=max(screen.generation, 0), low=0, high=max(high, 1),
            change=screen.pick, shown=f"{screen.generation:,} of {high:,}" if screen.newest >= 0 else "–",
            enabled=screen.newest >= 0, page=10, hint="Every part of this screen shows this generation",
        ),
        button(found["newest"], "do.newest", at.newest),
    ]  # fmt: skip
