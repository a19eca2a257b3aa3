"""Parts of the lists of players: cells of their tables, and facts about the chosen player."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from evolve.config.anchors import SHOWN_ZERO, shown_interval, shown_text
from evolve.strength.levels import LEVELS
from game.number_text import results_text, value_text
from gui.geometry import Rect
from gui.individuals.browser import Browser
from gui.individuals.individual import EntryKind, ListedPlayer
from gui.individuals.library import Library
from gui.look.canvas import Look
from gui.look.theme import BODY, Theme
from gui.model.seats import several
from gui.runs.session_state import ICONS
from gui.widgets.table import Cell

_KINDS = {
    EntryKind.CHAMPION: "crown",
    EntryKind.BUILT_IN: "program",
    EntryKind.EXTERNAL: "program",
    EntryKind.DAMAGED: "warning",
}
NO_MATCH = "No individual matches."
NO_RUNS = (
    "No runs yet: “New session” on the first screen begins one. Drop a CSV file of individuals here, or open one "
    "({o|open|Open})."
)


def source_cell(browser: Browser, row: int, theme: Theme) -> Cell:
    source = browser.sources[row]
    if browser.trouble_of(source):
        return Cell(source.name, theme.warning, "warning")
    if source.scope is not None:
        return Cell(source.name, icon="list", bold=True)
    return Cell(source.name, icon=(ICONS.get(source.state) or "evolution") if source.is_run else "file")


def generation_cell(browser: Browser, generation: int, theme: Theme) -> Cell:
    if generation < 0:
        return Cell("All champions", bold=True)
    damaged = bool(browser.damage_of(generation))
    return Cell(f"{generation:,}", theme.warning if damaged else None, "warning" if damaged else "")


def row_cells(
    library: Library, row: int, columns: Sequence[str], theme: Theme, name_of: Callable[[ListedPlayer], str]
) -> Sequence[str | Cell]:
    """Return the cells of a player in the visible columns; `name_of` names those that can be played."""
    one = library.rows[row]
    name = name_of(one) if one.player else one.name
    colour = theme.warning if one.kind is EntryKind.DAMAGED else theme.muted if one.trouble else None
    values = [_shown(library.cell(row, column), column, theme) for column in columns]
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
    return browser.library.folder_trouble or NO_MATCH


def searched(browser: Browser, verb: str = "Search ") -> str:
    source = browser.source
    if source is None:
        return verb.strip()
    if source.scope is not None:
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


def facts_of(individual: ListedPlayer) -> list[str]:
    lines, origin = [], individual.origin
    parents = several(individual.parents)
    if individual.is_mean:
        count = len(individual.parents)
        lines.append(f"The mean of {count} parents. It comes first in its generation, whatever its results.")
    elif origin == "learnt":
        lines.append(f"Continued learning from {parents}." if parents else "Learnt from scratch.")
    elif origin:
        lines.append(origin.capitalize() + (f" from {parents}" if parents else ""))
    if individual.rating is not None:
        lines.append(rating_of(individual))
    results = individual.results
    if results and not individual.is_mean and (results[0] or origin not in ("learnt", "founder")):
        lines.append(results_text(results))
    return lines


def rating_of(individual: ListedPlayer) -> str:
    """Return the rating of an individual in a sentence; empty if it is not rated."""
    if individual.rating is None:
        return ""
    value, low, high = individual.rating
    of_level = (each for each in LEVELS if (each.player, each.interval) == (individual.player, individual.rating))
    level = next(of_level, None)
    depth = "" if level is None else f" at depth {level.depth}"
    return f"Rating {shown_text(value)} ({shown_interval(low, high)}){depth}, from games against fixed opponents."


def fitting_lines(lines: Sequence[str], rect: Rect, look: Look) -> tuple[str, str]:
    """Return the first lines, as many as fit into a place, and all of them as a hint; no hint if all fit."""
    px, room = look.px, rect.h // look.fonts.height(look.px(BODY))
    shown = list(lines)
    while len(shown) > 1 and len(look.fonts.wrap("\n".join(shown), rect.w, px(BODY))) > room:
        del shown[-1]
    first, semicolon, _ = "".join(shown[:1]).partition(";")
    if semicolon and len(look.fonts.wrap("\n".join(shown), rect.w, px(BODY))) > room:
        shown = [f"{first}."]
    return "\n".join(shown), "" if shown == list(lines) else "\n".join(lines)
