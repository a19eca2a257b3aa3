"""Openings from the middle of games, which the program plays against itself: even ones, in which nothing is under way.

From a ballot two players that count pieces, look two plies ahead and draw lots among equal moves make 8 to 30 moves in
all. Both sides then have as many men, no king, and nothing to capture; and two plies of the same game later they are
even still. Which openings there are depends on the seed of the run alone.
"""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

from evolve.streams import Draw, stream
from game import moves
from game.batch.games import BatchPlayers, index_openings, play_all
from game.board import Position
from game.moves import Move
from game.openings import MIDDLE_PLIES, openings
from game.players.material import MaterialPlayer
from game.rules import DrawRules
from game.search.limits import Limits, SearchOptions

COUNT = 512
"""Openings of a run."""
FEWEST_PLIES = 8
LATER = 2
"""Plies after which the game must still be even."""
PLAYER = MaterialPlayer(draws_ties=True, limits=Limits(2), style=SearchOptions(quiescence=True))


@functools.lru_cache(4)
def middle_games(seed: int, count: int = COUNT) -> NDArray[np.int16]:
    """So many openings for a seed, int16 of shape (count, MIDDLE_PLIES): indexes among the legal moves, then -1."""
    generator = stream(seed, 0, Draw.MIDDLE_GAMES)
    ballots = [ballot.moves for ballot in openings("three-move")]
    field = BatchPlayers.of_players([PLAYER])
    assert field is not None
    found: dict[Position, tuple[Move, ...]] = {}
    while len(found) < count:
        nobody = np.zeros(count, np.int64)
        plies = generator.integers(FEWEST_PLIES, MIDDLE_PLIES + 1, count)
        outcomes = play_all(
            field,
            nobody,
            nobody,
            openings=index_openings(ballots, Position.start()),
            opening_of=generator.integers(0, len(ballots), count),
            rules=DrawRules(max_plies=MIDDLE_PLIES + LATER),
            seeds=generator.integers(0, 2**63, count).tolist(),
            keep=True,
        )
        for codes, ply in zip(outcomes.codes or (), plies.tolist(), strict=True):
            opening = _opening(codes.tolist(), ply)
            if opening is not None:
                found.setdefault(*opening)
    return index_openings(list(found.values())[:count], Position.start())


def _opening(codes: list[int], plies: int) -> tuple[Position, tuple[Move, ...]] | None:
    """The position of a game after some plies, and how it came there; None if it is no opening."""
    if len(codes) < plies + LATER:
        return None
    played = tuple(moves.decode(code, ply & 1) for ply, code in enumerate(codes[: plies + LATER]))
    position = later = functools.reduce(moves.apply, played[:plies], Position.start())
    if position.kings or not _even(position) or moves.legal_moves(position)[0].captured:
        return None
    for move in played[plies:]:
        later = moves.apply(later, move)
    return (position, played[:plies]) if _even(later) else None


def _even(position: Position) -> bool:
    return position.black.bit_count() == position.white.bit_count()
