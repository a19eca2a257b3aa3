"""A run that may be growing, as the window follows it; all screens share one object per run folder.

Only `LiveRun.ask`, which writes a request, and the writer of notes change the folder. A few small files are checked
several times a second; only new lines are read from the log, hall of fame and games.
"""

from __future__ import annotations

import contextlib
import math
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from evolve.config.search import MAX_GENERATIONS
from evolve.run import manifest, status
from evolve.run.append_only import CHAMPIONS, HALL_OF_FAME, LOG, News
from evolve.run.champions import ChampionGames, HallOfFameFile
from evolve.run.files import CONFIG, SWEEP, Stamp, signature
from evolve.run.log import Log
from evolve.run.status import CONTROL, ENDED, GOING, QUIET_SECONDS, Request, is_locked
from evolve.strength.verdict import RunVerdict
from game.errors import capital
from gui.model.seats import title_in_game

if TYPE_CHECKING:
    from evolve.config.model import RunKind
    from evolve.run.notes import RunNote
    from evolve.run.status import Status

LOOK_SECONDS = 0.25
LOCK_SECONDS = 1.0
RECENT = 10
"""Number of generations over which the duration of a generation is averaged."""

_STEP = re.compile(r"(\d+) of (\d+)$")
"""The end of a phase of a session."""

T = TypeVar("T")


