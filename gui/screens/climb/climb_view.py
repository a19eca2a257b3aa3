"""What the climb shows of a run, of the strengths and of a person: its state without commands and pictures."""

from __future__ import annotations

from functools import partial

from evolve.run.runs import FROZEN_RUN
from gui.climb.career import Career
from gui.climb.lineage import RANDOM_MOVES, Lineage, strength_opponents
from gui.climb.rating import Opponent, choose_equal, next_rung, rung_results
from gui.individuals.background import Background
from gui.individuals.first_frame import SHIPPED
from gui.individuals.pictures import Picture
from gui.individuals.sources import Scope, Source
from gui.individuals.strengths import STRENGTHS
from gui.screens.screen import IDLE, Screen, Window
from gui.sessions.replay import Replay

RUN = "climb_run"
"""The setting that keeps which run is climbed."""

PACE, STEP_SECONDS = 0.2, 0.006


class ClimbView(Screen):
    """A run as a ladder, and the person's rating.

    Args:
        opponent: whom to begin with, by `Opponent.key`; the next rung if empty.
        equal: whether to begin with the opponent about as strong as the person.

    Attributes:
        tab: 0 for the generations of the run, 1 for the strengths.
        runs: those that have champions.
        run_name: of the run that is climbed.
        lineages: runs that were read, by name.
        keys: whom is shown, by tab.
        pictures: weights of champions, by run and generation.
        replay: the games of the one that is shown.
    """

    title = "Climb"
    browses = True

    def __init__(self, app: Window, opponent: str = "", *, equal: bool = False) -> None:
        super().__init__(app)
        self.tab = 0
        self.replay = Replay()
        self._wish, self._equal = opponent, equal
        self.run_name = app.services.store.get(RUN, SHIPPED)
        self.runs: list[Source] = []
        self.lineages: dict[str, Lineage] = {}
        self.keys = ["", ""]
        self.pictures: dict[tuple[str, int], list[Picture]] = {}
        self._shown: tuple[str, int, int, int] = ("", -1, 0, 0)
        self._background = Background()
        self.ui.focus = "rungs"

    # What there is ------------------------------------------------------------------------------------------------

    @property
    def career(self) -> Career:
        """The person's rated games."""
        return self.app.services.career

    @property
    def lineage(self) -> Lineage | None:
        """The run that is climbed, once it was read."""
        return self.lineages.get(self.run_name)

    @property
    def shipped(self) -> Lineage | None:
        """The run of the strengths, once it was read."""
        return self.lineages.get(FROZEN_RUN)

    @property
    def strengths(self) -> list[Opponent]:
        """The measured strengths, from weak to strong."""
        return [] if self.shipped is None else strength_opponents(self.shipped.generations.newest)

    @property
    def listed(self) -> list[Opponent]:
        """Opponents of the list, the strongest or newest first."""
        rungs = [] if self.lineage is None else self.lineage.rungs
        return (self.strengths if self.tab else rungs)[::-1]

    @property
    def chosen(self) -> Opponent | None:
        """Who is shown."""
        return next((each for each in self.listed if each.key == self.keys[self.tab]), None)

    @property
    def pace(self) -> float:
        """Often while something is read, seldom once nothing moves."""
        if self._background.busy or self.career.busy or self.app.services.library.busy:
            return 1 / 30
        return PACE if self.replay.playing or self.app.services.measuring.present else IDLE

    def on_open(self) -> None:
        """Results may have come, and with them another rung."""
        self.app.services.library.search = ""
        self.app.services.library.scope = Scope()
        self.career.step()
        if self.lineage is not None:
            self.choose_next()

    def on_close(self) -> None:
        """Nothing is read any more."""
        self._background.close()

    def tick(self, now: float, dt: float) -> bool:
        """Read on; play through the games of the champion that is shown."""
        library = self.app.services.library
        changed = library.step(now, STEP_SECONDS)
        if changed or not self.runs:
            self.runs = [run for run in library.sources.in_order(self.runs) if run.is_run and run.newest >= 0]
            if self.runs and self.run_name not in [run.name for run in self.runs]:
                self.run_name = self.runs[0].name
        for run in self.runs:
            if run.name in (self.run_name, FROZEN_RUN) and run.name not in self.lineages:
                self._read(run)
        for key, found in self._background.poll():
            changed = self._take(key, found) or changed
        for lineage in self.lineages.values():
            changed = lineage.step() or changed
        changed = self.career.step() or changed
        self.app.say(self.career.take_notice())
        changed = self._hear_of_measuring() or changed
        changed = self._show_games() or changed
        moved = self.replay.tick(now)
        if self.replay.model is not None and self.replay.model.at_end:  # one game, so that the screen comes to rest
            self.replay.playing = False
        return moved or changed

    def _hear_of_measuring(self) -> bool:
        measuring = self.app.services.measuring
        changed = measuring.step()
        if changed and measuring.trouble:
            self.app.say(measuring.trouble, "warning")
        return changed

    def _read(self, run: Source) -> None:
        key, services = f"run {run.name}", self.app.services
        if not self._background.wants(key):
            self._background.ask(key, partial(Lineage.read, run, services.evolved_limits, services.measuring))

    def _take(self, key: str, found: object) -> bool:
        if isinstance(found, Lineage):
            self.lineages[found.name] = found
            if not self.chosen or self._wish or self._equal:  # both wait for the strengths and the run
                self.choose_next()
            self._choose_strength()
        elif isinstance(found, tuple):
            self.pictures[found[0]] = found[1]
        return True

    @property
    def goal(self) -> int:
        """The generation to climb next; -1 if there is none."""
        rungs = [] if self.lineage is None else self.lineage.rungs
        return next_rung(self.career.results, self.run_name, [each.generation for each in rungs])

    def choose_next(self) -> None:
        """Show whom somebody asked for, else the rung to climb."""
        everybody = self.everybody()
        wanted = next((each for each in everybody if self._wish and each.key == self._wish), None)
        if wanted is not None or self._equal:
            self.show(wanted or choose_equal(self.career.level, everybody, self.career.results))
            if self.shipped is not None and self.lineage is not None:
                self._wish, self._equal = "", False
        elif self.lineage is not None:
            number = self.goal
            self.keys[0] = next((each.key for each in self.lineage.rungs if each.generation == number), "")
        self._choose_strength()

    def _choose_strength(self) -> None:
        """Choose the strength to begin with, once the run of the strengths is read."""
        if not self.keys[1] and self.strengths:
            nearest = choose_equal(self.career.level, self.strengths, ())
            self.keys[1] = nearest.key if nearest else ""

    def everybody(self) -> list[Opponent]:
        """Strengths and rungs."""
        rungs = [] if self.lineage is None else self.lineage.rungs
        return [*self.strengths, *rungs]

    def show(self, opponent: Opponent | None) -> None:
        """Show an opponent."""
        if opponent is not None:
            self.tab = 0 if opponent.run else 1
            self.keys[self.tab] = opponent.key

    def place_of(self, opponent: Opponent) -> tuple[Lineage | None, int]:
        """Return the run and the generation of an opponent; None and -1 if it is of no run, or that is not read."""
        if opponent.run:
            return self.lineage, opponent.generation
        if opponent.player == RANDOM_MOVES.player:
            return None, -1
        number = next(one.generation for one in STRENGTHS if one.name == opponent.name)
        newest = -1 if self.shipped is None else self.shipped.generations.newest
        return self.shipped, newest if number is None else number

    def _show_games(self) -> bool:
        """Show games and weights of the champion that is chosen."""
        one = self.chosen
        lineage, number = (None, -1) if one is None else self.place_of(one)
        if lineage is None:
            shown, self._shown = self._shown, ("", -1, 0, 0)
            self.replay.show("")
            return shown != self._shown
        place = lineage.name, number
        if place not in self.pictures and not self._background.wants("pictures"):
            self._background.ask("pictures", lambda: (place, lineage.generations.pictures(number)))
        shown = (*place, *lineage.generations.span_of(number)[1:])
        if shown == self._shown:
            return False
        self._shown, self.replay.playing = shown, True
        self.replay.show(lineage.generations.games_of(number))
        return True

    def points_against(self, one: Opponent) -> list[float]:
        """The points that the person made against an opponent, in the order of the games."""
        results = self.career.results
        if one.run:
            return rung_results(results, one.run, one.generation)
        return [each.points for each in results if each.opponent.key == one.key]

    def select(self, row: int) -> None:
        """Show an opponent of the list."""
        self.keys[self.tab] = self.listed[row].key

    def show_tab(self, tab: int) -> None:
        """Show the generations of the run, or the strengths."""
        self.tab = tab

    def pick_run(self, number: int) -> None:
        """Climb another run."""
        self.run_name = self.runs[number].name
        self.app.services.store.set(RUN, self.run_name)
        self.keys[0], self._wish, self._equal = "", "", False  # what the screen was opened for is over
        self.choose_next()
