"""The list of individuals: of whom it is made, what is known of the chosen one, what changes. No pygame."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from pathlib import Path

from gui.individuals import background_jobs
from gui.individuals.background import Background, Trouble
from gui.individuals.background_jobs import Relative, RunComparison
from gui.individuals.individual import Individual, Weighing
from gui.individuals.library import Library
from gui.individuals.listed import Listed
from gui.individuals.marks import Marks, why_unmarked
from gui.individuals.rows import Row
from gui.individuals.sheet import Sheet, Sheets
from gui.individuals.sources import OF_MANY_FILES, Elsewhere, Scope, Source, View


class Browser(Listed):
    """What is browsed, or chosen from.

    Attributes:
        sources: where individuals are looked for: of many files, then runs, then files.
        trouble: why there is no overview; empty if there is, or will be.
        family: relatives of the chosen individual, once they are found.
        family_trouble: why they are not.
        marked: an individual to compare the next one with.
        marked_run: a run to compare the next one with.
        compared: two runs, once they are compared; the screen takes it away.
        follow: whether the newest generation is chosen as it comes.
        said: sentences for the person; the screen takes them away.
    """

    def __init__(self, library: Library, *, choosing: bool = False, also: Elsewhere | None = None) -> None:
        """Prepare to browse; nothing is read before the first step.

        Args:
            library: everybody.
            choosing: whether it is to choose from, and not to look around.
            also: a run to list that is not among those of the library.
        """
        super().__init__(library, choosing=choosing)
        self.sources: list[Source] = list(OF_MANY_FILES) if choosing else []
        self.trouble = ""
        self.family: list[Relative] = []
        self.family_trouble = ""
        self.marked: Individual | None = None
        self.marked_run: Source | None = None
        self.compared: RunComparison | None = None
        self.follow = True
        self.said: list[str] = []
        self.background = Background()
        self._checks = Background()
        self._checked: dict[Path, int] = {}
        self._loaded = False
        self._first_look = True
        self._taken = library.sources.looks
        self._also = also
        self._sheets = Sheets()
        self._marks = Marks()
        self._weighing = Weighing(self.background)
        self._individual: Individual | None = None
        self._wanted = ""
        self._added: Path | None = None
        self._behind = False
        library.look_soon()
        self.background.ask("load", lambda: import_module("evolve.report.overview"))
        if choosing:
            self.choose_source(self.sources[0])

    # What there is ------------------------------------------------------------------------------------------------

    @property
    def busy(self) -> bool:
        """Whether there is work for `step`, or answers are to come."""
        return (
            self.loading
            or self.background.busy
            or self._checks.busy
            or self._marks.busy
            or (self.listing is not None and self.listing.busy)
        )

    @property
    def loading(self) -> bool:
        """Whether what reads runs is not loaded yet, or nobody has looked since this list was opened."""
        return not self._loaded or self._first_look

    def note(self, name: str) -> tuple[bool, str]:
        """Star and note of an individual of the chosen generation."""
        return self._marks.of(self.generation, name)

    def trouble_of(self, source: Source) -> str:
        """What is wrong with a run or file, as far as that was found; empty if nothing is."""
        damages = self.library.damages
        return source.trouble or (damages.in_folder if source.is_run else damages.of)(source.path)

    def damage_of(self, generation: int) -> str:
        """Why a generation cannot be shown, as far as that was found."""
        return "" if self.source is None else self.library.damages.of(self.source.file(generation))

    @property
    def individual(self) -> Individual | None:
        """The chosen individual with all that is compared; None if none is, or it is one of many files."""
        if self._individual is None and self.sheet is not None and self.source is not None:
            row = self.chosen
            if row is not None:
                self._individual = self._weighing.individual(self.source, self.generation, self.sheet, row)
        return self._individual

    # Choosing -----------------------------------------------------------------------------------------------------

    def choose_source(self, source: Source) -> None:
        """Look at a source: the newest generation of a run, or, to choose from, its champions."""
        self.source, self.name, self._wanted, self._picked = source, "", "", None
        self.overview, self.trouble = None, ""
        self._marks.forget()
        self.background.forget("overview")
        self.choose_generation(-1 if self.choosing else source.newest)
        self._ask_overview()

    def choose_generation(self, generation: int, name: str = "") -> None:
        """Look at a generation of the chosen run, and at one individual there."""
        self.generation, self._behind = min(max(generation, -1), self.newest), False
        self._wanted, self.name, self._individual, self.family, self._picked = name, "", None, [], None
        self._open_sheet()

    def choose(self, name: str) -> None:
        """Look at an individual of the chosen generation."""
        if name == self.name:
            return
        self.name, self._individual, self.family, self.family_trouble = name, None, [], ""
        self._ask_family()

    def choose_row(self, row: Row) -> None:
        """Choose a row of the first list of many files, wherever it stands there."""
        if self.source is None or self.source.scope != Scope():
            self.choose_source(OF_MANY_FILES[0])
        self._picked = row

    def choose_at(self, number: int) -> None:
        """Choose a row of what is shown."""
        if self.gathers and 0 <= number < len(self.library.rows):
            self._picked = self.library.rows[number]
        elif self.sheet is not None and 0 <= number < len(self.sheet.rows):
            self.choose(self.sheet.head(number).name)

    def go_to(self, relative: Relative) -> None:
        """Look at a relative."""
        self.follow = False
        if relative.generation == self.generation:
            self.choose(relative.name)
        else:
            self.choose_generation(relative.generation, relative.name)

    def add_file(self, path: Path) -> None:
        """Take a CSV file into the list and look at it."""
        path = path.absolute()
        self.library.add_file(path)
        self._sheets.forget(path)
        self._added = path
        if not self.loading:
            self._take(self._looked())

    def _looked(self) -> list[Source]:
        found = self.library.sources.in_order(self.sources)
        if self._also is not None:
            also = self._also.look()
            found = [also, *(each for each in found if each.path != also.path)]
        return [*OF_MANY_FILES, *found] if self.choosing else found

    @property
    def removable(self) -> Path | None:
        """The file that `remove_file` leaves out: the chosen one, or that of the chosen row of many files."""
        source, files = self.source, set(self.library.files) - set(self.library.sources.lying)
        if source is not None and source.scope is not None and self._picked is not None:
            return next((path for path in files if path.name == self._picked.source), None)
        return source.path if source is not None and source.path in files else None

    def remove_file(self) -> Path | None:
        """Leave a file out of the list; returns which, None for a run and what lies in the folder of runs."""
        path = self.removable
        if path is None:
            return None
        self.library.remove_file(path)
        self.sources = [each for each in self.sources if each.path != path]
        if self.source is None or self.source.path != path:
            self._picked = None
            return path
        self.source, self.sheet, self.name, self._individual = None, None, "", None
        if self.sources:
            self.choose_source(self.sources[0])
        return path

    # Actions ------------------------------------------------------------------------------------------------------

    def toggle_star(self) -> str:
        """Give the chosen individual a star, or take it away; why not, or nothing."""
        if (why_not := why_unmarked(self.source, self.name)) or self.source is None:
            return why_not
        self._marks.star(self.source.path, self.generation, self.name)
        self._show_marks()
        return ""

    def set_note(self, text: str) -> str:
        """Keep a note about the chosen individual; why not, or nothing."""
        if (why_not := why_unmarked(self.source, self.name)) or self.source is None:
            return why_not
        wrong = self._marks.note(self.source.path, self.generation, self.name, text.strip())
        self._show_marks()
        return wrong

    def compare_runs(self) -> str:
        """Compare the marked run with the chosen one, in the background; why not, or nothing."""
        first, second = self.marked_run, self.source
        if first is None or not first.is_run:
            return "Mark a run first, then choose another one."
        if second is None or not second.is_run or second.path == first.path:
            return "Choose another run to compare with the marked one."
        self.background.ask("compare", lambda: background_jobs.compare_runs(first.path, second.path))
        return ""

    def close(self) -> None:
        """Let the background end; notes are kept first."""
        self._marks.close()
        self.background.close()
        self._checks.close()

    # The work -----------------------------------------------------------------------------------------------------

    def step(self, now: float, seconds: float, *, held: bool = False) -> bool:
        """Do some work; returns whether something may have changed.

        Args:
            now: seconds of a clock that does not go back.
            seconds: how long to work, about.
            held: whether the table is not to change to a newer generation now.
        """
        changed = self._answers()
        changed = self.library.step(now, seconds, walk=self.gathers) or changed
        if self._loaded and self._taken != self.library.sources.looks:
            self._taken, self._first_look = self.library.sources.looks, False
            changed = self._look(held=held) or changed
        if not self.gathers and self.sheet is not None and self.sheet.busy:
            changed = self.sheet.step(seconds) or changed
            if not self.sheet.busy:
                self._sheet_is_read(self.sheet)
        return changed

    def _answers(self) -> bool:
        answers = self.background.poll()
        for key, answer in answers:
            text = answer.text if isinstance(answer, Trouble) else ""
            if key == "load":
                self._loaded = True
            elif key == "overview":
                self.overview, self.trouble = (None, text) if text else (answer, "")
                self._individual = None  # its rating is known now
            elif key == "family":
                self.family, self.family_trouble = ([], text) if text else (answer, "")
            elif key == "compare":
                self.compared = None if text else answer
            elif not text:
                self._weighing.kept(*answer)
                self._individual = None
            if text and key in ("load", "compare"):
                self.said.append(text)
        noted = self._marks.busy and self._read_notes()
        checks = self._checks.poll()
        for _, index in checks:
            if not isinstance(index, Trouble):
                self.library.damages.note(index)
        return bool(answers or checks or noted)

    def _look(self, *, held: bool) -> bool:
        """See what has changed on disk."""
        before = self.sources
        found = self._looked()
        changed = self._read_notes()
        if found == before and (held or not self._behind):
            return self._reopen() or changed
        self._take(found, held=held)
        return True

    def _take(self, found: list[Source], *, held: bool = False) -> None:
        """Show new sources; what was chosen stays chosen."""
        self.sources = found
        for source in found:
            if source.newest > self._checked.get(source.path, -1):
                self._checked[source.path] = source.newest
                path, checksums = source.file(source.newest), source.checksums(source.newest)
                if not self.library.damages.are_known(path):
                    self._checks.ask(str(source.path), partial(background_jobs.read_index, path, checksums))
        added = next((source for source in found if source.path == self._added), None)
        self._added = None
        if added is not None or self.source is None:
            if found:
                self.choose_source(added or found[0])
            return
        before = self.source
        now = next((source for source in found if source.path == before.path), None)
        if now is None:
            self.source, self.sheet, self.name, self._individual = None, None, "", None
            self.said.append(f"{before.name} is no longer there.")
            return
        self.source = now
        follows = self.follow and (self._behind or self.generation == before.newest)
        self._behind = follows and self.generation != now.newest
        if (self._behind and not held) or self.generation > now.newest:
            self.choose_generation(now.newest)
        if now != before:
            self._ask_overview()
        self._reopen()

    def _reopen(self) -> bool:
        """Read the file again if it has changed; the chosen individual stays chosen."""
        if self.sheet is None or self.sheet.busy or not self.sheet.stale or self.source is None:
            return False
        self._sheets.forget(self.sheet.path)
        self._wanted = self.name or self._wanted
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
        path = source.file(self.generation)
        self.sheet = sheet = self._sheets.open(path, source.checksums(self.generation))
        self._arrange()
        self._read_notes()
        if not sheet.busy:
            self._sheet_is_read(sheet)

    def _sheet_is_read(self, sheet: Sheet) -> None:
        self.library.damages.note(sheet.heads)
        wanted = self._wanted or self.name
        self._wanted = ""
        if wanted and sheet.find(wanted) is not None:
            self._individual = None
            self.name = ""
            self.choose(wanted)
        elif wanted and not sheet.damage:
            self.said.append(f"{wanted} is not in {sheet.path.name}.")
        elif not self.name and sheet.rows:
            self.choose(sheet.head(0).name)

    def _read_notes(self) -> bool:
        """Stars and notes of the chosen run, if they have changed."""
        if self.source is None:
            return False
        changed = self._marks.look(self.source.path, kept=self.source.is_run)
        self.said += self._marks.said
        self._marks.said.clear()
        self._show_marks()
        return changed

    def _show_marks(self) -> None:
        if self.sheet is not None:
            self.sheet.mark(self._marks.shown(self.generation))

    def _ask_overview(self) -> None:
        source = self.source
        if source is not None and source.is_run and source.newest >= 0:
            self.background.ask("overview", lambda: background_jobs.overview(source.path))

    def _ask_family(self) -> None:
        source, generation, name = self.source, self.generation, self.name
        self.background.forget("family")
        if self.choosing:
            return
        if source is not None and source.is_run and generation >= 0 and name:
            newest = source.newest
            self.background.ask("family", lambda: background_jobs.family(source.path, newest, generation, name))
