"""Pairings of a tournament, their scores, points and standings: pure functions of results and a generator."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from evolve.kinds.kind import choice, switch, whole

Indexes = NDArray[np.int64]

Play = Callable[[Indexes], "Scores"]
"""Plays pairings, int64 of shape (pairings, 2), and returns their scores; the first player has Black in the first
game."""


@dataclass(frozen=True)
class Scores:
    """Results of pairings: int64 of shape (pairings,), the games won by either player, of `games` in each."""

    first: Indexes
    second: Indexes
    games: int = 1

    @property
    def draws(self) -> Indexes:
        return self.games - self.first - self.second

    @property
    def margin(self) -> Indexes:
        """1 if the first player has won the pairing, -1 if the second has, 0 for a draw; an array over pairings."""
        return np.asarray(np.sign(self.first - self.second), np.int64)


@dataclass(frozen=True)
class Points:
    """Points for results."""

    win: int = whole(3, -100, 100, "for a win")
    draw: int = whole(1, -100, 100, "for a draw")
    loss: int = whole(0, -100, 100, "for a loss")
    each: str = choice(
        "pairing",
        ("pairing", "game"),
        "what points are given for: each pairing (whoever wins more of its games wins it), or each game",
        lambda config: config.games.a_pairing > 1,
    )
    sharing: bool = switch(
        False,
        "competitive fitness sharing: the last stages rank by opponents beaten, then by points; an opponent is worth "
        "1 / (number of players that beat it)",
    )


def shuffle(players: Indexes, generator: np.random.Generator) -> Indexes:
    return players[generator.permutation(len(players))]


def knockout_round(players: Indexes, play: Play, generator: np.random.Generator, ties: str) -> Indexes:
    """Play one knock-out round of random pairs; return the winners in order of index.

    Tied pairs play again: with ``pool``, all tied players are shuffled and paired anew; with ``swap``, the same pair
    plays with colours swapped.

    Source: David Cowan, CheckersAI (2022), for the pool.
    """
    pairs = shuffle(players, generator).reshape(-1, 2)
    margin = play(pairs).margin
    winners = [_winners(pairs, margin)]
    tied = pairs[margin == 0]
    if len(tied):
        # A pool brings other opponents together; a swap gives both players the other colour.
        again = shuffle(tied.reshape(-1), generator).reshape(-1, 2) if ties == "pool" else tied[:, ::-1]
        margin = play(again).margin
        # Coins are tossed for all pairs, needed or not, so that results do not change which numbers come next.
        coins = 1 - 2 * generator.integers(0, 2, len(again))
        winners.append(_winners(again, np.where(margin == 0, coins, margin)))
    return np.sort(np.concatenate(winners))


def _winners(pairs: Indexes, margin: Indexes) -> Indexes:
    return np.concatenate([pairs[margin > 0, 0], pairs[margin < 0, 1]])


def round_robin_pairs(members: Indexes, generator: np.random.Generator) -> Indexes:
    """Return every pair of the members once, with random colours; int64 of shape (pairs, 2).

    If `members` has two dimensions, each row is a group, and pairs are formed within groups.
    """
    first, second = np.triu_indices(members.shape[-1], 1)
    pairs = np.stack([members[..., first], members[..., second]], axis=-1).reshape(-1, 2)
    # Colours are drawn for each pair, so that no place in the order has an advantage.
    swap = generator.integers(0, 2, len(pairs)).astype(bool)
    pairs[swap] = pairs[swap, ::-1]
    return pairs


def random_opponents(members: Indexes, games: int, generator: np.random.Generator) -> Indexes:
    """Return pairs of each member with `games` random other members; int64 of shape (pairs, 2).

    Source: Chellapilla and Fogel (1999).
    """
    count = len(members)
    # Opponents are drawn with replacement, as in the source: some play more often than others, and a pair can meet
    # twice. Each member has Black in its own pairs.
    opponents = generator.integers(0, count - 1, (count, games))
    opponents += opponents >= np.arange(count)[:, np.newaxis]  # no member plays itself
    return np.stack([np.repeat(members, games), members[opponents.reshape(-1)]], axis=1)


def hall_of_fame_opponents(members: Indexes, champions: Indexes) -> Indexes:
    """Return the pairs of every member with every champion; int64 of shape (pairs, 2).

    Members have Black against every other champion.
    """
    pairs = np.stack([np.repeat(members, len(champions)), np.tile(champions, len(members))], axis=1)
    # Every member meets a champion with the same colour, so members can be compared.
    white = np.tile(np.arange(len(champions)) % 2 == 1, len(members))
    pairs[white] = pairs[white, ::-1]
    return pairs


def mirror_images(members: Indexes, games: int) -> Indexes:
    """Pair each mutant with its mirror image, its neighbour, `games` times; int64 of shape (pairs, 2)."""
    return np.repeat(members.reshape(-1, 2), games, axis=0)


def share_fitness(beaten: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return shared fitness: the fewer players beat an opponent, the more a win against it counts.

    Args:
        beaten: bool of shape (players, opponents), whether each player has beaten each opponent.

    Returns:
        float64 of shape (players,): the sum of 1 / (number of players that beat the opponent) over the opponents that
        a player has beaten. Sums are rounded to nine places, so that equal ones compare as equal.

    Source: Rosin and Belew, New methods for competitive coevolution (1997).
    """
    # Exact sums, rounded: the order in which shares are added must not decide between equal players.
    victors = beaten.sum(axis=0)
    worth = 1.0 / np.maximum(victors, 1)
    return np.array([round(math.fsum(worth[row]), 9) for row in beaten])


