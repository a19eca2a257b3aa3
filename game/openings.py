"""Openings for matches: two-move and three-move ballots, computed by a rule instead of copied from a list.

A ballot is a position after two (three) plies in which neither side loses a man by force: a search that counts
material, with quiescence, finds that material stays even. All depths from 5 to 13 give the same ballots: 47 after two
plies (43 are played traditionally), 174 after three (including the 156 of the federation's deck). They are stored in
``data/ballots.txt``, which ``python -m game.openings`` computes and writes.
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

if TYPE_CHECKING:  # the caller, who created the generator, has loaded numpy
    from numpy.random import Generator

PLIES = {"start": 0, "two-move": 2, "three-move": 3}
"""Length of the openings of each kind."""

KINDS = tuple(PLIES)
"""The kinds of openings."""

BALLOTS = Path(__file__).parent / "data" / "ballots.txt"
"""One ballot per line, its moves as in PDN; lines with # are comments."""

SEARCH_DEPTH = 7
"""Search depth of `python -m game.openings`."""

LENGTHENING_TRIES = 100
"""Random sequences that `lengthen` tries before it gives up."""

_KING_HALVES = 3  # values are in halves of a man, a king is worth three; counting kings as men gives the same ballots


@dataclass(frozen=True, slots=True)
class Opening:
    """An opening of a game."""

    moves: tuple[Move, ...]
    position: Position

    @property
    def name(self) -> str:
        """The moves, such as ``9-13 21-17 5-9``; ``start`` if there are none."""
        return " ".join(map(str, self.moves)) or "start"


def openings(kind: str) -> tuple[Opening, ...]:
    """Return the openings of one of `KINDS`, in a fixed order.

    Raises:
        InputError: unknown kind; the message lists the known ones.
    """
    if kind == "start":
        return (start(),)
    if kind == "two-move":
        return two_move_ballots()
    if kind == "three-move":
        return three_move_ballots()
    raise InputError(f"openings: expected one of {', '.join(KINDS)}, got {kind!r}")


def start() -> Opening:
    """Return the start position as an opening without moves."""
    return Opening((), Position.start())


def two_move_ballots() -> tuple[Opening, ...]:
    """Return the 47 two-move ballots, Black to move, in the order of their moves (`game.moves.successors`)."""
    return _read_ballots(2)


def three_move_ballots() -> tuple[Opening, ...]:
    """Return the 174 three-move ballots, White to move, in the order of their moves.

    Different orders of moves can lead to the same position; each position is one ballot, with the first order that
    leads to it.
    """
    return _read_ballots(3)


def lengthen(opening: Opening, plies: int, generator: Generator) -> Opening:
    """Return the opening followed by `plies` random moves, each chosen uniformly from the legal ones.

    If the game ends too early, all moves are chosen again.

    Raises:
        InputError: `plies` is below 0, or all of `LENGTHENING_TRIES` sequences ended the game.
    """
    if plies < 0:
        raise InputError(f"plies: expected 0 or more random moves, got {plies}")
    for _ in range(LENGTHENING_TRIES):
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
    raise InputError(f"plies: no random game from {opening.name} lasts {plies} more plies: choose fewer")


def find_ballots(plies: int, depth: int) -> list[Opening]:
    """Find the ballots by the rule that defines them; this computes ``data/ballots.txt``.

    Args:
        plies: length of a ballot.
        depth: plies of full-width search, followed by quiescence.
    """
    first_orders: dict[Position, Opening] = {}
    for opening in _all_lines(start(), plies):
        first_orders.setdefault(opening.position, opening)
    known: dict[tuple[Position, int, int], bool] = {}
    return [
        opening
        for opening in first_orders.values()
        if _keeps(opening.position, depth, 0, known) and not _keeps(opening.position, depth, 1, known)
    ]


def _all_lines(opening: Opening, plies: int) -> Iterator[Opening]:
    if plies == 0:
        yield opening
        return
    for move, after in moves.successors(opening.position):
        yield from _all_lines(Opening((*opening.moves, move), after), plies - 1)


def _keeps(position: Position, depth: int, bound: int, known: dict[tuple[Position, int, int], bool]) -> bool:
    """Return whether the side to move can force a material balance (in halves of a man) of at least `bound`.

    Alpha-beta with a zero window, since the answer is yes or no. A side without moves has lost everything.
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
    """Return the contents of the file of ballots, from searches of this depth."""
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
    return tuple(_play(line) for line in lines if len(line) == plies)


def _play(line: list[str]) -> Opening:
    opening = start()
    for text in line:
        move = moves.parse_move(opening.position, text)
        opening = Opening((*opening.moves, move), moves.apply(opening.position, move))
    return opening


if __name__ == "__main__":
    BALLOTS.write_text(ballots_text(SEARCH_DEPTH), encoding="ascii", newline="\n")
