"""Tables of two sides alone, beside those of all positions with as many pieces."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import main
from extras.tablebase import sides
from extras.tablebase.sides import build_sides, estimate, pairs_of, successors
from game.endgame import build, table_file
from game.endgame.slices import Slice, slices_of, slices_with
from game.endgame.table_file import TableError
from game.errors import InputError
from game.moves import successors as moves_of


def codes(folder: Path, which: Slice) -> np.ndarray:
    return np.asarray(table_file.open_table(table_file.path_of(folder, which)).codes())


@pytest.mark.parametrize(
    ("both", "memory"),
    [
        pytest.param((2, 1), None, id="in memory"),
        pytest.param((3, 1), 0.0, id="in a file"),
        pytest.param((1, 2), None, id="the smaller side first"),
    ],
)
def test_tables_of_sides_have_the_values_of_those_of_all_positions(
    both: tuple[int, int], memory: float | None, tmp_path: Path
) -> None:
    build_sides(tmp_path, both, memory=memory)
    known = build.build_values(sum(both), exact=0)
    for which in slices_with(both):
        assert np.array_equal(codes(tmp_path, which), known.of(which)), which.name
    written = {path.name for path in tmp_path.glob("*.table")}
    fewer = {f"{each.name}.table" for pieces in range(2, sum(both)) for each in slices_of(pieces)}
    assert written == fewer | {f"{each.name}.table" for each in slices_with(both)}
    assert not list(tmp_path.glob("*.unchecked"))


def test_each_move_leads_to_a_successor_of_its_slice() -> None:
    """All positions of a slice with men and kings on both sides, by the move generator."""
    which = Slice(1, 1, 1, 1)
    reached = set()
    for index in range(0, which.positions, 97):
        for _, after in moves_of(build.position_at(which, index)):
            if after.own and after.opponent:
                men, opponent_men = after.own & ~after.kings, after.opponent & ~after.kings
                counts = men, after.own & after.kings, opponent_men, after.opponent & after.kings
                reached.add(Slice(*(each.bit_count() for each in counts)))
    assert reached <= successors(which)
    assert {Slice(1, 1, 0, 2), Slice(0, 1, 1, 1), Slice(1, 0, 1, 1), Slice(1, 1, 1, 1)} <= reached


def test_four_against_three_are_forty_slices_in_pairs_with_fewest_men_first() -> None:
    pairs = pairs_of((4, 3))
    assert len(pairs) == 20
    assert sum(2 * each.positions for each in pairs) == 19_055_258_760
    men = [each.men + each.opponent_men for each in pairs]
    assert men == sorted(men)


def test_a_stopped_build_continues_with_missing_and_damaged_tables(tmp_path: Path) -> None:
    build_sides(tmp_path, (2, 1))
    paths = [table_file.path_of(tmp_path, each) for each in slices_with((2, 1))]
    before = {path: path.read_bytes() for path in paths}
    paths[0].unlink()
    paths[-1].write_bytes(before[paths[-1]][:-9])
    others = {path: path.stat().st_mtime_ns for path in paths[1:-1]}
    build_sides(tmp_path, (2, 1))
    assert {path: path.read_bytes() for path in paths} == before
    assert {path: path.stat().st_mtime_ns for path in paths[1:-1]} == others


def test_tables_that_were_not_compared_yet_are_compared_by_the_next_build(tmp_path: Path) -> None:
    build_sides(tmp_path, (3, 1))
    which = Slice(0, 3, 0, 1)
    wrong = codes(tmp_path, which)
    wrong[: len(wrong) // 2] = 0
    table_file.write(tmp_path, which, wrong, False)
    build.mark_of(tmp_path, 4).touch()
    with pytest.raises(TableError, match=r"0301\.table|0103\.table"):
        build_sides(tmp_path, (3, 1))


def test_an_estimate_counts_values_in_memory_where_they_fit(tmp_path: Path) -> None:
    """The largest pair has 5,595,133,880 values, and building the tables of fewer pieces needs no more than 4 GB."""
    in_memory, in_file = estimate(tmp_path, memory=1e12), estimate(tmp_path, memory=0)
    assert in_file.memory < 4.5e9 and in_memory.memory > 5_595_133_880
    assert in_memory.disk == in_file.disk > 5_595_133_880
    assert in_memory.positions == 19_055_258_760 + 2_571_945_320


def test_too_little_disk_is_refused_before_anything_is_begun(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "tables"
    monkeypatch.setattr(sides, "LEFT_FREE", 1e18)
    refused = r"tables of 4 pieces against 3 need .* of disk at .*only 0 B are free"
    with pytest.raises(InputError, match=refused):
        build_sides(folder)
    assert not folder.exists()
    assert main.main(["tablebase", "build", "--pieces=7", "--sides=4,3"]) == 2
    written = capsys.readouterr().err
    assert re.search(
        rf"about \d+ CPU minutes\nvalues are in memory .*, else in a file .*\n.*\n.*: {refused}\n$", written
    )
