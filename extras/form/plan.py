"""The values of a new session, and what presets are for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from game.errors import capital
from gui.sessions.form import config_of


@dataclass(frozen=True)
class Value:
    key: str
    text: str
    about: str


@dataclass(frozen=True)
class Plan:
    """Summary, last generation and values of a session that has not begun."""

    words: str
    last: int = 0
    values: tuple[Value, ...] = ()


@lru_cache(maxsize=32)
def make_plan(preset: str, settings: tuple[str, ...] = (), generations: int | None = None) -> Plan:
    """Return the plan of a preset with these settings, or without them if they are wrong.

    Cached, since each frame of the form needs two plans, with the settings and without them.
    """
    from evolve.config.preset_files import ConfigError
    from evolve.config.values import dotted_rows

    try:
        config = config_of(preset, settings)
    except ConfigError as error:
        return make_plan(preset) if settings else Plan(str(error))
    last = config.generations if generations is None else generations
    values = tuple(Value(key, _value_text(value), capital(text)) for key, value, text in dotted_rows(config))
    return Plan(config.kind.brief(config), last, values)


def _value_text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def published_names() -> list[str]:
    from evolve.config.preset_files import listed_preset_names, preset_files

    listed = set(listed_preset_names())
    return [name for name in preset_files() if name not in listed]


@lru_cache(maxsize=64)
def about_preset(name: str) -> str:
    """Return what a preset is for, in one sentence; empty if its file does not say so."""
    from evolve.config.preset_files import about_preset as about

    return about(name)


def preset_purpose(name: str) -> str:
    """Return what a preset is for in a few words: the first sentence about it, up to its colon."""
    return about_preset(name).partition(":")[0]


def preset_title(name: str) -> str:
    return ": ".join(filter(None, (name, preset_purpose(name))))


def preset_names() -> list[str]:
    """Return the names of the presets to choose from: the shipped ones without published systems, and your own."""
    from evolve.config.preset_files import listed_preset_names, own_preset_files

    return [*listed_preset_names(), *own_preset_files()]
