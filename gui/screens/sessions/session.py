"""A session of evolution: what it does, how it goes, and its champions. It goes on whether or not it is watched."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from evolve.run.runs import came_installed
from game.installation import COMMAND
from gui.geometry import Size
from gui.look.canvas import Look
from gui.model.game import GameModel
from gui.model.seats import Seat
from gui.screens.play.game_files import begin
from gui.screens.sessions.about_panel import about_commands
from gui.screens.sessions.learnt_panels import next_curve
from gui.screens.sessions.own_code import with_own_code
from gui.screens.sessions.panels import panels
from gui.screens.sessions.session_view import SessionView
from gui.sessions import launch
from gui.widgets.base import Widget
from gui.widgets.commands import Command

if TYPE_CHECKING:
    from evolve.run.status import Request
    from gui.sessions.resuming import Resuming

PACE, PLAY_SECONDS, THROUGH_SECONDS = 0.1, 0.35, 20.0
"""Between looks; between generations that go by, and for all of them at most."""

WORKERS = "session_workers"
"""What the form that begins sessions calls the same."""

STAYS = "It came with the program and stays as it is. A run of your own with its generations: "


class SessionScreen(SessionView):
    """One run, live."""

    @property
    def pace(self) -> float:
        """Often enough for the moves on the small board."""
        return PACE

    def on_open(self) -> None:
        """What has happened meanwhile is seen at once; the thinking process may have worked for others."""
        self.followed.look_now()
        self.live.rest()

    def on_close(self) -> None:
        """The small board rests while its screen is closed."""
        self.live.rest()
        self.about.close()

    def tick(self, now: float, dt: float) -> bool:
        """Look at the run folder, move what moves."""
        self.now = now
        changed = self.followed.step(now)
        self.title = f"{'Learning' if self.learns else 'Evolution'} of {self.run_name}{self.origin_words}"
        changed = self.about.step(now) or changed
        for text in self.about.notes.said:
            self.app.say(text, "warning")
        self.about.notes.said.clear()
        if self._alive and not self._launched_runs:
            self._alive, changed = False, True
        if self._launched is not None and not self._said and self.launched_trouble:
            self._said = changed = True
            self.app.say(self.launched_trouble, "warning")
        pace = min(PLAY_SECONDS, THROUGH_SECONDS / max(self.newest, 1))
        if self.moving and now >= self._move_at:
            # Where the pace is faster than that of the looks, several generations go by at once.
            steps = 1 + int((now - self._move_at) / pace)
            self._move_at += steps * pace
            self._choose(min(self.generation + steps, self.newest))
            self.moving = self.generation < self.newest
            changed = True
        changed = self._show_games() or changed
        return self._play_on(now) or changed

    def _play_on(self, now: float) -> bool:
        """The small board."""
        changed = self.live.show(self.generation, now, chosen=not self.follows)
        moved = self.board.tick(now)
        for text in self.live.said:
            self.app.say(text, "warning")
        self.live.said.clear()
        return changed or moved

    def _show_games(self) -> bool:
        """Show the games of the champion that is shown; a file that grows may have more of them than a moment ago."""
        games = self.followed.generations.span_of(self.generation)
        if games == self._shown:
            return False
        self._shown = games
        self.replay.show(self.followed.generations.games_of(self.generation))
        return True

    # Commands -----------------------------------------------------------------------------------------------------

    def commands(self) -> Sequence[Command]:
        """Steering the session; the generations; the champion."""
        from evolve.run.status import Request

        run, there = self.followed, self.generation >= 0
        session, view, who = "The session", "Generations", "The champion"
        compiles = run.said is not None and bool(run.said.phase)  # it takes requests as soon as that is done
        steered, asked = run.going and (run.state != "starting" or compiles), run.requests
        paused = run.state == "paused"
        idle = "" if steered else "The session is starting." if run.going else "No session runs."
        waits = "The session does this already, or is asked to."
        pause = (
            Command(id="pause", name="Resume", keys=("p",), run=partial(self._ask, Request.RESUME),
                    about="The paused session goes on", icon="play", enabled="resume" not in asked, group=session,
                    why=waits)
            if paused
            else Command(id="pause", name="Pause", keys=("p",), run=partial(self._ask, Request.PAUSE),
                         about="Wait in the middle of the generation", icon="pause",
                         enabled=steered and run.state != "stopping" and "pause" not in asked, group=session,
                         why=idle or waits)
        )  # fmt: skip
        stays = came_installed(run.path)
        ended = not run.going and bool(run.state) and not self._launched_runs and not stays
        goes = "The session is paused: P lets it go on." if paused else "The session runs."
        goes = f"{STAYS}{COMMAND} {'train' if self.learns else 'evolve'} --branch {run.name}" if stays else goes
        none = "" if there else "There is no generation yet."
        resume = (
            Command(id="resume", name="More", keys=("r",), run=self._resume,
                    about="Go on beyond its last generation, or from an earlier one", icon="plus", enabled=ended,
                    group=session, why=goes)
            if run.state == "done"
            else Command(id="resume", name="Resume", keys=("r",), run=self._resume,
                         about="Start a session that goes on with this run", icon="play", enabled=ended,
                         group=session, why=goes)
        )  # fmt: skip
        moving = "Stop moving" if self.moving else "Play through"
        return [
            pause,
            Command(id="stop-after", name="Stop after", keys=("s",),
                    run=partial(self._ask, Request.STOP_AFTER_GENERATION),
                    about="Finish and save the generation in hand, then stop", icon="finish",
                    enabled=steered and run.state != "stopping" and "stop-after-generation" not in asked,
                    group=session, why=idle or waits),
            Command(id="stop", name="Stop now", keys=("x",), run=self._stop,
                    about="Stop at once; the generation in hand is given up", icon="stop",
                    enabled=steered and "stop" not in asked, group=session, why=idle or waits),
            resume,
            Command(id="branch", name="Branch from here", keys=("h",), run=self._branch,
                    about="A new run from the generation that is shown, with other values or another seed",
                    icon="branch", enabled=there, group=view, why=none),
            Command(id="like-this", name="New like this", keys=("g",), run=partial(self._begin_from, None),
                    about="A new session with all values of this one, and the next seed", icon="evolution",
                    enabled=bool(run.state), group=session, why="There is no run yet."),
            Command(id="move", name=moving, keys=("space",), run=self._toggle_moving,
                    about="Let the generations go by; every part shows them", icon="pause" if self.moving else "play",
                    enabled=there, group=view, why=none),
            Command(id="previous", name="Earlier", keys=("left",), run=partial(self._step, -1),
                    about="The generation before", icon="previous", enabled=there, group=view, why=none),
            Command(id="next", name="Later", keys=("right",), run=partial(self._step, 1), about="The next generation",
                    icon="next", enabled=there, group=view, why=none),
            Command(id="first", name="First", keys=("home",), run=partial(self._choose, 0), about="Generation 0",
                    icon="first", enabled=there, group=view, why=none),
            Command(id="newest", name="Newest", keys=("end",), run=self._follow,
                    about="The newest generation, and stay with it", icon="last", enabled=there, chosen=self.follows,
                    group=view, why=none),
            Command(id="play", name="Play", keys=("c", "return"), run=self._play, about="Play against this champion",
                    icon="play", enabled=there, group=who, why=none),
            Command(id="watch", name="Watch", keys=("w",), run=self._watch,
                    about="Watch it play the newest champion (the newest: the first)", icon="eye", enabled=there,
                    group=who, why=none),
            Command(id="players", name="Players", keys=("a",), run=self._players, about="All players of this run",
                    icon="list", group=who),
            Command(id="games", name="Games", keys=("b",), run=self._toggle_games,
                    about="Let the small board play or rest", icon="pause" if self.live.playing else "play",
                    enabled=there, group=who, why=none),
            Command(id="next-game", name="Next game", keys=("n",), run=self._next_game,
                    about="Another game on the small board", icon="next", enabled=there, group=who, why=none),
            Command(id="recorded", name="Recorded", keys=("v",), run=self._toggle_recorded,
                    about="Its recorded games on the small board, or a live one", icon="file", enabled=there,
                    chosen=self.recorded, group=who, why=none),
            Command(id="tab", name=" or ".join((self.tabs[0], "log")), keys=("t",), run=self._next_tab,
                    about=f"{', '.join(self.tabs[:-1])}, or the log of the session", icon="list", group=view),
            *([Command(id="curve", name="Next curve", keys=("u",), run=self._next_curve,
                       about="Another curve of the method", icon="next", group=view)] if self.learns else []),
            *about_commands(self),
        ]  # fmt: skip

    def _ask(self, what: Request) -> None:
        self.app.say(self.followed.ask(what), "warning")

    def _stop(self) -> None:
        from evolve.run.status import Request
        from gui.screens.dialogs.dialog import Dialog

        text = "The generation in hand is given up; a session that resumes the run plays it anew."
        answers = (("Stop now", "return", partial(self._ask, Request.STOP)), ("Let it run", "escape", lambda: None))
        self.app.open(Dialog(self.app, "Stop this session now?", text, answers, "danger"))

    def _resume(self) -> None:
        from gui.screens.sessions.resume import SessionResume
        from gui.sessions.resuming import Resuming
        from gui.sessions.unthinned import find_unthinned

        run, workers = self.followed, self.app.services.store.get(WORKERS, "")
        form = Resuming.of(self.newest, run.last, workers, find_unthinned(run.path))
        self.app.open(SessionResume(self.app, run.name, form, self._go_on))

    def _go_on(self, form: Resuming) -> None:
        with_own_code(self.app, self.followed.path, partial(self._resume_with, form))

    def _resume_with(self, form: Resuming, more: list[str]) -> None:
        workers = form.values["workers"].strip()
        self.app.services.store.set(WORKERS, workers)
        options = launch.resuming(self.followed.path, form.number("generations"), workers, form.restart)
        options += more
        try:
            self._launched = launch.train(options) if self.learns else launch.start(options)
        except OSError as error:
            self.app.say(f"No session can be started: {error.strerror}.", "warning")
            return
        self._said, self._alive = False, True
        self.followed.look_now()
        self.app.say("A session goes on with this run.", "check")

    def _begin_from(self, generation: int | None) -> None:
        """Open the form with the values of this run: for a branch from a generation, or for a run like it."""
        from game.errors import InputError
        from gui.sessions.origin import Origin

        try:
            origin = Origin.read(self.followed.path, generation)
        except InputError as error:
            self.app.say(f"Its values cannot be used: {error}.", "warning")
            return
        self.app.open(self.app.screens.session_form(origin))

    def _branch(self) -> None:
        if self.generation >= 0:
            self._begin_from(self.generation)

    def _step(self, step: int) -> None:
        self.pick(self.generation + step)

    def _follow(self) -> None:
        self._chosen, self.moving = None, False

    def _toggle_moving(self) -> None:
        self.moving = not self.moving
        self._move_at = self.now
        if self.moving and self.generation >= self.newest:
            self._chosen = 0
            self._move_at += PLAY_SECONDS

    def _toggle_games(self) -> None:
        self.live.playing = self.replay.playing = not self.live.playing

    def _next_game(self) -> None:
        if self.board is self.replay:
            self.replay.next_game()
        else:
            self.live.next_game(self.now)

    def _toggle_recorded(self) -> None:
        self.recorded = not self.recorded

    def _next_tab(self) -> None:
        self.tab = (self.tab + 1) % len(self.tabs)

    def _next_curve(self) -> None:
        self.curve = next_curve(self)

    # Champions ----------------------------------------------------------------------------------------------------

    def _seat(self, generation: int) -> Seat:
        run = self.followed
        champion = run.generations.champions[generation]
        return self.app.services.seat(self._player(generation), f"{champion} ({run.name}, generation {generation})")

    def _play(self) -> None:
        if self.generation >= 0:
            begin(self.app, self._seat(self.generation), self.app.services.settings.colour)

    def play_row(self, row: int) -> None:
        """Play against the champion of a row of the hall of fame."""
        self.pick(self.newest - row)
        self._play()

    def _watch(self) -> None:
        if self.generation >= 0:
            other = self.newest if self.generation < self.newest else 0
            self.app.open(self.app.screens.watching(GameModel((self._seat(self.generation), self._seat(other)))))

    def _players(self) -> None:
        self.app.open(self.app.screens.chooser(run=self.followed.name))

    def view(self, size: Size, look: Look) -> list[Widget]:
        """The header, and all parts below it."""
        return [*self.header(size, look), *panels(self, size, look, self.play_row)]
