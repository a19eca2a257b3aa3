"""The list of individuals: its sources and order, and the chosen individual with facts about it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evolve.run.row_index import Head, RowIndex
from game.installation import module_name
from gui.background import Background, Trouble
from gui.individuals import reading
from gui.individuals.individual import ListedPlayer, Portrait, Portraits
from gui.individuals.library import Library, unknown_width
from gui.individuals.marks import Marks, why_unmarked
from gui.individuals.reading import Relation, RunComparison
from gui.individuals.sheet import Sheet, Sheets
from gui.runs.sources import OF_MANY_FILES, Scope, Source, View

if TYPE_CHECKING:
    from evolve.report.overview import RunOverview


@dataclass(frozen=True)
class BrowserChoice:
    """The choice in a browser.

    Attributes:
        generation: a generation of a run; -1 for none, or for the champions of all generations.
    """

    source: Source | None = None
    generation: int = -1
    name: str = ""


class Browser:
    """The individuals of one file or of many files, for browsing or for choosing an opponent.

    Attributes:
        choosing: whether the user chooses an opponent, possibly from many files.
        overview: what the numbers of the run mean; None until it is computed.
        trouble: why there is no overview; empty if there is one, or it is still being computed.
        compared: the comparison of two runs, once it is made; the screen that displays it removes it.
        follow: whether each new generation is chosen when it appears.
    """

    def __init__(
        self,
        library: Library,
        background: Background | None = None,
        writes: Background | None = None,
        *,
        choosing: bool = False,
        also: Source | None = None,
    ) -> None:
        """Prepare to browse; nothing is read before the first step.

        Args:
            also: a run to list that is not in the library.
        """
        self.library = library
        self.choosing = choosing
        self.sources: list[Source] = list(OF_MANY_FILES) if choosing else []
        self.choice = BrowserChoice()
        self.sheet: Sheet | None = None
        self.overview: RunOverview | None = None
        self.trouble = ""
        self.family: list[Relation] = []
        self.family_trouble = ""
        self.marked: Portrait | None = None
        self.marked_run: Source | None = None
        self.compared: RunComparison | None = None
        self.follow = True
        self.said: list[str] = []
        self.background = background or Background()
        self._picked: ListedPlayer | None = None
        self._picked_at: tuple[list[ListedPlayer], ListedPlayer, int] | None = None
        self._search, self._sorted = "", ("", False)
        self._loaded = False
        self._first_look = True
        self._taken = library.sources.looks
        self._also = also
        self._also_run = None if also is None else library.sources.live(also.path)  # kept alive
        self._now = 0.0
        self._sheets = Sheets()
        self._marks = Marks(writes or Background())
        self._portraits = Portraits(self.background, self._forget_portrait)
        self._portrait: Portrait | None = None
        self._added: Path | None = None
        self._behind = False
        library.look_soon()
        reader = module_name("evolve.report.overview")
        self.background.ask(self, "load", lambda: import_module(reader), self._receive_load)
        if choosing:
            self.choose_source(self.sources[0])

    # What is chosen -----------------------------------------------------------------------------------------------

    @property
    def source(self) -> Source | None:
        return self.choice.source

    @property
    def generation(self) -> int:
        """The chosen generation; -1 for none, or for the champions of all generations."""
        return self.choice.generation

    @property
    def name(self) -> str:
        return self.choice.name

    @property
    def newest(self) -> int:
        return -1 if self.source is None else self.source.newest

    @property
    def chosen(self) -> ListedPlayer | None:
        """The chosen individual; None if there is none, or its file has not been read yet."""
        if self.gathers:
            return self._picked
        head = None if self.sheet is None or not self.name else self.sheet.find(self.name)
        return None if head is None else self._individual(head)

    @property
    def portrait(self) -> Portrait | None:
        """The chosen individual with its weights; None if none is chosen, or it is one of many files."""
        if self._portrait is None and self.sheet is not None and self.source is not None:
            individual = self.chosen
            if individual is not None:
                self._portrait = self._portraits.draw(
                    self.source, self.generation, self.sheet.weights(individual.name), individual
                )
        return self._portrait

    def _individual(self, head: Head) -> ListedPlayer:
        assert self.source is not None and self.sheet is not None
        kept = self.sheet.heads.weights
        if self.source.is_run:
            individual = ListedPlayer.of_generation(self.source, self.generation, head, kept=kept > 0)
            rating = self.overview.history.rating(self.generation) if self.overview and head.rank == 1 else None
            return individual._replace(rating=rating)
        individual, trouble = ListedPlayer.of_file(self.source.path, head), unknown_width(self.source.path, kept)
        return individual._replace(player="", trouble=trouble) if trouble else individual

    def choose_source(self, source: Source) -> None:
        """Choose a source and its newest generation or, when choosing an opponent, the champions of all generations."""
        self._choose(source=source, name="")
        self._picked, self.overview, self.trouble = None, None, ""
        self._marks.forget()
        self.background.cancel(self, "overview")
        self.choose_generation(-1 if self.choosing else source.newest)
        self._ask_overview()

    def choose_generation(self, generation: int, name: str = "") -> None:
        """Choose a generation of the chosen run, and an individual, by default the first of the list."""
        self._choose(generation=min(max(generation, -1), self.newest), name=name)
        self._behind, self.family, self._picked = False, [], None
        self._open_sheet()

    def choose(self, name: str) -> None:
        if name != self.name:
            self._choose(name=name)
            self._ask_family()

    def choose_row(self, row: ListedPlayer) -> None:
        """Choose a row of the first list of many files, whatever its position there."""
        if self.source is None or self.source.scope != Scope():
            self.choose_source(OF_MANY_FILES[0])
        self._picked = row

    def choose_at(self, number: int) -> None:
        if self.gathers and 0 <= number < len(self.library.rows):
            self._picked = self.library.rows[number]
        elif self.sheet is not None and 0 <= number < len(self.sheet.rows):
            self.choose(self.sheet.head(number).name)

    def go_to(self, relation: Relation) -> None:
        self.follow = False
        relative = relation.individual
        if relative.generation == self.generation:
            self.choose(relative.name)
        elif relative.generation is not None:
            self.choose_generation(relative.generation, relative.name)

    def _choose(self, **changes: Any) -> None:
        self.choice, self._portrait = replace(self.choice, **changes), None

    def _choose_nothing(self) -> None:
        self._choose(source=None, name="")
        self.sheet = None

    # What is listed -----------------------------------------------------------------------------------------------

    @property
    def busy(self) -> bool:
        """True if there is work for `step`, or answers are pending."""
        return (
            self.loading
            or self.background.wants(self)
            or self.background.wants(self._portraits)
            or self._marks.busy
            or (self.listing is not None and self.listing.busy)
        )

    @property
    def loading(self) -> bool:
        """True until the code that reads runs has been imported and the disk has been read once."""
        return not self._loaded or self._first_look

    @property
    def listing(self) -> Sheet | Library | None:
        """The list of individuals, of one file or of many; None if there is nothing to list."""
        return self.library if self.gathers else self.sheet

    @property
    def gathers(self) -> bool:
        """True if the list comes from many files."""
        source = self.source
        if source is None or source.scope is not None:
            return source is not None
        return self.choosing and self.generation < 0 and source.newest >= 0

    @property
    def columns(self) -> list[str]:
        return [] if self.listing is None else self.listing.columns

    @property
    def search(self) -> str:
        return self._search

    @search.setter
    def search(self, text: str) -> None:
        self._search = text
        self._arrange()

    @property
    def sorted_by(self) -> tuple[str, bool]:
        """The column by which the list is sorted, empty for the default order, and whether it descends."""
        return ("", False) if self.listing is None else self.listing.sorted_by

    def sort(self, column: str, *, descending: bool = False) -> None:
        self._sorted = column, descending
        self._arrange()

    def show_playable(self, only: bool) -> None:
        """Hide individuals that cannot be played, or show them again."""
        self.library.only_playable = only
        self._arrange()

    def _arrange(self) -> None:
        if self.sheet is not None:
            self.sheet.choose_from(self._can_be_played if self.library.only_playable else None)
        listing, (column, descending) = self.listing, self._sorted
        if listing is not None:
            listing.search = self._search
            listing.sort(column, descending=descending)

    def _can_be_played(self, head: Head) -> bool:
        return bool(self._individual(head).player)

    @property
    def arranged(self) -> tuple[object, ...]:
        """The source, search and order of the list: a key that changes when its rows or their order change."""
        place = None if self.source is None else self.source.path
        return place, self.generation, () if self.listing is None else self.listing.arranged

    def identify(self, number: int) -> tuple[object, ...]:
        """Return a key of a visible row that stays the same when the row moves."""
        if self.gathers:
            row = self.library.rows[number]
            return row.player, row.name, row.source, row.generation
        if self.sheet is None:
            return None, -1, ""
        return self.sheet.path, self.generation, self.sheet.head(number).name

    @property
    def chosen_at(self) -> int:
        """The present row of the chosen individual, since rows move while a list grows; -1 if it is not visible."""
        if not self.gathers:
            return self.sheet.row_of(self.name) if self.sheet is not None and self.name else -1
        rows, chosen = self.library.rows, self._picked
        if chosen is None:
            return -1
        if self._picked_at is None or self._picked_at[0] is not rows or self._picked_at[1] is not chosen:
            same = (n for n, row in enumerate(rows) if (row.player, row.name) == (chosen.player, chosen.name))
            self._picked_at = rows, chosen, next(same, -1)
        return self._picked_at[2]

    def trouble_of(self, source: Source) -> str:
        """Return the known fault of a run or file; empty if there is none."""
        damages = self.library.damages
        return source.trouble or (damages.in_folder if source.is_run else damages.of)(source.path)

    def damage_of(self, generation: int) -> str:
        """Return the known fault of the file of a generation; empty if there is none."""
        return "" if self.source is None else self.library.damages.of(self.source.file(generation), alone=False)

    # Files --------------------------------------------------------------------------------------------------------

    def add_file(self, path: Path) -> None:
        path = path.absolute()
        self.library.add_file(path)
        self._sheets.forget(path)
        self._added = path
        if not self.loading:
            self._take(self._looked())

    @property
    def removable(self) -> Path | None:
        """The file that `remove_file` removes: the chosen one, or the file of the chosen row of many files."""
        source, files = self.source, set(self.library.files) - set(self.library.sources.lying)
        if source is not None and source.scope is not None and self._picked is not None:
            return next((path for path in files if path.name == self._picked.source), None)
        return source.path if source is not None and source.path in files else None

    def remove_file(self) -> Path | None:
        """Remove the chosen file from the list and return it; None for a run and for files in the folder of runs."""
        path = self.removable
        if path is None:
            return None
        self.library.remove_file(path)
        self.sources = [source for source in self.sources if source.path != path]
        if self.source is None or self.source.path != path:
            self._picked = None
            return path
        self._choose_nothing()
        if self.sources:
            self.choose_source(self.sources[0])
        return path

    # Actions ------------------------------------------------------------------------------------------------------

    def note(self, name: str) -> tuple[bool, str]:
        return self._marks.of(self.generation, name)

    def toggle_star(self) -> str:
        """Add a star to the chosen individual, or remove it; return why this failed, empty if it did not."""
        if (why_not := why_unmarked(self.source, self.name)) or self.source is None:
            return why_not
        self._marks.star(self.source.path, self.generation, self.name)
        self._show_marks()
        return ""

    def set_note(self, text: str) -> str:
        """Save a note about the chosen individual; return why this failed, empty if it did not."""
        if (why_not := why_unmarked(self.source, self.name)) or self.source is None:
            return why_not
        wrong = self._marks.note(self.source.path, self.generation, self.name, text.strip())
        self._show_marks()
        return wrong

    def compare_runs(self) -> str:
        """Compare the marked run with the chosen one, in the background; return why this is impossible, or ""."""
        first, second = self.marked_run, self.source
        if first is None or not first.is_run:
            return "Mark a run first, then choose another one."
        if second is None or not second.is_run or second.path == first.path:
            return "Choose another run to compare with the marked one."
        work = partial(reading.compare_runs, first.path, second.path)
        self.background.ask(self, "compare", work, self._receive_comparison)
        return ""

    def close(self) -> None:
        """Cancel the work in the background; notes are still written."""
        self.background.cancel(self)
        self.background.cancel(self._portraits)

    # The work -----------------------------------------------------------------------------------------------------

    def step(self, now: float, seconds: float, *, held: bool = False) -> bool:
        """Do some work; return whether something may have changed.

        Args:
            now: seconds of a monotonic clock.
            seconds: about how long to work.
            held: whether to stay at the current generation for now, even if a newer one appears.
        """
        self._now = now
        changed = self.background.deliver()
        changed = (self._marks.busy and self._read_notes()) or changed
        changed = self.library.step(now, seconds, walk=self.gathers) or changed
        if self._loaded and self._taken != self.library.sources.looks:
            self._taken, self._first_look = self.library.sources.looks, False
            changed = self._look(held=held) or changed
        if not self.gathers and self.sheet is not None and self.sheet.busy:
            changed = self.sheet.step(seconds) or changed
            if not self.sheet.busy:
                self._sheet_is_read(self.sheet)
        return changed

    def _receive_load(self, answer: object) -> None:
        self._loaded = True
        if isinstance(answer, Trouble):
            self.said.append(answer.text)

    def _receive_overview(self, answer: RunOverview | Trouble) -> None:
        self.overview, self.trouble = (None, answer.text) if isinstance(answer, Trouble) else (answer, "")
        self._forget_portrait()  # its rating is known now

    def _receive_family(self, answer: list[Relation] | Trouble) -> None:
        self.family, self.family_trouble = ([], answer.text) if isinstance(answer, Trouble) else (answer, "")

    def _receive_comparison(self, answer: RunComparison | Trouble) -> None:
        if isinstance(answer, Trouble):
            self.said.append(answer.text)
        else:
            self.compared = answer

    def _receive_check(self, answer: RowIndex | Trouble) -> None:
        if not isinstance(answer, Trouble):
            self.library.damages.note(answer)

    def _forget_portrait(self) -> None:
        self._portrait = None

    def _look(self, *, held: bool) -> bool:
        before = self.sources
        sources = self._looked()
        changed = self._read_notes()
        self._check_newest(sources)
        if sources == before and (held or not self._behind):
            return self._reopen() or changed
        self._take(sources, held=held)
        return True

    def _check_newest(self, sources: list[Source]) -> None:
        for source in sources:
            if source.newest >= 0:
                path, checksums = source.file(source.newest), source.checksums(source.newest)
                work, name = partial(reading.read_index, path, checksums), f"check of {source.path}"
                if not self.library.damages.are_known(path, checksums) and not self.background.wants(self, name):
                    self.background.ask(self, name, work, self._receive_check, later=True)

    def _looked(self) -> list[Source]:
        sources = self.library.sources.in_order(self.sources)
        if self._also is not None:
            also = self.library.sources.read(self._also.path, self._also.name, self._now)
            sources = [also, *(source for source in sources if source.path != also.path)]
        return [*OF_MANY_FILES, *sources] if self.choosing else sources

    def _take(self, sources: list[Source], *, held: bool = False) -> None:
        """List new sources, and keep the choice if it still exists."""
        self.sources = sources
        added = next((source for source in sources if source.path == self._added), None)
        self._added = None
        if added is not None or self.source is None:
            if sources:
                self.choose_source(added or sources[0])
            return
        before = self.source
        now = next((source for source in sources if source.path == before.path), None)
        if now is None:
            self._choose_nothing()
            self.said.append(f"{before.name} is no longer there.")
            return
        self.choice = replace(self.choice, source=now)  # the portrait is the same
        follows = self.follow and (self._behind or self.generation == before.newest)
        self._behind = follows and self.generation != now.newest
        if (self._behind and not held) or self.generation > now.newest:
            self.choose_generation(now.newest)
        if now != before:
            self._ask_overview()
        self._reopen()

    def _reopen(self) -> bool:
        """Read the file again if it has changed, and keep the choice; return whether it has."""
        if self.sheet is None or self.sheet.busy or self.source is None or self.generation > self.newest:
            return False
        if self.sheet.holds(self.source.checksums(self.generation)):
            return False
        self._sheets.forget(self.sheet.path)
        self._open_sheet()
        return True

    def _open_sheet(self) -> None:
        self.sheet = None
        source = self.source
        if source is not None and self.gathers:
            scope = source.scope or Scope(View.RUN, source.name)
            if self.library.scope != scope:
                self.library.scope = scope
            self._arrange()
        if source is None or source.scope is not None or (source.is_run and self.generation < 0):
            return
        self.sheet = sheet = self._sheets.open(source.file(self.generation), source.checksums(self.generation))
        self._arrange()
        self._read_notes()
        if not sheet.busy:
            self._sheet_is_read(sheet)

    def _sheet_is_read(self, sheet: Sheet) -> None:
        self.library.damages.note(sheet.heads)
        if self.name and sheet.find(self.name) is not None:
            self._portrait = None
            self._ask_family()
        elif self.name and not sheet.damage:
            self.said.append(f"{self.name} is not in {sheet.path.name}.")
            self._choose(name="")
        elif not self.name and sheet.rows:
            self.choose(sheet.head(0).name)

    def _read_notes(self) -> bool:
        """Read stars and notes of the chosen run, if they have changed."""
        if self.source is None:
            return False
        changed = self._marks.look(self.source.path, kept=self.source.is_run)
        self.said += self._marks.said
        self._marks.said.clear()
        self._show_marks()
        return changed

    def _show_marks(self) -> None:
        if self.sheet is not None:
            self.sheet.mark(self._marks.of_generation(self.generation))

    def _ask_overview(self) -> None:
        source = self.source
        if source is not None and source.is_run and source.newest >= 0:
            self.background.ask(self, "overview", partial(reading.overview, source.path), self._receive_overview)

    def _ask_family(self) -> None:
        source, (generation, name) = self.source, (self.generation, self.name)
        self.family, self.family_trouble = [], ""
        self.background.cancel(self, "family")
        if self.choosing:
            return
        if source is not None and source.is_run and generation >= 0 and name:
            newest = source.newest
            work = partial(reading.relations, source.path, newest, generation, name)
            self.background.ask(self, "family", work, self._receive_family)
