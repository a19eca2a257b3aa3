"""What first moves cost by the curve of a review, and by the results of people.

    python -m tests.measurements.first_moves FILE [--player NAME] [--depth PLIES]

FILE has games of people in PDN. Each different game counts once, if it begins at the start position and has a result.
The games are halved by their moves, as in `tests.measurements.calibration`. The share by which scores count less at the
start (`AT_START` in `game.review.chances`) is fitted to the costs in each half, and gives the costs for the other half.
So results are compared with a curve that was fitted without them.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from evolve.game_review import open_analyst
from evolve.run.runs import SHIPPED_RUNS
from game.board import Position
from game.pdn.check import read_records
from game.review.chances import AT_START, CURVES, MOST_PIECES, GameKind
from game.review.reviewing import DEEPER, DEPTH
from game.search.interface import Limits
from tests.measurements.calibration import is_for_testing

LEAST = 300
"""Minimum number of games of a first move in the table."""

Points = dict[str, list[float]]
"""Black's points in each game, by the first move."""


def read_points(source: str) -> tuple[Points, Points]:
    """Return the results of all different games: those of the half for fitting, and those of the half for testing."""
    halves: tuple[Points, Points] = (defaultdict(list), defaultdict(list))
    known = set()
    for record in read_records(source):
        game = record.game
        if game is None or game.black_result is None or game.start != Position.start() or game.moves in known:
            continue
        known.add(game.moves)
        if game.moves:
            halves[is_for_testing(game)][str(game.moves[0])].append((game.black_result + 1) / 2)
    return halves


def first_scores(player: str | None = None, depth: int = DEPTH + DEEPER) -> dict[str, float]:
    """Return the scores of the first moves by an analyst, in men, best first."""
    finding = open_analyst(player, SHIPPED_RUNS).look(Position.start(), (), Limits(depth))
    return {str(line.move): line.score for line in sorted(finding.lines, key=lambda line: -line.score)}


def costs(scores: Mapping[str, float], less: float = AT_START) -> dict[str, float]:
    """Return the costs of first moves by the curve, if scores count less by this share."""
    curve = CURVES[GameKind.PEOPLE]
    points = {move: curve.at((1 - less) * score, MOST_PIECES).points for move, score in scores.items()}
    return {move: max(points.values()) - each for move, each in points.items()}


def costs_to_people(scores: Mapping[str, float], points: Points) -> dict[str, float]:
    """Return the costs of first moves by results, for the moves that occur."""
    best = float(np.mean(points[next(iter(scores))]))
    return {move: best - float(np.mean(points[move])) for move in scores if points.get(move)}


def fit(scores: Mapping[str, float], points: Points) -> float:
    """Return the share whose costs differ least from those by results, in squares."""
    people = costs_to_people(scores, points)

    def loss(less: float) -> float:
        result = costs(scores, less)
        return sum(len(points[move]) * (result[move] - cost) ** 2 for move, cost in people.items())

    return min((step / 100 for step in range(100)), key=loss)


def report(scores: Mapping[str, float], halves: tuple[Points, Points]) -> str:
    """Return the table of costs, and the largest differences."""
    fitted = [fit(scores, half) for half in halves]
    unseen = [costs(scores, less) for less in reversed(fitted)]  # by half
    both: Points = {move: halves[0].get(move, []) + halves[1].get(move, []) for move in scores}
    rows = [move for move in scores if len(both[move]) >= LEAST]
    people = costs_to_people(scores, both)
    shares = {move: [len(half.get(move, [])) / len(both[move]) for half in halves] for move in rows}
    result = {move: sum(share * each[move] for share, each in zip(shares[move], unseen, strict=True)) for move in rows}
    errors = {move: float(np.std(both[move])) / math.sqrt(len(both[move])) for move in rows}
    lines = [
        f"Scores count less by {fitted[0]:.2f} and {fitted[1]:.2f} in the two halves, shipped {AT_START:.2f}",
        "",
        "move    games  score  cost by results  by the curve fitted without them  by the shipped curve",
    ]
    for move in rows:
        error = math.hypot(errors[move], errors[rows[0]]) if move != rows[0] else 0.0
        lines.append(
            f"{move:6} {len(both[move]):6,} {scores[move]:+.3f}     {people[move]:.3f} +- {error:.3f} "
            f"{result[move]:33.3f} {costs(scores)[move]:21.3f}"
        )
    largest = max(abs(result[move] - people[move]) for move in rows)
    lines += ["", f"Largest difference between results and the curve fitted without them: {largest:.3f}"]
    for half, expected in zip(halves, unseen, strict=True):
        differences = {move: abs(expected[move] - cost) for move, cost in costs_to_people(scores, half).items()}
        worst = max(differences, key=differences.__getitem__)
        lines.append(f"In one half alone: {differences[worst]:.3f}, of {worst}")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.measurements.first_moves")
    parser.add_argument("file", type=Path, help="games of people in PDN")
    parser.add_argument("--player", help="the analyst (default: that of reviews)")
    parser.add_argument("--depth", type=int, default=DEPTH + DEEPER, help="depth of the search, in plies")
    options = parser.parse_args(arguments)
    print(report(first_scores(options.player, options.depth), read_points(str(options.file))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
