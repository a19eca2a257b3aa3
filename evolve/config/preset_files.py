"""The files of presets: those of `evolve`, those that extras add, and your own; and reading files of configurations."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import extras
from game import toml_file
from game.errors import InputError, did_you_mean, one_line
from game.installation import data_folder
from game.regular_files import read_regular
from game.removed import removed
from game.toml_file import TomlError, quote_value

PRESETS = Path(__file__).parent / "presets"
"""Folder of the presets of ``evolve``. An extra has folders ``presets/VERB``."""
PUBLISHED = "published"
"""Subfolder of presets that are not listed; docs/published.md says what each of them reproduces."""
ORDER = (
    *("first", "plain", "cast", "living", "deap", "cowan-deep"),
    *("people", "policy", "zero", "search-free", "crownhead", "q-learning"),
)
"""Presets in the order in which people want them, as in docs/presets.md; others follow by name."""
OTHERS = ", and published systems (docs/published.md)"
"""The end of lists of presets."""
MOST_LINES = 20
"""Maximum number of mistakes that are listed; further ones are only counted."""


class ConfigError(InputError):
    """Wrong keys or values; `lines` has a line for each mistake, with its dotted path and the allowed values."""

    def __init__(self, lines: list[str]) -> None:
        more = len(lines) - MOST_LINES
        lines = lines if more <= 0 else [*lines[:MOST_LINES], f"and {more:,} more"]
        self.lines = tuple(one_line(line) for line in lines)  # quoted values may contain line breaks
        super().__init__("; ".join(self.lines))


def read_toml(path: Path) -> dict[str, Any]:
    try:
        return toml_file.read_toml(path)
    except TomlError as error:
        raise ConfigError([str(error)]) from error


def preset_files(verb: str = "") -> dict[str, Path]:
    """Return the files of the shipped presets by name, those of `evolve` first, or only those of a verb.

    Those of a verb are sorted by what they are for (`ORDER`), published systems last.
    """
    folders = {"evolve": [PRESETS]}
    for name in extras.installed():
        for folder in sorted((Path(extras.__file__).parent / name / "presets").glob("*")):
            folders.setdefault(folder.name, []).append(folder)
    files: list[Path] = []
    for each in [verb] if verb else folders:
        for pattern in ("*.toml", f"{PUBLISHED}/*.toml"):
            there = (path for folder in folders.get(each, ()) for path in folder.glob(pattern))
            by_name = sorted(there, key=lambda path: path.stem)
            files += sorted(by_name, key=lambda path: (*ORDER, path.stem).index(path.stem))
    return {path.stem: path for path in files}


def preset_names(verb: str = "evolve") -> list[str]:
    return list(preset_files(verb))


def listed_preset_names(*verbs: str) -> list[str]:
    """Return the names of the shipped presets of these verbs (by default of all) without published systems."""
    shipped = preset_files()
    names = [name for verb in verbs for name in preset_names(verb)] or shipped
    return [name for name in names if shipped[name].parent.name != PUBLISHED]


def about_preset(name: str) -> str:
    """Return the first sentence of the comment with which the file of a preset begins; empty if there is none."""
    file = (preset_files() | own_preset_files()).get(name)
    lines = [] if file is None else read_regular(file).decode("utf-8", "replace").splitlines()
    comment = (line.removeprefix("#").strip() for line in itertools.takewhile(lambda line: line.startswith("#"), lines))
    return f"{' '.join(comment)} ".partition(". ")[0].rstrip(". ")


def own_presets() -> Path:
    """Return the folder of your own presets, which may not exist. A file ``mine.toml`` is the preset ``mine``."""
    return data_folder() / "presets"


def own_preset_files() -> dict[str, Path]:
    """Return the files of your own presets by name, except those with names of shipped presets."""
    shipped = preset_files()
    return {name: path for name, path in _all_own_files().items() if name not in shipped}


def _all_own_files() -> dict[str, Path]:
    return {path.stem: path for path in sorted(own_presets().glob("*.toml"), key=lambda path: path.stem)}


def preset_file(name: Any) -> tuple[Path, bool]:
    """Return the file of a preset, and whether it is one of your own.

    Raises:
        ConfigError: there is no preset of this name, or a file of your own has the name of a shipped one.
    """
    shipped, own = preset_files(), own_preset_files()
    if isinstance(name, str) and name in shipped:
        if hidden := _all_own_files().get(name):
            raise ConfigError([f"preset {name}: {hidden} has the name of a preset of the program: rename the file"])
        return shipped[name], False
    if isinstance(name, str) and name in own:
        return own[name], True
    if isinstance(name, str) and (line := removed("preset", name) or extras.missing(name, "presets.")):
        raise ConfigError([line])
    hint = did_you_mean(quote_value(name).strip("'"), [*shipped, *own])
    there = ", ".join([*listed_preset_names(), *own])
    raise ConfigError([f"preset: unknown preset {quote_value(name)}, there are {there}{OTHERS}{hint}"])
