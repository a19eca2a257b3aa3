"""A player that other programs can ask: lines in, lines out. `docs/engine.md` describes the protocol.

Lines are read while a search goes on in a thread of its own, so ``stop`` is answered at once. Nothing that is read can
end the engine but ``quit`` and the end of the input: what is wrong is said, and the next line is read.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterable

from game.board import Position
from game.errors import InputError, one_line
from game.external import protocol
from game.external.protocol import NO_MOVE, ProtocolError
from game.generator import SplitMix64
from game.players.base import choose_by_search
from game.players.protocol import Choice, Player, PlayerFailure
from game.search.layout import MAX_DEPTH
from game.search.limits import Limits
from game.search.result import SearchResult

MAX_LINE = 1 << 20
"""Characters of a line; more cannot be a game."""

COMMANDS = ("uci", "isready", "position", "go", "stop", "quit")


class Engine:
    """One player behind the protocol.

    Args:
        player: who thinks.
        write: takes one line at a time.
        seed: of players that draw lots.
    """

    def __init__(self, player: Player, write: Callable[[str], None], *, seed: int = 0) -> None:
        from game.search.protocol import Stop

        self._player = player
        self._write_line = write
        self._generator = SplitMix64(seed)
        self._game = [Position.start()]
        self._searcher = None if player.searching is None else player.searching.searcher()
        self._ready = False
        self._stop = Stop()
        self._wanted = threading.Event()  # set when the answer may be given: at once, or for `infinite` at `stop`
        self._answered = threading.Event()
        self._thread: threading.Thread | None = None
        self._infinite = False
        self._output = threading.Lock()
        self._gone = False  # nobody reads what we write

    def run(self, lines: Iterable[str]) -> None:
        """Read lines until ``quit`` or their end; a search that has an end of its own is finished then."""
        self._say(f"id name Crownhead {self._player.name}")
        quitting = False
        try:
            for line in lines:
                if self._gone:
                    break
                words = line[: MAX_LINE + 1].split()
                if words == ["quit"]:
                    quitting = True
                    break
                try:
                    if len(line) > MAX_LINE:
                        raise ProtocolError(f"a line of more than {MAX_LINE:,} characters")
                    if words:
                        self._obey(words[0], words[1:])
                except InputError as error:
                    self._say(f"error {error}")
        except BaseException:
            quitting = True
            raise
        finally:
            self._end(at_once=quitting or self._infinite or self._gone)

    def _obey(self, command: str, words: list[str]) -> None:
        if command == "stop" and not words:
            self._stop.set()
            self._wanted.set()
            self._end(at_once=False)
        elif command == "uci" and not words:
            self._say(f"id name Crownhead {self._player.name}")
            self._say("uciok")
        elif command == "isready" and not words:
            self._get_ready()
            self._say("readyok")
        elif command == "position":
            self._check_idle(command)
            self._game = protocol.read_position(words)
        elif command == "go":
            self._check_idle(command)
            self._go(words)
        elif command in COMMANDS:
            raise ProtocolError(f"{command}: expected nothing after it")
        else:
            raise ProtocolError(f"{command[:40]!r}: expected one of {', '.join(COMMANDS)}")

    def _check_idle(self, command: str) -> None:
        if self._thread is not None and not self._answered.is_set():
            raise ProtocolError(f"{command}: a search is going on; stop it first")
        self._end(at_once=False)  # it has answered, and is gone in a moment

    def _get_ready(self) -> None:
        """Load or compile what a search needs; while one goes on, that is done."""
        if self._ready or self._thread is not None:
            return
        if self._searcher is not None:
            with contextlib.suppress(InputError):  # a network without a value is told when it is asked for a move
                self._searcher.search(Position.start(), limits=Limits(depth=2))
        self._ready = True

    def _go(self, words: list[str]) -> None:
        limits = protocol.read_go(words) if words else self._own_limits()
        self._infinite = limits is None
        self._stop.clear()
        self._wanted.clear()
        self._answered.clear()
        if limits is not None:
            self._wanted.set()
        arguments = (limits or Limits(depth=MAX_DEPTH), list(self._game))
        self._thread = threading.Thread(target=self._think, args=arguments, name="search", daemon=True)
        self._thread.start()

    def _own_limits(self) -> Limits:
        return Limits(depth=1) if self._player.searching is None else self._player.searching.limits

    def _think(self, limits: Limits, game: list[Position]) -> None:
        try:
            move = self._choice(limits, game[-1], game[:-1])
        except (InputError, PlayerFailure) as error:
            self._say(f"error {error}")
            move = None
        except Exception as error:  # whatever it is: who waits for an answer gets one
            self._say(f"error {type(error).__name__}: {error}")
            move = None
        self._wanted.wait()
        self._answered.set()
        self._say(f"bestmove {NO_MOVE if move is None else move.move}")

    def _choice(self, limits: Limits, position: Position, history: list[Position]) -> Choice | None:
        from game import moves

        if not moves.legal_moves(position):
            return None
        searching = self._player.searching
        if self._searcher is None or searching is None:
            return self._player.choose(position, history, self._generator)
        return choose_by_search(
            self._searcher,
            searching,
            position,
            history,
            generator=self._generator,
            limits=limits,
            stop=self._stop,
            on_depth=self._tell,
        )

    def _tell(self, result: SearchResult) -> None:
        self._say(protocol.info_line(result.depth, result.nodes, result.seconds, result.score, result.pv))

    def _say(self, line: str) -> None:
        line = one_line(line)  # whatever it repeats of what was read
        with self._output:
            if not self._gone:
                try:
                    self._write_line(line)
                except OSError:
                    self._gone = True
        if self._gone:
            self._stop.set()
            self._wanted.set()

    def _end(self, *, at_once: bool) -> None:
        """Wait for the answer of a search that goes on."""
        if at_once:
            self._stop.set()
            self._wanted.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None
