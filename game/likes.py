"""Reasons for a player's evaluation of a position: the worth of each piece, and the first layer of its network.

The worth of a piece is the change in the score of the board (`game.scores.Yardstick`) when the piece is removed
(ablation), in men if the player counts men.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from game import moves
from game.bitboard import SQUARE_BIT, squares_of
from game.board import Position
from game.errors import FailureKind
from game.networks.kinds import square_place, subsquares
from game.networks.pictures import board, by_size
from game.networks.windows import CELLS, WINDOWS, window_squares
from game.players.player import Player, PlayerFailure
from game.rules import BLACK, WHITE

if TYPE_CHECKING:
    from game.networks.spec import Spec

MOST_PIECES = 24
MOST_MAPS = 8
"""Maximum number of filters or units; if there are more, those with the largest outputs are returned."""

Rows = tuple[tuple[float | None, ...], ...]


@dataclass(frozen=True, slots=True)
class SquareMap:
    """Numbers for the squares of the board, or for the positions of a filter.

    Attributes:
        rows: rows of the board as White sees it, square 1 in the first row; None for places without a number.
    """

    title: str
    rows: Rows


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
    about: str = ""
    maps: tuple[SquareMap, ...] = ()
    men: bool = True


def likes(player: Player, position: Position, side: int) -> Likes:
    """Return a player's view of a position.

    Args:
        side: the player's side, from which its network sees the board unless it has an input for the side to move.

    Raises:
        PlayerFailure: a value is not a finite number.
    """
    values = piece_values(player, position)
    policy = values is None
    if values is None:
        values = choice_shifts(player, position)
    about, maps = ("", ()) if player.network is None else network_maps(player, position, side)
    numbers = [*values.values(), *(number for square_map in maps for row in square_map.rows for number in row)]
    if not all(number is None or math.isfinite(number) for number in numbers):
        raise PlayerFailure(f"{player.name}: gave a value that is not a finite number", FailureKind.VALUE)
    men = policy or player.counts_men
    if not men:
        most = max(map(abs, values.values()), default=0.0) or 1.0
        values = {square: value / most for square, value in values.items()}
    return Likes(player.basis, values, policy, about, maps, men)


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
    """Return the position without the piece on a square."""
    rest = ~(1 << SQUARE_BIT[square])
    return replace(position, black=position.black & rest, white=position.white & rest, kings=position.kings & rest)


# The network --------------------------------------------------------------------------------------------------------


def network_maps(player: Player, position: Position, side: int) -> tuple[str, tuple[SquareMap, ...]]:
    """Return a caption and maps of a network's first layer, or of its tables if it has no layers."""
    assert player.network is not None
    spec, weights, king = player.network
    seen = position.side if spec.by_mover else side
    if not spec.layers:
        about, maps = _tables(spec, weights, position, player.man_score())
    else:
        about, maps = _first_layer(spec, weights, position, seen, king)
    if seen == WHITE:
        maps = [replace(turned, rows=tuple(row[::-1] for row in turned.rows[::-1])) for turned in maps]
    return f"{about}, seen by {('Black', 'White')[seen]}", tuple(maps)


