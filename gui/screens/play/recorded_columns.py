"""The columns of lists of recorded games, and which of them have room."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter

from gui.look.canvas import Look
from gui.look.theme import Theme
from gui.model.pdn import GameEntry
from gui.widgets.table import Cell, ListColumn

LEAST_COLUMN = 190
"""Width of names, events and openings without which openings are left out, in pixels of the design."""


def _number_cell(entry: GameEntry, theme: Theme) -> Cell:
    return Cell(str(entry.number), None if entry.sound else theme.warning, "" if entry.sound else "warning")


def _known_part(date: str) -> str:
    """Return a date of PDN without what it leaves open: ``1982`` for ``1982.??.??``."""
    return date.partition(".??")[0].replace("????", "")


RECORDED_COLUMNS: tuple[ListColumn[GameEntry], ...] = (
    ListColumn("No.", 70, "right", cell=_number_cell),
    ListColumn("Black", cell=lambda entry, theme: Cell(entry.black), entry=attrgetter("black")),
    ListColumn("White", cell=lambda entry, theme: Cell(entry.white), entry=attrgetter("white")),
    ListColumn("Result", 84, cell=lambda entry, theme: Cell(entry.result)),
    ListColumn("Moves", 74, "right", cell=lambda entry, theme: Cell(str((entry.plies + 1) // 2))),
    ListColumn("Opening", cell=lambda entry, theme: Cell(entry.opening.title),
               entry=attrgetter("opening.title")),
    ListColumn("Event", cell=lambda entry, theme: Cell(entry.event), entry=attrgetter("event")),
    ListColumn("Date", 110, cell=lambda entry, theme: Cell(_known_part(entry.date)),
               entry=lambda entry: _known_part(entry.date)),
)  # fmt: skip
"""Columns of the games of a PDN file; those in which no game has an entry are hidden."""


def fitting_columns(columns: Sequence[ListColumn[GameEntry]], width: int, look: Look) -> list[ListColumn[GameEntry]]:
    """Return these columns, without the openings if they would leave too little room for names and events."""
    shared = [each for each in columns if each.width is None]
    room = width - look.px(sum(each.width or 0 for each in columns))
    narrow = room < len(shared) * look.px(LEAST_COLUMN)
    return [each for each in columns if not (narrow and each.title == "Opening")]
