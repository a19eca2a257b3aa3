"""Parts of the list of individuals: cells of its tables, and what is known of the chosen individual and its run."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from evolve.run.row_index import CANDIDATE
from evolve.run.runs import Runs
from game.installation import PROGRAM
from game.number_text import percent_text, results_text, value_text, with_minus
from gui.geometry import Rect
from gui.individuals.browser import Browser
from gui.individuals.rows import TEXTS, Kind, Row
from gui.individuals.sources import Source, View
from gui.individuals.states import ICONS
from gui.look.canvas import Align, Look
from gui.look.measures import BODY, CONTROL, GAP, ROOM, TITLE
from gui.look.theme import Colour, Theme
from gui.model.names import individual, several
from gui.widgets.base import Label, Panel, Ui, Widget
from gui.widgets.button import Segments, button
from gui.widgets.commands import Command
from gui.widgets.table import Cell, Column, Table
from gui.widgets.weight_map import WeightMap

TABS = ("Individual", "Ancestry", "Run")
TITLES = {
    "name": "Name",
    "source": "From",
    "generation": "Gen.",
    "rating": "Rating",
    "rank": "Rank",
    "origin": "Origin",
    "parents": "Parents",
    "games": "Games",
    "wins": "Won",
    "draws": "Drawn",
    "losses": "Lost",
    "points": "Points",
    "king": "King",
    "star": "Star",
    "note": "Note",
    "genome": "Genome",
}
_WIDTHS = {
    "source": 124,
    "generation": 54,
    "origin": 100,
    "parents": 190,
    "note": 200,
    "genome": 160,
    "rating": 70,
    "rank": 52,
    "star": 54,
}
_COUNTS = ("games", "wins", "draws", "losses", "points")
_KINDS = {Kind.CHAMPION: "crown", Kind.BUILT_IN: "program", Kind.EXTERNAL: "program", Kind.DAMAGED: "warning"}
_IS_GENE = re.compile(r"[ws][0-9]+|king")
_MINUS = re.compile(r"(?<!\w)-(?=\d)")
PLACES, MOST_PLACED = 4, 1000
"""Digits behind the point of weights and step sizes, and from which value on there is no room for them."""

RELATION = 112
"""Pixels of the design of the column that says who somebody is to the chosen one."""

LEAST_NAME = 160
"""Pixels of the design that icon and name of a run take at least where the state stands beside them in words."""

MOST_LINES, MOST_TOLD = 8, 1000
NO_RUNS = "No runs yet: “Evolve” on the first screen begins one. Drop a CSV file of individuals here, or open one (O)."


def title_of(column: str) -> str:
    """What stands above a column."""
    return TITLES.get(column, column)


def width_of(column: str) -> int:
    """Pixels of the design that a column takes."""
    return _WIDTHS.get(column, 64 if column in _COUNTS else 92)


def align_of(column: str) -> Align:
    """Texts to the left, numbers to the right."""
    return "left" if column in TEXTS or column == "star" else "right"


# Cells ------------------------------------------------------------------------------------------------------------


def source_cells(browser: Browser, theme: Theme, brief: bool, row: int) -> Sequence[Cell]:
    """A run or file, and its state; a brief one leaves out what the icon says."""
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
    """Pixels of the design in which every state is seen whole."""
    texts = {source_cells(browser, look.theme, brief, row)[1].text for row in range(len(browser.sources))}
    widest = max((look.fonts.size(text, look.px(BODY), tabular=True)[0] for text in texts), default=0)
    return widest / look.scale + 22


def are_states_brief(browser: Browser, look: Look, width: int) -> bool:
    """Whether words for states would leave names no room in a list of this width."""
    return width < min(sources_width(browser, look), look.px(state_width(browser, look) + LEAST_NAME))


def sources_width(browser: Browser, look: Look) -> int:
    """Pixels in which the longest names of runs and files are seen whole beside their states."""
    longest = sorted((source.name for source in browser.sources), key=len)[-3:]
    name = max((look.fonts.size(text, look.px(BODY))[0] for text in longest), default=0)
    return name + look.px(state_width(browser, look) + 56)


def source_hint(browser: Browser, source: Source | None) -> str:
    """What is wrong with the chosen source, or what it does."""
    return "" if source is None else browser.trouble_of(source) or source.state


def generation_cells(browser: Browser, generation: int, theme: Theme) -> Sequence[str | Cell]:
    """Number and champion of a generation; of all of them their champions."""
    if generation > browser.newest:
        return Cell("all"), Cell("Champions", bold=True)
    if browser.damage_of(generation):
        return Cell(str(generation), theme.warning), Cell("damaged", theme.warning, "warning")
    known = () if browser.overview is None else browser.overview.history.champions  # as far as the log is read
    return str(generation), Cell(known[generation] if generation < len(known) else "", theme.muted)


def row_cells(browser: Browser, row: int, columns: Sequence[str], theme: Theme) -> Sequence[str | Cell]:
    """An individual in the visible columns."""
    listing = browser.listing
    assert listing is not None
    values = [_shown(listing.cell(row, column), column, theme) for column in columns[1:]]
    if not browser.gathers:
        name = str(listing.cell(row, "name"))
        return [Cell(name, icon="star" if browser.note(name)[0] else ""), *values]
    one = browser.library.rows[row]
    start = browser.library.scope.view is View.START
    name = one.title.partition(" (")[0] if start and one.kind is Kind.CHAMPION and one.player else one.name
    colour = theme.warning if one.kind is Kind.DAMAGED else theme.muted if one.trouble else None
    values = [value if isinstance(value, Cell) or not one.trouble else Cell(value, theme.muted) for value in values]
    return [Cell(name, colour, _KINDS.get(one.kind, "")), *values]


def _shown(value: float | str | None, column: str, theme: Theme) -> str | Cell:
    if column == "star":
        return Cell("", icon="star") if value else ""
    if value is None:
        return Cell("–", theme.muted)
    if isinstance(value, str):
        return value
    if _IS_GENE.fullmatch(column) and abs(value) < MOST_PLACED:
        return with_minus(f"{value:.{PLACES}f}")
    return value_text(value)


def why_empty(browser: Browser) -> str:
    """What is said where no individual is listed."""
    source, sheet = browser.source, browser.sheet
    if source is None:
        return ""
    if browser.gathers:
        return "Looking…" if browser.library.busy else browser.library.folder_trouble or "Nobody fits."
    if sheet is None:
        return source.trouble or "No generation is complete yet."
    if sheet.damage:
        return f"{sheet.path.name}: {sheet.damage}"
    return "Reading…" if sheet.busy else "Nobody fits."


def searched(browser: Browser, verb: str = "Search ") -> str:
    """What a search looks at, in words."""
    source = browser.source
    if source is None:
        return verb.strip()
    if not browser.gathers:
        return f"{verb}generation {browser.generation} of {source.name}" if source.is_run else f"{verb}{source.name}"
    return f"{verb}the champions of {source.name}" if source.scope is None else f"{verb}everybody"


def counted(browser: Browser) -> str:
    """How many individuals there are and are shown."""
    sheet = browser.sheet
    if browser.gathers:
        rows = len(browser.library.rows)
        found = f"{rows:,} found among {searched(browser, '')}" if browser.search else f"{rows:,} listed"
        return "Looking…" if browser.library.busy else found
    if sheet is None or not sheet.count:
        return ""
    there, shown = sheet.count, len(sheet.rows)
    what = f"{there:,} individuals" if there != 1 else "1 individual"
    one = browser.individual
    alone = len(one.weights) if there == 1 and one is not None else 0  # they may stand beside the file
    number = sheet.heads.weights or alone
    weights = f"{number:,} weights" if number else "weights were not kept"
    if shown == there:
        return f"{what}, {weights}"
    hidden = browser.name and not sheet.busy and sheet.row_of(browser.name) < 0
    return f"{shown:,} of {what}" + (f"; {browser.name} is not among them" if hidden else f", {weights}")


# What is known of one ---------------------------------------------------------------------------------------------


def pane(
    browser: Browser,
    commands: Mapping[str, Command],
    ui: Ui,
    tab: int,
    set_tab: Callable[[int], object],
    rect: Rect,
    look: Look,
) -> list[Widget]:
    """The right side: three pages."""
    px = look.px
    tabs, body = rect.inset(px(ROOM), px(GAP)).rows(px(CONTROL), None, gap=px(GAP))
    page = (_individual, _ancestry, _run)[tab]
    return [
        Panel(key="panel", rect=rect),
        Segments(key="tabs", rect=tabs, names=TABS, chosen=tab, pick=set_tab, tabs=True,
               hint="Another page  (D)"),
        *page(browser, commands, ui, body, look),
    ]  # fmt: skip


def _individual(browser: Browser, commands: Mapping[str, Command], ui: Ui, rect: Rect, look: Look) -> list[Widget]:
    px, theme = look.px, look.theme
    one = browser.individual
    told = "" if one is None else "\n".join(filter(None, [told_of(one.row, browser), with_minus(one.about)]))
    lines = len(look.fonts.wrap(told[:MOST_TOLD], rect.w, px(BODY)))
    high = max(px(92), min(lines, MOST_LINES) * look.fonts.height(px(BODY)))  # a note may be as long as a book
    head, text, kernels, first, second, third = rect.rows(
        px(26), high, None, px(CONTROL), px(CONTROL), px(CONTROL), gap=px(GAP)
    )
    widgets: list[Widget] = []
    if one is None:
        some = browser.sheet is not None and len(browser.sheet.rows) > 0
        told = "Choose somebody from the table: by a click, or by the arrow keys." if some else ""
        widgets.append(Label(key="told", rect=head.around(text), text=told, wrap=True, colour=theme.muted))
    else:
        head, corner = head.columns(None, px(28), gap=px(GAP))
        widgets.append(button(commands["family"], "do.family", corner, kind="quiet", icon_only=True))
        starred, _ = browser.note(one.name)
        icon = "star" if starred else ""
        widgets += [
            Label(key="one", rect=head, text=one.name, size=TITLE, bold=True, may_cut=True, icon=icon),
            Label(key="told", rect=text, text=told, wrap=True, may_cut=True),
            WeightMap(key="kernels", rect=kernels, pictures=one.pictures, empty=_no_weights(browser)),
        ]
    widgets.append(button(commands["play"], "play", first, kind="main"))
    for names, row in ((("mark", "compare"), second), (("watch", "star", "note"), third)):
        for name, place in zip(names, row.columns(*[None] * len(names), gap=px(GAP)), strict=True):
            widgets.append(button(commands[name], f"do.{name}", place))
    return widgets


def _no_weights(browser: Browser) -> str:
    return "Reading the hall of fame…" if browser.background.busy else "The weights of this generation were not kept."


def told_of(row: Row, browser: Browser) -> str:
    """What is known of an individual, in a few lines."""
    where = row.source if browser.generation < 0 else f"{row.source}, generation {browser.generation}"
    rank = "" if row.rank is None or row.origin == "learnt" else f", rank {row.rank}"
    note = browser.note(row.name)[1]
    return "\n".join([f"{where}{rank}", *([f"Note: {note}"] if note else []), *facts_of(row)])


def facts_of(row: Row) -> list[str]:
    """Where an individual comes from, and its results, in words."""
    lines = []
    if row.is_mean:
        lines.append(
            f"The mean of {len(row.parents.split())} parents: it leads its generation without having to win it."
        )
    elif row.origin == "learnt":
        lines.append(f"It has learnt from {row.parents} on." if row.parents else "It has learnt.")
    elif row.origin == CANDIDATE:
        lines.append(f"A candidate: it learnt from the mean of {several(row.parents.split())}.")
    elif row.origin:
        lines.append(row.origin.capitalize() + (f" from {several(row.parents.split())}" if row.parents else ""))
    if row.rating is not None:
        value, low, high = (value_text(float(round(number))) for number in row.rating)
        lines.append(f"Rating {value} ({low} to {high}), by games against fixed opponents.")
    if row.results and not row.is_mean and (row.results[0] or row.origin not in ("learnt", "founder")):
        lines.append(results_text(row.results))
    return lines


def _ancestry(browser: Browser, commands: Mapping[str, Command], ui: Ui, rect: Rect, look: Look) -> list[Widget]:
    px, theme = look.px, look.theme
    family = browser.family
    about = f"Relatives of {browser.name}. Enter or a double click goes there." if browser.name else ""
    with_founders = bool(family) and family[-1].share is not None
    if with_founders:
        about += f" {family[-1].told}"
    head, body, tree = rect.rows(px(66 if with_founders else 44), None, px(CONTROL), gap=px(GAP))
    source = browser.source
    if not browser.name:
        empty = "Choose an individual: its relatives come here."
    elif source is not None and not source.is_run:
        empty = "A file on its own does not tell who descends from whom."
    elif browser.background.wants("family"):
        empty = "Looking for relatives…"
    else:
        empty = browser.family_trouble or "No relatives: a founder, without children in the next generation."

    kin = [each for each in family if each.share is None]
    widest = max((look.fonts.size(f"{each.name}  {each.told}", px(BODY))[0] for each in kin), default=0)
    whole = widest <= body.w - px(RELATION + 30)

    def cells(row: int) -> Sequence[str | Cell]:
        each = family[row]
        relation = Cell("· " * each.indent + each.relation, theme.muted)
        if each.share is not None:
            return relation, f"{each.name}  {percent_text(each.share)}"
        return relation, f"{each.name}  {each.told if whole else each.told.partition(',')[0]}"

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
        replace(button(commands["family"], "do.family", tree), text="Family tree"),
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
            empty="Looking…" if browser.background.busy else browser.trouble,
        ),
        button(commands["mark-run"], "do.mark-run", first),
        button(commands["compare-runs"], "do.compare-runs", second),
    ]  # fmt: skip


def run_lines(browser: Browser) -> list[tuple[str, bool]]:
    """What is known of the chosen run, and whether each line is a warning."""
    source, overview = browser.source, browser.overview
    if source is None:
        return []
    if not source.is_run:
        trouble = browser.trouble_of(source)
        alone = "A CSV file on its own; only runs tell how they came about."
        return [(trouble, True)] if trouble else [(alone, False), (_inspect(source), False)]
    if source.trouble:
        return [(source.trouble, True)]
    if overview is None:
        return [(browser.trouble, True)] if browser.trouble else []
    history, diversity, course = overview.history, overview.diversity, overview.course
    counted = f"{history.total('games'):,} games" if course is None else f"{history.total('samples'):,} samples learnt"
    lines = [(f"{source.name}: {source.state}, {overview.newest + 1:,} generations, {counted}.", False)]
    if course is not None:
        lines.append(
            (f"{overview.champion.name}, the newest, has learnt by {overview.config.learning.method.kind}.", False)
        )
        told = [(curve.title, curve.write_all(overview.newest)) for curve in course.curves]
        lines += [(f"{title[:1].upper()}{title[1:]}: {text}.", False) for title, text in told if text]
    else:
        lines.append((f"Champion: {overview.champion.name}.", False))
    if overview.config.obtained:
        lines.append((f"Its networks come about {overview.config.obtained}.", False))
    if diversity is not None:
        text = f"Survivors: {diversity.individuals:,}, of them {diversity.distinct:,} different genomes."
        lines.append((text, False))
    ancestor = overview.common_ancestor if course is None else None
    if ancestor is not None:
        text = f"All survivors descend from {ancestor.name} (generation {ancestor.generation})."
        lines.append((text, False))
    lines += [(_MINUS.sub("−", finding.text), True) for finding in overview.findings]
    if overview.looked and not overview.findings:
        lines.append((f"No warnings among: {', '.join(overview.looked)}.", False))
    strength = "Nothing was played: only ratings tell of strength." if history.rated else "Strength was not looked at."
    lines.append((f"{strength} {overview.missed}".rstrip(), False))
    return [*lines, (_inspect(source), False)]


def _inspect(source: Source) -> str:
    """The command that tells more of a run or file, and plays its best against opponents that never change."""
    name = shlex.quote(individual(Runs().player_name(source.path)))
    return f"More, with games and figures, on one page: {PROGRAM} inspect {name} --html page.html"
