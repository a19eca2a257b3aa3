"""The worth of each piece to a player.

The worth of a piece is the change in the score of the board (`game.scores.Yardstick`) when the piece is removed
(ablation), in men if the player counts men.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from game.bitboard import SQUARE_BIT, squares_of
from game.board import Position
from game.players.player import Player, check_finite
from game.rules import BLACK, WHITE


@dataclass(frozen=True, slots=True)
class Likes:
    """A player's view of a position.

    Attributes:
        values: the worth of each piece by square, in men, positive if good for Black; shares of the largest value if
            the player does not count men. Empty if the player has no evaluation.
    """

    basis: str
    values: Mapping[int, float] = field(default_factory=dict)
    men: bool = True


def likes(player: Player, position: Position) -> Likes:
    """Return a player's view of a position.

    Raises:
        PlayerFailure: a value is not a finite number.
    """
    values = piece_values(player, position) or {}
    check_finite(player.name, values.values())
    if not player.counts_men:
        most = max(map(abs, values.values()), default=0.0) or 1.0
        values = {square: value / most for square, value in values.items()}
    return Likes(player.basis, values, player.counts_men)


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


def take_away(position: Position, square: int) -> Position:
    rest = ~(1 << SQUARE_BIT[square])
    return replace(position, black=position.black & rest, white=position.white & rest, kings=position.kings & rest)
