"""An opponent that evolves during a game: a session of its own, which gets some generations for each of your moves.

The session is an ordinary one (`evolve --pause-at`), in its own process and with its own run folder, so whatever works
with runs works with this one. The window only says to which generation it may continue.
"""

from __future__ import annotations

import contextlib
import math
import secrets
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evolve.config.search import MAX_GENERATIONS, Search
from evolve.run import status
from evolve.run.folder import Run
from evolve.run.runs import Runs, is_shipped
from evolve.run.status import ENDED, State
from game.errors import InputError, sentence
from gui.individuals import opponents
from gui.model.game import MOST_SEED, GameModel, seed_tags
from gui.model.seats import MOST_DEPTH, Seat, individual, with_person
from gui.sessions import launch
from gui.sessions.form import take_name

if TYPE_CHECKING:
    import argparse

    from game.search.interface import Limits
    from gui.runs.live_run import LiveRun
    from gui.sessions.launch import Launched
    from gui.storage.settings import Settings


PRESET = "living"
PACES = (2, 8, 32)
"""Generations for each move from which a person can choose; `FREE` is another choice."""
PACE = 8
FREE = 0
"""The pace at which the opponent evolves for as long as the person thinks."""
MOST_AHEAD = 64
"""Generations by which a session may be ahead at this pace, so that none goes on for long without a window."""

PACE_SETTING, BESIDE_SETTING = "evolving_pace", "evolving_beside"
"""Settings for the pace of the next game."""

LEFT = 2
"""Generations that are left for the time after a person's move, so that each move visibly changes the opponent.

So many are made before the first move, too: with the usual pace, the generations that are rated, which take longer, are
then made while the person thinks.
"""

PATIENCE_SECONDS = 1.25
"""The longest time that the opponent evolves before it answers; generations that are missing then come later.

With the search for its move, a person waits for at most a second and a half.
"""

REST_SECONDS = 120.0
"""Seconds without any input after which the opponent evolves no further."""

TRIES = 3
"""Number of sessions that may end by themselves, one after the other, before the opponent evolves no further."""


