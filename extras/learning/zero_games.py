"""The games from which `zero` learns, played by workers with a tree search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from evolve.config.model import Config
from evolve.streams import Draw, stream
from evolve.strength.match_games import GamePairs, PlayedGame, Sides, play_pairs
from evolve.workers.processes import get_shared_rows, refers_to_rows
from extras.learning.methods import Zero
from extras.learning.self_play import SearchedGames, play
from game import openings
from game.networks.evaluator import Evaluator, rows_seen
from game.openings import Opening
from game.players.network import TreePlayer
from game.search.interface import EvaluationError, Limits, SearchOptions
from game.search.tree.search import TreeOptions

GAMES_A_TASK = 96
ENDING = 10
"""The most pieces of an ending."""


@dataclass(frozen=True)
class TreeGames:
    """Games that one task plays; plain data.

    Attributes:
        games: number of the first game, and one past the last.
    """

    config: Config
    generation: int
    games: tuple[int, int]


@refers_to_rows
def play_task(task: TreeGames) -> SearchedGames | None:
    """Play the games of a task in a worker; they depend only on seed, generation, number and network."""
    config, method = task.config, task.config.learning.method
    assert isinstance(method, Zero)
    options = TreeOptions(
        selection=method.selection, candidates=method.candidates, tablebase=config.games.adjudicate, skips_forced=True
    )
    ballots = openings.openings(config.games.openings)
    generator = stream(config.seed, task.generation, Draw.LEARNING_GAMES, 0)
    drawn = generator.integers(len(ballots), size=method.games)[slice(*task.games)]
    seeds = generator.integers(1, 2**63, size=method.games, dtype=np.uint64)[slice(*task.games)]
    starts = rows_seen([ballots[each].position for each in drawn])
    try:
        evaluator = Evaluator(config.network, get_shared_rows().genomes()[0])
        return play(evaluator, options, config.games.rules(), starts, seeds, visits=method.visits)
    except EvaluationError:
        return None


@dataclass(frozen=True)
class GateGames:
    """Games of the match that decides whether a fitted network replaces the one before; plain data.

    The shared genomes are those of the fitted network and of the one before.
    """

    config: Config
    openings: Sequence[Opening]
    seeds: Sequence[int]


@refers_to_rows
def play_gate(task: GateGames) -> tuple[list[PlayedGame], float]:
    new, old = gate_players(task.config, *get_shared_rows().genomes()[:2])
    sides = Sides.of(new, old, task.config.games.rules(), keep=False)
    return play_pairs(GamePairs(sides, task.openings, task.seeds))


def gate_players(
    config: Config, fitted: NDArray[np.float32], before: NDArray[np.float32]
) -> tuple[TreePlayer, TreePlayer]:
    """Return both players of a gate: tree searches of as many visits as the games to learn from, without noise."""
    method, style = config.learning.method, SearchOptions(tablebase=config.games.adjudicate)
    assert isinstance(method, Zero)
    new, old = (
        TreePlayer(name, weights, 0, config.network, limits=Limits(nodes=method.visits), style=style)
        for name, weights in (("fitted", fitted), ("before", before))
    )
    return new, old


def joined(parts: Sequence[SearchedGames]) -> SearchedGames:
    first, numbered = 0, list[SearchedGames]()
    for part in parts:
        numbered.append(replace(part, games=part.games + np.int32(first)))
        first += len(part.results)
    arrays = {
        each.name: np.concatenate([getattr(part, each.name) for part in numbered])
        for each in fields(SearchedGames)
        if each.name != "evaluations"
    }
    return SearchedGames(evaluations=sum(part.evaluations for part in parts), **arrays)


def result_targets(played: SearchedGames, share: float, in_endings: float = 0.0) -> NDArray[np.float32]:
    """Return what the value head learns: chances of win, draw and loss, float32 of shape (samples, 3).

    Args:
        share: share of the value of the search; the rest is the result of the game.
        in_endings: this share where few pieces are left; 0 for the same. Then a proved value counts alone.
    """
    results = np.stack([played.points() == result for result in (1, 0, -1)], axis=1).astype(np.float32)
    values = np.clip(played.values, -1.0, 1.0)
    searched = np.stack([np.maximum(values, 0.0), 1.0 - np.abs(values), np.maximum(-values, 0.0)], axis=1)
    shares = np.full((len(values), 1), share)
    if in_endings:
        shares[np.bitwise_count(played.rows[:, 0] | played.rows[:, 1]) <= ENDING] = in_endings
        shares[np.abs(values) == 1.0] = 1.0
    targets: NDArray[np.float32] = ((1.0 - shares) * results + shares * searched).astype(np.float32)
    return targets
