"""The form that starts sessions, with checks of its fields."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from evolve.run.runs import Runs
from game.errors import end_sentence, sentence

if TYPE_CHECKING:
    from evolve.config.model import Config, RunKind
    from evolve.config.preset_files import ConfigError

FIELDS = ("name", "preset", "generations", "minutes", "seed", "workers", "network", "games")
MAX_WORKERS = 1024
MOST_MINUTES = 1_000_000
TAKEN, BEGINS_WITHIN = "begun", 600.0
"""The ending of the folder that marks a name whose run may not exist yet, and the seconds for which it counts."""


def _new_values() -> dict[str, str]:
    from evolve.config.toml import DEFAULT_PRESET

    return dict.fromkeys(FIELDS, "") | {"preset": DEFAULT_PRESET}


@dataclass
class Form:
    """The fields as typed; empty ones take the values of the preset.

    Attributes:
        settings: text by key of the configuration, such as ``population.parents``.
    """

    values: dict[str, str] = field(default_factory=_new_values)
    settings: dict[str, str] = field(default_factory=dict)

    @property
    def kind(self) -> RunKind:
        return preset_kind(self.values["preset"])

    @property
    def games_key(self) -> str:
        """The key for a file of recorded games, which has its own field; empty if the run needs no such file."""
        return self.kind.games_key

    @property
    def lines(self) -> list[str]:
        return [f"{key}={text.strip()}" for key, text in self.settings.items() if text.strip()]

    def change(self, key: str, text: str) -> None:
        """Set a value of the configuration; an empty text restores the preset's value."""
        self.settings.pop(key, None)
        if text:
            self.settings[key] = text

    def check(self, runs: Path) -> CheckedForm:
        """Check all fields; `runs` is the folder of runs."""
        from evolve.config.model import MAX_SEED
        from evolve.config.preset_files import ConfigError
        from evolve.config.search import MAX_GENERATIONS
        from evolve.run.runs import checked_name
        from game.errors import InputError
        from game.installation import MissingExtraError
        from game.networks.named import find_network

        wrong: dict[str, str] = {}
        text = {name: value.strip() for name, value in self.values.items()}
        numbers = {"generations": (0, MAX_GENERATIONS), "minutes": (1, MOST_MINUTES), "seed": (0, MAX_SEED)}
        numbers |= {"workers": (1, MAX_WORKERS)}
        for name, (low, high) in numbers.items():
            if text[name] and whole(text[name], low, high) is None:
                wrong[name] = f"Expected a whole number from {low} to {high:,}."
        name = text["name"] or free_name(runs, text["preset"])
        try:
            checked_name(name)
            if Runs(runs).path(name).exists():
                wrong["name"] = f"There is already a run named “{name}”; choose another name."
        except InputError as error:
            wrong["name"] = sentence(str(error).partition(": ")[2] or str(error))
        except OSError as error:
            wrong["name"] = f"This name cannot be used: {error.strerror}."
        if text["network"] and not self.games_key:
            try:
                find_network(text["network"])
            except InputError as error:
                wrong["network"] = sentence(str(error))
        lines = self.lines
        if self.games_key:
            text["network"] = ""
            if not Path(text["games"]).expanduser().is_file():
                wrong["games"] = "Choose a file of recorded games (PDN)."
            lines = [*lines, f"{self.games_key}={text['games']}"]
        else:
            text["games"] = ""
        try:
            self.kind.check_installed()
        except MissingExtraError as error:
            wrong["preset"] = sentence(str(error))
        try:
            config = config_of(text["preset"], lines)
            if text["minutes"] and (config.predicts or not is_foreseen(config)):
                wrong["minutes"] = "The time of this preset cannot be estimated: choose the last generation."
        except ConfigError as error:
            for line in error.lines:
                place = self._place(line)
                message = end_sentence(line.removeprefix("--set "))
                wrong[place] = f"{wrong[place]} {message}" if place in wrong else message
        return CheckedForm(name, wrong, self._arguments(runs, name, text))

    def _place(self, line: str) -> str:
        if line.startswith("preset:"):
            return "preset"
        begins = (key for key in self.settings if line.startswith((f"{key}:", f"--set {key}", f"{key}.")))
        named = (key for key in self.settings if key in line)
        return next(begins, None) or next(named, None) or next(iter(self.settings), "preset")

    def _arguments(self, runs: Path, name: str, text: dict[str, str]) -> tuple[str, ...]:
        options = [f"--out={runs.resolve()}", f"--name={name}"]
        if text["games"]:
            text = text | {"games": str(Path(text["games"]).expanduser().absolute())}
        options += [f"--{key}={text[key]}" for key in FIELDS[1:] if text[key]]
        return (*options, *(f"--set={line}" for line in self.lines))


@dataclass(frozen=True)
class CheckedForm:
    """The result of checking a form.

    Attributes:
        wrong: what is wrong, in sentences, by field or by key of the configuration.
    """

    name: str
    wrong: dict[str, str]
    arguments: tuple[str, ...]


def config_of(preset: str, settings: Sequence[str]) -> Config:
    """Return the configuration of a preset with settings applied.

    Raises:
        ConfigError: some settings are wrong, or the preset cannot be read.
    """
    config = read_config(preset, tuple(settings))
    if isinstance(config, Exception):
        raise config
    return config


@lru_cache(maxsize=8)
def read_config(preset: str, settings: tuple[str, ...]) -> Config | ConfigError:
    """Return the configuration as `config_of` does, or the error."""
    from evolve.config.preset_files import ConfigError
    from evolve.config.toml import load

    try:
        return load(preset, None, settings, own=None)
    except ConfigError as error:
        return error


def is_foreseen(config: Config) -> bool:
    return bool(config.kind.forecast) and not config.plugins.files


@lru_cache(maxsize=64)
def preset_kind(preset: str) -> RunKind:
    """Return the kind of run that a preset begins; an evolution if the preset cannot be read."""
    from evolve.config.model import kind_of
    from evolve.config.preset_files import ConfigError
    from evolve.config.toml import load

    try:
        return load(preset, own=None).kind
    except ConfigError:
        return kind_of({})


def free_name(runs: Path, preset: str) -> str:
    """Return the first name PRESET-N that no run has."""
    return next(_free_names(runs, preset))


def _free_names(runs: Path, preset: str) -> Iterator[str]:
    from evolve.run.runs import free_names

    return (name for name in free_names(preset) if not Runs(runs).path(name).exists())


def take_name(runs: Path, preset: str) -> str:
    """Return the first free name, and mark it, so that no other session takes it before its own makes the folder."""
    for old in runs.glob(f".*.{TAKEN}"):
        with contextlib.suppress(OSError):
            if time.time() - old.stat().st_mtime > BEGINS_WITHIN:
                old.rmdir()
    for name in _free_names(runs, preset):
        try:
            (runs / f".{name}.{TAKEN}").mkdir(parents=True)
        except FileExistsError:  # another session begins, of this window or another one
            continue
        except OSError:  # of which the session says what is wrong
            pass
        return name
    raise AssertionError("numbers do not end")


def whole(text: str, low: int, high: int) -> int | None:
    digits = text.isascii() and text.isdigit() and len(text) <= 20
    return int(text) if digits and low <= int(text) <= high else None
