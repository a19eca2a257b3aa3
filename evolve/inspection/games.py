"""Games that `inspect` plays: of the best individual against fixed opponents, and against earlier generations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from evolve.report.overview import IndividualOverview, RunOverview
from evolve.run.champions import read_champions
from evolve.run.conditions import PlayConditions
from evolve.strength import effort
from evolve.strength.effort import EvolvedPlayer
from evolve.strength.elo import Estimate
from evolve.strength.match import DEFAULT_OPENINGS, MatchResult, Score, check, play_match
from evolve.strength.means import cluster_interval
from evolve.workers.pool import Pool
from game.errors import InputError
from game.generator import derive_seed
from game.players.basic import RandomPlayer
from game.search.interface import ONE_PLY, PLAIN

SEED = 1
BEST = 16
"""Number of individuals of an earlier generation that the newest champion plays."""

AT_ONE_PLY = PlayConditions(ONE_PLY, PLAIN)

Show = Callable[[str], None]


@dataclass(frozen=True)
class Strength:
    """Matches of a player against the two fixed opponents.

    Attributes:
        how: depth and search options of the player.
        as_evolved: whether the player evolved with this depth and these options; False if unknown.
    """

    player: str
    random: MatchResult
    material: MatchResult
    opponent: str
    how: PlayConditions
    as_evolved: bool = True
    learnt: bool = False


@dataclass(frozen=True)
class EarlierMatches:
    """Matches of the newest champion of a run against an earlier generation, from the champion's point of view."""

    opponents: str
    matches: tuple[MatchResult, ...]
    nodes: effort.Effort = (None, None)

    @property
    def counts(self) -> tuple[int, int, int]:
        wins, draws, losses = zip(*((each.wins, each.draws, each.losses) for each in self.matches), strict=True)
        return sum(wins), sum(draws), sum(losses)

    @property
    def distinct_games(self) -> int:
        """Number of different games in all matches: opponents that are near copies repeat some games."""
        return len(frozenset().union(*(each.digests for each in self.matches)))

    @property
    def estimate(self) -> Estimate:
        """Score and Elo with their 95 % intervals, from all pairs; pairs on the same ballot are not independent."""
        if len(self.matches) == 1:
            return self.matches[0].estimate
        points = [pair for each in self.matches for pair in each.pair_points]
        return cluster_interval(points, [ballot for each in self.matches for ballot in each.ballots])


def champion_player(overview: RunOverview) -> EvolvedPlayer:
    (champion,) = read_champions(overview.run.path, [overview.newest])
    config, how = overview.config, PlayConditions.of(overview.config.search, champion.generation)
    return effort.network_player(champion.name, champion.weights, config.network, champion.king, how)


def individual_player(individual: IndividualOverview) -> EvolvedPlayer | None:
    """Return an individual as a player; None if its weights or network are unknown."""
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
    evolved: bool = True,
    learnt: bool = False,
) -> Strength:
    """Play a player against the fixed opponents.

    Args:
        player: the player; results are from its point of view.
        pool: plays the games; None for this process alone. Results do not depend on it.
        evolved: whether the player evolved with this depth.

    Raises:
        InputError: the number of games is odd or less than 2.
    """
    how = PlayConditions(player.limits, player.style)
    number = effort.usual_games(how) if games is None else games
    material = effort.material_player(how)
    played = []
    for opponent in (RandomPlayer(), material):
        show(f"{player.name} against {opponent.name}")
        played.append(play_match(player, opponent, number, seed=SEED, pool=pool))
    return Strength(player.name, played[0], played[1], material.name, how, evolved, learnt)


def earlier(
    overview: RunOverview,
    generations: Sequence[int],
    games: int | None = None,
    show: Show = lambda text: None,
    *,
    pool: Pool | None = None,
) -> tuple[EarlierMatches, ...]:
    """Play the newest champion of a run against the best of earlier generations.

    In CheckersAI (David Cowan, 2022), the last champion played two games against each of the best 16 of generations 0,
    5 and 10. Here all players use the search of the newest generation, since a network that evolved with a search plays
    badly without it, and vice versa.

    In a run around a mean (`population.mean`), the champion is the mean, which beats random changes of earlier means
    even without progress. It therefore plays the mean of each earlier generation, with the same total number of games.

    Args:
        games: number of games against each opponent, even; by default `effort.usual_games`, and `BEST` times as many
            against a mean.
        pool: plays the games; None for this process alone.

    Raises:
        InputError: there is no such generation, its weights were not kept, or `games` is odd or less than 2.
    """
    config, how = overview.config, PlayConditions.of(overview.config.search, overview.newest)
    wrong = [number for number in generations if not 0 <= number <= overview.newest]
    if wrong:
        name, last = overview.run.name, overview.newest
        raise InputError(f"--earlier: {name} has no generation {wrong[0]}; complete generations: 0 to {last}")
    usual = effort.usual_games(how) if games is None else games
    check(usual, DEFAULT_OPENINGS)
    count = usual * BEST if config.population.mean and games is None else usual
    kind = "mean of generation" if config.population.mean else "generation"
    if config.population.mean or config.individuals == 1:
        groups = [(f"{kind} {number}", [_only(overview, number, how)]) for number in generations]
    else:
        groups = [(f"best {BEST} of generation {number}", _best(overview, number, how)) for number in generations]
    champion, results = champion_player(overview), []
    for number, (opponents, players) in enumerate(groups):
        total, matches = count * len(players), list[MatchResult]()
        for index, player in enumerate(players):

            def tell(score: Score, before: int = count * index, total: int = total, opponents: str = opponents) -> None:
                show(f"against {opponents}: {before + score.games:,} of {total:,} games")

            seed = derive_seed(SEED, number, index)
            matches.append(play_match(champion, player, count, seed=seed, pool=pool, progress=tell))
        results.append(EarlierMatches(opponents, tuple(matches), effort.of_match(champion, players[0], matches[0])))
    return tuple(results)


def _only(overview: RunOverview, generation: int, how: PlayConditions) -> EvolvedPlayer:
    (champion,) = read_champions(overview.run.path, [generation])
    name = f"{overview.run.name}@{generation}"
    return effort.network_player(name, champion.weights, overview.config.network, champion.king, how)


def _best(overview: RunOverview, generation: int, how: PlayConditions) -> list[EvolvedPlayer]:
    rows = overview.run.read_generation(generation)
    order = range(len(rows.names)) if rows.ranks is None else rows.ranks.argsort()
    kings = [None] * len(rows.names) if rows.kings is None else rows.kings.tolist()
    return [
        effort.network_player(
            f"{overview.run.name}@{generation}:{rows.names[row]}",
            rows.weights[row],
            overview.config.network,
            kings[row],
            how,
        )
        for row in order[:BEST]
    ]
