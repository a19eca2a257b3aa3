"""Printing reports on a terminal, or without colours to a pipe or file."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.cells import cell_len
from rich.console import Console
from rich.padding import Padding
from rich.table import Table as Grid
from rich.text import Text
from rich.tree import Tree

from evolve.inspection.contents import Contents, ReportTable, Section
from evolve.inspection.phrases import PARENTS_SHOWN, say_no_warnings
from evolve.report.ancestry import Ancestor
from evolve.report.checked import Checked
from game.errors import printable

WIDTH = 110
"""Width of a report in a file or a pipe."""

INDENT = (0, 0, 0, 2)
GAP = 2
"""Spaces between columns."""


@contextlib.contextmanager
def console() -> Iterator[Console]:
    """Return a console for standard output. In a file or pipe it has `WIDTH` columns and no trailing spaces."""
    out = Console(highlight=False, markup=False, emoji=False)
    if out.is_terminal:
        yield out
        return
    text = io.StringIO()
    yield Console(file=text, highlight=False, markup=False, emoji=False, width=WIDTH)
    print(*(line.rstrip() for line in text.getvalue().splitlines()), sep="\n")


def show(contents: Contents, written: Sequence[Path] = ()) -> None:
    with console() as out:
        title = Text(printable(contents.name), "bold")
        title.append(f"  {printable(contents.state)}" if contents.state else "", "cyan")
        title.append(f"  {printable(contents.folder or contents.detail)}", "dim")
        out.print(title, soft_wrap=not out.is_terminal, overflow="fold" if out.is_terminal else None)
        for section in contents.sections:
            _section(out, section)
        if contents.checked is not None:
            _findings(out, contents.checked)
        if written:
            _heading(out, "Written")
            for path in written:
                out.print(printable(f"  {path}"), soft_wrap=True)


def _section(out: Console, section: Section) -> None:
    _heading(out, section.title)
    if section.facts:
        _facts(out, section.facts)
    if section.table is not None:
        _table(out, section.table)
    if section.more:
        out.print(Padding(printable(section.more), INDENT), style="dim")
    if section.tree is not None:
        out.print(Padding(_tree(section.tree), INDENT))


def _heading(out: Console, text: str) -> None:
    out.print()
    if text:
        out.print(printable(text), style="bold")


def _facts(out: Console, facts: Sequence[tuple[str, str]]) -> None:
    grid = Grid.grid(padding=(0, GAP, 0, 0))
    grid.add_column(no_wrap=True, style="dim")
    grid.add_column(overflow="fold")
    for name, text in facts:
        grid.add_row(printable(name), printable(text))
    out.print(Padding(grid, INDENT))


def _table(out: Console, table: ReportTable) -> None:
    cells = [[printable(text) for text in row] for row in [[name.rstrip("<") for name in table.headings], *table.rows]]
    widths, room = [max(map(cell_len, column)) for column in zip(*cells, strict=True)], out.width - INDENT[3]
    kept = table.kept(widths, room, GAP)
    gone = [cells[0][at] for at in table.dispensable if at not in kept]
    longest = [
        max((cell_len(word) for text in column for word in text.split()), default=0)
        for column in zip(*cells, strict=True)
    ]
    if all(heading.endswith("<") for heading in table.headings) and sum(longest[at] + GAP for at in kept) - GAP > room:
        _stacked(out, cells[0], cells[1:])
        return
    grid = Grid(box=None, padding=(0, GAP, 0, 0), header_style="dim", pad_edge=False)
    for at in kept:
        left = table.headings[at].endswith("<")
        whole = not left or (at == kept[0] and widths[at] <= room / 2)  # the first column has names
        grid.add_column(cells[0][at], justify="left" if left else "right", no_wrap=whole, overflow="fold")
    for row in cells[1:]:
        grid.add_row(*(row[at] for at in kept))
    out.print(Padding(grid, INDENT))
    if gone:
        out.print(Padding(f"no room for columns: {', '.join(gone)}", INDENT), style="dim")


def _stacked(out: Console, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table that is too wide for columns: the name of each row, followed by its cells as facts."""
    for name, *texts in rows:
        out.print(Padding(name, INDENT))
        grid = Grid.grid(padding=(0, GAP, 0, 0))
        grid.add_column(no_wrap=True, style="dim")
        grid.add_column(overflow="fold")
        for heading, text in zip(headings[1:], texts, strict=True):
            grid.add_row(heading, text)
        out.print(Padding(grid, (0, 0, 0, 2 * INDENT[3])))


def _findings(out: Console, checked: Checked) -> None:
    _heading(out, "Warnings")
    if not checked.findings:
        out.print(Padding(say_no_warnings(checked.looked), INDENT))
    for warning in checked.findings:
        grid = Grid.grid(padding=(0, 1, 0, 0))
        grid.add_column(style="bold yellow")
        grid.add_column(overflow="fold")
        grid.add_row("!", printable(warning.text))
        out.print(Padding(grid, INDENT))
    if checked.missed:
        out.print(Padding(checked.missed, INDENT), style="dim")


def _tree(place: Ancestor, tree: Tree | None = None) -> Tree:
    text = Text(printable(place.name))
    known = "not in its file" if place.fact is None else f"{place.fact.origin}, rank {place.fact.rank}"
    text.append(f"  {printable(known)}", style="dim")
    branch = Tree(text, guide_style="dim") if tree is None else tree.add(text)
    for parent in place.ancestors[:PARENTS_SHOWN]:
        _tree(parent, branch)
    if (more := len(place.ancestors) - PARENTS_SHOWN) > 0:
        branch.add(Text(f"and {more:,} more", "dim"))
    return branch
