"""Players of matches, and pairs of games by a model of strength that knows nothing of how it is estimated."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from evolve.strength.elo import expected_score
from evolve.strength.match import MatchResult
from game.networks.named import CNN_247
from game.players.network import NetworkPlayer

Chances = tuple[float, float, float, float, float]


def pair_chances(elo: float, *, draws: float = 0.0, lopsided: float = 0.0) -> Chances:
    """Chances of a pair's results (0, 1/2, 1, 1 1/2 and 2 points) of somebody who is `elo` stronger.

    Args:
        elo: difference of strength, which decides the mean score of both games together.
        draws: chance of a draw in each game, as far as its mean score has room for so many.
        lopsided: what the opening gives to one colour in points, and takes from the other; the two games of a pair
            depend on each other by that.
    """
    results = [0.0] * 5
    for sign in (1, -1):  # the opening is good for Black, or for White
        games = []
        for colour in (1, -1):
            mean = expected_score(elo) + sign * colour * lopsided
            assert 0 <= mean <= 1
            drawn = min(draws, 2 * mean, 2 * (1 - mean))
            games.append((1 - mean - drawn / 2, drawn, mean - drawn / 2))
        for one, first in enumerate(games[0]):
            for other, second in enumerate(games[1]):
                results[one + other] += first * second / 2
    return results[0], results[1], results[2], results[3], results[4]


def network(seed: int) -> NetworkPlayer:
    weights = np.random.default_rng(seed).uniform(-1, 1, CNN_247.weights).astype(np.float32)
    return NetworkPlayer(f"network-{seed}", weights)


def timeless(result: MatchResult) -> MatchResult:
    return replace(result, seconds=0.0)
