"""Other programs beside ours on the same machine in the same minutes, where they are installed.

Neither is needed to run or test Crownhead: ``pip install imparaai-checkers open_spiel`` brings them.
"""

from __future__ import annotations

import importlib
import importlib.util
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from extras.bench.figures import Probe
from extras.bench.speed import cnn_games
from game import moves
from game.board import Position
from game.rules import DrawRules
from tests.measurements.goals import Metric

PEER_ROUNDS = 3
PERFT = {4: 1469, 5: 7361, 6: 36_768}


@dataclass(frozen=True)
class Peer:
    """A program to compare with.

    Attributes:
        name: of its figures.
        module: what has to be importable.
        unit: of the rates.
        text: what is compared.
        theirs: their rate, measured once; the argument asks for a tiny sample.
        ours: our rate at the same work.
    """

    name: str
    module: str
    unit: str
    text: str
    theirs: Callable[[bool], float]
    ours: Callable[[bool], float]


def probes(rounds: int, quick: bool, open_until: ExitStack) -> list[Probe]:
    """Return a probe for each program; they keep nothing open. A program that is not installed has no rounds."""
    return [_probe(peer, min(rounds, PEER_ROUNDS), quick) for peer in PEERS]


def _probe(peer: Peer, rounds: int, quick: bool) -> Probe:
    kinds = (
        Metric(peer.name, "ratio", f"our rate by theirs: {peer.text}", scales=False),
        Metric(f"{peer.name}-theirs", peer.unit, "their rate", scales=False),
        Metric(f"{peer.name}-ours", peer.unit, "our rate", scales=False),
    )

    def sample() -> dict[str, float]:
        theirs, ours = peer.theirs(quick), peer.ours(quick)
        return {peer.name: ours / theirs, f"{peer.name}-theirs": theirs, f"{peer.name}-ours": ours}

    installed = importlib.util.find_spec(peer.module) is not None
    return Probe("peers", kinds, lambda: sample, rounds if installed else 0)


# One-ply games of a network in numpy on imparaai-checkers ----------------------------------------------------------

_QUIET_40 = DrawRules(repetition=0, quiet_plies=40, men_reset=False)  # how that library ends games


class PlainNetwork:
    """cnn-247 as one writes it with numpy: all children of a position in one batch."""

    def __init__(self, weights: NDArray[np.float32]) -> None:
        parts = np.split(weights, [75, 78, 159, 162, 234, 240, 246])
        self.first, self.first_bias = parts[0].reshape(25, 3), parts[1]
        self.second, self.second_bias = parts[2].reshape(27, 3), parts[3]
        self.dense, self.dense_bias = parts[4].reshape(12, 6), parts[5]
        self.last, self.last_bias = parts[6], parts[7]

    def values(self, boards: NDArray[np.float32]) -> NDArray[np.float32]:
        """Values of boards of shape (boards, 8, 8)."""
        windows = np.lib.stride_tricks.sliding_window_view(boards, (5, 5), axis=(1, 2))
        now = _sigmoid(windows.reshape(-1, 4, 4, 25) @ self.first + self.first_bias)
        windows = np.lib.stride_tricks.sliding_window_view(now, (3, 3), axis=(1, 2))
        now = _sigmoid(windows.transpose(0, 1, 2, 4, 5, 3).reshape(-1, 2, 2, 27) @ self.second + self.second_bias)
        now = _sigmoid(now.reshape(-1, 12) @ self.dense + self.dense_bias)
        return np.asarray(_sigmoid(now @ self.last + self.last_bias))


def _sigmoid(sums: Any) -> Any:
    return 1.0 / (1.0 + np.exp(-sums))


def _board(board: Any, player: int) -> NDArray[np.float32]:
    """Their board as a player sees it: own men 1, kings 2, the opponent's negative, own back row first."""
    values = np.zeros((8, 8), np.float32)
    for piece in board.pieces:
        if not piece.captured:
            square = piece.position - 1 if player == 1 else 32 - piece.position
            row = square // 4
            sign = 1.0 if piece.player == player else -1.0
            values[row, 2 * (square % 4) + (row + 1) % 2] = sign * (2.0 if piece.king else 1.0)
    return values


def _plain_games(quick: bool) -> float:
    """Games a second on their rules and boards."""
    game_class = importlib.import_module("checkers.game").Game

    generator = np.random.default_rng(2)
    games = 1 if quick else 5
    started = time.perf_counter()
    for _ in range(games):
        weights = generator.uniform(-1, 1, (2, 247)).astype(np.float32)
        players = PlainNetwork(weights[0]), PlainNetwork(weights[1])
        game = game_class()
        for _ in range(8 if quick else 10_000):
            if game.is_over():
                break
            player, legal = game.whose_turn(), game.get_possible_moves()
            choice = 0
            if len(legal) > 1:
                after = [game.board.create_new_board_from_move(move) for move in legal]
                boards = np.stack([_board(board, player) for board in after])
                choice = int(np.argmax(players[player - 1].values(boards)))
            game.move(legal[choice])
    return games / (time.perf_counter() - started)


def _our_games(quick: bool) -> float:
    games = 200 if quick else 10_000
    return games / cnn_games(games, _QUIET_40)[1]


# Counting moves with OpenSpiel --------------------------------------------------------------------------------------


def _open_spiel(quick: bool) -> float:
    """Nodes a second; their actions are single jumps, so a turn goes on while the player does not change."""
    pyspiel = importlib.import_module("pyspiel")

    def nodes(state: Any, depth: int) -> int:
        if state.is_terminal():
            return 0
        total = 0
        player = state.current_player()
        for action in state.legal_actions():
            child = state.child(action)
            same = not child.is_terminal() and child.current_player() == player
            if same:
                total += nodes(child, depth)
            else:
                total += 1 if depth == 1 else nodes(child, depth - 1)
        return total

    depth = 4 if quick else 6
    started = time.perf_counter()
    result = nodes(pyspiel.load_game("checkers").new_initial_state(), depth)
    if result != PERFT[depth]:
        raise RuntimeError(f"OpenSpiel counts {result} sequences of {depth} plies, expected {PERFT[depth]}")
    return result / (time.perf_counter() - started)


def _our_nodes(quick: bool) -> float:
    depth = 7 if quick else 9
    started = time.perf_counter()
    nodes = moves.perft(Position.start(), depth, bulk=False)
    return nodes / (time.perf_counter() - started)


PEERS = (
    Peer(
        "imparaai-checkers",
        "checkers",
        "games/s",
        "one-ply games of cnn-247 on that library, the network in numpy, all children in one batch",
        _plain_games,
        _our_games,
    ),
    Peer(
        "open-spiel",
        "pyspiel",
        "nodes/s",
        "move sequences counted one by one (theirs 6 plies in Python calls of their C++, ours 9 plies)",
        _open_spiel,
        _our_nodes,
    ),
)
