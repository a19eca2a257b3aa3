"""The run with whose values a form begins: another session like it, or a branch from one of its generations."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from gui.sessions.unthinned import find_unthinned, join_spans

if TYPE_CHECKING:
    from evolve.config.model import Config


@dataclass(frozen=True, eq=False)
class Origin:
    """A run, as it was when the form was opened.

    Attributes:
        path: its folder.
        config: all its values.
        generation: the last that a branch has in common with it; None for a session that only has the same values.
        whole: generations that kept their weights, ascending; none if that is not known.
    """

    path: Path
    config: Config
    generation: int | None = None
    whole: Sequence[int] = ()

    @classmethod
    def read(cls, path: Path, generation: int | None = None) -> Origin:
        """The run in a folder; its code, if it brings any, is not loaded.

        Raises:
            InputError: its configuration cannot be used.
        """
        from evolve.config.toml import from_toml
        from evolve.run.files import CONFIG

        return cls(path, from_toml(path / CONFIG), generation, () if generation is None else find_unthinned(path))

    @property
    def name(self) -> str:
        """The name of the run."""
        return self.path.name

    @property
    def branches(self) -> bool:
        """Whether generations are taken over."""
        return self.generation is not None

    @property
    def title(self) -> str:
        """What the form is about."""
        if self.generation is None:
            return f"New session like {self.name}"
        return f"Branch of {self.name} at generation {self.generation:,}"

    @property
    def about(self) -> str:
        """What it takes over, and what may not change, in words."""
        if self.generation is None:
            return f"All values are those of {self.name}, but for the seed."
        *first, last = ["network", *self.kept]
        kept = " and ".join(filter(None, [", ".join(first), last]))
        return f"A branch keeps {kept}. {self.name} stays as it is."

    @property
    def kept(self) -> list[str]:
        """Keys of values that may not change."""
        from evolve.config.model import dotted_rows
        from evolve.run.conditions import KEPT

        if not self.branches:
            return []
        there = {key for key, _, _ in dotted_rows(self.config)}
        return [key for key in KEPT if key in there]

    @property
    def stem(self) -> str:
        """How names of runs begin that come from it; a number follows."""
        return f"{self.name}-branch" if self.branches else re.sub(r"-\d+$", "", self.name)

    @property
    def option(self) -> str:
        """What the command line is told of it."""
        from evolve.run.files import CONFIG

        path = self.path.resolve()
        return f"--config={path / CONFIG}" if self.generation is None else f"--branch={path}@{self.generation}"

    def values(self) -> dict[str, str]:
        """What the fields begin with: the next seed, or a last generation that is still to come."""
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
        """Its values after settings.

        Raises:
            ConfigError: whatever is wrong with them.
        """
        from evolve.config.toml import apply_settings

        return apply_settings(self.config, settings)

    @property
    def problem(self) -> dict[str, str]:
        """Why there can be no branch from this generation, whatever its values are, by field."""
        if self.generation is None or not self.whole or self.generation in self.whole:
            return {}
        told = f"Generation {self.generation:,} was thinned: nothing can come from it. Whole: "
        return {"preset": f"{told}{join_spans(self.whole)}."}

    def check(self, config: Config, generations: int | None, seed: int | None) -> dict[str, str]:
        """What is wrong with the values of a branch, by field.

        Args:
            config: its values.
            generations: its last generation, if another was written.
            seed: likewise.
        """
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
            return {"generations": f"A branch goes further than generation {self.generation:,}."}
        try:
            check_branch(self.config, config, self.name, self.generation)
        except SameBytesError:
            return {"seed": f"This would be {self.name} again, byte by byte: change the seed or a value."}
        except InputError as error:
            return {str(error).partition(":")[0]: f"{error}."}
        return {}
