"""Which individuals are listed, in which order, and which one of them is chosen. No pygame."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolve.run.row_index import Head
from gui.individuals.library import Library
from gui.individuals.rows import Row, row_of_file, row_of_generation
from gui.individuals.sheet import Sheet
from gui.individuals.sources import Source
from gui.individuals.walk import unknown_width

if TYPE_CHECKING:
    from evolve.report.overview import RunOverview


class Listed:
    """Individuals of one file or of many.

    Attributes:
        library: individuals of many files at once.
        choosing: whether an opponent is chosen, from many files if need be.
        source: where they are from; None before that is chosen.
        generation: the chosen one of a run; -1 for none, or for the champions of all.
        sheet: its individuals; None where there is nothing to show, or they are of many files.
        name: the chosen individual; empty for none.
        overview: what the numbers of the run mean, once that is found out.
    """

    def __init__(self, library: Library, *, choosing: bool) -> None:
        self.library = library
        self.choosing = choosing
        self.source: Source | None = None
        self.generation = -1
        self.sheet: Sheet | None = None
        self.name = ""
        self.overview: RunOverview | None = None
        self._picked: Row | None = None
        self._picked_at: tuple[list[Row], Row, int] | None = None
        self._search, self._sorted = "", ("", False)

    @property
    def newest(self) -> int:
        """The newest generation of the chosen run."""
        return -1 if self.source is None else self.source.newest

    @property
    def listing(self) -> Sheet | Library | None:
        """The individuals that are shown: of one file or of many; None where there is nothing to show."""
        return self.library if self.gathers else self.sheet

    @property
    def gathers(self) -> bool:
        """Whether the individuals that are shown are those of many files."""
        source = self.source
        if source is None or source.scope is not None:
            return source is not None
        return self.choosing and self.generation < 0 and source.newest >= 0

    @property
    def columns(self) -> list[str]:
        """Columns of what is shown."""
        return [] if self.listing is None else self.listing.columns

    @property
    def search(self) -> str:
        """Words and conditions that individuals must have."""
        return self._search

    @search.setter
    def search(self, text: str) -> None:
        self._search = text
        self._arrange()

    @property
    def sorted_by(self) -> tuple[str, bool]:
        """Column, and whether it descends; no column for the usual order."""
        return ("", False) if self.listing is None else self.listing.sorted_by

    def sort(self, column: str, *, descending: bool = False) -> None:
        """Order the individuals."""
        self._sorted = column, descending
        self._arrange()

    def show_playable(self, only: bool) -> None:
        """Leave out those who cannot be played, or show them again."""
        self.library.only_playable = only
        self._arrange()

    def _arrange(self) -> None:
        if self.sheet is not None:
            self.sheet.choose_from(self._can_be_played if self.library.only_playable else None)
        listing, (column, descending) = self.listing, self._sorted
        if listing is not None:
            listing.search = self._search
            listing.sort(column, descending=descending)

    # Who is chosen ------------------------------------------------------------------------------------------------

    @property
    def chosen(self) -> Row | None:
        """The chosen individual; None if none is."""
        if self.gathers:
            return self._picked
        head = None if self.sheet is None or not self.name else self.sheet.find(self.name)
        return None if head is None else self._row(head)

    def _can_be_played(self, head: Head) -> bool:
        return bool(self._row(head).player)

    def _row(self, head: Head) -> Row:
        assert self.source is not None and self.sheet is not None
        kept = self.sheet.heads.weights
        if self.source.is_run:
            row = row_of_generation(self.source, self.generation, head, kept=kept > 0)
            rating = self.overview.history.rating(self.generation) if self.overview and head.rank == 1 else None
            return row._replace(rating=rating)
        row, trouble = row_of_file(self.source.path, head), unknown_width(self.source.path, kept)
        return row._replace(player="", trouble=trouble) if trouble else row

    @property
    def arranged(self) -> tuple[object, ...]:
        """What is listed, and by which search and order."""
        place = None if self.source is None else self.source.path
        return place, self.generation, () if self.listing is None else self.listing.arranged

    def identify(self, number: int) -> tuple[object, ...]:
        """Who stands in a row of what is shown, wherever that row moves."""
        if self.gathers:
            row = self.library.rows[number]
            return row.player, row.name, row.source, row.generation
        return (
            (None, -1, "") if self.sheet is None else (self.sheet.path, self.generation, self.sheet.head(number).name)
        )

    @property
    def chosen_at(self) -> int:
        """Where the chosen one stands now; -1 if it is not shown. Rows move while a list grows."""
        if not self.gathers:
            return self.sheet.row_of(self.name) if self.sheet is not None and self.name else -1
        rows, chosen = self.library.rows, self._picked
        if chosen is None:
            return -1
        if self._picked_at is None or self._picked_at[0] is not rows or self._picked_at[1] is not chosen:
            same = (n for n, row in enumerate(rows) if (row.player, row.name) == (chosen.player, chosen.name))
            self._picked_at = rows, chosen, next(same, -1)
        return self._picked_at[2]
