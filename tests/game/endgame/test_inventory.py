"""Which tables are there: counts, what is missing, what is damaged, at any width."""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path

import pytest

import main
from game.endgame import table_file
from game.endgame.build import build
from game.endgame.inventory import Inventory, take_inventory
from game.endgame.slices import Slice, slices_of
from tests.notices import without_notice


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the tables of 2 and 3 pieces."""
    folder = tmp_path_factory.mktemp("tables")
    known = build(3)
    for each in known.all:
        table_file.write(folder, each, known.of(each), True)
    return folder


@pytest.fixture
def folder(whole: Path, tmp_path: Path) -> Path:
    """One to be damaged."""
    shutil.copytree(whole, tmp_path / "tables")
    return tmp_path / "tables"


def test_counts_are_those_of_the_literature(whole: Path) -> None:
    found = take_inventory(whole)
    assert [each.pieces for each in found.groups] == [2, 3, 4, 5, 6]
    two, three, four, *_ = found.groups
    assert (two.complete, two.distances, two.longest) == (True, True, 13)
    assert two.counts | {"bytes": 0} == {"positions": 3_488, "win": 716, "loss": 402, "draw": 2_370, "bytes": 0}
    assert three.counts | {"bytes": 0} == {
        "positions": 196_032, "win": 100_250, "loss": 87_305, "draw": 8_477, "bytes": 0,
    }  # fmt: skip
    assert (four.complete, four.distances, four.longest, four.counts["bytes"]) == (False, False, None, 0)
    assert (found.pieces(), found.distances, found.damaged) == (3, 3, [])
    kings = next(each for each in two.files if each.slice == Slice(0, 1, 0, 1))
    assert (kings.positions, kings.wins, kings.losses, kings.draws, kings.longest) == (992, 230, 108, 654, 11)


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

pieces      positions            win         loss         draw  longest   on disk  a position
     2          3,488            716          402        2,370       13    4.5 kB      1.30 B
     3        196,032        100,250       87,305        8,477       62  142.6 kB      0.73 B
     4  not there
     5  not there
     6  not there

What is missing is built by python main.py tablebase build --pieces 4, or the first player that uses tables."""


def test_text(whole: Path) -> None:
    text = take_inventory(whole).text().replace(str(whole), "FOLDER")
    sizes = re.compile(r" [ \d.]{5} (k?B)(?= |$)", re.MULTILINE)  # which follow from how files are packed
    assert sizes.sub(r" 00.0 \1", text) == sizes.sub(r" 00.0 \1", TEXT)


@pytest.mark.parametrize(
    ("width", "names"),
    [
        (80, "pieces positions win loss longest on disk"),
        (60, "pieces positions win longest on disk"),
        (40, "pieces positions longest on disk"),
    ],
)
def test_narrow_terminals_lose_columns_and_no_numbers(width: int, names: str, whole: Path) -> None:
    lines = take_inventory(whole).text(width).splitlines()
    assert " ".join(lines[2].split()) == names
    assert all(len(line) <= width for line in lines[2:7])
    assert "196,032" in lines[4] and " 62" in lines[4]


def test_json(whole: Path) -> None:
    found = json.loads(json.dumps(take_inventory(whole).as_json()))
    assert list(found) == ["folder", "pieces", "distances", "bytes", "damaged", "build", "tables"]
    assert (found["folder"], found["pieces"], found["distances"]) == (str(whole), 3, 3)
    assert found["bytes"] == sum(path.stat().st_size for path in whole.glob("*.table"))
    assert found["build"] == "python main.py tablebase build --pieces 4"
    assert [each["complete"] for each in found["tables"]] == [True, True, False, False, False]
    assert [len(each["slices"]) for each in found["tables"]] == [len(slices_of(each)) for each in range(2, 7)]
    assert found["tables"][0]["slices"][0] | {"bytes": 0} == {
        "slice": "0101", "positions": 992, "win": 230, "loss": 108, "draw": 654, "bytes": 0, "longest": 11, "fault": "",
    }  # fmt: skip
    assert found["tables"][2]["slices"][0]["fault"] == "missing"


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
        "2001": f"{strange}: is no file of tables",
        "0120": "missing",
    }


def test_what_is_damaged_is_named_and_not_believed(folder: Path) -> None:
    told = damage(folder)
    found = take_inventory(folder)
    faults = {each.slice.name: each.fault for group in found.groups[:2] for each in group.files if each.fault}
    assert faults.keys() == told.keys()
    assert all(faults[name].startswith(text) for name, text in told.items())
    assert (found.pieces(), found.groups[0].complete) == (0, False)
    assert sorted(each.slice.name for each in found.damaged) == ["0101", "1110", "2001"]
    assert len(found.as_json()["damaged"]) == 3
    text = found.text()
    assert "     2  3 of 4 files are there, 1 damaged\n" in text
    assert "     3  9 of 12 files are there, 2 damaged\n" in text
    assert f"\n{folder / '2001.table'}: is no file of tables\n" in text


def test_a_seventh_piece_is_told_where_there_is_one(folder: Path) -> None:
    (folder / "0403.table").write_text("x")
    found = take_inventory(folder)
    assert [each.pieces for each in found.groups] == [2, 3, 4, 5, 6, 7]
    assert f"     7  0 of {len(slices_of(7))} files are there, 1 damaged" in found.text()


def test_no_folder() -> None:
    found = take_inventory(None)
    assert found == Inventory(None, ())
    assert found.text().startswith("There is no folder for tables (CROWNHEAD_CACHE_DIR chooses one): ")
    assert (found.as_json()["folder"], found.as_json()["tables"]) == (None, [])


@pytest.mark.skipif(os.name != "posix", reason="permissions work otherwise here")
@pytest.mark.usefixtures("ordinary_rights")
def test_a_folder_that_may_not_be_entered_is_not_called_empty(
    folder: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_file, "tablebase_folder", lambda: folder)
    folder.chmod(0)
    try:
        assert main.main(["tablebase", "info"]) == 2
    finally:
        folder.chmod(0o700)
    assert capfd.readouterr() == ("", f"main.py: {folder}: cannot be read: Permission denied\n")


def test_the_verb(folder: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_file, "tablebase_folder", lambda: folder)
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
