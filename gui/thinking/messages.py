"""Messages between the window and its thinking process: plain values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from game.board import Position
from game.players.names import PlayerName
from game.rules import WCDF, DrawRules
from game.scores import SearchInfo


class Purpose(StrEnum):
    MOVE = "move"
    ANALYSIS = "analysis"


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """A request to search a position.

    Attributes:
        purpose: a move to play, or scores of all moves, reported after each depth.
        game: number of the game; players are read again for each game, since their files may have changed.
        depth, seconds: the limits; None for no limit of time.
        seed: seed of the game, for players that choose by chance, and for the first moves of players that search
            (`gui.thinking.thoughts`); with 0 the latter always play the same moves.
    """

    purpose: Purpose
    game: int
    player: PlayerName
    position: Position
    history: tuple[Position, ...] = ()
    depth: int = 1
    seconds: float | None = None
    seed: int = 0
    rules: DrawRules = WCDF


@dataclass(frozen=True, slots=True)
class SideWork:
    """A request to call a function beside searches, on one core with a low priority.

    Attributes:
        function: a function of a module, so that the thinking process can import it.
        arguments: plain values.
    """

    function: Callable[..., Any]
    arguments: tuple[Any, ...] = ()


# From the thinking process ----------------------------------------------------------------------------------------


class Phase(StrEnum):
    """The state of the thinking process; the value is the text in the window."""

    STARTING = "starting"
    LOADING = "loading the engine"
    COMPILING = "compiling the engine: this happens once, and takes up to a minute"
    READY = "ready"


@dataclass(frozen=True, slots=True)
class Compiling:
    """Progress of the compilation at a first start: part `number` of `count`."""

    number: int
    count: int


@dataclass(frozen=True, slots=True)
class Started:
    """The beginning of the search for a request, after its player was made."""

    ticket: int


@dataclass(frozen=True, slots=True)
class Progress:
    """The result of a search after one more depth."""

    ticket: int
    finding: SearchInfo


@dataclass(frozen=True, slots=True)
class Answer:
    """The end of a request; the move is legal."""

    ticket: int
    finding: SearchInfo


@dataclass(frozen=True, slots=True)
class Failed:
    """The end of a request whose player does not exist or cannot continue; `text` is the reason."""

    ticket: int
    text: str


@dataclass(frozen=True, slots=True)
class Dropped:
    """The end of a request that was cancelled or replaced."""

    ticket: int


@dataclass(frozen=True, slots=True)
class TablesOpen:
    """A report that tablebases, or more of them, have been opened; earlier results do not use them."""


@dataclass(frozen=True, slots=True)
class SideResult:
    """The result of a `SideWork`; if the function failed, `trouble` is the reason."""

    request: SideWork
    value: Any = None
    trouble: str = ""


@dataclass(frozen=True, slots=True)
class Pong:
    """The answer to a ping: the process lives."""


@dataclass(frozen=True, slots=True)
class ProcessNotice:
    """A message for the person about the process itself."""

    text: str


FromProcess = Phase | Compiling | Started | Progress | Answer | Failed | Dropped | TablesOpen | SideResult | Pong
Reply = Phase | Started | Progress | Answer | Failed | ProcessNotice
"""A result of `Thinker.poll`."""


# To the thinking process ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Think:
    """A request to think; one at a time, in order of arrival."""

    ticket: int
    request: SearchRequest


@dataclass(frozen=True, slots=True)
class End:
    """A request to end another one: with the best move so far if that is `wanted`, otherwise with `Dropped`."""

    ticket: int
    wanted: bool


@dataclass(frozen=True, slots=True)
class Ping:
    """A request for a `Pong`."""


ToProcess = Think | End | SideWork | Ping
