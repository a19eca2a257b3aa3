"""External programs that choose moves, over the protocol of `docs/engine.md` and within time limits."""

from __future__ import annotations

import atexit
import os
import threading
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

from extras.external import protocol
from extras.external.process import SHOWN_ERRORS, Process, ProcessEnded
from extras.external.protocol import Info
from game import moves
from game.board import Position
from game.errors import Failure, FailureKind, InputError, one_line
from game.moves import Move
from game.rules import WCDF, DrawRules
from game.search.interface import Limits

START_SECONDS = 30.0
MOVE_SECONDS = 30.0
DEFAULT_LIMITS = Limits(seconds=1.0)

GREETING_SECONDS, GREETING_LINES = 5.0, 100
"""Limits, in seconds and lines, of waiting for a program to report what it supports."""

MAX_LINES, MAX_BYTES = 20_000, 4 << 20
"""Maximum number of lines and bytes that a program may write about one move; more is a flood."""


class ProgramFailure(Failure):
    """A program returned no move; the message says why."""


class LimitRefused(InputError):
    """A program reports that it does not support a limit given in the player's name."""


@dataclass(frozen=True)
class BestMove:
    """The move of a program, with the last information that it gave about its search."""

    move: Move
    info: Info


@dataclass(frozen=True)
class Contract:
    """A program, with the limits and timeouts of its moves.

    Attributes:
        start: seconds within which its first answer must come: ``readyok``, an ``info`` line or a move.
        timeout: seconds that a move may take in addition to those of `limits`.

    Raises:
        InputError: a time is not above 0.
    """

    command: str
    limits: Limits = DEFAULT_LIMITS
    start: float = START_SECONDS
    timeout: float = MOVE_SECONDS

    def __post_init__(self) -> None:
        for name, seconds in (("start", self.start), ("timeout", self.timeout)):
            if not 0 < seconds < 1e9:
                raise InputError(f"{name}: expected seconds above 0, got {seconds}")


