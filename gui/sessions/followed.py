"""A session, read from its run folder again and again while it goes on. No pygame, no compiled code.

Nothing here changes the folder but `ask`, which drops a request. A few small files are looked at each time; the log,
the hall of fame and the champions' games are read only as far as they have grown.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from evolve.run.append_only import Tail
from evolve.run.files import Stamp
from evolve.run.status import GOING, QUIET_SECONDS
from gui.sessions.generations import Generations
from gui.sessions.words import Shown, describe_session

if TYPE_CHECKING:
    from evolve.run.status import Request, Status

LOOK_SECONDS = 0.25
LOCK_SECONDS = 1.0
LOG_BYTES, LOG_LINES = 1 << 15, 200
RECENT = 10
"""Generations over which the time of a generation is averaged."""


class Followed:
    """One run.

    Args:
        path: its folder.
        clock: gives seconds since 1970.

    Attributes:
        generations: log, champions and their games.
        said: what the session said of itself last; None if it never did.
        state: a `evolve.run.status.RunState`, or empty while nothing is known.
        requests: names of what was asked of the session and not taken yet.
        lines: the last lines of its log.
        trouble: what cannot be read, in one sentence; empty if all can.
    """

    def __init__(self, path: Path, clock: Callable[[], float] = time.time) -> None:
        self.path = path
        self.generations = Generations(path)
        self.said: Status | None = None
        self.state = ""
        self.requests: tuple[str, ...] = ()
        self.lines: deque[str] = deque(maxlen=LOG_LINES)
        self._clock = clock
        self._log = Tail(path / "session.log", LOG_BYTES)
        self._look_at = self._lock_at = -math.inf
        self._held = False
        self._status_file = Stamp(path / "status.json")
        self._heard = -math.inf
        self._rates: deque[tuple[float, int]] = deque(maxlen=12)

    @property
    def name(self) -> str:
        """The name of the run."""
        return self.path.name

    @property
    def trouble(self) -> str:
        """What cannot be read, in one sentence; empty if all can."""
        return self.generations.trouble or self._log.trouble

    # Looking ------------------------------------------------------------------------------------------------------

    def step(self, now: float) -> bool:
        """Look what is new, a few times a second at most; returns whether anything is."""
        more = self.generations.busy and self.generations.step()
        if now < self._look_at:
            return more
        self._look_at = now + LOOK_SECONDS
        before = (self.said, self.state, self.requests, self._quiet_for(now) if self._is_quiet(now) else 0)
        self._status(now)
        self.requests = self._asked()
        changed = self.generations.step() or more
        news = self._log.read()
        if news.anew:
            self.lines.clear()
        self.lines.extend(line.decode("utf-8", "replace").rstrip() for _, line in news.lines)
        after = (self.said, self.state, self.requests, self._quiet_for(now) if self._is_quiet(now) else 0)
        return changed or news.anew or bool(news.lines) or after != before

    def _status(self, now: float) -> None:
        from evolve.run import status
        from evolve.run.status import ENDED, State

        if self._status_file.refresh():
            found = status.read(self.path)
            first = self.said is None
            # The clock may have been set back: then the file's age means nothing, and the lock decides.
            if found is not None:
                age = self._clock() - found.heartbeat
                self._heard = now - (abs(age) if first else 0.0)
                if found.state == State.PAUSED:
                    self._rates.clear()
                self._rates.append((found.heartbeat, found.games))
            self.said = found
        if self.said is not None and not self._is_quiet(now) and self.said.state not in ENDED:
            self._held = True
        self.state = status.judge(self.said, quiet=self._is_quiet(now), held=lambda: self._being_held(now))
        if not self.going:
            self._rates.clear()

    def _being_held(self, now: float) -> bool:
        """Whether some process has the run; asked once a second, since to ask is to take the lock for a moment."""
        if now >= self._lock_at:
            from evolve.run.status import is_locked

            self._lock_at = now + LOCK_SECONDS
            self._held = is_locked(self.path)
        return self._held

    def _is_quiet(self, now: float) -> bool:
        return now - self._heard > QUIET_SECONDS

    def _quiet_for(self, now: float) -> int:
        return int(min(max(now - self._heard, 0), 1e9))

    def _asked(self) -> tuple[str, ...]:
        from evolve.run.status import CONTROL, Request

        if not self.going:
            return ()
        return tuple(what.value for what in Request if (self.path / CONTROL / what.value).exists())

    # What it does -------------------------------------------------------------------------------------------------

    @property
    def going(self) -> bool:
        """Whether a session works on the run now."""
        return self.state in GOING

    def describe(self, now: float) -> Shown:
        """Its state for people."""
        return describe_session(self, self._quiet_for(now) if self._is_quiet(now) else 0)

    def ask(self, what: Request) -> str:
        """Ask the session for something; what went wrong, in one sentence, or an empty text."""
        from evolve.run import status

        try:
            status.request(self.path, what)
        except OSError as error:
            return f"The session cannot be asked: {error.strerror}."
        self._look_at = -math.inf
        return ""

    def look_now(self) -> None:
        """Look again at once."""
        self._look_at = self._lock_at = -math.inf

    # Numbers ------------------------------------------------------------------------------------------------------

    @property
    def last(self) -> int:
        """Number of the last generation to come; -1 if that is not known."""
        return -1 if self.said is None else self.said.generations

    @property
    def games(self) -> int:
        """Games of the whole run so far."""
        logged = int(sum(self.generations.column("games")))
        return max(self.said.games, logged) if self.said is not None and self.going else logged

    @property
    def samples(self) -> int:
        """Positions that a network has learnt from so far, in complete generations."""
        return int(sum(self.generations.column("samples")))

    @property
    def samples_a_second(self) -> float | None:
        """Over the last ten generations; None if unknown."""
        samples, seconds = (sum(self.generations.column(name)[-RECENT:]) for name in ("samples", "seconds"))
        return 0.0 if self.state == "paused" else samples / seconds if seconds > 0 else None

    @property
    def seconds(self) -> float:
        """Seconds that its complete generations took."""
        return sum(self.generations.column("seconds"))

    @property
    def games_a_second(self) -> float | None:
        """Over the last ten generations, before the first over the last heartbeats; None if unknown."""
        if self.state == "paused":
            return 0.0
        games, seconds = (sum(self.generations.column(name)[-RECENT:]) for name in ("games", "seconds"))
        if seconds > 0:
            return games / seconds
        if self.going and len(self._rates) > 1:
            (start, before), (end, after) = self._rates[0], self._rates[-1]
            if end - start > 1.0 and after >= before:
                return (after - before) / (end - start)
        return None

    @property
    def seconds_left(self) -> float | None:
        """By the mean of the last ten generations; None if unknown, or if no session runs."""
        recent = self.generations.column("seconds")[-RECENT:]
        if not recent or not self.going or self.last < 0:
            return None
        return max(self.last - self.generations.newest, 0) * sum(recent) / len(recent)
