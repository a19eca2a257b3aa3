"""Traits: numbers of a game that a person can see on the board, computed from its moves alone."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from game.board import Position
from game.errors import capital
from game.moves import Move, encode
from game.number_text import signed_text
from game.rules import MAX_MOVES

FEW_GAMES = 8
"""A player with fewer games that count has no reliable value of a trait."""


@dataclass(frozen=True)
class Trait:
    """A number of a game that a person can see.

    Attributes:
        text: its meaning, for people.
        signed: whether texts have a sign for positive values.
        low, high: the range that a map divides into cells by default. It contains the values of about nine in ten
            of 320 random genomes of pieces-65 at 3 plies.
        noise: the standard deviation of a single game of one player: the largest of six players, in 400 games each
            against the default opponents of ``inspect --traits``; for a share of games, the largest possible.
        little, much: what a player with a value at the low or the high end of this range does, for a sentence.
        less, more: the same as comparatives.
    """

    name: str
    text: str
    unit: str
    low: float
    high: float
    noise: float
    little: str
    much: str
    less: str
    more: str
    digits: int = 2
    signed: bool = False

    @property
    def middle(self) -> float:
        return (self.low + self.high) / 2

    def say(self, value: float) -> str:
        """Return a value as text, without the unit; ``-`` if it is unknown."""
        if not math.isfinite(value):
            return "-"
        return signed_text(value, self.digits) if self.signed else f"{value:.{self.digits}f}"


TRAITS = (
    Trait(name="back-row", unit="men", low=1.4, high=2.9, noise=0.53,
          text="men that it keeps on its back row",
          little="leaves its back row", much="holds its back row",
          less="fewer men on its back row", more="more men on its back row"),
    Trait(name="advance", unit="rows", low=1.2, high=1.7, noise=0.26,
          text="distance of its men from its back row",
          little="keeps its men back", much="advances early",
          less="men further back", more="men further forward"),
    Trait(name="pieces", unit="pieces", low=13.5, high=16.0, noise=1.6, digits=1,
          text="pieces of both sides left on the board",
          little="thins out the board", much="keeps the board full",
          less="fewer pieces on the board", more="more pieces on the board"),
    Trait(name="centre", unit="pieces", low=0.2, high=1.2, noise=0.5,
          text="its pieces on the four squares of the centre",
          little="leaves the centre", much="occupies the centre",
          less="fewer pieces in the centre", more="more pieces in the centre"),
    Trait(name="wing", unit="pieces", low=-1.0, high=2.0, noise=1.6, signed=True,
          text="its pieces on the left half of the board, less those on the right half",
          little="plays on the right wing", much="plays on the left wing",
          less="further to the right", more="further to the left"),
    Trait(name="exchanges", unit="%", low=10.0, high=45.0, noise=15.0, digits=0,
          text="choices in which it offers an exchange, of those in which it could offer or avoid one",
          little="avoids exchanges", much="offers exchanges",
          less="fewer exchanges", more="more exchanges"),
    Trait(name="rim", unit="men", low=1.5, high=3.0, noise=0.84,
          text="its men on the left and right edges of the board",
          little="stays off the edges", much="moves to the edges",
          less="fewer men on the edges", more="more men on the edges"),
    Trait(name="first-king", unit="%", low=20.0, high=70.0, noise=50.0, digits=0,
          text="games in which it makes the first king, of those with a king",
          little="is seldom first to a king", much="is often first to a king",
          less="less often first to a king", more="more often first to a king"),
    Trait(name="length", unit="moves", low=40.0, high=100.0, noise=32.0, digits=1,
          text="its moves in a game",
          little="plays short games", much="plays long games",
          less="shorter games", more="longer games"),
)  # fmt: skip
"""All traits, in the order of `game.traits_kernels`. All but the last two are means over the player's own moves 7 to
20, each in the position before the move, and count in games with at least 20 of them."""

_SCALES = np.array([100.0 if trait.unit == "%" else 1.0 for trait in TRAITS])


def measure(codes: NDArray[np.uint32], start: Position | None = None) -> NDArray[np.float64]:
    """Measure the traits of both sides in one game.

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
        error: its standard error; NaN with fewer than two games.
        games: number of games that count.
    """

    value: float
    error: float
    games: int

    @classmethod
    def of(cls, values: Iterable[float]) -> TraitMean:
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


PHRASES = 3
"""Maximum number of traits in a sentence."""
OUTER = 0.2
"""Share of a trait's range at each end in which a value is worth a phrase: the outer of five cells."""
NOTHING_SAID = "has no trait that stands out"


def outstanding(traits: Sequence[TraitMean]) -> list[tuple[int, bool]]:
    """Return the traits that a sentence on a player names: those that are furthest from the middle of their ranges.

    Each is an index of `TRAITS`, with whether the player has much of it; the furthest comes first.
    """
    shares = [(mean.value - trait.low) / (trait.high - trait.low) for trait, mean in zip(TRAITS, traits, strict=True)]
    known = [at for at, share in enumerate(shares) if traits[at].games >= FEW_GAMES and not OUTER <= share <= 1 - OUTER]
    outer = sorted(known, key=lambda at: -abs(shares[at] - 0.5))
    return [(at, shares[at] > 0.5) for at in outer[:PHRASES]]


def phrases_text(traits: Iterable[tuple[int, bool]]) -> str:
    """Return traits as a sentence: indexes of `TRAITS`, with whether a player has much of each."""
    text = ", ".join(TRAITS[index].much if much else TRAITS[index].little for index, much in traits) or NOTHING_SAID
    return f"{capital(text)}."


def sentence(traits: Sequence[TraitMean]) -> str:
    """Return a sentence on a player; empty if no trait has enough games."""
    return phrases_text(outstanding(traits)) if any(mean.games >= FEW_GAMES for mean in traits) else ""
