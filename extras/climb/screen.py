"""The climb: levels and the generations of a run as one ladder, the person's rating, and the next opponent."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from evolve.run.runs import PEOPLE_RUN, SHIPPED_NAMES
from evolve.strength.levels import LEVELS
from extras.climb.ladder import find_players, merge_ladder, next_rung, rung_numbers, rungs_of
from extras.climb.panels import panels
from gui.background import Trouble
from gui.geometry import Size
from gui.individuals.individual import ListedPlayer
from gui.look.canvas import Look
from gui.model.game import GameModel
from gui.rating.career import Career
from gui.rating.measuring import key_of
from gui.rating.rating import SHIPPED_RUN, Opponent, choose_equal, level_opponents, points_against
from gui.runs.sources import Source
from gui.screens.entries import player_commands
from gui.screens.play.rated import begin_rated
from gui.screens.screen import IDLE, Screen
from gui.widgets.base import Command, Widget

if TYPE_CHECKING:
    from gui.app import App
    from gui.runs.live_run import LiveRun

RUN = "climb_run"
"""The setting that stores the run being climbed."""

PACE, STEP_SECONDS = 0.2, 0.006
LEVEL_RUNS = frozenset(level.run for level in LEVELS)
"""The runs whose champions are levels."""
READING = "The ladder is still being read."


class Climb(Screen):
    """A ladder of levels and the generations of a run, and the person's rating."""

    title = "Climb"
    browses = True

    def __init__(self, app: App) -> None:
        super().__init__(app)
        self._reads = False
        self.run_name = app.services.store.get(RUN, "")
        self.runs: list[Source] = []
        self.known: dict[str, LiveRun] = {}
        self._unreadable: set[str] = set()
        self.key_chosen = ""
        self._by_hand = False
        self._background = app.services.background
        self.to_close.append(partial(self._background.cancel, self))
        self.ui.focus = "rungs"

    @property
    def career(self) -> Career:
        return self.app.services.career

    @property
    def run(self) -> LiveRun | None:
        """The run being climbed, once it is read."""
        return self.known.get(self.run_name)

    @property
    def shipped(self) -> LiveRun | None:
        """The run of most levels, once it is read."""
        return self.known.get(PEOPLE_RUN)

    @property
    def levels(self) -> list[Opponent]:
        """The measured levels, from weak to strong."""
        return [] if self.shipped is None else level_opponents()

    @property
    def rungs(self) -> list[Opponent]:
        """The champions of the run, earliest first; empty until it is read."""
        return [] if self.run is None else rungs_of(self.app.services.measuring, self.run)

    @property
    def listed(self) -> list[Opponent]:
        """The opponents of the ladder, strongest first; empty until the levels are read."""
        return [] if self._waits else merge_ladder(self.levels, self.rungs)[::-1]

    @property
    def _waits(self) -> bool:
        """True until the levels are read: without them a strong generation could be the first rung."""
        there = any(source.name == PEOPLE_RUN for source in self.runs)
        return there and self.shipped is None and PEOPLE_RUN not in self._unreadable

    @property
    def chosen(self) -> Opponent | None:
        return next((opponent for opponent in self.listed if opponent.key == self.key_chosen), None)

    @property
    def pace(self) -> float:
        """Interval between steps in seconds, shorter while something is read, long when nothing moves."""
        if self._reads or self._background.wants(self) or self.career.busy or self.app.services.sources.busy:
            return 1 / 30
        return PACE if self.app.services.measuring.present else IDLE

    def on_open(self) -> None:
        """Choose the next rung, since there may be new results."""
        self.career.step()
        self._unreadable.clear()
        self._by_hand = False
        if self.listed:
            self.choose_next()

    def tick(self, now: float, dt: float) -> bool:
        sources = self.app.services.sources
        changed = sources.step(now, STEP_SECONDS)
        if changed or not self.runs:
            self.runs = [run for run in sources.in_order(self.runs) if run.newest >= 0]
            if self.runs and self.run_name not in [run.name for run in self.runs]:
                self.run_name = self._first_run().name
        self._reads = False
        for source in self.runs:
            if source.name in LEVEL_RUNS or source.name in (self.run_name, *self.known):
                changed = self._read_on(source) or changed
        changed = self._background.deliver() or changed
        changed = self.career.step() or changed
        return self._step_measuring() or changed

    def _first_run(self) -> Source:
        own = [run for run in self.runs if run.name not in SHIPPED_NAMES]
        return next(iter([*own, *(run for run in self.runs if run.name == SHIPPED_RUN), *self.runs]))

    def _step_measuring(self) -> bool:
        measured = self.app.services.measuring
        changed = measured.step()
        if changed and measured.trouble:
            self.app.say(measured.trouble, "warning")
        return changed

    def _read_on(self, source: Source) -> bool:
        key, services = f"run {source.name}", self.app.services
        run = services.sources.live(source.path)
        changed = run.read()
        self._reads = self._reads or run.busy
        unread = source.name not in self.known and source.name not in self._unreadable
        if unread and not run.busy and not self._background.wants(self, key):
            work = partial(find_players, services.measuring, run.player_name, rung_numbers(run.newest))
            self._background.ask(self, key, work, partial(self._take, source.name, run))
        return changed

    def _take(self, name: str, run: LiveRun, answer: Trouble | None) -> None:
        if answer is None:
            self.known[name] = run
        else:
            self._unreadable.add(name)
        if not self._by_hand:  # the ladder was incomplete
            self.choose_next()

    @property
    def goal(self) -> Opponent | None:
        """The rung to climb; None if there is none."""
        return next_rung(self.career.results, self.listed[::-1])

    def choose_next(self) -> None:
        """Choose the rung to climb."""
        self.show(self.goal)

    def show(self, opponent: Opponent | None) -> None:
        if opponent is not None:
            self.key_chosen = opponent.key
            self.app.redraw()

    def place_of(self, opponent: Opponent) -> tuple[LiveRun | None, int]:
        """Return the run and the generation of an opponent; None and -1 if it has no run that has been read."""
        if opponent.run:
            return self.run, opponent.generation
        level = next((level for level in LEVELS if level.name == opponent.name), None)
        run = None if level is None else self.known.get(level.run)
        if level is None or run is None:
            return None, -1
        return run, level.number

    def points_against(self, one: Opponent) -> list[float]:
        return points_against(self.career.results, one)

    def select(self, row: int) -> None:
        self.key_chosen, self._by_hand = self.listed[row].key, True

    def pick_run(self, number: int) -> None:
        self.run_name = self.runs[number].name
        self.app.services.store.set(RUN, self.run_name)
        self._by_hand = False
        self.choose_next()

    def commands(self) -> Sequence[Command]:
        one, listed = self.chosen, bool(self.listed)
        none_chosen = "" if one is not None else READING if self._waits else "Choose an opponent first."
        none_listed = READING if self._waits else "There are no opponents in this list yet."
        return [
            Command(id="play", name="Play", keys=("p",), run=self._play, about="Begin a rated game", icon="play",
                    enabled=one is not None, why=none_chosen),
            Command(id="equal", name="As strong as you", keys=("=",), run=self._choose_equal, icon="equal",
                    about="Choose the level or generation about as strong as you", enabled=listed,
                    why=none_listed),
            self._measure_command(),
            *self.player_commands(),
        ]  # fmt: skip

    def _measure_command(self) -> Command:
        one, busy = self.chosen, bool(self.app.services.measuring.present)
        why = (
            "Another opponent is being measured."
            if busy
            else "It is already rated."
            if one is not None
            else "Choose an opponent first."
        )
        return Command(id="measure", name="Measure", keys=(), run=self._measure, icon="ladder",
                       about="Rate the opponent with 60 games (half a minute)",
                       enabled=one is not None and one.rating is None and not busy, why=why)  # fmt: skip

    def _measure(self) -> None:
        one, run, measured = self.chosen, self.run, self.app.services.measuring
        if one is not None and run is not None:
            measured.begin(key_of(run, one.generation), measured.measured_player(run, one.generation))

    def activate_row(self, row: int) -> None:
        self.select(row)
        self._play()

    def player_commands(self) -> list[Command]:
        run, number = (None, -1) if self.chosen is None else self.place_of(self.chosen)
        players = (
            [] if run is None or self.chosen is None else [ListedPlayer(run.path, number, "", player=self.chosen.key)]
        )
        return player_commands(self.app, players, READING if self._waits else "Choose an opponent first.")

    def _choose_equal(self) -> None:
        self._by_hand = True
        self.show(choose_equal(self.career.rating_value, self.listed, self.career.results))

    def _play(self) -> None:
        one = self.chosen
        if one is not None:
            self.career.ladder = self.listed[::-1]
            begin_rated(self.app, one, self._open_game)

    def _open_game(self, model: GameModel) -> None:
        self.app.go_home(keep=lambda screen: screen.browses)
        self.app.open(self.app.screens.play(self.app, model))

    def view(self, size: Size, look: Look) -> list[Widget]:
        return [*self.header(size, look), *panels(self, size, look, self.activate_row)]
