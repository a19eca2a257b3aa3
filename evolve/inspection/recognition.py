"""Recognition: the members of a run that probably played a game, learnt from games of the members among themselves."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evolve.inspection import terminal
from evolve.inspection.contents import Contents, ReportTable, Section
from evolve.inspection.traits import MOST_PLAYERS, PlayerTraits
from evolve.run.folder import Run
from evolve.session.reporters import CountingLine
from evolve.strength.effort import network_player
from game import openings
from game.batch.games import BatchPlayers, follow, index_openings, play_all
from game.bitboard import SQUARE_BIT
from game.board import Position
from game.errors import InputError
from game.moves import encode
from game.number_text import count_text, finite_or_none, percent_text
from game.pdn.check import Record, Source, read_records, source_name
from game.players.player import Player
from game.traits import TRAITS, measure, sentence
from game.traits_kernels import FIRST, LAST

Floats = NDArray[np.float64]
Indexes = NDArray[np.int64]

A_ROUND = 4
"""Games of each member in a round: with both colours against its two neighbours in a random circle."""
GAMES, MOST_GAMES = 48, 10_000
"""Default and maximum number of each member's games."""
SEED = 1
FEWEST, LIKELIEST, TOGETHER = 2, 5, 5
"""Minimum number of members; number of members named for a game; number of games for the second test."""
NEAREST = 3
"""Number of members whose traits are listed beside those of a name."""
FEATURES = len(TRAITS) + 32
"""The traits of a player in a game, and how often it has a piece on each square, as it sees the board."""

MEANING = (
    "A share is the probability that the member played, if one of them did. Each is recognised by its traits and by "
    "the squares that it occupies before its own moves 7 to 20; games with fewer than 20 of them say too little "
    "(docs/cast.md)."
)


def features(codes: NDArray[np.uint32]) -> Floats:
    """Return the features of both sides in a game from the start position.

    Args:
        codes: codes of its moves, as in `game.batch.games.Outcomes.codes`.

    Returns:
        float64 of shape (2, FEATURES), for Black and White. All are NaN for a side with too few moves; the trait of a
        choice that never arose is NaN alone.
    """
    table = np.full((2, FEATURES), math.nan)
    rows, _ = follow(codes, Position.start())
    traits = measure(codes)
    bits = np.array(SQUARE_BIT[1:], np.uint64)
    for side in range(2):
        own = rows[side::2, 0]
        if len(own) >= LAST:
            table[side, : len(TRAITS)] = traits[side]
            table[side, len(TRAITS) :] = ((own[FIRST - 1 : LAST, None] >> bits) & np.uint64(1)).mean(axis=0)
    return table


NEAR = (
    "Means over the games that count. Below each name are the members with the nearest traits: a difference counts by "
    "what differences between members, and chance in this number of games, would make it."
)


@dataclass(frozen=True)
class MeasuredGames:
    """Games of known members; a row is one side of a game.

    Attributes:
        features: float64 of shape (rows, FEATURES), without sides that made too few moves.
        members: int64 of shape (rows,), indexes of the members.
        odd: bool of shape (rows,), whether the game began from an odd ballot.
    """

    features: Floats
    members: Indexes
    odd: NDArray[np.bool_]

    def part(self, chosen: NDArray[np.bool_]) -> MeasuredGames:
        return MeasuredGames(self.features[chosen], self.members[chosen], self.odd[chosen])


def checked_games(games: int, where: str = "") -> int:
    """Return a number of games of each member, if it is possible.

    Raises:
        InputError: it is not a multiple of `A_ROUND`, too small or too large; the message begins with `where`.
    """
    if games % A_ROUND or not 2 * A_ROUND <= games <= MOST_GAMES:
        raise InputError(
            f"{where}expected a multiple of {A_ROUND} from {2 * A_ROUND} to {MOST_GAMES:,}, since each member plays "
            f"two others with both colours in a round, got {games:,}"
        )
    return games