class LiveRun:
    """A run that may be growing.

    `step` looks at everything that changes while a session works. `read` reads only log, hall of fame and games, for
    screens that do not need the session. Both return whether anything has changed, limit their own rate, and may be
    called by several screens.
    Lists of many runs call `refresh` and `read_config`, which read only the contents of such lists.

    Args:
        clock: returns seconds since 1970.

    Attributes:
        state: an `evolve.run.status.State`, or empty while nothing is known.
        complete: the newest generation of the manifest, as of the last `refresh`; -1 if there is none.
        changed: time of the last change of the manifest, or else of the folder, in nanoseconds.
        about: tags and note, and whether the run is archived; None if there are none, or they cannot be read.
        hall: the genomes of its champions.
        preset, seed: empty until `read_config` has read them, and if they cannot be read.
    """

    def __init__(self, path: Path, clock: Callable[[], float] = time.time, player_name: str = "") -> None:
        self.path, self.player_name = path, player_name
        self.status: Status | None = None
        self.state = ""
        self.requests: tuple[str, ...] = ()
        self.busy = False
        self._clock = clock
        self.complete, self.changed, self.damage = -1, 0, ""
        self.entries: tuple[manifest.GenerationEntry, ...] = ()
        self.about: RunNote | None = None
        self.preset = self.seed = ""
        self._counting = False
        self._log, self.hall, self._games = Log(path), HallOfFameFile(path), ChampionGames(path)
        self._newest_file, self._status_file = Stamp(path / manifest.NAME), Stamp(path / status.NAME)
        self._manifest_file = Stamp(path / manifest.NAME, path / manifest.EARLIER)
        self._folder, self._config_file = Stamp(path), Stamp(path / CONFIG)
        self._about_file: Stamp | None = None
        self._look_at = self._lock_at = -math.inf
        self._held = False
        self._heard = self._read_at = -math.inf
        self._logged: float = math.inf
        self._short = ""
        self._kept: dict[str, Any] = {}
        self._forget()

    def _forget(self) -> None:
        """Forget the configuration, since the folder may now contain another run."""
        self._kind: RunKind | None = None
        self._record: dict[str, Any] | None = None
        self._ratings: tuple[int, int] | None = None

    def step(self, now: float) -> bool:
        """Check the folder, at most a few times a second; return whether anything has changed."""
        more = self.busy and self.read()
        if now < self._look_at:
            return more
        self._look_at = now + LOOK_SECONDS
        before = self._session(now)
        self._read_status(now)
        self.requests = self._waiting_requests()
        changed = self.read() or more
        return changed or self._session(now) != before

    def read(self) -> bool:
        log, hall, games = self.read_log(), self.hall.step(), self._games.step()
        self.busy = log.more or hall.more or games.more
        if hall.anew:
            self._forget()
        if hall.anew or hall.lines:
            self._kept.clear()
        self._short = self._shortage()
        return any(news.anew or news.lines for news in (log, hall, games))

    def _shortage(self) -> str:
        """Return which growing file lacks complete generations, in one sentence; empty if none does."""
        lengths = (LOG, len(self._log)), (HALL_OF_FAME, len(self.hall))
        name, length = next(((name, length) for name, length in lengths if 0 < length <= self._logged), ("", 0))
        if not name or self.busy or self._logged == math.inf or self._newest_file.stale:
            return ""  # what the manifest says now may be different, since a session may have gone back
        return f"{name}: damaged, it ends at generation {length - 1:,}."

    def read_log(self) -> News:
        if self._newest_file.refresh():
            try:
                newest = manifest.last_number(self.path)
            except FileNotFoundError:
                newest = -1
            self._logged = math.inf if newest is None else newest  # the log alone counts if the manifest is damaged
        # A kill between the two writes leaves a log line for a generation that resuming discards.
        log = self._log.step(self._logged)
        if log.anew:
            self._forget()
        if log.anew or log.lines:
            self._kept.clear()
        return log

    def refresh(self, now: float) -> None:
        """Read manifest, tags, note and state, unless their files are unchanged."""
        from evolve.run.folder import Run
        from game.errors import InputError

        if self._manifest_file.refresh() or (self.damage and self._folder.refresh()):
            self.complete, self.entries, self.damage = -1, (), ""
            try:
                known = Run(self.path).manifest()
                self.complete, self.damage = known.newest, f"{manifest.NAME}: {known.damage}" if known.damage else ""
                self.entries = known.entries
            except (InputError, OSError) as error:
                self.damage = str(error)
            written = signature(self.path / manifest.NAME) or signature(self.path)
            self.changed = written.changed if written else 0
        self._read_about()
        self._read_status(now, often=False)

    def _read_about(self) -> None:
        from evolve.run import notes
        from evolve.run.folder import Run

        if self._about_file is None:
            self._about_file = Stamp(notes.notes_folder(self.path) / notes.NAME)
        if self._about_file.refresh():
            self.about = None
            with contextlib.suppress(notes.NotesError):  # screens that display notes report it
                self.about = notes.read_of_run(Run(self.path))

    def read_config(self) -> bool:
        if not self._config_file.refresh():
            return False
        from evolve.run.folder import Run
        from game.errors import InputError

        tables: dict[str, Any] = {}
        with contextlib.suppress(InputError, OSError):  # the page of the run reports errors
            tables = Run(self.path).tables()
            self._counting = Run(self.path).counts_pieces()
        self.preset, self.seed = (str(tables.get(name, "")) for name in ("preset", "seed"))
        return True

    def look_now(self) -> None:
        self._look_at = self._lock_at = -math.inf

    def _session(self, now: float) -> tuple[object, ...]:
        return self.status, self.state, self.requests, self.silence(now)

    def _read_status(self, now: float, *, often: bool = True) -> None:
        """Read the state of the session.

        Args:
            often: whether to look, once a session has ended, for a new one that has not reported yet; looking briefly
                takes the lock.
        """
        changed, before = self._status_file.refresh(), self._read_at
        self._read_at = now
        if changed:
            latest = status.read(self.path)
            if latest is not None:
                # If the clock was set back, the file's age means nothing, and the lock decides.
                age = self._clock() - latest.heartbeat
                self._heard = now - (abs(age) if now - before > QUIET_SECONDS else 0.0)
            self.status = latest
        elif not often and self.status is not None and not self.going:
            return
        if self.status is not None and not self._is_quiet(now) and self.status.state not in ENDED:
            self._held = True
        self.state = status.judge(self.status, quiet=self._is_quiet(now), held=lambda: self._is_held(now))

    def _is_held(self, now: float) -> bool:
        """Return whether a process holds the run; checked once a second, as this briefly takes the lock."""
        if now >= self._lock_at:
            self._lock_at = now + LOCK_SECONDS
            self._held = is_locked(self.path)
        return self._held

    def _is_quiet(self, now: float) -> bool:
        return now - self._heard > QUIET_SECONDS

    def silence(self, now: float) -> int:
        """Return the seconds since the last heartbeat if a heartbeat is overdue, else 0."""
        return int(min(max(now - self._heard, 0), 1e9)) if self._is_quiet(now) else 0

    def _waiting_requests(self) -> tuple[str, ...]:
        if not self.going:
            return ()
        return tuple(request.value for request in Request if (self.path / CONTROL / request.value).exists())

    @property
    def going(self) -> bool:
        return self.state in GOING

    def ask(self, request: Request) -> str:
        """Send a request to the session; return an error message, or an empty string."""
        try:
            status.request(self.path, request)
        except OSError as error:
            return f"The request cannot be written: {error.strerror}."
        self._look_at = -math.inf
        return ""

    @property
    def name(self) -> str:
        return self.path.name

    @property
    def title(self) -> str:
        """The names of its sweep, if any, and of the run; within a sweep, run names only say how the runs differ."""
        in_sweep = (self.path.parent / SWEEP).is_file()
        return f"{self.path.parent.name}/{self.name}" if in_sweep else self.name

    @property
    def branched_from(self) -> str:
        """The run and generation it branches from; empty if it is no branch, or its origin cannot be read."""
        run, _, generation = str(self._recorded.get("branched_from", "")).rpartition("@")
        return f"{run} at generation {generation}" if run else ""

    @property
    def of_own_loop(self) -> bool:
        """True if a user's own loop made the run (`crownhead.Arena.record`), so that no session can continue it."""
        from evolve.run.folder import LOOP

        return LOOP in self._recorded

    @property
    def _recorded(self) -> dict[str, Any]:
        """The record of the run; empty while there is no run, and if it cannot be read."""
        if self._record is None and (self.newest >= 0 or self.state):
            self._record = _read_record(self.path)
        return self._record or {}

    @property
    def trouble(self) -> str:
        """The first fault in its files, in one sentence; empty if there is none."""
        return next(filter(None, (self._log.trouble, self.hall.trouble, self._short, self._games.trouble)), "")

    @property
    def champions(self) -> list[str]:
        return self._log.champions

    def title_in_game(self, name: str, event: str) -> str:
        return title_in_game(name, event, self.name, self.champions)

    @property
    def newest(self) -> int:
        """The newest complete generation; -1 if there is none."""
        return len(self.champions) - 1

    @property
    def last(self) -> int:
        """The generation at which the run is to end; -1 if it is unknown, ends at a time, or if the run has no end."""
        status = self.status
        endless = status is None or status.left is not None or status.generations >= MAX_GENERATIONS
        return -1 if status is None or endless else status.generations

    def has_champion(self, generation: int) -> bool:
        """Return whether a champion can play: its weights are in the hall of fame, or have not been read yet."""
        return generation >= len(self.hall) or self.hall.has_weights(generation)

    def column(self, name: str) -> list[float]:
        return self._log.column(name)

    def interval(self, name: str) -> tuple[list[float], list[float], list[float]] | None:
        """Return a column of the log and both ends of its 95 % interval; None if the log does not have them.

        Unknown values are NaN. Values without a bound, as after games that were all won, are infinite.
        """
        columns = [self.column(column) for column in (name, f"{name}_low", f"{name}_high")]
        if any(not column for column in columns) or all(map(math.isnan, columns[0])):
            return None
        value, low, high = columns
        return value, low, high

    def rating(self, generation: int) -> tuple[float, float, float] | None:
        return self._log.rating(generation)

    @property
    def verdict(self) -> RunVerdict | None:
        """The verdict on the run after its newest rating; None if there is no rating."""
        return self.kept("verdict", lambda: RunVerdict.last(self.column, counting=self._counting))

    def verdict_at(self, generation: int) -> str:
        """Return in a sentence what the champion of a generation or an earlier one beat; empty if nothing is known."""
        verdict = RunVerdict.last(lambda name: self.column(name)[: generation + 1], counting=self._counting)
        if verdict is None or not verdict.opponent or not 0 <= generation <= self.newest:
            return ""
        if verdict.by in (-1, generation):
            return f"{capital(verdict.short)}."
        return f"Generation {verdict.by:,} beat {verdict.opponent}."

    def kept(self, name: str, make: Callable[[], T]) -> T:
        """Return a value that `make` computes from log and hall of fame, cached under a name until they grow."""
        if name not in self._kept:
            self._kept[name] = make()
        made: T = self._kept[name]
        return made

    @property
    def kind(self) -> RunKind:
        """The kind of the run; taken to be an evolution if its configuration cannot be read."""
        from evolve.config.model import kind_of
        from evolve.run.folder import Run

        self._kind = self._kind or Run(self.path).kind
        return self._kind or kind_of({})

    @property
    def rating_plan(self) -> tuple[int, int]:
        """The number of generations from one rating to the next, and the games of a rating; zeros if unknown."""
        if self._ratings is None and self.newest >= 0:
            self._ratings = _read_rating_plan(self.path)
        return self._ratings or (0, 0)

    @property
    def work(self) -> int:
        """The amount of work so far, as counted by `RunKind.work`."""
        logged = int(sum(self.column(self.kind.work)))
        if self.status is None or not self.going or self.kind.work != "games":
            return logged
        return max(self.status.games, logged)  # games are also counted during a generation

    @property
    def seconds(self) -> float:
        return sum(self.column("seconds"))

    @property
    def work_a_second(self) -> float | None:
        """Work per second in the last ten generations; None if unknown."""
        if self.state == "paused":
            return 0.0
        work, seconds = (sum(self.column(name)[-RECENT:]) for name in (self.kind.work, "seconds"))
        return work / seconds if seconds > 0 else None

    @property
    def seconds_left(self) -> float | None:
        """The remaining seconds: until its time is over or, without a time, until the last generation.

        The latter is estimated from the last ten, and only without a time, since a session with one plans as many
        generations as fill it, and later ones may search deeper. None if unknown, or if no session runs.
        """
        recent, status = self.column("seconds")[-RECENT:], self.status
        if status is None or not self.going:
            return None
        if status.left is None and recent and status.generations < MAX_GENERATIONS:
            return max(status.generations - self.newest, 0) * sum(recent) / len(recent)
        return status.left

    @property
    def share(self) -> float | None:
        """The share that a session has done, from 0 to 1: of what it compiles, of its generations, or of its time."""
        if not self.going:
            return None
        if self.status is not None and (step := _STEP.search(self.status.phase)):
            return (int(step[1]) - 1) / max(int(step[2]), 1)
        if self.last >= 0:
            return max(self.newest, 0) / max(self.last, 1)
        left = self.seconds_left
        return self.seconds / max(self.seconds + left, 1e-9) if left is not None else 0.0 if self.newest < 0 else None

    def span_of(self, generation: int) -> tuple[int, int, int]:
        """Return the generation and the range of its champion's games in the file; zeros if there are none."""
        return generation, *self._games.span_of(generation)

    def games_of(self, generation: int) -> str:
        return self._games.games_of(generation)


def _read_record(path: Path) -> dict[str, Any]:
    from evolve.run.folder import Run
    from game.errors import InputError

    try:
        return Run(path).check_format()
    except (InputError, OSError):
        return {}


def _read_rating_plan(path: Path) -> tuple[int, int]:
    from evolve.config.anchors import parse_session_anchors
    from evolve.run.folder import Run
    from game.errors import InputError

    try:
        values = Run(path).tables()["rating"]
        return int(values["every"]), int(values["games"]) * len(parse_session_anchors(values["anchors"]))
    except (InputError, OSError, KeyError, TypeError, ValueError):
        return 0, 0


def titles_of(games: Path) -> Callable[[str, str], str]:
    """Return a function that names the players of a file of games, by name and event, as the run beside it does."""
    if games.name != CHAMPIONS or not (games.parent / LOG).is_file():
        return lambda name, event: name
    log = Log(games.parent)
    while log.step().more:
        pass
    run = games.absolute().parent.name
    return lambda name, event: title_in_game(name, event, run, log.champions)
