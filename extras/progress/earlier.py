"""Games of the newest champion of a run against earlier generations, and their part of a report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from evolve.inspection.contents import ReportTable, Section
from evolve.inspection.games import SEED, champion_player
from evolve.report.overview import RunOverview
from evolve.run.champions import read_champions
from evolve.run.conditions import PlayConditions
from evolve.strength import effort
from evolve.strength.effort import EvolvedPlayer
from evolve.strength.elo import Estimate
from evolve.strength.match import DEFAULT_OPENINGS, MatchResult, Score, check, play_match
from evolve.strength.means import clustered
from evolve.workers.pool import Pool
from game.errors import InputError
from game.generator import derive_seed
from game.number_text import percent_text

BEST = 16
"""Number of individuals of an earlier generation that the newest champion plays."""

Show = Callable[[str], None]


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
        points = [pair / 2 for each in self.matches for pair in each.pair_points]
        return clustered(points, [ballot for each in self.matches for ballot in each.ballots])


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


@dataclass(frozen=True)
class EarlierPart:
    """The games as a part of a report (``parts`` of `extras.Extra`)."""

    run: RunOverview
    matches: tuple[EarlierMatches, ...]
    name: ClassVar[str] = "earlier"

    def plain(self) -> list[dict[str, Any]]:
        return list(map(_plain, self.matches))

    def sections(self) -> list[Section]:
        return [_section(self.run, self.matches)]


def _plain(matches: EarlierMatches) -> dict[str, Any]:
    estimate, counts = matches.estimate, dict(zip(("wins", "draws", "losses"), matches.counts, strict=True))
    return {
        "opponents": matches.opponents,
        "games": sum(matches.counts),
        "distinct_games": matches.distinct_games,
        **counts,
        "score": estimate.score,
        "score_low": estimate.low,
        "score_high": estimate.high,
        "nodes": dict(zip(("champion", "opponents"), matches.nodes, strict=True)),
    }


def _section(run: RunOverview, earlier: Sequence[EarlierMatches]) -> Section:
    lines = []
    for matches in earlier:
        estimate, counts = matches.estimate, matches.counts
        cells = [f"{number:,}" for number in (sum(counts), matches.distinct_games, *counts)]
        interval = f"{100 * estimate.low:.1f} % to {100 * estimate.high:.1f} %"
        nodes = " / ".join(map(effort.text, matches.nodes))
        lines.append([matches.opponents, *cells, percent_text(estimate.score), interval, nodes])
    headings = ["opponents<", "games", "different", "won", "drawn", "lost", "score", "95 % interval<", "nodes a move"]
    how = PlayConditions.of(run.config.search, run.newest)
    remarks = [f"All players search as the newest generation did: {effort.describe(how)}."]
    if run.config.population.mean:
        remarks.append("Means play means: individuals, which are random changes of a mean, would lose in any case.")
    if effort.material_player(how).looks_ahead():
        remarks.append("Nodes a move are those of the champion and of its first opponent, in one pair of games.")
    else:
        headings, lines = headings[:-1], [line[:-1] for line in lines]
    names = ("different", "drawn", "lost", "won", "nodes a move", "games")
    dispensable = [headings.index(name) for name in names if name in headings]
    title = f"The newest champion, {run.champion.name}, against earlier generations"
    return Section(title, table=ReportTable(headings, lines, dispensable), more=" ".join(remarks))
