"""The list from which players are chosen: its sources, and the chosen entry."""

from __future__ import annotations

from pathlib import Path

from extras.individuals.library import ALL, START, Library
from gui.individuals.individual import ListedPlayer
from gui.runs.sources import Source


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
        self.sources: list[Source] = [START, ALL]
        self.source: Source | None = None
        self.generation = -1
        self.said: list[str] = []
        self._chosen: ListedPlayer | None = None
        self._chosen_at: tuple[list[ListedPlayer], ListedPlayer, int] | None = None
        self._chooses_first = False  # once the list is read
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

    def choose_generation(self, generation: int) -> None:
        """Choose a generation of the run and its first individual, or -1 for all champions."""
        source, self._chosen = self.source, None
        self.generation = min(max(generation, -1), self.newest)
        if source is not None:
            self._chooses_first = self.generation >= 0 or not (source.is_run or source in (START, ALL))
            self.library.show(source, self.generation)

    def choose_at(self, number: int) -> None:
        if 0 <= number < len(self.library.rows):
            self._chosen = self.library.rows[number]

    # The list -----------------------------------------------------------------------------------------------------

    @property
    def busy(self) -> bool:
        """True if there is work for `step`."""
        return self.loading or self.library.busy

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
        if self._chooses_first and not self.busy:
            self.choose_at(0)
            changed, self._chooses_first = True, False
        return changed

    def _listed(self) -> list[Source]:
        sources = self.library.sources
        return [START, ALL, *sources.in_order(self.sources), *sources.all_files]

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
