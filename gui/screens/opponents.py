"""How opponents are shown: as rows of a list, in detail, as something to limit in depth and time."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from game.players.registry import KINDS
from gui.geometry import Rect
from gui.individuals.library import Library
from gui.individuals.rows import Kind, Row, Scope, View
from gui.look.canvas import Look
from gui.look.theme import Theme
from gui.model import numbers
from gui.model.names import several
from gui.model.seats import MOST_DEPTH
from gui.preferences import Preferences
from gui.widgets.base import Label, Widget
from gui.widgets.button import Slider
from gui.widgets.table import Cell, Column

SECONDS = (0.5, 1.0, 2.0, 3.0, 5.0, 10.0, 20.0, 30.0, 60.0, 0.0)
"""Limits to choose from; 0 is no limit."""

COLUMNS = (
    Column("Name", None, sort="name"),
    Column("From", None, sort="source"),
    Column("Gen.", 64, "right", sort="generation"),
    Column("Rank", 64, "right", sort="rank"),
    Column("Games", 72, "right", sort="games"),
    Column("Won", 62, "right", sort="wins"),
    Column("Drawn", 70, "right", sort="draws"),
    Column("Lost", 62, "right", sort="losses"),
    Column("Points", 74, "right", sort="points"),
)
BEST_FIRST = ("games", "wins", "draws", "points", "generation")
"""Columns in which one looks for the largest first."""

_ICONS = {Kind.CHAMPION: "crown", Kind.BUILT_IN: "bolt", Kind.EXTERNAL: "open"}


def shown_columns(width: int, look: Look) -> tuple[Column, ...]:
    """As many columns as a table of this width has room for."""
    return COLUMNS[: len(COLUMNS) if width >= look.px(740) else 4 if width >= look.px(380) else 2]


def cells(row: Row, count: int, theme: Theme) -> Sequence[str | Cell]:
    """The first cells of a row."""
    name = Cell(row.name, icon=_ICONS.get(row.kind, ""))
    muted = theme.muted if row.trouble else None
    if row.kind is Kind.DAMAGED:
        name = Cell(row.name, theme.warning, "warning")
    elif muted:
        name = Cell(row.name, muted)
    values = (row.generation, row.rank, *(row.results or (None,) * 5))
    texts = (row.source, *("" if value is None else numbers.shown(value) for value in values))
    return [name, *(Cell(text, muted) if muted else text for text in texts)][:count]


def scopes(library: Library) -> list[tuple[str, Scope]]:
    """What a list can be of, with names; the present one is always among them."""
    found = [("Champions and others", Scope()), ("Everybody", Scope(View.ALL))]
    here = library.scope
    for run in library.runs:
        found.append((f"{run.name}: champions", Scope(View.RUN, run=run.name)))
        if here.run == run.name:
            numbers = range(run.newest, -1, -1)
            found += [(f"{run.name}: generation {n}", Scope(View.GENERATION, run.name, n)) for n in numbers]
    found += [(path.name, Scope(View.FILE, path=path)) for path in (*library.files, *library.lying_files)]
    if here not in [scope for _, scope in found]:
        found.append((here.run or (here.path.name if here.path else here.view.value), here))
    return found


def details(row: Row | None, doubt: str, rect: Rect, look: Look) -> list[Widget]:
    """All that is known of one, and what speaks against how it is to play."""
    theme = look.theme
    if row is None:
        text = "Choose somebody from the list: by a click, or by the arrow keys."
        return [Label(key="details", rect=rect, text=text, wrap=True, colour=theme.muted)]
    head, body = rect.rows(look.px(28), None, gap=look.px(4))
    damaged = row.kind is Kind.DAMAGED
    icon, colour = ("warning", theme.warning) if damaged else ("", theme.muted)
    text = row.trouble if damaged else "\n".join([*_told(row), *filter(None, (row.trouble, doubt))])
    return [
        Label(key="details.name", rect=head, text=row.name, size=17, bold=True, may_cut=True, icon=icon),
        Label(key="details", rect=body, text=text, wrap=True, colour=colour, size=13, may_cut=True),
    ]


def _told(row: Row) -> list[str]:
    if row.kind is Kind.BUILT_IN:
        return [KINDS[row.player].about if row.player in KINDS else ""]
    lines = [f"From {row.source}"] if row.source else []
    if row.generation is not None:
        lines.append(f"Generation {row.generation}" + ("" if row.rank is None else f", rank {row.rank}"))
    if row.origin:
        lines.append(row.origin.capitalize() + (f" from {several(row.parents.split())}" if row.parents else ""))
    if row.results:
        lines.append(numbers.told(row.results))
    return lines


def time_index(settings: Preferences) -> int:
    """Which of `SECONDS` is chosen."""
    return SECONDS.index(settings.seconds) if settings.seconds in SECONDS else SECONDS.index(5.0)


def limits(
    plies: int,
    settings: Preferences,
    depth: Rect,
    time: Rect,
    set_depth: Callable[[int], object],
    set_time: Callable[[int], object],
) -> list[Widget]:
    """Sliders for the depth, in plies, and for the time, an index into `SECONDS`."""
    seconds = settings.seconds
    return [
        Slider(
            key="depth",
            rect=depth,
            text="Depth",
            shortcut="+ −",
            value=plies,
            low=1,
            high=MOST_DEPTH,
            change=set_depth,
            shown="1, no look-ahead" if plies == 1 else f"{plies} plies",
            hint="How many moves, its own and yours, every line is searched",
        ),
        Slider(
            key="time",
            rect=time,
            text="Time a move",
            shortcut="< >",
            value=time_index(settings),
            low=0,
            high=len(SECONDS) - 1,
            change=set_time,
            shown=f"at most {seconds:g} s" if seconds else "no limit",
            hint="After this time it plays the best move found so far",
        ),
    ]
