"""What a person writes to begin a session, and everything that is wrong with it. No pygame."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gui.storage.settings import Settings

MOST_SETTINGS = 4
FIELDS = ("name", "preset", "generations", "seed", "workers", "network")
MAX_WORKERS = 1024


@dataclass
class Form:
    """The fields as they were typed; empty ones take the values of the preset.

    Attributes:
        values: text by field: `FIELDS`.
        settings: lines such as ``population.parents=8``.
    """

    values: dict[str, str] = field(default_factory=lambda: dict.fromkeys(FIELDS, "") | {"preset": "cowan"})
    settings: list[str] = field(default_factory=lambda: [""] * MOST_SETTINGS)

    @classmethod
    def last(cls, store: Settings) -> Form:
        """What was written last, but for the name, which is taken by now."""
        form = cls()
        for name in FIELDS[1:]:
            form.values[name] = store.get(f"session_{name}", form.values[name])
        form.settings = [store.get(f"session_setting_{number}", "") for number in range(MOST_SETTINGS)]
        if form.values["preset"] not in preset_names():
            form.values["preset"] = "cowan"
        return form

    def keep(self, store: Settings) -> None:
        """Keep it for the next time."""
        for name in FIELDS[1:]:
            store.set(f"session_{name}", self.values[name])
        for number, line in enumerate(self.settings):
            store.set(f"session_setting_{number}", line)

    def check(self, runs: Path) -> Checked:
        """Everything that is wrong, by field."""
        from evolve.config.model import MAX_GENERATIONS, MAX_SEED
        from evolve.config.toml import ConfigError, load
        from evolve.run.names import checked_name
        from game.errors import InputError
        from game.networks.network_file import find_network

        wrong: dict[str, str] = {}
        text = {name: value.strip() for name, value in self.values.items()}
        lines = [line.strip() for line in self.settings]
        numbers = {"generations": (0, MAX_GENERATIONS), "seed": (0, MAX_SEED), "workers": (1, MAX_WORKERS)}
        for name, (low, high) in numbers.items():
            if text[name] and whole(text[name], low, high) is None:
                wrong[name] = f"A whole number from {low} to {high:,}, please."
        name = text["name"] or free_name(runs, text["preset"])
        try:
            checked_name(name)
            if (runs / name).exists():
                wrong["name"] = f"There is a run “{name}” already; choose another name."
        except InputError as error:
            wrong["name"] = sentence(str(error).partition(": ")[2] or str(error))
        except OSError as error:
            wrong["name"] = f"This name cannot be used: {error.strerror}."
        if text["network"]:
            try:
                find_network(text["network"])
            except InputError as error:
                wrong["network"] = sentence(str(error))
        try:
            load(text["preset"], None, [line for line in lines if line])
        except ConfigError as error:
            for line in error.lines:
                place = self._place(line, lines)
                said = end_sentence(line.removeprefix("--set "))
                wrong[place] = f"{wrong[place]} {said}" if place in wrong else said
        return Checked(name, wrong, self._arguments(runs, name, text, lines))

    @staticmethod
    def _place(line: str, settings: list[str]) -> str:
        """The field that an error is about."""
        if line.startswith("preset:"):
            return "preset"
        for number, setting in enumerate(settings):
            key = setting.partition("=")[0].strip()
            if setting and (line.startswith((f"{key}:", f"--set {setting}", f"{key}."))):
                return f"setting{number}"
        return next((f"setting{number}" for number, setting in enumerate(settings) if setting), "preset")

    @staticmethod
    def _arguments(runs: Path, name: str, text: dict[str, str], settings: list[str]) -> tuple[str, ...]:
        options = [f"--out={runs.resolve()}", f"--name={name}"]
        options += [f"--{key}={text[key]}" for key in FIELDS[1:] if text[key]]
        return (*options, *(f"--set={line}" for line in settings if line))


@dataclass(frozen=True)
class Checked:
    """A form that was checked.

    Attributes:
        name: of the run that it would begin.
        wrong: what is wrong, a sentence or more by field: those of `FIELDS`, and ``setting0``, ``setting1``, ...
        arguments: the options for the verb `evolve`.
    """

    name: str
    wrong: dict[str, str]
    arguments: tuple[str, ...]


def preset_names() -> list[str]:
    """The presets that there are."""
    from evolve.config.toml import preset_names as there

    return there()


def preset_words(preset: str) -> str:
    """What a preset plays, in one sentence."""
    from evolve.config.toml import ConfigError, load

    try:
        config = load(preset)
    except ConfigError as error:
        return str(error)
    depth = config.search.depth
    look = "without looking ahead" if depth == 1 else f"looking {depth} plies ahead"
    return (
        f"{config.population.size:,} players a generation, {config.population.parents} survive; {config.network.name} "
        f"with {config.network.weights:,} weights, {look}; generations 0 to {config.generations}."
    )


def free_name(runs: Path, preset: str) -> str:
    """The first name PRESET-N that no run has."""
    return next(name for name in (f"{preset}-{number}" for number in itertools.count(1)) if not (runs / name).exists())


def whole(text: str, low: int, high: int) -> int | None:
    """A whole number that a person wrote; None if it is none, or none from `low` to `high`."""
    digits = text.isascii() and text.isdigit() and len(text) <= 20
    return int(text) if digits and low <= int(text) <= high else None


def sentence(text: str) -> str:
    """A text as a sentence, with capital and full stop; an empty text stays empty."""
    if not text:
        return ""
    return text[:1].upper() + end_sentence(text[1:])


def end_sentence(text: str) -> str:
    """A text with the stop of a sentence, if it has none."""
    return text if text.endswith((".", "?", "!")) else f"{text}."