@dataclass(frozen=True)
class Pace:
    """The generations that the opponent gets for each move, and the time for them.

    Attributes:
        generations: for each move of the person, or `FREE`.
        beside: whether most of them are made while the person thinks.
    """

    generations: int = PACE
    beside: bool = True

    @classmethod
    def last(cls, store: Settings, generations: int | None = None) -> Pace:
        """Return the pace of the last game, with another number of generations if one is given."""
        known = store.get(PACE_SETTING, PACE, (*PACES, FREE)) if generations is None else generations
        return cls(known, store.get(BESIDE_SETTING, True))

    def keep(self, store: Settings) -> None:
        store.set(PACE_SETTING, self.generations)
        store.set(BESIDE_SETTING, self.beside)

    def ahead(self, owed: int, newest: int) -> int:
        """Return the generation to which the opponent may evolve while the person thinks, given that of the answer."""
        if self.generations == FREE:
            return max(owed, newest) + MOST_AHEAD
        if not self.beside:
            return owed
        return owed + self.generations - min(LEFT, self.generations // 2)


class EvolvingOpponent:
    """The session that evolves an opponent, and the champion with which it answers.

    `step` is called once a frame. Nothing here waits.

    Args:
        live: returns the run in a folder, which need not exist yet.
        new: arguments of ``evolve`` that begin the run.
        owed: the generation with which it answers or has answered the last move.

    Attributes:
        trouble: why it evolves no further, in one sentence; empty if it does. Its last champion plays on.
    """

    def __init__(
        self,
        live: Callable[[Path], LiveRun],
        path: Path,
        pace: Pace | None = None,
        new: Sequence[str] = (),
        owed: int = 0,
    ) -> None:
        self.run, self.pace, self.owed = live(path.absolute()), pace or Pace(), owed
        self.trouble = ""
        self._new = tuple(new)
        self._launched: Launched | None = None
        self._launched_at = 0.0
        self._ended = 0
        self._newest = -1
        self._allowed: int | None = None
        self._requested: int | None = None
        self._waits_since: float | None = None
        self._input_at = -math.inf
        self._first = ""
        self._search: tuple[int, Search] | None = None  # the first generation that it is known for, and the search
        self._owned = False  # whether a session started here has worked on the run

    def values(self) -> dict[str, Any]:
        """Return what a kept game saves, from which `of_values` makes the opponent again."""
        pace = self.pace
        return {"run": str(self.run.path), "first": self.first, "pace": pace.generations, "beside": pace.beside,
                "owed": self.owed}  # fmt: skip

    @classmethod
    def of_values(cls, values: Any, live: Callable[[Path], LiveRun]) -> EvolvingOpponent | None:
        """Return the opponent of a kept game; None if the values are not those of one."""
        try:
            run, first, pace, beside, owed = (values[name] for name in ("run", "first", "pace", "beside", "owed"))
        except (TypeError, KeyError):
            return None
        sound = isinstance(run, str) and isinstance(first, str) and isinstance(beside, bool)
        sound = sound and all(type(one) is int for one in (pace, owed))
        if not sound or pace not in (*PACES, FREE) or not 0 <= owed <= MAX_GENERATIONS:
            return None
        made = cls(live, _path_now(Path(run), first), Pace(pace, beside), owed=owed)
        return made if not first or made.first == first else None

    @property
    def first(self) -> str:
        """The checksum of generation 0, which tells runs of the same name apart; empty before it is complete."""
        if not self._first and (self._owned or not self._new):
            self._first = _first(self.run.path)
        return self._first

    @property
    def newest(self) -> int:
        """The newest generation; -1 if there is none, or while the run in the folder may be that of another window."""
        return -1 if self._new and not self._owned else self.run.newest

    @property
    def evolves(self) -> bool:
        return self._runs and self.run.state in (State.STARTING, State.RUNNING)

    def on_input(self, now: float) -> None:
        self._input_at = max(self._input_at, now)

    def on_move(self, now: float) -> None:
        """Owe the generations for a move of the person, who now waits for an answer."""
        if self.newest > self.pace.ahead(self.owed, self.owed):  # another pace, or another session, was faster
            self.owed = self.newest
        self.owed += self.pace.generations
        self._waits_since = now

    def answering(self, now: float) -> int | None:
        """Return the generation that answers now; None while the opponent still evolves for this move."""
        if self.newest < 0:
            return None
        if self._waits_since is None:
            self._waits_since = now
        waits = self.newest < self.owed and not self.trouble and now < self._waits_since + PATIENCE_SECONDS
        return None if waits else self.newest

    def seat(self, runs: Path, generation: int) -> Seat:
        """Return the seat of the champion of a generation, which plays without a limit of time, and so repeatably."""
        player = individual(f"{Runs(runs).player_name(self.run.path)}@{generation}")
        limits = self._limits(runs, player, generation)
        depth = 1 if limits is None else min(limits.depth or MOST_DEPTH, MOST_DEPTH)
        return Seat(player, depth, title=f"Generation {generation:,} ({self.run.name})")

    def _limits(self, runs: Path, player: str, generation: int) -> Limits | None:
        """Return the limits of a generation. Reading them takes some milliseconds, and their rule does not change."""
        if self._search is None and generation >= self.owed:
            with contextlib.suppress(InputError, OSError):
                self._search = generation, Search.from_table(Run(self.run.path).tables(generation).get("search", {}))
        if self._search is None or generation < self._search[0]:
            return opponents.evolved_limits(runs, player)
        return self._search[1].played_limits(generation)

    @property
    def _runs(self) -> bool:
        return self._launched is not None and self._launched.running

    @property
    def _listens(self) -> bool:
        """True if the session that was started here has begun, so that it reads requests."""
        here = self.run.status
        if self._launched is None or here is None or here.state in ENDED or not self._runs:
            return False
        # On Windows a virtual environment starts Python through a process of its own, whose number is another one.
        return here.pid == self._launched.pid or (sys.platform == "win32" and here.heartbeat > self._launched_at)

    def allowed(self, now: float, *, to_answer: bool, shown: bool = True) -> int:
        rests = not shown or now >= self._input_at + REST_SECONDS
        if to_answer or rests:
            return max(self.owed, self.newest if self.pace.generations == FREE else 0)
        return self.pace.ahead(self.owed, self.newest)

    def step(self, now: float, *, to_answer: bool, shown: bool = True) -> bool:
        """Follow the session and let it continue; return whether anything changed."""
        if to_answer:
            self.run.look_now()
        changed = self.run.step(now)
        self._owned = self._owned or self._listens
        if self.newest > self._newest:
            self._newest, self._ended = self.newest, 0
        if self._requested is not None and self.newest > self._requested:  # somebody has resumed it without a limit
            self._requested = None
        self._allowed = self.allowed(now, to_answer=to_answer, shown=shown)
        if not self._runs and not self.trouble and self.newest < self._allowed:
            self._begin(self._allowed)
            return True
        self._tell()
        return changed

    def leave(self) -> None:
        self._allowed = self.owed
        self._tell()

    def _tell(self) -> None:
        if self._allowed is None or self._allowed == self._requested or not self._listens:
            return
        try:
            status.request_pause_at(self.run.path, self._allowed)
            self._requested = self._allowed
        except OSError:
            self._requested = None  # it is tried again; a disk that stays full ends the session itself

    def _begin(self, allowed: int) -> None:
        begun = self._owned or not self._new
        if self._launched is not None:
            self._ended += 1
            if self._ended >= TRIES:
                self._give_up(self._launched.trouble or "its session ended.")
                return
        which = (f"--resume={self.run.path}",) if begun else self._new
        common = (f"--generations={MAX_GENERATIONS}", f"--pause-at={allowed}", "--workers=1")
        try:
            self._launched_at = time.time()
            self._launched = launch.start((*which, *common), quiet=True)
            self._requested = allowed
        except OSError as error:
            self._give_up(f"{error.strerror}.")

    def _give_up(self, why: str) -> None:
        what = "evolves no further, and its last champion plays on" if self.newest >= 0 else "cannot evolve"
        self.trouble = f"The opponent {what}: {sentence(why)}"


def _first(path: Path) -> str:
    with contextlib.suppress(InputError, OSError):
        entries = Run(path).manifest().entries
        return entries[0].first if entries else ""
    return ""


def _path_now(path: Path, first: str) -> Path:
    """Return the folder of a run, which may have another name by now: the one with this checksum of generation 0."""
    if path.is_dir() or not first:
        return path
    with contextlib.suppress(OSError):
        return next((each for each in path.parent.iterdir() if _first(each) == first), path)
    return path


GENERATION = "Gen "
"""The beginning of the annotation of a move with its generation."""


def generation_note(generation: int) -> tuple[str, str]:
    """Return the annotation of a move with the generation that made it, as in `gui.model.lines.Ply`."""
    return "comment", f"{GENERATION}{generation}"


@dataclass(frozen=True)
class Beginning:
    """The choices of a person for a new game.

    Attributes:
        run: the run that evolves on; empty for a new one.
        preset: that of a new run; empty for `PRESET`.
        pace: generations for each move, or `FREE`; None for the last choice.
        seed: that of a new run; None for a random one.
        colour: the person's; empty for the last choice.
    """

    run: str = ""
    preset: str = ""
    pace: int | None = None
    seed: int | None = None
    colour: str = ""

    @classmethod
    def of_options(cls, options: argparse.Namespace) -> Beginning | None:
        """Return the choices of ``play --evolving``; None without this option.

        Raises:
            InputError: they contradict each other, there is no such run or preset, or it cannot evolve during a game.
        """
        if options.evolving is None:
            if (options.preset, options.pace, options.seed) != (None, None, None):
                raise InputError("--preset, --pace and --seed: only together with --evolving")
            return None
        given = ("player", "fen", "open")
        if any(getattr(options, name) is not None for name in given):
            raise InputError("--evolving: not together with PLAYER, --fen or --open")
        if options.evolving and (options.preset, options.seed) != (None, None):
            raise InputError("--evolving RUN: not together with --preset or --seed, the run keeps its own")
        pace = None if options.pace is None else FREE if options.pace == "free" else int(options.pace)
        made = cls(options.evolving, options.preset or "", pace, options.seed, options.colour or "")
        made.check(options.runs)
        return made

    def check(self, runs: Path) -> None:
        """Check that the run, or a new run of the preset, can evolve during a game.

        Raises:
            InputError: it cannot, and why.
        """
        from evolve.config.model import MAX_SEED
        from evolve.config.toml import load

        if self.run:
            run = Run.open(self.run, runs)
            if is_shipped(run.path):
                raise InputError(
                    f"--evolving: {run.name} came with the program, and stays as it is; choose another run"
                )
            kind, what = run.config().kind, f"the run {run.name}"
        else:
            if self.seed is not None and not 0 <= self.seed <= MAX_SEED:
                raise InputError(f"--seed: expected a whole number from 0 to {MAX_SEED}, got {self.seed}")
            config = load(self.preset or PRESET)
            kind, what = config.kind, f"the preset {config.preset}"
        if not kind.breeds or kind.work != "games":
            raise InputError(f"--evolving: {what} does not evolve by games; choose another one, such as {PRESET}")

    def game(
        self, runs: Path, live: Callable[[Path], LiveRun], store: Settings, colour: str
    ) -> tuple[EvolvingOpponent, GameModel]:
        """Return the opponent, and a game against it whose random choices derive from the seed.

        Args:
            live: returns the run in a folder.
            colour: the person's colour unless one was chosen.
        """
        pace, seed = Pace.last(store, self.pace), secrets.randbelow(MOST_SEED) if self.seed is None else self.seed
        if self.run:
            there = live(Runs(runs).path(self.run))
            there.read()
            opponent = EvolvingOpponent(live, there.path, pace, owed=max(there.newest, 0))
        else:
            preset = self.preset or PRESET
            name = take_name(runs, preset)
            new = (f"--preset={preset}", f"--name={name}", f"--runs={runs}", f"--seed={seed}")
            opponent = EvolvingOpponent(live, runs / name, pace, new, owed=LEFT)
        first = Seat(individual(opponent.run.name), title="Generation 0")
        seed = seed % MOST_SEED + 1
        return opponent, GameModel(with_person(first, self.colour or colour), seed=seed, tags=seed_tags(seed))
