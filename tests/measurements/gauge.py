"""A gauge of evaluations: how well a player's scores agree with a deep search, without playing games.

    python -m tests.measurements.gauge PLAYER ... [--depth N] [--runs FOLDER]

The gauge is a file of quiet positions with the scores of a judge, a player that searched each of them for a long time
(docs/ratings.md describes them). A player is measured by the rank correlation of its scores
with these. It takes seconds and shows which of two evaluations is worth a match; games decide.

The judge is one of this program's own players, so the gauge favours evaluations that are like the judge's.

Source: rank correlation: Spearman, The proof and measurement of association between two things (1904); percentile
bootstrap: Efron and Tibshirani, An Introduction to the Bootstrap (1993), chapter 13.
"""

from __future__ import annotations

import argparse
import functools
import hashlib
import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evolve.names.registration import register
from evolve.run.runs import FROZEN_RUN
from evolve.session.reporters import CountingLine
from game.board import Position
from game.errors import InputError
from game.number_text import plies_text
from game.players.names import parse_name
from game.players.registry import player
from game.regular_files import read_regular
from game.review.judged import GamePhase, phase_of
from game.review.reviewing import Analyst
from game.search.interface import Limits

FILE = Path(__file__).parents[1] / "data" / "gauge.tsv"
"""A heading with a checksum, then one position per line: its origin, its FEN, and the judge's score."""

JUDGE_NODES = 1_000_000
JUDGE = f"{FROZEN_RUN},nodes={JUDGE_NODES},tablebase=4"
"""The player whose scores are in the file."""

ALL = "all"
"""The group of all positions."""

RESAMPLES = 1000
"""Number of bootstrap samples of the positions."""

MOST_BYTES = 1 << 20


class PositionOrigin(StrEnum):
    """Sources of positions."""

    PLAYED = "played"
    """Random positions of games between players of this program."""
    DISPUTED = "disputed"
    """Positions of such games in which a search of 1,500 nodes and one of 100,000 nodes disagree."""


@dataclass(frozen=True, slots=True)
class GaugePosition:
    """A quiet position with the judge's score.

    Attributes:
        origin: its source.
        position: the position.
        score: the judge's score, in men, as seen by the side to move; a proved win as in `game.search.interface`.
    """

    origin: PositionOrigin
    position: Position
    score: float


@dataclass(frozen=True, slots=True)
class Correlation:
    """The rank correlation of a player's scores with the judge's, or the difference of two such correlations.

    Attributes:
        positions: the number of positions.
        value: the correlation, from -1 to 1; NaN if all scores of a series are equal.
        low, high: the 95 % interval, percentiles of resampled positions; NaN if it is undefined in a sample.
    """

    positions: int
    value: float
    low: float
    high: float

    @classmethod
    def of(cls, positions: int, value: float, sampled: NDArray[np.float64]) -> Correlation:
        low, high = np.percentile(sampled, (2.5, 97.5)).tolist()
        return cls(positions, value, low, high)


@dataclass(frozen=True)
class Reading:
    """The correlations of the scores of one player.

    Attributes:
        player: its name.
        depth: depth of its searches in plies.
        groups: correlations by group of positions; the group `ALL` contains all of them.
        above: how much its correlation over all positions exceeds that of the first player, with the same resampled
            positions; None for the first player.
    """

    player: str
    depth: int
    groups: dict[str, Correlation]
    above: Correlation | None = None


def read_positions(path: Path = FILE) -> list[GaugePosition]:
    """Read the positions of the gauge.

    Raises:
        InputError: the file is damaged.
        OSError: the file cannot be read.
    """
    heading, _, lines = read_regular(path, MOST_BYTES).partition(b"\n")
    if not lines or _heading(lines) != heading.decode(errors="replace"):
        raise InputError(f"{path}: damaged: its checksum does not match its positions")
    rows = (line.split("\t") for line in lines.decode().splitlines())
    return [GaugePosition(PositionOrigin(origin), Position.from_fen(fen), float(score)) for origin, fen, score in rows]


def _heading(lines: bytes) -> str:
    """Return the first line of a file with these lines of positions."""
    digest = hashlib.sha256(lines).hexdigest()
    return f"# origin, position, score by {JUDGE} in men for the side to move; SHA-256 of the lines below: {digest}"


def scores(
    analyst: Analyst, positions: Sequence[Position], limits: Limits, progress: Callable[[int], None] = lambda _: None
) -> NDArray[np.float64]:
    """Return the scores of positions, float64 of shape (positions,), as `score` does.

    Args:
        analyst: the player whose scores are wanted.
        positions: the positions.
        limits: limits of each search.
        progress: called with the number of finished positions.
    """
    values = np.empty(len(positions))
    for index, position in enumerate(positions):
        values[index] = score(analyst, position, limits)
        progress(index + 1)
    return values


def score(analyst: Analyst, position: Position, limits: Limits) -> float:
    """Return the score of a position, in men, as seen by the side to move; earlier searches do not influence it.

    Raises:
        EvaluationError: a value of the analyst's network is not a finite number.
    """
    value = analyst.look(position, (), limits, all_scores=False).score
    assert value is not None, "an analyst searches"
    return value


