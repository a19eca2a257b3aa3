"""Traits: numbers of a game that a person can see on the board, computed from its moves alone."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from game.board import Position
from game.errors import InputError, one_line
from game.moves import Move, encode
from game.number_text import signed_text
from game.rules import MAX_MOVES

FEW_GAMES = 8
"""A player with fewer games that count has no reliable value of a trait."""


@dataclass(frozen=True)
class Trait:
    """A number of a game that a person can see.

    Attributes:
        name: its name in commands and files.
        text: its meaning, for people.
        unit: its unit.
        digits: number of decimals in texts.
        signed: whether texts have a sign for positive values.
    """

    name: str
    text: str
    unit: str
    digits: int = 2
    signed: bool = False

    def say(self, value: float) -> str:
        """Return a value as text, without the unit; ``-`` if it is unknown."""
        if not math.isfinite(value):
            return "-"
        return signed_text(value, self.digits) if self.signed else f"{value:.{self.digits}f}"


TRAITS = (
    Trait("back-row", "men that it keeps on its back row", "men"),
    Trait("advance", "distance of its men from its back row", "rows"),
    Trait("pieces", "pieces of both sides left on the board", "pieces", 1),
    Trait("centre", "its pieces on the four squares of the centre", "pieces"),
    Trait("wing", "its pieces on the left half of the board, less those on the right half", "pieces", 2, True),
    Trait("exchanges", "choices in which it offers an exchange, of those in which it could offer or avoid one", "%", 0),
    Trait("rim", "its men on the left and right edges of the board", "men"),
    Trait("first-king", "games in which it makes the first king, of those with a king", "%", 0),
    Trait("length", "its moves in a game", "moves", 1),
)
"""All traits, in the order of `game.traits_kernels`. All but the last two are means over the player's own moves 7 to
20, each in the position before the move, and count in games with at least 20 of them."""

_SCALES = np.array([100.0 if trait.unit == "%" else 1.0 for trait in TRAITS])


def numbers_of(names: Sequence[str]) -> tuple[int, ...]:
    """Return the indexes of traits in `TRAITS`.

    Raises:
        InputError: there is no trait of one of these names; the message names the nearest one.
    """
    known = [trait.name for trait in TRAITS]
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(name.lower(), known, 1, 0.4)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise InputError(f"{one_line(name)}: no such trait, expected one of {', '.join(known)}{hint}")
    return tuple(map(known.index, names))


def measure(codes: NDArray[np.uint32], start: Position | None = None) -> NDArray[np.float64]:
    """Measure the traits of both sides in one game.

    Args:
        codes: codes of its moves, as in `game.batch.games.Outcomes.codes`.
        start: its first position, by default the start of a game.

    Returns:
        float64 of shape (2, traits), for Black and White; NaN for traits for which the game does not count.

    Raises:
        InputError: a code does not belong to a legal move.
    """
    from game import traits_kernels
    from game.batch.games import follow

    first = start or Position.start()
    rows, indexes = follow(codes, first)
    sums = np.zeros((2, len(TRAITS), 2), np.int64)
    traits_kernels.measure(rows, indexes, first.side, np.empty((MAX_MOVES, 4), np.uint64), sums)
    terms = sums[..., 1]
    return np.where(terms > 0, _SCALES * sums[..., 0] / np.maximum(terms, 1), np.nan)


def measure_moves(moves: Sequence[Move], start: Position | None = None) -> NDArray[np.float64]:
    """Measure the traits of a game given by its moves; see `measure`."""
    side = (start or Position.start()).side
    return measure(np.array([encode(move, (side + ply) % 2) for ply, move in enumerate(moves)], np.uint32), start)


@dataclass(frozen=True)
class TraitMean:
    """The mean of a trait over games.

    Attributes:
        value: the mean; NaN without games.
        error: its standard error; NaN with fewer than two games.
        games: number of games that count.
    """

    value: float
    error: float
    games: int

    @classmethod
    def of(cls, values: Iterable[float]) -> TraitMean:
        """Return the mean of the values that are not NaN."""
        known = [value for value in values if not math.isnan(value)]
        count = len(known)
        mean = math.fsum(known) / count if count else math.nan
        if count < 2:
            return cls(mean, math.nan, count)
        variance = math.fsum((value - mean) ** 2 for value in known) / (count - 1)
        return cls(mean, math.sqrt(variance / count), count)


def means(games: Sequence[NDArray[np.float64]]) -> tuple[TraitMean, ...]:
    """Return the mean of each trait over the games of one player, float64 of shape (traits,) each."""
    table = np.array(games, np.float64).reshape(len(games), len(TRAITS))
    return tuple(TraitMean.of(column.tolist()) for column in table.T)
