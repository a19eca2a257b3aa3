"""Games that `inspect` plays: the best against plain players, and the champions of a run against each other.

All of them at one ply, over the three-move ballots with both colours, from one fixed seed: a report is the same
whenever it is made.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evolve.config.model import Search
from evolve.report import findings
from evolve.report.findings import Finding
from evolve.report.overview import RunOverview
from evolve.report.population import IndividualOverview
from evolve.run import append_only
from evolve.run.facts import Champion, read_champions
from evolve.run.log import spaced
from evolve.strength.bradley_terry import Match, fit_bradley_terry
from evolve.strength.elo import Rating
from evolve.strength.match import MatchResult, play_match
from game.generator import derive_seed
from game.networks.spec import Spec
from game.players.material import MaterialPlayer
from game.players.network import NetworkPlayer
from game.players.protocol import Player
from game.players.random import RandomPlayer

SEED = 1
CHAMPIONS = 12
"""Champions of at most so many generations play each other: 66 matches."""

Show = Callable[[str], None]


@dataclass(frozen=True)
class Strength:
    """What a player does against the two plain ones.

    Attributes:
        player: its name.
        random: match against any legal move.
        material: match against a piece count after the own move.
        evolved: how it looked where it was evolved, as in ``4 plies ahead``; empty at one ply, None if nothing tells.
    """

    player: str
    random: MatchResult
    material: MatchResult
    evolved: str | None = None

    @property
    def findings(self) -> list[Finding]:
        """Warnings that these games give rise to."""
        found = findings.random_level(self.player, self.random.estimate, self.random.games, self.evolved)
        return [found] if found else []


@dataclass(frozen=True)
class Tournament:
    """Champions of one run against each other.

    Attributes:
        champions: in order of generation.
        strengths: each of them against the plain players.
        matches: by the indexes of two champions, the first being the smaller, all from its view.
        ratings: Elo of each by these games, the first champion being 0.
        evolved: how they looked where they were evolved; empty at one ply.
    """

    champions: tuple[Champion, ...]
    strengths: tuple[Strength, ...]
    matches: dict[tuple[int, int], MatchResult]
    ratings: tuple[Rating, ...]
    evolved: str = ""

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
            findings.beaten_in_circles(self.names, self.scores()[1], self.evolved),
            findings.past_its_best(self.names, self.ratings, self.evolved),
        ]
        return [each for each in found if each]


def network_player(name: str, weights: NDArray[np.float32], spec: Spec, king: float | None) -> NetworkPlayer:
    """A genome as a player, one ply deep."""
    return NetworkPlayer(name, weights, 0, spec, king)


def champion_player(overview: RunOverview) -> NetworkPlayer:
    """The newest champion of a run."""
    (champion,) = read_champions(overview.run.path / append_only.HALL_OF_FAME, [overview.newest])
    return network_player(champion.name, champion.weights, overview.config.network, champion.king)


def individual_player(individual: IndividualOverview) -> NetworkPlayer | None:
    """An individual as a player; None if its weights or its network are not known."""
    spec = individual.of.spec
    if spec is None or not individual.weights.size:
        return None
    return network_player(individual.name, individual.weights, spec, individual.king)


def evolved(search: Search, generation: int) -> str:
    """How individuals of a generation looked where they were evolved, in words; empty at one ply."""
    like = MaterialPlayer(limits=search.limits(generation), style=search.style())
    return like.describe_search() if like.looks_ahead() else ""


def strength(player: Player, games: int, show: Show = lambda text: None, *, evolved: str | None = None) -> Strength:
    """Play against the plain players.

    Args:
        player: whose view the results take.
        games: against each of them; even.
        show: told what is being played.
        evolved: how it looked where it was evolved; empty at one ply, None if nothing tells.

    Raises:
        InputError: an odd number of games or less than 2.
    """
    plain: list[Player] = [RandomPlayer(), MaterialPlayer()]
    played = []
    for opponent in plain:
        show(f"{player.name} against {opponent.name}")
        played.append(play_match(player, opponent, games, seed=SEED))
    return Strength(player.name, played[0], played[1], evolved)


def tournament(overview: RunOverview, games: int, show: Show = lambda text: None) -> Tournament:
    """Let champions of a run, spaced over its generations, play each other and the plain players.

    Args:
        overview: of the run.
        games: of each match; even.
        show: told what is being played.

    Raises:
        InputError: an odd number of games or less than 2, or a damaged hall of fame.
    """
    generations = spaced(overview.newest, CHAMPIONS)
    champions = read_champions(overview.run.path / append_only.HALL_OF_FAME, generations)
    players = [network_player(each.name, each.weights, overview.config.network, each.king) for each in champions]
    looked = evolved(overview.config.search, overview.newest)
    strengths = [strength(player, games, show, evolved=looked) for player in players]
    matches = {}
    for a, b in itertools.combinations(range(len(players)), 2):
        show(f"{players[a].name} against {players[b].name}")
        matches[a, b] = play_match(players[a], players[b], games, seed=derive_seed(SEED, a, b))
    counts = [Match(a, b, played.pentanomial) for (a, b), played in matches.items()]
    ratings = fit_bradley_terry(len(players), counts) if counts else [Rating(0.0, 0.0, 0.0)]
    return Tournament(tuple(champions), tuple(strengths), matches, tuple(ratings), looked)
