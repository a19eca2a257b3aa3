"""External programs that choose moves, asked over the protocol of `docs/engine.md` and held to time limits.

A program that crashes, hangs, floods or answers nonsense is ended with everything it has started, and the failure is
raised; it is started again when it is next asked for a move.
"""

from __future__ import annotations

import atexit
import os
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass

from game import moves
from game.board import Position
from game.errors import Failure, FailureKind, InputError, one_line
from game.external import protocol
from game.external.process import SHOWN_ERRORS, Process, ProcessEnded
from game.external.protocol import Info
from game.moves import Move
from game.search.limits import Limits

START_SECONDS = 30.0
MOVE_SECONDS = 30.0
DEFAULT_LIMITS = Limits(seconds=1.0)

MAX_LINES, MAX_BYTES = 20_000, 4 << 20
"""Most that a program may write about one move; more is a flood."""


class ProgramFailure(Failure):
    """A program gave no move; the message says why."""


@dataclass(frozen=True)
class BestMove:
    """A move, and the last information about it."""

    move: Move
    info: Info


@dataclass(frozen=True)
class Contract:
    """Which program is run, and what it is asked for.

    Attributes:
        command: a command line as for a shell.
        limits: limits of each move.
        start: seconds for its first answer: ``readyok``, an ``info`` line or a move.
        timeout: seconds that a move may take beyond those of `limits`.

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
    """An external program under a contract; it is started when it is first asked for a move."""

    def __init__(self, contract: Contract) -> None:
        self.contract = contract
        self._process: Process | None = None
        self._begun = False  # it has answered since its start
        self._lock = threading.Lock()

    def choose(self, position: Position, history: Sequence[Position] = ()) -> BestMove:
        """Ask for a move in a position that has a legal one.

        Raises:
            ProgramFailure: the program gave no legal move, and was ended.
        """
        with self._lock:
            try:
                return self._ask(position, history)
            except (ProcessEnded, ProgramFailure, OSError) as error:
                self._end()
                kind = error.kind if isinstance(error, Failure) else FailureKind.CRASH
                raise ProgramFailure(str(error), kind) from error
            except BaseException:
                self._end()
                raise

    def close(self) -> None:
        """End the program."""
        with self._lock:
            self._end()

    def forget(self) -> None:
        """In a forked process: leave the program to its parent."""
        self._lock = threading.Lock()
        if self._process is not None:
            self._process.forget()
        self._process = None

    @property
    def pid(self) -> int | None:
        """Process id of the program or its guard, None if it does not run."""
        return None if self._process is None else self._process.pid

    def _end(self) -> None:
        if self._process is not None:
            self._process.close()
            self._process = None

    def _ask(self, position: Position, history: Sequence[Position]) -> BestMove:
        contract = self.contract
        allowed = contract.timeout + (contract.limits.seconds or 0.0)
        if self._process is None:
            self._process = Process(contract.command)
            self._begun = False
            self._process.send("isready")
        process = self._process
        process.drain()
        process.send(protocol.position_line(position, history))
        process.send(protocol.go_line(contract.limits))
        deadline = time.monotonic() + (allowed if self._begun else contract.start)
        info, lines, size, error = Info(), 0, 0, ""
        while True:
            left = deadline - time.monotonic()
            line = process.line(left) if left > 0 else None
            if line is None:
                told = (
                    f"it gave no move within {allowed:g} s"
                    if self._begun
                    else f"it gave no answer within {contract.start:g} s of its start"
                )
                raise ProgramFailure(told + _last_error(error), FailureKind.TIMEOUT)
            lines, size = lines + 1, size + len(line)
            if lines > MAX_LINES or size > MAX_BYTES:
                told = f"it wrote more than {MAX_LINES:,} lines or {MAX_BYTES:,} bytes about one move"
                raise ProgramFailure(told, FailureKind.FLOOD)
            words = line.split()
            if words[:1] == ["error"]:
                error = line  # it may be about any line, so a move may still come
            if words[:1] == ["info"]:
                info = _merge_info(info, protocol.read_info(words[1:]))
            if not self._begun and (words[:1] in (["readyok"], ["bestmove"]) or info != Info()):
                self._begun = True
                deadline = time.monotonic() + allowed
            if words[:1] == ["bestmove"]:
                return BestMove(_move(position, words[1] if len(words) > 1 else ""), info)


def _last_error(line: str) -> str:
    """The program's last ``error`` line, as part of the message of a failure; empty if there was none."""
    text = one_line(line.partition("error")[2])[:SHOWN_ERRORS]
    return f"; its last error: {text}" if text else ""


def _merge_info(old: Info, new: Info) -> Info:
    return Info(
        old.depth if new.depth is None else new.depth,
        old.nodes if new.nodes is None else new.nodes,
        old.score if new.score is None else new.score,
        new.pv or old.pv,
    )


def _move(position: Position, text: str) -> Move:
    try:
        return moves.parse_move(position, text)
    except InputError:
        told = f"it answered {text[:40]!r}, which is no legal move of {position.fen()}"
        raise ProgramFailure(told, FailureKind.ILLEGAL) from None


_programs: dict[Contract, ExternalProgram] = {}
_lock = threading.Lock()


def program(contract: Contract) -> ExternalProgram:
    """The program for a contract; there is one in each process."""
    with _lock:
        if contract not in _programs:
            _programs[contract] = ExternalProgram(contract)
        return _programs[contract]


def close_all() -> None:
    """End all programs of this process; those that are asked again are started again."""
    with _lock:
        running = list(_programs.values())
        _programs.clear()
    for each in running:
        each.close()


def _forget_all() -> None:
    global _lock  # noqa: PLW0603 (another thread may have held the old one)
    _lock = threading.Lock()
    for each in _programs.values():
        each.forget()
    _programs.clear()


atexit.register(close_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_all)
