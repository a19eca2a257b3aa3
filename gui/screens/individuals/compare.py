"""Comparisons of two individuals and of two runs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from game.networks.first_layer import Picture, difference, scale_of
from game.number_text import value_text
from gui.geometry import Rect, Size
from gui.individuals.columns import value_of
from gui.individuals.individual import ListedPlayer, Portrait
from gui.individuals.reading import RunComparison
from gui.look.canvas import Look
from gui.look.theme import CONTROL, GAP, ROOM, TIGHT
from gui.model.game import GameModel
from gui.screens.screen import Screen, below_header
from gui.widgets.base import Command, Label, Panel, Widget, by_id
from gui.widgets.button import button
from gui.widgets.table import Cell, Column, Table
from gui.widgets.weight_map import FOOT, WeightMap, places

if TYPE_CHECKING:
    from gui.app import App

MOST_WEIGHTS = 200
"""Maximum number of listed weights; the list has the weights that differ most."""

FACTS = ("rank", "origin", "generation")
FEW = 2
"""Maximum number of parents that are listed by name; of more, only their number is listed."""
LEAST_FACTS = 520
"""Minimum width of the list, in pixels of the design."""
RESULT_NAMES = {
    "best_points": "most points", "mean_points": "mean points", "worst_points": "fewest points",
    "distinct": "different genomes",
}  # fmt: skip
RESULTS = ("games", "won", "drawn", "lost", "points")


def rows_of(first: Portrait, second: Portrait) -> list[tuple[str, str, str, str]]:
    """Return rows of name, both values and difference: facts, results, and the weights that differ most."""
    rows: list[tuple[str, str, str, str]] = []
    for name in FACTS:
        a, b = (value_of(portrait.individual, name) for portrait in (first, second))
        rows.append((name, _text(a), _text(b), ""))
    parents = [portrait.individual.parents for portrait in (first, second)]
    if all(len(names) <= FEW for names in parents):
        for at in range(max(map(len, parents))):
            a, b = (names[at] if at < len(names) else "–" for names in parents)
            rows.append((f"parent {at + 1}", a, b, ""))
    else:
        rows.append(("parents", f"{len(parents[0]):,}", f"{len(parents[1]):,}", ""))
    for at, name in enumerate(RESULTS):
        results = first.individual.results, second.individual.results
        x, y = (None if counts is None else counts[at] for counts in results)
        rows.append((name, _text(x), _text(y), value_text(y - x) if x is not None and y is not None else ""))
    if first.weights and len(first.weights) == len(second.weights):
        import numpy as np

        changes = np.subtract(second.weights, first.weights)
        differences = changes.tolist()
        rows.append(("distance", "", "", value_text(math.hypot(*differences))))
        for at in np.argsort(-np.abs(changes), kind="stable")[:MOST_WEIGHTS].tolist():
            if differences[at]:
                values = first.weights[at], second.weights[at], differences[at]
                rows.append((f"w{at}", value_text(values[0]), value_text(values[1]), value_text(values[2])))
    return rows


class Compared(Screen):
    """Two individuals: results, weights, pictures, and their differences."""

    title = "Two individuals"
    browses = True

    def __init__(self, app: App, first: Portrait, second: Portrait) -> None:
        super().__init__(app)
        self.first, self.second = first, second
        self._rows = rows_of(first, second)
        self._pictures = [first.pictures, second.pictures, difference(first.pictures, second.pictures)]
        self._row = 0
        self.ui.focus = "facts"

    def commands(self) -> Sequence[Command]:
        ready = bool(self.first.individual.player and self.second.individual.player)
        return [
            Command(id="watch", name="Watch", keys=("shift+w",), run=self._watch,
                    about="Watch the first (Black) play the second (White)", icon="eye", enabled=ready,
                    why="The weights of one of them were not kept."),
            Command(id="swap", name="Swap", keys=("x",), run=self._swap, about="Exchange the two", icon="swap"),
        ]  # fmt: skip

    def _watch(self) -> None:
        watch(self.app, self.first.individual, self.second.individual)

    def _swap(self) -> None:
        self.app.replace(Compared(self.app, self.second, self.first))

    def _select(self, row: int) -> None:
        self._row = row

    def view(self, size: Size, look: Look) -> list[Widget]:
        px, theme = look.px, look.theme
        area = below_header(size, look)
        left, right = area.columns(max(area.w // 2, px(LEAST_FACTS)), None, gap=px(ROOM))
        body, row = left.rows(None, px(CONTROL), gap=px(GAP))
        commands = by_id(self.commands())
        names = ("watch", "swap")
        rooms = row.columns(None, None, gap=px(GAP))
        buttons = [button(commands[name], f"do.{name}", place) for name, place in zip(names, rooms, strict=True)]

        def cells(number: int) -> Sequence[str | Cell]:
            name, a, b, change = self._rows[number]
            return Cell(name, theme.muted), a, b, Cell(change, bold=True)

        columns = (
            Column("", 110), Column(self.first.individual.name, None, "right", may_cut=True),
            Column(self.second.individual.name, None, "right", may_cut=True),
            Column("Difference", 110, "right"),
        )  # fmt: skip
        widgets: list[Widget] = [
            *self.header(size, look),
            Table(key="facts", rect=body, columns=columns, count=len(self._rows), cells=cells, selected=self._row,
                  select=self._select),
            *buttons,
            Panel(key="panel", rect=right),
        ]  # fmt: skip
        titles = self.first.individual.brief, self.second.individual.brief, "Second minus first"
        shared = scale_of(*self._pictures[:2])
        head_and_foot = px(22) + px(2) + px(FOOT)
        rooms = _rooms(right.inset(px(ROOM), px(ROOM)), self._pictures, px(10), head_and_foot)
        for number, (title, pictures, place) in enumerate(zip(titles, self._pictures, rooms, strict=True)):
            head, picture = place.rows(px(22), None, gap=px(TIGHT))
            empty = "Their networks differ." if number == 2 else "Its weights were not kept."
            widgets += [
                Label(key=f"title{number}", rect=head, text=title, bold=True, may_cut=True),
                WeightMap(key=f"kernels{number}", rect=picture, pictures=pictures, empty=empty,
                        scale=shared if number < 2 else 0.0),
            ]  # fmt: skip
        return widgets


def _rooms(rect: Rect, shown: Sequence[Sequence[Picture]], gap: int, more: int) -> list[Rect]:
    """Return the areas of three groups of pictures, in the arrangement that makes them larger."""
    below = rect.rows(None, None, None, gap=gap)
    above, third = rect.rows(None, None, gap=gap)
    beside = [*above.columns(None, None, gap=gap), third]

    def smallest(rooms: Sequence[Rect]) -> int:
        pairs = [(room, pictures) for room, pictures in zip(rooms, shown, strict=True) if pictures]
        return min((places(Rect(0, 0, r.w, max(r.h - more, 1)), p, gap, gap)[0] for r, p in pairs), default=0)

    return beside if smallest(beside) > smallest(below) else below


class RunsCompared(Screen):
    """The differences between two runs, in configuration and results."""

    title = "Two runs"
    browses = True

    def __init__(self, app: App, comparison: RunComparison) -> None:
        super().__init__(app)
        self.comparison = comparison
        self._row = 0
        self._lines: list[tuple[str, Any, Any]] = []
        results = (
            "Results" if comparison.at < 0 else f"Results at generation {comparison.at:,}, the newest that both have"
        )
        for heading, differences in (
            ("Configuration", comparison.configuration), ("The runs", comparison.whole), (results, comparison.results)
        ):  # fmt: skip
            self._lines.append((heading, None, None))
            self._lines += [(value.name, value.first, value.second) for value in differences]
            if not differences:
                self._lines.append(("nothing differs", "", ""))
        self.ui.focus = "differences"

    def _select(self, row: int) -> None:
        self._row = row

    def view(self, size: Size, look: Look) -> list[Widget]:

        px = look.px
        area = below_header(size, look)
        head, body = area.rows(px(26), None, gap=px(GAP))
        same = self.comparison.same
        equal = f"Generations 0 to {same - 1:,} are the same: their checksums agree."
        text = f"Differences only. {equal if same else 'No generation is the same.'}"

        def cells(row: int) -> Sequence[str | Cell]:
            name, a, b = self._lines[row]
            if a is None and b is None:
                return Cell(name, bold=True), "", ""
            text = str if name == "seed" else _text
            return RESULT_NAMES.get(name, name), text(a), text(b)

        a, b = self.comparison.names
        return [
            *self.header(size, look),
            Label(key="same", rect=head, text=text, may_cut=True),
            Table(key="differences", rect=body,
                  columns=(Column("", None), Column(a, may_cut=True), Column(b, may_cut=True)),
                  count=len(self._lines), cells=cells, selected=self._row, select=self._select),
        ]  # fmt: skip


def _text(value: Any) -> str:
    if value in (None, ""):
        return "–"
    return value_text(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else str(value)


def watch(app: App, first: ListedPlayer, second: ListedPlayer) -> None:
    if not first.player or not second.player:
        app.say("The weights of one of them were not kept.", "warning")
        return
    services = app.services
    seats = (services.opponents.seat_of(first), services.opponents.seat_of(second))
    app.open(app.screens.watching(GameModel(seats)))
