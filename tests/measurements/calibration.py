"""Fitting a curve of `game.review.chances` to half of the recorded games, and testing it on the other half.

    python -m tests.measurements.calibration FILE [--player NAME] [--depth PLIES] [--games NUMBERS]

A position of each ten plies of a game is used, unless its result is proved. A player scores it as in a review.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from evolve.game_review import ALL, Numbers, open_analyst, selected_records
from evolve.run.runs import SHIPPED_RUNS
from evolve.session.reporters import CountingLine
from game import plain
from game.board import Position
from game.errors import InputError
from game.pdn.game import Game
from game.review.chances import CURVES, FEWEST_PIECES, MOST_PIECES, ChanceCurve, Chances
from game.review.reviewing import DEPTH, Analyst
from game.rules import BLACK
from game.search.interface import WON, Limits

EVERY = 10
"""Only every tenth position of a game counts, since neighbouring ones are nearly the same."""

LEAST_MEN, MOST_MEN = 0.02, 5.0
"""Bounds of the constants, which would not converge for games without draws, or with a single score."""

LEAST = 100
"""Minimum number of positions for fitting a curve, and for testing it."""

LEAST_ROW = 400
"""Minimum number of positions in a row of the reliability table, which gives a share to within five points."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A position of a recorded game.

    Attributes:
        score: score of the side to move, in men.
        pieces: number of pieces on the board.
        result: result of the game for the side to move: 1, 0 or -1.
        tests: whether its game belongs to the half for testing.
    """

    score: float
    pieces: int
    result: int
    tests: bool


def samples(analyst: Analyst, game: Game, depth: int) -> Iterator[Sample]:
    """Yield every `EVERY`-th position of a game that has a result, except positions whose result is proved."""
    if game.black_result is None:
        return
    tests = is_for_testing(game)
    position, history = game.start, list[Position]()
    for ply, move in enumerate(game.moves):
        if ply % EVERY == 0:
            finding = analyst.look(position, history, Limits(depth))
            if finding.verdict is None and finding.score is not None and abs(finding.score) < WON:
                pieces = (position.black | position.white).bit_count()
                result = game.black_result * (1 if position.side == BLACK else -1)
                yield Sample(finding.score, pieces, result, tests)
        history.append(position)
        position = plain.apply(position, move)


def is_for_testing(game: Game) -> bool:
    """Return whether a game belongs to the half for testing; its moves decide, so copies are in the same half."""
    return bool(hashlib.sha256(" ".join(map(str, game.moves)).encode()).digest()[0] % 2)


def fit(known: Sequence[Sample]) -> ChanceCurve:
    """Return the curve with the highest likelihood of these results.

    The four constants are changed in turn, by steps that become smaller when no change helps. This is good enough for a
    smooth function.

    Raises:
        InputError: there are too few positions.
    """
    if len(known) < LEAST:
        raise InputError(f"{len(known)} positions of games with a result: a curve needs {LEAST} or more")
    scores, pieces, results = (np.array([getattr(one, name) for one in known]) for name in Sample.__slots__[:3])
    part = np.clip((MOST_PIECES - pieces) / (MOST_PIECES - FEWEST_PIECES), 0, 1)

    def loss(values: Sequence[float]) -> float:
        level, spread = (full + part * (few - full) for full, few in (values[:2], values[2:]))
        win, lost = (1 / (1 + np.exp(np.clip((level - leads) / spread, -40, 40))) for leads in (scores, -scores))
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
    """Positions with about the same chance of a win. Each position counts once for each side.

    Attributes:
        low, high: bounds of the chance.
        positions: number of positions.
        predicted: mean chance of a win.
        won: share of positions that were won.
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
        fitted, tested: numbers of positions in the two halves.
        log_loss: mean of -log of the probability of the result in the second half, by predictor: this curve, the
            program's curves, and the shares of results in the first half.
        rows: predicted and actual shares of wins in the second half.
    """

    curve: ChanceCurve
    fitted: int
    tested: int
    log_loss: dict[str, float]
    rows: tuple[ReliabilityRow, ...]

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
    first, other = ([one for one in known if one.tests == tests] for tests in (False, True))
    if len(other) < LEAST <= len(first):
        raise InputError(f"{len(other)} positions of games to test the curve on: expected {LEAST} or more")
    curve = fit(first)
    win, draw, loss = (sum(one.result == result for one in first) / len(first) for result in (1, 0, -1))
    curves = {"this curve": curve} | {f"the curve for {games.value}": present for games, present in CURVES.items()}
    losses = {name: _log_loss(other, present) for name, present in curves.items()}
    losses["shares of results"] = _log_loss(other, Chances(win, draw, loss))
    return Calibration(curve, len(first), len(other), losses, tuple(_rows(other, curve)))


def _log_loss(known: Sequence[Sample], given: ChanceCurve | Chances) -> float:
    total = 0.0
    for one in known:
        chances = given.at(one.score, one.pieces) if isinstance(given, ChanceCurve) else given
        likely = {1: chances.win, 0: chances.draw, -1: chances.loss}[one.result]
        total -= math.log(max(likely, 1e-9))
    return total / len(known)


def _rows(known: Sequence[Sample], curve: ChanceCurve) -> Iterator[ReliabilityRow]:
    """Yield a row for each tenth of the chance of a win; a tenth with too few positions is joined with the next one."""
    seen = []
    for one in known:
        chances = curve.at(one.score, one.pieces)
        seen += [(chances.win, one.result > 0), (chances.loss, one.result < 0)]
    tenths = [[pair for pair in seen if tenth == min(int(10 * pair[0]), 9)] for tenth in range(10)]
    low, here, left = 0, list[tuple[float, bool]](), len(seen)
    for tenth, chances_won in enumerate(tenths, 1):
        here += chances_won
        left -= len(chances_won)
        if tenth == 10 or min(len(here), left) >= LEAST_ROW:
            predicted, won = (sum(pair[at] for pair in here) / max(len(here), 1) for at in (0, 1))
            yield ReliabilityRow(low / 10, tenth / 10, len(here), predicted, won)
            low, here = tenth, []


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.measurements.calibration")
    parser.add_argument("file", help="recorded games in PDN")
    parser.add_argument("--player", help="the analyst (default: that of reviews)")
    parser.add_argument("--depth", type=int, default=DEPTH, help="depth of the searches, in plies")
    parser.add_argument("--games", metavar="NUMBERS", help="only these games, such as 1-900/3")
    options = parser.parse_args(arguments)
    line, known = CountingLine(), list[Sample]()
    try:
        analyst = open_analyst(options.player, SHIPPED_RUNS)
        numbers = ALL if options.games is None else Numbers.of(options.games)
        for record in selected_records(options.file, numbers):
            if record.game is not None and record.whole:
                known += samples(analyst, record.game, options.depth)
                line.count(f"game {record.number:,}: {len(known):,} positions")
        line.count()
        print(calibrate(known).report())
    except InputError as error:
        parser.error(str(error))
    return 0


if __name__ == "__main__":
    sys.exit(main())
