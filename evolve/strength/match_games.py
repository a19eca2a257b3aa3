"""The games of a match: their openings, and pairs of games as tasks, which are plain data for any process."""

from __future__ import annotations

import functools
import hashlib
import itertools
import os
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from game import match
from game.batch.games import BatchPlayers, index_openings, play_all
from game.board import Position
from game.errors import InputError
from game.match import GameRecord, Used
from game.openings import Opening, lengthen
from game.players.player import Player
from game.review.judged import ProvedMoves
from game.rules import WCDF, DrawRules

LONGEST_OPENING = 24
"""Maximum number of plies in an opening: it leads to far more positions than any match has games."""

DRAWS = 100
"""Openings get one ply longer after this many consecutive random ones that led only to positions used before."""

LAST_DRAWS = 10_000
"""The same number for the longest openings, which then count as used up."""


def repeat_ballots(ballots: Sequence[Opening], rules: DrawRules, generator: np.random.Generator) -> Iterator[Opening]:
    """Repeat all ballots without end, each time in a new order."""
    _checked_room(ballots, rules)
    return _shuffled(ballots, generator)


def vary_openings(ballots: Sequence[Opening], rules: DrawRules, generator: np.random.Generator) -> Iterator[Opening]:
    """Yield all ballots, then longer openings, without repeating a position."""
    # Ballots first, since they are balanced; then the same with one random ply more, two more, and so on, as long as
    # new positions can be found.
    length = len(ballots[0].moves)
    room = _checked_room(ballots, rules)
    known = {opening.position for opening in ballots}
    order = _shuffled(ballots, generator)
    yield from itertools.islice(order, len(ballots))
    for plies in range(1, room - length + 1):
        # If a new opening is not found soon, one more ply offers many; at the last length, the match would end.
        draws = DRAWS if length + plies < room else LAST_DRAWS
        while True:
            longer = (lengthen(next(order), plies, generator) for _ in range(draws))
            new = next((opening for opening in longer if opening.position not in known), None)
            if new is None:
                break
            known.add(new.position)
            yield new
    raise InputError(
        f"--games: two deterministic players would repeat their games, since there are only {len(known)} different "
        f"openings of up to {room} plies; ask for fewer games"
    )


def _shuffled(ballots: Sequence[Opening], generator: np.random.Generator) -> Iterator[Opening]:
    # Each round has all ballots in a new order, so none is used a second time before all others have been used.
    while True:
        for index in generator.permutation(len(ballots)).tolist():
            yield ballots[index]


def _checked_room(ballots: Sequence[Opening], rules: DrawRules) -> int:
    """Return the maximum number of plies in an opening that leaves room for another move under these rules."""
    limits = [LONGEST_OPENING]
    limits += [rules.max_plies - 1] if rules.max_plies else []
    # Openings may consist of quiet moves of men, which count against this limit unless they reset it.
    limits += [rules.quiet_plies - 1] if rules.quiet_plies and not rules.men_reset else []
    if len(ballots[0].moves) > min(limits):
        raise InputError(f"openings: the draw rules end games after {min(limits) + 1} plies, within the openings")
    return min(limits)


_HERE = uuid.uuid4().hex
_numbers = itertools.count()


@dataclass(frozen=True)
class Sides:
    """The players and rules of a match.

    Attributes:
        key: identifies the match on all machines, so that a process prepares once for all tasks of a match.
        proved: number of pieces of the tables with which results are proved; 0 if they are not. It needs `keep`.
    """

    key: tuple[str, int, int]
    a: Player
    b: Player
    rules: DrawRules
    keep: bool
    proved: int = 0

    @classmethod
    def of(cls, a: Player, b: Player, rules: DrawRules, *, keep: bool, proved: int = 0) -> Sides:
        return cls((_HERE, os.getpid(), next(_numbers)), a, b, rules, keep or proved > 0, proved)


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """The result of one game: 1 if Black won, -1 if White won, 0 for a draw.

    Attributes:
        digest: digest of the moves, including the opening. Compiled games have other digests than games played one by
            one.
        record: the game itself if games are kept or it ended by a failure; else None.
        used: effort of Black and of White; None if compiled code played.
        proved: the moves of Black and of White with proved results; None if they were not asked for.
    """

    result: int
    reason: int
    evaluations: int
    digest: bytes
    record: GameRecord | None
    used: tuple[Used, Used] | None = None
    proved: tuple[ProvedMoves, ProvedMoves] | None = None


