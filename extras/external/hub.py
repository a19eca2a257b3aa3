"""Programs that speak the Hub protocol of draughts programs, version 2, in place of the engine protocol.

A line is a command with arguments, some with values: ``level move-time=1``. A position is the side to move, W or B, and
a letter for each square: men w and b, kings W and B, e for empty ones. A move names its ends and the captured pieces:
``11x25x15x22``. Source: protocol.txt of Scan 3.1 (Fabien Letouzey, 2019).
"""

from __future__ import annotations

import contextlib
import itertools
import re
from typing import TYPE_CHECKING

from extras.external import protocol
from extras.external.process import SHOWN_ERRORS
from game import moves
from game.bitboard import SQUARE_BIT
from game.board import Position
from game.errors import InputError, one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

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
    def letter(bit: int) -> str:
        man = "b" if position.black & bit else "w" if position.white & bit else "e"
        return man.upper() if position.kings & bit else man

    return "BW"[position.side] + "".join(letter(1 << SQUARE_BIT[square]) for square in range(1, 33))


def read_position(text: str) -> Position:
    """Parse a position.

    Raises:
        InputError: it is no position of 32 squares.
    """
    if not re.fullmatch("[WB][wbWBe]{32}", text):
        raise InputError(f"pos: expected W or B and a letter (wbWBe) for each of 32 squares, got {text[:60]!r}")
    places = {kind: [square for square in range(1, 33) if text[square] in kind] for kind in ("bB", "wW", "BW")}
    return Position.from_squares(places["bB"], places["wW"], places["BW"], "BW".index(text[0]))


def write_move(move: Move) -> str:
    ends = move.path[0], move.path[-1], *sorted(move.captured)
    return ("x" if move.captured else "-").join(map(str, ends))


def read_move(position: Position, text: str) -> Move:
    """Parse a move; several paths that capture the same pieces give the first.

    Raises:
        InputError: it is not legal.
    """
    ends, captured = (numbers := re.split("[-x]", text))[:2], sorted(numbers[2:])
    for move in moves.legal_moves(position):
        if [str(move.path[0]), str(move.path[-1])] == ends and sorted(map(str, move.captured)) == captured:
            return move
    return moves.parse_move(position, text)


def follow(position: Position, texts: Iterable[str]) -> Iterator[tuple[Move, Position]]:
    """Yield the moves of a game and the positions after them.

    Raises:
        InputError: a move is not legal.
    """
    for text in texts:
        move = read_move(position, text)
        position = moves.apply(position, move)
        yield move, position


_speaks_hub: dict[str, bool] = {}  # by command; forked processes inherit it


class HubSpeech:
    """The lines of a program in the engine protocol, translated if it speaks Hub.

    A program that answers ``isready`` with an error or not at all is asked whether it speaks Hub. Until it is known and
    ready, other lines wait, since they could mean something else to it.
    """

    def __init__(self, process: Process, command: str) -> None:
        self._process, self._command = process, command
        self._hub = _speaks_hub.get(command)  # None: not known yet
        self._asked, self._patience = False, PATIENCE
        self._kept: list[str] | None = None if self._hub is False else []  # the lines that wait
        self._variants: Sequence[str] = ("",)  # the one that is set, and those that are offered
        self._position = Position.start()
        process.send("hub" if self._hub else "isready")

    def send(self, line: str) -> None:
        """Send a line without waiting until the program reads it."""
        if self._kept is not None:
            self._kept.append(line)
        else:
            for each in self._in_hub(*line.split()) if self._hub else [line]:
                self._process.send(each)

    def line(self, seconds: float) -> str | None:
        """Return the next line, empty if it has no meaning in the engine protocol; None if there is none in time.

        Raises:
            ProcessEnded: no more lines will come.
            InputError: the program plays by other rules.
        """
        first = min(seconds, self._patience) if self._hub is None else seconds
        line = self._process.line(first)
        if self._hub is None and (line is not None or first == self._patience):
            self._judge(line)
        if line is None:
            return "" if first < seconds else None
        return self._heard(*read_line(line)) if self._hub else line

    def _judge(self, line: str | None) -> None:
        """Find out the protocol from a line, or from None after a silence."""
        word = "" if line is None else line.partition(" ")[0]
        if self._asked and line is not None and (line == "wait" or line.startswith(("id name=", "param name="))):
            self._hub = _speaks_hub[self._command] = True
        elif word in ("supports", "readyok", "bestmove", "info"):
            self._hub = _speaks_hub[self._command] = False
        elif not self._asked and (line is None or word == "error"):
            self._asked, self._patience = True, ANSWER_SECONDS
            self._process.send("hub")
        elif line is None:
            self._hub = False
        if self._hub is False:
            self._begin()

    def _begin(self) -> None:
        kept, self._kept = self._kept or [], None
        for line in kept:
            self.send(line)

    def _in_hub(self, command: str, *words: str) -> list[str]:
        if command == "newgame":
            return ["new-game"]
        if command == "position":
            game = protocol.read_position(list(words))
            self._position = game[-1]
            played = " ".join(write_move(protocol.find_move(*pair)) for pair in itertools.pairwise(game))
            return [write_line("pos", pos=write_position(game[0]), **({"moves": played} if played else {}))]
        limits = zip(words[::2], map(int, words[1::2]), strict=True)
        levels = [f"level {_LEVELS[name]}={n / 1000 if name == 'movetime' else n}" for name, n in limits]
        return [*levels, "go think"]

    def _heard(self, command: str, given: dict[str, str]) -> str:
        """Return the line of the engine protocol for one of Hub, empty if there is none."""
        if command == "param" and given.get("name") == "variant":
            self._variants = given.get("value", ""), *given.get("values", "").split()
        elif command == "wait":
            self._choose_variant()
            self._process.send("init")
            return protocol.supports_line()
        elif command == "ready":
            self._begin()
            return "readyok"
        elif command == "done":
            text = given.get("move", "")
            return f"bestmove {next(self._moves(text), text)}"  # an illegal one is reported as it came
        elif command == "info":
            words = [f"{name} {given[name]}" for name in ("depth", "nodes", "score") if given.get(name)]
            return " ".join(["info", *words, "pv", *self._moves(given.get("pv", ""))])
        return f"error {given.get('message', '')}" if command == "error" else ""

    def _choose_variant(self) -> None:
        name = next((name for name in VARIANTS if name in self._variants), "")
        if not name:
            other = one_line(", ".join(self._variants[1:] or self._variants))[:SHOWN_ERRORS] or "none"
            expected = f"expected a variant with 8x8 squares ({', '.join(VARIANTS)}), it offers {other}"
            raise InputError(f"external program {one_line(self._command)[:SHOWN_ERRORS]!r}: {expected}")
        if name != self._variants[0]:
            self._process.send(write_line("set-param", name="variant", value=name))

    def _moves(self, texts: str) -> Iterator[str]:
        """Yield moves as the engine protocol writes them, up to the first illegal one."""
        with contextlib.suppress(InputError):
            for move, _ in follow(self._position, texts.split()):
                yield str(move)
