"""What windows of squares say about a position, fitted to searches, beside the networks of the shipped champions.

    python -m tests.measurements.windows play FILE [--games N] [--seed N]
    python -m tests.measurements.windows fit FILE [--only NUMBER,...] [--part SHARE] [--penalty X]

The first form plays games of `crownhead` against itself, with the searches of its last stage of learning, and keeps the
positions with the scores of the searches. The second fits the value of a position, a sum of weights of what stands on
it, to these scores by logistic regression, once for each of `FORMS`. For each it prints the number of weights, the log
loss on every tenth game, from which nothing is learnt, and the rank correlation of the values with the judge of the
gauge, without a search, with 95 % intervals (`tests.measurements.gauge`). Positions of the gauge are not learnt from.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import minimize
from scipy.special import expit

from evolve.names.registration import register
from evolve.run.folder import Run
from evolve.run.runs import CHAMPION_RUN, FROZEN_RUN, SHIPPED_RUNS
from evolve.workers.processes import SharedRows, share
from extras.learning.own_games import SEARCHED_A_TASK, play_searches
from extras.learning.zero_games import TreeGames, joined
from game.networks.evaluator import Evaluator, rows_seen
from game.networks.forward import inputs_of
from game.networks.windows import window_squares
from game.players.registry import player
from tests.measurements import gauge

FAR = 1000
"""A generation that the champion's run does not have, so that its games are not those from which it has learnt."""
PIECES = 24
NINE = window_squares()
BACK_RANKS = (tuple(range(8)), tuple(range(24, 32)))
"""Both back rows of each side."""
STOP = {"maxiter": 200, "ftol": 1e-7, "gtol": 1e-9}
ROW = "{:,} | {:.4f} | {:.3f} ({:.3f} to {:.3f}) | {:+.3f} ({:+.3f} to {:+.3f})"
SURE = 0.9999
"""Largest expected result of a network that is turned into log odds."""

Rows = NDArray[np.uint64]
Values = NDArray[np.float64]


@dataclass(frozen=True)
class Form:
    """What the value of a position is a sum of.

    Attributes:
        tables: whether pieces on squares count, own less the opponent's, and the side to move.
        windows: the squares of each window.
        kings: whether kings are states of windows, beside men.
        tied: whether windows have the same value to both sides, so that they do not depend on whose move it is.
        by_kings: whether phases depend on which sides have kings, beside the number of pieces.
        beside: the shipped run whose network counts, too, by a factor.
    """

    tables: bool = True
    windows: tuple[tuple[int, ...], ...] = ()
    kings: bool = False
    tied: bool = False
    by_kings: bool = False
    beside: str = ""

    def matrix(self, rows: Rows) -> Any:
        """Return the positions as a sparse matrix of shape (positions, weights), whose product with weights is values.

        Each phase has the cells of all windows, men and kings by square, and the side to move.
        """
        inputs = inputs_of(rows)
        parts = [self._cells(inputs)] if self.windows else []
        if self.tied and parts:
            parts[0] -= self._cells(inputs[:, [2, 3, 0, 1], ::-1])
        if self.tables:
            pieces = (inputs[:, :2] - inputs[:, 2:, ::-1]).reshape(len(rows), -1)
            parts += [sparse.csr_matrix(pieces), sparse.csr_matrix(np.ones((len(rows), 1)))]
        phases = []
        later = (PIECES - inputs.sum(axis=(1, 2))) / PIECES
        kings = inputs[:, [1, 3]].any(axis=2) @ [1, 2]
        for which in range(4) if self.by_kings else [None]:
            for blend in (1 - later, later) if parts else ():
                shares = blend if which is None else blend * (kings == which)
                phases.append(sparse.diags(shares) @ sparse.hstack(parts, format="csr"))
        if self.beside:
            phases.append(sparse.csr_matrix(log_odds(self.beside, rows)[:, None]))
        whole = sparse.hstack(phases, format="csr").astype(np.float32)
        whole.eliminate_zeros()
        return whole

    def _cells(self, inputs: NDArray[np.float32]) -> Any:
        """Return the state of each window as a matrix of ones, of shape (positions, windows x states)."""
        states, digits = (5, (1, 3, 2, 4)) if self.kings else (3, (1, 0, 2, 0))
        squares = np.array(self.windows)
        number = states ** squares.shape[1]
        board = np.tensordot(inputs, np.array(digits, np.float32), (1, 0)).astype(np.int64)
        cells = board[:, squares] @ states ** np.arange(squares.shape[1]) + number * np.arange(len(squares))
        ends = np.arange(len(inputs) + 1) * len(squares)
        return sparse.csr_matrix((np.ones(cells.size), cells.ravel(), ends), (len(inputs), number * len(squares)))


TODAY = Form(windows=NINE)
"""The form of `crownhead-2`."""
EVERYTHING = Form(windows=NINE + BACK_RANKS, kings=True, by_kings=True)
FORMS = {
    "men, 3 states (crownhead-2's form)": TODAY,
    f"the network of {FROZEN_RUN}": Form(tables=False, beside=FROZEN_RUN),
    f"the network of {CHAMPION_RUN}": Form(tables=False, beside=CHAMPION_RUN),
    "no windows": Form(),
    "men, whatever the side to move": replace(TODAY, tied=True),
    "men and kings, 5 states": replace(TODAY, kings=True),
    "men, back ranks": replace(TODAY, windows=NINE + BACK_RANKS),
    "men, phases by pieces and kings": replace(TODAY, by_kings=True),
    "all": EVERYTHING,
    f"the network of {CHAMPION_RUN}, and men": replace(TODAY, beside=CHAMPION_RUN),
    f"the network of {CHAMPION_RUN}, and all": replace(EVERYTHING, beside=CHAMPION_RUN),
}