def award_points(scores: Scores, points: Points) -> tuple[Indexes, Indexes]:
    """Return the points of the first and of the second player of each pairing."""
    sides = []
    for won, lost in ((scores.first, scores.second), (scores.second, scores.first)):
        if points.each == "game":
            sides.append(points.win * won + points.draw * scores.draws + points.loss * lost)
        else:
            sides.append(np.where(won > lost, points.win, np.where(won == lost, points.draw, points.loss)))
    return sides[0], sides[1]


@dataclass(frozen=True)
class MemberPoints:
    """Sums over pairings, int64, in the order of the members: points, and pairings won."""

    points: Indexes
    wins: Indexes


def add_up(members: Indexes, pairs: Indexes, scores: Scores, points: Points) -> MemberPoints:
    """Add up the points and wins of the members over the pairings among them."""
    position = {int(player): place for place, player in enumerate(members)}
    total = np.zeros(len(members), np.int64)
    wins = np.zeros(len(members), np.int64)
    sides = (pairs[:, 0], scores.margin), (pairs[:, 1], -scores.margin)
    for (players, margin), gained in zip(sides, award_points(scores, points), strict=True):
        places = np.array([position[int(player)] for player in players], np.int64)
        # A player occurs in several pairings: `total[places] += gained` would count one of them.
        np.add.at(total, places, gained)
        np.add.at(wins, places, (margin > 0).astype(np.int64))
    return MemberPoints(total, wins)


def play_groups(
    players: Indexes, play: Play, generator: np.random.Generator, size: int, advance: int, points: Points
) -> Indexes:
    """Play a round robin in each of several random groups; return the best of each group in order of index.

    Points decide, then wins, then the order of the shuffle.
    """
    groups = shuffle(players, generator).reshape(-1, size)
    pairs = round_robin_pairs(groups, generator)
    table = add_up(groups.reshape(-1), pairs, play(pairs), points)
    places = np.broadcast_to(np.arange(size), groups.shape)
    order = np.lexsort((places, -table.wins.reshape(-1, size), -table.points.reshape(-1, size)))
    return np.sort(np.take_along_axis(groups, order[:, :advance], axis=1).reshape(-1))


LEADER = 0
"""Index of the mean of the parents, in generations that have one. The mean is ranked first whatever its results, since
all the games of its parents say more about it than its own."""


@dataclass
class Tally:
    """Games, results and points of each individual in stages that count; int64 arrays of shape (individuals,)."""

    size: int
    games: Indexes = field(init=False)
    wins: Indexes = field(init=False)
    draws: Indexes = field(init=False)
    losses: Indexes = field(init=False)
    points: Indexes = field(init=False)

    def __post_init__(self) -> None:
        for name in ("games", "wins", "draws", "losses", "points"):
            setattr(self, name, np.zeros(self.size, np.int64))

    def add(self, pairs: Indexes, scores: Scores, points: Points) -> None:
        """Add the games of pairings. Players that are not individuals, such as old champions, are left out."""
        gained = award_points(scores, points)
        for side, won, lost in ((0, scores.first, scores.second), (1, scores.second, scores.first)):
            counted = pairs[:, side] < self.size
            players = pairs[counted, side]
            np.add.at(self.games, players, scores.games)
            np.add.at(self.wins, players, won[counted])
            np.add.at(self.draws, players, scores.draws[counted])
            np.add.at(self.losses, players, lost[counted])
            np.add.at(self.points, players, gained[side][counted])

    def best_first(self, players: Indexes) -> Indexes:
        return players[np.lexsort((players, -self.points[players]))]


class PointsTable:
    """Points and wins in the stages that rank; they add up from stage to stage."""

    def __init__(self, players: int, points: Points, *, led: bool) -> None:
        self._rules, self._led = points, led
        self._points = np.zeros(players, np.int64)
        self._beaten = np.zeros((players, players) if points.sharing else (0, 0), np.bool_)
        self.wins = np.zeros(players, np.int64)

    def add(self, members: Indexes, pairs: Indexes, scores: Scores) -> None:
        """Add pairings among the members."""
        sums = add_up(members, pairs, scores, self._rules)
        self._points[members] += sums.points
        self.wins[members] += sums.wins
        if self._rules.sharing:
            # Sharing counts whom a player has beaten, not how often.
            for winners, losers in (pairs[scores.margin > 0].T, pairs[scores.margin < 0, ::-1].T):
                self._beaten[winners, losers] = True

    def clear(self) -> None:
        """Set all points to zero."""
        for array in (self._points, self._beaten, self.wins):
            array[...] = 0

    def best_first(self, players: Indexes, ties: Sequence[NDArray[np.int64]]) -> Indexes:
        """Return players by shared fitness (if active), then by points, then by tie-breaking keys."""
        # `numpy.lexsort` sorts by the last key first.
        keys: list[NDArray[np.generic]] = [*ties, -self._points[players]]
        if self._rules.sharing:
            keys.append(-share_fitness(self._beaten[players]))
        if self._led:
            keys.append(players != LEADER)
        return players[np.lexsort(keys)]
