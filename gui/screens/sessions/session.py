"""A session of evolution: what it does, how it goes, and its champions. It goes on whether or not it is watched."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from gui.geometry import Size
from gui.individuals.rows import Scope, View
from gui.look.canvas import Look
from gui.model.game import GameModel
from gui.model.names import individual
from gui.model.seats import Seat
from gui.screens.play.beginning import begin
from gui.screens.screen import Screen, Window
from gui.screens.sessions.panels import panels
from gui.sessions import launch
from gui.sessions.followed import Followed
from gui.sessions.launch import Launched
from gui.sessions.live import Live
from gui.sessions.replay import Replay
from gui.widgets.base import Widget
from gui.widgets.commands import Command

if TYPE_CHECKING:
    from evolve.run.status import Request
    from gui.sessions.resuming import Resuming

PACE, PLAY_SECONDS = 0.1, 0.35
WORKERS = "session_workers"
"""What the form that begins sessions calls the same."""


class Session(Screen):
    """One run, live.

    Args:
        path: the run folder; it may not be there yet, if its session was just started.
        launched: the session, if this window has started it.

    Attributes:
        followed: the run.
        live: the board on which the champion that is shown plays now.
        replay: its recorded games.
        recorded: whether these are to be seen instead.
        tab: 0 for the hall of fame, 1 for the log.
        moving: whether the generations go by.
    """

    browses = True

    def __init__(self, app: Window, path: Path, launched: Launched | None = None) -> None:
        super().__init__(app)
        self.followed = Followed(path)
        self.title = f"Evolution of {path.name}"
        self.live = Live(app.services.thinker, self._live_seat)
        self.replay = Replay()
        self.recorded = False
        self.tab = 0
        self.moving = False
        self.now = 0.0
        self._chosen: int | None = None  # None follows the newest
        self._move_at = 0.0
        self._launched = launched
        self._alive = launched is not None
        self._said = False
        self._shown: tuple[int, int, int] | None = None
        self.ui.focus = "slider"

    # What is shown ------------------------------------------------------------------------------------------------

    @property
    def newest(self) -> int:
        """The newest generation; -1 if there is none."""
        return self.followed.generations.newest

    @property
    def generation(self) -> int:
        """The generation that all parts show; -1 if there is none."""
        return self.newest if self._chosen is None else min(self._chosen, self.newest)

    @property
    def follows(self) -> bool:
        """Whether it moves on with the newest generation."""
        return self._chosen is None

    @property
    def begins(self) -> bool:
        """Whether a session was started here that has not yet said anything of itself."""
        return self._launched_runs and not self.followed.going and not self._launched_said

    @property
    def _launched_runs(self) -> bool:
        return self._launched is not None and self._launched.running

    @property
    def _launched_said(self) -> bool:
        """Whether the folder tells of the session that was started here: one that ends lives a moment longer."""
        said = self.followed.said
        return said is not None and self._launched is not None and said.pid == self._launched.pid

    @property
    def launched_trouble(self) -> str:
        """Why the session that was started here has ended, if it failed."""
        return "" if self._launched is None else self._launched.trouble

    @property
    def pace(self) -> float:
        """Often enough for the moves on the small board."""
        return PACE

    def opened(self) -> None:
        """What has happened meanwhile is seen at once; the thinking process may have worked for others."""
        self.followed.look_now()
        self.live.rest()

    def closed(self) -> None:
        """Nobody plays where nobody looks."""
        self.live.rest()

    def tick(self, now: float, dt: float) -> bool:
        """Look at the run folder, move what moves."""
        self.now = now
        changed = self.followed.step(now)
        if self._alive and not self._launched_runs:
            self._alive, changed = False, True
        if self._launched is not None and not self._said and self.launched_trouble:
            self._said = changed = True
            self.app.say(self.launched_trouble, "warning")
        if self.moving and now >= self._move_at:
            self._move_at = now + PLAY_SECONDS
            self._choose(self.generation + 1)
            self.moving = self.generation < self.newest
            changed = True
        changed = self._show_games() or changed
        return self._play_on(now) or changed

    @property
    def board(self) -> Live | Replay:
        """What the small board shows: recorded games also where the champion cannot play."""
        return self.replay if self.recorded or (self.live.trouble and self.replay.count) else self.live

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
        steered, asked = run.going and run.state != "starting", run.requests
        paused = run.state == "paused"
        idle = "" if steered else "The session is starting." if run.going else "No session runs."
        waits = "The session does this already, or is asked to."
        pause = (
            Command(id="pause", name="Go on", keys=("p",), run=partial(self._ask, Request.RESUME),
                    about="The paused session goes on", icon="play", enabled="resume" not in asked, group=session,
                    why=waits)
            if paused
            else Command(id="pause", name="Pause", keys=("p",), run=partial(self._ask, Request.PAUSE),
                         about="Wait in the middle of the generation", icon="pause",
                         enabled=run.state == "running" and "pause" not in asked, group=session, why=idle or waits)
        )  # fmt: skip
        ended = not run.going and bool(run.state) and not self._launched_runs
        goes = "The session is paused: P lets it go on." if paused else "The session runs."
        resume = (
            Command(id="resume", name="More", keys=("r",), run=self._resume,
                    about="Go on beyond its last generation, or from an earlier one", icon="plus", enabled=ended,
                    group=session)
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
                    about="Finish and save the generation in hand, then stop", icon="flag",
                    enabled=steered and run.state != "stopping" and "stop-after-generation" not in asked,
                    group=session, why=idle or waits),
            Command(id="stop", name="Stop now", keys=("x",), run=self._stop,
                    about="Stop at once; the generation in hand is given up", icon="close",
                    enabled=steered and "stop" not in asked, group=session, why=idle or waits),
            resume,
            Command(id="move", name=moving, keys=("space",), run=self._toggle_moving,
                    about="Let the generations go by; every part shows them", icon="pause" if self.moving else "play",
                    enabled=there, group=view),
            Command(id="previous", name="Earlier", keys=("left",), run=partial(self._step, -1),
                    about="The generation before", icon="previous", enabled=there, group=view),
            Command(id="next", name="Later", keys=("right",), run=partial(self._step, 1), about="The next generation",
                    icon="next", enabled=there, group=view),
            Command(id="first", name="First", keys=("home",), run=partial(self._choose, 0), about="Generation 0",
                    icon="first", enabled=there, group=view),
            Command(id="newest", name="Newest", keys=("end",), run=self._follow,
                    about="The newest generation, and stay with it", icon="last", enabled=there, chosen=self.follows,
                    group=view),
            Command(id="play", name="Play", keys=("c", "return"), run=self._play, about="Play against this champion",
                    icon="play", enabled=there, group=who),
            Command(id="watch", name="Watch", keys=("w",), run=self._watch,
                    about="Watch it play the newest champion (the newest: the first)", icon="eye", enabled=there,
                    group=who),
            Command(id="players", name="Players", keys=("a",), run=self._players, about="All players of this run",
                    icon="list", group=who),
            Command(id="games", name="Games", keys=("b",), run=self._toggle_games,
                    about="Let the small board play or rest", icon="pause" if self.live.playing else "play",
                    enabled=there, group=who),
            Command(id="next-game", name="Next game", keys=("n",), run=self._next_game,
                    about="Another game on the small board", icon="step", enabled=there, group=who),
            Command(id="recorded", name="Recorded", keys=("v",), run=self._toggle_recorded,
                    about="Its recorded games on the small board, or a live one", icon="file", enabled=there,
                    chosen=self.recorded, group=who),
            Command(id="tab", name="Hall or log", keys=("t",), run=self._next_tab,
                    about="Hall of fame, or the log of the session", icon="list", group=view),
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
        from gui.sessions.resuming import Resuming, kept_whole

        run, workers = self.followed, self.app.services.store.get(WORKERS, "")
        form = Resuming.of(self.newest, run.last, workers, kept_whole(run.path))
        self.app.open(SessionResume(self.app, run.name, form, self._go_on))

    def _go_on(self, form: Resuming) -> None:
        self.app.services.store.set(WORKERS, form.values["workers"].strip())
        options = launch.resuming(self.followed.path, form.number("generations"), form.number("workers"), form.restart)
        try:
            self._launched = launch.start(options)
        except OSError as error:
            self.app.say(f"No session can be started: {error.strerror}.", "warning")
            return
        self._said, self._alive = False, True
        self.followed.look_now()
        self.app.say("A session goes on with this run.", "check")

    def _choose(self, generation: int) -> None:
        self._chosen = min(max(generation, 0), max(self.newest, 0))

    def pick(self, generation: int) -> None:
        """Show a generation; the newest is stayed with."""
        self.moving = False
        self._choose(generation)
        if self._chosen == self.newest:
            self._chosen = None

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

    def show_tab(self, tab: int) -> None:
        """Hall of fame, or log."""
        self.tab = tab

    def _next_tab(self) -> None:
        self.tab = 1 - self.tab

    # Champions ----------------------------------------------------------------------------------------------------

    def _player(self, generation: int) -> str:
        """The champion of a generation, as players are named."""
        from game.players.names import RESERVED

        run = self.followed
        by_name = run.path.parent.resolve() == self.app.services.runs.resolve() and run.name not in RESERVED
        target = run.name if by_name and not run.name.lower().endswith(".csv") else str(run.path.resolve())
        return individual(f"{target}@{generation}")

    def _seat(self, generation: int) -> Seat:
        run = self.followed
        champion = run.generations.champions[generation]
        return self.app.services.seat(self._player(generation), f"{champion} ({run.name}, generation {generation})")

    def _live_seat(self, generation: int) -> Seat:
        return Seat(self._player(generation), title=self.followed.generations.champions[generation])

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
        self.app.open(self.app.screens.chooser(scope=Scope(View.RUN, run=self.followed.name)))

    def view(self, size: Size, look: Look) -> list[Widget]:
        """The header, and all parts below it."""
        return [*self.header(size, look), *panels(self, size, look)]
