"""The list from which players are chosen: its sources, and the chosen entry."""

from __future__ import annotations

from pathlib import Path

from gui.individuals.individual import ListedPlayer
from gui.individuals.library import Library
from gui.runs.sources import OF_MANY_FILES, Scope, Source, View


class Browser:
    """The players of one source: a generation, the champions of a run, a file, or many runs and files.

    Attributes:
        source: the chosen source; None if it is no longer there.
        generation: the chosen generation of a run; -1 for the champions of all generations.
        said: messages for the user.
    """

    def __init__(self, library: Library) -> None:
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
        self._added: Path | None = None
        self.loading = True
        library.search = ""
        library.sort("")
        library.look_soon()
        self.choose_source(self.sources[0])

    # What is chosen -----------------------------------------------------------------------------------------------

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
        scope, alone = source.scope, source.scope is None and (not source.is_run or self.generation >= 0)
        if scope is None and not source.is_run:
            scope = Scope(View.FILE, file=source.path)
        elif scope is None:
            scope = Scope(View.GENERATION if alone else View.RUN, source.name, self.generation)
        self._awaited = name if alone else None
        self.library.scope = scope

    def choose_row(self, row: ListedPlayer) -> None:
        """Choose a row of the first list, whatever its position there."""
        if self.source is None or self.source.scope != Scope():
            self.choose_source(OF_MANY_FILES[0])
        self._chosen = row

    def choose_at(self, number: int) -> None:
        if 0 <= number < len(self.library.rows):
            self._chosen = self.library.rows[number]

    # What is listed -----------------------------------------------------------------------------------------------

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

    # Files --------------------------------------------------------------------------------------------------------

    def add_file(self, path: Path) -> None:
        self.library.add_file(path)
        self._added = path.absolute()
        if not self.loading:
            self._take(self._listed())

    @property
    def removable(self) -> Path | None:
        """The file that `remove_file` removes: the chosen one, or the file of the chosen row of many files."""
        source, files = self.source, set(self.library.files) - set(self.library.sources.lying)
        if source is not None and source.scope is not None and self._chosen is not None:
            return next((path for path in files if path.name == self._chosen.source), None)
        return source.path if source is not None and source.path in files else None

    def remove_file(self) -> Path | None:
        """Remove the chosen file from the list and return it; None for a run and for files in the folder of runs."""
        path = self.removable
        if path is None:
            return None
        self.library.remove_file(path)
        self.sources = [source for source in self.sources if source.path != path]
        self._chosen = None
        if self.source is not None and self.source.path == path:
            self.choose_source(self.sources[0])
        return path

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
        return [*OF_MANY_FILES, *self.library.sources.in_order(self.sources)]

    def _take(self, sources: list[Source]) -> None:
        """List new sources, and keep the choice if it still exists."""
        self.sources = sources
        added = next((source for source in sources if source.path == self._added), None)
        if added is not None:
            self._added = None
            self.choose_source(added)
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
