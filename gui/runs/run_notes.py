"""Writing tags and notes of runs in a thread, since another program may lock their file."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from gui.background import Background, Trouble


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
