"""Plays the pairings of a tournament in worker processes and puts the results in order of the games."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evolve.config import Config
from evolve.randomness import Draw, stream
from evolve.selection import Indexes, Scores
from evolve.workers import SharedRows, shared_rows
from game import openings
from game.batch.games import Field, Outcomes, indexed_openings, play_all
from game.board import Position
from game.match import Reason
from game.networks.spec import Spec
from game.rules import DrawRules

log = logging.getLogger(__name__)

TASKS_A_WORKER = 4
SMALLEST_TASK = 8
Map = Callable[[Callable[[Any], Any], Any], Iterable[Any]]


@dataclass(frozen=True)
class Chunk:
    """Games that one worker plays in one go; plain data.

    Attributes:
        network: what plays.
        blacks: int64 of shape (games,), rows of the shared genomes.
        whites: int64 of shape (games,).
        opening_of: int64 of shape (games,), row of the ballots.
        openings: kind of ballots.
        rules: when a game is a draw.
        keep: send the moves back.
    """

    network: Spec
    blacks: Indexes
    whites: Indexes
    opening_of: Indexes
    openings: str
    rules: DrawRules
    keep: bool


@functools.cache
def ballots(kind: str) -> NDArray[np.int16]:
    """The openings of a kind as the compiled games take them."""
    return indexed_openings([opening.moves for opening in openings.openings(kind)], Position.start())


def play_chunk(chunk: Chunk) -> Outcomes:
    """In a worker: play the games of a chunk."""
    return play_all(
        Field.of_networks(chunk.network, shared_rows().genomes(), shared_rows().kings()),
        chunk.blacks,
        chunk.whites,
        openings=ballots(chunk.openings),
        opening_of=chunk.opening_of,
        rules=chunk.rules,
        keep=chunk.keep,
    )


@dataclass
class Counts:
    """What a generation has cost so far."""

    games: int = 0
    evaluations: int = 0
    plies: int = 0
    draws: int = 0
    failures: int = 0


@dataclass(frozen=True)
class KeptGames:
    """The games of the last pairings that were played with their moves.

    Attributes:
        blacks: rows of the players who had Black.
        whites: rows of the players who had White.
        outcomes: results and moves.
    """

    blacks: Indexes
    whites: Indexes
    outcomes: Outcomes


@dataclass
class Arena:
    """A place to play pairings in.

    Attributes:
        config: games and draw rules, chunk size.
        map: applies a function to tasks, results in order (`Workers.map`, or the built-in in one process).
        workers: how many processes are behind `map`.
        shared: genomes, written before games are asked for.
        on_games: told how many more games are done.
        counts: since `reset`.
        kept: the last games with moves.
    """

    config: Config
    map: Map
    workers: int
    shared: SharedRows
    on_games: Callable[[int], None] = lambda games: None
    counts: Counts = field(default_factory=Counts)
    kept: KeptGames | None = None

    def reset(self) -> None:
        """Count from zero and forget kept games."""
        self.counts, self.kept = Counts(), None

    def put(self, genomes: NDArray[np.float32], kings: NDArray[np.float32]) -> None:
        """Show these genomes (rows, weights) and king values (rows,) to all workers; no game may be going on."""
        self.shared.genomes()[: len(genomes)] = genomes
        self.shared.kings()[: len(kings)] = kings

    def play(self, pairs: Indexes, seed_key: tuple[int, Draw, tuple[int, ...]], *, keep: bool = False) -> Scores:
        """Play pairings: one game from the start each, or two on a drawn ballot with colours swapped.

        Args:
            pairs: int64 of shape (pairings, 2), rows of the genomes; the first has Black in the first game.
            seed_key: generation, purpose and further key of the stream that draws ballots.
            keep: keep the moves in `kept`.
        """
        blacks, whites = pairs[:, 0].copy(), pairs[:, 1].copy()
        drawn = np.zeros(len(pairs), np.int64)
        paired = self.config.games.openings != "start"
        if paired:
            generation, purpose, index = seed_key
            generator = stream(self.config.seed, generation, purpose, *index)
            drawn = generator.integers(0, len(ballots(self.config.games.openings)), len(pairs))
            blacks, whites = pairs.reshape(-1), pairs[:, ::-1].reshape(-1)
            drawn = np.repeat(drawn, 2)
        outcomes = self._play_games(blacks, whites, drawn, keep)
        if keep:
            self.kept = KeptGames(blacks, whites, outcomes)
        black_wins, white_wins = (outcomes.results == 1).astype(np.int64), (outcomes.results == -1).astype(np.int64)
        if not paired:
            return Scores(black_wins, white_wins)
        return Scores(black_wins[0::2] + white_wins[1::2], white_wins[0::2] + black_wins[1::2])

    def _play_games(self, blacks: Indexes, whites: Indexes, drawn: Indexes, keep: bool) -> Outcomes:
        games = len(blacks)
        spread = -(-games // (self.workers * TASKS_A_WORKER))
        size = self.config.workers.chunk or max(SMALLEST_TASK, spread)
        kind, rules = self.config.games.openings, self.config.games.rules()
        chunks = [
            Chunk(
                self.config.network,
                blacks[at : at + size],
                whites[at : at + size],
                drawn[at : at + size],
                kind,
                rules,
                keep,
            )
            for at in range(0, games, size)
        ]
        parts = list(self.map(play_chunk, chunks))
        outcomes = joined(parts)
        failures = int((outcomes.reasons == Reason.FAILURE).sum())
        if failures:
            log.warning("%d games were lost by a player whose value was not a finite number", failures)
        self.counts.games += games
        self.counts.evaluations += int(outcomes.evaluations.sum())
        self.counts.plies += int(outcomes.plies.sum())
        self.counts.draws += int((outcomes.results == 0).sum())
        self.counts.failures += failures
        self.on_games(games)
        return outcomes


def joined(parts: list[Outcomes]) -> Outcomes:
    """The outcomes of chunks, one after the other."""
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
