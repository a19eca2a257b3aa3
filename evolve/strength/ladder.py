"""Ratings of players on one scale, from matches between them and against fixed anchors.

The games of a pairing depend on its two names, their number, the openings and the seed alone. So a player's results
stay the same whoever else takes part, in whatever order, and by however many processes they are played. Each player has
one name, however it was written, and takes part once.
"""

from __future__ import annotations

import hashlib
import itertools
import math
import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from evolve.run.folder import Run
from evolve.strength import bradley_terry, effort
from evolve.strength.elo import RatingEstimate
from evolve.strength.match import DEFAULT_OPENINGS, MatchResult, Score, play_match
from evolve.workers.pool import Interrupted, Pool
from game.errors import InputError
from game.generator import derive_seed
from game.players.names import parse_name, quote
from game.players.player import Player
from game.rules import WCDF


@dataclass(frozen=True)
class Entrants:
    """The players of a ladder.

    Attributes:
        players: all different, under the names of the ladder.
        renamed: other names that were given for them, each with the name that the player has here.
    """

    players: tuple[Player, ...]
    renamed: tuple[tuple[str, str], ...]


def unique_entrants(players: Sequence[Player], anchors: Sequence[Player] = ()) -> Entrants:
    """Return each player once, with one name for all its spellings.

    Args:
        players: under the names as they were written; one may occur more than once.
        anchors: players that keep their names, to which the ratings and games of anchors belong.
    """
    unique: dict[Hashable, Player] = {}
    renamed: dict[str, str] = {}
    fixed = {anchor.identity: anchor.name for anchor in anchors}
    for player in (*players, *anchors):
        name = fixed.get(player.identity) or player.canonical_name
        entrant = unique.setdefault(player.identity, player.with_name(name))
        if player.name != entrant.name:
            renamed[player.name] = entrant.name
    return Entrants(tuple(unique.values()), tuple(renamed.items()))


DEFAULT_GAMES = 200


@dataclass(frozen=True)
class Pairing:
    """A match of a ladder between the players with indexes `a` and `b`; the result is from the view of `a`."""

    a: int
    b: int
    result: MatchResult


@dataclass(frozen=True)
class Standing:
    """A player on the ladder.

    Attributes:
        name: of the player.
        rating: above the zero of the ladder.
        wins, draws, losses: its games.
        nodes: positions that it searched for a move (`evolve.strength.effort`); None if unknown.
        tablebase: number of pieces up to which it used tablebases; 0 for none.
    """

    name: str
    rating: RatingEstimate
    wins: int
    draws: int
    losses: int
    nodes: float | None = None
    tablebase: int = 0

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        """Points a game; NaN without one."""
        return (self.wins + self.draws / 2) / self.games if self.games else math.nan


@dataclass(frozen=True)
class Ladder:
    """A finished ladder.

    Attributes:
        standings: one for each player, in the order of the players.
        pairings: all matches.
        zero: index of the player whose rating is 0.
        games: of each pairing.
        openings: kind of the openings.
        seed: of the ladder.
        seconds: time of play, without that of the fit.
        renamed: other names that were given for players, each with the name here.
        repeatable: whether the seed plays the same games again.
        stopped: whether it was interrupted before its last game.
        known: names of the players whose ratings were given.
    """

    standings: tuple[Standing, ...]
    pairings: tuple[Pairing, ...]
    zero: int
    games: int
    openings: str
    seed: int
    seconds: float
    renamed: tuple[tuple[str, str], ...] = ()
    repeatable: bool = True
    stopped: bool = False
    known: tuple[str, ...] = ()

    @property
    def ranked(self) -> list[Standing]:
        """The best first; players that cannot be compared come last."""
        return sorted(
            self.standings,
            key=lambda standing: (standing.rating.value != standing.rating.value, -standing.rating.value),
        )


Meetings = Sequence[tuple[int, int]]


def champions(runs: Path, text: str, every: int) -> list[str]:
    """Return the player names of a run's champions: of every `every`-th generation from 0 on, and of the newest.

    Args:
        runs: folder of runs.
        text: the run, perhaps with options after commas, which all of them get.
        every: generations between them.

    Raises:
        InputError: no such run, no complete generation, or a name of something else.
    """
    if every < 1:
        raise InputError(f"--every: expected 1 or more generations, got {every}")
    name = parse_name(text)
    if name.member is not None:
        raise InputError(f"player {text!r}: with --every expected a run alone, without an individual")
    run = Run.open(name.target, runs)
    newest = run.manifest().newest
    if newest < 0:
        raise InputError(f"{run.name}: no generation is complete yet")
    target = quote(name.target)
    options = "".join(f",{key}={value}" for key, value in name.options.items())
    return [f"{target}@{number}{options}" for number in sorted({*range(0, newest + 1, every), newest})]


