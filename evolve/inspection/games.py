"""Games that `inspect` plays: the best against plain players, and the champions of a run against each other.

All of them look as far as they did while they evolved, over the three-move ballots with both colours, from one fixed
seed: a report is the same whenever it is made. The champions meet as on a ladder of theirs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evolve.report import findings
from evolve.report.findings import Finding
from evolve.report.overview import IndividualOverview, RunOverview
from evolve.run.champions import Champion, read_champions
from evolve.run.conditions import PlayConditions
from evolve.strength import effort, ladder
from evolve.strength.effort import EvolvedPlayer
from evolve.strength.elo import RatingEstimate
from evolve.strength.match import MatchResult, play_match
from evolve.workers.pool import Pool
from game.players.basic import RandomPlayer
from game.search.limits import ONE_PLY, PLAIN

SEED = 1
CHAMPIONS = 12
"""Champions of at most so many generations play each other: 66 matches."""

AT_ONE_PLY = PlayConditions(ONE_PLY, PLAIN)

Show = Callable[[str], None]


@dataclass(frozen=True)
class Strength:
    """What a player does against the two plain ones.

    Attributes:
        player: its name.
        random: match against any legal move.
        material: match against a piece count.
        opponent: name of that, which says how far it looks.
        how: the player looked.
        as_evolved: whether that is how it evolved; False if nothing tells.
        learnt: whether it has learnt alone, without a population.
    """

    player: str
    random: MatchResult
    material: MatchResult
    opponent: str
    how: PlayConditions
    as_evolved: bool = True
    learnt: bool = False

    @property
    def findings(self) -> list[Finding]:
        """Warnings that these games give rise to."""
        how = effort.describe(self.how)
        played, known = self.random, self.as_evolved
        found = findings.check_random_level(
            self.player, played.estimate, played.games, how, as_evolved=known, learnt=self.learnt
        )
        return [found] if found else []


@dataclass(frozen=True)
class Tournament:
    """Champions of one run against each other.

    Attributes:
        champions: in order of generation.
        strengths: each of them against the plain players.
        matches: by the indexes of two champions, from the view of the first.
        ratings: Elo of each by these games, the first champion being 0.
        nodes: positions that each looked at for a move.
    """

    champions: tuple[Champion, ...]
    strengths: tuple[Strength, ...]
    matches: dict[tuple[int, int], MatchResult]
    ratings: tuple[RatingEstimate, ...]
    nodes: tuple[float | None, ...] = (None,)

    @property
    def names(self) -> list[str]:
        """Names of the champions."""
        return [champion.name for champion in self.champions]

    def scores(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Score of row's champion against column's, and the lower end of its 95 % interval; NaN on the diagonal."""
        size = len(self.champions)
        score, low = np.full((size, size), np.nan), np.full((size, size), np.nan)
        for (a, b), played in self.matches.items():
            estimate = played.estimate
            score[a, b], score[b, a] = estimate.score, 1 - estimate.score
            low[a, b], low[b, a] = estimate.low, 1 - estimate.high
        return score, low

    @property
    def findings(self) -> list[Finding]:
        """Warnings that these games give rise to."""
        found = [
            findings.check_circles(self.names, self.scores()[1]),
            findings.check_decline(self.names, self.ratings),
        ]
        return [each for each in found if each]


def champion_player(overview: RunOverview) -> EvolvedPlayer:
    """The newest champion of a run."""
    (champion,) = read_champions(overview.run.path, [overview.newest])
    return _as_evolved(overview, champion, champion.name)


def _as_evolved(overview: RunOverview, champion: Champion, name: str) -> EvolvedPlayer:
    config, how = overview.config, PlayConditions.of(overview.config.search, champion.generation)
    return effort.network_player(name, champion.weights, config.network, champion.king, how)


def individual_player(individual: IndividualOverview) -> EvolvedPlayer | None:
    """An individual as a player, at one ply if nothing tells how it evolved; None without weights or a network."""
    of = individual.of
    if of.spec is None or not individual.weights.size:
        return None
    how = PlayConditions.of(of.search, of.generation) if of.search and of.generation is not None else AT_ONE_PLY
    return effort.network_player(individual.name, individual.weights, of.spec, individual.king, how)


def strength(
    player: EvolvedPlayer,
    games: int | None = None,
    show: Show = lambda text: None,
    *,
    pool: Pool | None = None,
    as_far_as: PlayConditions | None = None,
    evolved: bool = True,
    learnt: bool = False,
) -> Strength:
    """Play against the plain players.

    Args:
        player: whose view the results take.
        games: against each of them, even; by default as many as `progress` plays.
        show: told what is being played.
        pool: plays the games; this process alone if None. No result depends on it.
        as_far_as: how the piece count looks, by default like the player.
        evolved: whether the player looks as it did while it evolved.
        learnt: whether it has learnt alone, without a population.

    Raises:
        InputError: an odd number of games or less than 2.
    """
    how = PlayConditions(player.limits, player.style)
    number = effort.usual_games(how) if games is None else games
    material = effort.material_player(as_far_as or how)
    played = []
    for opponent in (RandomPlayer(), material):
        show(f"{player.name} against {opponent.name}")
        played.append(play_match(player, opponent, number, seed=SEED, pool=pool))
    return Strength(player.name, played[0], played[1], material.name, how, evolved, learnt)


def tournament(
    overview: RunOverview, games: int | None = None, show: Show = lambda text: None, *, pool: Pool | None = None
) -> Tournament:
    """Let champions of a run, rated ones first, and the best of those, play each other and the plain players.

    Args:
        overview: of the run.
        games: of each match, even; by default as many as `progress` plays.
        show: told what is being played.
        pool: plays the games; this process alone if None. No result depends on it.

    Raises:
        InputError: an odd number of games or less than 2, or a damaged hall of fame.
    """
    generations = overview.history.milestones(CHAMPIONS)
    champions = read_champions(overview.run.path, generations)
    newest = PlayConditions.of(overview.config.search, overview.newest)
    number = effort.usual_games(newest) if games is None else games
    strengths = [
        strength(_as_evolved(overview, each, each.name), number, show, pool=pool, as_far_as=newest)
        for each in champions
    ]
    if len(champions) < 2:
        return Tournament(tuple(champions), tuple(strengths), {}, (RatingEstimate(0.0, 0.0, 0.0),))
    # Individuals may lead several generations, and each name is there once on a ladder.
    players = [_as_evolved(overview, each, f"{overview.run.name}@{each.generation}") for each in champions]
    meetings = ladder.round_robin(len(players))

    def tell(meeting: int, _: int, __: int) -> None:
        one, other = meetings[meeting]
        show(f"{champions[one].name} against {champions[other].name}")

    result = ladder.play(players, meetings, number, seed=SEED, pool=pool, progress=tell)
    return Tournament(
        tuple(champions),
        tuple(strengths),
        {(each.a, each.b): each.result for each in result.pairings},
        tuple(each.rating for each in result.standings),
        tuple(each.nodes for each in result.standings),
    )
