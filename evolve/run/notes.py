"""Stars and notes about individuals, and tags and a note about the run, kept by the user.

They are in ``notes.json`` in the run folder, so they go where the run goes. No checksum covers that file, and a session
neither reads nor changes it. Lists leave out an archived run; all else stays as it is.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from evolve.run.files import write_atomically
from evolve.run.folder import Run
from evolve.run.runs import came_installed
from game.errors import InputError
from game.installation import data_folder
from game.regular_files import open_regular, read_regular

NAME = "notes.json"
LOCK = ".notes.lock"
LOCK_SECONDS = 5.0
MAX_TEXT = 10_000
MAX_TAG = 40
MAX_BYTES = 64 << 20


class NotesError(InputError):
    """Notes cannot be read or kept; the text says why and what to do."""


@dataclass(frozen=True, order=True)
class Note:
    """A star and a note about an individual.

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


def notes_folder(run: Path) -> Path:
    """Return where the notes of a run are: in its folder, or for an installed run in the data folder of the user."""
    return data_folder() / "notes" / run.name if came_installed(run) else run


@dataclass(frozen=True)
class RunNote:
    """Tags and a note about a run.

    Attributes:
        text: the note; empty if there is none.
        tags: words by which runs are found.
        archived: whether lists leave it out.
    """

    text: str = ""
    tags: tuple[str, ...] = ()
    archived: bool = False


def read(run: Run) -> dict[tuple[int, str], Note]:
    """Read all notes of a run by generation and name, in this order.

    Raises:
        NotesError: the file is there but cannot be read.
    """
    return _read(run)[0]


def read_of_run(run: Run) -> RunNote:
    """Read tags and note of a run; raises what `read` does."""
    return _read(run)[1]


def _read(run: Run) -> tuple[dict[tuple[int, str], Note], RunNote]:
    path = notes_folder(run.path) / NAME
    if path.is_file() and (size := path.stat().st_size) > MAX_BYTES:
        raise NotesError(f"{path}: {size:,} bytes, notes have at most {MAX_BYTES:,}; move it away")
    try:
        values = json.loads(read_regular(path, MAX_BYTES))
        found = [_checked(Note(**value)) for value in values["notes"]]
        of_run = values.get("run", {})
        about = RunNote(of_run.get("text", ""), tuple(of_run.get("tags", ())), of_run.get("archived", False))
        if not all(isinstance(each, str) for each in (about.text, *about.tags)) or type(about.archived) is not bool:
            raise TypeError("not a note")
    except FileNotFoundError:
        return {}, RunNote()
    except OSError as error:
        raise NotesError(f"{path}: cannot be read: {error.strerror}") from error
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise NotesError(f"{path}: expected the notes of a run, got something else; mend it or move it away") from error
    return {(note.generation, note.name): note for note in sorted(found)}, about


def star(run: Run, generation: int, name: str, starred: bool = True) -> Note:
    """Give an individual a star, or take it away; return its note.

    Raises:
        NotesError: the notes cannot be read, or another program holds them for long.
        OSError: they could not be written; the old ones are untouched.
    """
    return _changed(run, generation, name, starred=starred)


def note(run: Run, generation: int, name: str, text: str) -> Note:
    """Set the note of an individual; an empty one removes it. Return the note.

    Raises:
        NotesError: the notes cannot be read, the text is too long, or another program holds them for long.
        OSError: they could not be written; the old ones are untouched.
    """
    if len(text) > MAX_TEXT:
        raise NotesError(f"note on {name}: {len(text):,} characters, at most {MAX_TEXT:,}")
    return _changed(run, generation, name, text=text)


def checked_tags(text: str) -> list[str]:
    """Split a text into tags at its commas; an empty text is none.

    Raises:
        NotesError: a tag is not valid.
    """
    tags = [tag.strip() for tag in text.split(",") if tag.strip()]
    if text.strip() and not tags:
        raise NotesError(f"tags: expected words with commas between, such as good,kept, got {text[:MAX_TAG]!r}")
    _check_tags(tags)
    return tags


def _check_tags(tags: Sequence[str]) -> None:
    for tag in tags:
        if not tag or tag != tag.strip() or len(tag) > MAX_TAG or not tag.isprintable() or "," in tag:
            raise NotesError(
                f"tag {tag[:MAX_TAG]!r}: expected 1 to {MAX_TAG} characters without commas or spaces around"
            )


def note_run(
    run: Run, text: str | None = None, tags: Sequence[str] | None = None, archived: bool | None = None
) -> RunNote:
    """Change note, tags or archiving of a run; None leaves them as they are.

    Raises:
        NotesError: the notes cannot be read, a text is too long, or another program holds them for long.
        OSError: they could not be written; the old ones are untouched.
    """
    if len(text or "") > MAX_TEXT:
        raise NotesError(f"note on {run.name}: {len(text or ''):,} characters, at most {MAX_TEXT:,}")
    _check_tags(tags or ())

    def change(kept: dict[tuple[int, str], Note], about: RunNote) -> RunNote:
        kept_tags = about.tags if tags is None else tuple(dict.fromkeys(tags))
        kept_text = about.text if text is None else text
        return RunNote(kept_text, kept_tags, about.archived if archived is None else archived)

    return _change(run, change)


def _changed(run: Run, generation: int, name: str, **changes: bool | str) -> Note:
    new = Note(generation, name)

    def change(kept: dict[tuple[int, str], Note], about: RunNote) -> RunNote:
        nonlocal new
        new = replace(kept.pop((generation, name), new), **changes)  # type: ignore[arg-type]
        if new.starred or new.text:
            kept[generation, name] = new
        return about

    _change(run, change)
    return new


def _change(run: Run, change: Callable[[dict[tuple[int, str], Note], RunNote], RunNote]) -> RunNote:
    """Change notes under a lock, so that two windows do not overwrite each other's."""
    import filelock

    try:
        folder = notes_folder(run.path)
        folder.mkdir(parents=True, exist_ok=True)
        open_regular(folder / LOCK, "ab").close()  # it might be a link
        with filelock.FileLock(folder / LOCK, timeout=LOCK_SECONDS):
            kept, about = _read(run)
            about = change(kept, about)
            values: dict[str, Any] = {"notes": [asdict(each) for each in sorted(kept.values())]}
            if about != RunNote():
                values["run"] = asdict(about)
            write_atomically(folder / NAME, json.dumps(values, ensure_ascii=False, indent=1).encode() + b"\n")
    except filelock.Timeout:
        raise NotesError(f"{run.path / NAME}: another program holds the notes; try again") from None
    return about


def _checked(found: Note) -> Note:
    right = type(found.generation) is int and type(found.starred) is bool
    if not (right and isinstance(found.name, str) and isinstance(found.text, str)):
        raise TypeError("not a note")
    return found
