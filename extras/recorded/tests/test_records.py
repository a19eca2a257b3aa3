"""Records of games beside plain reading, faults in variations, reports, and ``pdn picture``."""

from __future__ import annotations

import io
from functools import partial
from pathlib import Path

import pytest

import main
from extras.export.svg import board_svg
from extras.recorded import check
from game.board import Position
from game.errors import InputError
from game.pdn.game import PdnError
from tests.called import Call, call_program
from tests.cases import for_each
from tests.game.pdn.pdn_texts import (
    DATA,
    ENCODED,
    NOTHING,
    SOUND,
    Record,
    codes,
    damaged_files,
    faults,
    path_text,
    records,
    rows,
)
from tests.gui.review_helpers import MOVES

FORMS = tuple("\n".join(codes(text)) for name in ("games", "faults") for text, *_ in rows(name))
FILES = ("annotated.pdn", "faulty.pdn")


def is_read_like_plain_text(data: bytes) -> None:
    expected = records(data)
    result = check.read_records(io.BytesIO(data))
    assert [Record(each.number, each.line, each.game, each.faults, each.whole) for each in result] == expected
    report = check.check(io.BytesIO(data))
    games = [record.game for record in expected if record.game is not None]
    assert report.errors == (faults(data) if expected else [check.NO_GAMES])
    assert (report.games, report.plies) == (len(expected), sum(len(game.moves) for game in games))
    assert sum(record.whole for record in expected) <= report.legal_games <= report.games
    assert sum(report.results.values()) == report.games
    assert all(sum(game.result == each for game in games) <= count for each, count in report.results.items())


@for_each("text", FORMS)
def test_forms_of_games_are_read_like_plain_text(text: str) -> None:
    is_read_like_plain_text(text.encode())


@pytest.mark.parametrize("name", FILES)
def test_files_are_read_like_plain_text(name: str) -> None:
    is_read_like_plain_text((DATA / name).read_bytes())


def test_damaged_files_are_read_like_plain_text() -> None:
    for data in damaged_files(60):
        is_read_like_plain_text(data)


def test_a_report_counts_games_plies_and_results() -> None:
    report = check.check(DATA / "faulty.pdn")
    assert (report.games, report.legal_games, report.plies) == (9, 4, 7 + 1 + 2 + 2 + 1 + 0 + 2 + 1 + 1)
    assert report.results == {"1-0": 2, "0-1": 2, "1/2-1/2": 1, "*": 4}


def test_one_game_of_a_file_is_loaded_strictly(tmp_path: Path) -> None:
    path = tmp_path / "gämes.pdn"
    path.write_text(SOUND + "11-15\n  22-19 1-0\n" + SOUND.replace("9-14", "9-13"), encoding="utf-8")
    first, third = check.load_record(path).game, check.load_record(str(path), 3).game
    assert first is not None and third is not None
    assert (path_text(first), path_text(third)) == ("9-14 22-18", "9-13 22-18")
    with pytest.raises(PdnError) as caught:
        check.load_record(path, 2)
    assert str(caught.value).startswith(f"{path}:7: game 2, ply 2: 22-19: not legal in W:")
    assert "legal moves: " in str(caught.value)
    assert (caught.value.file, isinstance(caught.value, InputError)) == (str(path), True)
    with pytest.raises(PdnError, match="there is no game 4, the file has 3"):
        check.load_record(path, 4)
    with pytest.raises(PdnError, match="counted from 1"):
        check.load_record(path, 0)


@pytest.mark.parametrize("text", NOTHING)
def test_a_file_without_games_has_one_fault(text: str) -> None:
    report = check.check(io.StringIO(text))
    assert (report.games, [str(fault) for fault in report.errors]) == (0, ["1: no games found"])
    with pytest.raises(PdnError, match=r"^stream:1: no games found$"):
        check.load_record(io.StringIO(text))


def test_a_long_file_shows_progress() -> None:
    shown: list[int] = []
    check.check(io.StringIO("1. 11-15 *\n" * 200), progress=shown.append)
    assert shown == [64, 128, 192]


@for_each(("encoding", "expected"), rows("encodings"))
def test_files_in_unknown_encodings_are_refused(encoding: str, expected: str, tmp_path: Path) -> None:
    path = tmp_path / "games.pdn"
    path.write_bytes(ENCODED.encode(codes(encoding)[0]))
    if expected.startswith("refused"):
        with pytest.raises(PdnError, match=codes(expected.partition(":")[2])[0]):
            check.check(path)
    else:
        assert check.check(path).errors == []


def test_each_broken_variation_inside_another_is_a_fault(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "games.pdn"
    inner = "(23-19 11-16 (22-17x 3-3) 3. 1-32)"
    file.write_text(f"1. 11-15 (9-14 23-18 {inner} 14x23) (10-14 24-20 (1-9)) 23-19 *\n")
    assert main.main(["pdn", "check", str(file)]) == 2
    lines = capsys.readouterr().out.splitlines()[-4:]
    assert lines[0].split() == ["errors", "3"]
    broken = ("23-19 11-16 (22-17x 3-3) 3. 1-32", "22-17x 3-3", "1-9")
    assert [line.split("variation ")[1].split(": ")[0] for line in lines[1:]] == [repr(text) for text in broken]


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Call:
    monkeypatch.chdir(tmp_path)
    Path("games.pdn").write_text(f'[Event "?"]\n\n{MOVES} *\n', encoding="utf-8")
    return partial(call_program, capfd, "pdn", "picture")


def test_a_position_from_the_command_line(call: Call) -> None:
    assert call("games.pdn", "--ply", "1", "-o", "a.svg").out.startswith("a.svg: W:W21,")
    assert call("games.pdn", "--ply", "0", "--flip", "-o", "b.svg").code == 0
    assert Path("b.svg").read_text(encoding="utf-8") == board_svg(Position.start(), 400, flipped=True)
    assert "B:W21" in Path("b.svg").read_text(encoding="utf-8")
    for options in ((), ("--flip",)):
        assert call("--fen", "B:W18,K10:B12", "-o", f"{len(options)}.png", "--size", "200", *options).code == 0
    one, other = Path("0.png").read_bytes(), Path("1.png").read_bytes()
    assert one.startswith(b"\x89PNG\r\n") and one[16:24] == (200).to_bytes(4, "big") * 2 and one != other


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("games.pdn", "-o", "x.gif"), "x.gif: expected a name that ends in .png or .svg"),
        (("-o", "x.png"), "expected FILE, a PDN file, or --fen with a position"),
        (("games.pdn", "--fen", "B:W18:B1", "-o", "x.png"), "FILE: not with --fen"),
        (("--fen", "B:W18:B1", "--ply", "3", "-o", "x.png"), "--ply: not with --fen"),
        (("--fen", "x", "-o", "x.png"), "x"),
        (("games.pdn", "--ply", "11", "-o", "x.png"), "--ply: expected 0 to 10, got 11"),
        (("games.pdn", "--size", "9", "-o", "x.svg"), "--size: expected 120 to 1600 pixels, got 9"),
    ],
)
def test_mistakes_are_one_line(arguments: tuple[str, ...], error: str, call: Call) -> None:
    done = call(*arguments)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert error in done.err
    assert [path.name for path in Path().iterdir()] == ["games.pdn"]
