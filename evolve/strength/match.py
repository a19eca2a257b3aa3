"""Matches of many games between two players, in colour-swapped pairs on different openings.

All randomness derives from one seed: the order of the openings, the plies that lengthen them, and the seed that each
game gives to players that choose at random. Compiled code plays the games if it supports both players; otherwise they
are played one by one, with the same results.
"""

from __future__ import annotations

import itertools
import math
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from evolve.strength import match_games
from evolve.strength.elo import PAIR_POINTS, UNDECIDED, Estimate, Sprt, score_interval
from evolve.strength.match_games import GamePairs, PlayedGame, Sides, play_pairs
from evolve.workers.pool import Interrupted, Pool
from game.endgame.tables import open_tables
from game.endings import Reason
from game.errors import FailureKind, InputError
from game.generator import derive_seed
from game.match import GameRecord, Used
from game.openings import KINDS, Opening, openings
from game.players.player import Player
from game.review.judged import ProvedMoves
from game.rules import WCDF, DrawRules

DEFAULT_OPENINGS = "three-move"
DEFAULT_GAMES = 200

FIRST_PLIES = 3
"""Number of first plies that identify an opening, instead of a ballot, if games begin at the start position."""

TASK_SECONDS = 0.2
"""Approximate duration of a task in seconds; it does not affect results."""

MOST_PAIRS = 2048
"""Maximum number of pairs in one task."""

OFFERS, LEAST_OFFERS = 10, 1000
"""A match is given up after `OFFERS` pairs for each requested pair, but not before `LEAST_OFFERS` pairs. Without this
limit, a match between players that repeat their games would never end."""


@dataclass(frozen=True, slots=True)
class SprtResult:
    """The state of a sequential test when its match ends, with the logarithm of its likelihood ratio."""

    test: Sprt
    llr: float

    @property
    def verdict(self) -> str:
        return self.test.verdict(self.llr)


@dataclass(frozen=True, slots=True)
class Failures:
    """Games that a player (0 for A, 1 for B) lost through failures of one kind, and a description of the first."""

    player: int
    kind: FailureKind
    games: int
    first: str


@dataclass(frozen=True)
class MatchResult:
    """A finished match, from A's point of view.

    Attributes:
        pair_points: A's points (0, 1/2, 1, 1 1/2, 2) on each opening, in order of play; A has Black in the first game.
        black, white: A's wins, draws and losses with this colour.
        digests: a digest of each different game, including its opening. Compiled games have other digests than games
            played one by one.
        lengthened: number of pairs whose openings were lengthened by random plies because the ballots were used up.
        reasons: number of games by the reason of their end, in the order of `game.endings.Reason`.
        seconds: duration of the games, without loading compiled code.
        failures: games lost by failures, A's before B's, the most frequent kind first.
        ballots: the ballot of each pair; if games begin at the start position, their first `FIRST_PLIES` plies.
        used: effort of A and of B; None if compiled code played, since it does not count effort.
        proved: the moves of A and of B with proved results; None if they were not asked for.
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
    failures: tuple[Failures, ...] = field(default=(), compare=False)
    sprt: SprtResult | None = None
    stopped: bool = False
    ballots: tuple[str, ...] = field(default=(), compare=False, repr=False)
    used: tuple[Used, Used] | None = field(default=None, compare=False)
    proved: tuple[ProvedMoves, ProvedMoves] | None = None

    def __repr__(self) -> str:
        return f"MatchResult(+{self.wins} ={self.draws} -{self.losses}, {self.estimate.text})"

    @property
    def games(self) -> int:
        return 2 * len(self.pair_points)

    @property
    def distinct_games(self) -> int:
        return len(self.digests)

    @property
    def wins(self) -> int:
        return self.black[0] + self.white[0]

    @property
    def draws(self) -> int:
        return self.black[1] + self.white[1]

    @property
    def losses(self) -> int:
        return self.black[2] + self.white[2]

    @property
    def pentanomial(self) -> tuple[int, ...]:
        """Number of game pairs by A's points, in the order of `evolve.strength.elo.PAIR_POINTS`."""
        return tuple(self.pair_points.count(points) for points in PAIR_POINTS)

    @property
    def stopped_early(self) -> bool:
        """True if a test ended the match. The estimate is then biased: the test waited for results that look clear."""
        return self.sprt is not None and self.sprt.verdict != UNDECIDED

    @property
    def estimate(self) -> Estimate:
        """Score and Elo with their 95 % intervals, from the pairs."""
        return score_interval(self.pentanomial)


@dataclass(frozen=True, slots=True)
class CountedGame:
    """A game that counts for its match, with its number in it, from 1."""

    number: int
    opening: Opening
    black: str
    white: str
    record: GameRecord


@dataclass(frozen=True, slots=True)
class Score:
    """The score of a match so far, from A's point of view: games, and pairs by A's points."""

    wins: int
    draws: int
    losses: int
    pentanomial: tuple[int, ...]
    sprt: SprtResult | None

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses


