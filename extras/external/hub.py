"""Programs that speak the Hub protocol of draughts programs, version 2, in place of the engine protocol.

A line is a command with arguments, some with values: ``level move-time=1``. A position is the side to move, W or B, and
a letter for each square: men w and b, kings W and B, e for empty ones. A move names its ends and the captured pieces:
``11x25x15x22``. Source: protocol.txt of Scan 3.1 (Fabien Letouzey, 2019).
"""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING

from extras.external import protocol
from extras.external.process import SHOWN_ERRORS
from game import moves
from game.bitboard import squares_of
from game.board import Position
from game.errors import InputError, one_line
from game.rules import BLACK, WHITE

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from extras.external.process import Process
    from game.moves import Move

VARIANTS = ("english", "american", "checkers")
"""Names of these rules as values of the parameter ``variant``; the protocol itself names none for 8x8 squares."""

PATIENCE, ANSWER_SECONDS = 2.0, 10.0
"""Seconds without a line after which a program is asked whether it speaks Hub, and after which it is taken not to."""

_ARGUMENT = re.compile(r'([^\s="]+)(?:\s*=\s*(?:"([^"]*)"|([^\s="]+)))?')
_LEVELS = {"depth": "depth", "nodes": "nodes", "movetime": "move-time"}


def read_line(line: str) -> tuple[str, dict[str, str]]:
    """Return the command and the arguments of a line; those without a value have an empty one."""
    command, *given = [(name, quoted or plain) for name, quoted, plain in _ARGUMENT.findall(line)] or [("", "")]
    return command[0], dict(given)


def write_line(command: str, **arguments: object) -> str:
    """Return a line; underlines in names stand for dashes."""
    words = [command]
    for name, value in arguments.items():
        text = str(value).replace('"', "'")
        words.append(f"{name.replace('_', '-')}={text}" if re.fullmatch(r"[^\s=]+", text) else f'{name}="{text}"')
    return " ".join(words)


def write_position(position: Position) -> str:
    """Return a position in the notation of the protocol."""
    squares = ["e"] * 32
    for word, man in ((position.black, "b"), (position.white, "w")):
        for square in squares_of(word):
            squares[square - 1] = man
    for square in squares_of(position.kings):
        squares[square - 1] = squares[square - 1].upper()
    return ("B" if position.side == BLACK else "W") + "".join(squares)


def read_position(text: str) -> Position:
    """Parse a position.

    Raises:
        InputError: it is no position of 32 squares.
    """
    if not re.fullmatch("[WB][wbWBe]{32}", text):
        raise InputError(f"pos: expected W or B and a letter (wbWBe) for each of 32 squares, got {text[:60]!r}")
    places = {kind: [square for square in range(1, 33) if text[square] in kind] for kind in ("bB", "wW", "BW")}
    side = BLACK if text[0] == "B" else WHITE
    return Position.from_squares(places["bB"], places["wW"], places["BW"], side)


def write_move(move: Move) -> str:
    """Return a move in the notation of the protocol."""
    ends = move.path[0], move.path[-1], *sorted(move.captured)
    return ("x" if move.captured else "-").join(map(str, ends))


def read_move(position: Position, text: str) -> Move:
    """Parse a move; several paths that capture the same pieces give the first.

    Raises:
        InputError: it is not legal.
    """
    numbers = re.split("[-x]", text)
    for move in moves.legal_moves(position):
        ends = str(move.path[0]), str(move.path[-1])
        if tuple(numbers[:2]) == ends and sorted(numbers[2:]) == sorted(map(str, move.captured)):
            return move
    return moves.parse_move(position, text)


def read_moves(position: Position, texts: Iterable[str]) -> tuple[list[Position], list[Move]]:
    """Return the positions and moves of a game from a position.

    Raises:
        InputError: a move is not legal; the results of earlier ones are lost.
    """
    game, played = [position], list[moves.Move]()
    for text in texts:
        played.append(read_move(game[-1], text))
        game.append(moves.apply(game[-1], played[-1]))
    return game, played


