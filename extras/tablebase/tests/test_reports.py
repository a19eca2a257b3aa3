"""Reports about tablebases: which tables are there."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import main
from extras.tablebase.reports import take_inventory
from game.endgame import table_file
from game.endgame.build import build_values
from game.endgame.slices import slices_of
from tests.notices import without_notice


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
