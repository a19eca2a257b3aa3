"""Ratings of players on one scale, from matches between them and against fixed anchors.

The games of a pairing depend only on its two names, the number of games, the openings and the seed, and not on the
other players, their order or the number of processes.
"""

from __future__ import annotations

import hashlib
import itertools
import math
import time
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from evolve.config.anchors import FROZEN, ZERO
from evolve.names.players import frozen_player
from evolve.strength.elo import RatingEstimate
from evolve.strength.match import DEFAULT_GAMES, DEFAULT_OPENINGS, MatchResult, Score, play_match
from evolve.workers.pool import Interrupted, Pool
from extras.ladder import bradley_terry, costs
from extras.ladder.costs import Cost
from game.errors import InputError
from game.generator import derive_seed
from game.players import registry
from game.players.names import PlayerName, parse_name
from game.players.player import Player
from game.review.judged import ProvedMoves
from game.rules import WCDF


def unique_entrants(
    players: Sequence[Player], anchors: Sequence[Player] = ()
) -> tuple[tuple[Player, ...], tuple[tuple[str, str], ...]]:
    """Merge players that are the same under different names.

    Args:
        anchors: players that keep their names, because their ratings and games depend on them.

    Returns:
        The players, and for each that was given under another name, that name and its name on the ladder.
    """
    unique: dict[Hashable, Player] = {}
    renamed: dict[str, str] = {}
    fixed = {anchor.identity: anchor.name for anchor in anchors}
    for player in (*players, *anchors):
        name = fixed.get(player.identity) or player.canonical_name
        entrant = unique.setdefault(player.identity, player.with_name(name))
        if player.name != entrant.name:
            renamed[player.name] = entrant.name
    return tuple(unique.values()), tuple(renamed.items())


def limited(name: str, limit: str) -> Player:
    """Return a player with a limit of its searches, such as ``nodes=1000``, added to the options in its name.

    Raises:
        InputError: there is no such player, or the limit is not valid.
    """
    meant, made = parse_name(name), registry.player(name)
    if made.searching is not None and not {"depth", "nodes", "time"} & set(meant.options):
        more = parse_name(f"material,{limit}").options
        made = registry.player(PlayerName.of(meant.target, meant.member, {**meant.options, **more}))
    return made.with_name(made.canonical_name)


def check_limit(limit: str) -> None:
    """Check a limit of searches.

    Raises:
        InputError: the limit is not a valid option of a player.
    """
    try:
        registry.player(f"material,{limit}")
    except InputError as error:
        raise InputError(f"--limit {limit or repr('')}: {str(error).partition(': ')[2]}") from None


@dataclass(frozen=True)
class Pairing:
    """A match of a ladder between the players with indexes `a` and `b`; the result is from the point of view of `a`."""

    a: int
    b: int
    result: MatchResult


@dataclass(frozen=True)
class Standing:
    """A player on the ladder.

    Attributes:
        rating: Elo above the zero of the ladder, so a rating on the scale if that is `Ladder.on_scale`.
        nodes: nodes per move (`evolve.strength.effort`); None if unknown.
    """

    name: str
    rating: RatingEstimate
    wins: int
    draws: int
    losses: int
    nodes: float | None = None
    tablebase: int = 0
    cost: Cost | None = None
    proved: ProvedMoves | None = None

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        """Points per game; NaN without games."""
        return (self.wins + self.draws / 2) / self.games if self.games else math.nan


@dataclass(frozen=True)
class Ladder:
    """A finished ladder.

    Attributes:
        zero: index of the player whose rating is 0.
        seconds: duration of the games, without the fit.
        repeatable: whether the same seed gives the same games.
        limit: the limit of the searches, such as ``nodes=1000``; empty if each player has its own.
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
    limit: str = ""

    @property
    def on_scale(self) -> bool:
        """True if its zero is that of all ratings; otherwise only differences on this ladder have a meaning."""
        return self.standings[self.zero].name == ZERO

    @property
    def ranked(self) -> list[Standing]:
        """The standings, best first; players without a rating come last."""
        return sorted(
            self.standings,
            key=lambda standing: (standing.rating.value != standing.rating.value, -standing.rating.value),
        )


Meetings = Sequence[tuple[int, int]]


def round_robin(players: int) -> list[tuple[int, int]]:
    return list(itertools.combinations(range(players), 2))


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
    proved: bool = False,
) -> Ladder:
    """Play the matches of a ladder and fit its ratings.

    Args:
        games: number of games in each meeting; even.
        zero: index of the player whose rating is 0.
        known: ratings by index, taken as exact; the others are fitted to them.
        progress: called regularly with the number of the meeting, its games so far, and all games so far.
        proved: whether to prove results, as in `play_match`.

    Returns:
        The ladder; after an interruption (`Pool.interruption`), it is based on all complete pairs of games.

    Raises:
        Interrupted: it was interrupted before the first pair was complete.
        InputError: there are fewer than two players, a name occurs twice, or arguments of a match are invalid.
    """
    names = [player.name for player in players]
    if len(names) < 2:
        raise InputError("a ladder needs two players or more")
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"player {name!r} occurs twice")
    pool = pool or Pool()
    with pool.interruption.allowed():
        for player in players:  # an invalid player should fail before any games are played
            player.begin_game(WCDF, seed)
    started = time.perf_counter()
    pairings: list[Pairing] = []
    stopped = False
    for number, (one, other) in enumerate(meetings):
        # Sorted by name, with a seed made of both names: a match is the same in every ladder that has these two.
        a, b = sorted((one, other), key=names.__getitem__)

        def show(score: Score, number: int = number) -> None:
            if progress is not None:
                progress(number, score.games, number * games + score.games)

        match_seed = derive_seed(seed, _number(f"{names[a]}\n{names[b]}"))
        try:
            played = play_match(
                players[a], players[b], games, kind=kind, seed=match_seed, pool=pool, progress=show, proved=proved
            )
        except Interrupted:
            # No pair of this match is complete, so the ladder has only the matches before it.
            if not pairings:
                raise
            stopped = True
            break
        pairings.append(Pairing(a, b, played))
        if stopped := played.stopped:
            break
    seconds = time.perf_counter() - started
    matches = [bradley_terry.Match(pairing.a, pairing.b, pairing.result.pentanomial) for pairing in pairings]
    ratings = bradley_terry.fit_bradley_terry(len(players), matches, zero=zero, known=known, seed=seed)
    nodes = costs.of_ladder(players, [(pairing.a, pairing.b, pairing.result) for pairing in pairings])
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
    proved: ProvedMoves | None = None
    for pairing in pairings:
        if index in (pairing.a, pairing.b):
            won, lost = pairing.result.wins, pairing.result.losses
            won, lost = (won, lost) if index == pairing.a else (lost, won)
            wins, draws, losses = wins + won, draws + pairing.result.draws, losses + lost
            if pairing.result.proved is not None:
                proved = (proved or ProvedMoves()) + pairing.result.proved[index != pairing.a]
    return Standing(name, rating, wins, draws, losses, proved=proved)


def _number(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


def anchor_players(names: Iterable[str]) -> list[Player]:
    """Return the players of anchors; frozen champions always come from the shipped run.

    Raises:
        DamagedRunError: the shipped run is missing or was changed.
    """
    return [frozen_player(name) if name in FROZEN else registry.player(name) for name in names]