def round_robin(players: int) -> list[tuple[int, int]]:
    return list(itertools.combinations(range(players), 2))


def over_generations(champions: int, anchors: int) -> list[tuple[int, int]]:
    """Return the pairs of the champions of a run, followed by anchors: anchors meet all, champions also the next one.

    A round robin of many champions would be mostly games between neighbours in strength that say little about the
    scale.
    """
    meetings = [(one, one + 1) for one in range(champions - 1)]
    for anchor in range(champions, champions + anchors):
        meetings += [(champion, anchor) for champion in range(champions)]
        meetings += [(anchor, other) for other in range(anchor + 1, champions + anchors)]
    return sorted(meetings)


def play(
    players: Sequence[Player],
    meetings: Meetings,
    games: int = DEFAULT_GAMES,
    *,
    zero: int = 0,
    known: Mapping[int, float] = bradley_terry.NONE,
    kind: str = DEFAULT_OPENINGS,
    seed: int = 0,
    pool: Pool | None = None,
    progress: Callable[[int, int, int], None] | None = None,
    fitting: Callable[[], None] | None = None,
) -> Ladder:
    """Play the matches of a ladder and fit its ratings.

    Args:
        players: all with different names.
        meetings: pairs of indexes of players.
        games: in each meeting; even.
        zero: index of the player whose rating is 0.
        known: ratings, by index, that are taken as exact; the others are fitted to them.
        kind: of openings.
        seed: of all matches and of the intervals.
        pool: plays the games; this process alone if None.
        progress: called now and then with the number of the meeting, the meeting's games so far, and all games so far.
        fitting: called after the last game; the fit of many players takes a while.

    Returns:
        The ladder; if it was interrupted (`Pool.interruption`), with all pairs that were complete.

    Raises:
        Interrupted: before one pair was complete.
        InputError: fewer than two players, one of them twice, or invalid arguments of a match.
    """
    names = [player.name for player in players]
    if len(names) < 2:
        raise InputError("a ladder needs two players or more")
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"player {name!r} is there twice")
    pool = pool or Pool()
    with pool.interruption.allowed():
        for each in players:  # so that an invalid player fails before the first of many games
            each.begin_game(WCDF, seed)
    started = time.perf_counter()
    pairings: list[Pairing] = []
    stopped = False
    for number, (one, other) in enumerate(meetings):
        a, b = sorted((one, other), key=names.__getitem__)

        def show(score: Score, number: int = number) -> None:
            if progress is not None:
                progress(number, score.games, number * games + score.games)

        match_seed = derive_seed(seed, _number(f"{names[a]}\n{names[b]}"))
        try:
            played = play_match(players[a], players[b], games, kind=kind, seed=match_seed, pool=pool, progress=show)
        except Interrupted:
            if not pairings:
                raise
            stopped = True
            break
        pairings.append(Pairing(a, b, played))
        if stopped := played.stopped:
            break
    seconds = time.perf_counter() - started
    if fitting is not None:
        fitting()
    matches = [bradley_terry.Match(each.a, each.b, each.result.pentanomial) for each in pairings]
    ratings = bradley_terry.fit_bradley_terry(len(players), matches, zero=zero, known=known, seed=seed)
    nodes = effort.of_ladder(players, [(each.a, each.b, each.result) for each in pairings])
    standings = tuple(
        replace(
            _standing(index, name, ratings[index], pairings), nodes=nodes[index], tablebase=players[index].tablebase
        )
        for index, name in enumerate(names)
    )
    again = all(player.repeatable for player in players)
    return Ladder(
        standings, tuple(pairings), zero, games, kind, seed, seconds, repeatable=again, stopped=stopped,
        known=tuple(names[index] for index in known),
    )  # fmt: skip


def _standing(index: int, name: str, rating: RatingEstimate, pairings: Sequence[Pairing]) -> Standing:
    wins = draws = losses = 0
    for each in pairings:
        if index in (each.a, each.b):
            won, lost = each.result.wins, each.result.losses
            won, lost = (won, lost) if index == each.a else (lost, won)
            wins, draws, losses = wins + won, draws + each.result.draws, losses + lost
    return Standing(name, rating, wins, draws, losses)


def _number(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")
