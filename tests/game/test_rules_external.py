"""The rules against independent libraries: whole sets of whole turns, path by path, with what they capture.

`open_spiel` and `pydraughts` play by our rules with these differences, none in what one turn may do:

- OpenSpiel makes each jump an action of its own and calls the first mover "o", at the bottom of the board. It
  takes a jumped piece off at once instead of after the turn; a piece lands on squares of one parity and jumps
  over those of the other, so no landing can tell. After 40 actions in a row without a capture the game is a
  draw and no action is legal: games are compared up to there. Its board cannot be set up from Python.
- pydraughts knows draws by repetition and length, which leave its legal moves alone. Its FEN has no ranges.

`py-draughts` (another library, class AmericanBoard) makes captures optional: it is no reference.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from random import Random
from typing import Any

import pytest

from game import moves
from game.board import Position
from tests import naive

Turns = set[tuple[tuple[int, ...], tuple[int, ...]]]


def _ours(position: Position) -> Turns:
    return {(move.path, move.captured) for move in moves.legal_moves(position)}


def _spiel_square(name: str) -> int:
    return naive.SQUARES[int(name[1]) - 1, 7 - "abcdefgh".index(name[0])]


def _spiel_board(state: Any) -> naive.Board:
    rows = [line[1:] for line in str(state).splitlines()[:8]]
    pieces = {}
    for row, line in enumerate(reversed(rows)):
        for column, cell in enumerate(reversed(line)):
            if cell != ".":
                pieces[row, column] = {"o": "b", "8": "B", "+": "w", "*": "W"}[cell]
    return naive.Board.from_pieces(pieces, "BW"[state.current_player()])


def _spiel_turns(state: Any) -> dict[tuple[tuple[int, ...], tuple[int, ...]], Any]:
    results = {}

    def act_on(before: Any, path: tuple[int, ...], captured: tuple[int, ...]) -> None:
        mover = before.current_player()
        for action in before.legal_actions():
            name = before.action_to_string(mover, action)
            start, end = _spiel_square(name[:2]), _spiel_square(name[2:])
            if path and start != path[-1]:
                raise AssertionError(f"the turn goes on with another piece: {path}, then {name}")
            (r1, c1), (r2, c2) = naive.PLACES[start], naive.PLACES[end]
            jumped = (naive.SQUARES[(r1 + r2) // 2, (c1 + c2) // 2],) if abs(r1 - r2) == 2 else ()
            after = before.child(action)
            whole = (*(path or (start,)), end), captured + jumped
            if after.current_player() == mover:
                act_on(after, *whole)
            else:
                results[whole] = after

    act_on(state, (), ())
    return results


def _spiel_playouts(pyspiel: Any, random: Random) -> Iterator[tuple[Any, dict[Any, Any]]]:
    game = pyspiel.load_game("checkers")
    while True:
        state = game.new_initial_state()
        while not state.is_terminal():
            turns = _spiel_turns(state)
            yield state, turns
            state = turns[random.choice(sorted(turns))]


def test_like_open_spiel() -> None:
    pyspiel = pytest.importorskip("pyspiel", reason="open_spiel has no wheel for this Python or system")
    playouts = _spiel_playouts(pyspiel, Random(6))
    captures = kings = 0
    for _ in range(1000):
        state, turns = next(playouts)
        position = Position.from_fen(_spiel_board(state).fen())
        assert _ours(position) == set(turns), str(position)
        following = {(move.path, move.captured): after for move, after in moves.successors(position)}
        for turn, after in turns.items():
            if not after.is_terminal():
                assert following[turn].fen() == _spiel_board(after).fen(), f"{position} {turn}"
        captures += any(captured for _, captured in turns)
        kings += position.own & position.kings != 0
    assert captures > 200
    assert kings > 250


def test_open_spiel_ends_a_game_where_we_do_not() -> None:
    pyspiel = pytest.importorskip("pyspiel", reason="open_spiel has no wheel for this Python or system")
    random, draws, losses = Random(7), 0, 0
    for _ in range(30):
        state, quiet = pyspiel.load_game("checkers").new_initial_state(), 0
        position = Position.start()
        while not state.is_terminal():
            turns = _spiel_turns(state)
            turn = random.choice(sorted(turns))
            state, quiet = turns[turn], 0 if turn[1] else quiet + 1
            position = next(after for move, after in moves.successors(position) if move.path == turn[0])
        if state.returns() == [0.0, 0.0]:
            assert quiet == 40
            draws += 1
        else:
            assert moves.legal_moves(position) == []
            assert state.returns()[position.side] == -1.0
            losses += 1
    assert draws
    assert losses


def _pydraughts_turns(draughts: Any, fen: str) -> Turns:
    board = draughts.Board(variant="english", fen=fen)
    return {(tuple(move.steps_move), tuple(move.captures)) for move in board.legal_moves()}


def test_moves_are_those_of_pydraughts() -> None:
    draughts = pytest.importorskip("draughts", reason="pydraughts is not installed")
    if "pydraughts" not in metadata.packages_distributions()["draughts"]:
        pytest.skip("the installed package 'draughts' is not pydraughts")
    with (Path(__file__).parents[1] / "data" / "unit_positions.tsv").open(encoding="utf-8") as file:
        edge = [Position.from_fen(row["fen"]) for row in csv.DictReader(file, delimiter="\t")]
    positions = [Position.from_fen(board.fen()) for board in naive.random_boards(Random(8), 200)]
    captures = multiple = 0
    for position in [*edge, *(position.mirror() for position in edge), *positions]:
        expected = _pydraughts_turns(draughts, position.fen())
        assert _ours(position) == expected, str(position)
        captures += any(captured for _, captured in expected)
        multiple += any(len(captured) > 2 for _, captured in expected)
    assert captures > 100
    assert multiple > 12
