"""The list of runs, with their tags and notes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from evolve.inspection.contents import Contents, ReportTable, Section
from evolve.run import notes
from evolve.run.folder import Run
from evolve.run.runs import Runs
from game.errors import InputError
from game.number_text import count_text


def list_runs(runs: Path) -> list[dict[str, Any]]:
    """Return the runs of a folder and of its sweeps, sorted by name.

    Returns:
        A dict for each run: ``name``, ``preset`` and ``seed`` (None if the configuration cannot be read), ``state``
        (perhaps ``damaged``), ``generation`` (the newest complete one, or -1), ``tags``, ``note``, ``archived``.
    """
    folder = Runs(runs)
    entries = [_entry(name, Run(folder.path(name))) for name in folder.names()]
    entries += [_entry(name, Run(runs / name)) for name in folder.sweep_names()]
    return sorted(entries, key=lambda entry: entry["name"])


def _entry(name: str, run: Run) -> dict[str, Any]:
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
    return {
        "name": name, "preset": preset, "seed": seed, "state": state, "generation": known.newest,
        "tags": about.tags, "note": about.text, "archived": about.archived,
    }  # fmt: skip


def contents(entries: Sequence[dict[str, Any]], runs: Path) -> Contents:
    listed = [entry for entry in entries if not entry["archived"]]
    lines = [
        [
            entry["name"], entry["preset"] or "-", "-" if entry["seed"] is None else str(entry["seed"]), entry["state"],
            str(entry["generation"]) if entry["generation"] >= 0 else "-", ", ".join(entry["tags"]),
            entry["note"].partition("\n")[0],
        ]
        for entry in listed
    ]  # fmt: skip
    headings = ("run<", "preset<", "seed", "state<", "generation", "tags<", "note<")
    archived = len(entries) - len(listed)
    table = Section(
        "", table=ReportTable(headings, lines, [*map(headings.index, ("note<", "seed", "preset<"))]) if lines else None,
        more=f"and {archived:,} archived" if archived else "",
    )  # fmt: skip
    return Contents(count_text(len(listed), "run"), "", str(runs), [table])
