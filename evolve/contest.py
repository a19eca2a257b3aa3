"""A match of many games between two players, in colour-swapped pairs on different openings, and what it shows.

All randomness derives from one seed: the order of the openings, how they are lengthened, and for each game, by its
number, the seed of players that draw. Games are played by compiled code if it knows both players, else one by one;
the results are the same.
"""

from __future__ import annotations

import hashlib
import itertools
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from evolve.ratings import PAIR_POINTS, Estimate, estimated
from game import match
from game.batch.games import Field, indexed_openings, play_all
from game.board import Position
from game.errors import InputError
from game.generator import derived
from game.match import Reason
from game.openings import Opening, lengthened, openings
from game.players import Player
from game.rules import WCDF, DrawRules

DEFAULT_OPENINGS = "three-move"
DEFAULT_GAMES = 200

PAIRS_A_CALL = 256
"""Pairs played between two reports of progress; no result depends on it."""

LONGEST_OPENING = 24
"""Plies up to which openings are lengthened: there are far more such positions than anybody can play games."""

_PATIENCE = 100  # openings drawn in a row that are known already, before they get one ply more
_LAST_PATIENCE = 10_000  # the same where no ply more is possible


@dataclass(frozen=True)
class Contest:
    """A finished match, all from the view of player A.

    Attributes:
        openings: kind of the openings.
        seed: of the match.
        pair_points: points (0, 1/2, 1, 1 1/2, 2) that A made on each opening, in order of play: the first game with
            Black, the second with White.
        black: A's wins, draws and losses with Black.
        white: A's wins, draws and losses with White.
        digests: one for each different sequence of moves, openings included; which bytes depends on the way of play.
        lengthened: pairs whose opening got random plies because the ballots were used up.
        reasons: games by why they ended, in order of `game.match.Reason`.
        evaluations: network results of both players.
        seconds: time of play, without the loading of compiled code.
    """

    openings: str
    seed: int
    pair_points: tuple[float, ...]
    black: tuple[int, int, int]
    white: tuple[int, int, int]
    digests: frozenset[bytes] = field(compare=False, repr=False)
    lengthened: int
    reasons: tuple[int, ...]
    evaluations: int
    seconds: float

    @property
    def games(self) -> int:
        """Games played, two a pair."""
        return 2 * len(self.pair_points)

    @property
    def distinct_games(self) -> int:
        """Different sequences of moves, openings included."""
        return len(self.digests)

    @property
    def wins(self) -> int:
        """Games that A won."""
        return self.black[0] + self.white[0]

    @property
    def draws(self) -> int:
        """Games that nobody won."""
        return self.black[1] + self.white[1]

    @property
    def losses(self) -> int:
        """Games that B won."""
        return self.black[2] + self.white[2]

    @property
    def pentanomial(self) -> tuple[int, ...]:
        """Pairs by A's points, in the order of `evolve.ratings.PAIR_POINTS`."""
        return tuple(self.pair_points.count(points) for points in PAIR_POINTS)

    @property
    def estimate(self) -> Estimate:
        """Score and Elo with their 95 % intervals, from the pairs."""
        return estimated(self.pentanomial)


@dataclass(frozen=True, slots=True)
class _Game:
    """What a match keeps of one game; `digest` stands for its moves."""

    result: int
    reason: int
    evaluations: int
    digest: bytes


@dataclass
class _Tally:
    """What has been played so far."""

    points: list[float] = field(default_factory=list)
    black: list[int] = field(default_factory=lambda: [0, 0, 0])
    white: list[int] = field(default_factory=lambda: [0, 0, 0])
    reasons: list[int] = field(default_factory=lambda: [0] * len(Reason))
    digests: set[bytes] = field(default_factory=set)
    lengthened: int = 0
    evaluations: int = 0

    def add(self, first: _Game, second: _Game) -> None:
        """Count a pair: the game that A played with Black, then the one with White."""
        self.points.append(1 + (first.result - second.result) / 2)
        self.black[1 - first.result] += 1
        self.white[1 + second.result] += 1
        for game in (first, second):
            self.reasons[game.reason] += 1
            self.evaluations += game.evaluations
            self.digests.add(game.digest)


