"""Values and functions of `test_external` that other tests use, too."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

from game.board import Position
from game.players.basic import MaterialPlayer
from game.players.player import Player
from game.players.registry import player

FOREIGN = Path(__file__).with_name("foreign.py")

MATERIAL = MaterialPlayer()
START = Position.start()


def command(mode: str, argument: str = "") -> str:
    return shlex.join([sys.executable, "-S", str(FOREIGN), mode, *([argument] if argument else [])])


def foreign(mode: str, argument: str = "", options: str = "start=20,timeout=20,depth=1") -> Player:
    text = command(mode, argument).replace("'", '"')
    return player(f"external:'{text}',{options}")


class ScriptedProcess:
    """A process that says lines at given seconds, with a clock of its own."""

    def __init__(self, lines: list[tuple[float, str]]) -> None:
        self.lines = lines
        self.clock = 0.0

    def monotonic(self) -> float:
        return self.clock

    def line(self, seconds: float) -> str | None:
        when = self.lines[0][0] if self.lines else 1e9
        self.clock = min(self.clock + seconds, max(self.clock, when))
        return self.lines.pop(0)[1] if self.clock >= when else None

    def send(self, line: str) -> None: ...

    def drain(self) -> None: ...

    def close(self) -> None: ...
