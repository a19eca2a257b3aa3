"""Openings to play matches from: two-move and three-move ballots, found by a rule instead of taken from a list.

A ballot is a position after two (three) plies in which neither side loses a man by force: alpha-beta on material with
captures resolved says that material stays even. Depths from 5 to 13 all give the same ballots: 47 after two plies
(tradition plays 43), 174 after three (the federation's deck of 156 is among them). They are kept in
``data/ballots.txt``; ``python -m game.openings`` finds them again and writes that file.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from game import moves
from game.board import Position
from game.errors import InputError
from game.moves import Move

if TYPE_CHECKING:  # numpy is loaded by who makes the generator
    from numpy.random import Generator

PLIES = {"start": 0, "two-move": 2, "three-move": 3}
"""How long the openings of each kind are."""

KINDS = tuple(PLIES)
"""What `openings` knows."""

BALLOTS = Path(__file__).parent / "data" / "ballots.txt"
"""One ballot a line, its moves as in PDN; lines with # say what the file is."""

SEARCH_DEPTH = 7
"""Plies that `python -m game.openings` looks ahead."""

LENGTHENING_DRAWS = 100
"""How often `lengthened` draws before it gives up."""

_KING_HALVES = 3  # a king counts one and a half men, a man two halves; men alone give the same ballots


@dataclass(frozen=True, slots=True)
class Opening:
    """A start for a game.

    Attributes:
        moves: from the start of the game; none for the start itself.
        position: after these moves.
    """

    moves: tuple[Move, ...]
    position: Position

    @property
    def name(self) -> str:
        """The moves, such as ``9-13 21-17 5-9``; ``start`` if there are none."""
        return " ".join(map(str, self.moves)) or "start"


def openings(kind: str) -> tuple[Opening, ...]:
    """The openings of one of `KINDS`, in a fixed order.

    Raises:
        InputError: another kind; the text names those that there are.
    """
    if kind == "start":
        return (start(),)
    if kind == "two-move":
        return two_move_ballots()
    if kind == "three-move":
        return three_move_ballots()
    raise InputError(f"openings: expected one of {', '.join(KINDS)}, got {kind!r}")


def start() -> Opening:
    """The start of the game, without moves."""
    return Opening((), Position.start())


def two_move_ballots() -> tuple[Opening, ...]:
    """The 47 two-move ballots, Black to move, in the order of their moves (`game.moves.successors`)."""
    return _read_ballots(2)


def three_move_ballots() -> tuple[Opening, ...]:
    """The 174 three-move ballots, White to move, in the order of their moves.

    Moves in another order can lead to the same position: each ballot is another position, and has the first of its
    orders.
    """
    return _read_ballots(3)


def lengthened(opening: Opening, plies: int, generator: Generator) -> Opening:
    """The opening and `plies` random moves more, each drawn evenly from the legal ones.

    Where the game ends too early all moves are drawn anew, so the side to move always has a legal move, and every
    long enough sequence keeps its chance. Rules of draws do not count here.

    Raises:
        InputError: `plies` below 0, or so many that none of `LENGTHENING_DRAWS` draws lasted.
    """
    if plies < 0:
        raise InputError(f"plies: expected 0 or more random moves, got {plies}")
    for _ in range(LENGTHENING_DRAWS):
        played, position = list(opening.moves), opening.position
        legal = moves.successors(position)
        for _ in range(plies):
            if not legal:
                break
            move, position = legal[int(generator.integers(len(legal)))]
            played.append(move)
            legal = moves.successors(position)
        if legal and len(played) == len(opening.moves) + plies:
            return Opening(tuple(played), position)
    raise InputError(f"plies: no random game from {opening.name} lasts for {plies} more, take fewer")


def find_ballots(plies: int, depth: int) -> list[Opening]:
    """Search for ballots by the rule that defines them; the files of the package come from here.

    Args:
        plies: how many moves a ballot has.
        depth: plies of full-width search; captures are searched to their end behind them.
    """
    first_ways: dict[Position, Opening] = {}
    for opening in _all_lines(start(), plies):
        first_ways.setdefault(opening.position, opening)
    known: dict[tuple[Position, int, int], bool] = {}
    return [
        opening
        for opening in first_ways.values()
        if _keeps(opening.position, depth, 0, known) and not _keeps(opening.position, depth, 1, known)
    ]


def _all_lines(opening: Opening, plies: int) -> Iterator[Opening]:
    if plies == 0:
        yield opening
        return
    for move, after in moves.successors(opening.position):
        yield from _all_lines(Opening((*opening.moves, move), after), plies - 1)


def _keeps(position: Position, depth: int, bound: int, known: dict[tuple[Position, int, int], bool]) -> bool:
    """Whether the side to move can force a balance of material (halves of a man) of at least `bound`.

    Alpha-beta with a null window: one bit is all that a ballot asks for. A side without moves has lost everything.
    """
    key = (position, depth, bound)
    answer = known.get(key)
    if answer is None:
        after = moves.successors(position)
        if depth == 0 and after and not after[0][0].captured:
            answer = _balance(position) >= bound
        else:
            rest = max(depth - 1, 0)
            answer = any(not _keeps(reply, rest, 1 - bound, known) for _, reply in after)
        known[key] = answer
    return answer


def _balance(position: Position) -> int:
    men = position.own.bit_count() - position.opponent.bit_count()
    kings = (position.own & position.kings).bit_count() - (position.opponent & position.kings).bit_count()
    return 2 * men + (_KING_HALVES - 2) * kings


def ballots_text(depth: int) -> str:
    """The contents of the file of ballots, from a search of this depth."""
    lines = [
        "# Ballots: positions after two and three plies in which neither side loses a man by force.",
        "# Found by `python -m game.openings`, which writes this file; a test finds them anew.",
    ]
    for plies in (2, 3):
        lines += [opening.name for opening in find_ballots(plies, depth)]
    return "\n".join(lines) + "\n"


@functools.cache
def _read_ballots(plies: int) -> tuple[Opening, ...]:
    lines = [line.split() for line in BALLOTS.read_text(encoding="ascii").splitlines() if not line.startswith("#")]
    return tuple(_played(line) for line in lines if len(line) == plies)


def _played(line: list[str]) -> Opening:
    opening = start()
    for text in line:
        move = moves.parse_move(opening.position, text)
        opening = Opening((*opening.moves, move), moves.apply(opening.position, move))
    return opening


if __name__ == "__main__":
    BALLOTS.write_text(ballots_text(SEARCH_DEPTH), encoding="ascii", newline="\n")
