"""Boards for notebooks and scripts: moves, their end, and their picture."""

from __future__ import annotations

import pytest

from extras.export.svg import board_svg
from extras.notebooks.board import PICTURE, Board
from game import match, moves
from game.board import Position
from game.errors import InputError
from game.players.registry import player
from game.rules import BLACK, WCDF, DrawRules

SHORT = DrawRules(repetition=2, quiet_plies=10, men_reset=False, max_plies=60)


@pytest.mark.parametrize("rules", [WCDF, SHORT, DrawRules(repetition=0, quiet_plies=12, max_plies=90)])
@pytest.mark.parametrize("start", [None, "B:WK1,K5,30:B3,K18,K20"])
def test_games_end_where_matches_end_them(rules: DrawRules, start: str | None) -> None:
    reasons = set()
    for seed in range(20):
        first = None if start is None else Position.from_fen(start)
        record = match.play(player("random"), player("material"), start=first, rules=rules, seed=seed)
        board = Board(start, rules=rules)
        for move in record.moves:
            assert (board.reason, board.result) == (None, None)
            assert moves.legal_moves(board.position) == board.legal_moves
            assert board.push(str(move) if seed % 2 else move) == move
        assert (board.reason, board.result) == (record.reason, record.result)
        assert board.moves == record.moves
        reasons.add(record.reason)
    assert len(reasons) > 1 or rules is WCDF


def test_moves_are_taken_back() -> None:
    board = Board()
    assert str(board.push("11-15")) == "11-15"
    board.push("22-18")
    assert str(board.push("15x22")) == "15x22"
    board.pop()
    assert board.fen() == Position.from_fen(board.fen()).fen() and board.position.side == BLACK
    board.pop()
    board.pop()
    assert board.position == Position.start()
    with pytest.raises(InputError, match="no move to take back"):
        board.pop()
    with pytest.raises(moves.IllegalMoveError, match="11-18"):
        board.push("11-18")
    assert (board.moves, repr(board)) == ((), f"Board({Position.start().fen()!r})")
    assert "b1" in str(board)


def test_players_choose_moves() -> None:
    board, one = Board(), player("random")
    choices = [board.ask(one, seed=seed).move for seed in (1, 1, 2, 3, 4)]
    assert choices[0] == choices[1] and len(set(choices)) > 1
    assert board.moves == ()
    while board.reason is None:
        board.push(board.ask(one).move)
    assert board.result in (-1, 0, 1)
    with pytest.raises(InputError, match="the game has ended"):
        board.ask(one)


def test_the_picture_is_that_of_the_position() -> None:
    fen = "B:W18,24,K10:B12,K22"
    assert Board(fen)._repr_svg_() == board_svg(Position.from_fen(fen), PICTURE)
