"""What the session screen shows of a run: its state without commands and pictures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from evolve.run.files import SWEEP
from evolve.run.runs import Runs
from gui.model.seats import Seat, individual
from gui.screens.screen import Screen
from gui.sessions.about import About
from gui.sessions.followed import Followed
from gui.sessions.launch import Launched
from gui.sessions.live import Live
from gui.sessions.replay import Replay

if TYPE_CHECKING:
    from gui.app import App

TABS = ("Hall of fame", "About", "Log")
LEARNT_TABS = ("Generations", "Numbers", "About", "Log")


class SessionView(Screen):
    """One run, live: what is shown of it.

    Args:
        path: the run folder; it may not be there yet, if its session was just started.
        launched: the session, if this window has started it.

    Attributes:
        followed: the run.
        about: what it is, and how it is repeated.
        live: the board on which the champion that is shown plays now.
        replay: its recorded games.
        recorded: whether these are to be seen instead.
        tab: which of `tabs` is shown.
        about_row: which of the facts about the run is chosen.
        curve: which of the curves of a network that learns is shown where there is room for one of several.
        run_name: the name of the run, of one of a sweep behind that of the sweep.
        moving: whether the generations go by.
    """

    browses = True

    def __init__(self, app: App, path: Path, launched: Launched | None = None) -> None:
        super().__init__(app)
        self.followed = Followed(path)
        self.about = About(path)
        in_sweep = (path.parent / SWEEP).is_file()  # whose runs are named by what differs in it alone
        self.run_name = f"{path.parent.name}/{path.name}" if in_sweep else path.name
        self.title = f"Evolution of {self.run_name}"
        self.live = Live(app.services.thinker, self._live_seat)
        self.replay = Replay()
        self.recorded = False
        self.tab = 0
        self.about_row = 0
        self.curve = -1  # the first that has no place of its own
        self.moving = False
        self.now = 0.0
        self._chosen: int | None = None  # None follows the newest
        self._move_at = 0.0
        self._launched = launched
        self._alive = launched is not None
        self._said = False
        self._shown: tuple[int, int, int] | None = None
        self._branched_from: str | None = None  # not known yet
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
    def learns(self) -> bool:
        """Whether one network learns; otherwise a population evolves."""
        return self.followed.generations.method is not None

    @property
    def origin_words(self) -> str:
        """Of which run this is a branch, behind its name; empty if of none."""
        if self._branched_from is None and self.newest >= 0:
            self._branched_from = branched_from(self.followed.path)
        return f", a branch of {self._branched_from}" if self._branched_from else ""

    @property
    def tabs(self) -> tuple[str, ...]:
        """Tables to choose from; the last two tell of the run and are its log."""
        return LEARNT_TABS if self.learns else TABS

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
    def board(self) -> Live | Replay:
        """What the small board shows: recorded games also where the champion cannot play."""
        return self.replay if self.recorded or (self.live.trouble and self.replay.count) else self.live

    def _choose(self, generation: int) -> None:
        self._chosen = min(max(generation, 0), max(self.newest, 0))

    def pick(self, generation: int) -> None:
        """Show a generation; the newest is stayed with."""
        self.moving = False
        self._choose(generation)
        if self._chosen == self.newest:
            self._chosen = None

    def show_tab(self, tab: int) -> None:
        """One of `tabs`."""
        self.tab = tab

    def show_fact(self, row: int) -> None:
        """One of the facts about the run."""
        self.about_row = row

    def show_curve(self, curve: int) -> None:
        """One of the curves of a network that learns."""
        self.curve = curve

    def _player(self, generation: int) -> str:
        """The champion of a generation, as players are named."""
        return individual(f"{Runs(self.app.services.runs).player_name(self.followed.path)}@{generation}")

    def _live_seat(self, generation: int) -> Seat:
        return Seat(self._player(generation), title=self.followed.generations.champions[generation])


def branched_from(path: Path) -> str:
    """Run and generation of which a run is a branch, in words; empty if of none, or if its record cannot be read."""
    from evolve.run.folder import Run
    from game.errors import InputError

    try:
        found = Run(path).check_format().get("branched_from", "")
    except (InputError, OSError):
        return ""
    run, _, generation = str(found).rpartition("@")
    return f"{run} at generation {generation}" if run else ""
