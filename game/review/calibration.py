"""Fitting the curve of `game.review.chances` to recorded games: what scores of the analyst came to."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from game import plain
from game.board import Position
from game.errors import InputError
from game.pdn.game import Game
from game.review.chances import FEWEST_PIECES, MOST_PIECES, Curve
from game.review.looking import Analyst
from game.rules import BLACK
from game.search.result import WON

RESULTS = {"1-0": 1, "1/2-1/2": 0, "0-1": -1}

EVERY = 10
"""Plies from one position of a game that counts to the next: neighbours say the same."""

EDGES = (-3.0, -2.0, -1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0)
"""Men between which scores are told together."""

LEAST_MEN, MOST_MEN = 0.05, 5.0
"""Bounds of the constants: games without a draw, or of one score, would have them go on for ever."""

LEAST = 100
"""Positions that say something about a curve."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A position of a recorded game.

    Attributes:
        score: of the mover, in men.
        pieces: on the board.
        result: of the game for the mover: 1, 0 or -1.
    """

    score: float
    pieces: int
    result: int


def samples(analyst: Analyst, game: Game, depth: int) -> Iterator[Sample]:
    """Every `EVERY`-th position of a game with a result where the analyst has an opinion and no certainty."""
    if game.result not in RESULTS:
        return
    position, history = game.start, list[Position]()
    for ply, move in enumerate(game.moves):
        if ply % EVERY == 0:
            finding = analyst.look(position, history, depth)
            if finding.verdict is None and finding.score is not None and abs(finding.score) < WON:
                pieces = (position.black | position.white).bit_count()
                yield Sample(finding.score, pieces, RESULTS[game.result] * (1 if position.side == BLACK else -1))
        history.append(position)
        position = plain.apply(position, move)


def fit(known: Sequence[Sample]) -> Curve:
    """The curve that makes these results likeliest.

    One constant after the other is moved by steps that become smaller, as long as that helps; four constants of a
    smooth function need nothing better.

    Raises:
        InputError: too few positions.
    """
    if len(known) < LEAST:
        raise InputError(f"{len(known)} positions of games with a result: a curve needs {LEAST} or more")
    scores, pieces, results = (np.array([getattr(each, name) for each in known]) for name in Sample.__slots__)
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
            found = loss(tried)
            if found < best:
                best, values = found, tried
        if best == before:
            step /= 2
    return Curve((values[0], values[1]), (values[2], values[3]))


def report(known: Sequence[Sample], curve: Curve) -> str:
    """The curve, and what came of scores beside what it says."""
    (level, few_level), (spread, few_spread) = curve.level, curve.spread
    lines = [
        f"With {MOST_PIECES} pieces level {level:.2f} and spread {spread:.2f} men, with {FEWEST_PIECES} pieces "
        f"{few_level:.2f} and {few_spread:.2f}; from {len(known):,} positions",
        "",
        "men            positions  won   drawn lost   by the curve",
    ]
    for low, high in itertools.pairwise((-math.inf, *EDGES, math.inf)):
        here = [each for each in known if low <= each.score < high]
        if here:
            seen = [sum(each.result == result for each in here) / len(here) for result in (1, 0, -1)]
            said = [curve.at(each.score, each.pieces) for each in here]
            means = [sum(getattr(each, name) for each in said) / len(said) for name in ("win", "draw", "loss")]
            span = f"{low:+.1f} to {high:+.1f}".replace("-inf to", "below").replace(" to +inf", " and up")
            lines.append(f"{span:14} {len(here):9,} {_percents(seen)}   {_percents(means)}")
    return "\n".join(lines)


def _percents(shares: Sequence[float]) -> str:
    return " ".join(f"{100 * share:3.0f} %" for share in shares)
