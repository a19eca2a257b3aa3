"""The files of the shipped presets: those of `evolve`, and those that extras add."""

from __future__ import annotations

from pathlib import Path

import extras

PRESETS = Path(__file__).parent / "presets"
"""Folder of the presets of ``evolve``. An extra has folders ``presets/VERB``."""
PUBLISHED = "published"
"""Subfolder of presets that are not listed; docs/published.md says what each of them reproduces."""


def preset_files(verb: str = "") -> dict[str, Path]:
    """Return the files of the shipped presets by name, those of `evolve` first, or only those of a verb.

    The presets of a verb are sorted, published systems last.
    """
    folders = {"evolve": [PRESETS]}
    for name in extras.installed():
        for folder in sorted((Path(extras.__file__).parent / name / "presets").glob("*")):
            folders.setdefault(folder.name, []).append(folder)
    files: list[Path] = []
    for each in [verb] if verb else folders:
        for pattern in ("*.toml", f"{PUBLISHED}/*.toml"):
            there = (path for folder in folders.get(each, ()) for path in folder.glob(pattern))
            files += sorted(there, key=lambda path: path.stem)
    return {path.stem: path for path in files}
