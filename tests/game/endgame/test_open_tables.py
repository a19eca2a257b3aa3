"""Opening tables: what is missing or damaged is built, by one process only, and all answers are the same."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from game import bitboard
from game.bits import rotate
from game.board import Position
from game.compiled.jit import Array, Int, compiled
from game.endgame import build, index_kernels, probe_kernels, table_file, tables
from game.endgame.build import Values
from game.endgame.slices import Slice, slices_of
from game.endgame.tables import Tables, open_tables
from game.endgame.verdict import Verdict
from game.search import layout as at
from game.search.interface import Limits, SearchOptions
from game.search.search import AlphaBeta

BOARD = np.uint64(bitboard.BOARD)
POSITION = Position.from_fen("W:WK15,20:BK28")
ANSWER = Verdict(1, 35)


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path / "tablebase"
    open_tables.cache_clear()


@compiled
def same_at_all_positions(
    men: Int, kings: Int, opponent_men: Int, opponent_kings: Int, side: Int, tables: Int, codes: Array
) -> Int:
    free = 32 - men - opponent_men
    size = index_kernels.choose(free, kings) * index_kernels.choose(free - kings, opponent_kings)
    width = index_kernels.choose(free - kings, opponent_kings)
    same = 0
    for arrangement in range(codes.size // size):
        a, b = index_kernels.men_at(arrangement, men, opponent_men)
        places = BOARD & ~(a | b)
        for index in range(size):
            royal = index_kernels.pieces_at(index // width, kings, places)
            other = index_kernels.pieces_at(index % width, opponent_kings, places ^ royal)
            own, opponent = a | royal, b | other
            both = royal | other
            if side != 0:
                own, opponent, both = rotate(own), rotate(opponent), rotate(both)
            code = np.int64(codes[arrangement * size + index])
            result = probe_kernels.probe_code(own, opponent, both, side, tables)
            value = probe_kernels.probe(own, opponent, both, side, tables)
            plies = probe_kernels.distance(own, opponent, both, side, tables)
            expected = 0 if code == 0 else 1 - 2 * (code & 1)
            same += result == code and value == expected and plies == code - 1
    return same


def _positions(pieces: int, count: int) -> Iterator[Position]:
    generator = np.random.default_rng(pieces)
    for _ in range(count):
        squares = (generator.permutation(32)[:pieces] + 1).tolist()
        black = int(generator.integers(1, pieces))
        kings = [square for square in squares if square <= 4 or square > 28 or generator.integers(2)]
        yield Position.from_squares(squares[:black], squares[black:], kings, int(generator.integers(2)))


def _probes_well(result: Tables) -> bool:
    return result.probe(POSITION) == ANSWER


@pytest.mark.check
def test_every_position_of_up_to_4_pieces_has_its_value_and_distance(known: Values, folder: Path) -> None:
    folder.mkdir()
    written = [table_file.write(folder, each, known.of(each), True).path for each in known.all]
    result = Tables(map(table_file.open_table, written))
    assert (result.pieces, result.distances) == (4, 4)
    for each in known.all:
        for side in range(2):
            numbers = (each.men, each.kings, each.opponent_men, each.opponent_kings)
            assert same_at_all_positions(*numbers, side, result.address, known.of(each)) == each.positions


def test_a_verdict_is_that_of_the_best_move() -> None:
    result = open_tables(4)
    for position in (each for pieces in (2, 3, 4) for each in _positions(pieces, 150)):
        verdict, moves = result.probe(position), [after for _, after in result.moves(position)]
        assert verdict is not None and verdict == result.probe(position.mirror())
        if not moves:
            assert verdict == Verdict(-1, 0)
            continue
        assert all(after is not None for after in moves)
        best = max((after.value, -after.value * (after.plies or 0)) for after in moves if after is not None)
        assert best == (verdict.value, -verdict.value * (verdict.plies or 0))


def test_uncovered_positions_have_no_verdict(folder: Path) -> None:
    result = open_tables(3, folder)
    assert result.pieces == 3
    assert all(result.probe(position) is None for position in _positions(4, 10))
    assert result.probe(Position.from_squares([], [9], [], 0)) == Verdict(-1, 0)
    assert result.probe(Position.from_squares([], [9], [], 1)) == Verdict(1, 1)
    assert open_tables(0, folder).pieces == 0
    assert open_tables(0, folder).probe(POSITION) is None


def test_values_without_distances(known: Values, folder: Path) -> None:
    folder.mkdir()
    paths = [table_file.write(folder, each, known.of(each), each.pieces < 4).path for each in known.all]
    result = Tables(map(table_file.open_table, paths))
    assert (result.pieces, result.distances) == (4, 3)
    assert _probes_well(result)
    for position in _positions(4, 100):
        verdict, exact = result.probe(position), open_tables(4).probe(position)
        assert verdict is not None and exact is not None and verdict == Verdict(exact.value, None)
        own, opponent, kings = map(np.uint64, (position.own, position.opponent, position.kings))
        assert probe_kernels.distance(own, opponent, kings, position.side, result.address) == -1


def _built(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    messages: list[int] = []
    real = build.solve_missing

    def counted(known: Values, *rest: Any) -> None:
        messages.append(max(each.pieces for each in known.all))
        real(known, *rest)

    monkeypatch.setattr(build, "solve_missing", counted)
    return messages


def test_tables_are_built_once_and_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = _built(monkeypatch)
    assert _probes_well(open_tables(3, folder))
    assert open_tables(3, folder) is open_tables(3, folder)
    open_tables.cache_clear()
    assert _probes_well(open_tables(3, folder))
    assert result == [3]
    assert sum(each.bytes for each in table_file.survey(folder)) < 200_000


def test_more_pieces_are_used_if_all_their_files_are_there(known: Values, folder: Path) -> None:
    assert open_tables(3, folder).pieces == 3
    for each in slices_of(4):
        assert _pieces_there(folder) == 3
        table_file.write(folder, each, known.of(each), True)
    assert _pieces_there(folder) == 4


def _pieces_there(folder: Path) -> int:
    return Tables(tables._opened(folder, 7)).pieces


def test_damaged_tables_are_named_and_rebuilt(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    open_tables(3, folder)
    path = table_file.path_of(folder, Slice(0, 2, 0, 1))
    sound = path.read_bytes()
    path.write_bytes(sound[:-300] + b"x" + sound[-299:])
    others = {each: each.stat().st_mtime_ns for each in folder.glob("*.table") if each != path}
    open_tables.cache_clear()
    assert _probes_well(open_tables(3, folder))
    assert path.read_bytes() == sound
    assert {each: each.stat().st_mtime_ns for each in others} == others
    assert [record.getMessage() for record in caplog.records] == [f"{path}: is damaged; it will be built again"]


def test_damaged_tables_of_more_pieces_are_named_and_not_used(
    known: Values, folder: Path, limit: Callable[..., None], caplog: pytest.LogCaptureFixture
) -> None:
    limit(tables, "OWN_PIECES", 3)
    open_tables(3, folder)
    for each in slices_of(4):
        path = table_file.write(folder, each, known.of(each), False).path
    path.write_bytes(path.read_bytes()[:-1])
    open_tables.cache_clear()
    result = open_tables(None, folder)
    assert result.pieces == 3 and _probes_well(result)
    assert len(caplog.records) == 1 and str(path) in caplog.text and "4 and more pieces are not used" in caplog.text


@pytest.mark.skipif(os.name != "posix", reason="files in use cannot be deleted here")
def test_tables_may_be_deleted_while_they_are_used(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = _built(monkeypatch)
    outcome = open_tables(3, folder)
    for each in folder.iterdir():
        each.unlink()
    folder.rmdir()
    assert _probes_well(outcome)
    open_tables.cache_clear()
    assert _probes_well(open_tables(3, folder))
    assert result == [3, 3]


@pytest.mark.parametrize("harm", ["cut", "emptied", "overwritten"])
def test_tables_whose_files_change_while_they_are_used_answer_as_before(folder: Path, harm: str) -> None:
    result = open_tables(3, folder)
    player = AlphaBeta(style=SearchOptions(tablebase=3))
    player.memory.tables, player.memory.context[at.TABLES] = result, result.address
    answers = [(result.probe(each), result.moves(each)) for each in _positions(3, 300)]
    line = player.search(POSITION, limits=Limits(depth=3)).pv
    for each in folder.glob(f"*{table_file.ENDING}"):
        if harm == "overwritten":
            each.write_bytes(bytes(each.stat().st_size))
        else:
            os.truncate(each, 10 if harm == "cut" else 0)
    assert [(result.probe(each), result.moves(each)) for each in _positions(3, 300)] == answers
    assert _probes_well(result)
    assert player.search(POSITION, limits=Limits(depth=3)).pv == line


@pytest.mark.skipif(os.name != "posix", reason="permissions work otherwise here")
@pytest.mark.usefixtures("ordinary_rights")
@pytest.mark.parametrize("mode", [0o500, 0])
def test_a_folder_that_cannot_be_used_does_no_harm(folder: Path, mode: int, caplog: pytest.LogCaptureFixture) -> None:
    folder.mkdir(mode=mode)
    assert _probes_well(open_tables(3, folder))
    assert len(caplog.records) == 1 and "built at each start" in caplog.text and str(folder) in caplog.text


def test_a_full_disk_does_no_harm(
    folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device", str(folder / "0101.table"))

    result = _built(monkeypatch)
    monkeypatch.setattr(table_file, "write", refuse)
    assert _probes_well(open_tables(3, folder))
    assert result == [3, 3]  # of the first files, which could not be written, and of all of them in memory
    assert "No space left on device" in caplog.text


def test_of_two_that_build_at_once_one_waits(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = _built(monkeypatch)
    results: list[Tables] = []
    both = [threading.Thread(target=lambda: results.append(open_tables.__wrapped__(3, folder))) for _ in range(2)]
    for each in both:
        each.start()
    for each in both:
        each.join()
    assert len(results) == 2 and all(map(_probes_well, results))
    assert result == [3]
