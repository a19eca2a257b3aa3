"""Players in lists of the window, most of them individuals of runs."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from gui.model import seats

if TYPE_CHECKING:
    from evolve.run.row_index import Head
    from gui.runs.live_run import LiveRun
    from gui.runs.sources import Source

NO_GENERATION = "No generation yet."
NOT_KEPT = "Its weights were not kept."


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
    def of_champion(cls, run: Source, live: LiveRun, generation: int) -> ListedPlayer:
        """Return the champion of a generation, which cannot be played if its weights were not kept."""
        name = live.champions[generation] if 0 <= generation <= live.newest else ""
        target = run.target if generation == run.newest else f"{run.target}@{generation}"
        trouble = run.trouble or (NO_GENERATION if generation < 0 else "")
        if not trouble and generation < run.newest and not live.has_champion(generation):
            trouble = NOT_KEPT
        return cls(
            run.path, generation, name, EntryKind.CHAMPION, "" if trouble else seats.individual(target), run.name, 1,
            trouble=trouble, rating=live.rating(generation) if name else None,
        )  # fmt: skip

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