def log_odds(run: str, rows: Rows) -> Values:
    """Return the values of the champion of a shipped run to the side to move, as log odds if they are results."""
    network = player(str(SHIPPED_RUNS / run)).network
    assert network is not None
    scores = Evaluator(*network).score_rows(np.hstack([rows, np.ones((len(rows), 1), np.uint64)])).astype(np.float64)
    if network[0].heads is None:
        return scores
    return 2 * np.arctanh(np.clip(scores, -SURE, SURE))


def without_unused(matrix: Any) -> Any:
    """Return a sparse matrix without its empty columns."""
    used, columns = np.unique(matrix.indices, return_inverse=True)
    return sparse.csr_matrix((matrix.data, columns.astype(np.int32), matrix.indptr), (matrix.shape[0], len(used)))


def losses(values: Values, points: Values) -> Values:
    """Return the log loss of each position whose value is the log odds of its points."""
    return np.logaddexp(0.0, values) - points * values


def fit(matrix: Any, points: Values, penalty: float) -> Values:
    """Return the weights with the smallest sum of losses and `penalty` times half their squares (quasi-Newton)."""
    # In these units the curvature of all weights is similar, whether they count in all positions or in one.
    unit = 1 / np.sqrt(0.2 * np.asarray(matrix.multiply(matrix).sum(axis=0), float).ravel() + penalty)

    def loss(scaled: Values) -> tuple[float, Values]:
        weights = unit * scaled
        values = (matrix @ weights.astype(np.float32)).astype(float)
        slope = matrix.T @ (expit(values) - points).astype(np.float32) + penalty * weights
        total = losses(values, points).sum() + penalty / 2 * weights @ weights
        return total / len(points), unit * slope / len(points)

    weights: Values = unit * minimize(loss, np.zeros(len(unit)), jac=True, method="L-BFGS-B", options=STOP).x
    return weights


def play(path: Path, games: int, seed: int) -> None:
    """Play games, and save positions, the scores of the searches, and the number of the game of each."""
    network = player(str(SHIPPED_RUNS / CHAMPION_RUN)).network
    assert network is not None
    genomes = SharedRows(1, len(network[1]))
    genomes.put([network[1]], np.ones(1, np.float32))
    share(genomes)
    config, parts = replace(Run(SHIPPED_RUNS / CHAMPION_RUN).config(), seed=seed), []
    for first in range(0, games, SEARCHED_A_TASK):
        part = play_searches(TreeGames(config, FAR, (first, min(first + SEARCHED_A_TASK, games)), 0))
        assert part is not None
        parts.append(part)
    played = joined(parts)
    np.savez_compressed(path, rows=played.rows, values=played.values, games=played.games)
    took = time.process_time()
    print(f"{games:,} games, {len(played.rows):,} positions, {played.evaluations:,} evaluations, {took:,.0f} CPU s")


def compare(path: Path, forms: dict[str, Form], part: float, penalty: float) -> None:
    """Fit all forms to a part of the games, and print a table."""
    with np.load(path) as saved:
        rows, points, games = saved["rows"], (1 + saved["values"].astype(np.float64)) / 2, saved["games"]
    judged = gauge.read_positions()
    measured = rows_seen([each.position for each in judged])
    known = set(map(tuple, measured.tolist()))
    fresh = np.array([tuple(row) not in known for row in rows.tolist()])
    rows, points, games = rows[fresh], points[fresh], games[fresh]
    count, held_out = len(rows), games % 10 == 0
    learnt = np.flatnonzero(~held_out & (games <= part * games.max()))
    unseen = np.flatnonzero(held_out)
    print(f"{len(learnt):,} positions to learn from, {len(unseen):,} of other games")
    print("| value | weights | loss | rank correlation | above the first | CPU s |")
    judge, first = np.array([each.score for each in judged]), np.empty(0)
    samples = np.random.default_rng(0).integers(len(judged), size=(gauge.RESAMPLES, len(judged)))
    for name, form in forms.items():
        began = time.process_time()
        matrix = without_unused(form.matrix(np.vstack([rows, measured])))
        weights = fit(matrix[learnt], points[learnt], penalty)
        values = matrix[unseen] @ weights, matrix[count:] @ weights
        whole, *sampled = (gauge.rank_correlation(values[1][at], judge[at]) for at in (slice(None), *samples))
        series = np.array([whole, *sampled])
        first = first if len(first) else series
        numbers = [np.count_nonzero(weights), losses(values[0], points[unseen]).mean()]
        for each in (series, series - first):
            one = gauge.Correlation.of(len(judged), float(each[0]), each[1:])
            numbers += [one.value, one.low, one.high]
        took = time.process_time() - began
        print(f"| {name} | {ROW.format(*numbers)} | {took:.0f} |", flush=True)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.measurements.windows")
    parser.add_argument("action", choices=("play", "fit"))
    parser.add_argument("file", type=Path)
    parser.add_argument("--games", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--part", type=float, default=1.0, help="share of the games that forms learn from")
    parser.add_argument("--penalty", type=float, default=4.0, help="factor of half the sum of squared weights")
    parser.add_argument("--only", type=lambda text: text.split(","), help="numbers of forms, from 0")
    options = parser.parse_args(arguments)
    register(SHIPPED_RUNS)
    if options.action == "play":
        play(options.file, options.games, options.seed)
    else:
        names = list(FORMS) if options.only is None else [list(FORMS)[int(number)] for number in options.only]
        compare(options.file, {name: FORMS[name] for name in names}, options.part, options.penalty)
    return 0


if __name__ == "__main__":
    sys.exit(main())
