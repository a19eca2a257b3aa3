"""The list from which players are chosen: its sources, and the chosen entry."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from extras.individuals.library import Library, Scope, View
from gui.individuals.individual import ListedPlayer
from gui.runs.sources import Source


@dataclass(frozen=True)
class ManyFiles(Source):
    """A list of the individuals of many runs and files."""

    scope: Scope = field(default_factory=Scope)


OF_MANY_FILES = (
    ManyFiles("Champions and others", Path("Champions and others")),
    ManyFiles("All", Path("All"), scope=Scope(View.ALL)),
)


class Browser:
    """The players of one source: a generation, the champions of a run, a file, or many runs and files.

    Args:
        first: the run or file to begin with; None for many files.

    Attributes:
        source: the chosen source; None if it is no longer there.
        generation: the chosen generation of a run; -1 for the champions of all generations.
        said: messages for the user.
    """

    def __init__(self, library: Library, first: Path | None = None) -> None:
        """Prepare to list players; nothing is read before the first step."""
        self.library = library
        self.sources: list[Source] = list(OF_MANY_FILES)
        self.source: Source | None = None
        self.generation = -1
        self.said: list[str] = []
        self._chosen: ListedPlayer | None = None
        self._chosen_at: tuple[list[ListedPlayer], ListedPlayer, int] | None = None
        self._awaited: str | None = None
        """The name to choose once the list is read, empty for its first entry; None if nothing is to be chosen."""
        self._taken = library.sources.looks
        self._first = first
        self.loading = True
        library.sources.look_soon()
        self.choose_source(self.sources[0])

    # The choice ---------------------------------------------------------------------------------------------------

    @property
    def newest(self) -> int:
        return -1 if self.source is None else self.source.newest

    @property
    def chosen(self) -> ListedPlayer | None:
        return self._chosen

    def choose_source(self, source: Source) -> None:
        """Choose a source; of a run, the champions of all generations."""
        self.source = source
        self.choose_generation(-1)

    def choose_generation(self, generation: int, name: str = "") -> None:
        """Choose a generation of the run, or -1 for all champions, and an individual, by default the first."""
        source, self._chosen = self.source, None
        self.generation = min(max(generation, -1), self.newest)
        if source is None:
            return
        scope = source.scope if isinstance(source, ManyFiles) else None
        alone = scope is None and (not source.is_run or self.generation >= 0)
        if scope is None and not source.is_run:
            scope = Scope(View.FILE, file=source.path)
        elif scope is None:
            scope = Scope(View.GENERATION if alone else View.RUN, source.name, self.generation)
        self._awaited = name if alone else None
        self.library.scope = scope

    def choose_at(self, number: int) -> None:
        if 0 <= number < len(self.library.rows):
            self._chosen = self.library.rows[number]

    # The list -----------------------------------------------------------------------------------------------------

    @property
    def busy(self) -> bool:
        """True if there is work for `step`."""
        return self.loading or self.library.busy

    @property
    def arranged(self) -> tuple[object, ...]:
        """The source, search and order of the list: a key that changes when its rows or their order change."""
        return self.library.arranged

    def identify(self, number: int) -> tuple[object, ...]:
        """Return a key of a visible row that stays the same when the row moves."""
        row = self.library.rows[number]
        return row.player, row.name, row.source, row.generation

    @property
    def chosen_at(self) -> int:
        """The present row of the chosen entry, since rows move while a list grows; -1 if it is not visible."""
        rows, chosen = self.library.rows, self._chosen
        if chosen is None:
            return -1
        if self._chosen_at is None or self._chosen_at[0] is not rows or self._chosen_at[1] is not chosen:
            same = (n for n, row in enumerate(rows) if (row.player, row.name) == (chosen.player, chosen.name))
            self._chosen_at = rows, chosen, next(same, -1)
        return self._chosen_at[2]

    def trouble_of(self, source: Source) -> str:
        """Return the known fault of a run or file; empty if there is none."""
        damages = self.library.damages
        return source.trouble or (damages.in_folder if source.is_run else damages.of)(source.path)

    def damage_of(self, generation: int) -> str:
        """Return the known fault of the file of a generation; empty if there is none."""
        return "" if self.source is None else self.library.damages.of(self.source.file(generation), alone=False)

    # The work -----------------------------------------------------------------------------------------------------

    def step(self, now: float, seconds: float) -> bool:
        """Do some work; return whether something may have changed.

        Args:
            now: seconds of a monotonic clock.
            seconds: about how long to work.
        """
        changed = self.library.step(now, seconds)
        if self._taken != self.library.sources.looks:
            self._taken, self.loading = self.library.sources.looks, False
            sources = self._listed()
            changed = changed or sources != self.sources
            self._take(sources)
        if self._awaited is not None and not self.busy:
            self._choose_awaited(self._awaited)
            changed, self._awaited = True, None
        return changed

    def _choose_awaited(self, name: str) -> None:
        rows = self.library.rows
        self._chosen = next((row for row in rows if name in ("", row.name)), None)
        if self._chosen is None and name and self.source is not None:
            self.said.append(f"{name} is not in {self.source.name}.")

    def _listed(self) -> list[Source]:
        sources = self.library.sources
        return [*OF_MANY_FILES, *sources.in_order(self.sources), *sources.all_files]

    def _take(self, sources: list[Source]) -> None:
        """List new sources, and keep the choice if it still exists."""
        self.sources = sources
        first = next((source for source in sources if source.path == self._first), None)
        if first is not None:
            self._first = None
            self.choose_source(first)
            return
        before = self.source
        now = next((source for source in sources if before is not None and source.path == before.path), None)
        if now is None:
            self.said += [] if before is None else [f"{before.name} is no longer there."]
            self.choose_source(sources[0])
            return
        self.source = now
        if self.generation > now.newest:
            self.choose_generation(now.newest)
