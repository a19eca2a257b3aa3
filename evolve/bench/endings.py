"""The share of won endings that players win within the draw rules, with and without tablebases.

Positions are drawn at random with a fixed seed: a given number of men and kings of either side on random squares, with
a random side to move. Only positions that the side to move wins in `LEAST_PLIES` plies or more are used, and the player
takes that side. The defender uses tablebases: it chooses the longest defence, and holds the draw if the player allows
one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from evolve.names.registration import register
from game.batch.games import BatchPlayers, play_all
from game.board import Position
from game.endgame.tables import Tables, open_tables
from game.errors import InputError
from game.generator import SplitMix64
from game.installation import COMMAND
from game.players.names import parse_name
from game.players.registry import player
from game.rules import BLACK, WCDF

PIECES = (4, 5)
POSITIONS = 500
LEAST_PLIES = 25
SEED = 1
PLAYERS = (
    "crownhead-1",
    "crownhead-1,nodes=20000",
    "blondie24-840,depth=4,blondie=yes",
    "material,depth=4,quiescence=yes",
    "material,depth=8,quiescence=yes",
    "crownhead,nodes=4000",
)
"""The players to measure: shipped players and the piece count."""

_LAST_ROWS = ((29, 30, 31, 32), (1, 2, 3, 4))
"""Squares on which men of Black, and of White, become kings."""


def measure(runs: Any, show: Callable[..., None], *, quick: bool = False) -> dict[str, Any]:
    """Play all games, and return the numbers of wins as plain data.

    Args:
        runs: the folder of runs.
        show: called with the name of each player.
        quick: play only a few positions.

    Raises:
        InputError: the distance tables do not cover all positions.
    """
    register(runs)
    tables, most = open_tables(), max(PIECES)
    if tables.distances < most:
        raise InputError(
            f"--endings: expected tables of up to {most} pieces with distances; there are only tables of up to "
            f"{tables.distances}; {COMMAND} tablebase build --pieces {most} builds them"
        )
    count = 5 if quick else POSITIONS
    chosen = {pieces: won_positions(tables, pieces, count) for pieces in PIECES}
    rows = []
    for name in PLAYERS:
        for pieces in ("no", str(most)):
            text = parse_name(name).with_options(tablebase=pieces).text
            show(text)
            rows.append({"player": text} | {str(pieces): _wins(text, most, chosen[pieces]) for pieces in PIECES})
    return {"positions": count, "least_plies": LEAST_PLIES, "seed": SEED, "players": rows}


def won_positions(tables: Tables, pieces: int, count: int) -> list[Position]:
    """Return `count` won positions, drawn as described at the top of this module."""
    generator, positions = SplitMix64(SEED + pieces), list[Position]()
    while len(positions) < count:
        position = _drawn(generator, pieces)
        verdict = None if position is None else tables.probe(position)
        if position is not None and verdict is not None and verdict.value > 0 and (verdict.plies or 0) >= LEAST_PLIES:
            positions.append(position)
    return positions


def _drawn(generator: SplitMix64, pieces: int) -> Position | None:
    """Return a random position; None if it has a man on its last row, or a side without pieces."""
    squares, sides = list(range(1, 33)), (list[str](), list[str]())
    for _ in range(pieces):
        square, side, king = squares.pop(generator.below(len(squares))), generator.below(2), generator.below(2)
        if not king and square in _LAST_ROWS[side]:
            return None
        sides[side].append(f"{'K' * king}{square}")
    if not all(sides):
        return None
    return Position.from_fen(f"{'BW'[generator.below(2)]}:W{','.join(sides[1])}:B{','.join(sides[0])}")


def _wins(name: str, most: int, positions: list[Position]) -> int:
    """Return the number of positions that a player wins."""
    played, defender = player(name), player(f"material,depth=4,quiescence=yes,tablebase={most}")
    field = BatchPlayers.of_players([played, defender])
    assert field is not None  # both can play in compiled code
    won = 0
    for start in positions:
        wanted = 1 if start.side == BLACK else -1
        black, white = (0, 1) if start.side == BLACK else (1, 0)
        won += int(play_all(field, [black], [white], start=start, rules=WCDF).results[0]) == wanted
    return won


def text(result: dict[str, Any]) -> str:
    """Return the result as a table in Markdown."""
    head = [f"won of {result['positions']} with {pieces} pieces" for pieces in PIECES]
    lines = [f"| player | {' | '.join(head)} |", "|---|" + "---:|" * len(head)]
    for row in result["players"]:
        lines.append(f"| `{row['player']}` | " + " | ".join(str(row[str(pieces)]) for pieces in PIECES) + " |")
    return "\n".join(lines)