def contest(
    a: Player,
    b: Player,
    games: int = DEFAULT_GAMES,
    *,
    kind: str = DEFAULT_OPENINGS,
    seed: int = 0,
    rules: DrawRules = WCDF,
    progress: Callable[[int], None] | None = None,
) -> Contest:
    """Play a match.

    Each opening is played twice, first with A as Black, then with A as White. Two deterministic players never meet
    twice on one opening with the same colours: when the ballots are used up, longer ones are made by random plies,
    and a pair is replaced if it repeats a game of another pair (a random ply can be the one that a player would have
    chosen). With a player who draws, the ballots are used again.

    Args:
        a: the player whose view the result takes.
        b: the opponent.
        games: an even number.
        kind: of openings, as `game.openings.openings` takes it.
        seed: of the match, taken modulo 2**64.
        rules: when a game is a draw.
        progress: called with the number of games played so far.

    Raises:
        InputError: an odd number of games or less than 2, no such openings, a network of the wrong size, draw rules
            that end games within the openings, or more games than there are different openings.
    """
    if games < 2 or games % 2:
        raise InputError(f"games: expected an even number of 2 or more (both colours on each opening), got {games}")
    ballots = openings(kind)
    deterministic = a.deterministic and b.deterministic
    generator = np.random.default_rng(derived(seed))
    source = _different(ballots, rules, generator) if deterministic else _repeated(ballots, rules, generator)
    play = _way_to_play(a, b, rules)
    tally = _Tally()
    started = time.perf_counter()
    offered = 0
    while 2 * len(tally.points) < games:
        drawn = list(itertools.islice(source, min(PAIRS_A_CALL, games // 2 - len(tally.points))))
        seeds = [derived(seed, 2 * offered + game) for game in range(2 * len(drawn))]
        offered += len(drawn)
        played = play(drawn, seeds)
        for opening, first, second in zip(drawn, played[::2], played[1::2], strict=True):
            if deterministic and not tally.digests.isdisjoint((first.digest, second.digest)):
                continue
            tally.add(first, second)
            tally.lengthened += len(opening.moves) > len(ballots[0].moves)
        if progress is not None:
            progress(2 * len(tally.points))
    return Contest(
        openings=kind,
        seed=seed,
        pair_points=tuple(tally.points),
        black=(tally.black[0], tally.black[1], tally.black[2]),
        white=(tally.white[0], tally.white[1], tally.white[2]),
        digests=frozenset(tally.digests),
        lengthened=tally.lengthened,
        reasons=tuple(tally.reasons),
        evaluations=tally.evaluations,
        seconds=time.perf_counter() - started,
    )


Way = Callable[[Sequence[Opening], Sequence[int]], list[_Game]]


def _way_to_play(a: Player, b: Player, rules: DrawRules) -> Way:
    """A function that plays both games on each opening, by compiled code if that knows both players."""
    players = Field.of_players((a, b))
    if players is None:
        return lambda drawn, seeds: _one_by_one(a, b, drawn, seeds, rules)
    play_all(players, [0], [1], rules=DrawRules(max_plies=1), keep=True)  # loads the compiled code
    return lambda drawn, seeds: _compiled(players, drawn, seeds, rules)


def _one_by_one(a: Player, b: Player, drawn: Sequence[Opening], seeds: Sequence[int], rules: DrawRules) -> list[_Game]:
    found = []
    for index, seed in enumerate(seeds):
        black, white = (a, b) if index % 2 == 0 else (b, a)
        record = match.play(black, white, opening=drawn[index // 2].moves, rules=rules, seed=seed)
        text = " ".join(map(str, record.moves)).encode()
        found.append(_Game(record.result, record.reason, record.evaluations, _digest(text)))
    return found


def _compiled(players: Field, drawn: Sequence[Opening], seeds: Sequence[int], rules: DrawRules) -> list[_Game]:
    outcomes = play_all(
        players,
        [0, 1] * len(drawn),
        [1, 0] * len(drawn),
        openings=indexed_openings([opening.moves for opening in drawn], Position.start()),
        opening_of=np.repeat(np.arange(len(drawn)), 2),
        rules=rules,
        seeds=seeds,
        keep=True,
    )
    assert outcomes.codes is not None
    columns = (outcomes.results.tolist(), outcomes.reasons.tolist(), outcomes.evaluations.tolist())
    return [
        _Game(result, reason, evaluations, _digest(codes.tobytes()))
        for result, reason, evaluations, codes in zip(*columns, outcomes.codes, strict=True)
    ]


def _digest(moves_played: bytes) -> bytes:
    return hashlib.blake2b(moves_played, digest_size=16).digest()


def _shuffled(ballots: Sequence[Opening], generator: np.random.Generator) -> Iterator[Opening]:
    """All ballots again and again, in a new order each time."""
    while True:
        for index in generator.permutation(len(ballots)).tolist():
            yield ballots[index]


def _repeated(ballots: Sequence[Opening], rules: DrawRules, generator: np.random.Generator) -> Iterator[Opening]:
    """All ballots, as often as needed."""
    _checked_room(ballots, rules)
    return _shuffled(ballots, generator)


def _different(ballots: Sequence[Opening], rules: DrawRules, generator: np.random.Generator) -> Iterator[Opening]:
    """All ballots, then longer openings, no position twice; an error when there are no more."""
    length = len(ballots[0].moves)
    room = _checked_room(ballots, rules)
    known = {opening.position for opening in ballots}
    order = _shuffled(ballots, generator)
    yield from itertools.islice(order, len(ballots))
    for plies in range(1, room - length + 1):
        patience = _PATIENCE if length + plies < room else _LAST_PATIENCE
        missed = 0
        while missed < patience:
            longer = lengthened(next(order), plies, generator)
            if longer.position in known:
                missed += 1
                continue
            missed = 0
            known.add(longer.position)
            yield longer
    raise InputError(
        f"games: two deterministic players would repeat themselves, there are only {len(known)} different openings "
        f"of up to {room} plies here; ask for fewer games"
    )


def _checked_room(ballots: Sequence[Opening], rules: DrawRules) -> int:
    """Most plies of an opening that surely leave the players a move.

    Raises:
        InputError: the ballots are longer.
    """
    limits = [LONGEST_OPENING]
    limits += [rules.max_plies - 1] if rules.max_plies else []
    limits += [rules.quiet_plies - 1] if rules.quiet_plies and not rules.men_reset else []
    if len(ballots[0].moves) > min(limits):
        raise InputError(f"openings: the draw rules end games after {min(limits) + 1} plies, within the openings")
    return min(limits)
