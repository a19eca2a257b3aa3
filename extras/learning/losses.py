"""The cost of each move of recorded games: the expected score that it loses against the best move of its position.

The champion searches every position with a choice once. As this takes minutes, the losses are kept in a file beside the
games, to which an interrupted computation is added; it names the games by their SHA-256, so other games have others.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evolve.names.registration import resolve
from evolve.run.runs import CHAMPION_RUN, SHIPPED_RUNS
from extras.learning.steps import legal_steps
from game.board import Position
from game.errors import InputError
from game.players.names import parse_name
from game.players.policy import first_step
from game.regular_files import read_regular
from game.rules import BLACK
from game.search.interface import WON, Limits

ENDING = ".losses"
"""The file of losses has the name of the games, followed by this."""
NODES = 2000
"""Positions of each search, which scores all moves."""
_AT_ONCE = 256
_HALF = np.dtype("<f2")

Halves = NDArray[np.float16]


def step_losses(
    games: str, sha256: str, rows: NDArray[np.uint64], work: Callable[[str, int, int], None] = lambda *_: None
) -> Halves:
    """Return the expected score that each legal first step loses, in the order of the rows and then of the steps.

    Moves with the same first step count as the best of them.

    Args:
        rows: uint64 (n, 3), the positions with a choice of all games of the file, as the side to move sees the board.
        work: reports progress (`extras.learning.session.Workshop.work`).

    Raises:
        InputError: the file beside the games cannot be written.
    """
    boards, places = np.unique(rows, axis=0, return_inverse=True)
    counts = np.concatenate([np.count_nonzero(legal_steps(part), axis=1) for part in np.array_split(boards, 100)])
    ends = np.cumsum(counts)
    head = f"losses of {sha256} by {CHAMPION_RUN}, {NODES} positions a move\n".encode()
    path = Path(games + ENDING)
    try:
        kept = read_regular(path) if path.is_file() else b""
        kept = kept[len(head) :] if kept.startswith(head) else b""
        done = int(np.searchsorted(ends, len(kept) // _HALF.itemsize, side="right"))
        whole = head + kept[: int(ends[done - 1]) * _HALF.itemsize if done else 0]
        if done < len(boards):
            with path.open("wb") as file:
                file.write(whole)
                for first in range(done, len(boards), _AT_ONCE):
                    work("losses", first, len(boards))
                    file.write(_losses(boards[first : first + _AT_ONCE]).tobytes())
                    file.flush()
            whole = read_regular(path)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}; losses are kept beside the games") from None
    values = np.frombuffer(whole, _HALF, offset=len(head))
    starts, sizes = (ends - counts)[places.ravel()], counts[places.ravel()]
    into = np.repeat(np.cumsum(sizes) - sizes, sizes)
    taken: Halves = values[np.repeat(starts, sizes) + np.arange(len(into)) - into].astype(np.float16)
    return taken


def _losses(boards: NDArray[np.uint64]) -> Halves:
    player = resolve(parse_name(f"{CHAMPION_RUN},tablebase=4,keeps_table=no"), SHIPPED_RUNS)
    assert player is not None and player.searching is not None, "the champion is shipped"
    searcher, limits, costs = player.searching.searcher(), Limits(nodes=NODES), list[float]()
    for own, opponent, kings in boards.tolist():
        root = searcher.search(Position(own, opponent, kings, BLACK), limits=limits, all_scores=True).root
        best = dict[int, float]()
        for move, score, *_ in root:
            # A score is the chance to win less the chance to lose, so half of a difference is expected score.
            chance = max(-1.0, min(1.0, score if abs(score) < WON else score / WON))
            step = first_step(move, BLACK)
            best[step] = max(best.get(step, -1.0), chance)
        most = max(best.values())
        costs += [(most - best[step]) / 2 for step in sorted(best)]
    return np.array(costs, _HALF)
