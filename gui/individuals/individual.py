"""One individual with its weights, as far as they were kept, and pictures of them. No pygame."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gui.individuals import background_jobs
from gui.individuals.background import Background
from gui.individuals.pictures import Picture, first_layer
from gui.individuals.rows import Row
from gui.individuals.sheet import Sheet
from gui.individuals.sources import Source

if TYPE_CHECKING:
    from game.networks.spec import Spec


@dataclass(frozen=True)
class Individual:
    """One individual, with all that is compared.

    Attributes:
        row: as lists show it.
        weights: none if they were not kept.
        pictures: of its first layer.
        about: how many patterns it makes use of, in words; empty if its network has none.
    """

    row: Row
    weights: tuple[float, ...]
    pictures: tuple[Picture, ...]
    about: str = ""

    @property
    def name(self) -> str:
        """Its own."""
        return self.row.name

    @property
    def player(self) -> str:
        """By which it is played; empty if it cannot be."""
        return self.row.player

    @property
    def title(self) -> str:
        """What the window calls it during a game."""
        return self.row.title


class Weighing:
    """Finds the weights of individuals, and the networks that they are of.

    Args:
        background: reads the hall of fame, where a generation has kept none; `kept` takes the answer.
    """

    def __init__(self, background: Background) -> None:
        self._background = background
        self._champions: dict[tuple[Path, int], tuple[float, ...]] = {}
        self._specs: dict[Path, Spec | None] = {}

    def individual(self, source: Source, generation: int, sheet: Sheet, row: Row) -> Individual:
        """An individual of a sheet."""
        weights = sheet.weights(row.name)
        if not weights and row.rank == 1 and source.is_run:
            weights = self._kept_champion(source.path, generation)
        return describe(row, weights, self._spec(source, len(weights)))

    def kept(self, key: tuple[Path, int], weights: tuple[float, ...]) -> None:
        """The hall of fame was read."""
        self._champions[key] = weights

    def _kept_champion(self, path: Path, generation: int) -> tuple[float, ...]:
        """Weights of a thinned generation's champion, from the hall of fame; none before they are there."""
        key = path, generation
        if key not in self._champions:
            self._champions[key] = ()
            self._background.ask(f"champion {generation}", lambda: (key, background_jobs.champion(path, generation)[1]))
        return self._champions[key]

    def _spec(self, source: Source, width: int) -> Spec | None:
        """The network of a run, or the shipped one of this width."""
        if source.path not in self._specs:
            self._specs[source.path] = network_of(source, width)
        return self._specs[source.path]


def describe(row: Row, weights: tuple[float, ...], spec: Spec | None) -> Individual:
    """An individual with pictures of its weights, which are of a network if that is known."""
    about = ""
    if spec is not None and spec.patterns and len(weights) == spec.weights:
        from game.networks import description

        about = f"{description.patterns_summary(spec, weights)}."
    return Individual(row, weights, tuple(first_layer(weights, spec)), about)


def network_of(source: Source, width: int) -> Spec | None:
    """The network of a run, or the shipped one of this width; None if neither is known."""
    from evolve.run.folder import Run
    from game.errors import InputError
    from game.networks.shipped import by_width

    try:
        return Run(source.path).network() if source.is_run else by_width(width)
    except (InputError, OSError):
        return None
