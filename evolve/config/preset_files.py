"""The files of the shipped presets: those of `evolve`, and those that extras add."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import extras

PRESETS = Path(__file__).parent / "presets"
"""Folder of the presets of ``evolve``. An extra has folders ``presets/VERB``."""
PUBLISHED = "published"
"""Subfolder of presets that are not listed; docs/published.md says what each of them reproduces."""


def preset_files(verb: str = "") -> dict[str, Path]:
    """Return the files of the shipped presets by name, those of `evolve` first, or only those of a verb.

    They are sorted, published systems last.
    """
    files = [path for folder in _folders(verb) for path in sorted(folder.glob("*.toml"), key=lambda path: path.stem)]
    return {path.stem: path for path in files}


def _folders(verb: str) -> Iterator[Path]:
    folders = [PRESETS] if verb in ("", "evolve") else []
    for name in extras.installed():
        folders += sorted((Path(extras.__file__).parent / name / "presets").glob(verb or "*"))
    for folder in folders:
        yield from (folder, folder / PUBLISHED)
