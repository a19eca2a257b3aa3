"""The state of a game against an opponent that evolves while it is played."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evolve.config.anchors import shown, shown_interval
from game.number_text import count_text
from gui.evolving.arena import PASSED, Spectacle
from gui.evolving.opponent import FREE, GENERATION, PACES, Beginning, EvolvingOpponent, Pace, generation_note
from gui.geometry import Rect, Size
from gui.look.canvas import Look
from gui.look.theme import GAP
from gui.model.game import GameModel
from gui.model.table import LEAST_SECONDS, Moved, Over, TableEvent
from gui.rating.measuring import key_of
from gui.runs.session_state import rating_text
from gui.screens.dialogs.dialog import Menu
from gui.screens.evolution import arena_widgets, evolution_panel, race_plot
from gui.screens.play.game_parts import StatusText, Strip
from gui.screens.play.game_screen import DISPLAY
from gui.screens.play.game_state import GameState
from gui.screens.play.layout import GameLayout, Px, game_layout
from gui.screens.play.play import Play
from gui.screens.play.rated import begin_rated
from gui.storage.autosave import EVOLVING as KEY
from gui.storage.autosave import Kept
from gui.storage.settings import Preferences
from gui.widgets.base import Command, Label, Widget
from gui.widgets.plot import Curve

if TYPE_CHECKING:
    from gui.app import App
    from gui.runs.live_run import LiveRun
    from gui.services import Services

EVOLUTION, EVOLVING = "evolution", "The evolution"
FIRST_GAME = Beginning()
PANEL_SETTING = "evolving_panel"
KINDS = "kinds"
"""The name of the work that loads the kinds of runs and their networks, which would delay a frame."""
MOVES_AGO, LONG_AGO = 8, "eight moves ago"
"""The moment to which the sentence about the opponent looks back."""
MARKED = "Its rating; ticks are the generations that you met"
UNRATED = "Such games are not rated, since the opponent changed."

BUTTONS = ("undo", "hint", "menu", "pace", "draw", "resign")
BUTTONS_AT_END = ("rematch", "play-champion", "review", "menu")


class EvolvingOpponents:
    """The evolving opponents of a window; their sessions continue while other screens are visible."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._known: list[EvolvingOpponent] = []

    def live(self, path: Path) -> LiveRun:
        return self._services.sources.live(path)

    def kept(self, values: Any) -> EvolvingOpponent | None:
        """Return the opponent of a kept game; None if the values are not of one, or its run is gone or another one."""
        opponent = EvolvingOpponent.of_values(values, self.live)
        if opponent is None or not opponent.run.path.is_dir():
            return None
        there = next((each for each in self._known if each.run.path == opponent.run.path), None)
        if there is None:
            return self.add(opponent)
        there.owed = max(there.owed, opponent.owed)
        return there

    def add(self, opponent: EvolvingOpponent) -> EvolvingOpponent:
        self._known.append(opponent)
        return opponent

    def close(self) -> None:
        """Let all sessions finish what they owe; they end when this process does."""
        for opponent in self._known:
            opponent.leave()


def new_game(app: App, beginning: Beginning = FIRST_GAME) -> Play:
    services, opponents = app.services, app.services.shared(EvolvingOpponents)
    opponent, model = beginning.game(services.runs, opponents.live, services.store, services.settings.colour)
    return Play(app, model, make_state=partial(Evolving, opponent=opponents.add(opponent)))


def continued(app: App, kept: Kept) -> Play | None:
    """Return the screen of a kept game; None if it is not against an evolving opponent, or its run is gone."""
    opponent = app.services.shared(EvolvingOpponents).kept(kept.extra.get(KEY)) if KEY in kept.extra else None
    if opponent is None:
        return None
    flipped = kept.extra.get("flipped")
    flipped = flipped if isinstance(flipped, bool) else None
    return Play(app, kept.model, flipped=flipped, make_state=partial(Evolving, opponent=opponent))


def with_measured(curve: Curve, at: int, rating: tuple[float, float, float]) -> Curve:
    """Return a curve of ratings with a measured one and its interval at a generation."""
    values, low, high = (
        [*column[:at], shown(value) if math.isfinite(value) else None, *column[at + 1 :]]
        for column, value in zip((curve.values, curve.low or (), curve.high or ()), rating, strict=True)
    )
    return replace(curve, values=values, low=low, high=high)


