"""An individual as the window knows it: its place in a run, what lists show of it, and its portrait. No pygame."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from gui.individuals.pictures import Picture, first_layer
from gui.model import seats

if TYPE_CHECKING:
    from evolve.run.row_index import Head
    from game.networks.spec import Spec
    from gui.background import Background, Trouble
    from gui.individuals.sheet import Sheet
    from gui.individuals.sources import Source

NO_GENERATION = "No generation yet."
NOT_KEPT = "Its weights were not kept: it cannot be played."


class EntryKind(StrEnum):
    """The kinds of entries of lists."""

    BUILT_IN = "built-in"
    CHAMPION = "champion"
    INDIVIDUAL = "individual"
    EXTERNAL = "external"
    DAMAGED = "damaged"


class Individual(NamedTuple):
    """An individual of a run or a file; lists also hold other players, and files that are damaged.

    Attributes:
        run: the folder of its run; None if it is of no run, or that is not known yet.
        generation: of the run; None elsewhere.
        name: its own, such as ``Gen15_0111``; empty if the champion of the generation is meant.
        kind: what the entry is.
        player: its name as a player; empty if it cannot be played.
        source: name of the run or the file.
        rank: 1 is best; None if unknown.
        origin, parents: as in the file; empty if unknown.
        results: games, wins, draws, losses, points; None if unknown.
        trouble: why it cannot be played; empty if it can.
        rating: of a rated champion, with the ends of its 95 % interval.
    """

    run: Path | None
    generation: int | None
    name: str
    kind: EntryKind = EntryKind.INDIVIDUAL
    player: str = ""
    source: str = ""
    rank: int | None = None
    origin: str = ""
    parents: tuple[str, ...] = ()
    results: tuple[int, ...] | None = None
    trouble: str = ""
    rating: tuple[float, float, float] | None = None

    @classmethod
    def of_player(cls, player: str) -> Individual:
        """Return the individual that a player's name means, before its run is looked for."""
        return cls(None, None, "", player=player)

    @classmethod
    def of_generation(cls, run: Source, generation: int, head: Head, *, kept: bool) -> Individual:
        """Return an individual of a generation whose weights were kept or not; a champion can always be played."""
        target = f"{run.target}@{generation}"
        player = seats.individual(target, head.name if kept else None) if kept or head.rank == 1 else ""
        individual = cls(run.path, generation, head.name, player=player, source=run.name)
        return individual.with_facts(head)._replace(trouble="" if player else NOT_KEPT)

    @classmethod
    def of_file(cls, path: Path, head: Head) -> Individual:
        """Return an individual of a file that belongs to no run."""
        player = seats.individual(str(path), head.name)
        return cls(None, head.generation, head.name, player=player, source=path.name).with_facts(head)

    def with_facts(self, head: Head) -> Individual:
        """Return the individual with what a row of its file says."""
        return self._replace(
            name=head.name, rank=head.rank, origin=head.origin, parents=head.parents, results=head.results
        )

    @property
    def is_mean(self) -> bool:
        """True if it is the mean of all parents, which leads its generation without having to win it."""
        return self.origin == "recombined" and len(self.parents) > 2

    @property
    def title(self) -> str:
        """Its name during a game."""
        source = self.source if self.kind in (EntryKind.CHAMPION, EntryKind.INDIVIDUAL) else ""
        return seats.title_of(self.name, source, self.generation, self.rank)

    @property
    def text(self) -> str:
        """The text in which searches look for words."""
        return f"{self.name} {self.source} {self.generation} {self.origin} {self.kind} {self.player}".lower()


@dataclass(frozen=True)
class Portrait:
    """An individual with its weights.

    Attributes:
        individual: the individual.
        weights: empty if they were not kept.
        pictures: of its tables or its first layer.
        about: a sentence about the patterns that it uses; empty if its network has none.
    """

    individual: Individual
    weights: tuple[float, ...]
    pictures: tuple[Picture, ...]
    about: str = ""

    @classmethod
    def of(cls, individual: Individual, weights: tuple[float, ...], spec: Spec | None) -> Portrait:
        """Draw an individual; None as the network if it is not known."""
        about = ""
        if spec is not None and spec.patterns and len(weights) == spec.weights:
            from game.networks import description

            about = f"{description.patterns_summary(spec, weights)}."
        return cls(individual, weights, tuple(first_layer(weights, spec)), about)


class Portraits:
    """Finds the weights of individuals, and the networks that they belong to.

    Args:
        background: reads the hall of fame, where a generation has kept no weights.
        on_read: called when weights have been read.
    """

    def __init__(self, background: Background, on_read: Callable[[], object]) -> None:
        self._background, self._on_read = background, on_read
        self._champions: dict[tuple[Path, int], tuple[float, ...]] = {}
        self._specs: dict[Path, Spec | None] = {}

    def draw(self, source: Source, generation: int, sheet: Sheet, individual: Individual) -> Portrait:
        """Return the portrait of an individual of a sheet."""
        weights = sheet.weights(individual.name)
        if not weights and individual.rank == 1 and source.is_run:
            weights = self._champion(source.path, generation)
        if source.path not in self._specs:
            self._specs[source.path] = network_of(source, len(weights))
        return Portrait.of(individual, weights, self._specs[source.path])

    def _keep(self, place: tuple[Path, int], answer: tuple[float, ...] | Trouble) -> None:
        if isinstance(answer, tuple):
            self._champions[place] = answer
            self._on_read()

    def _champion(self, path: Path, generation: int) -> tuple[float, ...]:
        """Return the weights of a champion whose generation has kept none; empty until they are read."""
        place = path, generation
        if place not in self._champions:
            self._champions[place] = ()
            work, receive = partial(champion_weights, path, generation), partial(self._keep, place)
            self._background.ask(self, f"champion {generation}", work, receive)
        return self._champions[place]


def champion_weights(path: Path, generation: int) -> tuple[float, ...]:
    """Read the weights of a champion from the hall of fame of its run.

    Raises:
        GenerationError: the hall of fame cannot be read.
    """
    from evolve.run.champions import read_champions

    return tuple(read_champions(path, [generation])[0].weights.tolist())


def network_of(source: Source, width: int) -> Spec | None:
    """Return the network of a run, or the shipped one with this number of weights; None if neither is known."""
    from evolve.run.folder import Run
    from game.errors import InputError
    from game.networks.named import by_width

    try:
        return Run(source.path).network() if source.is_run else by_width(width)
    except (InputError, OSError):
        return None
