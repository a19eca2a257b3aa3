"""Proofs by searches, compared with tables that they do not use and with a slow twin."""

from __future__ import annotations

from itertools import accumulate
from pathlib import Path

import pytest

from game import moves, plain
from game.board import Position
from game.endgame.tables import Tables, open_tables
from game.errors import InputError
from game.generator import SplitMix64
from game.rules import BLACK, WHITE
from game.search.proof import Prover


def random_positions(count: int, pieces: int, seed: int) -> list[Position]:
    """Return positions with a number of pieces, in which the side to move has a move."""
    generator, found = SplitMix64(seed), list[Position]()
    while len(found) < count:
        squares = list[int]()
        while len(squares) < pieces:
            square = 1 + generator.below(32)
            squares += [square] * (square not in squares)
        black = squares[: 1 + generator.below(pieces - 1)]
        white = [each for each in squares if each not in black]
        kings = [
            each for each in squares if generator.below(2) or each in (range(29, 33) if each in black else range(1, 5))
        ]
        position = Position.from_squares(black, white, kings, generator.below(2))
        if moves.legal_moves(position):
            found.append(position)
    return found


def value_of(position: Position, tables: Tables) -> int:
    verdict = tables.probe(position)
    return verdict.value


def naive_winners(start: Position, side: int, tables: Tables) -> dict[Position, bool]:
    """Return whether a side wins each position that a position leads to, by plain Python: the winning ones grow."""
    after, todo = dict[Position, list[Position]](), [start]
    while todo:
        position = todo.pop()
        if position not in after and tables.probe(position) is None:
            after[position] = [each for _, each in plain.successors(position)]
            todo += after[position]

    def wins(position: Position) -> bool:
        verdict = tables.probe(position)
        if verdict is not None:
            return verdict.value == (1 if position.side == side else -1)
        return won[position]

    won, grows = dict.fromkeys(after, False), True
    while grows:
        grows = False
        for position, replies in after.items():
            if not won[position] and (any if position.side == side else all)(map(wins, replies)):
                won[position] = grows = True
    return won


@pytest.mark.parametrize("pieces", [3, 4])
def test_proofs_agree_with_tables_that_they_do_not_have(pieces: int) -> None:
    fewer, exact = open_tables(pieces - 1), open_tables(pieces)
    prover = Prover(fewer, 20_000)
    settled = 0
    for position in random_positions(300, pieces, seed=pieces):
        least, most = prover.bounds(position)
        assert least <= value_of(position, exact) <= most, position.fen()
        settled += least == most
    assert settled > 200


OF_FIVE = (
    "-+---=--+--++--++++-+++-+++++=++-+=+---=----++-++++-----+-+-++-+---+----++-+-++++-++--+---+-+-+-++-+"
    "---+++-+---+=+++-+=+----+++-++-+=+++-+---++-+++-+---=+--++++++-++-++-++=+++-++++---++-++-++----++++-"
)
"""The values of 200 positions with five pieces by tables of five, to the side to move: won, drawn or lost."""


def test_proofs_of_five_pieces_need_no_tables_of_five() -> None:
    prover, settled = Prover(open_tables(4), 20_000), 0
    for position, sign in zip(random_positions(200, 5, seed=5), OF_FIVE, strict=True):
        least, most = prover.bounds(position)
        assert least <= "-=+".index(sign) - 1 <= most, position.fen()
        settled += least == most
    assert settled > 140


def test_proofs_agree_with_a_slow_twin() -> None:
    tables = open_tables(2)
    start = Position.from_fen("B:WK1,K2:BK31")
    prover = Prover(tables, 50_000)
    for side in (BLACK, WHITE):
        won = naive_winners(start, side, tables)
        for position in list(won)[::97]:
            assert prover.wins(position, side, 50_000) is won[position], position.fen()


def test_proofs_do_not_depend_on_earlier_ones_that_are_forgotten() -> None:
    prover, positions = Prover(open_tables(2), 3_000), random_positions(20, 4, seed=9)
    found = []
    for each in (positions, positions[::-1]):
        results = []
        for position in each:
            prover.forget()
            results.append((prover.bounds(position), prover.visited))
        found.append(results)
    assert found[0] == found[1][::-1]
    assert any(least != most for (least, most), _ in found[0])


def test_lines_of_proofs_are_played_to_tables() -> None:
    tables = open_tables(3)
    prover, lengths = Prover(tables), list[int]()
    for position in random_positions(100, 4, seed=2):
        if prover.bounds(position) == (1, 1):
            line = prover.line(position, position.side)
            *before, last = accumulate(line, plain.apply, initial=position)
            assert all(tables.probe(each) is None for each in before)
            assert value_of(last, tables) == (1 if last.side == position.side else -1)
            lengths.append(len(line))
    assert len(lengths) > 20 and max(lengths) > 6
    prover.forget()
    drawn = Position.from_fen("W:WK22,K23:B1,K32")
    assert prover.wins(drawn, WHITE, 10_000) is None and prover.line(drawn, WHITE) == ()
    assert prover.wins(drawn, BLACK, 100_000) is False
    last = list(accumulate(prover.line(drawn, BLACK), plain.apply, initial=drawn))[-1]
    assert value_of(last, tables) != (1 if last.side == BLACK else -1)


def test_proofs_go_on_with_a_file_of_earlier_ones(tmp_path: Path) -> None:
    tables, file, positions = open_tables(2), tmp_path / "proofs", random_positions(40, 4, seed=9)
    first = Prover(tables, 3_000, file)
    found = [first.bounds(position) for position in positions]
    first.forget()  # what is in the file, or will be
    first.close()
    again, anew = Prover(tables, 100, file), Prover(tables, 100)
    settled = [(position, each) for position, each in zip(positions, found, strict=True) if each[0] == each[1]]
    assert [again.bounds(position) for position, _ in settled] == [each for _, each in settled]
    assert sum(anew.bounds(position) != each for position, each in settled) > 5
    before = file.read_bytes()
    for damaged in (before[:-1], before[:-9] + bytes(9), b"else" + before):
        file.write_bytes(damaged)
        with pytest.raises(InputError, match=r"is damaged, or no file of proofs of this version; delete it$"):
            Prover(tables, 3_000, file)
