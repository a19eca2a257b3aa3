"""Players in lists of the window, most of them individuals of runs, and portraits of individuals."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from evolve.config.anchors import shown_text
from evolve.strength.levels import LEVELS
from game.networks.first_layer import Picture, first_layer
from gui.model import seats

if TYPE_CHECKING:
    from evolve.run.row_index import Head
    from game.networks.spec import Spec
    from gui.runs.sources import Source

LEVEL_NAMES: dict[tuple[str, int | None], str] = {}
"""Names of the levels by run and generation of the champion behind them."""
for _level in LEVELS:
    _place = _level.run, _level.number
    LEVEL_NAMES[_place] = f"{LEVEL_NAMES.get(_place, '')} {_level.name}".lstrip()

NO_GENERATION = "No generation yet."
NOT_KEPT = "Its weights were not kept: it cannot be played."


class EntryKind(StrEnum):
    BUILT_IN = "built-in"
    CHAMPION = "champion"
    INDIVIDUAL = "individual"
    EXTERNAL = "external"
    DAMAGED = "damaged"


class ListedPlayer(NamedTuple):
    """An entry in a list of players: usually an individual of a run or a file, else another player or a damaged file.

    Attributes:
        run: folder of its run; None without a run, or until the run has been looked up.
        rank: 1 is best; None if unknown.
        origin, parents: as in the file; empty if unknown.
        results: games, wins, draws, losses, points; None if unknown.
        rating: rating of a champion and the ends of its 95 % interval; None if it is not rated.
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
    def of_player(cls, player: str) -> ListedPlayer:
        return cls(None, None, "", player=player)

    @classmethod
    def of_generation(cls, run: Source, generation: int, head: Head, *, kept: bool) -> ListedPlayer:
        """Return an individual of a generation; without kept weights, only the champion can be played."""
        target = f"{run.target}@{generation}"
        player = seats.individual(target, head.name if kept else None) if kept or head.rank == 1 else ""
        individual = cls(run.path, generation, head.name, player=player, source=run.name)
        return individual.with_facts(head)._replace(trouble="" if player else NOT_KEPT)

    @classmethod
    def of_file(cls, path: Path, head: Head) -> ListedPlayer:
        player = seats.individual(str(path), head.name)
        return cls(None, head.generation, head.name, player=player, source=path.name).with_facts(head)

    def with_facts(self, head: Head) -> ListedPlayer:
        """Return the individual with the facts in its row of the file."""
        return self._replace(
            name=head.name, rank=head.rank, origin=head.origin, parents=head.parents, results=head.results
        )

    @property
    def is_mean(self) -> bool:
        """True if it is the mean of all parents, which ranks first in its generation without having to win it."""
        return self.origin == "recombined" and len(self.parents) > 2

    @property
    def title(self) -> str:
        source = self.source if self.kind in (EntryKind.CHAMPION, EntryKind.INDIVIDUAL) else ""
        return seats.title_of(self.name, source, self.generation, self.rank)

    @property
    def brief(self) -> str:
        return self.title.partition(" (")[0]

    @property
    def is_champion(self) -> bool:
        return self.kind is EntryKind.CHAMPION or (self.run is not None and self.rank == 1)

    @property
    def texts(self) -> tuple[str, str]:
        """The texts in which a search looks for words, in lower case: its place and levels, then all else about it."""
        champion = "champions " + LEVEL_NAMES.get((self.source, self.generation), "") if self.is_champion else self.kind
        numbers = [self.rank, *(self.results or ()), *(() if self.rating is None else (shown_text(self.rating[0]),))]
        values = " ".join(map(str, filter(None, numbers)))
        player = self.player if self.kind in (EntryKind.BUILT_IN, EntryKind.EXTERNAL) else ""
        first = f"{self.source} generation {self.generation} {champion}"
        return first.lower(), f"{self.name} {self.title} {self.origin} {player} {values}".lower()


@dataclass(frozen=True)
class Portrait:
    """An individual with its weights as pictures."""

    individual: ListedPlayer
    pictures: tuple[Picture, ...]

    @classmethod
    def of(cls, individual: ListedPlayer, weights: tuple[float, ...], spec: Spec | None) -> Portrait:
        return cls(individual, tuple(first_layer(weights, spec)))


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
