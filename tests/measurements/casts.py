"""The figures of a cast, by games that decided nothing in its run.

    python -m tests.measurements.casts RUN [--games N] [--only PART,...] [--seed N] [--workers N] [--runs FOLDER]

Members play the field of their run from three-move ballots that are two random plies longer. Without these plies they
would repeat games of the run, since nothing in it is random except the choice of ballots. The parts are

* strength: ratings relative to the best member of the run, in N games each, and the members within 100 Elo of it;
* traits: by the same games, the share of values that are in a member's own cell or a neighbouring one;
* team: from each ballot the member that does best from it, chosen in some games, against the best member in others;
* commands: the match of the best member against crownhead-1, and the controls.

The controls are runs, too, and are measured in the same way.
"""

from __future__ import annotations

import argparse
import itertools
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evolve.config.model import Config
from evolve.names.registration import register
from evolve.report.comparison import repeat_command
from evolve.run.conditions import PlayConditions
from evolve.run.folder import Run
from evolve.strength.bradley_terry import Match, fit_bradley_terry
from evolve.strength.effort import network_player
from evolve.strength.elo import PAIR_POINTS, Estimate, RatingEstimate, score_interval
from evolve.workers.pool import Pool, worker_count
from extras.cast.archive import Archive, Member, archive_of
from extras.cast.kind import field_of, map_of, mutants_of, opponents_of
from extras.cast.session import FieldGames, FieldTask, play_task
from game.batch.games import index_openings
from game.board import Position
from game.errors import InputError
from game.openings import Opening, lengthen, three_move_ballots
from game.players.player import Player
from game.trait_maps import Axis, TraitMap
from game.traits import TRAITS

PARTS = ("strength", "traits", "team", "commands")
PLIES = 2
"""Random plies after a ballot."""
TRIES = 32
"""Openings from a ballot that are drawn before one more random ply is added."""
WITHIN = 100.0
CANDIDATES, CHOICE_LINES, TEST_LINES = 16, 2, 4
"""Members of a team, the best of the run; openings from each ballot, in which they are chosen and in which they play.
"""

Floats = NDArray[np.float64]
Indexes = NDArray[np.int64]


@dataclass(frozen=True)
class Cast:
    """A finished run.

    Attributes:
        run: its folder.
        config: its configuration.
        archive: the map of its newest generation.
        players: the members as they played in the run, best first.
        field: their opponents.
    """

    run: Run
    config: Config
    archive: Archive
    players: tuple[Player, ...]
    field: tuple[Player, ...]

    @classmethod
    def of(cls, run: Run) -> Cast:
        config, number, rows = run.config(), run.manifest().newest, run.read_generation()
        archive = archive_of(rows, map_of(config), config.network.king, str(run.generation_path(number)))
        how = PlayConditions.of(config.search, number)  # without tablebases, as in the run
        members = [archive.members[cell].individual for cell in archive.best_first()]
        players = [network_player(one.name, np.asarray(one), config.network, one.king, how) for one in members]
        return cls(run, config, archive, tuple(players), tuple(opponents_of(config)))

    @property
    def members(self) -> list[Member]:
        """The members, best first."""
        return [self.archive.members[cell] for cell in self.archive.best_first()]

    def task(self, players: Sequence[Player], pairs: Indexes, openings: Sequence[Opening], rows: Indexes) -> FieldTask:
        """Return a task with two games from each opening; the first of each pair of players has Black first."""
        table = index_openings([opening.moves for opening in openings], Position.start())
        return FieldTask.of_pairs(players, pairs, table, rows, self.config.games)


