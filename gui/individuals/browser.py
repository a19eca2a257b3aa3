"""Browsing runs, generations, individuals: what is chosen, what is known of it, what changes meanwhile. No pygame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from evolve.run.row_index import Head
from gui.individuals import background_jobs, sources
from gui.individuals.background import Background, Trouble
from gui.individuals.background_jobs import Relative, RunComparison
from gui.individuals.marks import Marks
from gui.individuals.pictures import Picture, first_layer
from gui.individuals.runs import Runs
from gui.individuals.sheet import Sheet
from gui.individuals.sources import Source
from gui.model.names import individual

if TYPE_CHECKING:
    from evolve.report.overview import RunOverview
    from game.networks.spec import Spec

LOOK_EVERY = 1.0
"""Seconds between looks at the disk."""

KEPT_SHEETS = 4


@dataclass(frozen=True)
class Individual:
    """One individual, with all that is compared.

    Attributes:
        name: its own.
        source: name of the run or file.
        generation: of a run; None elsewhere.
        player: by which it is played; empty if it cannot be.
        head: its results.
        weights: none if they were not kept.
        pictures: of its first layer.
    """

    name: str
    source: str
    generation: int | None
    player: str
    head: Head
    weights: tuple[float, ...]
    pictures: tuple[Picture, ...]

    @property
    def title(self) -> str:
        """What the window calls it during a game."""
        if self.generation is None:
            return f"{self.name} ({self.source})"
        rank = "" if self.head.rank is None else f", rank {self.head.rank}"
        return f"{self.name} ({self.source}, generation {self.generation}{rank})"


class Browser:
    """What is browsed.

    Attributes:
        sources: runs, then files.
        source: the chosen one; None before there is any.
        generation: the chosen one of a run; -1 for none.
        sheet: its individuals; None where there is nothing to show.
        name: the chosen individual; empty for none.
        overview: what the numbers of the run mean, once that is found out.
        trouble: why there is no overview; empty if there is, or will be.
        family: relatives of the chosen individual, once they are found.
        family_trouble: why they are not.
        marked: an individual to compare the next one with.
        marked_run: a run to compare the next one with.
        compared: two runs, once they are compared; the screen takes it away.
        waiting: new generations and runs that are not shown yet, because that would move rows under the mouse.
        follow: whether the newest generation is chosen as it comes.
        said: sentences for the person; the screen takes them away.
    """

    def __init__(self, folder: Path, files: Sequence[Path] = ()) -> None:
        """Prepare to browse; nothing is read before the first step."""
        self.sources: list[Source] = []
        self.source: Source | None = None
        self.generation = -1
        self.sheet: Sheet | None = None
        self.name = ""
        self.overview: RunOverview | None = None
        self.trouble = ""
        self.family: list[Relative] = []
        self.family_trouble = ""
        self.marked: Individual | None = None
        self.marked_run: Source | None = None
        self.compared: RunComparison | None = None
        self.waiting = False
        self.follow = True
        self.said: list[str] = []
        self.background = Background()
        self._checks = Background()
        self._checked: dict[Path, tuple[int, str]] = {}
        self.files = list(files)
        self.damages: dict[Path, str] = {}
        self._runs = Runs(folder)
        self._loaded = False
        self._look_at = 0.0
        self._sheets: dict[Path, Sheet] = {}
        self._marks = Marks()
        self._champions: dict[tuple[Path, int], tuple[float, ...]] = {}
        self._specs: dict[Path, Spec | None] = {}
        self._individual: Individual | None = None
        self._wanted = ""
        self._added: Path | None = None
        self.background.ask("load", lambda: import_module("evolve.report.overview"))

    # What there is ------------------------------------------------------------------------------------------------

    @property
    def busy(self) -> bool:
        """Whether there is work for `step`, or answers are to come."""
        return (
            not self._loaded
            or self.background.busy
            or self._checks.busy
            or self._marks.busy
            or (self.sheet is not None and self.sheet.busy)
        )

    @property
    def loading(self) -> bool:
        """Whether what reads runs is not loaded yet."""
        return not self._loaded

    @property
    def folder_trouble(self) -> str:
        """Why the folder of runs shows nothing; empty if all is well."""
        return self._runs.trouble

    @property
    def newest(self) -> int:
        """The newest generation of the chosen run."""
        return -1 if self.source is None else self.source.newest

    @property
    def columns(self) -> list[str]:
        """Columns of the chosen file."""
        return [] if self.sheet is None else self.sheet.columns

    def note(self, name: str) -> tuple[bool, str]:
        """Star and note of an individual of the chosen generation."""
        return self._marks.of(self.generation, name)

    def champion_of(self, generation: int) -> str:
        """Name of a generation's champion, as far as the log is read."""
        known = () if self.overview is None else self.overview.history.champions
        return known[generation] if generation < len(known) else ""

    def trouble_of(self, source: Source) -> str:
        """What is wrong with a run or file, as far as that was found; empty if nothing is."""
        if source.info is None:
            return source.trouble or self.damages.get(source.path, "")
        found = next((f"{p.name}: {text}" for p, text in self.damages.items() if text and p.parent == source.path), "")
        return source.trouble or self._checked.get(source.path, (-1, ""))[1] or found

    def damage_of(self, generation: int) -> str:
        """Why a generation cannot be shown, as far as that was found."""
        return "" if self.source is None else self.damages.get(self.source.file(generation), "")

    @property
    def individual(self) -> Individual | None:
        """The chosen individual; None if none is."""
        if self._individual is None and self.sheet is not None and self.name and self.source is not None:
            head = self.sheet.find(self.name)
            if head is not None:
                self._individual = self._made(self.source, self.sheet, head)
        return self._individual

    def _made(self, source: Source, sheet: Sheet, head: Head) -> Individual:
        weights = sheet.weights(head.name)
        if not weights and source.info is not None and head.rank == 1:
            weights = self._kept_champion(source)
        pictures = tuple(first_layer(weights, self._spec(source, len(weights))))
        generation = None if source.info is None else self.generation
        if source.info is None:
            player = individual(str(source.path), head.name) if weights and not head.generation else ""
        else:
            target = f"{source.info.target}@{self.generation}"
            kept = sheet.heads.weights
            player = individual(target, head.name if kept else None) if kept or head.rank == 1 else ""
        return Individual(head.name, source.name, generation, player, head, weights, pictures)

    def _kept_champion(self, source: Source) -> tuple[float, ...]:
        """Weights of a thinned generation's champion, from the hall of fame; none before they are there."""
        key, generation = (source.path, self.generation), self.generation
        if key not in self._champions:
            self._champions[key] = ()
            self.background.ask(
                f"champion {generation}", lambda: (key, background_jobs.champion(source.path, generation)[1])
            )
        return self._champions[key]

    def _spec(self, source: Source, width: int) -> Spec | None:
        """The network of a run, or the shipped one of this width."""
        from evolve.run.folder import RunFolder
        from game.errors import InputError
        from game.networks.shipped import by_width

        if source.path not in self._specs:
            try:
                run = RunFolder(source.path)
                self._specs[source.path] = by_width(width) if source.info is None else run.network()
            except (InputError, OSError):
                self._specs[source.path] = None
        return self._specs[source.path]

    # Choosing -----------------------------------------------------------------------------------------------------

    def choose_source(self, source: Source) -> None:
        """Look at a run or file: the newest generation."""
        self.source, self.name, self._wanted = source, "", ""
        self.overview, self.trouble = None, ""
        self._marks.forget()
        self.background.forget("overview")
        self.choose_generation(source.newest)
        self._ask_overview()

    def choose_generation(self, generation: int, name: str = "") -> None:
        """Look at a generation of the chosen run, and at one individual there."""
        self.generation = min(max(generation, -1), self.newest)
        self._wanted, self.name, self._individual, self.family = name, "", None, []
        self._open_sheet()

    def choose(self, name: str) -> None:
        """Look at an individual of the chosen generation."""
        if name == self.name:
            return
        self.name, self._individual, self.family, self.family_trouble = name, None, [], ""
        self._ask_family()

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
        self.files = [path, *(known for known in self.files if known != path)]
        self._sheets.pop(path, None)
        self._added = path
        if self._loaded:
            self._take(sources.look(self._runs, self.files, self.sources))

    def remove_file(self) -> bool:
        """Leave the chosen file out of the list; False for a run, and a file that lies in the folder of runs."""
        source = self.source
        if source is None or source.info is not None or source.lies:
            return False
        self.files = [path for path in self.files if path != source.path]
        self.sources = [each for each in self.sources if each.path != source.path]
        self.source, self.sheet, self.name, self._individual = None, None, "", None
        if self.sources:
            self.choose_source(self.sources[0])
        return True

    # Actions ------------------------------------------------------------------------------------------------------

    def toggle_star(self) -> str:
        """Give the chosen individual a star, or take it away; why not, or nothing."""
        if (why_not := self._no_notes()) or self.source is None:
            return why_not
        self._marks.star(self.source.path, self.generation, self.name)
        self._show_marks()
        return ""

    def set_note(self, text: str) -> str:
        """Keep a note about the chosen individual; why not, or nothing."""
        if (why_not := self._no_notes()) or self.source is None:
            return why_not
        wrong = self._marks.note(self.source.path, self.generation, self.name, text.strip())
        self._show_marks()
        return wrong

    def _no_notes(self) -> str:
        """Why nothing can be noted; empty if it can."""
        if self.source is None or not self.name:
            return "Choose somebody first."
        if self.source.info is None:
            return "Stars and notes are kept beside runs; this is a file on its own."
        return ""

    def compare_runs(self) -> str:
        """Compare the marked run with the chosen one, in the background; why not, or nothing."""
        first, second = self.marked_run, self.source
        if first is None or first.info is None:
            return "Mark a run first, then choose another one."
        if second is None or second.info is None or second.path == first.path:
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
            held: whether lists are not to move now.
        """
        changed = self._answers()
        if not self._loaded:
            return changed
        if now >= self._look_at:
            self._look_at = now + LOOK_EVERY
            changed = self._look(held=held) or changed
        if self.sheet is not None and self.sheet.busy:
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
            elif key == "family":
                self.family, self.family_trouble = ([], text) if text else (answer, "")
            elif key == "compare":
                self.compared = None if text else answer
            elif not text:
                self._champions[answer[0]] = answer[1]
                self._individual = None
            if text and key in ("load", "compare"):
                self.said.append(text)
        noted = self._marks.busy and self._read_notes()
        checks = self._checks.poll()
        for key, answer in checks:
            path = Path(key)
            self._checked[path] = (self._checked[path][0], answer)
        return bool(answers or checks or noted)

    def _look(self, *, held: bool) -> bool:
        """See what has changed on disk."""
        before = self.sources
        found = sources.look(self._runs, self.files, before)
        changed = self._read_notes()
        if found == before and not self.waiting:
            return self._reopen() or changed
        moves = [(s.path, s.newest) for s in found] != [(s.path, s.newest) for s in before]
        if held and moves and before:
            self.waiting, was = True, self.waiting
            return changed or not was
        self.waiting = False
        self._take(found)
        return True

    def _take(self, found: list[Source]) -> None:
        """Show new sources; what was chosen stays chosen."""
        self.sources = found
        for source in found:
            known = self._checked.get(source.path, (-1, ""))[0]
            if source.info is not None and not source.trouble and source.newest > known:
                self._checked[source.path] = (source.newest, "")
                self._checks.ask(str(source.path), partial(background_jobs.check, source.path))
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
        if now.newest != before.newest:
            follows = self.follow and self.generation == before.newest
            if follows or self.generation > now.newest:
                self.choose_generation(now.newest)
        if now.info != before.info or now.state != before.state:
            self._ask_overview()
        self._reopen()

    def _reopen(self) -> bool:
        """Read the file again if it has changed; the chosen individual stays chosen."""
        if self.sheet is None or self.sheet.busy or not self.sheet.stale or self.source is None:
            return False
        self._sheets.pop(self.sheet.path, None)
        search, (column, descending) = self.sheet.search, self.sheet.sorted_by
        self._wanted = self.name or self._wanted
        self._open_sheet()
        if self.sheet is not None:
            self.sheet.search = search
            self.sheet.sort(column, descending=descending)
        return True

    def _open_sheet(self) -> None:
        before = self.sheet
        self.sheet = None
        source = self.source
        if source is None or (source.info is not None and self.generation < 0):
            return
        path = source.file(self.generation)
        checksums = source.checksums(self.generation)
        sheet = self._sheets.pop(path, None)
        if sheet is None or sheet.stale or sheet.heads.checksums != checksums:
            sheet = Sheet(path, checksums)
        self._sheets[path] = sheet
        while len(self._sheets) > KEPT_SHEETS:
            self._sheets.pop(next(iter(self._sheets)))
        if before is not None:
            sheet.search = before.search
            sheet.sort(before.sorted_by[0], descending=before.sorted_by[1])
        self.sheet = sheet
        self._read_notes()
        if not sheet.busy:
            self._sheet_is_read(sheet)

    def _sheet_is_read(self, sheet: Sheet) -> None:
        self.damages[sheet.path] = sheet.damage
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
        changed = self._marks.look(self.source.path, kept=self.source.info is not None)
        self.said += self._marks.said
        self._marks.said.clear()
        self._show_marks()
        return changed

    def _show_marks(self) -> None:
        if self.sheet is not None:
            self.sheet.mark(self._marks.shown(self.generation))

    def _ask_overview(self) -> None:
        source = self.source
        if source is not None and source.info is not None and source.newest >= 0:
            self.background.ask("overview", lambda: background_jobs.overview(source.path))

    def _ask_family(self) -> None:
        source, generation, name = self.source, self.generation, self.name
        self.background.forget("family")
        if source is not None and source.info is not None and generation >= 0 and name:
            newest = source.newest
            self.background.ask("family", lambda: background_jobs.family(source.path, newest, generation, name))
