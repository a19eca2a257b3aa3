"""What a session would do, in words and values, before it begins. No pygame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evolve.config.model import Config
    from evolve.config.toml import ConfigError
    from gui.sessions.origin import Origin


@dataclass(frozen=True)
class Value:
    """One value of the configuration that is in force.

    Attributes:
        key: its name, such as ``population.parents``.
        text: the value.
        about: what it means.
    """

    key: str
    text: str
    about: str


@dataclass(frozen=True)
class Plan:
    """What a session would do.

    Attributes:
        words: in a sentence.
        brief: the same without generations, which stand in a field of their own.
        values: in force, in the order of a run's ``config.toml``.
    """

    words: str
    brief: str
    values: tuple[Value, ...] = ()


@lru_cache(maxsize=8)
def make_plan(base: str | Origin, settings: tuple[str, ...] = (), generations: int | None = None) -> Plan:
    """What a preset or run does with some values changed; where these are wrong, what it does by itself.

    Kept, since each picture of the form asks for two of them: as it is written, and as the preset has it.
    """
    from evolve.config.toml import ConfigError

    try:
        config = config_of(base, settings)
    except ConfigError as error:
        return make_plan(base) if settings else Plan(str(error), str(error))
    depth = config.search.depth
    look = "without looking ahead" if depth == 1 else f"looking {depth} plies ahead"
    last = config.generations if generations is None else generations
    if not config.kind.breeds:
        what = config.learning.method.describe().partition(": ")[2].partition(";")[0].rstrip(".")
        brief = f"One network of {config.network.weights:,} weights learns {what}"
    else:
        name, weights = config.network.name, config.network.weights
        network = name if str(weights) in name else f"{name} with {weights:,} weights"
        players = f"{config.population.size:,} players a generation, {config.population.parents} survive"
        brief = f"{players}; {network}, {look}"
    return Plan(f"{brief}; generations 0 to {last:,}.", f"{brief}.", _values_of(config))


def config_of(base: str | Origin, settings: Sequence[str]) -> Config:
    """The values of a preset or run after settings; those that were asked for last are known.

    Raises:
        ConfigError: whatever is wrong.
    """
    found = read_config(base, tuple(settings))
    if isinstance(found, Exception):
        raise found
    return found


@lru_cache(maxsize=8)
def read_config(base: str | Origin, settings: tuple[str, ...]) -> Config | ConfigError:
    """The same, or what is wrong: form, plan and what is told of its time ask one after the other."""
    from evolve.config.toml import ConfigError, load

    try:
        return load(base, None, settings, own=None) if isinstance(base, str) else base.config_with(settings)
    except ConfigError as error:
        return error


def _values_of(config: Config) -> tuple[Value, ...]:
    from evolve.config.model import dotted_rows

    rows = dotted_rows(config)
    return tuple(Value(key, _value_text(value), text[:1].upper() + text[1:]) for key, value, text in rows)


def _value_text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
