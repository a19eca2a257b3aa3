"""Stars and notes about individuals, which a person keeps beside the run.

They are in ``notes.json`` in the run folder, so they go where the run goes. No checksum covers that file, and a session
neither reads nor changes it.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace

from evolve.run.files import open_regular, read_regular, write_atomically
from evolve.run.folder import RunFolder
from game.errors import InputError

NAME = "notes.json"
LOCK = ".notes.lock"
LOCK_SECONDS = 5.0
MAX_TEXT = 10_000
MAX_BYTES = 64 << 20


class NotesError(InputError):
    """Notes that cannot be read or kept; the text says why and what to do."""


@dataclass(frozen=True, order=True)
class Note:
    """What a person keeps about an individual.

    Attributes:
        generation: of the individual.
        name: of the individual.
        starred: whether it has a star.
        text: the note; empty if there is none.
    """

    generation: int
    name: str
    starred: bool = False
    text: str = ""


def read(run: RunFolder) -> dict[tuple[int, str], Note]:
    """All notes of a run by generation and name, in this order.

    Raises:
        NotesError: the file is there but cannot be read.
    """
    path = run.path / NAME
    if path.is_file() and (size := path.stat().st_size) > MAX_BYTES:
        raise NotesError(f"{path}: {size:,} bytes, notes have at most {MAX_BYTES:,}; move it away")
    try:
        values = json.loads(read_regular(path, MAX_BYTES))
        found = [_checked(Note(**value)) for value in values["notes"]]
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise NotesError(f"{path}: cannot be read: {error.strerror}") from error
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise NotesError(f"{path}: expected the notes of a run, got something else; mend it or move it away") from error
    return {(note.generation, note.name): note for note in sorted(found)}


def star(run: RunFolder, generation: int, name: str, starred: bool = True) -> Note:
    """Give an individual a star, or take it away; returns what is kept about it now.

    Raises:
        NotesError: the notes cannot be read, or another program holds them for long.
        OSError: they could not be written; the old ones are untouched.
    """
    return _changed(run, generation, name, starred=starred)


def note(run: RunFolder, generation: int, name: str, text: str) -> Note:
    """Keep a note about an individual, or take it away by an empty one; returns what is kept about it now.

    Raises:
        NotesError: the notes cannot be read, the text is too long, or another program holds them for long.
        OSError: they could not be written; the old ones are untouched.
    """
    if len(text) > MAX_TEXT:
        raise NotesError(f"note on {name}: {len(text):,} characters, at most {MAX_TEXT:,}")
    return _changed(run, generation, name, text=text)


def _changed(run: RunFolder, generation: int, name: str, **changes: bool | str) -> Note:
    """Change one note under a lock, so that two windows do not lose each other's."""
    import filelock

    try:
        open_regular(run.path / LOCK, "ab").close()  # it might be a link
        with filelock.FileLock(run.path / LOCK, timeout=LOCK_SECONDS):
            kept = read(run)
            new = replace(kept.get((generation, name), Note(generation, name)), **changes)  # type: ignore[arg-type]
            kept.pop((generation, name), None)
            if new.starred or new.text:
                kept[generation, name] = new
            values = {"notes": [asdict(each) for each in sorted(kept.values())]}
            write_atomically(run.path / NAME, json.dumps(values, ensure_ascii=False, indent=1).encode() + b"\n")
    except filelock.Timeout:
        raise NotesError(f"{run.path / NAME}: another program holds the notes; try again") from None
    return new


def _checked(found: Note) -> Note:
    right = type(found.generation) is int and type(found.starred) is bool
    if not (right and isinstance(found.name, str) and isinstance(found.text, str)):
        raise TypeError("not a note")
    return found
