"""Fitting a curve of `game.review.chances` to half of the recorded games, and testing it on the other half."""

from __future__ import annotations

import hashlib
import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from game import plain
from game.board import Position
from game.errors import InputError
from game.pdn.game import Game
from game.review.chances import CURVES, FEWEST_PIECES, MOST_PIECES, ChanceCurve, Chances
from game.review.reviewing import Analyst
from game.rules import BLACK
from game.search.interface import WON

EVERY = 10
"""Plies between positions of a game that count; neighbouring ones are nearly the same."""

LEAST_MEN, MOST_MEN = 0.02, 5.0
"""Bounds of the constants, which would not converge for games without draws, or with a single score."""

LEAST = 100
"""The fewest positions for fitting a curve, and for testing it."""

LEAST_ROW = 400
"""The fewest positions in a row of the reliability table: enough to know a share to within five points."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A position of a recorded game.

    Attributes:
        score: of the side to move, in men.
        pieces: on the board.
        result: of the game for the side to move: 1, 0 or -1.
        tests: whether its game is used to test the curve that is fitted to the others.
    """

    score: float
    pieces: int
    result: int
    tests: bool


def samples(analyst: Analyst, game: Game, depth: int) -> Iterator[Sample]:
    """Yield every `EVERY`-th position of a game with a result, if the analyst's score is not a proved result."""
    if game.black_result is None:
        return
    tests = is_for_testing(game)
    position, history = game.start, list[Position]()
    for ply, move in enumerate(game.moves):
        if ply % EVERY == 0:
            finding = analyst.look(position, history, depth)
            if finding.verdict is None and finding.score is not None and abs(finding.score) < WON:
                pieces = (position.black | position.white).bit_count()
                result = game.black_result * (1 if position.side == BLACK else -1)
                yield Sample(finding.score, pieces, result, tests)
        history.append(position)
        position = plain.apply(position, move)


def is_for_testing(game: Game) -> bool:
    """Return whether a game is in the half for testing, by its moves, so that copies are in the same half."""
    return bool(hashlib.sha256(" ".join(map(str, game.moves)).encode()).digest()[0] % 2)


def fit(known: Sequence[Sample]) -> ChanceCurve:
    """Return the curve with the highest likelihood of these results.

    One constant after the other is changed by steps that become smaller, while this helps; four constants of a smooth
    function need nothing better.

    Raises:
        InputError: there are too few positions.
    """
    if len(known) < LEAST:
        raise InputError(f"{len(known)} positions of games with a result: a curve needs {LEAST} or more")
    scores, pieces, results = (np.array([getattr(each, name) for each in known]) for name in Sample.__slots__[:3])
    part = np.clip((MOST_PIECES - pieces) / (MOST_PIECES - FEWEST_PIECES), 0, 1)

    def loss(values: Sequence[float]) -> float:
        level, spread = (full + part * (few - full) for full, few in (values[:2], values[2:]))
        win, lost = (1 / (1 + np.exp(np.clip((level - each) / spread, -40, 40))) for each in (scores, -scores))
        likely = np.where(results > 0, win, np.where(results < 0, lost, 1 - win - lost))
        return float(-np.log(np.maximum(likely, 1e-9)).mean())

    values, step = [0.5, 0.5, 0.5, 0.5], 0.2
    best = loss(values)
    while step > 0.002:
        before = best
        for index, change in itertools.product(range(4), (-step, step)):
            tried = [
                min(max(value + (change if at == index else 0), LEAST_MEN), MOST_MEN) for at, value in enumerate(values)
            ]
            value = loss(tried)
            if value < best:
                best, values = value, tried
        if best == before:
            step /= 2
    return ChanceCurve((values[0], values[1]), (values[2], values[3]))


@dataclass(frozen=True, slots=True)
class ReliabilityRow:
    """Positions with about the same chance of a win, each counted for both sides.

    Attributes:
        low, high: bounds of the chance.
        positions: number of them.
        predicted: mean chance of a win.
        won: share that was won.
    """

    low: float
    high: float
    positions: int
    predicted: float
    won: float


@dataclass(frozen=True, slots=True)
class Calibration:
    """A curve fitted to half of the games, and its performance on the other half.

    Attributes:
        curve: the curve.
        fitted, tested: numbers of positions of both halves.
        log_loss: mean of -log of the probability of the result in the other half, by predictor: this curve, the
            program's curves, and the shares of results in the first half.
        rows: chances of a win and the shares that were won, in the other half.
    """

    curve: ChanceCurve
    fitted: int
    tested: int
    log_loss: dict[str, float]
    rows: tuple[ReliabilityRow, ...]

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    def report(self) -> str:
        (level, few_level), (spread, few_spread) = self.curve.level, self.curve.spread
        losses = ", ".join(f"{name} {loss:.3f}" for name, loss in self.log_loss.items())
        lines = [
            f"With {MOST_PIECES} pieces level {level:.3f} and spread {spread:.3f} men, with {FEWEST_PIECES} pieces "
            f"{few_level:.3f} and {few_spread:.3f}",
            f"Fitted to {self.fitted:,} positions; log loss on {self.tested:,} positions of the other games: {losses}",
            "",
            "chance to win   positions  predicted    won",
        ]
        for row in self.rows:
            span = f"{100 * row.low:.0f} to {100 * row.high:.0f} %"
            lines.append(f"{span:14} {row.positions:10,} {100 * row.predicted:8.1f} % {100 * row.won:5.1f} %")
        return "\n".join(lines)


def calibrate(known: Sequence[Sample]) -> Calibration:
    """Fit a curve to half of the games and test it on the other half.

    Raises:
        InputError: either half has too few positions.
    """
    first, other = ([each for each in known if each.tests == tests] for tests in (False, True))
    if len(other) < LEAST <= len(first):
        raise InputError(f"{len(other)} positions of games to test the curve on: expected {LEAST} or more")
    curve = fit(first)
    win, draw, loss = (sum(each.result == result for each in first) / len(first) for result in (1, 0, -1))
    curves = {"this curve": curve} | {f"that of {games.value}": present for games, present in CURVES.items()}
    losses = {name: _log_loss(other, present) for name, present in curves.items()}
    losses["shares of results"] = _log_loss(other, Chances(win, draw, loss))
    return Calibration(curve, len(first), len(other), losses, tuple(_rows(other, curve)))


def _log_loss(known: Sequence[Sample], given: ChanceCurve | Chances) -> float:
    total = 0.0
    for each in known:
        chances = given.at(each.score, each.pieces) if isinstance(given, ChanceCurve) else given
        likely = {1: chances.win, 0: chances.draw, -1: chances.loss}[each.result]
        total -= math.log(max(likely, 1e-9))
    return total / len(known)


def _rows(known: Sequence[Sample], curve: ChanceCurve) -> Iterator[ReliabilityRow]:
    """Yield tenths of the chance of a win; tenths with too few positions are joined with the next one."""
    seen = []
    for each in known:
        chances = curve.at(each.score, each.pieces)
        seen += [(chances.win, each.result > 0), (chances.loss, each.result < 0)]
    tenths = [[each for each in seen if tenth == min(int(10 * each[0]), 9)] for tenth in range(10)]
    low, here, left = 0, list[tuple[float, bool]](), len(seen)
    for tenth, chances_won in enumerate(tenths, 1):
        here += chances_won
        left -= len(chances_won)
        if tenth == 10 or min(len(here), left) >= LEAST_ROW:
            predicted, won = (sum(each[at] for each in here) / max(len(here), 1) for at in (0, 1))
            yield ReliabilityRow(low / 10, tenth / 10, len(here), predicted, won)
            low, here = tenth, []
