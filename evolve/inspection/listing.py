"""All runs of a folder as a list, also those of sweeps, with the tags and notes that are kept about them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from evolve.inspection.contents import Contents, ReportTable, Section
from evolve.run import notes
from evolve.run.folder import Run
from evolve.run.runs import Runs
from game.errors import InputError
from game.number_text import count_text


@dataclass(frozen=True)
class ListedRun:
    """What a list tells of a run.

    Attributes:
        name: of the run, as other commands take it.
        preset: from which its values come; None if its configuration cannot be read.
        seed: of the run; None likewise.
        state: what it does, or ``damaged``.
        generation: its newest complete one; -1 if there is none.
        tags: words by which it is found.
        note: what a person has written about it.
        archived: whether lists leave it out.
    """

    name: str
    preset: str | None
    seed: int | None
    state: str
    generation: int
    tags: tuple[str, ...]
    note: str
    archived: bool


def list_runs(runs: Path, tags: Sequence[str] = ()) -> list[ListedRun]:
    """Runs that have all of these tags, by name; what is damaged is told, not raised."""
    found = [_listed(name, Run(Runs(runs).path(name))) for name in Runs(runs).names()]
    found += [_listed(name, Run(runs / name)) for name in Runs(runs).sweep_names()]
    return sorted((run for run in found if set(tags) <= set(run.tags)), key=lambda run: run.name)


def _listed(name: str, run: Run) -> ListedRun:
    known, about = run.manifest(), notes.RunNote()
    preset = seed = None
    state = str(run.state()[0])
    try:
        about = notes.read_of_run(run)
        tables = run.tables()
        preset, seed = str(tables.get("preset", "")) or None, tables.get("seed")
    except InputError:
        state = "damaged"
    if known.damage is not None:
        state = "damaged"
    return ListedRun(name, preset, seed, state, known.newest, about.tags, about.text, about.archived)


def contents(found: Sequence[ListedRun], runs: Path) -> Contents:
    """Those that are not archived as a table."""
    shown = [run for run in found if not run.archived]
    lines = [
        [
            run.name, run.preset or "-", "-" if run.seed is None else str(run.seed), run.state,
            str(run.generation) if run.generation >= 0 else "-", ", ".join(run.tags), run.note.partition("\n")[0],
        ]
        for run in shown
    ]  # fmt: skip
    headings = ("run<", "preset<", "seed", "state<", "generation", "tags<", "note<")
    away = len(found) - len(shown)
    table = Section(
        "", table=ReportTable(headings, lines, ("note<", "seed", "preset<")) if lines else None,
        more=f"and {away:,} archived" if away else "",
    )  # fmt: skip
    return Contents(count_text(len(shown), "run"), "", str(runs), [table])


def plain(found: Sequence[ListedRun]) -> dict[str, Any]:
    """All of them as plain values, for JSON."""
    return {"kind": "list", "runs": [asdict(run) for run in found]}
