"""Facts about a run, read in a thread: differences from its preset, the command that repeats it, its notes."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from game.number_text import value_text
from gui.background import Background, Trouble

Fact = tuple[str, str, str]
"""Name, value, and the original value if it differs."""


def read_facts(path: Path) -> tuple[list[Fact], str, str]:
    """Read the facts about a run.

    Raises:
        InputError: its configuration or notes cannot be read.
    """
    from evolve.report import comparison
    from evolve.run import notes
    from evolve.run.folder import LOOP, Run

    run = Run(path)
    made_with, config, manifest, about = run.check_format(), run.config(), run.manifest(), notes.read_of_run(run)
    before, digest, newest = str(made_with.get("branched_from", config.preset)), manifest.digest(), manifest.newest
    changes = comparison.differences_from_origin(run, config, made_with)
    differences = [(change.name, _text(change.second), _text(change.first)) for change in changes or ()]
    none = "unknown" if changes is None else f"none from {before}"
    facts = [
        *([("made by", "a user's own loop", "")] if LOOP in made_with else []),
        ("preset", config.preset, ""),
        *([("branch of", before, "")] if before != config.preset else []),
        ("seed", str(config.seed), ""),
        *([("obtained", config.obtained, "")] if config.obtained and LOOP not in made_with else []),
        *([("digest", digest, "")] if digest else []),
        *([("tags", ", ".join(about.tags), "")] if about.tags else []),
        *([("note", about.text, "")] if about.text else []),
        *(differences or [("differences", none, "")]),
    ]
    command = comparison.repeat_command(run, config, made_with, newest) if newest >= 0 else None
    return facts, before, command or ""


def _text(value: object) -> str:
    """Return a value as TOML writes it, except that numbers are rounded for reading."""
    if value is None:
        return "–"
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value).lower() if isinstance(value, bool) else str(value)
    return value_text(value)


class RunNotes:
    """Writer of tags and notes.

    It writes in the background, because another program may lock the notes file for seconds.
    """

    def __init__(self, writes: Background) -> None:
        self.said: list[str] = []
        self._writes = writes
        self._count = 0
        self._written = False

    @property
    def busy(self) -> bool:
        return self._writes.wants(self)

    def tag(self, path: Path, text: str) -> str:
        """Replace the tags of a run with a comma-separated list; return an error message, or an empty string."""
        from evolve.run import notes

        try:
            tags = notes.checked_tags(text)
        except notes.NotesError as error:
            return str(error)
        self._keep(path, tags=tags)
        return ""

    def write(self, path: Path, text: str) -> str:
        """Replace the note on a run; return an error message, or an empty string."""
        from evolve.run import notes

        if len(text) > notes.MAX_TEXT:
            return f"A note has at most {notes.MAX_TEXT:,} characters."
        self._keep(path, text=text)
        return ""

    def archive(self, path: Path, archived: bool) -> None:
        self._keep(path, archived=archived)

    def _keep(self, path: Path, **changes: Any) -> None:
        from evolve.run import notes
        from evolve.run.folder import Run

        self._count += 1  # a unique name, so that no change replaces a pending one
        self._writes.ask(self, f"note {self._count}", partial(notes.note_run, Run(path), **changes), self._receive)

    def _receive(self, answer: Any) -> None:
        self._written = True
        if isinstance(answer, Trouble):
            self.said.append(f"Not saved: {answer.text}")

    def poll(self) -> bool:
        self._writes.deliver()
        written, self._written = self._written, False
        return written
