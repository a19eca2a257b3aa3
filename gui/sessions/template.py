"""The values of a new session, from a preset or from a run that it copies or branches."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from game.errors import capital

if TYPE_CHECKING:
    from evolve.config.model import Config
    from evolve.config.preset_files import ConfigError


MOST_SPANS = 6
"""Maximum number of spans of numbers in one sentence."""


@dataclass(frozen=True, eq=False)
class Template:
    """A run whose values a new run copies, as it was when the form was opened.

    Attributes:
        generation: the last generation that a branch shares with it; None for a new run with the same values.
        whole: generations that kept their weights, ascending; empty if unknown.
    """

    path: Path
    config: Config
    generation: int | None = None
    whole: Sequence[int] = ()

    @classmethod
    def read(cls, path: Path, generation: int | None = None) -> Template:
        """Read the run in a folder, without loading its own code.

        Raises:
            InputError: its configuration cannot be used.
        """
        from evolve.config.toml import from_toml
        from evolve.run.files import CONFIG

        return cls(path, from_toml(path / CONFIG), generation, () if generation is None else find_unthinned(path))

    @property
    def name(self) -> str:
        return self.path.name

    @property
    def branches(self) -> bool:
        """True if the new run is a branch, which copies generations, too."""
        return self.generation is not None

    @property
    def title(self) -> str:
        if self.generation is None:
            return f"New session like {self.name}"
        return f"Branch of {self.name} at generation {self.generation:,}"

    @property
    def about(self) -> str:
        if self.generation is None:
            return f"All values are as in {self.name}, except the seed."
        *first, last = ["network", *self.kept]
        kept = " and ".join(filter(None, [", ".join(first), last]))
        return f"It keeps {kept}. {self.name} does not change."

    @property
    def kept(self) -> list[str]:
        from evolve.config.values import dotted_rows

        if not self.branches:
            return []
        present = {key for key, _, _ in dotted_rows(self.config)}
        return [key for key in self.config.kind.kept if key in present]

    @property
    def stem(self) -> str:
        return f"{self.name}-branch" if self.branches else re.sub(r"-\d+$", "", self.name)

    @property
    def option(self) -> str:
        from evolve.run.files import CONFIG

        path = self.path.resolve()
        return f"--config={path / CONFIG}" if self.generation is None else f"--branch={path}@{self.generation}"

    def values(self) -> dict[str, str]:
        """Return the initial texts of the fields, with the next seed, and a last generation beyond the branch."""
        from evolve.config.model import MAX_SEED

        config, seed = self.config, self.config.seed
        last = config.generations
        if self.generation is not None and last <= self.generation:
            last = 2 * self.generation or 15
        return {
            "preset": config.preset,
            "generations": str(last),
            "seed": str(seed if self.branches else seed + 1 if seed < MAX_SEED else 0),
        }

    def config_with(self, settings: Sequence[str]) -> Config:
        """Return its configuration with settings applied.

        Raises:
            ConfigError: some settings are wrong.
        """
        from evolve.config.toml import apply_settings

        return apply_settings(self.config, settings)

    @property
    def problem(self) -> dict[str, str]:
        """The reason why no branch can begin at this generation, by field; empty if one can."""
        if self.generation is None or not self.whole or self.generation in self.whole:
            return {}
        thinned = f"Generation {self.generation:,} has no weights, so no branch can begin there. Possible: "
        return {"preset": f"{thinned}{join_spans(self.whole)}."}

    def check(self, config: Config, generations: int | None, seed: int | None) -> dict[str, str]:
        """Return errors in the values of a branch, by field."""
        from evolve.run.conditions import SameBytesError, check_branch
        from game.errors import InputError

        if self.generation is None:
            return {}
        if self.problem:
            return self.problem
        if generations is not None:
            config = replace(config, generations=generations)
        if seed is not None:
            config = replace(config, seed=seed)
        if config.generations <= self.generation:
            return {"generations": f"A branch must go beyond generation {self.generation:,}."}
        try:
            check_branch(self.config, config, self.name, self.generation)
        except SameBytesError:
            return {"seed": f"This would repeat {self.name} byte for byte: change the seed or a value."}
        except InputError as error:
            return {str(error).partition(":")[0]: f"{error}."}
        return {}


@dataclass(frozen=True)
class Value:
    """An effective value of a configuration."""

    key: str
    text: str
    about: str


@dataclass(frozen=True)
class Plan:
    """Summary and values of a session that has not begun.

    Attributes:
        brief: the same without the generations, which have their own field.
    """

    words: str
    brief: str
    values: tuple[Value, ...] = ()


@lru_cache(maxsize=8)
def make_plan(base: str | Template, settings: tuple[str, ...] = (), generations: int | None = None) -> Plan:
    """Return the plan of a preset or run with these settings, or without them if they are wrong.

    Cached, since each frame of the form needs two plans: with the settings and without them.
    """
    from evolve.config.preset_files import ConfigError

    try:
        config = config_of(base, settings)
    except ConfigError as error:
        return make_plan(base) if settings else Plan(str(error), str(error))
    last = config.generations if generations is None else generations
    brief = config.kind.brief(config)
    return Plan(f"{brief}; generations 0 to {last:,}.", f"{brief}.", _values_of(config))


def config_of(base: str | Template, settings: Sequence[str]) -> Config:
    """Return the configuration of a preset or run with settings applied.

    Raises:
        ConfigError: some settings are wrong, or the preset cannot be read.
    """
    config = read_config(base, tuple(settings))
    if isinstance(config, Exception):
        raise config
    return config


@lru_cache(maxsize=8)
def read_config(base: str | Template, settings: tuple[str, ...]) -> Config | ConfigError:
    """Return the configuration as `config_of` does, or the error."""
    from evolve.config.preset_files import ConfigError
    from evolve.config.toml import load

    try:
        return load(base, None, settings, own=None) if isinstance(base, str) else base.config_with(settings)
    except ConfigError as error:
        return error


def _values_of(config: Config) -> tuple[Value, ...]:
    from evolve.config.values import dotted_rows

    rows = dotted_rows(config)
    return tuple(Value(key, _value_text(value), capital(text)) for key, value, text in rows)


def _value_text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def find_unthinned(path: Path) -> list[int]:
    """Return the generations of a run that kept their weights; empty if the run cannot be read."""
    from evolve.run.folder import Run
    from game.errors import InputError

    try:
        return Run(path).manifest().whole
    except (InputError, OSError):
        return []


def join_spans(numbers: Sequence[int]) -> str:
    """Return ascending numbers in words, as in ``0, 5 and 13 to 15``; if there are many spans, only some of them."""
    starts = [at for at in range(len(numbers)) if at == 0 or numbers[at] != numbers[at - 1] + 1]
    spans = []
    for first, end in pairwise([*starts, len(numbers)]):
        low, high = numbers[first], numbers[end - 1]
        spans.append(f"{low:,}" if low == high else f"{low:,} to {high:,}")
    if len(spans) > MOST_SPANS:
        spans = [*spans[: MOST_SPANS // 2], "…", *spans[-MOST_SPANS // 2 + 1 :]]
    return " and ".join([", ".join(spans[:-1]), spans[-1]] if len(spans) > 1 else spans)