def longer_ballots(a_ballot: int, seed: int) -> list[list[Opening]]:
    """Return openings from each ballot, `PLIES` longer; no two of all of them lead to the same position.

    Openings of a ballot with forced captures are longer, if there are too few of this length.
    """
    generator, known = np.random.Generator(np.random.Philox(seed)), set[Position]()
    lines = list[list[Opening]]()
    for ballot in three_move_ballots():
        lines.append([])
        for number in itertools.count():
            if len(lines[-1]) == a_ballot:
                break
            opening = lengthen(ballot, PLIES + number // TRIES, generator)
            if opening.position not in known:
                known.add(opening.position)
                lines[-1].append(opening)
    return lines


def pair_points(games: FieldGames) -> Indexes:
    """Return the result of each pair of games, as an index of `PAIR_POINTS`."""
    return games.results.reshape(-1, 2).sum(axis=1) + 2


# Strength and traits ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Played:
    """New games of all members against the field.

    Attributes:
        members: the members with the results and traits of these games alone, best of the run first.
        counts: int64 of shape (members, opponents, 5), numbers of pairs by points.
    """

    members: tuple[Member, ...]
    counts: Indexes


def play_field(cast: Cast, games: int, seed: int, pool: Pool) -> Played:
    """Let each member play about `games` games: the same number against each opponent, from the same openings.

    Raises:
        InputError: the number is too small, or there are not enough openings.
    """
    count = len(cast.field)
    each, lines = games // (2 * count), [line for lines in longer_ballots(4, seed) for line in lines]
    if not 1 <= each <= len(lines) // count:
        raise InputError(f"--games: expected {2 * count} to {2 * (len(lines) // count) * count:,}, got {games:,}")
    rows = np.random.Generator(np.random.Philox((seed, 1))).permutation(len(lines))[: each * count]
    pairs = np.stack([np.zeros(each * count, np.int64), 1 + np.repeat(np.arange(count), each)], axis=1)
    tasks = (cast.task((player, *cast.field), pairs, lines, rows) for player in cast.players)
    members, counts = list[Member](), list[Indexes]()
    for known, done in zip(cast.members, pool.results(play_task, tasks), strict=True):
        points = pair_points(done).reshape(count, each)
        counts.append(np.array([np.bincount(row, minlength=len(PAIR_POINTS)) for row in points]))
        won, drawn = int((done.results == 1).sum()), int((done.results == 0).sum())
        results = np.array([len(done.results), won, drawn, len(done.results) - won - drawn, 2 * won + drawn])
        members.append(Member.new(known.individual).with_games(results, done.traits))
    return Played(tuple(members), np.array(counts))


def ratings(played: Played, seed: int = 0) -> list[RatingEstimate]:
    """Return the ratings of the members relative to the first one."""
    members, opponents, _ = played.counts.shape
    matches = [
        Match(member, members + opponent, tuple(played.counts[member, opponent].tolist()))
        for member in range(members)
        for opponent in range(opponents)
    ]
    return fit_bradley_terry(members + opponents, matches, zero=0, seed=seed)[:members]


def strength_text(cast: Cast, played: Played) -> list[str]:
    result, count = ratings(played), len(played.members)
    best = max(range(count), key=lambda member: result[member].value)
    near = [
        sum(end >= -WITHIN for end in ends) for ends in zip(*((e.value, e.low, e.high) for e in result), strict=True)
    ]
    again = Archive(cast.archive.cells)
    again.settle({}, played.members)
    held, best_rating = again.members.values(), result[best]
    games = int(played.members[0].counts[0])
    return [
        f"strength: {count} members, {games} games each: {near[0]} within {WITHIN:.0f} Elo of {cast.players[0].name}, "
        f"the best of the run; {near[1]} with their whole 95 % interval, {near[2]} with a part of it",
        f"strength: the best of these games, flattered by them, is {cast.players[best].name}, {best_rating.value:+.0f} "
        f"({best_rating.low:+.0f} to {best_rating.high:+.0f}); "
        f"{sum(one.value >= best_rating.value - WITHIN for one in result)} within {WITHIN:.0f} of it",
        f"map: {len(cast.archive.members)} of {cast.archive.cells.cells} cells; by these games alone {len(held)}, with "
        f"a sum of scores of {math.fsum(one.score for one in held):.1f}; the best has "
        f"{max(one.score for one in held):.3f}"
        if held
        else "map: no member has a cell by these games",
    ]


def distances(cells: TraitMap, before: Sequence[Member], after: Sequence[Member]) -> Floats:
    """Return how many cells apart the values of each trait are in two sets of games.

    Args:
        cells: the map; traits that it does not have are divided as a map does by default.
        before: the members with some games.
        after: the same members with others.

    Returns:
        float64 of shape (members, traits); NaN if no game counts.
    """
    axes = [Axis.parse(trait.name) for trait in TRAITS]
    for axis in cells.axes:
        axes[axis.trait] = axis
    table = np.full((len(after), len(TRAITS)), math.nan)
    for row, one, other in zip(table, before, after, strict=True):
        for axis in axes:
            values = [member.traits[axis.trait] for member in (one, other)]
            if all(value.games for value in values):
                first, second = (axis.cell(value.value) for value in values)
                row[axis.trait] = abs(first - second)
    return table


def traits_text(cast: Cast, played: Played) -> list[str]:
    cells = cast.archive.cells
    apart, own = distances(cells, cast.members, played.members), [axis.trait for axis in cells.axes]
    each = ", ".join(f"{trait.name} {_share(apart[:, number])}" for number, trait in enumerate(TRAITS))
    return [
        f"traits: of the map, {_share(apart[:, own])} of {np.isfinite(apart[:, own]).sum()} values are in their own "
        f"cell or a neighbour, {_share(apart[:, own], 0)} in their own; of all traits {_share(apart)}",
        f"traits: {each}",
    ]


def _share(apart: Floats, most: int = 1) -> str:
    known = apart[np.isfinite(apart)]
    return f"{100 * (known <= most).mean():.1f} %" if len(known) else "-"


# Team -------------------------------------------------------------------------------------------------------------


def choose(scores: Floats) -> tuple[int, Indexes]:
    """Return the best candidate, and the one with which a team begins each ballot.

    What a candidate does from a ballot is partly chance, so it is moved towards what it does from all ballots, as far
    as such differences may be chance. If they are nothing else, the team is the best candidate.

    Args:
        scores: points of pairs, float64 of shape (candidates, ballots, pairs).
    """
    apart = scores - scores.mean(axis=0)  # without what a ballot or an opponent does to all of them
    overall = apart.mean(axis=(1, 2))
    special = apart.mean(axis=2) - overall[:, None]
    chance = float(apart.var(axis=2, ddof=1).mean()) / scores.shape[2]
    spread = float((special**2).mean())
    kept = max(spread - chance, 0.0) / spread if spread else 0.0
    return int(overall.argmax()), (overall[:, None] + kept * special).argmax(axis=0)


def play_team(cast: Cast, seed: int, pool: Pool) -> tuple[int, Indexes, Estimate]:
    """Choose a team in games against the field, and let it play its best member from other openings.

    Returns:
        the best member, the member for each ballot, and the score of the team.
    """
    candidates, count = cast.players[:CANDIDATES], len(cast.field)
    lines = longer_ballots(CHOICE_LINES + TEST_LINES, seed)
    choosing = [line for ballot in lines for line in ballot[:CHOICE_LINES]]
    pairs = np.stack([np.zeros(len(choosing) * count, np.int64), np.tile(1 + np.arange(count), len(choosing))], axis=1)
    rows = np.repeat(np.arange(len(choosing)), count)
    tasks = (cast.task((player, *cast.field), pairs, choosing, rows) for player in candidates)
    points = np.array([pair_points(done) for done in pool.results(play_task, tasks)], np.float64)
    best, team = choose(points.reshape(len(candidates), len(lines), CHOICE_LINES * count))
    counts = np.zeros(len(PAIR_POINTS), np.int64)
    tests = list[FieldTask]()
    for ballot, member in zip(lines, team.tolist(), strict=True):
        later = ballot[CHOICE_LINES:]
        if member == best:  # against itself it is level in each pair
            counts[2] += len(later)
        else:
            both = np.tile([0, 1], (len(later), 1))
            tests.append(cast.task((candidates[member], candidates[best]), both, later, np.arange(len(later))))
    for done in pool.results(play_task, tests):
        counts += np.bincount(pair_points(done), minlength=len(PAIR_POINTS))
    return best, team, score_interval(counts.tolist())


def team_text(cast: Cast, seed: int, pool: Pool) -> list[str]:
    best, team, score = play_team(cast, seed, pool)
    others = team[team != best]
    return [
        f"team: {len(set(team.tolist()))} of the {min(CANDIDATES, len(cast.players))} best members from {len(team)} "
        f"ballots, {len(others)} not with {cast.players[best].name}: {score.elo:+.0f} Elo ({score.elo_low:+.0f} to "
        f"{score.elo_high:+.0f}) against it alone"
    ]


# Commands ---------------------------------------------------------------------------------------------------------


def commands_text(cast: Cast) -> list[str]:
    config, field, run = cast.config, field_of(cast.config), cast.run
    newest, games = run.manifest().newest, int(run.log()["games"].sum())
    again = repeat_command(run, config, run.check_format(), newest)
    first = 2 * len(cast.field) * field.ballots
    genomes = max(games // (first + 2 * len(cast.field) * field.again), 2)
    parents = min(genomes, 256)
    begun = (again or "the command of the run").rpartition(" --generations ")[0]
    one = f"{TRAITS[0].name}=0:12:1"
    name = run.cli_name
    return [
        f"match: python main.py match {name},nodes=4000,tablebase=no crownhead-1,nodes=4000,tablebase=no --games 400 "
        "--seed 1",
        f"control, the {games:,} games of this run by random genomes: {begun} --set population.parents={parents} --set "
        f"population.mutants={genomes // parents} --generations 0 --name random-map",
        f"control, strength alone, to be stopped at {games:,} games: {begun} --set population.traits={one} "
        f"--generations {games // (first * mutants_of(config))} --name strength-alone",
    ]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.measurements.casts")
    parser.add_argument("run")
    parser.add_argument("--games", type=int, default=200, help="games of each member for strength and traits")
    parser.add_argument("--only", default=",".join(PARTS), help=", ".join(PARTS))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int)
    parser.add_argument("--runs", type=Path, default=Path("populations"))
    options = parser.parse_args(arguments)
    parts = options.only.split(",")
    if wrong := set(parts) - set(PARTS):
        parser.error(f"--only: expected some of {', '.join(PARTS)}, got {', '.join(sorted(wrong))}")
    register(options.runs)
    try:
        cast = Cast.of(Run.open(options.run, options.runs))
        with Pool(worker_count(options.workers)) as pool:
            played = play_field(cast, options.games, options.seed, pool) if {*parts} & {"strength", "traits"} else None
            for part in parts:
                if part == "strength" and played is not None:
                    lines = strength_text(cast, played)
                elif part == "traits" and played is not None:
                    lines = traits_text(cast, played)
                elif part == "team":
                    lines = team_text(cast, options.seed, pool)
                else:
                    lines = commands_text(cast)
                print("\n".join(lines), flush=True)
    except InputError as error:
        parser.error(str(error))
    return 0


if __name__ == "__main__":
    sys.exit(main())
