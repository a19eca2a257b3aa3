"""Figures and HTML pages on disk. A page refers to no other file; that of a run moves (`extras.reports.moving`)."""

from __future__ import annotations

import base64
import contextlib
import html
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from evolve.inspection.contents import Contents, ReportTable, Section
from evolve.inspection.phrases import PARENTS_SHOWN
from evolve.inspection.results import Report
from evolve.names.registration import register
from evolve.report.ancestry import Ancestor
from evolve.report.overview import GenerationOverview, IndividualOverview, RunOverview
from evolve.run.files import together
from evolve.run.folder import Run
from evolve.run.runs import run_title
from extras.export import player_page, template
from extras.export.player_page import about, player_data
from extras.reports.figures import genomes, runs, style
from extras.reports.figures.style import NamedFigure
from extras.reports.moving import POLICY, moving_part
from game.errors import InputError, printable
from game.players.registry import player

KINDS = ("pdf", "png")
"""File types in which each figure is saved, for print and for the screen."""

PHONE = 42
"""Number of characters for which a phone has room in a row of a table."""

WRAPPED = PHONE // 3
"""Longest text of a cell that is not wrapped."""

LONG = r"[.](?=[a-z0-9]+[.a-z])|\w{16}(?=\w)"
"""Places after which keys and hashes are wrapped."""

FOR_RESEARCH = ("cell<", "games", "member<")
"""Columns that a phone has no room for, beside emblems."""


def write(report: Report, plots: Path | None, html: Path | None, show: Callable[[str], None]) -> Report:
    """Write figures and a page, and return the report with the paths of the files.

    Raises:
        InputError: there is nothing to draw.
        OSError: a file could not be written.
    """
    written: list[Path] = []
    pictures: list[tuple[str, str, bytes]] = []
    curves = report.curves() if hasattr(report, "curves") else ""  # a page draws these itself
    with together() as save, style.apply_style():
        for name, caption, make in figures(report) if plots is not None or not curves else ():
            show(f"drawing {name}")
            made = make()
            if plots is not None:
                for kind in KINDS:
                    path = plots / f"{name}.{kind}"
                    save(path, style.render(made, kind))
                    written.append(path)
            if html is not None and not curves:
                pictures.append((name, caption, style.render(made, "svg")))
        if plots is not None and not written:
            raise InputError("--plots: no weights of a known network to draw; --network names the network of a file")
        if html is not None:
            subject, contents, moving, board = report.subject, report.contents(), "", ""
            if isinstance(subject, RunOverview):
                show("collecting champions")
                moving = moving_part(subject)
                of_run = [_shielded(one, subject.run) for one in contents.sections]
                contents = replace(contents, name=run_title(contents.name), sections=of_run)
            elif isinstance(subject, GenerationOverview) and subject.run is not None:
                contents = replace(contents, name=f"Generation {subject.generation:,} of {subject.run.name}")
                board = _board(subject.individual())
            elif isinstance(subject, IndividualOverview):
                board = _board(subject)
            text = page(contents, pictures, moving, board, curves)
            if isinstance(subject, RunOverview):  # a page goes to other people, so it names no folder of this machine
                text = text.replace(f"{subject.run.path.parent}{os.sep}", "")
            save(html, text.encode())
            written.append(html)
    return replace(report, written=tuple(written))


def figures(report: Report) -> Iterator[NamedFigure]:
    if hasattr(report, "figures"):
        yield from report.figures()
        return
    subject = report.subject
    if isinstance(subject, RunOverview):
        yield from runs.of_run(subject)
        return
    individual = subject if isinstance(subject, IndividualOverview) else subject.individual()
    of = individual.of
    if of.spec is not None and individual.weights.size:
        spec = of.spec
        yield "kernels", genomes.KERNELS, lambda: genomes.kernels(individual.name, individual.weights, spec)


def escape(text: str) -> str:
    return html.escape(printable(text))


def _board(one: IndividualOverview) -> str:
    """Return a page to play against an individual, in a frame; empty if a page cannot play it."""
    run = one.of.run
    if run is None:
        return ""
    register(run.path.parent)
    best = one.row == one.of.rows.row_of(None)
    member, name = ("", f"Generation {one.of.generation:,}") if best else (f":{one.name}", one.name)
    try:
        opponent = player(f"{run.player_name}@{one.of.generation}{member}")
        data = player_data(opponent) | about(opponent, run.path.parent) | {"name": name}
    except InputError:
        return ""
    parts = {"STYLE": template.style(), "PLAYER": template.as_script(data)}
    played = html.escape(template.fill_template(player_page.template(), **parts))
    title = escape(f"Play against {name}")
    return f'<div id="play"><iframe title="{title}" sandbox="allow-scripts" srcdoc="{played}"></iframe></div>'