@dataclass
class _Tally:
    """The pairs of a match that count so far, from A's point of view.

    Args:
        alike: whether both always play alike, so that their games may repeat others.
        plies: number of moves of each ballot; 0 if games begin at the start position.
    """

    players: tuple[Player, Player]
    alike: bool
    plies: int
    sprt: SprtResult | None
    points: list[float] = field(default_factory=list)
    ballots: list[str] = field(default_factory=list)
    pentanomial: list[int] = field(default_factory=lambda: [0] * len(PAIR_POINTS))
    black: list[int] = field(default_factory=lambda: [0, 0, 0])
    white: list[int] = field(default_factory=lambda: [0, 0, 0])
    reasons: list[int] = field(default_factory=lambda: [0] * len(Reason))
    digests: set[bytes] = field(default_factory=set)
    failures: dict[tuple[int, FailureKind], Failures] = field(default_factory=dict)
    lengthened: int = 0
    evaluations: int = 0
    used: tuple[Used, Used] | None = None
    proved: tuple[ProvedMoves, ProvedMoves] | None = None

    def repeats(self, first: PlayedGame, second: PlayedGame) -> bool:
        """Return whether a game of this pair has been played before, by players that always play alike."""
        return self.alike and not self.digests.isdisjoint((first.digest, second.digest))

    def add(self, opening: Opening, first: PlayedGame, second: PlayedGame) -> list[CountedGame]:
        """Count a pair: the game that A played with Black, then the one with White; return those with a record."""
        self.ballots.append(" ".join(map(str, opening.moves[: self.plies or FIRST_PLIES])))
        self.lengthened += len(opening.moves) > self.plies
        # Results are Black's, and A has Black only in the first game: there a win of A is 1, in the second one -1.
        self.points.append(1 + (first.result - second.result) / 2)
        self.pentanomial[PAIR_POINTS.index(self.points[-1])] += 1
        self.black[1 - first.result] += 1
        self.white[1 + second.result] += 1
        if first.used is not None and second.used is not None:
            a, b = self.used or (Used(), Used())
            self.used = a + first.used[0] + second.used[1], b + first.used[1] + second.used[0]
        if first.proved is not None and second.proved is not None:
            one, other = self.proved or (ProvedMoves(), ProvedMoves())
            self.proved = one + first.proved[0] + second.proved[1], other + first.proved[1] + second.proved[0]
        # The test counts pairs, not games, because both games of a pair depend on the balance of their opening.
        if self.sprt is not None:
            self.sprt = SprtResult(self.sprt.test, self.sprt.test.llr(self.pentanomial))
        return [*self._add_game(opening, first, black=0), *self._add_game(opening, second, black=1)]

    def _add_game(self, opening: Opening, game: PlayedGame, *, black: int) -> list[CountedGame]:
        """Count a game; `black` is the player with Black, 0 for A and 1 for B."""
        self.reasons[game.reason] += 1
        self.evaluations += game.evaluations
        self.digests.add(game.digest)
        loser = black if game.result == -1 else 1 - black
        failed, failure = _failure(game, self.players[loser])
        if failed is not None:
            text = failure.removeprefix(f"{self.players[loser].name}: ")
            before = self.failures.get((loser, failed), Failures(loser, failed, 0, text))
            self.failures[loser, failed] = replace(before, games=before.games + 1)
        if game.record is None:
            return []
        number, names = 2 * len(self.points) - 1 + black, [player.name for player in self.players]
        record = replace(game.record, failure=failure, kind=failed)
        return [CountedGame(number, opening, names[black], names[1 - black], record)]

    @property
    def decided(self) -> bool:
        return self.sprt is not None and self.sprt.verdict != UNDECIDED

    @property
    def score(self) -> Score:
        wins, draws, losses = (one + other for one, other in zip(self.black, self.white, strict=True))
        return Score(wins, draws, losses, tuple(self.pentanomial), self.sprt)

    def result(self, kind: str, seed: int, seconds: float, *, stopped: bool) -> MatchResult:
        return MatchResult(
            openings=kind,
            seed=seed,
            pair_points=tuple(self.points),
            black=(self.black[0], self.black[1], self.black[2]),
            white=(self.white[0], self.white[1], self.white[2]),
            digests=frozenset(self.digests),
            lengthened=self.lengthened,
            reasons=tuple(self.reasons),
            evaluations=self.evaluations,
            seconds=seconds,
            failures=tuple(sorted(self.failures.values(), key=lambda each: (each.player, -each.games))),
            sprt=self.sprt,
            stopped=stopped,
            ballots=tuple(self.ballots),
            used=self.used,
            proved=self.proved,
        )


def check(games: int, kind: str) -> None:
    """Check the number of games and the kind of openings of a match."""
    if games < 2 or games % 2:
        raise InputError(f"--games: expected an even number of 2 or more (both colours on each opening), got {games}")
    if kind not in KINDS:
        raise InputError(f"--openings: expected one of {', '.join(KINDS)}, got {kind!r}")


