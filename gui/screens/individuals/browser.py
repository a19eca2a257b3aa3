"""The screen for browsing individuals: facts about one, differences between two, and statistics of their run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gui.family.family import ALONE as NO_FAMILY
from gui.geometry import Rect
from gui.individuals.individual import NOT_KEPT
from gui.key_table import key_for, with_keys
from gui.look.canvas import Look
from gui.runs.sources import Source
from gui.screens.dialogs.dialog import Prompt
from gui.screens.individuals import panes
from gui.screens.individuals.compare import Compared, RunsCompared, watch
from gui.screens.individuals.listing import RUNS, Listing
from gui.screens.play.game_files import begin
from gui.widgets.base import Command, Widget, by_id

if TYPE_CHECKING:
    from gui.app import App

NONE, FIRST = "Choose an individual first.", "Mark another individual first ({m|mark|Mark})."
FIRST_RUN = "Mark a run first ({shift+m|mark-run|Mark run}), then choose another one."
ALONE = "Stars and notes are saved with runs; this file belongs to none."
NO_RUN = "Choose a run first."


class BrowserScreen(Listing):
    """Browse runs, generations and individuals."""

    title = "Generations"
    browses = True

    def __init__(self, app: App, run: str = "", also: Source | None = None) -> None:
        super().__init__(app, run, also)
        self.tab = 0
        self.ui.focus = "runs"

    def tick(self, now: float, dt: float) -> bool:
        changed = super().tick(now, dt)
        browser = self.browser
        if browser.compared is not None:
            comparison, browser.compared = browser.compared, None
            self.app.open(RunsCompared(self.app, comparison))
        return changed

    # Commands -----------------------------------------------------------------------------------------------------

    def commands(self) -> Sequence[Command]:
        return [*self._individual_commands(), *self.shared_commands(), *self._run_commands()]

    def _individual_commands(self) -> list[Command]:
        browser, portrait = self.browser, self.browser.portrait
        one = None if portrait is None else portrait.individual
        marked = None if browser.marked is None else browser.marked.individual
        source = browser.source
        playable = one is not None and bool(one.player)
        of_run = source is not None and source.is_run and one is not None
        pair = playable and marked is not None and bool(marked.player)
        group = "The individual"
        return [
            Command(id="play", name="Play", keys=("p",), run=self.play, about="Play against this individual",
                    icon="play", enabled=playable, group=group, why=NONE if one is None else NOT_KEPT),
            Command(id="mark", name="Mark", keys=("m",), run=self._mark,
                    about="Remember this individual, to compare it with another or watch the two play", icon="bookmark",
                    enabled=one is not None, why=NONE,
                    chosen=one is not None and marked is not None and marked.title == one.title, group=group),
            Command(id="compare", name="Compare", keys=("ctrl+d",), run=self._compare,
                    about="Show the marked individual beside this one, and their difference", icon="compare",
                    enabled=one is not None and marked is not None, group=group,
                    why=NONE if one is None else with_keys(FIRST)),
            Command(id="watch", name="Watch", keys=("shift+w",), run=self._watch,
                    about="Watch the marked individual (Black) play this one (White)", icon="eye", enabled=pair,
                    group=group, why=NONE if one is None else with_keys(FIRST) if marked is None else NOT_KEPT),
            Command(id="star", name="Star", keys=("*",), run=self._star, about="Add or remove a star",
                    icon="star", enabled=of_run, chosen=one is not None and browser.note(one.name)[0], group=group,
                    why=NONE if one is None else ALONE),
            Command(id="note", name="Note", keys=("shift+t",), run=self._note, icon="write",
                    about="Write a note about it", enabled=of_run, group=group, why=NONE if one is None else ALONE),
            Command(id="family", name="Family", keys=("shift+f",), run=self._family, icon="family", enabled=of_run,
                    about="Show its ancestors and children as a tree", group=group,
                    why=NONE if one is None else NO_FAMILY),
            Command(id="page", name="Next page", keys=("shift+q",), run=self._next_tab,
                    about="Show the next page: individual, ancestry or run", group=group),
        ]  # fmt: skip

    def _run_commands(self) -> list[Command]:
        source, marked = self.browser.source, self.browser.marked_run
        run = source is not None and source.is_run
        same = run and marked is not None and source is not None and marked.path == source.path
        return [
            Command(id="mark-run", name="Mark run", keys=("shift+m",), run=self._mark_run,
                    about="Remember this run, to compare it with another one", icon="bookmark", enabled=run,
                    chosen=same, group=RUNS, why=NO_RUN),
            Command(id="compare-runs", name="Compare runs", keys=("shift+x",), run=self._compare_runs,
                    about="Show the differences between the marked run and this one", icon="compare",
                    enabled=run and marked is not None, group=RUNS,
                    why=with_keys(FIRST_RUN) if run else NO_RUN),
        ]  # fmt: skip

    def play(self) -> None:
        individual = self.browser.chosen
        if individual is None or not individual.player:
            self.app.say("Choose an individual whose weights were kept.", "warning")
            return
        services = self.app.services
        services.change_settings(opponent=individual.player, opponent_title=individual.title)
        begin(self.app, services.opponents.seat_of(individual), services.settings.colour)

    def _family(self) -> None:
        individual = self.browser.chosen
        if individual is not None:
            self.app.open(self.app.screens.family(individual))

    def _mark(self) -> None:
        self.browser.marked = self.browser.portrait
        if self.browser.marked is not None:
            name = self.browser.marked.individual.name
            compare, watch = key_for("ctrl+d", "compare", "Compare"), key_for("shift+w", "watch", "Watch")
            self.app.say(f"{name} is marked. Choose another one to compare ({compare}) or watch ({watch}).", "bookmark")

    def _compare(self) -> None:
        marked, portrait = self.browser.marked, self.browser.portrait
        if marked is not None and portrait is not None:
            self.app.open(Compared(self.app, marked, portrait))

    def _watch(self) -> None:
        marked, portrait = self.browser.marked, self.browser.portrait
        if marked is not None and portrait is not None:
            watch(self.app, marked.individual, portrait.individual)

    def _star(self) -> None:
        self._warn(self.browser.toggle_star())

    def _note(self) -> None:
        name = self.browser.name
        if name:
            text = "Saved with the run. Leave empty to remove it."
            value = self.browser.note(name)[1]
            self.app.open(Prompt(self.app, f"Note on {name}", text, self.browser.set_note, value=value, take="Save"))

    def _warn(self, trouble: str) -> None:
        self.app.say(trouble, "warning")

    def _next_tab(self) -> None:
        self.tab = (self.tab + 1) % len(panes.TABS)

    def set_tab(self, tab: int) -> None:
        self.tab = tab

    def _mark_run(self) -> None:
        source = self.browser.source
        self.browser.marked_run = source
        if source is not None:
            compare = key_for("shift+x", "compare-runs", "Compare runs")
            self.app.say(f"{source.name} is marked. Choose another run to compare ({compare}).", "bookmark")

    def _compare_runs(self) -> None:
        self._warn(self.browser.compare_runs())

    def activate_row(self, row: int) -> None:
        self.choose_row(row)
        self.play()

    # Widgets ------------------------------------------------------------------------------------------------------

    def pane(self, rect: Rect, look: Look) -> list[Widget]:
        return panes.pane(self.browser, by_id(self.commands()), self.ui, self.tab, self.set_tab, rect, look)