class ExternalProgram:
    """An external program under a contract, started when it is first needed."""

    def __init__(self, contract: Contract) -> None:
        self.contract = contract
        self._process: Process | None = None
        self._begun = False  # it has answered since it was started
        self._next_game: str | None = None  # the line that will announce the next game
        self._asked: list[Position] = []  # the positions of the last request
        self._lock = threading.Lock()

    @property
    def supported(self) -> tuple[str, ...] | None:
        """The words after ``supports`` in the program's greeting; None if it has no such line."""
        return _supported.get(self.contract.command)

    @property
    def greeted(self) -> bool:
        """True if the program has had time to send its greeting."""
        return self.contract.command in _supported

    def begin_game(self, rules: DrawRules, seed: int) -> None:
        """Prepare for a game, which is announced to the program before its first move.

        The first time, start the program and wait a moment for its greeting, so that an unsupported limit is reported
        before any game.

        Raises:
            LimitRefused: the program reports that it does not support a limit of the contract.
        """
        with self._lock:
            self._next_game = protocol.newgame_line(rules, seed)
            try:
                if not self.greeted:
                    self._read_greeting()
                self._check_limits()
            except (ProcessEnded, OSError):
                self._end()
            except BaseException:
                self._end()
                raise
            _supported.setdefault(self.contract.command, None)

    def choose(self, position: Position, history: Sequence[Position] = (), rules: DrawRules = WCDF) -> BestMove:
        """Ask for a move in a position that has a legal one.

        If no game was announced, a position that does not continue the previous game begins a new one.

        Raises:
            ProgramFailure: the program gave no legal move, and was ended.
            LimitRefused: the program reports that it does not support a limit of the contract.
        """
        with self._lock:
            try:
                return self._ask(position, history, rules)
            except (ProcessEnded, ProgramFailure, OSError) as error:
                self._end()
                kind = error.kind if isinstance(error, Failure) else FailureKind.CRASH
                raise ProgramFailure(str(error), kind) from error
            except BaseException:
                self._end()
                raise

    def close(self) -> None:
        with self._lock:
            self._end()

    def forget(self) -> None:
        """Leave the program to the parent process, after a fork."""
        self._lock = threading.Lock()
        if self._process is not None:
            self._process.forget()
        self._process = None

    @property
    def pid(self) -> int | None:
        """The process id of the program; None if it does not run."""
        return None if self._process is None else self._process.pid

    def _end(self) -> None:
        if self._process is not None:
            self._process.close()
            self._process = None
            self._asked = []

    def _running(self) -> Process:
        if self._process is None:
            self._process = Process(self.contract.command)
            self._process.send("isready")
            self._begun = False
        return self._process

    def _read_greeting(self) -> None:
        """Read lines until the program reports what it supports, or that it is ready, within limits."""
        process = self._running()
        deadline = time.monotonic() + min(self.contract.start, GREETING_SECONDS)
        for _ in range(GREETING_LINES):
            left = deadline - time.monotonic()
            line = process.line(left) if left > 0 else None
            words = [] if line is None else line.split()
            if words[:1] == ["supports"]:
                _supported[self.contract.command] = tuple(words[1:])
            if words[:1] == ["readyok"]:
                self._begun = True
            if line is None or words[:1] in (["supports"], ["readyok"]):
                return

    def _check_limits(self) -> None:
        lacks = [] if self.supported is None else protocol.lacking(self.contract.limits, self.supported)
        if lacks:
            has = ", ".join(word for word in protocol.LIMITS.values() if word in (self.supported or ()))
            raise LimitRefused(
                f"external program {one_line(self.contract.command)[:SHOWN_ERRORS]!r}: it does not support "
                f"{' and '.join(lacks)}, {f'only {has}' if has else 'nor any other limit'}"
            )

    def _ask(self, position: Position, history: Sequence[Position], rules: DrawRules) -> BestMove:
        contract = self.contract
        allowed = contract.timeout + (contract.limits.seconds or 0.0)
        process = self._running()
        if self._begun:  # earlier lines are outdated; before the first answer they may be its greeting
            process.drain()
        game, before = [*history, position], self._asked
        if self._next_game is not None:
            process.send(self._next_game)
        elif not before or len(game) <= len(before) or game[: len(before)] != before:
            process.send(protocol.newgame_line(rules))
        self._next_game, self._asked = None, game
        process.send(protocol.position_line(position, history))
        process.send(protocol.go_line(contract.limits))
        deadline = time.monotonic() + (allowed if self._begun else contract.start)
        info, lines, size, error = Info(), 0, 0, ""
        while True:
            left = deadline - time.monotonic()
            line = process.line(left) if left > 0 else None
            if line is None:
                start = f"answer within {contract.start:g} s of its start"
                late = f"move within {allowed:g} s" if self._begun else start
                raise ProgramFailure(f"it gave no {late}{_last_error(error)}", FailureKind.TIMEOUT)
            lines, size = lines + 1, size + len(line)
            if lines > MAX_LINES or size > MAX_BYTES:
                flood = f"it wrote more than {MAX_LINES:,} lines or {MAX_BYTES:,} bytes about one move"
                raise ProgramFailure(flood, FailureKind.FLOOD)
            words = line.split()
            if words[:1] == ["supports"] and not self._begun:
                _supported[self.contract.command] = tuple(words[1:])
                self._check_limits()
            if words[:1] == ["error"]:
                error = line  # it may concern another line, so a move may still come
            if words[:1] == ["info"]:
                more = protocol.read_info(words[1:])
                info = replace(info, **{key: value for key, value in asdict(more).items() if value not in (None, ())})
            if not self._begun and (words[:1] in (["readyok"], ["bestmove"]) or info != Info()):
                self._begun = True
                deadline = time.monotonic() + allowed
            if words[:1] == ["bestmove"]:
                return BestMove(_move(position, words[1] if len(words) > 1 else ""), info)


def _last_error(line: str) -> str:
    """Return the last ``error`` line of a program for the message of a failure; empty if there was none."""
    text = one_line(line.partition("error")[2])[:SHOWN_ERRORS]
    return f"; its last error: {text}" if text else ""


def _move(position: Position, text: str) -> Move:
    try:
        return moves.parse_move(position, text)
    except InputError:
        answer = f"it answered {text[:40]!r}, which is no legal move of {position.fen()}"
        raise ProgramFailure(answer, FailureKind.ILLEGAL) from None


_programs: dict[Contract, ExternalProgram] = {}
_supported: dict[str, tuple[str, ...] | None] = {}  # by command; forked processes inherit it
_lock = threading.Lock()


def program(contract: Contract) -> ExternalProgram:
    """Return the program for a contract; each process has its own."""
    with _lock:
        if contract not in _programs:
            _programs[contract] = ExternalProgram(contract)
        return _programs[contract]


def close_all() -> None:
    """End all programs of this process; a program that is needed again is started again."""
    with _lock:
        running = list(_programs.values())
        _programs.clear()
    for external in running:
        external.close()


def _forget_all() -> None:
    global _lock  # noqa: PLW0603 (another thread may have held the old one)
    _lock = threading.Lock()
    for external in _programs.values():
        external.forget()
    _programs.clear()


atexit.register(close_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_all)