def _first_layer(
    spec: Spec, weights: Any, position: Position, side: int, king: float | None
) -> tuple[str, list[SquareMap]]:
    """Return the sums of the first layer before its activation; for a dense layer, the contributions of squares."""
    import numpy as np

    from game.networks.forward import NUMPY, encode, first_sums

    layer, genome = spec.layers[0], NUMPY.genome(spec, np.asarray(weights, np.float64))
    inputs, part = encode(spec, position, side, king), spec.layer_parts(0)[0]
    sums: Any = first_sums(spec, genome, inputs)
    if layer.kind == "subsquares":
        values = [value for squares, value in zip(subsquares(), sums.tolist(), strict=True) for _ in squares]
        maps = [SquareMap(title, tuple(map(tuple, grid))) for title, grid in by_size(values)]
        return "Means of its parts of the board, by size", maps
    if sums.ndim == 3:
        maps = [SquareMap(f"filter {at + 1}", _rows(sums[:, :, at])) for at in range(sums.shape[2])]
        return "Outputs of its filters", _strongest(maps)
    if sums.ndim == 2:
        maps = [SquareMap(f"filter {at + 1}", _square_rows(sums[:, at])) for at in range(sums.shape[1])]
        return "Outputs of its filters around squares", _strongest(maps)
    if len(sums) in (32, 128) and len(spec.layers) > 1 and spec.layers[1].kind == "diagonal":
        maps = [SquareMap(f"plane {at + 1}", _square_rows(units)) for at, units in enumerate(sums.reshape(-1, 32))]
        return "Its first layer, square by square", maps
    if layer.kind != "dense":
        return "The sums of its first layer", [SquareMap("sums", (tuple(sums.tolist()),))]
    added = (inputs.reshape(-1, 1) * part.of(genome)).T
    by_place = added.reshape(len(sums), 8, 8, -1).sum(axis=3) if spec.input in ("board", "planes") else None
    by_square = added.reshape(len(sums), -1, 32).sum(axis=1)
    pictures = map(_square_rows, by_square) if by_place is None else map(_dark, by_place)
    maps = [SquareMap(f"unit {at}", rows) for at, rows in enumerate(pictures, 1)]
    return "Contributions of squares to its units", _strongest(maps)


def _tables(spec: Spec, weights: Any, position: Position, man: float) -> tuple[str, list[SquareMap]]:
    """Return the values of men, kings and formations by square, in men, for this number of pieces."""
    import numpy as np

    genome = np.asarray(weights, np.float64) / man
    gone = 1 - (position.black | position.white).bit_count() / MOST_PIECES
    phases, place = np.arange(spec.phases), gone * (spec.phases - 1)
    shares = np.maximum(1 - np.abs(phases - place), 0)  # two neighbouring phases are blended
    men, kings = np.tensordot(shares, spec.parts[0].of(genome).reshape(spec.phases, 2, 32), 1).tolist()
    maps = [SquareMap("men", _square_rows([*men[:28], *[None] * 4])), SquareMap("kings", _square_rows(kings))]
    if spec.patterns:
        cells = np.tensordot(shares, spec.pattern_part.of(genome).reshape(spec.phases, WINDOWS, CELLS), 1)
        maps.append(SquareMap("formations", _square_rows(_formations(position, cells))))
    return "Its tables, in men", maps


def _formations(position: Position, cells: Any) -> list[float]:
    """Return by square the mean value of the windows that contain it, as the side to move sees the board."""
    own, other = position.own & ~position.kings, position.opponent & ~position.kings
    digits = [0] * 32
    for word, digit in ((own, 1), (other, 2)):
        for square in squares_of(word):
            digits[square - 1 if position.side == BLACK else 32 - square] = digit
    by_square: list[list[float]] = [[] for _ in range(32)]
    for window, squares in enumerate(window_squares()):
        cell = sum(digits[square] * 3**place for place, square in enumerate(squares))
        for square in squares:
            by_square[square].append(float(cells[window, cell]))
    return [math.fsum(values) / len(values) for values in by_square]


def _strongest(maps: Sequence[SquareMap]) -> list[SquareMap]:
    """Return the maps in order if there are few; otherwise those with the largest numbers, largest first."""

    def strength(square_map: SquareMap) -> float:
        return max(abs(value) for row in square_map.rows for value in row if value is not None)

    return list(maps) if len(maps) <= MOST_MAPS else sorted(maps, key=strength, reverse=True)[:MOST_MAPS]


def _rows(grid: Any) -> Rows:
    return tuple(map(tuple, grid.tolist()))


def _dark(grid: Any) -> Rows:
    dark = {square_place(index) for index in range(32)}
    rows = enumerate(grid.tolist())
    return tuple(tuple(v if (row, at) in dark else None for at, v in enumerate(values)) for row, values in rows)


def _square_rows(values: Sequence[float | None]) -> Rows:
    return tuple(map(tuple, board(values)))
