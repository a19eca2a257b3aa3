"""Games that `inspect` plays: of the best individual against fixed opponents."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from evolve.report.overview import IndividualOverview, RunOverview
from evolve.run.champions import read_champions
from evolve.run.conditions import PlayConditions
from evolve.strength import effort
from evolve.strength.effort import EvolvedPlayer
from evolve.strength.match import MatchResult, play_match
from evolve.workers.pool import Pool
from game.players.basic import RandomPlayer
from game.search.interface import ONE_PLY, PLAIN

SEED = 1
AT_ONE_PLY = PlayConditions(ONE_PLY, PLAIN)

Show = Callable[[str], None]


@dataclass(frozen=True)
class Strength:
    """Matches of a player against the two fixed opponents; `as_evolved` is False if its search is unknown."""

    player: str
    random: MatchResult
    material: MatchResult
    opponent: str
    how: PlayConditions
    as_evolved: bool = True
    learnt: bool = False


def champion_player(overview: RunOverview) -> EvolvedPlayer:
    (champion,) = read_champions(overview.run.path, [overview.newest])
    config, how = overview.config, PlayConditions.of(overview.config.search, champion.generation)
    return effort.network_player(champion.name, champion.weights, config.network, champion.king, how)


def individual_player(individual: IndividualOverview) -> EvolvedPlayer | None:
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
    """Play a player against the fixed opponents; `evolved` says whether it evolved with this search."""
    how = PlayConditions(player.limits, player.style)
    number = effort.usual_games(how) if games is None else games
    material = effort.material_player(how)
    played = []
    for opponent in (RandomPlayer(), material):
        show(f"{player.name} against {opponent.name}")
        played.append(play_match(player, opponent, number, seed=SEED, pool=pool))
    return Strength(player.name, played[0], played[1], material.name, how, evolved, learnt)