def page(
    contents: Contents, pictures: Iterable[tuple[str, str, bytes]], moving: str = "", board: str = "", curves: str = ""
) -> str:
    """Return a report as an HTML page.

    Args:
        moving: the part of a run's page that moves, as HTML; empty for other reports.
        board: a board to play against an individual, as HTML.
        curves: curves of several runs, as HTML.
    """
    state = f' <span class="state">{escape(contents.state)}</span>' if contents.state else ""
    parts = [
        "<!DOCTYPE html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
        f"<title>{escape(contents.name)}</title><style>{template.style()}</style></head><body class=report>",
        f"<h1>{escape(contents.name)}{state}</h1>",
        *([f'<p class="faint">{escape(contents.detail)}</p>'] if contents.detail else []),
    ]
    sections = list(contents.sections)
    if moving:
        first, *leading = [_section(one) for one in sections if one.leads] or [[]]
        below = [*_warnings(contents), *(part for each in leading for part in each)]
        parts.append(template.fill_template(moving, FIRST="\n".join(first), WARNINGS="\n".join(below)))
        sections = [
            *(one for one in sections[1:] if not one.leads),
            replace(sections[0], title=sections[0].title or "About this run"),
        ]
    else:
        parts += _warnings(contents)
    drawn = [_figure(*picture) for picture in pictures]
    if moving:
        *above, last = map(_folded, sections)
        parts += [part for each in above for part in each]
        parts += ["<details><summary>Figures for print</summary>", *drawn, "</details>"] if drawn else []
    else:
        last = _sections(sections[2:])
        beside, below = ([board], drawn) if board else (drawn, [])
        if beside:
            parts += [
                '<div class="beside"><div>',
                *beside,
                "</div><div>",
                *_sections(sections[:2]),
                *below,
                "</div></div>",
            ]
        else:
            parts += [curves, *_sections(sections[:2])]
    return "\n".join([*parts, *last, "</body></html>", ""])


def _warnings(contents: Contents) -> list[str]:
    if contents.checked is None:
        return []
    texts = [f'<p class="warning">{escape(warning.text)}</p>' for warning in contents.checked.findings]
    return ["<h2>Warnings</h2>", *texts] if texts else []


def _sections(sections: Sequence[Section]) -> list[str]:
    return [part for each in sections for part in _section(each)]


def _folded(section: Section) -> list[str]:
    """Return a section, folded below its title unless it is a table."""
    parts = _section(section)
    if section.table is not None or not section.title or not parts:
        return parts
    return [f"<details><summary>{escape(section.title)}</summary>", *parts[1:], "</details>"]


def _section(section: Section) -> list[str]:
    parts = [f"<h2>{escape(section.title)}</h2>"] if section.title else []
    if section.facts:
        rows = "".join(f"<dt>{escape(name)}</dt><dd>{escape(text)}</dd>" for name, text in section.facts)
        parts.append(f"<dl>{rows}</dl>")
    if section.table is not None:
        parts.append(_table(section.table))
    if section.more:
        parts.append(f'<p class="faint">{escape(section.more)}</p>')
    if section.tree is not None:
        parts.append(f'<ul class="tree">{_tree(section.tree)}</ul>')
    return parts if len(parts) > bool(section.title) else []


def _shielded(section: Section, run: Run) -> Section:
    """Return a section with pictures of emblems in place of the names of players."""
    if section.table is None:
        return section
    emblems = {}
    for at, name in section.table.shields.items():
        with contextlib.suppress(InputError):  # only the champion of a thinned generation has weights
            emblems[at] = about(player(name), run.path.parent)["emblem"]
    spared = [at for at, heading in enumerate(section.table.headings) if heading in FOR_RESEARCH]
    dispensable = section.table.dispensable or spared
    return replace(section, table=replace(section.table, shields=emblems, dispensable=dispensable))


def _table(table: ReportTable) -> str:
    columns = list(zip(*table.rows, strict=True))
    words = [max(map(len, re.split(r"[ /]", heading))) for heading in table.headings]
    longest = [max(map(len, column), default=0) for column in columns] or words
    widths = [max(word, min(text, WRAPPED)) for word, text in zip(words, longest, strict=True)]
    kept = table.kept(widths, PHONE, 3)
    looks = []
    for at, heading in enumerate(table.headings):
        names = {"left": heading.endswith("<"), "more": at not in kept, "wrap": longest[at] > WRAPPED}
        looks.append(f' class="{" ".join(name for name, given in names.items() if given)}"')

    def cells(tag: str, texts: Sequence[str], row: int = -1) -> str:
        shields = [table.shields.get((row, at), "") for at in range(len(texts))]
        drawn = [each and f'<i class="shield" style="background-image: {escape(each)}"></i>' for each in shields]
        shown = [re.sub(LONG, r"\g<0><wbr>", escape(text)) for text in texts]
        parts = zip(looks, drawn, shown, strict=True)
        return "".join(f"<{tag}{look}>{shield}{text}</{tag}>" for look, shield, text in parts)

    head = cells("th", [heading.rstrip("<") for heading in table.headings])
    body = "".join(f"<tr>{cells('td', row, number)}</tr>" for number, row in enumerate(table.rows))
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _tree(place: Ancestor) -> str:
    known = "not in its file" if place.fact is None else f"{place.fact.origin}, rank {place.fact.rank}"
    below = "".join(_tree(parent) for parent in place.ancestors[:PARENTS_SHOWN])
    if (more := len(place.ancestors) - PARENTS_SHOWN) > 0:
        below += f'<li class="faint">and {more:,} more</li>'
    below = f'<ul class="tree">{below}</ul>' if below else ""
    return f'<li>{escape(place.name)} <span class="faint">{escape(known)}</span>{below}</li>'


def _figure(name: str, caption: str, svg: bytes) -> str:
    # An image instead of inline SVG, so that ids of different figures do not clash.
    source = f"data:image/svg+xml;base64,{base64.b64encode(svg).decode()}"
    below = f'<figcaption class="faint">{escape(caption)}</figcaption>'
    return f'<figure><img src="{source}" alt="{escape(name)}: {escape(caption)}">{below}</figure>'
