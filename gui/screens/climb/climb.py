"""The climb: a ladder made of one run, a rating of one's own, and whom to play next."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from gui.climb.rating import choose_equal
from gui.family.kin import Kin, Whom
from gui.geometry import Size
from gui.look.canvas import Look
from gui.model.game import GameModel
from gui.screens.climb.climb_view import ClimbView
from gui.screens.climb.panels import panels
from gui.screens.play.rated import begin_rated
from gui.widgets.base import Widget
from gui.widgets.commands import Command


class Climb(ClimbView):
    """A run as a ladder, and the person's rating."""

    def commands(self) -> Sequence[Command]:
        """Playing, choosing, looking."""
        one, there = self.chosen, bool(self.listed)
        nobody = "" if one is not None else "Nobody is chosen."
        games = bool(self.replay.count)
        none = "No games of this champion are on record."
        return [
            Command(id="play", name="Play", keys=("p",), run=self._play, about="Begin a rated game", icon="play",
                    enabled=one is not None, why=nobody),
            Command(id="equal", name="As strong as you", keys=("s",), run=self._choose_equal, icon="equal",
                    about="The opponent about as strong as you, of strengths and generations", enabled=there,
                    why=nobody),
            Command(id="easier", name="Easier", keys=("-",), run=partial(self._step, -1), icon="down",
                    about="The next weaker opponent", enabled=there, why=nobody),
            Command(id="harder", name="Harder", keys=("+", "="), run=partial(self._step, 1), icon="up",
                    about="The next stronger opponent", enabled=there, why=nobody),
            self._measure_command(),
            Command(id="family", name="Family", keys=("shift+f",), run=self._family, icon="family",
                    about="Whom it comes from", enabled=one is not None, why=nobody),
            Command(id="tab", name="Generations or strengths", keys=("t",), icon="list",
                    run=lambda: self.show_tab(1 - self.tab), about="The other list of opponents"),
            Command(id="run", name="Another run", keys=("r",), run=self._next_run, icon="evolution",
                    about="Climb the next run", enabled=len(self.runs) > 1, why="There is no other run."),
            Command(id="next-game", name="Next game", keys=("n",), run=self._next_game, icon="next",
                    about="Another game of this champion on the small board", enabled=games, why=none),
            Command(id="show-game", name="Show the game", keys=("v",), run=self._show_game, icon="board",
                    about="This game on the large board", enabled=games, why=none),
        ]  # fmt: skip

    def _measure_command(self) -> Command:
        one, busy = self.chosen, bool(self.app.services.measuring.present)
        why = "Somebody is measured already." if busy else "It is rated." if one is not None else "Nobody is chosen."
        return Command(id="measure", name="Measure", keys=("m",), run=self._measure, icon="ladder",
                       about="Rate it by 60 games in the background: half a minute",
                       enabled=one is not None and one.rating is None and not busy, why=why)  # fmt: skip

    def _measure(self) -> None:
        one, lineage = self.chosen, self.lineage
        if one is not None and lineage is not None:
            player, key = lineage.measured_player(one.generation), lineage.key_of(one.generation)
            self.app.services.measuring.begin(key, player, self.app.services.runs)

    def activate_row(self, row: int) -> None:
        """Play against an opponent of the list."""
        self.select(row)
        self._play()

    def _family(self) -> None:
        lineage, number = (None, -1) if self.chosen is None else self.place_of(self.chosen)
        if lineage is not None:
            self.app.open(self.app.screens.family(Whom(kin=Kin(lineage.run.path, number, ""))))

    def _next_run(self) -> None:
        names = [run.name for run in self.runs]
        self.tab = 0
        self.pick_run((names.index(self.run_name) + 1) % len(names) if self.run_name in names else 0)

    def _choose_equal(self) -> None:
        self.show(choose_equal(self.career.level, self.everybody(), self.career.results))

    def _step(self, step: int) -> None:
        rows = self.listed
        here = next((at for at, each in enumerate(rows) if each.key == self.keys[self.tab]), len(rows))
        self.select(min(max(here - step, 0), len(rows) - 1))

    def _play(self) -> None:
        one = self.chosen
        if one is not None:
            begin_rated(self.app, one, self._open_game)

    def _open_game(self, model: GameModel) -> None:
        self.app.go_home(keep=lambda screen: screen.browses)
        self.app.open(self.app.screens.play(model))

    def _next_game(self) -> None:
        self.replay.next_game()
        self.replay.playing = True

    def _show_game(self) -> None:
        from gui.model.record import Loaded
        from gui.screens.play.beginning import show_loaded

        if self.replay.model is not None:
            model = self.replay.model
            self.replay.next_game()  # the one that is shown is not moved on here
            show_loaded(self.app, Loaded(model), self)

    def view(self, size: Size, look: Look) -> list[Widget]:
        """The ladder on the left, the person and the chosen opponent on the right."""
        return [*self.header(size, look), *panels(self, size, look, self.activate_row)]
