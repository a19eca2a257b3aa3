"""The worth of each piece to a player.

The worth of a piece is the change in the score of the board (`game.scores.Yardstick`) when the piece is removed
(ablation), in men if the player counts men.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from game import moves
from game.bitboard import SQUARE_BIT, squares_of
from game.board import Position
from game.players.player import Player, check_finite
from game.rules import BLACK, WHITE


@dataclass(frozen=True, slots=True)
class Likes:
    """A player's view of a position.

    Attributes:
        values: the worth of each piece by square, in men, positive if good for Black; shares of the largest value if
            the player does not count men. For a policy, how much its choice changes without the piece, from 0 to 1.
            Empty if the player has no evaluation.
    """

    basis: str
    values: Mapping[int, float] = field(default_factory=dict)
    policy: bool = False
    men: bool = True


def likes(player: Player, position: Position) -> Likes:
    """Return a player's view of a position.

    Raises:
        PlayerFailure: a value is not a finite number.
    """
    values = piece_values(player, position)
    policy = values is None
    if values is None:
        values = choice_shifts(player, position)
    check_finite(player.name, values.values())
    men = policy or player.counts_men
    if not men:
        most = max(map(abs, values.values()), default=0.0) or 1.0
        values = {square: value / most for square, value in values.items()}
    return Likes(player.basis, values, policy, men)


def piece_values(player: Player, position: Position) -> dict[int, float] | None:
    """Return the worth of each piece by square, in men, positive if good for Black; None without an evaluation."""
    squares = list(squares_of(position.black | position.white))
    boards = [position, *(take_away(position, square) for square in squares)]
    black, white = player.evaluate(boards, BLACK), player.evaluate(boards, WHITE)
    if black is None or white is None:
        return None
    man = player.man_score()
    whole, *less = ((own - other) / (2 * man) for own, other in zip(black, white, strict=True))
    return {square: whole - rest for square, rest in zip(squares, less, strict=True)}


def choice_shifts(player: Player, position: Position) -> dict[int, float]:
    """Return, by square, how much a policy's choice changes without the piece; empty without a policy or a move.

    The change is half the sum of the changes in the probabilities of all moves (total variation distance), and 1 if the
    choice changes completely.
    """
    before = dict(player.likelihoods(position) or ()) if moves.legal_moves(position) else {}
    shifts = {}
    for square in squares_of(position.black | position.white) if before else ():
        rest = take_away(position, square)
        after = dict(player.likelihoods(rest) or ()) if moves.legal_moves(rest) else {}
        changes = [abs(before.get(move, 0.0) - after.get(move, 0.0)) for move in {*before, *after}]
        shifts[square] = math.fsum(changes) / 2 if after else 1.0
    return shifts


def take_away(position: Position, square: int) -> Position:
    rest = ~(1 << SQUARE_BIT[square])
    return replace(position, black=position.black & rest, white=position.white & rest, kings=position.kings & rest)
