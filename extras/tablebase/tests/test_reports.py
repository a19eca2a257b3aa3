"""Reports about tablebases, and tables of two sides alone beside those of all positions with as many pieces."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import main
from extras.tablebase import sides
from extras.tablebase.reports import take_inventory
from extras.tablebase.sides import build_sides, estimate, pairs_of, successors
from game.endgame import build, table_file
from game.endgame.build import build_values
from game.endgame.slices import Slice, slices_of, slices_with
from game.endgame.table_file import TableError
from game.errors import InputError
from game.moves import successors as moves_of
from tests.called import without_notice


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the tables of 2 and 3 pieces."""
    folder = tmp_path_factory.mktemp("tables")
    known = build_values(3)
    for each in known.all:
        table_file.write(folder, each, known.of(each), True)
    return folder


@pytest.fixture
def folder(whole: Path, tmp_path: Path) -> Path:
    shutil.copytree(whole, tmp_path / "tables")
    return tmp_path / "tables"


ROW = re.compile(r"^\| (\d+) \| ([\d,]+) \| ([\d,]+) \| ([\d,]+) \| ([\d,]+) \| (\d*) \|$", re.MULTILINE)


def test_counts_are_those_of_the_page(whole: Path) -> None:
    """Of all slices that it tells, and the totals."""
    page = (Path(main.__file__).parent / "docs" / "log" / "tablebases.md").read_text(encoding="utf-8")
    rows = {name: [int(number.replace(",", "") or 0) for number in numbers] for name, *numbers in ROW.findall(page)}
    there = [pieces for pieces in range(2, 7) if str(pieces) in rows]
    assert rows.keys() == {each.name for n in there for each in slices_of(n)} | {str(n) for n in there}
    assert there[:4] == [2, 3, 4, 5]
    for pieces in there:
        parts = [rows[each.name] for each in slices_of(pieces)]
        assert all(
            each.positions == row[0] == sum(row[1:4]) for each, row in zip(slices_of(pieces), parts, strict=True)
        )
        assert rows[str(pieces)][:4] == [sum(column) for column in zip(*parts, strict=True)][:4]
        if pieces < 6:
            assert (rows[str(pieces)][4] + 1) // 2 == (max(row[4] for row in parts) + 1) // 2  # a loss is a ply longer
    for group in take_inventory(whole).groups[:2]:
        for each in group.files:
            assert rows[each.slice.name] == [each.positions, each.wins, each.losses, each.draws, each.longest]


TEXT = """\
folder  FOLDER

pieces      positions  longest   on disk
     2          3,488       13    4.5 kB
     3        196,032       62  142.6 kB
     4  missing
     5  missing
     6  missing

python main.py tablebase build --pieces 4 builds the missing tables; so does the first player that uses tables."""


def test_the_text_lists_tables_and_sizes(whole: Path) -> None:
    text = take_inventory(whole).text().replace(str(whole), "FOLDER")
    sizes = re.compile(r" [ \d.]{5} (k?B)(?= |$)", re.MULTILINE)  # which follow from how files are packed
    assert sizes.sub(r" 00.0 \1", text) == sizes.sub(r" 00.0 \1", TEXT)


def test_json_has_each_slice_of_each_table(whole: Path) -> None:
    result = json.loads(json.dumps(take_inventory(whole).as_json()))
    assert list(result) == ["folder", "pieces", "distances", "bytes", "damaged", "build", "tables"]
    assert (result["folder"], result["pieces"], result["distances"]) == (str(whole), 3, 3)
    assert result["bytes"] == sum(path.stat().st_size for path in whole.glob("*.table"))
    assert result["build"] == "python main.py tablebase build --pieces 4"
    assert [each["complete"] for each in result["tables"]] == [True, True, False, False, False]
    size = sum((whole / f"{each.name}.table").stat().st_size for each in slices_of(2))
    assert result["tables"][0] == {
        "pieces": 2, "complete": True, "distances": True, "positions": 3_488, "longest": 13, "bytes": size,
    }  # fmt: skip


def damage(folder: Path) -> dict[str, str]:
    """Damages files in every way; what is said of each."""
    one, short, strange, other = (folder / f"{name}.table" for name in ("0101", "1110", "2001", "0120"))
    content = bytearray(one.read_bytes())
    content[-300] ^= 1  # the header is sound
    one.write_bytes(content)
    short.write_bytes(short.read_bytes()[:-1])
    strange.write_text("something else")
    other.unlink()
    return {
        "0101": f"{one}: is damaged",
        "1110": f"{short}: has ",
        "2001": f"{strange}: is not a table file",
        "0120": "missing",
    }


def test_damaged_tables_are_named_and_not_used(folder: Path) -> None:
    result = damage(folder)
    outcome = take_inventory(folder)
    faults = {each.slice.name: each.fault for group in outcome.groups[:2] for each in group.files if each.fault}
    assert faults.keys() == result.keys()
    assert all(faults[name].startswith(text) for name, text in result.items())
    assert (outcome.pieces(), outcome.groups[0].complete) == (0, False)
    assert sorted(each.slice.name for each in outcome.damaged) == ["0101", "1110", "2001"]
    assert len(outcome.as_json()["damaged"]) == 3
    text = outcome.text()
    assert "     2  3 of 4 files exist, 1 damaged\n" in text
    assert "     3  9 of 12 files exist, 2 damaged\n" in text
    assert f"\n{folder / '2001.table'}: is not a table file\n" in text


def test_positions_of_seven_pieces_are_reported(folder: Path) -> None:
    (folder / "0403.table").write_text("x")
    result = take_inventory(folder)
    assert [each.pieces for each in result.groups] == [2, 3, 4, 5, 6, 7]
    assert f"     7  0 of {len(slices_of(7))} files exist, 1 damaged" in result.text()


@pytest.mark.skipif(os.name != "posix", reason="permissions work otherwise here")
@pytest.mark.usefixtures("ordinary_rights")
def test_a_folder_that_may_not_be_entered_is_not_called_empty(
    folder: Path, capfd: pytest.CaptureFixture[str], tables_in: Callable[[Path | None], None]
) -> None:
    tables_in(folder)
    folder.chmod(0)
    try:
        assert main.main(["tablebase", "info"]) == 2
    finally:
        folder.chmod(0o700)
    assert capfd.readouterr() == ("", f"main.py: {folder}: cannot be read: Permission denied\n")


def test_the_verb_reports_damaged_tables(
    folder: Path, capfd: pytest.CaptureFixture[str], tables_in: Callable[[Path | None], None]
) -> None:
    tables_in(folder)
    assert main.main(["tablebase", "info", "--json"]) == 0
    out, err = capfd.readouterr()
    assert (json.loads(out)["pieces"], without_notice(err)) == (3, "")
    assert main.main(["tablebase", "info"]) == 0
    assert capfd.readouterr().out == f"{take_inventory(folder).text()}\n"
    damage(folder)
    assert main.main(["tablebase", "info"]) == 2
    out, err = capfd.readouterr()
    assert "1 damaged" in out
    assert err == ""


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
