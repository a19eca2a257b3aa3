"""Openings for matches: the start of a game, and ballots of two and three moves.

A ballot is a position after two (three) plies in which neither side loses a man by force: a search that counts
material, with quiescence, finds that material stays even. All depths from 5 to 13 give the same ballots: 47 after two
plies (43 are played traditionally), 174 after three (including the 156 of the federation's deck). They are stored in
``data/ballots.txt``; a test finds them anew.
"""

from __future__ import annotations

import functools
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

LENGTHENING_TRIES = 100
"""Random sequences that `lengthen` tries before it gives up."""


@dataclass(frozen=True, slots=True)
class Opening:
    moves: tuple[Move, ...]
    position: Position

    @property
    def name(self) -> str:
        """The moves, such as ``9-13 21-17 5-9``; ``start`` if there are none."""
        return " ".join(map(str, self.moves)) or "start"


START = Opening((), Position.start())


@functools.cache
def openings(kind: str) -> tuple[Opening, ...]:
    """Return the openings of one of `KINDS`, in the order of their moves (`game.moves.successors`).

    There are 47 two-move ballots, Black to move, and 174 three-move ballots, White to move. Different orders of moves
    can lead to the same position; each position is one ballot, with the first order that leads to it.

    Raises:
        InputError: unknown kind; the message lists the known ones.
    """
    if kind not in KINDS:
        raise InputError(f"openings: expected one of {', '.join(KINDS)}, got {kind!r}")
    if kind == "start":
        return (START,)
    lines = [line.split() for line in BALLOTS.read_text(encoding="ascii").splitlines() if not line.startswith("#")]
    return tuple(_play(line) for line in lines if len(line) == PLIES[kind])


def _play(line: list[str]) -> Opening:
    opening = START
    for text in line:
        move = moves.parse_move(opening.position, text)
        opening = Opening((*opening.moves, move), moves.apply(opening.position, move))
    return opening


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
