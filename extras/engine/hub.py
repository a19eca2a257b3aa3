"""The engine as a program that speaks the Hub protocol (`extras.external.hub`): translates lines to it and from it."""

from __future__ import annotations

import math
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator

from extras.external import protocol
from extras.external.hub import VARIANTS, follow, read_line, read_position, write_line, write_move
from extras.external.protocol import NO_MOVE
from game.board import Position
from game.errors import InputError
from game.installation import VERSION
from game.players.player import Player
from game.search.interface import WON, plies_to_win

_MOVES_LEFT, _MOST_SHARE = 30.0, 0.9
"""Moves for which the time of a game is divided if the level does not say how many are left; most of it for one."""
_SURE, _PROVED, _MOST = 100.0, 90.0, 89.99
"""Scores in men: of a win now, less 0.01 for each ply; of a win by tablebases; the largest of others."""


class Hub:
    """Translates lines of Hub for an `Engine`, and its answers.

    Args:
        write: called with one line of Hub at a time.
        player: the player of the engine, whose scores are written in men.
    """

    def __init__(self, write: Callable[[str], None], player: Player) -> None:
        self._write_line, self._player = write, player
        self._output = threading.Lock()
        self._game = "position startpos", Position.start()  # the line and its position
        self._level = ""  # words after `go`
        self._infinite = False  # the search that was begun last ends by `stop`
        self._searches: deque[tuple[Position, bool]] = deque()  # positions, and whether the moves are wanted
        self._expected: tuple[str, ...] = ()  # the moves that the search expects

    def lines(self, lines: Iterable[str]) -> Iterator[str]:
        """Yield lines of the engine protocol for lines of Hub."""
        for line in lines:
            try:
                yield from self._lines(*read_line(line))
            except InputError as error:
                self._say("error", message=error)

    def _lines(self, command: str, given: dict[str, str]) -> Iterator[str]:
        if command in ("new-game", "pos", "go", "stop") and self._infinite:
            self._infinite = False
            if command != "stop":
                yield "stop"
        if command == "hub":
            self._say("id", name="Crownhead", version=VERSION)
            self._say("param", name="variant", value=VARIANTS[0], type="enum", values=VARIANTS[0])
            self._say("wait")
        elif command == "set-param":
            if given.get("name") != "variant" or given.get("value") not in VARIANTS:
                wrong = f"{given.get('name', '')[:40]}={given.get('value', '')[:40]}"
                raise InputError(f"set-param: expected variant={VARIANTS[0]} (8x8 squares), got {wrong}")
        elif command == "ping":
            self._say("pong")
        elif command in (same := {"init": "isready", "new-game": "newgame", "stop": "stop", "quit": "quit"}):
            yield same[command]
        elif command == "pos":
            self._game, self._level = ("position", Position.start()), ""  # is refused, unless this one is legal
            start = read_position(given["pos"]) if "pos" in given else Position.start()
            game = list(follow(start, given.get("moves", "").split()))
            line = " ".join(["position fen", start.fen(), "moves", *(str(move) for move, _ in game)])
            self._game = line, game[-1][1] if game else start
        elif command == "level":
            self._level = _limits(given)
        elif command == "go":
            free = "ponder" in given or ("analyze" in given and not self._level)
            yield from self._go("infinite" if free else self._level)
        elif command != "ponder-hit":
            raise InputError(f"{command[:40]!r}: expected a command of the Hub protocol, version 2")
        elif self._infinite:
            self._searches[-1] = self._game[1], False
            yield "stop"
            yield from self._go(self._level)

    def _go(self, level: str) -> Iterator[str]:
        self._infinite = level == "infinite"
        self._searches.append((self._game[1], True))
        yield self._game[0]
        yield f"go {level}".strip()

    def write(self, line: str) -> None:
        """Write what a line of the engine protocol means in Hub, if anything."""
        command, *words = line.split()
        if command == "readyok":
            self._say("ready")
        elif command == "error":
            self._say("error", message=" ".join(words))
        elif command == "bestmove":
            position, wanted = self._searches.popleft()
            if wanted:
                chosen = () if words[0] == NO_MOVE else tuple(map(write_move, protocol.read_line(position, words[:1])))
                both = self._expected[:2] if self._expected[:1] == chosen else chosen
                self._say("done", **dict(zip(("move", "ponder"), both, strict=False)))
            self._expected = ()
        elif command == "info" and words[0] != "string" and self._searches[0][1]:
            info = protocol.read_info(words)
            self._expected = tuple(map(write_move, protocol.read_line(self._searches[0][0], info.pv)))
            score = f"{self._in_men(info.score or 0.0):.2f}"
            self._say("info", depth=info.depth, score=score, nodes=info.nodes, pv=" ".join(self._expected))

    def _in_men(self, score: float) -> float:
        plies = plies_to_win(score)
        if plies is None and abs(score) <= WON:
            return max(-_MOST, min(_MOST, score / self._player.man_score()))
        return math.copysign(_PROVED if plies is None else _SURE - abs(plies) / 100, score)

    def _say(self, command: str, **arguments: object) -> None:
        with self._output:
            self._write_line(write_line(command, **arguments))


def _limits(given: dict[str, str]) -> str:
    """Return the words after ``go`` for a level.

    Raises:
        InputError: a value is no number, or out of range.
    """
    if "infinite" in given:
        return "infinite"
    words = [f"{name} {given[name]}" for name in ("depth", "nodes") if name in given]
    try:
        times = {name: float(given[name]) for name in ("move-time", "time", "inc", "moves") if name in given}
        if "time" in times:
            left, more = times["time"], times.get("inc", 0.0)  # the increment has been added to the time
            share = (left - more) / times.get("moves", _MOVES_LEFT) + more
            times["move-time"] = min(share, _MOST_SHARE * left, times.get("move-time", share))
        if "move-time" in times:
            words.append(f"movetime {max(1, int(1000 * times['move-time']))}")
    except (ValueError, ArithmeticError):
        raise InputError(f"level: expected numbers, got {' '.join(map('='.join, given.items()))[:60]!r}") from None
    if words:
        protocol.read_go(" ".join(words).split())
    return " ".join(words)