def play_match(
    a: Player,
    b: Player,
    games: int = DEFAULT_GAMES,
    *,
    kind: str = DEFAULT_OPENINGS,
    seed: int = 0,
    rules: DrawRules = WCDF,
    sprt: Sprt | None = None,
    pool: Pool | None = None,
    progress: Callable[[Score], None] | None = None,
    on_game: Callable[[CountedGame], None] | None = None,
    proved: bool = False,
) -> MatchResult:
    """Play a match.

    Each opening is played twice, first with A as Black, then with A as White. If a player chooses at random, ballots
    are used again when all have been played. Two deterministic players would repeat their games, so longer openings are
    then made by adding random plies. A pair is also replaced if it repeats a game of another pair, which can happen
    when a random ply is the move that a player would have chosen.

    Args:
        games: an even number of games; with `sprt` the maximum.
        kind: kind of openings, as in `game.openings.openings`.
        sprt: a test that ends the match after the pair that decides it.
        pool: plays the games; None for this process alone. It does not affect the result.
        progress: called regularly with the score so far.
        on_game: called with each game that counts, in order.
        proved: whether to prove results (`MatchResult.proved`), which takes a second or two of processor time a game.

    Returns:
        The result; after an interruption (`Pool.interruption`), it is based on all complete pairs.

    Raises:
        Interrupted: the match was interrupted before the first pair was complete.
        InputError: a number or name is wrong, the draw rules end games within the openings, or there are fewer
            different openings than games.
        TaskFailure: workers were lost repeatedly.
    """
    check(games, kind)
    ballots = openings(kind)
    alike = a.deterministic and b.deterministic
    order = match_games.vary_openings if alike else match_games.repeat_ballots
    source = order(ballots, rules, np.random.default_rng(derive_seed(seed)))
    pieces = open_tables().pieces if proved else 0
    sides = Sides.of(a, b, rules, keep=on_game is not None, proved=pieces)
    pool = pool or Pool()
    with pool.interruption.allowed():
        for player in (a, b):
            player.begin_game(rules, seed)
        match_games.runner_of(sides)
    tested = None if sprt is None else SprtResult(sprt, 0.0)
    tally, stopped, started = _Tally((a, b), alike, len(ballots[0].moves), tested), False, time.perf_counter()
    try:
        for batch in _batches(sides, source, seed, games // 2, tally, pool):
            for opening, first, second in batch:
                # Pairs after the one that decides a test do not count, though workers have already played them:
                # otherwise the result would depend on the size of the tasks, and so on the speed of the machine.
                if tally.decided or tally.repeats(first, second):
                    continue
                for game in tally.add(opening, first, second):
                    if on_game is not None:
                        on_game(game)
            if progress is not None:
                progress(tally.score)
            if tally.decided:
                break
    except Interrupted:  # raised only while games are played, so all counted pairs are complete
        if not tally.points:
            raise
        stopped = True
    return tally.result(kind, seed, time.perf_counter() - started, stopped=stopped)


def _batches(
    sides: Sides, source: Iterator[Opening], seed: int, wanted: int, tally: _Tally, pool: Pool
) -> Iterator[list[tuple[Opening, PlayedGame, PlayedGame]]]:
    """Yield openings with both games, in order, a batch at a time, until enough pairs count or the caller stops."""
    offered, pace = 0, math.inf
    handed: deque[list[Opening]] = deque()
    no_more: InputError | None = None

    def tasks(left: int) -> Iterator[GamePairs]:
        nonlocal offered, no_more
        while left and no_more is None:
            # The last tasks are small, so that all workers finish at about the same time.
            size = max(1, min(MOST_PAIRS, int(TASK_SECONDS / pace), -(-left // (2 * pool.count))))
            drawn: list[Opening] = []
            try:
                for opening in itertools.islice(source, min(size, left)):
                    drawn.append(opening)
            except InputError as error:  # raised later, if there are too few pairs
                no_more = error
            if drawn:
                # A seed follows from the number of the game alone, so a game is the same in any task and any process.
                seeds = [derive_seed(seed, 2 * offered + game) for game in range(2 * len(drawn))]
                offered, left = offered + len(drawn), left - len(drawn)
                handed.append(drawn)
                yield GamePairs(sides, drawn, seeds)

    # Pairs that repeat a game do not count, so several rounds may be needed: each offers as many pairs as are missing.
    while len(tally.points) < wanted:
        if no_more is not None:
            raise no_more
        if offered > max(OFFERS * wanted, LEAST_OFFERS):
            counted = len(tally.points)
            raise InputError(
                f"--games: these players repeat their games: only {counted:,} of {offered:,} openings gave new ones; "
                "ask for fewer games"
            )
        for played, seconds in pool.results(play_pairs, tasks(wanted - len(tally.points))):
            drawn = handed.popleft()  # results come in the order of the tasks
            pace = max(seconds, 1e-9) / len(drawn)
            yield list(zip(drawn, played[::2], played[1::2], strict=True))


def _failure(game: PlayedGame, loser: Player) -> tuple[FailureKind | None, str]:
    if game.reason != Reason.FAILURE:
        return None, ""
    if game.record is None or game.record.kind is None:  # players of compiled games can fail in only one way
        return FailureKind.VALUE, f"{loser.name}: its network gives a value that is not a finite number"
    return game.record.kind, game.record.failure
