"""The arena, which plays the pairings of a tournament in worker processes."""

from __future__ import annotations

import functools
import io
import itertools
import logging
import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evolve.config.model import Config
from evolve.kinds.pairing import Indexes, Scores
from evolve.run.generation_csv import Generation
from evolve.streams import Draw, stream
from evolve.tournament.tournament import Ranking
from evolve.workers.processes import SharedRows, Workers, get_shared_rows, refers_to_rows, share
from game import moves, openings
from game.batch.games import BatchPlayers, Outcomes, index_openings, play_all
from game.board import Position
from game.endings import REASON_TEXT, Reason
from game.match import GameRecord
from game.networks.spec import Spec
from game.pdn import game as pdn_game
from game.pdn.game import NO_DATE, Game
from game.rules import PIECES_A_SIDE, DrawRules
from game.search.interface import ONE_PLY, Limits, SearchOptions

log = logging.getLogger(__name__)

TASKS_A_WORKER = 2
SMALLEST_TASK, LARGEST_TASK = 16, 1024
LEAST_SECONDS = 0.005
"""Minimum time of a task; short enough that workers do not wait long for the last one."""
ALONE = 3.0
"""This process plays the games itself if that takes less than the latency of the workers times this factor."""
BUSY = 2.0
"""Minimum time of a task, in units of the time to hand out one task to each worker: handing out takes at most half the
time."""
Map = Callable[[Callable[[Any], Any], Any], Iterable[Any]]


@dataclass(frozen=True)
class Chunk:
    """Games that one worker plays in one compiled call; plain data.

    Attributes:
        blacks, whites: int64 of shape (games,), rows of the shared genomes.
        opening_of: int64 of shape (games,), row of each game's opening in `openings`.
        openings: int16 of shape (openings, plies), in the form for compiled games.
    """

    network: Spec
    blacks: Indexes
    whites: Indexes
    opening_of: Indexes
    openings: NDArray[np.int16]
    rules: DrawRules
    adjudicate: int
    limits: Limits
    style: SearchOptions
    keep: bool


def openings_of(config: Config) -> NDArray[np.int16]:
    """Return the openings of a run in the form for compiled games."""
    return ballots(config.games.openings)


@functools.cache
def ballots(kind: str) -> NDArray[np.int16]:
    """Return the ballots of a kind, or the first position, in the form for compiled games."""
    return index_openings([opening.moves for opening in openings.openings(kind)], Position.start())


def fixtures(
    config: Config, pairs: Indexes, seed_key: tuple[int, Draw, tuple[int, ...]]
) -> tuple[Indexes, Indexes, Indexes]:
    """Return the games of pairings as rows of Black, rows of White, and rows of their openings in `openings_of`.

    The games of a pairing are adjacent; for the arguments see `TournamentArena.play`.
    """
    blacks, whites = pairs[:, 0].copy(), pairs[:, 1].copy()
    # Ballots come from the stream of this stage and round alone, so neither workers nor kills change them.
    ballot_of = np.zeros(len(pairs), np.int64)
    if config.games.openings != "start":
        generation, purpose, index = seed_key
        generator = stream(config.seed, generation, purpose, *index)
        ballot_of = generator.integers(0, len(openings_of(config)), len(pairs))
    if config.games.a_pairing == 2:
        blacks, whites = pairs.reshape(-1), pairs[:, ::-1].reshape(-1)
        ballot_of = np.repeat(ballot_of, 2)
    return blacks, whites, ballot_of


@refers_to_rows
def play_chunk(chunk: Chunk) -> Outcomes:
    shared = get_shared_rows()
    # Prepare only the players of this chunk, not the whole population.
    players, places = np.unique(np.concatenate([chunk.blacks, chunk.whites]), return_inverse=True)
    blacks, whites = np.split(places, 2)
    genomes, kings = shared.genomes()[players], shared.kings()[players]
    return play_all(
        BatchPlayers.of_networks(chunk.network, genomes, kings, limits=chunk.limits, style=chunk.style),
        blacks,
        whites,
        openings=chunk.openings,
        opening_of=chunk.opening_of,
        rules=chunk.rules,
        keep=chunk.keep,
        adjudicate=chunk.adjudicate,
    )


@dataclass
class Counts:
    games: int = 0
    evaluations: int = 0
    plies: int = 0
    draws: int = 0
    failures: int = 0


