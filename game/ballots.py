"""The three-move ballots as people know them: the federation's numbers, how each is played, usual names.

Read from ``data/federation_ballots.tsv``, which names its source. Their positions are the ballots of three plies that
`game.openings` has found by a rule. Plain Python, for the window.
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
"""One ballot a line: number, moves, how it is played, name; lines with # are comments."""

PLIES = 3

PLAYED = {
    "crossboard": "played at the board and by mail",
    "mail": "played by mail only",
    "barred": "barred from play",
}
"""How a ballot is played, in words."""


@dataclass(frozen=True, slots=True)
class Ballot:
    """An opening of three plies.

    Attributes:
        number: of the American Checker Federation, from 1.
        moves: its usual moves, as PDN writes them.
        played: ``crossboard``, ``mail`` or ``barred``; a key of `PLAYED`.
        name: the usual one; most have none.
    """

    number: int
    moves: str
    played: str
    name: str

    @property
    def title(self) -> str:
        """Number, and name if it has one: ``46 Double Cross``."""
        return f"{self.number} {self.name}".rstrip()

    @property
    def pdn(self) -> str:
        """What the tag Opening says of it: ``Double Cross (ballot 46: 9-14 23-18 14x23)``."""
        return (
            f"{self.name} (ballot {self.number}: {self.moves})" if self.name else f"Ballot {self.number}: {self.moves}"
        )

    @property
    def line(self) -> tuple[Move, ...]:
        """Its moves from the start of a game."""
        return tuple(move for move, _ in _played(self))


@functools.cache
def all_ballots() -> tuple[Ballot, ...]:
    """The 174 ballots, in the order of their numbers."""
    lines = [line.split("\t") for line in TABLE.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    return tuple(Ballot(int(number), moves, played, name) for number, moves, played, name in lines)


@functools.cache
def deck() -> tuple[Ballot, ...]:
    """The 156 that are not barred, of which one is drawn for a game."""
    return tuple(ballot for ballot in all_ballots() if ballot.played != "barred")


def ballot_of(moves: Sequence[str]) -> Ballot | None:
    """The ballot of a game from its moves since the usual start, whatever their order; None if it is none."""
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
    """Each move with the position after it."""
    position, found = Position.start(), []
    for text in ballot.moves.split():
        move, position = next(each for each in plain.successors(position) if str(each[0]) == text)
        found.append((move, position))
    return found


def find_ballots(words: str) -> list[Ballot]:
    """Search the ballots by number, name and moves.

    A ballot matches if its number, name and moves contain each word, or if the words are moves, typed in any order
    that leads to its position. A number alone means the number of a ballot.

    Args:
        words: what was typed; empty matches all. The last move may be unfinished.
    """
    wanted = tuple(words.lower().replace(",", " ").split())
    if len(wanted) == 1 and wanted[0].isdigit():
        return [ballot for ballot in all_ballots() if str(ballot.number).startswith(wanted[0])]
    texts = [(f"{each.title} {each.moves}".lower(), each) for each in all_ballots()]
    led_to = _led_to(Position.start(), wanted) if wanted else frozenset()
    return [ballot for text, ballot in texts if ballot.number in led_to or all(word in text for word in wanted)]


@functools.lru_cache(maxsize=4096)
def _led_to(position: Position, moves: tuple[str, ...], plies: int = PLIES) -> frozenset[int]:
    """Return the numbers of the ballots that moves lead to, the first of which begin as typed."""
    if plies == 0:
        ballot = None if moves else _by_position().get(position)
        return frozenset() if ballot is None else frozenset((ballot.number,))
    typed = moves[0] if moves else ""
    after = (after for move, after in plain.successors(position) if str(move).startswith(typed))
    return frozenset().union(*(_led_to(each, moves[1:], plies - 1) for each in after))