def play_examples(
    players: Sequence[Player], games: int = GAMES, seed: int = SEED, *, quiet: bool = True
) -> MeasuredGames:
    """Let members play each other from three-move ballots with both colours.

    Args:
        players: the members.
        games: number of each member's games, as for `checked_games`.
        seed: determines opponents, ballots and choices at random.
        quiet: whether to report no progress.

    Raises:
        InputError: the number of games is not possible, or the members have no compiled form.
    """
    checked_games(games)
    field = BatchPlayers.of_players(players)
    if field is None:
        raise InputError(f"{players[0].name}: members of this kind have no compiled games, so none can be recognised")
    generator = np.random.Generator(np.random.Philox(seed))
    table = index_openings([ballot.moves for ballot in openings.openings("three-move")], Position.start())
    line, count, rounds = CountingLine(quiet=quiet), len(players), games // A_ROUND
    measured, members, odd = list[Floats](), list[int](), list[bool]()
    for number in range(rounds):
        line.count(f"round {number + 1} of {rounds}: {count * A_ROUND // 2:,} games between {count} members")
        circle = generator.permutation(count)
        pairs = np.stack([circle, np.roll(circle, 1)], axis=1)
        blacks, whites = pairs.reshape(-1), pairs[:, ::-1].reshape(-1)
        is_odd = number % 2 == 0
        ballots = 2 * generator.integers(0, len(table) // 2, count) + (0 if is_odd else 1)
        seeds = generator.integers(0, 2**63, len(blacks)).tolist()
        played = play_all(
            field, blacks, whites, openings=table, opening_of=np.repeat(ballots, 2), seeds=seeds, keep=True
        )
        for codes, pair in zip(played.codes or (), zip(blacks.tolist(), whites.tolist(), strict=True), strict=True):
            measured += [*features(codes)]
            members += pair
            odd += [is_odd] * 2
    line.count()
    known = MeasuredGames(np.array(measured), np.array(members), np.array(odd))
    return known.part(np.isfinite(known.features[:, 0]))


class Recogniser:
    """Probabilities that members played a game: normal distributions around a mean for each member.

    All members share one covariance. With few games a mean is partly chance, so it is moved towards the mean of all
    members, the more the larger that part is; members that do not differ get equal shares.

    Source: Fisher, The use of multiple measurements in taxonomic problems (1936); James and Stein, Estimation with
    quadratic loss (1961).
    """

    def __init__(self, examples: MeasuredGames, count: int) -> None:
        """Learn from games of `count` members."""
        rows, width = examples.features, examples.features.shape[1]
        self._centre = np.array([_mean(column) for column in rows.T])
        rows = rows - self._centre
        means, games = np.zeros((count, width)), np.zeros((count, width))
        for member in range(count):
            own = rows[examples.members == member]
            games[member] = np.isfinite(own).sum(axis=0)
            means[member] = np.nansum(own, axis=0) / np.maximum(games[member], 1)
        apart = rows - means[examples.members]
        known = np.isfinite(apart)
        apart = np.where(known, apart, 0.0)
        left = max(len(rows) - count, 1)
        together = apart.T @ apart / np.maximum(known.T.astype(float) @ known * left / max(len(rows), 1), 1.0)
        within = np.diag(together) + 1e-9
        alone = width / (width + left)
        self._covariance = (1 - alone) * together + alone * np.diag(within) + 1e-6 * np.eye(width)
        chance = within / np.maximum(games, 1)
        between = np.maximum((means**2).mean(axis=0) - chance.mean(axis=0), 0.0)
        self._means = means * between / (between + chance)

    def log_likelihoods(self, rows: Floats) -> Floats:
        """Return log likelihoods, except for a constant a row; float64 of shape (rows, members).

        Args:
            rows: features, float64 of shape (rows, FEATURES); those that are NaN are left out.
        """
        result = np.zeros((len(rows), len(self._means)))
        known = np.isfinite(rows)
        for pattern in np.unique(known, axis=0):
            chosen = (known == pattern).all(axis=1)
            means = self._means[:, pattern]
            weights = np.linalg.solve(self._covariance[np.ix_(pattern, pattern)], means.T)
            seen = (rows[chosen] - self._centre)[:, pattern]
            result[chosen] = seen @ weights - 0.5 * (means.T * weights).sum(axis=0)
        return result


def _mean(column: Floats) -> float:
    known = column[np.isfinite(column)]
    return float(known.mean()) if len(known) else 0.0


def shares(logs: Floats) -> Floats:
    """Return the probability of each member from log likelihoods, float64 of shape (members,); they add up to 1."""
    values = np.exp(logs - logs.max())
    result: Floats = values / values.sum()
    return result


@dataclass(frozen=True)
class Accuracy:
    """A measure of how well members are recognised in games from which nothing was learnt.

    Attributes:
        tests: number of tests.
        first: fraction in which the likeliest member played.
        likeliest: fraction in which one of the `LIKELIEST` played.
    """

    tests: int
    first: float
    likeliest: float


def accuracy(examples: MeasuredGames, count: int, together: int = 1) -> Accuracy:
    """Learn from games of odd ballots, and recognise members in those of even ones.

    Args:
        examples: games of all members.
        count: number of members.
        together: number of games of a member in each test.
    """
    recogniser, later = Recogniser(examples.part(examples.odd), count), examples.part(~examples.odd)
    logs, ranks = recogniser.log_likelihoods(later.features), list[int]()
    # A member that comes first in a tie would win too often if its own number decided.
    order = np.random.Generator(np.random.Philox(SEED)).permutation(count)
    for member in range(count):
        own = logs[later.members == member]
        for start in range(0, len(own) - together + 1, together):
            best = order[np.argsort(-own[start : start + together].sum(axis=0)[order], kind="stable")]
            ranks.append(int(np.flatnonzero(best == member)[0]))
    places = np.array(ranks)
    if not ranks:
        return Accuracy(0, math.nan, math.nan)
    return Accuracy(len(ranks), float((places == 0).mean()), float((places < LIKELIEST).mean()))


@dataclass(frozen=True)
class Guess:
    """The likeliest members for one side of a game, or for all games of a name.

    Attributes:
        game: number of the game in its file; None for all games of a name.
        colour: ``Black`` or ``White``; empty for all games of a name.
        player: the name in the file.
        games: number of games that count, at most 1 for a single game.
        members: names of the likeliest members and their shares; empty if no game counts.
    """

    game: int | None
    colour: str
    player: str
    games: int
    members: tuple[tuple[str, float], ...]

    def plain(self) -> dict[str, Any]:
        """Return the guess as values for JSON."""
        members = [{"name": name, "share": share} for name, share in self.members]
        where = {"games": self.games} if self.game is None else {"game": self.game, "colour": self.colour}
        return where | {"player": self.player, "members": members}

    @property
    def text(self) -> str:
        return ", ".join(f"{name} {percent_text(share)}" for name, share in self.members) or "too few moves"


@dataclass(frozen=True)
class Likeness:
    """The traits of a name in a file, and the members whose traits are nearest.

    Attributes:
        player: the traits of the name in the games that count.
        nearest: the members, the nearest first, by their own games.
    """

    player: PlayerTraits
    nearest: tuple[PlayerTraits, ...]

    @classmethod
    def of_players(cls, players: Iterable[PlayerTraits], members: Sequence[PlayerTraits]) -> list[Likeness]:
        """Choose the members with the smallest mean of squared differences, each divided by the expected one."""
        members = [member for member in members if member.games]
        values, errors, games = (
            np.array([[getattr(mean, name) for mean in member.traits] for member in members]).reshape(-1, len(TRAITS))
            for name in ("value", "error", "games")
        )
        spread = np.array([_mean((column - _mean(column)) ** 2) for column in values.T])
        chance = np.array([_mean(column) for column in (errors**2 * games).T])
        made = []
        for player in players:
            own, counts = (np.array([getattr(mean, name) for mean in player.traits]) for name in ("value", "games"))
            apart = (values - own) ** 2 / (spread + chance / np.maximum(counts, 1) + 1e-9)
            known = np.isfinite(apart)
            order = np.argsort(
                np.where(known, apart, 0.0).sum(axis=1) / np.maximum(known.sum(axis=1), 1), kind="stable"
            )
            made.append(cls(player, tuple(members[index] for index in order[:NEAREST])))
        return made

    def plain(self) -> dict[str, Any]:
        """Return the traits as values for JSON."""
        own, *others = (each.plain() | {"character": sentence(each.traits)} for each in (self.player, *self.nearest))
        return own | {"nearest": others}


@dataclass(frozen=True)
class RecognitionReport:
    """The members of a run that probably played the games of a file.

    Attributes:
        run: name of the run, with the generation of its members.
        source: the file and the number of its games, in words.
        members: number of members.
        games: number of each member's own games.
        tested: accuracy from one game and from `TOGETHER` games.
        sides: guesses for both sides of each game.
        players: guesses for names with several games that count.
        traits: the traits of each name with a game that counts, those with most games first.
        faults: the faults of the file.
        left_out: number of games that do not begin at the start position.
    """

    run: str
    source: str
    members: int
    games: int
    tested: tuple[Accuracy, Accuracy]
    sides: tuple[Guess, ...]
    players: tuple[Guess, ...]
    traits: tuple[Likeness, ...]
    faults: tuple[str, ...]
    left_out: int

    def plain(self) -> dict[str, Any]:
        """Return the report as values for JSON."""
        tested = {
            name: {"tests": each.tests, "first": finite_or_none(each.first), "five": finite_or_none(each.likeliest)}
            for name, each in zip(("one_game", "five_games"), self.tested, strict=True)
        }
        return {
            "kind": "recognition",
            "run": self.run,
            "source": self.source,
            "members": self.members,
            "own_games": self.games,
            "tested": tested | {"chance": 1 / self.members},
            "sides": [guess.plain() for guess in self.sides],
            "players": [guess.plain() for guess in self.players],
            "traits": [each.plain() for each in self.traits],
            "faults": list(self.faults),
            "left_out": self.left_out,
        }

    def contents(self) -> Contents:
        lines = [[str(guess.game), guess.colour, guess.player, guess.text] for guess in self.sides]
        more = MEANING
        if self.left_out:
            more += f" {count_text(self.left_out, 'game')} from other positions than the start not counted."
        heads = ("game", "colour<", "player<", "likeliest members<")
        sections = [Section("", table=ReportTable(heads, lines), more=more)]
        if self.players:
            named = [[guess.player, str(guess.games), guess.text] for guess in self.players]
            sections.append(
                Section("All games of a name", table=ReportTable(("player<", "games", "likeliest members<"), named))
            )
        if self.traits:
            sections.append(self._traits())
        sections.append(Section("Reliability", self._reliability(), more=self._method()))
        return Contents(count_text(self.members, "member"), f"of {self.run}", self.source, sections)

    def _traits(self) -> Section:
        lines, more, facts = list[list[str]](), NEAR, list[tuple[str, str]]()
        for each in self.traits[:MOST_PLAYERS]:
            facts += [(each.player.name, text)] if (text := sentence(each.player.traits)) else []
            for name, one in ((each.player.name, each.player), *((f"  {one.name}", one) for one in each.nearest)):
                values = [trait.say(mean.value) for trait, mean in zip(TRAITS, one.traits, strict=True)]
                lines.append([name, str(one.games), *values])
        if (left := len(self.traits) - MOST_PLAYERS) > 0:
            more += f" {count_text(left, 'name')} with fewer games left out; see --json."
        names = [trait.name for trait in TRAITS]
        table = ReportTable(("player<", "games", *names), lines, names[::-1])
        return Section("Traits, with the nearest members", facts, table, more)

    def _reliability(self) -> list[tuple[str, str]]:
        facts = []
        for name, each in zip(("one game", f"{TOGETHER} games"), self.tested, strict=True):
            if each.tests:
                right = (
                    f"first in {percent_text(each.first)}, among the five likeliest in {percent_text(each.likeliest)}"
                )
                facts.append((name, f"{right} of {count_text(each.tests, 'test')}"))
        five = percent_text(min(LIKELIEST / self.members, 1.0))
        return [*facts, ("chance", f"first in {percent_text(1 / self.members)}, among the five in {five}")]

    def _method(self) -> str:
        return (
            f"From {self.games} games of each member against others: learnt from games of odd ballots, tested on those "
            "of even ones. The shares above come from all of them."
        )

    def print(self, *, as_json: bool) -> None:
        print(json.dumps(self.plain())) if as_json else terminal.show(self.contents())


def members_of(run: Run) -> tuple[int, list[Player]]:
    """Return the number of the newest generation of a run, and its individuals with the search they evolved with.

    Raises:
        RunError: it has no generation, or the weights were not kept.
        InputError: it has fewer than `FEWEST` individuals.
    """
    number = run.manifest().newest
    rows, config = run.read_generation(), run.config()
    if len(rows.names) < FEWEST:
        raise InputError(
            f"{run.name}: expected a run with {FEWEST} or more individuals in its newest generation, got 1"
        )
    how = run.conditions(number)
    kings = [None] * len(rows.names) if rows.kings is None else rows.kings.tolist()
    return number, [
        network_player(name, weights, config.network, king, how)
        for name, weights, king in zip(rows.names, rows.weights, kings, strict=True)
    ]


def who_played(source: Source, run: Run, games: int = GAMES, *, quiet: bool = True) -> RecognitionReport:
    """Name the members of a run that probably played the games of a PDN file.

    Games with faults are left out; their faults are part of the report.

    Args:
        source: the file.
        run: the run; its members are the individuals of its newest generation.
        games: number of each member's own games, as for `play_examples`.
        quiet: whether to report no progress.

    Raises:
        InputError: the file has no games or only games with faults, or the run has too few members.
        RunError: the run has no generation with weights.
    """
    number, members = members_of(run)
    records, name = list(read_records(source)), source_name(source)
    if not records:
        raise InputError(f"{name}: no games found")
    if not any(record.whole for record in records):
        raise InputError(f"{name}:{next(fault for record in records for fault in record.faults)}")
    examples, names = play_examples(members, games, quiet=quiet), [member.name for member in members]
    recogniser = Recogniser(examples, len(members))
    sides, logs, left_out = list[Guess](), defaultdict[str, list[Floats]](list), 0
    traits = defaultdict[str, list[Floats]](list)
    for record in records:
        if record.game is None or not record.whole:
            continue
        if record.game.start != Position.start():
            left_out += 1
            continue
        for colour, row in zip(("Black", "White"), _features_of(record), strict=True):
            player = record.game.tag(colour) or "?"
            counts = bool(np.isfinite(row[0]))
            own = recogniser.log_likelihoods(row[None])[0]
            if counts:
                logs[player].append(own)
                traits[player].append(row[: len(TRAITS)])
            sides.append(Guess(record.number, colour, player, int(counts), _likeliest(own, names) if counts else ()))
    several = sorted(((player, each) for player, each in logs.items() if len(each) > 1), key=lambda one: -len(one[1]))
    known = [
        PlayerTraits.of(each, [*examples.features[examples.members == member, : len(TRAITS)]], 1)
        for member, each in enumerate(names)
    ]
    likenesses = Likeness.of_players((PlayerTraits.of(player, rows, 1) for player, rows in traits.items()), known)
    return RecognitionReport(
        f"{run.name}@{number}",
        f"{name}: {count_text(len(records), 'game')}",
        len(members),
        games,
        (accuracy(examples, len(members)), accuracy(examples, len(members), TOGETHER)),
        tuple(sides),
        tuple(Guess(None, "", player, len(each), _likeliest(np.sum(each, axis=0), names)) for player, each in several),
        tuple(sorted(likenesses, key=lambda one: -one.player.games)),
        tuple(f"{name}:{fault}" for record in records for fault in record.faults),
        left_out,
    )


def _features_of(record: Record) -> Floats:
    game = record.game
    assert game is not None
    codes = [encode(move, (game.start.side + ply) % 2) for ply, move in enumerate(game.moves)]
    return features(np.array(codes, np.uint32))


def _likeliest(logs: Floats, names: Sequence[str]) -> tuple[tuple[str, float], ...]:
    values = shares(logs)
    return tuple((names[index], float(values[index])) for index in np.argsort(-values, kind="stable")[:LIKELIEST])
