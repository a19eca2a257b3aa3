"""An opponent that evolves during a game: a session of its own, which gets some generations for each of your moves.

The session is an ordinary one (`evolve --pause-at`), in its own process and with its own run folder, so whatever works
with runs works with this one. The window only says to which generation it may continue.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evolve.config.search import MAX_GENERATIONS
from evolve.run import status
from evolve.run.folder import Run
from evolve.run.runs import Runs, check_own
from evolve.run.status import State
from game.errors import InputError
from gui.individuals import opponents
from gui.model.seats import MOST_DEPTH, Seat, individual, title_of
from gui.sessions import launch
from gui.sessions.form import free_name

if TYPE_CHECKING:
    from evolve.config.model import RunKind
    from gui.runs.live_run import LiveRun
    from gui.sessions.launch import Launched

PRESET = "living"
PACES = (2, 8, 32)
"""Generations for each move from which a person can choose; `FREE` is another choice."""
PACE = 8
FREE = 0
"""The pace at which the opponent evolves for as long as the person thinks."""

LEFT = 2
"""Generations that are left for the time after a person's move, so that each move visibly changes the opponent."""

PATIENCE_SECONDS = 1.5
"""The longest time for which the opponent lets a person wait; generations that are missing then come later."""

REST_SECONDS = 120.0
"""Seconds without any input after which the opponent evolves no further."""

TRIES = 2
"""Number of times that a session that ended by itself is started again."""


