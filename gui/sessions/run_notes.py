"""Tags and notes of runs, written in the background: another program may hold their file for seconds. No pygame."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from gui.individuals.background import Background, Trouble
from gui.individuals.marks import CLOSE_SECONDS


class RunNotes:
    """Writes what a person keeps about runs.

    Attributes:
        said: sentences for the person; whoever shows them takes them away.
    """

    def __init__(self) -> None:
        self.said: list[str] = []
        self._writes, self._count = Background(), 0

    @property
    def busy(self) -> bool:
        """Whether something is still to be written."""
        return self._writes.busy

    def tag(self, path: Path, text: str) -> str:
        """Keep other tags of a run, as written with commas; why not, or nothing."""
        from evolve.run import notes

        try:
            tags = notes.checked_tags(text)
        except notes.NotesError as error:
            return str(error)
        self._keep(path, tags=tags)
        return ""

    def write(self, path: Path, text: str) -> str:
        """Keep a note on a run; why not, or nothing."""
        from evolve.run import notes

        if len(text) > notes.MAX_TEXT:
            return f"A note has at most {notes.MAX_TEXT:,} characters."
        self._keep(path, text=text)
        return ""

    def archive(self, path: Path, archived: bool) -> None:
        """Put a run out of sight, or take it back."""
        self._keep(path, archived=archived)

    def _keep(self, path: Path, **what: Any) -> None:
        from evolve.run import notes
        from evolve.run.folder import Run

        self._count += 1  # each counts, also if another one is asked for meanwhile
        self._writes.ask(f"note {self._count}", partial(notes.note_run, Run(path), **what))

    def poll(self) -> bool:
        """See what has been written; returns whether anything has."""
        written = self._writes.poll()
        self.said += [f"It was not kept: {answer.text}" for _, answer in written if isinstance(answer, Trouble)]
        return bool(written)

    def close(self) -> None:
        """Let what was asked be written."""
        self._writes.finish(CLOSE_SECONDS)
