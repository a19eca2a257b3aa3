"""A player as an engine for other programs: lines in, lines out. `docs/engine.md` describes the protocol.

Searches run in their own thread while further lines are read, so ``stop`` and ``quit`` act at once. Other lines wait
until the search ends; then its thread executes them in order. During an infinite search no line waits: it is executed
or refused at once.
"""

from __future__ import annotations

import contextlib
import threading
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor

from extras.external import protocol
from extras.external.protocol import NO_MOVE, ProtocolError
from game.board import Position
from game.errors import InputError, describe, one_line
from game.generator import SplitMix64
from game.players.player import Choice, Player, choose_by_search
from game.rules import WCDF
from game.search.interface import Limits, SearchResult
from game.search.layout import MAX_DEPTH

Search = tuple[Limits, list[Position]]

MAX_LINE = 1 << 20
"""Maximum length of a line; no game needs a longer one."""

WAITING_LINES = 1000
"""Maximum number of lines that wait for the end of a search."""

COMMANDS = ("uci", "isready", "newgame", "position", "go", "stop", "quit")


class Engine:
    """One player behind the protocol.

    Args:
        write: called with one line at a time.
    """

    def __init__(self, player: Player, write: Callable[[str], None], *, seed: int = 0) -> None:
        from game.search.interface import Stop

        self._player = player
        self._write_line = write
        self._generator = SplitMix64(seed)
        self._game = [Position.start()]
        self._words: list[str] = []  # of the line `position` that gave the game
        self._refused = False  # the last line `position` was refused, so there is no position to move in
        self._searcher = None if player.searching is None else player.searching.searcher()
        self._rules = WCDF
        self._ready = False
        self._stop = Stop()
        self._wanted = threading.Event()  # set when the answer may be given; with `infinite`, only after `stop`
        self._worker = ThreadPoolExecutor(1, "search")
        self._turn = threading.Lock()  # guards the attributes below
        self._busy = False  # the worker searches and executes waiting lines
        self._searching = False  # a search has begun, and its answer has not been given yet
        self._waiting: deque[str] = deque()
        self._stop_next = False  # `stop` came while a `go` was waiting
        self._infinite = False
        self._ending = False  # no more lines will be read
        self._output = threading.Lock()
        self._gone = False  # the reader of the output is gone

    def run(self, lines: Iterable[str]) -> None:
        """Read lines until ``quit`` or the end of the input; at the end of the input, finish limited searches."""
        self._greet()
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
                    if words and not self._handle_while_busy(words, line):
                        if words[0] == "go":
                            self._open_search()
                        search = self._obey(words[0], words[1:])
                        if search is not None:
                            self._busy = True
                            self._worker.submit(self._work, search)
                except InputError as error:
                    self._refuse(words, error)
        except BaseException:
            quitting = True
            raise
        finally:
            self._end(at_once=quitting or self._gone)

    def _greet(self) -> None:
        self._say(f"id name Crownhead {self._player.name}")
        self._say(protocol.supports_line())

    def _handle_while_busy(self, words: list[str], line: str) -> bool:
        """Handle or queue a line while the thread is busy; return False if the caller has to execute the line now."""
        with self._turn:
            if not self._busy:
                return False
            if words == ["stop"]:
                if self._searching:
                    self._stop_search()
                else:
                    self._stop_next = any(waiting.split()[0] == "go" for waiting in self._waiting)
                return True
            if words == ["isready"]:
                self._say("readyok")
                return True
            if self._searching and self._infinite and not self._wanted.is_set():
                if words[0] in ("position", "go", "newgame"):
                    raise ProtocolError(f"{words[0]}: a search is going on; stop it first")
                return False
            if len(self._waiting) >= WAITING_LINES:
                raise ProtocolError(f"{words[0][:40]}: more than {WAITING_LINES:,} lines wait for the end of a search")
            self._waiting.append(line)
            return True

    def _obey(self, command: str, words: list[str]) -> Search | None:
        """Execute a line, and return the search that it requests, if any."""
        if command == "stop" and not words:
            return None  # no search is running
        if command == "uci" and not words:
            self._greet()
            self._say("uciok")
        elif command == "isready" and not words:
            self._get_ready()
            self._say("readyok")
            if self._player.tablebase:
                self._say(f"info string tablebases of up to {self._player.tablebase} pieces")
        elif command == "newgame":
            self._begin_game(words)
        elif command == "position":
            self._game = protocol.read_position(words, self._words, self._game)
            self._words, self._refused = words, False
        elif command == "go":
            return self._search_of(words)
        elif command in COMMANDS:
            raise ProtocolError(f"{command}: expected nothing after it")
        else:
            raise ProtocolError(f"{command[:40]!r}: expected one of {', '.join(COMMANDS)}")
        return None

    def _begin_game(self, words: list[str]) -> None:
        """Forget the previous game: its position, its draw rules, and anything that a search remembers."""
        self._rules, seed = protocol.read_newgame(words)
        self._game, self._words, self._refused = [Position.start()], [], False
        if self._player.searching is not None:
            self._searcher = self._player.searching.searcher()
        if seed is not None:
            self._generator = SplitMix64(seed)
        self._player.begin_game(self._rules, 0 if seed is None else seed)

    def _get_ready(self) -> None:
        if self._ready:
            return
        if self._searcher is not None:
            with contextlib.suppress(InputError):  # reported when a move is requested
                self._searcher.search(Position.start(), limits=Limits(depth=2))
        self._ready = True

    def _open_search(self) -> None:
        """Mark a search as begun, so that ``stop`` refers to it; the caller holds `_turn` if the thread is running."""
        self._searching, self._infinite = True, False
        self._stop.clear()
        self._wanted.clear()
        if self._stop_next or self._gone:
            self._stop_search()
        self._stop_next = False

    def _search_of(self, words: list[str]) -> Search | None:
        try:
            own = Limits(depth=1) if self._player.searching is None else self._player.searching.limits
            limits = protocol.read_go(words) if words else own
        except InputError:
            self._searching = False
            raise
        if self._refused:
            self._searching = False
            self._say("error go: expected a position first, since the last one was refused")
            self._say(f"bestmove {NO_MOVE}")  # every request gets an answer
            return None
        with self._turn:
            self._infinite = limits is None
            if limits is not None:
                self._wanted.set()
            elif self._ending:
                self._stop_search()
        return limits or Limits(depth=MAX_DEPTH), list(self._game)

    def _stop_search(self) -> None:
        self._stop.set()
        self._wanted.set()

    def _work(self, search: Search | None) -> None:
        while True:
            if search is not None:
                self._think(*search)
                search = None
            with self._turn:
                if not self._waiting:
                    self._busy = False
                    return
                words = self._waiting.popleft().split()
                if words[0] == "go":
                    self._open_search()
            try:
                search = self._obey(words[0], words[1:])
            except InputError as error:
                self._refuse(words, error)

    def _refuse(self, words: list[str], error: InputError) -> None:
        self._refused = self._refused or words[:1] == ["position"]
        self._say(f"error {error}")

    def _think(self, limits: Limits, game: list[Position]) -> None:
        try:
            move = self._choice(limits, game[-1], game[:-1])
        except Exception as error:  # every request gets an answer
            self._say(f"error {describe(error)}")
            move = None
        self._wanted.wait()
        with self._turn:
            self._searching = False
        self._say(f"bestmove {NO_MOVE if move is None else move.move}")

    def _choice(self, limits: Limits, position: Position, history: list[Position]) -> Choice | None:
        from game import moves

        if not moves.legal_moves(position):
            return None
        searching = self._player.searching
        if self._searcher is None or searching is None:
            return self._player.choose(position, history, self._generator, self._rules)
        return choose_by_search(
            self._searcher, searching, position, history, generator=self._generator, rules=self._rules, limits=limits,
            stop=self._stop, on_depth=self._tell,
        )  # fmt: skip

    def _tell(self, result: SearchResult) -> None:
        self._say(protocol.info_line(result.depth, result.nodes, result.seconds, result.reported, result.pv))

    def _say(self, line: str) -> None:
        line = one_line(line)  # the message may quote the input
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
        """Wait for the current search and the waiting lines, or with `at_once` only for the current answer."""
        with self._turn:
            self._ending = True
            if at_once:
                self._waiting.clear()
            if at_once or (self._searching and self._infinite):
                self._stop_search()
        self._worker.shutdown()