def rank_correlation(first: NDArray[np.float64], second: NDArray[np.float64]) -> float:
    """Return Spearman's rank correlation of two series; equal values share the mean of their ranks.

    The result is NaN if all values of a series are equal.
    """
    ranks = [_ranks(values) for values in (first, second)]
    spread = math.prod(float(each.std()) for each in ranks)
    return float(np.mean(np.prod([each - each.mean() for each in ranks], axis=0))) / spread if spread else math.nan


def _ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2)[places]


def groups(positions: Sequence[GaugePosition]) -> dict[str, NDArray[np.bool_]]:
    """Return the groups that are reported, as masks of shape (positions,); groups without positions are left out."""
    kings = np.array([bool(each.position.kings) for each in positions])
    phases = [phase_of(each.position) for each in positions]
    masks = {ALL: np.ones(len(positions), np.bool_), "without kings": ~kings, "with kings": kings}
    masks |= {phase.value: np.array([each is phase for each in phases]) for phase in GamePhase}
    masks |= {origin.value: np.array([each.origin is origin for each in positions]) for origin in PositionOrigin}
    return {name: mask for name, mask in masks.items() if mask.any()}


def readings(
    names: Sequence[str],
    depth: int,
    positions: Sequence[GaugePosition],
    series: Sequence[NDArray[np.float64]],
    generator: np.random.Generator,
) -> list[Reading]:
    """Compare the scores of players with the judge's.

    Args:
        names: the players.
        depth: depth of their searches in plies.
        positions: the judged positions.
        series: the scores of each player, float64 of shape (positions,).
        generator: chooses the resampled positions, the same ones for all players.
    """
    judge = np.array([each.score for each in positions])
    masks = groups(positions)
    drawn = {name: generator.choice(np.flatnonzero(mask), (RESAMPLES, int(mask.sum()))) for name, mask in masks.items()}
    result, reference = list[Reading](), np.empty(0)
    for name, values in zip(names, series, strict=True):
        sampled = {
            group: np.array([rank_correlation(values[chosen], judge[chosen]) for chosen in samples])
            for group, samples in drawn.items()
        }
        correlations = {
            group: Correlation.of(int(mask.sum()), rank_correlation(values[mask], judge[mask]), sampled[group])
            for group, mask in masks.items()
        }
        above = None
        if result:
            first = result[0].groups[ALL]
            difference = correlations[ALL].value - first.value
            above = Correlation.of(first.positions, difference, sampled[ALL] - reference)
        else:
            reference = sampled[ALL]
        result.append(Reading(name, depth, correlations, above))
    return result


def report(read: Sequence[Reading]) -> str:
    """Return the readings as one table for each player."""
    parts = []
    for reading in read:
        lines = [f"{reading.player}, {plies_text(reading.depth)}"]
        lines.append(f"{'positions':<14} {'number':>6}   rank correlation with the judge, 95 %")
        for group, one in reading.groups.items():
            value = "none: equal scores" if math.isnan(one.value) else f"{one.value:6.3f}{_interval(one)}"
            lines.append(f"{group:<14} {one.positions:>6,}   {value}")
        if reading.above is not None and not math.isnan(reading.above.value):
            lines.append(f"above {read[0].player}: {reading.above.value:+.3f}{_interval(reading.above, '+')}")
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def _interval(one: Correlation, sign: str = "") -> str:
    return "" if math.isnan(one.low) else f" ({one.low:{sign}.3f} to {one.high:{sign}.3f})"


def analyst_of(name: str) -> Analyst:
    """Return a player as an analyst, without tablebases unless its name asks for them.

    A reading must not depend on the tables that a machine has.
    """
    parsed = parse_name(name)
    if "tablebase" in parsed.allowed and "tablebase" not in parsed.options:
        return Analyst(player(parsed.with_options(tablebase="no").text))
    return Analyst(player(name))


def measure(
    names: Sequence[str],
    depth: int,
    judged: Sequence[GaugePosition],
    show: Callable[..., None] = lambda *texts: None,
) -> list[Reading]:
    """Return the readings of players.

    Args:
        names: the players.
        depth: depth of their searches in plies.
        judged: positions with scores of the judge.
        show: called regularly with a description of what is done.

    Raises:
        InputError: there is no such player, it does not score moves, or the depth is out of range.
    """
    limits, analysts = Limits(depth), [analyst_of(name) for name in names]

    def count(name: str, total: int, done: int) -> None:
        show(f"{name}: {done:,} of {total:,} positions")

    positions = [each.position for each in judged]
    series = [
        scores(analyst, positions, limits, functools.partial(count, name, len(positions)))
        for analyst, name in zip(analysts, names, strict=True)
    ]
    return readings(names, depth, judged, series, np.random.default_rng(0))


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.measurements.gauge")
    parser.add_argument("players", metavar="PLAYER", nargs="+")
    parser.add_argument("--depth", type=int, default=1, help="depth of the searches, in plies (default: 1)")
    parser.add_argument("--runs", type=Path, default=Path("populations"))
    options = parser.parse_args(arguments)
    register(options.runs)
    line = CountingLine()
    try:
        print(report(measure(options.players, options.depth, read_positions(), line.count)))
    except InputError as error:
        parser.error(str(error))
    finally:
        line.count()
    return 0


if __name__ == "__main__":
    sys.exit(main())
