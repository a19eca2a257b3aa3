"""The cells of the table of individuals and of its lists of runs and generations, and texts about what is listed."""

from __future__ import annotations

from collections.abc import Sequence

from evolve.config.anchors import SHOWN_ZERO, shown_text
from extras.individuals.browser import Browser
from extras.individuals.columns import LIST_COLUMNS
from extras.individuals.library import ALL, START, Library
from game.number_text import value_text
from gui.individuals.individual import EntryKind
from gui.look.theme import Theme
from gui.runs.session_state import ICONS
from gui.widgets.table import Cell

_KINDS = {
    EntryKind.CHAMPION: "crown",
    EntryKind.BUILT_IN: "program",
    EntryKind.EXTERNAL: "program",
    EntryKind.DAMAGED: "warning",
}
NO_MATCH = "No individual matches."
NO_RUNS = "No runs yet: “New session” on the first screen begins one."


def source_cell(browser: Browser, row: int, theme: Theme) -> Cell:
    source = browser.sources[row]
    if source.trouble:
        return Cell(source.name, theme.warning, "warning")
    if source in (START, ALL):
        return Cell(source.name, icon="list", bold=True)
    return Cell(source.name, icon=(ICONS.get(source.state) or "evolution") if source.is_run else "file")


def generation_cell(generation: int) -> Cell:
    return Cell("All champions", bold=True) if generation < 0 else Cell(f"{generation:,}")


def row_cells(library: Library, row: int, columns: Sequence[str], theme: Theme) -> Sequence[str | Cell]:
    """Return the cells of a player in the visible columns."""
    one = library.rows[row]
    name = one.brief if one.player else one.name
    colour = theme.warning if one.kind is EntryKind.DAMAGED else theme.muted if one.trouble else None
    values = [_shown(LIST_COLUMNS[column].value(one), column, theme) for column in columns]
    values = [value if isinstance(value, Cell) or not one.trouble else Cell(value, theme.muted) for value in values]
    icon = _KINDS[EntryKind.CHAMPION] if one.is_champion and one.player else _KINDS.get(one.kind, "")
    return [Cell(name, colour, icon), *values]


def _shown(value: float | str | None, column: str, theme: Theme) -> str | Cell:
    if value is None:
        return Cell("–", theme.muted)
    if isinstance(value, str):
        return value
    return shown_text(value - SHOWN_ZERO, brief=True) if column == "rating" else value_text(value)


def why_empty(browser: Browser) -> str:
    source = browser.source
    if browser.busy:
        return "Looking…"
    if source is not None and source.is_run and source.newest < 0:
        return source.trouble or "No generation is complete yet."
    return browser.library.sources.trouble or NO_MATCH


def searched(browser: Browser, verb: str = "Search ") -> str:
    source = browser.source
    if source is None:
        return verb.strip()
    if source in (START, ALL):
        return f"{verb}all individuals"
    if not source.is_run:
        return f"{verb}{source.name}"
    which = "the champions" if browser.generation < 0 else f"generation {browser.generation}"
    return f"{verb}{which} of {source.name}"


def counted(browser: Browser) -> str:
    library = browser.library
    rows = len(library.rows)
    text = f"{rows:,} found among {searched(browser, '')}" if library.search else f"{rows:,} listed"
    return "Looking…" if library.busy else "; ".join([text, *library.notes])
