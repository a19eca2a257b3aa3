"""Tags and a note about a run, kept by the user.

The file may also have stars and notes about individuals, which earlier versions kept; they stay there.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
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
    """Notes cannot be read or saved; the message says why and what to do."""


def notes_folder(run: Path) -> Path:
    """Return the folder of a run's notes: the run folder, or a folder in the user's data for an installed run."""
    return data_folder() / "notes" / run.name if came_installed(run) else run


@dataclass(frozen=True)
class RunNote:
    """Tags and a note about a run, and whether it is hidden from lists."""

    text: str = ""
    tags: tuple[str, ...] = ()
    archived: bool = False


def read_of_run(run: Run) -> RunNote:
    return _read(run)[1]


def _read(run: Run) -> tuple[dict[str, Any], RunNote]:
    path = notes_folder(run.path) / NAME
    if path.is_file() and (size := path.stat().st_size) > MAX_BYTES:
        raise NotesError(f"{path}: {size:,} bytes, notes have at most {MAX_BYTES:,}; move the file away")
    try:
        values = json.loads(read_regular(path, MAX_BYTES))
        of_run = values.get("run", {})
        about = RunNote(of_run.get("text", ""), tuple(of_run.get("tags", ())), of_run.get("archived", False))
        texts = all(isinstance(text, str) for text in (about.text, *about.tags))
        if not (texts and type(about.archived) is bool and isinstance(values["notes"], list)):
            raise TypeError("not a note")
    except FileNotFoundError:
        return {"notes": []}, RunNote()
    except OSError as error:
        raise NotesError(f"{path}: cannot be read: {error.strerror}") from error
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise NotesError(f"{path}: these are not the notes of a run; repair the file or move it away") from error
    return values, about


def checked_tags(text: str) -> list[str]:
    """Split a text into tags at its commas; an empty text has no tags."""
    tags = [tag.strip() for tag in text.split(",") if tag.strip()]
    if text.strip() and not tags:
        raise NotesError(f"tags: expected words separated by commas, such as good,kept, got {text[:MAX_TAG]!r}")
    _check_tags(tags)
    return tags


def _check_tags(tags: Sequence[str]) -> None:
    for tag in tags:
        if not tag or tag != tag.strip() or len(tag) > MAX_TAG or not tag.isprintable() or "," in tag:
            raise NotesError(
                f"tag {tag[:MAX_TAG]!r}: expected 1 to {MAX_TAG} characters, no comma, and no space at the ends"
            )


def note_run(
    run: Run, text: str | None = None, tags: Sequence[str] | None = None, archived: bool | None = None
) -> RunNote:
    """Change the note or tags of a run, or archive it; None leaves a value unchanged."""
    if len(text or "") > MAX_TEXT:
        raise NotesError(f"note on {run.name}: {len(text or ''):,} characters, at most {MAX_TEXT:,}")
    _check_tags(tags or ())

    import filelock

    try:
        folder = notes_folder(run.path)
        folder.mkdir(parents=True, exist_ok=True)
        open_regular(folder / LOCK, "ab").close()  # fails if it is a link
        with filelock.FileLock(folder / LOCK, timeout=LOCK_SECONDS):  # two windows may change them
            values, before = _read(run)
            about = RunNote(
                before.text if text is None else text,
                before.tags if tags is None else tuple(dict.fromkeys(tags)),
                before.archived if archived is None else archived,
            )
            values["run"] = asdict(about)
            write_atomically(folder / NAME, json.dumps(values, ensure_ascii=False, indent=1).encode() + b"\n")
    except filelock.Timeout:
        raise NotesError(f"{run.path / NAME}: another program has locked the notes; try again") from None
    return about
