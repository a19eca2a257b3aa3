"""Messages between the window and its thinking process: plain values."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from game.board import Position
from game.finding import SearchInfo
from game.players.names import PlayerName
from game.rules import WCDF, DrawRules

if TYPE_CHECKING:
    from game.likes import Likes


class Purpose(StrEnum):
    """The purpose of a request."""

    MOVE = "move"
    ANALYSIS = "analysis"
    JUDGEMENT = "judgement"


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """A request to search a position.

    Attributes:
        purpose: a move to play; scores of all moves, reported after each depth; or a player's evaluation of a position.
        game: number of the game: players are read anew for each, since their files may have changed.
        player: its name, without limits.
        position: it has a legal move.
        history: the positions of the game before it.
        depth, seconds: the limits; no limit of time for None.
        seed: of the game, for players that draw numbers, and for the first moves of those that search
            (`gui.thinking.thoughts`); 0 where these always play alike.
        rules: when the game is a draw.
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
class LikesRequest:
    """A request for what a player likes about a position; answered while searches go on.

    Attributes:
        game: number of the game, as in `SearchRequest`.
        player: its name.
        position: the board.
        side: that it plays.
    """

    game: int
    player: PlayerName
    position: Position
    side: int


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
    """The search of a request has begun; its player exists."""

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
    """The end of a request whose player does not exist or cannot go on, for the reason in `text`."""

    ticket: int
    text: str


@dataclass(frozen=True, slots=True)
class Dropped:
    """The end of a request that was cancelled or replaced."""

    ticket: int


@dataclass(frozen=True, slots=True)
class TablesOpen:
    """Tablebases are open, or more of them: findings that were sent before know nothing of them."""


@dataclass(frozen=True, slots=True)
class Liked:
    """What a player likes, or in `trouble` the reason why that is unknown."""

    request: LikesRequest
    likes: Likes | None
    trouble: str = ""


@dataclass(frozen=True, slots=True)
class Pong:
    """The answer to a ping: the process lives."""


@dataclass(frozen=True, slots=True)
class Told:
    """A sentence about the process itself for the person."""

    text: str


FromProcess = Phase | Compiling | Started | Progress | Answer | Failed | Dropped | TablesOpen | Liked | Pong
Reply = Phase | Started | Progress | Answer | Failed | Told
"""A result of `Thinker.poll`."""


# To the thinking process ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Think:
    """Think about a request; one at a time, in order of arrival."""

    ticket: int
    request: SearchRequest


@dataclass(frozen=True, slots=True)
class End:
    """End a request as soon as possible: with the best move so far if it is `wanted`, else with `Dropped`."""

    ticket: int
    wanted: bool


@dataclass(frozen=True, slots=True)
class Ping:
    """A request for a `Pong`."""


ToProcess = Think | End | LikesRequest | Ping