def _load_kinds() -> None:
    import evolve.config.toml  # noqa: F401
    import game.networks.first_layer  # noqa: F401


class Evolving(GameState):
    """The opponent is the newest champion of a session.

    Attributes:
        spectacle: what moves in the panel of the evolution.
    """

    title = "An opponent that evolves"

    def __init__(self, screen: Play, *, opponent: EvolvingOpponent) -> None:
        app = screen.app
        self._screen, self._app, self.opponent = screen, app, opponent
        self.spectacle = Spectacle(opponent.run, app.services.thinker, still=app.services.settings.still)
        self._asked = 0, 0  # number and stamp of the game when an answer was asked for
        self._moved_at = 0.0  # when the person moved
        self._generation = -1  # that is to move, or moved last
        self._final = -1  # the generation at the end of the game, and its measured rating
        self._rating: tuple[float, float, float] | None = None
        self._tried: set[str] = set()
        self._shows = app.services.store.get(PANEL_SETTING, True)
        self._chosen, self._with_panel = Preferences(), Preferences()
        self.begin()  # a kept game may wait for an answer, which is owed already
        opponent.on_input(app.now)
        app.services.background.ask(self, KINDS, _load_kinds, lambda loaded: None)
        screen.to_close += [partial(app.services.background.cancel, self), self.spectacle.rest, opponent.leave]

    def begin(self) -> None:
        self._screen.table.paused = True
        self._asked = self._model.number, self._model.stamp

    @property
    def _model(self) -> GameModel:
        return self._screen.model

    @property
    def _program(self) -> int:
        return 1 if self._model.seats[0].human else 0

    @property
    def extra(self) -> dict[str, object]:
        return {KEY: self.opponent.values()}

    def settings(self, chosen: Preferences) -> Preferences:
        if self._shows and chosen is not self._chosen:  # asked for often in a frame
            self._chosen, self._with_panel = chosen, replace(chosen, panel=EVOLUTION)
        return self._with_panel if self._shows else chosen

    def on_display(self, chosen: dict[str, Any]) -> None:
        if "panel" in chosen:
            self._show(False)

    def _show(self, on: bool) -> None:
        self._shows = on
        self._app.services.store.set(PANEL_SETTING, on)
        self._screen.on_open()

    @property
    def pace(self) -> float:
        look = 1 / 30 if self._waits else 0.1 if self.opponent.evolves else 1.0
        return min(look, self.spectacle.pace)

    @property
    def _shows_race(self) -> bool:
        """True if the panel of the evolution is visible, and the code that it needs is loaded."""
        return self._shows and not self._app.services.background.wants(self, KINDS)

    @property
    def _waits(self) -> bool:
        return self._model.program_to_move and self._screen.table.paused

    def tick(self, now: float) -> bool:
        opponent, model, table = self.opponent, self._model, self._screen.table
        place = model.number, model.stamp
        if model.program_to_move and self._asked != place:
            self._asked, self._moved_at, table.paused = place, now, True
            opponent.on_move(now)
        opponent.on_input(self._app.input_at)
        trouble = opponent.trouble
        changed = opponent.step(now, to_answer=self._waits, shown=not self._app.hidden)
        if opponent.trouble != trouble:
            self._app.say(opponent.trouble, "warning")
        if opponent.trouble and opponent.newest < 0 and model.program_to_move:  # there is no champion that could play
            model.fail(self._program, opponent.trouble)
        if self._waits and (generation := opponent.answering(now)) is not None:
            self._seat(generation)
            table.least = max(LEAST_SECONDS - (now - self._moved_at), 0.0)
            table.paused = False
            changed = True
        if self._shows_race and not model.over and not self._app.hidden:
            answers = self._answers
            if len(answers) > MOVES_AGO:
                self.spectacle.past = max(opponent.newest - answers[-MOVES_AGO - 1], 0), LONG_AGO
            changed = self.spectacle.tick(now) or changed
        if self.spectacle.news:  # its line flashes
            self._app.services.play(PASSED)
            self.spectacle.news.clear()
        changed = self._app.services.measuring.step() or changed
        self._measure()
        return changed

    def _seat(self, generation: int) -> None:
        self._generation = generation
        seat, seats = self.opponent.seat(self._app.services.runs, generation), list(self._model.seats)
        seats[self._program] = seat
        self._model.seats = (seats[0], seats[1])

    def react(self, event: TableEvent) -> None:
        if isinstance(event, Moved) and event.ply.side == self._program:
            plies = self._model.plies
            plies[-1] = replace(plies[-1], notes=(*plies[-1].notes, generation_note(self._generation)))
            self._screen.table.paused = True
        elif isinstance(event, Over):
            run = self.opponent.run
            run.refresh(self._app.now)
            self._shows, self._final, self._rating = True, self.opponent.newest, None
            self.spectacle.rest()

    def _measure(self) -> None:
        """Measure the rating of the newest champion at the end of the game, without tablebases, unless it is known."""
        run, measuring, final = self.opponent.run, self._app.services.measuring, self._final
        if not self._model.over or not 0 <= final < len(run.entries) or self._rating is not None:
            return
        key = key_of(run, final)
        self._rating = measuring.measured.find(key)
        if self._rating is None and not measuring.present and key not in self._tried:
            self._tried.add(key)
            measuring.begin(key, measuring.measured_player(run, final))

    def tabs(self, own: list[Command]) -> list[Command]:
        evolution = Command(
            id="evolution", name="Evolving", keys=("y",), run=lambda: self._show(not self._shows), icon="evolution",
            about="Show how far the opponent has come", chosen=self._shows, group=DISPLAY,
        )  # fmt: skip
        return [evolution, *(replace(tab, chosen=tab.chosen and not self._shows) for tab in own)]

    def commands(self, own: list[Command]) -> list[Command]:
        newest, over = self.opponent.newest, self._model.over
        known, trouble = self._rating is not None, self._app.services.measuring.trouble
        command = partial(Command, keys=(), group=EVOLVING)
        return [
            *own,
            command(id="pace", name="Speed", run=self._choose_pace, icon="evolution",
                    about="Choose how much it evolves for each of your moves, and when"),
            command(id="first-last", name="Watch", run=self._watch_both, icon="eye",
                    about="Watch generation 0 play against the newest one", enabled=newest > 0,
                    why="There is only one generation."),
            command(id="play-champion", name="Rated game", run=self._play_rated, icon="ladder",
                    about="Play its newest champion, which no longer changes, for your rating",
                    enabled=over and known,
                    why="The game is not over yet." if not over else trouble or "Its rating is being measured."),
        ]  # fmt: skip

    def _choose_pace(self) -> None:
        self._app.open(Menu(self._app, "How it evolves", self._paces))

    def _paces(self) -> list[Command]:
        pace, free = self.opponent.pace, self.opponent.pace.generations == FREE
        names = {each: f"{count_text(each, 'generation')} for each move" for each in PACES}
        names[FREE] = "As many as fit while I think"
        return [
            *(Command(id=f"pace-{each}", name=name, keys=(str(number),), chosen=pace.generations == each,
                      run=partial(self._set_pace, replace(pace, generations=each, beside=pace.beside or each == FREE)))
              for number, (each, name) in enumerate(names.items(), 1)),
            Command(id="beside", name="Also while I think", keys=("5",), chosen=pace.beside,
                    run=partial(self._set_pace, replace(pace, beside=not pace.beside)), enabled=not free,
                    about="Otherwise it evolves only after your moves",
                    why="At this pace it evolves only while you think."),
        ]  # fmt: skip

    def _set_pace(self, pace: Pace) -> None:
        self.opponent.pace = pace
        pace.keep(self._app.services.store)

    def _watch_both(self) -> None:
        opponent, runs = self.opponent, self._app.services.runs
        seats = opponent.seat(runs, 0), opponent.seat(runs, opponent.newest)
        self._app.open(self._app.screens.play(self._app, GameModel(seats)))

    def _play_rated(self) -> None:
        app = self._app
        opponent = app.services.measuring.champion(self.opponent.run, self._final)
        if self._rating is not None:
            opponent = replace(opponent, rating=self._rating[0], low=self._rating[1], high=self._rating[2])
        begin_rated(app, opponent, lambda model: app.replace(app.screens.play(app, model)))

    def status(self, status: StatusText) -> StatusText:
        newest = self.opponent.newest
        if self._waits and self._model.at_end and not self._model.branches:
            head, text = "One moment", self._opposing
            if newest >= 0:
                head = "It evolves, then it moves"
                text = f"Its networks play each other, and the winners have children: generation {newest + 1:,}."
            status = replace(status, head=head, text=text, icon="evolution", tone="normal")
        return replace(status, share=self.opponent.run.share) if newest < 0 else status

    @property
    def _opposing(self) -> str:
        """The generation that comes next, in a sentence; the strip says which one the person plays."""
        playing, newest = next(reversed(self._answers), -1), self.opponent.newest
        if newest < 0:
            here = self.opponent.run.status
            return f"It is {here.phase}." if here is not None and here.phase else "It begins with random weights."
        if self._model.program_to_move:
            return f"Generation {newest:,} is the newest."
        if playing < newest:
            return f"Generation {newest:,} comes with your next move."
        return "It evolves while you think." if self.opponent.evolves else f"You play generation {playing:,}."

    def strip(self, strip: Strip) -> Strip:
        known = strip.side == self._program and self._generation >= 0  # a tooltip says that such games are not rated
        return strip if known else replace(strip, line="")

    @property
    def _answers(self) -> list[int]:
        notes = (text.partition(GENERATION) for ply in self._model.plies for _, text in ply.notes)
        return [int(number) for before, name, number in notes if name and not before and number.isdecimal()]

    @property
    def _how_far(self) -> str:
        """Return how far the opponent came and how strong it is now; the race beside it has the levels that it beat."""
        final = self._final
        if final < 0:
            return "The first generation was not complete."
        moves = count_text(sum(ply.side != self._program for ply in self._model.plies), "move")
        far = f"Generation {final:,} after {moves}"
        ending, beat = self._model.ending, next(reversed(self._answers), -1)
        if ending is not None and ending.winner == self._program and beat >= 0:
            far = f"Next is generation {final:,}" if final != beat else f"Generation {beat:,} beat you"
        if self._rating is not None:
            value, low, _ = self._rating
            return f"{far}, rated {rating_text(value, low)}."
        measuring = self._app.services.measuring
        return f"{far}. {'Its rating is being measured…' if measuring.present else measuring.trouble}".rstrip()

    def panel(self, body: Rect, look: Look) -> list[Widget] | None:
        if not self._shows:
            return None
        if not self._shows_race:
            return []
        if not self._model.over:
            whole = evolution_panel(self.spectacle, body, look, self._opposing)
            return whole or arena_widgets(self.spectacle, body, look)  # a run whose champions are not rated has no race
        met = [*dict.fromkeys(self._answers)]
        marked = f"\nTicks: you met generations {met[0]:,} to {met[-1]:,}." if len(met) > 1 else ""
        text = f"{self._how_far}{marked}"
        head, below = body.rows(look.tall(text, body.w), None, gap=look.px(GAP))
        interval = "" if self._rating is None else f"95 %: {shown_interval(*self._rating[1:])}. "
        final, race = self._final, self.spectacle.race
        widgets: list[Widget] = [Label(key="how-far", rect=head, text=text, wrap=True, hint=f"{interval}{UNRATED}")]
        if race is None:
            return widgets
        plot = race_plot(self.spectacle, race, below)
        plot = replace(plot, ticks=self._answers, mark=-1, says=None, title="Rating", hint=MARKED)
        if self._rating is not None and final < len(race.values):  # its estimate by few games gives way
            plot = replace(plot, curves=(with_measured(plot.curves[0], final, self._rating),))
        return [*widgets, plot]

    def layout(self, size: Size, px: Px, *, steps: bool) -> GameLayout:
        """Return the layout with the buttons in a row if the panel is below the board, where the race needs room."""
        return game_layout(size, px, rows=1 if size[0] < size[1] else 2, tabs=True, steps=steps)

    @property
    def buttons(self) -> tuple[Sequence[str], str]:
        return BUTTONS_AT_END if self._model.over else BUTTONS, "rematch"
