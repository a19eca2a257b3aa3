"""Listing runs, changing their notes and tags, and archiving and deleting them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from evolve.inspection.contents import Contents, ReportTable, Section
from evolve.run import notes
from evolve.run.files import RunError
from evolve.run.folder import Run
from evolve.run.runs import Runs, remove_run, size_of, why_kept
from game.errors import InputError
from game.number_text import count_text, size_text


def list_runs(runs: Path, tags: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Return the runs of a folder and of its sweeps, sorted by name.

    Returns:
        A dict for each run: ``name``, ``preset`` and ``seed`` (None if the configuration cannot be read), ``state``
        (perhaps ``damaged``), ``generation`` (the newest complete one, or -1), ``tags``, ``note``, ``archived``.
    """
    folder = Runs(runs)
    entries = [_entry(name, Run(folder.path(name))) for name in folder.names()]
    entries += [_entry(name, Run(runs / name)) for name in folder.sweep_names()]
    return sorted((entry for entry in entries if set(tags) <= set(entry["tags"])), key=lambda entry: entry["name"])


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
    """Return a table of the runs that are not archived."""
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
        "", table=ReportTable(headings, lines, ("note<", "seed", "preset<")) if lines else None,
        more=f"and {archived:,} archived" if archived else "",
    )  # fmt: skip
    return Contents(count_text(len(listed), "run"), "", str(runs), [table])


OF_A_REPORT = ("games", "network")
"""Options that request a report."""


def is_meant(options: argparse.Namespace) -> bool:
    """Return whether options change or delete runs without requesting a report.

    For several runs or a sweep, ``--tags`` selects runs instead of changing them.
    """
    if options.delete or options.archive is not None:
        return True
    keeps = options.note is not None or options.tags is not None
    one = len(options.targets) == 1 and Run.find(options.runs, options.targets[0]) is not None
    return keeps and one and not any(_given(options, name) for name in OF_A_REPORT)


def _given(options: argparse.Namespace, name: str) -> bool:
    value = getattr(options, name)
    return value is not None and value is not False and value != []  # the 0 of --games 0 counts as given


def keep(options: argparse.Namespace, ask: Callable[[str], bool]) -> list[dict[str, Any]]:
    """Change notes, tags and archiving of runs, or delete runs.

    Returns:
        The name of each run, and its state after the change.

    Raises:
        InputError: options contradict each other, or a run is missing or must not be deleted; nothing was changed.
    """
    doing = "--delete" if options.delete else "--archive" if options.archive else "--no-archive"
    others: tuple[str, ...] = OF_A_REPORT
    if options.delete or len(options.targets) > 1:
        others += ("note", "tags")
    if options.delete and options.archive is not None:
        raise InputError("--delete: not together with --archive or --no-archive")
    for name in others:
        if _given(options, name):
            raise InputError(f"--{name}: not together with {doing}")
    if not options.targets:
        raise InputError(f"{doing}: expected the names of one or more runs")
    tags = None if options.tags is None else notes.checked_tags(options.tags)
    runs = [Run.open(target, options.runs) for target in dict.fromkeys(options.targets)]
    if options.delete:
        return _delete(runs, ask, sure=options.yes)
    done = []
    for run in runs:
        about = notes.note_run(run, options.note, tags, options.archive)
        done.append({"run": run.name, "archived": about.archived, "tags": [*about.tags], "note": about.text})
    return done


def _delete(runs: list[Run], ask: Callable[[str], bool], *, sure: bool) -> list[dict[str, Any]]:
    for run in runs:
        if why := why_kept(run.path):
            raise RunError(f"--delete: {why}")
    for run in runs:
        newest = run.manifest().newest
        holds = count_text(newest + 1, "generation") if newest >= 0 else "no complete generation"
        size = size_text(size_of(run.path))
        if not sure and not ask(f"{run.name}: {holds}, {size} in {run.path}. This cannot be undone. Delete? [y/N] "):
            return [{"run": run.name, "deleted": False}]
    for run in runs:
        remove_run(run.path)
    return [{"run": run.name, "deleted": True} for run in runs]


def ask_here(question: str) -> bool:
    """Ask a question on the terminal, and return whether the answer is yes.

    Raises:
        InputError: standard input is not a terminal.
    """
    if not sys.stdin.isatty():
        raise InputError("--delete: expected a terminal on which to ask for confirmation, or --yes")
    print(question, end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def in_words(done: list[dict[str, Any]]) -> str:
    return "\n".join(map(_line, done))


def _line(about: dict[str, Any]) -> str:
    if "deleted" in about:
        return f"{about['run']}: {'deleted' if about['deleted'] else 'nothing was deleted'}"
    tags, note = ", ".join(about["tags"]) or "none", _shortened(about["note"]) or "none"
    return f"{about['run']}: {'archived; ' if about['archived'] else ''}tags {tags}; note {note}"


def _shortened(text: str) -> str:
    line, more, _ = text.partition("\n")
    return f"{line[:60]}..." if more or len(line) > 60 else line
