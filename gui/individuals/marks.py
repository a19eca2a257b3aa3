"""Stars and notes of a run: visible at once, saved in the background, since another program may lock their file."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from evolve.run.files import Stamp
from gui.background import Background, Trouble
from gui.runs.sources import Source

if TYPE_CHECKING:
    from evolve.run.notes import Note


class Marks:
    """Stars and notes of the individuals of one run at a time."""

    def __init__(self, writes: Background) -> None:
        self.said: list[str] = []
        self._notes: dict[tuple[int, str], Note] = {}
        self._seen: tuple[Path, Stamp] | None = None
        self._writes = writes
        self._written = False
        self._count = 0

    @property
    def busy(self) -> bool:
        return self._writes.wants(self)

    def of(self, generation: int, name: str) -> tuple[bool, str]:
        kept = self._notes.get((generation, name))
        return (False, "") if kept is None else (kept.starred, kept.text)

    def of_generation(self, generation: int) -> dict[str, tuple[bool, str]]:
        return {name: (note.starred, note.text) for (at, name), note in self._notes.items() if at == generation}

    def forget(self) -> None:
        """Make the next `look` read the notes again, as for another run."""
        self._notes, self._seen = {}, None

    def star(self, path: Path, generation: int, name: str) -> None:
        from evolve.run import notes
        from evolve.run.folder import Run

        starred, text = self.of(generation, name)
        self._notes[generation, name] = notes.Note(generation, name, not starred, text)
        self._write(partial(notes.star, Run(path), generation, name, not starred))

    def note(self, path: Path, generation: int, name: str, text: str) -> str:
        """Save a note about an individual of a run; return why this is impossible, if it is."""
        from evolve.run import notes
        from evolve.run.folder import Run

        if len(text) > notes.MAX_TEXT:
            return f"A note has at most {notes.MAX_TEXT:,} characters."
        self._notes[generation, name] = notes.Note(generation, name, self.of(generation, name)[0], text)
        self._write(partial(notes.note, Run(path), generation, name, text))
        return ""

    def _write(self, work: partial[Note]) -> None:
        self._count += 1  # a unique name, so that a later change does not replace it
        self._writes.ask(self, f"note {self._count}", work, self._receive)

    def _receive(self, answer: Note | Trouble) -> None:
        self._written = True
        if isinstance(answer, Trouble):
            self.said.append(f"The note was not saved: {answer.text}")

    def look(self, path: Path, *, kept: bool) -> bool:
        """Read changes that were made here or elsewhere; return whether there were any.

        Args:
            kept: whether `path` has notes, as runs do.
        """
        self._writes.deliver()
        written, self._written = self._written, False
        if self.busy:  # what is being written is visible already
            return written
        from evolve.run import notes
        from evolve.run.folder import Run
        from game.errors import InputError

        if self._seen is None or self._seen[0] != path:
            self._seen = path, Stamp(notes.notes_folder(path) / notes.NAME)
        if not self._seen[1].refresh() and not written:
            return False
        try:
            self._notes = notes.read(Run(path)) if kept else {}
        except InputError as error:
            self._notes = {}
            self.said.append(str(error))
        return True


def why_unmarked(source: Source | None, name: str) -> str:
    """Return why an individual can have neither star nor note; empty if it can."""
    if source is None or not name:
        return "Choose an individual first."
    if not source.is_run:
        return "Only individuals of runs can have stars and notes; this file belongs to no run."
    return ""
