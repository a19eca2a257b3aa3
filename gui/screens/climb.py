"""The climb: a ladder made of one run, a rating of one's own, and whom to play next."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from game.number_text import whole_text
from game.search.limits import Limits
from gui.climb.career import Career
from gui.climb.lineage import Lineage, does_less, strength_opponents
from gui.climb.rating import (
    WHAT_COUNTS,
    Opponent,
    capital,
    chance_words,
    choose_equal,
    half_text,
    is_climbed,
    next_rung,
    points_text,
    rung_results,
)
from gui.geometry import Rect, Size
from gui.individuals.background import Background
from gui.individuals.first_frame import SHIPPED
from gui.individuals.pictures import Picture
from gui.individuals.sources import Scope, Source
from gui.individuals.strengths import STRENGTHS
from gui.look.canvas import Look
from gui.screens.climb_card import rating_labels, rating_plot
from gui.screens.screen import Screen, Window, below_header
from gui.sessions.replay import Replay
from gui.widgets.base import Label, Widget
from gui.widgets.board import Board, BoardMarks
from gui.widgets.button import Segments, button
from gui.widgets.commands import Command, by_id
from gui.widgets.dropdown import Dropdown
from gui.widgets.main_button import MainButton
from gui.widgets.table import Cell, Column, Table
from gui.widgets.weight_map import WeightMap

RUN = "climb_run"
"""The setting that keeps which run is climbed."""

TABS = ("Generations", "Strengths")
NO_RUN = "There is no run with champions. “Evolve” on the first screen begins one; strengths can be played without."
PACE, STEP_SECONDS = 0.2, 0.006


class Climb(Screen):
    """A run as a ladder, and the person's rating.

    Args:
        opponent: whom to begin with, by `Opponent.key`; the next rung if empty.
        equal: whether to begin with the opponent about as strong as the person.
    """

    title = "Climb"
    browses = True

    def __init__(self, app: Window, opponent: str = "", *, equal: bool = False) -> None:
        super().__init__(app)
        self.tab = 0
        self.replay = Replay()
        self._wish, self._equal = opponent, equal
        self._run = app.services.store.get(RUN, SHIPPED)
        self._runs: list[Source] = []
        self._lineages: dict[str, Lineage] = {}
        self._chosen = ["", ""]  # keys of opponents, by tab
        self._pictures: dict[tuple[str, int], list[Picture]] = {}
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
        return self._lineages.get(self._run)

    @property
    def shipped(self) -> Lineage | None:
        """The run of the strengths, once it was read."""
        return self._lineages.get(SHIPPED)

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
        return next((each for each in self.listed if each.key == self._chosen[self.tab]), None)

    @property
    def pace(self) -> float:
        """Often while something is read."""
        return 1 / 30 if self._background.busy or self.career.busy or self.app.services.library.busy else PACE

    def on_open(self) -> None:
        """Results may have come, and with them another rung."""
        self.app.services.library.search = ""
        self.app.services.library.scope = Scope()
        self.career.step()
        if self.lineage is not None:
            self._choose_next()

    def on_close(self) -> None:
        """Nothing is read any more."""
        self._background.close()

    def tick(self, now: float, dt: float) -> bool:
        """Read on; play through the games of the champion that is shown."""
        library = self.app.services.library
        changed = library.step(now, STEP_SECONDS)
        if changed or not self._runs:
            self._runs = [run for run in library.sources.in_order(self._runs) if run.is_run and run.newest >= 0]
            if self._runs and self._run not in [run.name for run in self._runs]:
                self._run = self._runs[0].name
        for run in self._runs:
            if run.name in (self._run, SHIPPED) and run.name not in self._lineages:
                self._read(run)
        for key, found in self._background.poll():
            changed = self._take(key, found) or changed
        for lineage in self._lineages.values():
            changed = lineage.step() or changed
        changed = self.career.step() or changed
        changed = self._show_games() or changed
        return self.replay.tick(now) or changed

    def _read(self, run: Source) -> None:
        key, services = f"run {run.name}", self.app.services
        if not self._background.wants(key):
            self._background.ask(key, partial(_lineage, run, services.evolved_limits))

    def _take(self, key: str, found: object) -> bool:
        if isinstance(found, Lineage):
            self._lineages[found.name] = found
            if not self.chosen:
                self._choose_next()
        elif isinstance(found, tuple):
            self._pictures[found[0]] = found[1]
        return True

    def _choose_next(self) -> None:
        """Show whom somebody asked for, else the rung to climb."""
        everybody = self._everybody()
        wanted = next((each for each in everybody if self._wish and each.key == self._wish), None)
        if wanted is not None or self._equal:
            self._show(wanted or choose_equal(self.career.level, everybody, self.career.results))
            if self.shipped is not None and self.lineage is not None:
                self._wish, self._equal = "", False
        elif self.lineage is not None:
            rungs = self.lineage.rungs
            number = next_rung(self.career.results, self._run, [each.generation for each in rungs])
            self._chosen[0] = next((each.key for each in rungs if each.generation == number), "")
        if not self._chosen[1] and self.strengths:
            nearest = choose_equal(self.career.level, self.strengths, ())
            self._chosen[1] = nearest.key if nearest else ""

    def _everybody(self) -> list[Opponent]:
        rungs = [] if self.lineage is None else self.lineage.rungs
        return [*self.strengths, *rungs]

    def _show(self, opponent: Opponent | None) -> None:
        if opponent is not None:
            self.tab = 0 if opponent.run else 1
            self._chosen[self.tab] = opponent.key

    def _place(self, opponent: Opponent) -> tuple[Lineage | None, int]:
        """The run and the generation of an opponent."""
        if opponent.run:
            return self.lineage, opponent.generation
        number = next(one.generation for one in STRENGTHS if one.name == opponent.name)
        newest = -1 if self.shipped is None else self.shipped.generations.newest
        return self.shipped, newest if number is None else number

    def _show_games(self) -> bool:
        """Show games and weights of the champion that is chosen."""
        one = self.chosen
        lineage, number = (None, -1) if one is None else self._place(one)
        if lineage is None:
            return False
        place = lineage.name, number
        if place not in self._pictures and not self._background.wants("pictures"):
            self._background.ask("pictures", lambda: (place, lineage.generations.pictures(number)))
        shown = (*place, *lineage.generations.span_of(number)[1:])
        if shown == self._shown:
            return False
        self._shown = shown
        self.replay.show(lineage.generations.games_of(number))
        return True

    # Commands -----------------------------------------------------------------------------------------------------

    def commands(self) -> Sequence[Command]:
        """Playing, choosing, looking."""
        one, there = self.chosen, bool(self.listed)
        nobody = "" if one is not None else "Nobody is chosen."
        games = bool(self.replay.count)
        none = "No games of this champion are on record."
        return [
            Command(id="play", name="Play", keys=("p",), run=self._play, about="Begin a rated game", icon="play",
                    enabled=one is not None, why=nobody),
            Command(id="equal", name="As strong as you", keys=("s",), run=self._choose_equal, icon="person",
                    about="The opponent about as strong as you, of strengths and generations", enabled=there,
                    why=nobody),
            Command(id="easier", name="Easier", keys=("-",), run=partial(self._step, -1), icon="down",
                    about="The next weaker opponent", enabled=there, why=nobody),
            Command(id="harder", name="Harder", keys=("+", "="), run=partial(self._step, 1), icon="up",
                    about="The next stronger opponent", enabled=there, why=nobody),
            Command(id="tab", name="Generations or strengths", keys=("t",), icon="list",
                    run=lambda: self._show_tab(1 - self.tab), about="The other list of opponents"),
            Command(id="run", name="Another run", keys=("r",), run=self._next_run, icon="crown",
                    about="Climb the next run", enabled=len(self._runs) > 1, why="There is no other run."),
            Command(id="next-game", name="Next game", keys=("n",), run=self.replay.next_game, icon="step",
                    about="Another game of this champion on the small board", enabled=games, why=none),
            Command(id="show-game", name="Show the game", keys=("v",), run=self._show_game, icon="board",
                    about="This game on the large board", enabled=games, why=none),
        ]  # fmt: skip

    def activate_row(self, row: int) -> None:
        """Play against an opponent of the list."""
        self._select(row)
        self._play()

    def _select(self, row: int) -> None:
        self._chosen[self.tab] = self.listed[row].key

    def _show_tab(self, tab: int) -> None:
        self.tab = tab

    def _pick_run(self, number: int) -> None:
        self._run = self._runs[number].name
        self.app.services.store.set(RUN, self._run)
        self._chosen[0] = ""
        self._choose_next()

    def _next_run(self) -> None:
        names = [run.name for run in self._runs]
        self.tab = 0
        self._pick_run((names.index(self._run) + 1) % len(names) if self._run in names else 0)

    def _choose_equal(self) -> None:
        self._show(choose_equal(self.career.level, self._everybody(), self.career.results))

    def _step(self, step: int) -> None:
        rows = self.listed
        here = next((at for at, each in enumerate(rows) if each.key == self._chosen[self.tab]), len(rows))
        self._select(min(max(here - step, 0), len(rows) - 1))

    def _black(self, opponent: Opponent) -> bool:
        """Whether the person plays Black: in turns."""
        return len([each for each in self.career.results if each.opponent.key == opponent.key]) % 2 == 0

    def _play(self) -> None:
        one = self.chosen
        if one is not None:
            model = self.career.begin(one, black=self._black(one))
            self.app.go_home(keep=lambda screen: screen.browses)
            self.app.open(self.app.screens.play(model))

    def _show_game(self) -> None:
        from gui.model.record import Loaded
        from gui.screens.play.beginning import show_loaded

        if self.replay.model is not None:
            model = self.replay.model
            self.replay.next_game()  # the one that is shown is not moved on here
            show_loaded(self.app, Loaded(model), self)

    # The picture --------------------------------------------------------------------------------------------------

    def view(self, size: Size, look: Look) -> list[Widget]:
        """The ladder on the left, the person and the chosen opponent on the right."""
        px = look.px
        area = below_header(size, look)
        area = area.centre_within(min(area.w, px(1500)), min(area.h, px(1000)))
        if area.h > area.w:
            left, right = area.rows(area.h * 40 // 100, None, gap=px(16))
        else:
            left, right = area.columns(area.w * 48 // 100, None, gap=px(22))
        return [*self.header(size, look), *self._ladder(left, look), *self._person(right, look)]

    def _ladder(self, area: Rect, look: Look) -> list[Widget]:
        px, rows = look.px, self.listed
        lines = len(look.fonts.wrap(WHAT_COUNTS, area.w, px(12))) * look.fonts.height(px(12))
        head, place, told = area.rows(px(34), None, lines, gap=px(8))
        names = [run.name for run in self._runs]
        widgets: list[Widget] = []
        if names and not self.tab:
            tabs, run = head.columns(None, min(px(210), area.w * 45 // 100), gap=px(10))
            at = names.index(self._run) if self._run in names else -1
            widgets.append(Dropdown(key="run", rect=run, names=names, chosen=at, pick=self._pick_run, text="Run",
                                    hint="Which run is climbed  (R)"))  # fmt: skip
        else:
            tabs = head
        columns: tuple[Column, ...] = (
            Column("", 30),
            Column("Opponent", 124 if self.tab else None),
            Column("Rating", 96, "right"),
        )
        third = "" if area.w < px(460) else "What it does less" if self.tab else "95 % interval"
        if third:
            columns = (*columns, Column(third, None if self.tab else 130, "left" if self.tab else "right"))
        columns = (*columns, Column("Points", 84, "right"))

        def cells(row: int) -> Sequence[str | Cell]:
            found = list(self._cells(rows, row))
            return found if third else [*found[:3], found[4]]

        return [
            *widgets,
            Segments(key="tabs", rect=tabs, names=TABS, chosen=self.tab, pick=self._show_tab, tabs=True),
            Table(
                key="rungs", rect=place, columns=columns, count=len(rows),
                cells=cells, of=lambda row: rows[row].key,
                selected=next((n for n, each in enumerate(rows) if each.key == self._chosen[self.tab]), -1),
                select=self._select, activate=self.activate_row, arranged=(self.tab, self._run),
                hint="Enter or a double click plays; a mark stands where two games of three were won",
                empty=NO_RUN if self.app.services.library.sources.looks and not self._runs else "Reading…",
            ),
            Label(key="counts", rect=told, text=WHAT_COUNTS, size=12, colour=look.theme.muted, wrap=True),
        ]  # fmt: skip

    def _cells(self, rows: Sequence[Opponent], row: int) -> Sequence[str | Cell]:
        one, muted, points = rows[row], self.app.look.theme.muted, self._points(rows[row])
        numbers = [each.generation for each in rows[::-1]]
        goal = bool(one.run) and one.generation == next_rung(self.career.results, one.run, numbers)
        sign = Cell("", icon="check" if is_climbed(points) else "next" if goal else "")
        rating = Cell("not measured", muted) if one.rating is None else whole_text(one.rating)
        told = "" if one.low is None or one.high is None else f"{whole_text(one.low)} to {whole_text(one.high)}"
        told = told if one.run else does_less(one, -1)
        brief = f"{half_text(sum(points))} of {len(points)}" if points else "–"
        return sign, Cell(capital(one.name), bold=goal), rating, Cell(told, muted), Cell(brief, muted)

    def _points(self, one: Opponent) -> list[float]:
        results = self.career.results
        if one.run:
            return rung_results(results, one.run, one.generation)
        return [each.points for each in results if each.opponent.key == one.key]

    def _person(self, area: Rect, look: Look) -> list[Widget]:
        px, one = look.px, self.chosen
        facts = self._facts(one)
        lines = len(look.fonts.wrap(facts, area.w, px(13))) * look.fonts.height(px(13))
        curve = px(96) if area.h < px(640) else px(150)
        above, plot, name, text, middle, play, more = area.rows(
            px(46), curve, px(26), lines, None, px(60), px(36), gap=px(8)
        )
        found = by_id(self.commands())
        title = "" if one is None else capital(f"{one.run}, {one.name}" if one.run else one.name)
        command = found["play"]
        colour = "" if one is None else "You play Black" if self._black(one) else "You play White"
        begin = "Play" if one is None else f"Play {one.name}"
        return [
            *rating_labels(self.career, above, look),
            rating_plot(self.career, plot),
            Label(key="name", rect=name, text=title, size=17, bold=True, may_cut=True),
            Label(key="facts", rect=text, text=facts, size=13, colour=look.theme.muted, wrap=True),
            *self._likes(middle, look),
            MainButton(
                key="play", rect=play, run=command.run, enabled=command.enabled, why=command.reason, hint=command.hint,
                icon="play", kind="main", shortcut=command.key, text=f"{begin}\nRated. {colour}.",
            ),
            *[
                button(found[each], f"do.{each}", at, size=13)
                for each, at in zip(("equal", "easier", "harder"), more.columns(None, *[more.w * 28 // 100] * 2,
                                                                                gap=px(8)), strict=True)
            ],
        ]  # fmt: skip

    def _facts(self, one: Opponent | None) -> str:
        """What is known of an opponent, in sentences."""
        if one is None:
            return "Choose an opponent from the list."
        lineage, _ = self._place(one)
        less = does_less(one, -1 if lineage is None else lineage.generations.newest)
        if one.rating is None or one.low is None or one.high is None:
            rating = "Not measured: games count for the climb, not for your rating."
        else:
            ends = f"95 %: {whole_text(one.low)} to {whole_text(one.high)}"
            rating = f"{whole_text(one.rating)} Elo ({ends}). {chance_words(self.career.level, one)}"
        points = self._points(one)
        if not one.run:
            score = f"{capital(points_text(points))}."
        elif is_climbed(points):
            score = f"Climbed: {points_text(points)}."
        else:
            score = f"{capital(points_text(points))}: win two of three and go up."
        return f"{capital(less)}.\n{rating}\n{score}"

    def _likes(self, area: Rect, look: Look) -> list[Widget]:
        """One of its games on a small board, and a picture of its weights."""
        px, one, replay = look.px, self.chosen, self.replay
        lineage, number = (None, -1) if one is None else self._place(one)
        pictures = self._pictures.get(("" if lineage is None else lineage.name, number))
        empty = "Reading…" if pictures is None else "Its weights cannot be shown."
        if pictures and not any(picture.largest for picture in pictures):
            pictures, empty = [], "No square more than another: it only counts pieces."
        side = min(area.h - px(32), area.w // 2 - px(6))
        left, right = area.columns(max(side, px(100)), None, gap=px(14))
        head, board = left.rows(px(26), None, gap=px(6))
        found = by_id(self.commands())
        caption, following, large = head.columns(None, px(26), px(26), gap=px(4))
        title, weights = right.rows(px(26), None, gap=px(6))
        return [
            Label(key="games", rect=caption, text=f"Its games: {replay.number + 1} of {replay.count}"
                  if replay.count else "No games kept", size=13, bold=True, may_cut=True, hint=replay.caption),
            button(found["next-game"], "do.next-game", following, icon_only=True),
            button(found["show-game"], "do.show-game", large, icon_only=True),
            Board(
                key="small", rect=board, pieces=replay.pieces, numbers=False, enabled=False,
                marks=BoardMarks(last=replay.last_move), hint=replay.caption,
            ),
            Label(key="likes", rect=title, text="What it likes", size=13, bold=True, may_cut=True),
            WeightMap(
                key="weights", rect=weights, pictures=pictures or (),
                hint="Blue is good for it, orange bad. Point at a weight to see its value",
                empty=empty,
            ),
        ]  # fmt: skip


def _lineage(run: Source, evolved: Callable[[str], Limits | None]) -> Lineage:
    """A run, read to its end."""
    lineage = Lineage(run.path, run.target, evolved)
    lineage.step()
    while lineage.generations.busy:
        lineage.step()
    return lineage
