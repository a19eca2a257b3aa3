"""A policy that learns how people move who lose little or much of their expected score with a move.

The strength of a player is not recorded, so it is inferred from each game: the loss of a side is the mean of what its
moves with a choice cost (`extras.learning.losses`). A ninth of the sides in training games has no input for weakness,
the next ninth has one, and so on (`game.players.people`). As the loss includes the move to be predicted, such a network
says how a player of a known loss moves, and is measured in the same way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evolve.run.files import MEMORY
from extras.learning.losses import Halves, step_losses
from extras.learning.methods import Policy
from extras.learning.policy import Floats, Measures, PolicyLearner, PolicySamples, RecordedGames, Split
from game.networks.spec import Spec
from game.players.names import STRONGEST
from game.players.people import ENTRY, board_keys

EARLY = 16
"""Boards with so many pieces are remembered even if they occur once."""
MOST = 255
"""Maximum count in a memory."""


class PeopleLearner(PolicyLearner):
    def read(self, method: Policy) -> RecordedGames:
        read = super().read(method)
        self.files[MEMORY] = memory_of(read.parts[Split.TRAINING])
        rows = [part.with_choice().rows for part in read.parts]
        losses = step_losses(method.games, method.sha256, np.concatenate(rows), self.workshop.work)
        sizes = [int(part.with_choice().choices.sum()) for part in read.parts]
        self._losses = np.split(losses, np.cumsum(sizes)[:-1])
        parts, edges = with_weakness(read.parts, self._losses)
        self.workshop.say("losses a move between ninths of players: " + ", ".join(f"{edge:.4f}" for edge in edges))
        return replace(read, parts=parts)

    def measures(self, read: RecordedGames, split: Split) -> Measures:
        return PeopleMeasures(self._spec, read.parts[Split.TRAINING], read.parts[split], self._losses[split])


def memory_of(training: PolicySamples) -> bytes:
    """Return the memory of these samples, `ENTRY` for each first step that was played on some boards with a choice.

    The boards are those that occur more than once, and those of the first moves, with at least `EARLY` pieces; but none
    with a checksum that another board of the samples has, too. Counts above 255 are scaled down, with the others of
    their board.
    """
    chosen = training.with_choice()
    boards, places, times = np.unique(chosen.rows, axis=0, return_inverse=True, return_counts=True)
    keys = np.array(board_keys(boards), np.uint32)
    _, same, sharing = np.unique(keys, return_inverse=True, return_counts=True)
    places = places.ravel()
    early = np.bitwise_count(boards[:, 0] | boards[:, 1]) >= EARLY
    kept = ((times > 1) | early) & (sharing[same] == 1)
    played, counts = np.unique(np.stack([places, chosen.labels], axis=1)[kept[places]], axis=0, return_counts=True)
    number, steps = played.T
    most = np.zeros(len(boards), np.int64)
    np.maximum.at(most, number, counts)
    table = np.empty(len(played), ENTRY)
    table["board"], table["step"] = keys[number], steps
    table["count"] = -(-counts * MOST // np.maximum(most[number], MOST))  # rounded up
    return table[np.argsort(table["board"], kind="stable")].tobytes()


def with_weakness(
    parts: Sequence[PolicySamples], losses: Sequence[Halves]
) -> tuple[tuple[PolicySamples, ...], NDArray[np.float64]]:
    """Return the samples of each split with the weakness of their players, and the losses between ninths of players."""
    means = [player_losses(part, each) for part, each in zip(parts, losses, strict=True)]
    sides = np.unique(means[Split.TRAINING][1], return_index=True)[1]
    edges = np.quantile(means[Split.TRAINING][0][sides], np.arange(1, STRONGEST) / STRONGEST)
    weak = (np.searchsorted(edges, mean).astype(np.int8) for mean, _ in means)
    return tuple(replace(part, weakness=each) for part, each in zip(parts, weak, strict=True)), edges


def player_losses(samples: PolicySamples, losses: Halves) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the mean loss of the player of each sample, over the samples with a choice of its game, and its number.

    Args:
        losses: of each legal first step in the samples with a choice, in their order.
    """
    players = 2 * samples.games.astype(np.int64) + samples.sides
    choice = samples.choices > 1
    played, count = losses_played(samples.with_choice(), losses), int(players.max(initial=-1)) + 1
    sums = np.bincount(players[choice], played, count)
    means: NDArray[np.float64] = sums / np.maximum(np.bincount(players[choice], minlength=count), 1)
    return means[players], players


def losses_played(chosen: PolicySamples, losses: Halves) -> Floats:
    """Return the loss of the first step that was played in each of these samples, which have a choice."""
    legal = np.unpackbits(chosen.legal, axis=1).astype(bool)
    before = np.cumsum(legal, axis=1)[np.arange(len(chosen)), chosen.labels] - 1
    starts = np.cumsum(chosen.choices, dtype=np.int64) - chosen.choices
    played: Floats = losses[starts + before].astype(np.float32)
    return played


class PeopleMeasures(Measures):
    """Also measures how far the losses of moves drawn by the policy are from those of the moves that were played.

    Both are compared in the same positions at the same strengths, by the largest difference of their distributions
    (Kolmogorov and Smirnov). Chances of moves count in place of draws.
    """

    def __init__(self, spec: Spec, training: PolicySamples, held_out: PolicySamples, losses: Halves) -> None:
        super().__init__(spec, training, held_out)
        self._losses, self._chances = losses, list[Floats]()
        self._played = losses_played(held_out.with_choice(), losses)

    def note(self, part: slice, scores: NDArray[np.float64]) -> None:
        scores = scores[self._samples.choices[part] > 1]
        chances = np.exp(scores - scores.max(axis=1, initial=-np.inf, keepdims=True))
        chances /= chances.sum(axis=1, keepdims=True)
        self._chances.append(chances[scores > -np.inf].astype(np.float32))

    def of(self, weights: Floats, tick: Any = lambda: None) -> dict[str, float | int | None]:
        self._chances.clear()
        numbers = super().of(weights, tick)
        numbers["ks"] = (
            distance(self._played, self._losses, np.concatenate(self._chances)) if len(self._played) else None
        )
        return numbers


def distance(played: Floats, losses: Halves, chances: Floats) -> float:
    """Return the largest difference between the distributions of losses played, and of losses with these chances."""
    edges = np.unique(np.concatenate([played, losses.astype(np.float32)]))
    weights = np.bincount(np.searchsorted(edges, losses.astype(np.float32)), chances, len(edges))
    counts = np.bincount(np.searchsorted(edges, played), minlength=len(edges))
    return float(np.abs(np.cumsum(weights) / weights.sum() - np.cumsum(counts) / len(played)).max())