@dataclass
class Pace:
    """How much the opponent evolves, and when.

    Attributes:
        generations: for each move of the person, or `FREE`.
        beside: whether most of them are made while the person thinks.
    """

    generations: int = PACE
    beside: bool = True

    def owed(self, moves: int) -> int:
        """Return the generation with which the opponent answers so many moves of the person; 0 if it is `FREE`."""
        return moves * self.generations

    def ahead(self, moves: int) -> int:
        """Return the generation to which it may evolve while the person thinks about the next move."""
        if not self.beside:
            return self.owed(moves)
        if self.generations == FREE:
            return MAX_GENERATIONS
        return self.owed(moves) + self.generations - min(LEFT, self.generations // 2)


class EvolvingOpponent:
    """The session that evolves an opponent, and the champion with which it answers.

    `step` is called once a frame. Nothing here waits.

    Args:
        run: the run, whose folder need not exist yet.
        new: arguments of ``evolve`` that begin the run.
        moves: number of the person's moves that the run has answered already.
        start: starts the program with arguments.

    Attributes:
        trouble: why it evolves no further, in one sentence; empty if it does. Its last champion plays on.
    """

    def __init__(
        self,
        run: LiveRun,
        pace: Pace | None = None,
        new: Sequence[str] = (),
        moves: int = 0,
        start: Callable[[Sequence[str]], Launched] | None = None,
    ) -> None:
        self.run, self.pace, self.moves = run, pace or Pace(), moves
        self.trouble = ""
        self.asked: int | None = None
        self._new, self._start = tuple(new), start or _start
        self._launched: Launched | None = None
        self._tries = 0
        self._waits_since: float | None = None
        self._input_at = -math.inf
        self._resting = False
        self._leaving = False

    # What a screen asks -------------------------------------------------------------------------------------------

    @property
    def newest(self) -> int:
        return self.run.newest

    @property
    def owed(self) -> int:
        """The generation with which it is to answer the last move."""
        return self.pace.owed(self.moves)

    @property
    def evolves(self) -> bool:
        """True while generations are being made."""
        return self._runs and self.run.state in (State.STARTING, State.RUNNING) and not self.trouble

    def on_input(self, now: float) -> None:
        self._input_at = max(self._input_at, now)

    def on_move(self, now: float) -> None:
        """Count a move of the person, whose answer it now owes."""
        self.moves += 1
        self._waits_since = now

    def answering(self, now: float) -> int | None:
        """Return the generation that answers now; None while the opponent still evolves for this move."""
        if self.newest < 0:
            return None
        if self._waits_since is None:
            self._waits_since = now
        ready = self.newest >= self.owed or bool(self.trouble)
        if not ready and now < self._waits_since + PATIENCE_SECONDS:
            return None
        return self.newest

    def answered(self) -> None:
        self._waits_since = None

    def leave(self) -> None:
        """Let the session make what it owes, and pause."""
        self._leaving = True
        self._send()

    def come_back(self, now: float) -> None:
        self._leaving, self._resting = False, False
        self._input_at = now

    def seat(self, runs: Path, generation: int) -> Seat:
        """Return the seat of the champion of a generation, which plays without a limit of time, and so repeatably."""
        player = individual(f"{Runs(runs).player_name(self.run.path)}@{generation}")
        limits = opponents.evolved_limits(runs, player)
        depth = 1 if limits is None else min(limits.depth or MOST_DEPTH, MOST_DEPTH)
        return Seat(player, depth, title=title_of("", self.run.name, generation, 1))

    def values(self) -> dict[str, Any]:
        """Return what a kept game saves, from which `of_values` makes the opponent again."""
        return {
            "run": str(self.run.path), "pace": self.pace.generations, "beside": self.pace.beside, "moves": self.moves,
        }  # fmt: skip

    @classmethod
    def begin(
        cls, runs: Path, live: Callable[[Path], LiveRun], pace: Pace, run: str = "", preset: str = "", seed: int = 0
    ) -> EvolvingOpponent:
        """Return an opponent that begins a new run of a preset, or with which a run evolves on.

        Args:
            live: returns the run in a folder.
        """
        if run:
            return cls(live(Runs(runs).path(run)), pace)
        preset = preset or PRESET
        name = free_name(runs, preset)
        new = (f"--preset={preset}", f"--name={name}", f"--runs={runs}", f"--seed={seed}")
        return cls(live(runs / name), pace, new)

    @classmethod
    def of_values(cls, values: Any, live: Callable[[Path], LiveRun]) -> EvolvingOpponent | None:
        """Return the opponent of a kept game; None if the values are not those of one."""
        try:
            run, pace, beside, moves = (values[name] for name in ("run", "pace", "beside", "moves"))
        except (TypeError, KeyError):
            return None
        sound = isinstance(run, str) and isinstance(beside, bool) and all(type(one) is int for one in (pace, moves))
        if not sound or pace not in (*PACES, FREE) or not 0 <= moves <= MAX_GENERATIONS // max(PACES):
            return None
        return cls(live(Path(run)), Pace(pace, beside), moves=moves)

    # The session --------------------------------------------------------------------------------------------------

    @property
    def _runs(self) -> bool:
        return self._launched is not None and self._launched.running

    @property
    def _listens(self) -> bool:
        """True if the session that was started here has begun, so that it reads requests."""
        here = self.run.status
        return (
            self._runs and self._launched is not None and here is not None and here.pid == self._launched.pid
            and here.state not in status.ENDED
        )  # fmt: skip

    def allowed(self, now: float, *, to_answer: bool, shown: bool = True) -> int:
        """Return the generation to which the session may continue now.

        Args:
            to_answer: whether the opponent is to move.
            shown: whether the window is visible.
        """
        rests = self._leaving or not shown or now >= self._input_at + REST_SECONDS
        if to_answer or rests:
            return max(self.owed, self.newest if self.pace.generations == FREE else 0)
        return self.pace.ahead(self.moves)

    def step(self, now: float, *, to_answer: bool, shown: bool = True) -> bool:
        """Follow the session and let it continue; return whether anything changed."""
        if to_answer:
            self.run.look_now()
        changed = self.run.step(now)
        allowed = self.allowed(now, to_answer=to_answer, shown=shown)
        if not self._runs and not self.trouble and self.newest < allowed:
            changed = self._begin(allowed) or changed
        if allowed != self.asked:
            self.asked = allowed
            self._sent = False
        if not self._sent:
            self._send()
        return changed

    _sent = False

    def _send(self) -> None:
        if self.asked is None or not self._listens:
            return
        if self._leaving:
            self.asked = self.owed
        try:
            status.request_pause_at(self.run.path, self.asked)
            self._sent = True
        except OSError as error:
            self.trouble = f"The opponent evolves no further: {error.strerror}."

    def _begin(self, allowed: int) -> bool:
        """Start the session, or say why it cannot be."""
        if self._launched is not None:
            self._tries += 1
            if self._tries >= TRIES:
                why = self._launched.trouble or "its session ended."
                self.trouble = f"The opponent evolves no further: {why}"
                return True
        begun = (self.run.path / "config.toml").is_file()
        which = ("--resume", str(self.run.path)) if begun else self._new
        common = (f"--generations={MAX_GENERATIONS}", f"--pause-at={allowed}", "--workers=1")
        try:
            self._launched = self._start((*which, *common))
        except OSError as error:
            self.trouble = f"The opponent evolves no further: {error.strerror}."
        return True


def _start(arguments: Sequence[str]) -> Launched:
    return launch.start(arguments, quiet=True)


def check_preset(preset: str | None, seed: int | None) -> None:
    """Check that an opponent can evolve during a game.

    Raises:
        InputError: there is no such preset, its generations are not bred from games, or the seed is out of range.
    """
    from evolve.config.toml import load

    instead = {} if seed is None else {"seed": seed}
    config = load(preset or PRESET, None, [], instead)
    check_kind(config.kind, f"the preset {config.preset}")


def check_run(runs: Path, name: str) -> None:
    """Check that a run can evolve on during a game.

    Raises:
        InputError: there is no such run, it came with the program, or its generations are not bred from games.
    """
    run = Run.open(name, runs)
    check_own(run.path, run.verb)
    config = run.config()
    check_kind(config.kind, f"the run {run.name}")


def check_kind(kind: RunKind, what: str) -> None:
    if not kind.breeds or kind.work != "games":
        raise InputError(f"--evolving: {what} does not evolve by games; choose another one, such as {PRESET}")