@dataclass(frozen=True)
class PlayedPairings:
    """Games of pairings with their moves, in the order of the pairings; the two games of a pairing are adjacent.

    Attributes:
        blacks, whites: int64 of shape (games,), rows of the players.
    """

    blacks: Indexes
    whites: Indexes
    outcomes: Outcomes

    def __len__(self) -> int:
        return len(self.blacks)

    @property
    def pieces(self) -> Indexes:
        """The number of pieces left to Black and to White at the end of each game; int64 of shape (games, 2)."""
        left = np.full((len(self), 2), PIECES_A_SIDE, np.int64)
        for row, codes in zip(left, self.outcomes.codes or (), strict=True):
            jumps = moves.jumps(codes)
            row -= int(jumps[1::2].sum()), int(jumps[0::2].sum())  # Black makes the first move
        return left

    def record(self, game: int) -> GameRecord:
        """Return a game with its moves from the start position (``record(0).moves``)."""
        return self.outcomes.record(game, Position.start())


@dataclass
class TournamentArena:
    """An arena that plays pairings of the genomes in shared memory, and counts since `reset`."""

    config: Config
    map: Map
    workers: int
    shared: SharedRows
    on_games: Callable[[int], None] = lambda games: None
    crew: Workers | None = None
    counts: Counts = field(default_factory=Counts)
    kept: list[PlayedPairings] = field(default_factory=list)
    _game_seconds: float = 0.0

    def reset(self) -> None:
        self.counts, self.kept = Counts(), []

    def play(self, pairs: Indexes, seed_key: tuple[int, Draw, tuple[int, ...]], *, keep: bool = False) -> Scores:
        """Play pairings: one game each, or two on a random ballot with colours swapped.

        Args:
            pairs: int64 of shape (pairings, 2), rows of the genomes; the first has Black in the first game.
            seed_key: generation, purpose and index of the stream that draws ballots.
        """
        a_pairing = self.config.games.a_pairing
        blacks, whites, ballot_of = fixtures(self.config, pairs, seed_key)
        # Individuals are deterministic, so a pairing repeated with the same opening is played only once.
        game_keys = (blacks * len(self.shared.kings()) + whites) * len(openings_of(self.config)) + ballot_of
        _, first, again = np.unique(game_keys, return_index=True, return_inverse=True)
        limits = self.config.search.limits(seed_key[0])
        outcomes = self._play_games(blacks[first], whites[first], ballot_of[first], limits, keep).select(again)
        self._count(outcomes, played=len(first))
        if keep:
            self.kept.append(PlayedPairings(blacks, whites, outcomes))
        black_wins, white_wins = (outcomes.results == 1).astype(np.int64), (outcomes.results == -1).astype(np.int64)
        if a_pairing == 1:
            return Scores(black_wins, white_wins)
        return Scores(black_wins[0::2] + white_wins[1::2], white_wins[0::2] + black_wins[1::2], a_pairing)

    def _play_games(self, blacks: Indexes, whites: Indexes, ballot_of: Indexes, limits: Limits, keep: bool) -> Outcomes:
        table, rules, style = openings_of(self.config), self.config.games.rules(), self.config.search.style()
        alone = self._is_alone_quicker(len(blacks))
        # Step 1. Divide the games into tasks. Sizes depend on measured times, but a game's result does not depend on
        # its task.
        sizes = [len(blacks)] if alone else self._sizes(len(blacks), searched=limits != ONE_PLY)
        ends = list(itertools.accumulate(sizes))
        chunks = []
        for end, size in zip(ends, sizes, strict=True):
            part = slice(end - size, end)
            # Only the openings of this task are sent with it.
            used, places = np.unique(ballot_of[part], return_inverse=True)
            conditions = (table[used], rules, self.config.games.adjudicate, limits, style, keep)
            chunks.append(Chunk(self.config.network, blacks[part], whites[part], places, *conditions))
        parts, seconds, began = [], 0.0, time.perf_counter()
        if alone:
            share(self.shared)
        # Step 2. Play them, and count games as they come.
        for outcomes in map(play_chunk, chunks) if alone else self.map(play_chunk, chunks):
            parts.append(outcomes)
            seconds += 0.0 if self.crew is None else self.crew.seconds
            self._count_games(len(outcomes.results))
        # Step 3. Measure a game for the next division.
        if parts:
            self._game_seconds = (time.perf_counter() - began if alone else seconds) / len(blacks)
        return join_outcomes(parts)

    def _sizes(self, games: int, *, searched: bool) -> list[int]:
        workers, least = self.workers, 1
        if self.crew is not None:
            workers = len(self.crew)
            least = least_games(games, self._game_seconds, workers, self.crew.overhead)
        return task_sizes(games, workers, searched=searched, fixed=self.config.workers.chunk, least=least)

    def _is_alone_quicker(self, games: int) -> bool:
        """Return whether this process can play the games faster than workers could answer."""
        if self.crew is None or self.config.workers.chunk:
            return False
        return 0 < games * self._game_seconds < ALONE * self.crew.latency

    def _count_games(self, games: int) -> None:
        self.counts.games += games
        self.on_games(games)

    def _count(self, outcomes: Outcomes, played: int) -> None:
        """Count outcomes; the number of games that were `played` has already been counted."""
        games = len(outcomes.results)
        failures = int((outcomes.reasons == Reason.FAILURE).sum())
        if failures:
            log.warning("%d games were lost by a player whose value was not a finite number", failures)
        self._count_games(games - played)
        self.counts.evaluations += int(outcomes.evaluations.sum())
        self.counts.plies += int(outcomes.plies.sum())
        self.counts.draws += int((outcomes.results == 0).sum())
        self.counts.failures += failures


