"""The screen of a session: progress, curves and champions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from evolve.run.runs import came_installed, recorded_again
from evolve.run.status import State
from game.installation import COMMAND
from gui.evolving.arena import PASSED, Spectacle
from gui.geometry import Size
from gui.look.canvas import Look
from gui.model.game import GameModel
from gui.model.seats import Seat, individual, title_of
from gui.screens.entries import CurvesEntry, TabEntry, entries, with_added
from gui.screens.play.game_files import begin
from gui.screens.screen import Screen
from gui.screens.sessions.panels import GAMES, Layout, ThenAndNow, layout, panels
from gui.screens.sessions.questions import ask_last, with_own_code
from gui.sessions import launch
from gui.sessions.boards import SHOT_SECONDS, Replay, film_pace
from gui.sessions.form import MAX_WORKERS, whole
from gui.sessions.launch import Launched
from gui.widgets.base import Command, Widget, by_id

if TYPE_CHECKING:
    from evolve.run.status import Request
    from gui.app import App

PACE = 0.1
WORKERS = "session_workers"
"""The setting in which the form for new sessions keeps the number of workers."""

SESSION, VIEW, CHAMPION = "The session", "Generations", "The champion"
PAUSED = "The session is paused: “Go on” continues it."
OWN_LOOP = "A loop of your own makes this run. “Stop” asks it to stop."
NO_GENERATION = "There is no generation yet."
INSTALLED = "This run came with the program and stays as it is. To continue it as a run of your own: "


class SessionScreen(Screen):
    """One run and its session, if one is running.

    Args:
        path: the run folder; it need not exist yet if its session was just started.
    """

    title = "Evolution"
    browses = True

    def __init__(self, app: App, path: Path, launched: Launched | None = None) -> None:
        super().__init__(app)
        self.run = app.services.sources.live(path)
        self.title = f"Evolution of {self.run.title}"
        self.spectacle = Spectacle(self.run, app.services.thinker, still=app.services.settings.still)
        self.to_close.append(self.spectacle.rest)
        self.replay, self.games = Replay(), ThenAndNow(self.run)
        self.tab = ""
        self.moving = False
        self.now = 0.0
        self._chosen: int | None = None  # None follows the newest
        self._move_at = 0.0
        self._launched = launched
        self._alive = launched is not None
        self._said = False
        self._entries = entries("session", self)
        self.ui.focus = "slider"

    @property
    def newest(self) -> int:
        return self.run.newest

    @property
    def generation(self) -> int:
        return self.newest if self._chosen is None else min(self._chosen, self.newest)

    @property
    def follows(self) -> bool:
        return self._chosen is None

    @property
    def tabs(self) -> tuple[str, ...]:
        return self.tabs_at(layout(self, self.app.surface.get_size(), self.app.look))

    def tabs_at(self, at: Layout) -> tuple[str, ...]:
        """Return the names of the tabs; what has no place elsewhere has one."""
        tabs = ["Champions" if self.run.kind.breeds else "Generations"]
        tabs += ["Numbers"] if self.curves is not None else []
        more = [entry.name for entry in self.added_tabs]
        tabs += more if self.spectacle.race is not None or self.curves is not None else more[1:]
        return (*([GAMES] if at.stacked else []), *tabs)

    @property
    def added_tabs(self) -> list[TabEntry]:
        return [entry for entry in self._entries if isinstance(entry, TabEntry)]

    @property
    def curves(self) -> CurvesEntry | None:
        """The curves that an extra adds for a run that does not breed."""
        added = (entry for entry in self._entries if isinstance(entry, CurvesEntry))
        return None if self.run.kind.breeds else next(added, None)

    @property
    def begins(self) -> bool:
        """True while a session that was started here has not reported anything yet."""
        return self._launched_runs and not self.run.going and not self._launched_reported

    @property
    def waits(self) -> bool:
        """True until the first generation of a session is complete."""
        return self.newest < 0 and (self.begins or self.run.going)

    @property
    def _launched_runs(self) -> bool:
        return self._launched is not None and self._launched.running

    @property
    def _launched_reported(self) -> bool:
        """True if the status comes from the session that was started here; its process may run a moment longer."""
        status = self.run.status
        return status is not None and self._launched is not None and status.pid == self._launched.pid

    @property
    def launched_trouble(self) -> str:
        return "" if self._launched is None else self._launched.trouble

    @property
    def in_film(self) -> bool:
        """True while the film plays, with recorded games of the champions in place of the arena."""
        return self.moving and self.replay.count > 0

    @property
    def compares(self) -> bool:
        """True if a game of generation 0 is beside one of the champion: when the games of the newest are over."""
        arena = self.spectacle.arena
        shown = arena.shown is not None and arena.shown.generation == self.newest
        over = shown and not arena.moves
        return self.follows and over and not self.moving and self.games.is_possible

    @property
    def pace(self) -> float:
        return min(PACE, self.spectacle.pace)

    def on_open(self) -> None:
        self.run.look_now()

    def tick(self, now: float, dt: float) -> bool:
        self.now = now
        changed = self.app.services.background.deliver()
        changed = self.run.step(now) or changed
        branch = f", a branch of {self.run.branched_from}" if self.run.branched_from else ""
        self.title = f"{self.run.kind.noun} of {self.run.title}{branch}"
        if self._alive and not self._launched_runs:
            self._alive, changed = False, True
        if self._launched is not None and not self._said and self.launched_trouble:
            self._said = changed = True
            self.app.say(self.launched_trouble, "warning")
        changed = any([entry.step() for entry in self._entries]) or changed
        changed = self._play_through(now) or changed
        if self.moving:
            self.replay.show(self.run.games_of(self.generation), self.run.title_in_game)
            self.replay.go_along(self.generation / max(self.newest, 1))
        changed = self.spectacle.tick(now, self.generation) or changed
        changed = self.games.tick(now, visible=self.compares) or changed
        if self.spectacle.news:
            self.app.services.play(PASSED)
            self.spectacle.news.clear()
        return changed

    def _play_through(self, now: float) -> bool:
        """Step through the generations, several at once if they are due before the next tick."""
        if not self.moving or now < self._move_at:
            return False
        pace = film_pace(self.newest)
        steps = 1 + int((now - self._move_at) / pace)
        self._move_at += steps * pace
        self._choose(min(self.generation + steps, self.newest))
        self.moving = self.generation < self.newest
        return True

    def commands(self) -> Sequence[Command]:
        return with_added(self._own_commands(), self._entries)

    def _own_commands(self) -> Sequence[Command]:
        from evolve.run.status import Request

        paused, done, moving = self.run.state == "paused", self.run.state == "done", self.moving
        why = self._refusals()

        def command(
            id_: str,
            name: str,
            key: str,
            run: Callable[[], object],
            about: str,
            group: str,
            icon: str = "",
            **more: bool,
        ) -> Command:
            refusal = why.get(id_, "")
            return Command(id=id_, name=name, keys=tuple(key.split()), run=run, about=about, group=group, icon=icon,
                           enabled=not refusal, why=refusal, **more)  # fmt: skip

        return [
            command("pause", "Go on", "", partial(self._ask, Request.RESUME), "Continue the paused session",
                    SESSION, "play")
            if paused else
            command("pause", "Pause", "", partial(self._ask, Request.PAUSE),
                    "Pause in the middle of the generation", SESSION, "pause"),
            command("stop", "Stop", "", self._stop, "Stop after this generation, or at once", SESSION, "stop"),
            command("resume", "Evolve on", "c", self._resume,
                    "Continue beyond its last generation" if done else "Continue this run", SESSION, "evolution"),
            command("move", "Stop moving" if moving else "Play through", "space", self._toggle_moving,
                    "Play the film of the run: all generations in 20 seconds, on every part of the screen", VIEW,
                    "pause" if moving else "play"),
            command("previous", "Earlier", "left", partial(self._step, -1), "Go to the previous generation", VIEW,
                    "previous"),
            command("next", "Later", "right", partial(self._step, 1), "Go to the next generation", VIEW, "next"),
            command("first", "First", "home", partial(self._choose, 0), "Go to generation 0", VIEW, "first"),
            command("newest", "Newest", "end", self._follow, "Follow the newest generation", VIEW, "last",
                    chosen=self.follows),
            command("play", "Play", "p return", self._play, "Play against this champion", CHAMPION, "play"),
            command("watch", "Watch", "", self._watch,
                    "Watch it play the newest champion, or the first one if it is the newest itself", CHAMPION, "eye"),
            command("why", "Why it is good", "i", partial(self._watch, worth=True),
                    "Watch it with the worth of each piece to it", CHAMPION, "worth"),
            command("tab", "Next page", "", self._next_tab,
                    f"Show the next page: {', '.join(self.tabs).lower()}", VIEW, "list"),
        ]  # fmt: skip

    def _refusals(self) -> dict[str, str]:
        """Return why commands are impossible now, by id; possible commands are absent or have an empty reason."""
        run, asked = self.run, self.run.requests
        # A session that is starting takes requests once it has begun to compile.
        compiles = run.status is not None and bool(run.status.phase)
        idle = "The session is starting." if run.going else "No session is running."
        if run.going and (run.state != "starting" or compiles):
            idle = ""
        waits = "The session is already doing this, or was asked to."
        paused, stopping = run.state == "paused", run.state == "stopping"
        why = {
            "pause": idle or (waits if stopping or "pause" in asked else ""),
            "stop": idle or (waits if "stop" in asked else ""),
        }
        if paused:
            why["pause"] = waits if "resume" in asked else ""
        if came_installed(run.path):
            why["resume"] = f"{INSTALLED}{COMMAND} {run.kind.verb} --branch {run.name}"
        elif run.going or not run.state or self._launched_runs:
            why["resume"] = PAUSED if paused else "The session is running."
        if run.of_own_loop:
            only = f"A loop of your own made this run, and only that loop can continue it: {recorded_again(run.name)}"
            why["resume"] = only
            why["pause"] = idle or OWN_LOOP
        if self.generation < 0:
            why |= dict.fromkeys(NEED_GENERATION, NO_GENERATION)
        return why

    def _ask(self, request: Request) -> None:
        self.app.say(self.run.ask(request), "warning")

    def _stop(self) -> None:
        from evolve.run.status import Request
        from gui.screens.dialogs.dialog import Dialog

        run, after = self.run, partial(self._ask, Request.STOP_AFTER_GENERATION)
        if run.of_own_loop:
            after()
            return
        text = "If it stops now, this generation is discarded; a session that continues the run plays it again."
        waits = run.state == State.STOPPING or "stop-after-generation" in run.requests
        answers: list[tuple[str, str, Callable[[], object]]] = [
            *([] if waits else [("After this generation", "return", after)]),
            ("Stop now", "return" if waits else "n", partial(self._ask, Request.STOP)),
            ("Let it run", "escape", lambda: None),
        ]
        self.app.open(Dialog(self.app, "Stop this session?", text, answers))

    def _resume(self) -> None:
        if self.run.state == "done":
            ask_last(self.app, self.run.name, self.newest, self._go_on)
        else:
            self._go_on()

    def _go_on(self, last: int | None = None) -> None:
        with_own_code(self.app, self.run.path, partial(self._resume_with, last))

    def _resume_with(self, last: int | None, more: list[str]) -> None:
        workers = self.app.services.store.get(WORKERS, "")
        options = [f"--resume={self.run.path.resolve()}"]
        options += [] if last is None else [f"--generations={last}"]
        options += [f"--workers={workers}"] if whole(workers, 1, MAX_WORKERS) else []
        try:
            self._launched = launch.start([*options, *more], self.run.kind.verb)
        except OSError as error:
            self.app.say(f"The session cannot be started: {error.strerror}.", "warning")
            return
        self._said, self._alive = False, True
        self.run.look_now()
        self.app.say("A session continues this run.", "check")

    def _choose(self, generation: int) -> None:
        self._chosen = min(max(generation, 0), max(self.newest, 0))

    def pick(self, generation: int) -> None:
        """Show a generation; picking the newest one makes the screen follow new generations."""
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
            self._move_at += SHOT_SECONDS

    def show_tab(self, tab: int) -> None:
        self.tab = self.tabs[tab]

    def _next_tab(self) -> None:
        tabs = self.tabs
        self.tab = tabs[(tabs.index(self.tab if self.tab in tabs else tabs[0]) + 1) % len(tabs)]

    def player_of(self, generation: int) -> str:
        return individual(f"{self.run.player_name}@{generation}")

    def _seat(self, generation: int) -> Seat:
        title = title_of(self.run.champions[generation], self.run.name, generation, 1)
        return self.app.services.opponents.seat(self.player_of(generation), title)

    def _play(self) -> None:
        if self.generation >= 0:
            begin(self.app, self._seat(self.generation), self.app.services.settings.colour)

    def play_generation(self, generation: int) -> None:
        self.pick(generation)
        self._play()

    @property
    def other(self) -> int:
        """The generation that a champion is watched against: the newest, or the first if it is the newest itself."""
        return self.newest if self.generation < self.newest else 0

    def _watch(self, *, worth: bool = False) -> None:
        from gui.screens.play.play import Play
        from gui.screens.play.watching import Watching

        if self.generation >= 0:
            model = GameModel((self._seat(self.generation), self._seat(self.other)))
            self.app.open(Play(self.app, model, make_state=partial(Watching, worth=worth)))

    def view(self, size: Size, look: Look) -> list[Widget]:
        return [*self.header(size, look), *panels(self, size, look, by_id(self.commands()))]


NEED_GENERATION = "move", "previous", "next", "first", "newest", "play", "watch", "why"
