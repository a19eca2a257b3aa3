"""The share of won endings that players win within the draw rules, with and without tablebases.

    python -m tests.measurements.won_endings [--runs FOLDER]

It takes ten minutes and needs tables of five pieces.
Positions are drawn at random with a fixed seed: a given number of men and kings of either side on random squares, with
a random side to move. Only positions that the side to move wins in `LEAST_PLIES` plies or more are used, and the player
takes that side. The defender uses tablebases: it chooses the longest defence, and holds the draw if the player allows
one.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from evolve.names.registration import register
from evolve.session.reporters import CountingLine
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


def measure(names: Sequence[str], most: int, count: int) -> list[tuple[str, list[int]]]:
    """Return how many endings each player wins, for each number of pieces in `PIECES` up to `most`.

    Args:
        names: the players, which play without tables and with them.
        most: the largest number of pieces.
        count: the number of endings with each number of pieces.

    Raises:
        InputError: the distance tables do not cover all positions.
    """
    tables = open_tables()
    if tables.distances < most:
        raise InputError(
            f"expected tables of up to {most} pieces with distances; there are only tables of up to "
            f"{tables.distances}; {COMMAND} tablebase build --pieces {most} builds them"
        )
    chosen = [won_positions(tables, pieces, count) for pieces in PIECES if pieces <= most]
    rows, line = list[tuple[str, list[int]]](), CountingLine()
    for name in names:
        for used in ("no", str(most)):
            text = parse_name(name).with_options(tablebase=used).text
            line.count(text)
            rows.append((text, [_wins(text, most, positions) for positions in chosen]))
    line.count()
    return rows


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


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.measurements.won_endings")
    parser.add_argument("--runs", type=Path, default=Path("populations"))
    options = parser.parse_args(arguments)
    register(options.runs)
    try:
        rows = measure(PLAYERS, max(PIECES), POSITIONS)
    except InputError as error:
        parser.error(str(error))
    head = [f"won of {POSITIONS} with {pieces} pieces" for pieces in PIECES]
    print(f"| player | {' | '.join(head)} |", "|---|" + "---:|" * len(head), sep="\n")
    for name, wins in rows:
        print(f"| `{name}` | {' | '.join(map(str, wins))} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
