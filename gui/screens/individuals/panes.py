"""Parts of the lists of individuals: cells of their tables, and facts about the chosen individual and its run."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping, Sequence

from evolve.config.anchors import SHOWN_ZERO, shown_interval, shown_text
from evolve.run.row_index import CANDIDATE
from evolve.run.runs import Runs
from evolve.strength.levels import LEVELS
from extras import page_option
from game.errors import capital
from game.installation import PROGRAM
from game.number_text import count_text, percent_text, results_text, value_text, with_minus
from gui.family.family import ALONE as NO_FAMILY
from gui.geometry import Rect
from gui.individuals.browser import Browser
from gui.individuals.individual import EntryKind, ListedPlayer
from gui.key_table import key_for, with_key
from gui.look.canvas import Look
from gui.look.theme import BODY, CONTROL, GAP, ROOM, TITLE, Colour, Theme
from gui.model.seats import individual, several
from gui.runs.session_state import ICONS
from gui.runs.sources import Source
from gui.widgets.base import Command, Label, Panel, Ui, Widget
from gui.widgets.button import Segments, button
from gui.widgets.table import Cell, Column, Table
from gui.widgets.weight_map import WeightMap

TABS = ("Individual", "Ancestry", "Run")
_KINDS = {
    EntryKind.CHAMPION: "crown",
    EntryKind.BUILT_IN: "program",
    EntryKind.EXTERNAL: "program",
    EntryKind.DAMAGED: "warning",
}
_IS_GENE = re.compile(r"[ws][0-9]+|king")
_MINUS = re.compile(r"(?<!\w)-(?=\d)")
PLACES, MOST_PLACED = 4, 1000
"""Decimal places of weights and step sizes, and the smallest value for which they do not fit."""

RELATION = 112
"""Width of the column with the kind of relation, in pixels of the design."""

LEAST_NAME = 160
"""Minimum width of icon and name of a run beside its state in words, in pixels of the design."""

MOST_LINES, MOST_LETTERS = 8, 1000
NO_MATCH = "No individual matches."
NO_RUNS = (
    "No runs yet: “Evolve” on the first screen begins one. Drop a CSV file of individuals here, or open one "
    "({o|open|Open})."
)


# Cells ------------------------------------------------------------------------------------------------------------


def source_cells(browser: Browser, theme: Theme, brief: bool, row: int) -> Sequence[Cell]:
    """Return the cells of a run or file and its state; a brief state has only an icon and numbers."""
    source = browser.sources[row]
    if browser.trouble_of(source):
        return Cell(source.name, theme.warning, "warning"), Cell("" if brief else "damaged", theme.warning)
    if source.scope is not None:
        return Cell(source.name, icon="list", bold=True), Cell("")
    if not source.is_run:
        return Cell(source.name, icon="file"), Cell("" if brief else "file", theme.muted)
    counted = f"{source.newest}/{source.goal}" if source.live and source.newest >= 0 and source.goal > 0 else ""
    state = counted if brief else f"{source.state} {counted}".rstrip()
    return Cell(source.name, icon=ICONS.get(source.state) or "evolution"), Cell(state, theme.muted)


def state_width(browser: Browser, look: Look, *, brief: bool = False) -> float:
    """Return the width of the longest state, in pixels of the design."""
    texts = {source_cells(browser, look.theme, brief, row)[1].text for row in range(len(browser.sources))}
    widest = max((look.fonts.size(text, look.px(BODY), tabular=True)[0] for text in texts), default=0)
    return widest / look.scale + 22


def are_states_brief(browser: Browser, look: Look, width: int) -> bool:
    """Return whether a list of this width is too narrow for names with states in words."""
    return width < min(sources_width(browser, look), look.px(state_width(browser, look) + LEAST_NAME))


def sources_width(browser: Browser, look: Look) -> int:
    """Return the width of the longest names of runs and files with their states, in pixels."""
    longest = sorted((source.name for source in browser.sources), key=len)[-3:]
    name = max((look.fonts.size(text, look.px(BODY))[0] for text in longest), default=0)
    return name + look.px(state_width(browser, look) + 56)


def source_hint(browser: Browser, source: Source | None) -> str:
    """Return the error of the chosen source, or its state."""
    return "" if source is None else browser.trouble_of(source) or source.state


def generation_cells(browser: Browser, generation: int, theme: Theme) -> Sequence[str | Cell]:
    if generation > browser.newest:
        return Cell("all"), Cell("Champions", bold=True)
    if browser.damage_of(generation):
        return Cell(str(generation), theme.warning), Cell("damaged", theme.warning, "warning")
    champions = () if browser.overview is None else browser.overview.history.champions
    return str(generation), Cell(champions[generation] if generation < len(champions) else "", theme.muted)


def row_cells(
    browser: Browser, row: int, columns: Sequence[str], theme: Theme, name_of: Callable[[ListedPlayer], str]
) -> Sequence[str | Cell]:
    """Return the cells of an individual in the visible columns; `name_of` names the entries of lists of many files."""
    listing = browser.listing
    assert listing is not None
    values = [_shown(listing.cell(row, column), column, theme) for column in columns[1:]]
    if not browser.gathers:
        name = str(listing.cell(row, "name"))
        return [Cell(name, icon="star" if browser.note(name)[0] else ""), *values]
    one = browser.library.rows[row]
    name = name_of(one) if one.player else one.name
    colour = theme.warning if one.kind is EntryKind.DAMAGED else theme.muted if one.trouble else None
    values = [value if isinstance(value, Cell) or not one.trouble else Cell(value, theme.muted) for value in values]
    icon = _KINDS[EntryKind.CHAMPION] if one.is_champion and one.player else _KINDS.get(one.kind, "")
    return [Cell(name, colour, icon), *values]


def _shown(value: float | str | None, column: str, theme: Theme) -> str | Cell:
    if column == "star":
        return Cell("", icon="star") if value else ""
    if value is None:
        return Cell("–", theme.muted)
    if isinstance(value, str):
        return value
    if column == "rating":
        return shown_text(value - SHOWN_ZERO, brief=True)
    if _IS_GENE.fullmatch(column) and abs(value) < MOST_PLACED:
        return with_minus(f"{value:.{PLACES}f}")
    return value_text(value)


def why_empty(browser: Browser) -> str:
    source, sheet = browser.source, browser.sheet
    if source is None:
        return ""
    if browser.gathers:
        return "Looking…" if browser.library.busy else browser.library.folder_trouble or NO_MATCH
    if sheet is None:
        return source.trouble or "No generation is complete yet."
    if sheet.damage:
        return f"{sheet.path.name}: {sheet.damage}"
    return "Reading…" if sheet.busy else NO_MATCH


def searched(browser: Browser, verb: str = "Search ") -> str:
    source = browser.source
    if source is None:
        return verb.strip()
    if not browser.gathers:
        return f"{verb}generation {browser.generation} of {source.name}" if source.is_run else f"{verb}{source.name}"
    return f"{verb}the champions of {source.name}" if source.scope is None else f"{verb}all individuals"


def counted(browser: Browser) -> str:
    sheet = browser.sheet
    if browser.gathers:
        rows = len(browser.library.rows)
        text = f"{rows:,} found among {searched(browser, '')}" if browser.search else f"{rows:,} listed"
        return "Looking…" if browser.library.busy else text
    if sheet is None or not sheet.count:
        return ""
    count, shown = sheet.count, len(sheet.rows)
    what = count_text(count, "individual")
    portrait = browser.portrait
    alone = len(portrait.weights) if count == 1 and portrait is not None else 0  # from a weights file
    number = sheet.heads.weights or alone
    weights = count_text(number, "weight") if number else "weights were not kept"
    if shown == count:
        return "; ".join([f"{what}, {weights}", *sheet.heads.notes])
    hidden = browser.name and not sheet.busy and sheet.row_of(browser.name) < 0
    return f"{shown:,} of {what}" + (f"; {browser.name} is not among them" if hidden else f", {weights}")


# The right side ---------------------------------------------------------------------------------------------------


def pane(
    browser: Browser,
    commands: Mapping[str, Command],
    ui: Ui,
    tab: int,
    set_tab: Callable[[int], object],
    rect: Rect,
    look: Look,
) -> list[Widget]:
    px = look.px
    tabs, body = rect.inset(px(ROOM), px(GAP)).rows(px(CONTROL), None, gap=px(GAP))
    page = (_individual, _ancestry, _run)[tab]
    return [
        Panel(key="panel", rect=rect),
        Segments(key="tabs", rect=tabs, names=TABS, chosen=tab, pick=set_tab, tabs=True,
               hint=with_key("Another page", key_for("shift+q", "page"))),
        *page(browser, commands, ui, body, look),
    ]  # fmt: skip


def _individual(browser: Browser, commands: Mapping[str, Command], ui: Ui, rect: Rect, look: Look) -> list[Widget]:
    px, theme = look.px, look.theme
    portrait, text = browser.portrait, ""
    if portrait is not None:
        text = "\n".join(filter(None, [_facts_in_list(portrait.individual, browser), with_minus(portrait.about)]))
    lines = len(look.fonts.wrap(text[:MOST_LETTERS], rect.w, px(BODY)))
    high = max(px(92), min(lines, MOST_LINES) * look.fonts.height(px(BODY)))  # notes may be very long
    head, facts, kernels, first, second, third = rect.rows(
        px(26), high, None, px(CONTROL), px(CONTROL), px(CONTROL), gap=px(GAP)
    )
    widgets: list[Widget] = []
    if portrait is None:
        some = browser.sheet is not None and len(browser.sheet.rows) > 0
        text = "Choose an individual from the table, with a click or the arrow keys." if some else ""
        widgets.append(Label(key="told", rect=head.around(facts), text=text, wrap=True, colour=theme.muted))
    else:
        head, corner = head.columns(None, px(28), gap=px(GAP))
        widgets.append(button(commands["family"], "do.family", corner, kind="quiet", icon_only=True))
        individual = portrait.individual
        starred, _ = browser.note(individual.name)
        icon = "star" if starred else ""
        widgets += [
            Label(key="one", rect=head, text=individual.brief, size=TITLE, bold=True, may_cut=True, icon=icon),
            Label(key="told", rect=facts, text=text, wrap=True, may_cut=True),
            WeightMap(key="kernels", rect=kernels, pictures=portrait.pictures, empty=_no_weights(browser)),
        ]
    widgets.append(button(commands["play"], "play", first, kind="main"))
    for names, row in ((("mark", "compare"), second), (("watch", "star", "note"), third)):
        for name, place in zip(names, row.columns(*[None] * len(names), gap=px(GAP)), strict=True):
            widgets.append(button(commands[name], f"do.{name}", place))
    return widgets


def _no_weights(browser: Browser) -> str:
    return "Reading the hall of fame…" if browser.busy else "The weights of this generation were not kept."


def _facts_in_list(individual: ListedPlayer, browser: Browser) -> str:
    where = individual.source if browser.generation < 0 else f"{individual.source}, generation {browser.generation}"
    rank = "" if individual.rank is None or individual.origin == "learnt" else f", rank {individual.rank}"
    where = f"{individual.name}, {where}" if individual.rank == 1 and browser.generation >= 0 else where
    note = browser.note(individual.name)[1]
    return "\n".join([f"{where}{rank}", *([f"Note: {note}"] if note else []), *facts_of(individual)])


def facts_of(individual: ListedPlayer) -> list[str]:
    lines, origin = [], individual.origin
    parents = several(individual.parents)
    if individual.is_mean:
        count = len(individual.parents)
        lines.append(f"The mean of {count} parents. It comes first in its generation, whatever its results.")
    elif origin == "learnt":
        lines.append(f"Continued learning from {parents}." if parents else "Learnt from scratch.")
    elif origin == CANDIDATE:
        lines.append(f"A candidate: it learnt from the mean of {parents}.")
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


def _ancestry(browser: Browser, commands: Mapping[str, Command], ui: Ui, rect: Rect, look: Look) -> list[Widget]:
    px, theme = look.px, look.theme
    family = browser.family
    about = f"Relatives of {browser.name}. Press Enter or double-click to go there." if browser.name else ""
    with_founders = bool(family) and family[-1].share is not None
    if with_founders:
        about += f" {family[-1].text}"
    head, body, tree = rect.rows(px(66 if with_founders else 44), None, px(CONTROL), gap=px(GAP))
    source = browser.source
    if not browser.name:
        empty = "Choose an individual to see its relatives."
    elif source is not None and not source.is_run:
        empty = NO_FAMILY
    elif browser.background.wants(browser, "family"):
        empty = "Looking for relatives…"
    else:
        empty = browser.family_trouble or "No relatives: it is a founder without children in the next generation."

    ancestors = [relation for relation in family if relation.share is None]
    names = [f"{relation.individual.name}  {relation.text}" for relation in ancestors]
    widest = max((look.fonts.size(name, px(BODY))[0] for name in names), default=0)
    whole = widest <= body.w - px(RELATION + 30)

    def cells(row: int) -> Sequence[str | Cell]:
        relation = family[row]
        text = relation.text if whole else relation.text.partition(",")[0]
        text = text if relation.share is None else percent_text(relation.share)
        return Cell(relation.name, theme.muted), f"{relation.individual.name}  {text}"

    def choose(row: int) -> None:
        ui.memory["family.row"] = row

    def go(row: int) -> None:
        browser.go_to(family[row])
        ui.memory["family.row"] = 0

    at = min(ui.memory.get("family.row", 0), len(family) - 1)
    return [
        Label(key="one", rect=head, wrap=True, colour=theme.muted, may_cut=True,
              text=about),
        Table(key="family", rect=body, headed=False, columns=(Column("Relation", RELATION), Column("Name")),
              count=len(family), cells=cells, selected=at, select=choose, activate=go, empty=empty),
        button(commands["family"], "do.family", tree, text="Family tree"),
    ]  # fmt: skip


def _run(browser: Browser, commands: Mapping[str, Command], ui: Ui, rect: Rect, look: Look) -> list[Widget]:
    px = look.px
    text, row = rect.rows(None, px(CONTROL), gap=px(GAP))
    first, second = row.columns(None, None, gap=px(GAP))
    lines = run_lines(browser)
    wrapped: list[tuple[str, Colour | None, str]] = []
    for words, warns in lines:
        colour, icon = (look.theme.warning, "warning") if warns else (None, "info")
        for number, line in enumerate(look.fonts.wrap(words, text.w - px(64), px(BODY))):
            wrapped.append((line, colour, "" if number else icon))
    at = min(ui.memory.get("findings.row", -1), len(wrapped) - 1)

    def select(row: int) -> None:
        ui.memory["findings.row"] = row

    return [
        Table(
            key="findings", rect=text, headed=False, count=len(wrapped),
            columns=(Column("", 26), Column("What is known")),
            cells=lambda row: (Cell("", wrapped[row][1], wrapped[row][2]), Cell(wrapped[row][0], wrapped[row][1])),
            framed=False, striped=False, selected=at, select=select,
            empty="Looking…" if browser.busy else browser.trouble,
        ),
        button(commands["mark-run"], "do.mark-run", first),
        button(commands["compare-runs"], "do.compare-runs", second),
    ]  # fmt: skip


def run_lines(browser: Browser) -> list[tuple[str, bool]]:
    """Return facts about the chosen run, line by line, and whether each line is a warning."""
    source, overview = browser.source, browser.overview
    if source is None:
        return []
    if not source.is_run:
        trouble = browser.trouble_of(source)
        alone = "A CSV file that belongs to no run, so its origin is unknown."
        return [(trouble, True)] if trouble else [(alone, False), (_inspect(source), False)]
    if source.trouble:
        return [(source.trouble, True)]
    if overview is None:
        return [(browser.trouble, True)] if browser.trouble else []
    history, diversity, kind = overview.history, overview.diversity, overview.kind
    counted = count_text(history.total(kind.work), kind.work.removesuffix("s"))
    lines = [(f"{source.name}: {source.state}, {count_text(overview.newest + 1, 'generation')}, {counted}.", False)]
    lines.append((kind.introduce(overview.champion.name), False))
    curves = [(curve.title, curve.write_all(overview.newest)) for curve in overview.curves]
    lines += [(f"{capital(title)}: {text}.", False) for title, text in curves if text]
    if overview.config.obtained:
        lines.append((f"Its networks are obtained {overview.config.obtained}.", False))
    if diversity is not None:
        text = f"Survivors: {diversity.individuals:,}, with {diversity.distinct:,} different genomes."
        lines.append((text, False))
    ancestor = overview.common_ancestor if kind.breeds else None
    if ancestor is not None:
        text = f"All survivors descend from {ancestor.name} (generation {ancestor.generation})."
        lines.append((text, False))
    lines += [(_MINUS.sub("−", finding.text), True) for finding in overview.findings]
    if overview.looked and not overview.findings:
        lines.append((f"Checked without warnings: {', '.join(overview.looked)}.", False))
    unplayed = "No games were played for this page: only ratings show strength."
    strength = unplayed if history.rated else "Strength was not measured."
    lines.append((f"{strength} {overview.missed}".rstrip(), False))
    return [*lines, (_inspect(source), False)]


def _inspect(source: Source) -> str:
    """Return the command that inspects a run or file, with games of its champion against fixed opponents."""
    name = shlex.quote(individual(Runs().player_name(source.path)))
    if not (page := page_option()):
        return f"For a report with games: {PROGRAM} inspect {name}"
    return f"For a page with games and figures: {PROGRAM} inspect {name} {page} page.html"
