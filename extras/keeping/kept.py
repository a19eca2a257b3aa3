"""Notes and tags of runs, archiving them, and deleting them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import Any

from evolve.commands.options import is_given
from evolve.run import notes
from evolve.run.files import RunError
from evolve.run.folder import Run
from extras.keeping.removal import remove_run, size_of, why_kept
from game.errors import InputError
from game.number_text import count_text, size_text

OF_A_REPORT = ("games", "network", "column", "earlier", "html", "plots", "traits")
"""Options that request a report."""


def keep(options: argparse.Namespace, ask: Callable[[str], bool]) -> list[dict[str, Any]]:
    """Change notes, tags and archiving of runs, or delete runs.

    Returns:
        The name of each run, and its state after the change.

    Raises:
        InputError: options contradict each other, or a run is missing or must not be deleted; nothing was changed.
    """
    doing = "--delete" if options.delete else "--archive" if options.archive else "--no-archive"
    others = (*OF_A_REPORT, "note", "tags") if options.delete or len(options.targets) > 1 else OF_A_REPORT
    if options.delete and options.archive is not None:
        raise InputError("--delete: not together with --archive or --no-archive")
    for name in others:
        if is_given(options, name):
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