@dataclass(frozen=True)
class GamePairs:
    """A task: two games on each of several openings, each with a seed of its own."""

    sides: Sides
    openings: Sequence[Opening]
    seeds: Sequence[int]


Runner = Callable[[GamePairs], list[PlayedGame]]

_ready: tuple[tuple[str, int, int], Runner] | None = None


def play_pairs(task: GamePairs) -> tuple[list[PlayedGame], float]:
    """Play both games of each pair; return them and their duration in seconds."""
    runner = runner_of(task.sides)
    began = time.perf_counter()
    played = runner(task)
    if pieces := task.sides.proved:
        from game.review.proved import proved_moves

        played = [replace(each, proved=proved_moves(each.record, pieces)) for each in played if each.record]
    return played, time.perf_counter() - began


def runner_of(sides: Sides) -> Runner:
    """Return a function that plays tasks of these players; load compiled code if it supports both."""
    global _ready  # noqa: PLW0603 (a process plays one match at a time)
    if _ready is None or _ready[0] != sides.key:
        field = BatchPlayers.of_players((sides.a, sides.b))
        if field is None:
            _ready = sides.key, _one_by_one
        else:
            play_all(field, [0], [1], rules=DrawRules(max_plies=1), keep=True)  # loads the compiled code
            _ready = sides.key, lambda task: _compiled(field, task)
    return _ready[1]


def loader_for(players: Sequence[Player]) -> Callable[[], None]:
    """Return a function that prepares another machine for games of these players."""
    return functools.partial(_load, tuple(players), tuple(player.tablebase for player in players))


def _load(players: Sequence[Player], tablebases: Sequence[int]) -> None:
    for player, here in zip(players, tablebases, strict=True):
        player.begin_game(WCDF, 0)
        if player.tablebase != here:
            raise InputError(f"{player.name}: tablebases of up to {player.tablebase} pieces there and {here} here")
        runner_of(Sides.of(player, player, WCDF, keep=False))


def _one_by_one(task: GamePairs) -> list[PlayedGame]:
    sides, played = task.sides, []
    for index, seed in enumerate(task.seeds):
        black, white = (sides.a, sides.b) if index % 2 == 0 else (sides.b, sides.a)
        record = match.play(black, white, opening=task.openings[index // 2].moves, rules=sides.rules, seed=seed)
        text = " ".join(map(str, record.moves)).encode()
        kept = record if sides.keep or record.failure else None
        played.append(PlayedGame(record.result, record.reason, record.evaluations, _digest(text), kept, record.used))
    return played


def _compiled(field: BatchPlayers, task: GamePairs) -> list[PlayedGame]:
    pairs, start = len(task.openings), Position.start()
    outcomes = play_all(
        field, [0, 1] * pairs, [1, 0] * pairs,
        openings=index_openings([opening.moves for opening in task.openings], start),
        opening_of=np.repeat(np.arange(pairs), 2), rules=task.sides.rules, seeds=task.seeds, keep=True,
    )  # fmt: skip
    assert outcomes.codes is not None
    columns = (outcomes.results.tolist(), outcomes.reasons.tolist(), outcomes.evaluations.tolist(), outcomes.codes)
    return [
        PlayedGame(
            result,
            reason,
            evaluations,
            _digest(codes.tobytes()),
            outcomes.record(game, start) if task.sides.keep else None,
        )
        for game, (result, reason, evaluations, codes) in enumerate(zip(*columns, strict=True))
    ]


def _digest(moves_played: bytes) -> bytes:
    return hashlib.blake2b(moves_played, digest_size=16).digest()
