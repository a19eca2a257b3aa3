"""The three-move ballots with the federation's numbers, their status and their common names.

They are read from ``data/federation_ballots.tsv``, which names its source. Their positions are the same as those that
`game.openings` computes by a rule. The window uses this module, so it is plain Python and loads no compiled code.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from game import plain
from game.board import Position
from game.moves import Move

TABLE = Path(__file__).parent / "data" / "federation_ballots.tsv"
"""One ballot per line: number, moves, status, name; lines with # are comments."""

PLIES = 3

PLAYED = {
    "crossboard": "played at the board and by mail",
    "mail": "played by mail only",
    "barred": "barred from play",
}
"""Descriptions of the statuses."""


@dataclass(frozen=True, slots=True)
class Ballot:
    """An opening of three plies.

    Attributes:
        number: the number of the American Checker Federation, from 1.
        moves: its usual moves, as in PDN.
        played: its status, ``crossboard``, ``mail`` or ``barred``; a key of `PLAYED`.
        name: the common name; empty for most.
    """

    number: int
    moves: str
    played: str
    name: str

    @property
    def title(self) -> str:
        """Its number and name, such as ``46 Double Cross``."""
        return f"{self.number} {self.name}".rstrip()

    @property
    def pdn(self) -> str:
        """Its text for the PDN tag Opening, such as ``Double Cross (ballot 46: 9-14 23-18 14x23)``."""
        return (
            f"{self.name} (ballot {self.number}: {self.moves})" if self.name else f"Ballot {self.number}: {self.moves}"
        )

    @property
    def line(self) -> tuple[Move, ...]:
        """Its moves from the start of a game."""
        return tuple(move for move, _ in _played(self))


@functools.cache
def all_ballots() -> tuple[Ballot, ...]:
    """Return the 174 ballots by number."""
    lines = [line.split("\t") for line in TABLE.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    return tuple(Ballot(int(number), moves, played, name) for number, moves, played, name in lines)


@functools.cache
def deck() -> tuple[Ballot, ...]:
    """Return the 156 ballots that are not barred, from which the opening of a game is drawn."""
    return tuple(ballot for ballot in all_ballots() if ballot.played != "barred")


def ballot_of(moves: Sequence[str]) -> Ballot | None:
    """Return the ballot that the first moves of a game lead to, in any order; None if they lead to none."""
    return _of(tuple(moves[:PLIES])) if len(moves) >= PLIES else None


@functools.lru_cache(maxsize=4096)
def _of(moves: tuple[str, ...]) -> Ballot | None:
    position = Position.start()
    for text in moves:
        after = next((after for move, after in plain.successors(position) if str(move) == text), None)
        if after is None:
            return None
        position = after
    return _by_position().get(position)


@functools.cache
def _by_position() -> dict[Position, Ballot]:
    return {_played(ballot)[-1][1]: ballot for ballot in all_ballots()}


def _played(ballot: Ballot) -> list[tuple[Move, Position]]:
    """Return each move with the position after it."""
    position, played = Position.start(), []
    for text in ballot.moves.split():
        move, position = next(pair for pair in plain.successors(position) if str(pair[0]) == text)
        played.append((move, position))
    return played


def find_ballots(words: str) -> list[Ballot]:
    """Search the ballots by number, name and moves.

    A ballot matches if its number, name and moves contain each word, or if the words are moves, in any order that leads
    to its position. A single number matches ballots whose numbers begin with it.

    Args:
        words: the typed text, in which the last move may be incomplete; an empty text matches all ballots.
    """
    wanted = tuple(words.lower().replace(",", " ").split())
    if len(wanted) == 1 and wanted[0].isdigit():
        return [ballot for ballot in all_ballots() if str(ballot.number).startswith(wanted[0])]
    texts = [(f"{ballot.title} {ballot.moves}".lower(), ballot) for ballot in all_ballots()]
    led_to = _led_to(Position.start(), wanted) if wanted else frozenset()
    return [ballot for text, ballot in texts if ballot.number in led_to or all(word in text for word in wanted)]


@functools.lru_cache(maxsize=4096)
def _led_to(position: Position, moves: tuple[str, ...], plies: int = PLIES) -> frozenset[int]:
    """Return the numbers of the ballots that a position can lead to by moves whose texts begin with the given ones."""
    if plies == 0:
        ballot = None if moves else _by_position().get(position)
        return frozenset() if ballot is None else frozenset((ballot.number,))
    typed = moves[0] if moves else ""
    after = (after for move, after in plain.successors(position) if str(move).startswith(typed))
    return frozenset().union(*(_led_to(position_after, moves[1:], plies - 1) for position_after in after))