class Interpreter:
    """A program that speaks Hub as if it spoke the engine protocol: translates the lines to it and from it."""

    def __init__(self, command: str) -> None:
        self._command = command
        self._offered: Sequence[str] = ()
        self._variant = ""  # as the program has set it
        self._ready = False
        self._kept: list[str] = []  # lines that wait until it is ready
        self._position = Position.start()

    def sent(self, line: str) -> list[str]:
        """Return the lines of Hub for a line of the engine protocol."""
        words = line.split()
        if words == ["isready"]:
            return ["hub"]
        if not self._ready:
            self._kept.append(line)
            return []
        if words[0] == "newgame":
            return ["new-game"]
        if words[0] == "position":
            game = protocol.read_position(words[1:])
            self._position = game[-1]
            played = [write_move(protocol.find_move(*pair)) for pair in itertools.pairwise(game)]
            history = {"moves": " ".join(played)} if played else {}
            return [write_line("pos", pos=write_position(game[0]), **history)]
        limits = zip(words[1::2], map(int, words[2::2]), strict=True)
        levels = [f"level {_LEVELS[name]}={n / 1000 if name == 'movetime' else n}" for name, n in limits]
        return [*levels, "go think"]

    def heard(self, line: str) -> tuple[str, list[str]]:
        """Return the line of the engine protocol for one of Hub, empty if there is none, and the lines to reply.

        Raises:
            InputError: the program plays by other rules.
        """
        command, given = read_line(line)
        if command == "param" and given.get("name") == "variant":
            self._variant = given.get("value", "")
            self._offered = given.get("values", self._variant).split()
        elif command == "wait":
            name = next((name for name in VARIANTS if name in self._offered), None)
            if name is None:
                other = one_line(", ".join(self._offered))[:SHOWN_ERRORS] or "none"
                expected = f"expected a variant with 8x8 squares ({', '.join(VARIANTS)}), it offers {other}"
                raise InputError(f"external program {one_line(self._command)[:SHOWN_ERRORS]!r}: {expected}")
            choose = [write_line("set-param", name="variant", value=name)] if name != self._variant else []
            return protocol.supports_line(), [*choose, "init"]
        elif command == "ready":
            self._ready = True
            kept, self._kept = self._kept, []
            return "readyok", [each for line in kept for each in self.sent(line)]
        elif command == "done":
            return f"bestmove {self._native(given.get('move', ''))}", []
        elif command == "info":
            return self._info(given), []
        elif command == "error":
            return f"error {given.get('message', '')}", []
        return "", []

    def _native(self, text: str) -> str:
        try:
            return str(read_move(self._position, text))
        except InputError:
            return text  # is reported as illegal

    def _info(self, given: dict[str, str]) -> str:
        words = [f"{name} {given[name]}" for name in ("depth", "nodes", "score") if given.get(name)]
        line, position = list[str](), self._position
        for text in given.get("pv", "").split():
            try:
                line.append(str(move := read_move(position, text)))
            except InputError:
                break
            position = moves.apply(position, move)
        return " ".join(["info", *words, "pv", *line])


_speaks_hub: dict[str, bool] = {}  # by command; forked processes inherit it


class Speech:
    """The lines of a program in the engine protocol, translated if it speaks Hub.

    A program that answers ``isready`` with an error or not at all is asked whether it speaks Hub. Until it is known,
    other lines wait, since they could mean something else to it.
    """

    def __init__(self, process: Process, command: str) -> None:
        self._process, self._command = process, command
        self._known = command in _speaks_hub
        self._hub = Interpreter(command) if _speaks_hub.get(command) else None
        self._asked = False
        self._patience = PATIENCE
        self._kept: list[str] = []

    def send(self, line: str) -> None:
        """Send a line without waiting until the program reads it."""
        if self._hub is not None:
            self._reply(self._hub.sent(line))
        elif self._known or line == "isready":
            self._process.send(line)
        else:
            self._kept.append(line)

    def drain(self) -> None:
        """Discard the lines that wait to be read."""
        self._process.drain()

    def line(self, seconds: float) -> str | None:
        """Return the next line, empty if it has no meaning in the engine protocol; None if there is none in time.

        Raises:
            ProcessEnded: no more lines will come.
            InputError: the program plays by other rules.
        """
        if not self._known:
            first = min(seconds, self._patience)
            line = self._process.line(first)
            if line is None:
                self._patience -= first
                if self._patience <= 0:
                    self._doubt()
                return self.line(seconds - first) if seconds > first else None
            self._judge(line)
        else:
            line = self._process.line(seconds)
        if line is None or self._hub is None:
            return line
        answer, lines = self._hub.heard(line)
        self._reply(lines)
        return answer

    def _reply(self, lines: Iterable[str]) -> None:
        for line in lines:
            self._process.send(line)

    def _judge(self, line: str) -> None:
        word = line.partition(" ")[0]
        if self._asked and (line.startswith(("id name=", "param name=")) or line == "wait"):
            _speaks_hub[self._command] = True
            self._settle()
        elif word in ("supports", "readyok", "bestmove", "info"):
            _speaks_hub[self._command] = False
            self._settle()
        elif word == "error" and not self._asked:
            self._doubt()

    def _doubt(self) -> None:
        """Ask whether the program speaks Hub, or take it not to if it does not say so."""
        if self._asked:
            self._settle()
            return
        self._asked, self._patience = True, ANSWER_SECONDS
        self._process.send("hub")

    def _settle(self) -> None:
        self._known = True
        self._hub = Interpreter(self._command) if _speaks_hub.get(self._command) else None
        for line in self._kept:
            self.send(line)
