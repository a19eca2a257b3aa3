"""The engine as a program that speaks the Hub protocol (`extras.external.hub`): translates lines to it and from it."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator

from extras.external import protocol
from extras.external.hub import VARIANTS, read_line, read_moves, read_position, write_line, write_move
from extras.external.protocol import NO_MOVE
from game.board import Position
from game.errors import InputError
from game.installation import VERSION
from game.players.player import Player
from game.search.interface import WON, plies_to_win

_MOVES_LEFT = 30
"""Moves for which the time of a game is divided if the level does not say how many are left."""
_MOST_SHARE = 0.9
"""Largest part of the time that is left for a move."""
_SURE, _MOST, _PROVED = 100.0, 89.99, 90.0
"""Scores in men: of a win now, less 0.01 for each ply; the largest of others; of a win by tablebases."""


class Hub:
    """Translates lines of Hub for an `Engine`, and its answers.

    Args:
        write: called with one line of Hub at a time.
        player: the player of the engine, whose scores are written in men.
    """

    def __init__(self, write: Callable[[str], None], player: Player) -> None:
        self._write_line, self._player = write, player
        self._output = threading.Lock()
        self._game: tuple[str, Position] | None = None
        self._level = self._next_level = ""  # words after `go`; of the search while pondering
        self._infinite = False  # the search that was begun last ends by `stop`
        self._searches: deque[tuple[Position, bool]] = deque()  # positions, and whether the moves are wanted
        self._line: tuple[str, ...] = ()
        self._set_game({})

    def lines(self, lines: Iterable[str]) -> Iterator[str]:
        """Yield lines of the engine protocol for lines of Hub."""
        for line in lines:
            command, given = read_line(line)
            try:
                yield from self._lines(command, given)
            except InputError as error:
                self._say(write_line("error", message=error))

    def _lines(self, command: str, given: dict[str, str]) -> Iterator[str]:
        if command == "hub":
            self._say(write_line("id", name="Crownhead", version=VERSION))
            self._say(write_line("param", name="variant", value=VARIANTS[0], type="enum", values=VARIANTS[0]))
            self._say("wait")
        elif command == "set-param":
            if given.get("name") != "variant" or given.get("value") not in VARIANTS:
                wrong = f"{given.get('name', '')[:40]}={given.get('value', '')[:40]}"
                raise InputError(f"set-param: expected variant={VARIANTS[0]} (8x8 squares), got {wrong}")
        elif command == "init":
            yield "isready"
        elif command == "ping":
            self._say("pong")
        elif command in ("new-game", "pos"):
            yield from self._stop()
            if command == "new-game":
                yield "newgame"
            else:
                self._set_game(given)
        elif command == "level":
            self._level = _limits(given)
        elif command == "go":
            yield from self._stop()
            self._next_level = self._level
            free = "ponder" in given or ("analyze" in given and not self._level)
            yield from self._go("infinite" if free else self._level)
        elif command == "ponder-hit" and self._infinite:
            self._searches[-1] = self._searches[-1][0], False
            yield from self._stop()
            yield from self._go(self._next_level)
        elif command == "stop":
            self._infinite = False
            yield "stop"
        elif command == "quit":
            yield "quit"
        elif command != "ponder-hit":
            raise InputError(f"{command[:40]!r}: expected a command of the Hub protocol, version 2")

    def _set_game(self, given: dict[str, str]) -> None:
        self._game, self._level = None, ""
        start = read_position(given["pos"]) if "pos" in given else Position.start()
        game, played = read_moves(start, given.get("moves", "").split())
        self._game = " ".join(["position fen", start.fen(), "moves", *map(str, played)]), game[-1]

    def _stop(self) -> Iterator[str]:
        if self._infinite:
            self._infinite = False
            yield "stop"

    def _go(self, level: str) -> Iterator[str]:
        if self._game is None:
            self._say(write_line("error", message="go: expected a position first, since the last one was refused"))
            self._say("done")  # every request gets an answer
            return
        line, position = self._game
        self._infinite = level == "infinite"
        self._searches.append((position, True))
        yield line
        yield f"go {level}".strip()

    def write(self, line: str) -> None:
        """Write what a line of the engine protocol means in Hub, if anything."""
        command, *words = line.split()
        if command == "readyok":
            self._say("ready")
        elif command == "error":
            self._say(write_line("error", message=" ".join(words)))
        elif command == "bestmove":
            position, wanted = self._searches.popleft()
            if wanted:
                self._say(self._done(position, words[0]))
            self._line = ()
        elif command == "info" and words[0] != "string" and self._searches[0][1]:
            self._say(self._info(protocol.read_info(words)))

    def _done(self, position: Position, text: str) -> str:
        if text == NO_MOVE:
            return "done"
        (move,) = protocol.read_line(position, [text])
        ponder = {"ponder": self._line[1]} if self._line[:1] == (write_move(move),) and self._line[1:] else {}
        return write_line("done", move=write_move(move), **ponder)

    def _info(self, info: protocol.Info) -> str:
        self._line = tuple(map(write_move, protocol.read_line(self._searches[0][0], info.pv)))
        score = f"{self._in_men(info.score or 0.0):.2f}"
        return write_line("info", depth=info.depth, score=score, nodes=info.nodes, pv=" ".join(self._line))

    def _in_men(self, score: float) -> float:
        plies = plies_to_win(score)
        sure = _PROVED if plies is None else _SURE - abs(plies) / 100
        if plies is not None or abs(score) > WON:
            return sure if score > 0 else -sure
        return max(-_MOST, min(_MOST, score / self._player.man_score()))

    def _say(self, line: str) -> None:
        with self._output:
            self._write_line(line)


def _limits(given: dict[str, str]) -> str:
    """Return the words after ``go`` for a level.

    Raises:
        InputError: a number is missing or out of range.
    """
    if "infinite" in given:
        return "infinite"
    words = [word for name in ("depth", "nodes") if name in given for word in (name, given[name])]
    seconds = {name: _seconds(name, given[name]) for name in ("move-time", "time", "inc") if name in given}
    if "time" in seconds:
        left, more = seconds["time"], seconds.get("inc", 0.0)  # the increment has been added to the time
        share = max(left - more, 0.0) / max(_seconds("moves", given.get("moves", str(_MOVES_LEFT))), 1.0) + more
        seconds["move-time"] = min(share, _MOST_SHARE * left, seconds.get("move-time", share))
    if "move-time" in seconds:
        words += ["movetime", str(max(1, int(1000 * seconds["move-time"])))]
    if words:
        protocol.read_go(words)
    return " ".join(words)


def _seconds(name: str, text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1e6:
        raise InputError(f"level: {name}: expected a number from 0 to 1,000,000, got {text[:40]!r}")
    return number