def least_games(games: int, game_seconds: float, workers: int, overhead: float) -> int:
    """Return the minimum number of games in a task, given the time it takes to hand out a task.

    A task takes `LEAST_SECONDS`, or longer if the workers would otherwise ask for tasks faster than they can be handed
    out. If there are too few games for this, tasks are shorter: their size then minimises the time of the last task
    plus the time to hand out all tasks.
    """
    if not game_seconds or not overhead:
        return 1
    work = games * game_seconds
    seconds = max(LEAST_SECONDS, BUSY * overhead * workers)
    # With tasks of s seconds, the last one ends about s + work / s * overhead after the first begins, which is least at
    # the square root of work * overhead.
    if work < seconds * workers:
        seconds = min(seconds, max(work / workers, math.sqrt(overhead * work)))
    return max(1, math.ceil(seconds / game_seconds))


def task_sizes(games: int, workers: int, *, searched: bool, fixed: int = 0, least: int = 1) -> list[int]:
    """Return the number of games of each task.

    Without look-ahead, each worker gets a few equal tasks. With look-ahead, games take so long that workers would wait
    for the last task, so tasks get smaller towards the end. Each player takes at least 18 kB of memory in a task, so no
    task has more than `LARGEST_TASK` games.

    Args:
        fixed: number of games in every task; 0 to choose it.
        least: minimum number of games in a task, except the last; ignored if `fixed`.

    Source: Polychronopoulos and Kuck, Guided self-scheduling (1987), for tasks of decreasing size.
    """
    sizes = []
    left = games
    while left:
        size = fixed or min(max(SMALLEST_TASK, -(-games // (workers * TASKS_A_WORKER))), LARGEST_TASK)
        if searched and not fixed:
            size = min(-(-left // (2 * workers)), LARGEST_TASK)
        if not fixed:
            size = min(max(size, least), LARGEST_TASK)
        sizes.append(min(size, left))
        left -= sizes[-1]
    return sizes


def join_outcomes(parts: list[Outcomes]) -> Outcomes:
    if not parts:
        empty = np.zeros(0, np.int64)
        return Outcomes(empty, empty, empty, empty, [])
    kept = None if parts[0].codes is None else [codes for part in parts for codes in part.codes or []]
    return Outcomes(
        np.concatenate([part.results for part in parts]),
        np.concatenate([part.reasons for part in parts]),
        np.concatenate([part.plies for part in parts]),
        np.concatenate([part.evaluations for part in parts]),
        kept,
    )


def games_text(
    arena: TournamentArena,
    ranking: Ranking,
    rows: Generation,
    generation: int,
    config: Config,
    champions: Sequence[str] = (),
) -> bytes:
    """Return the champion's games in the stages that rank, as PDN; their round is ``GENERATION.GAME``."""
    names = {int(index): rows.names[rank] for rank, index in enumerate(ranking.order)}
    names |= {len(names) + place: name for place, name in enumerate(champions)}
    champion = int(ranking.order[0])
    texts: list[str] = []
    for kept in arena.kept:
        for game in np.flatnonzero((kept.blacks == champion) | (kept.whites == champion)).tolist():
            record = kept.record(game)
            players = names[int(kept.blacks[game])], names[int(kept.whites[game])]
            texts.append(game_text(record, *players, f"{generation}.{len(texts) + 1}", config.games.openings))
    return "".join(texts).encode()


def game_text(record: GameRecord, black: str, white: str, number: str, openings: str, event: str = "Ranking") -> str:
    """Return a game as PDN, with the round `number` (``GENERATION.GAME``) and the kind of its opening, `openings`."""
    tags = {
        "Event": f"{event} of generation {number.split('.', maxsplit=1)[0]} ({openings})",
        "Site": "?",
        "Date": NO_DATE,
        "Round": number,
        "Black": black,
        "White": white,
        "Termination": REASON_TEXT[record.reason],
    }
    stream = io.StringIO()
    pdn_game.write_game(stream, Game(tuple(tags.items()), record.start, record.moves, record.pdn_result))
    return stream.getvalue()
