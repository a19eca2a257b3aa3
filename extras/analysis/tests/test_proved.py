"""``analyse --proved``: moves that throw away a proved result, proofs of positions, wrong input."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import main
from game.endgame import table_file
from tests.cases import for_each
from tests.game.pdn.pdn_texts import read

WON = "W:WK15,20:BK28,12"
"""The First Position, which White wins by 15-19 and throws away by 15-11."""
GAME = f"""[Black "Ann"]
[White "Bob"]
[SetUp "1"]
[FEN "{WON}"]

1... 15-11 2. 12-16 1/2-1/2
"""


@pytest.fixture
def game(tmp_path: Path) -> Path:
    path = tmp_path / "game.pdn"
    path.write_text(GAME)
    return path


def test_a_move_that_throws_away_a_proved_win_is_marked_and_counted(
    game: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.pdn"
    assert main.main(["analyse", "--proved", "--pdn", str(game), "--out", str(out)]) == 0
    report = capsys.readouterr().out
    assert [line.split() for line in report.splitlines()[-2:]] == [
        ["Ann", "0", "of", "1", "0", "of", "1"],
        ["Bob", "1", "of", "1", "1", "of", "1"],
    ]
    assert "game 1  Black: no mistakes, threw away 0 of 1 proved results; White: 1 mistake (endgame 1), " in report
    text = " ".join(out.read_text().split())
    assert "15-11?? {Crownhead: blunder: from a won to a drawn position, proved; better 15-19" in text
    assert "judged by tables of up to " in text
    (annotated,) = read(out.read_text())
    assert [str(move) for move in annotated.moves] == ["15-11", "12-16"]


def test_counts_are_printed_as_json(game: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(["analyse", "--proved", "--pdn", str(game), "--nodes", "1000", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["proved"]["Bob"]["up to 4"] == {"moves": 1, "thrown_away": 1}
    assert result["games"][0]["review"]["proved"]["white"] == {"moves": 1, "thrown_away": 1}
    (mark,) = result["games"][0]["review"]["marks"]
    assert (mark["before"], mark["after"]) == ("win", "draw") and mark["line"].startswith("15-19")


def test_position_has_its_result_and_those_of_its_moves(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(["analyse", "--proved", "--fen", WON, "--json"]) == 0
    proved = json.loads(capsys.readouterr().out)
    moves = {each["move"]: each["result"] for each in proved["moves"]}
    assert proved["result"] == moves["15-19"] == "won" and moves["15-11"] == "drawn" and moves["20-16"] == "lost"
    assert proved["line"] == ["15-19"]
    assert main.main(["analyse", "--proved", "--fen", "B:W30,31,32,29,28,27,26:B1,2,3,4,5,6,7", "--nodes", "9"]) == 0
    assert "not settled, by tables of up to " in capsys.readouterr().out
    assert main.main(["analyse", "--proved", "--fen", "B:W:B1"]) == 0
    assert "won, by tables" in capsys.readouterr().out


def test_proofs_are_kept_for_the_next_call_and_shown_even_if_they_cannot_be(
    tables_in: Callable[[Path | None], None], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "tablebase").symlink_to(table_file.tablebase_folder() or tmp_path)
    tables_in(tmp_path / "tablebase")
    proofs, ask = tmp_path / "proofs", ["analyse", "--resume", "--nodes", "2000", "--fen", "W:W18,22,K30:B5,9,K12"]
    assert [main.main(ask), main.main(ask)] == [0, 0] and proofs.stat().st_size > 1000
    proofs.write_bytes(proofs.read_bytes()[:-1])
    capsys.readouterr()
    assert main.main(ask) == 2
    assert (
        capsys.readouterr().err == f"main.py: {proofs}: is damaged, or no file of proofs of this version; delete it\n"
    )
    proofs.unlink()
    (tmp_path / ".proofs.tmp").mkdir()
    assert main.main(ask) != 0 and "by tables of up to " in capsys.readouterr().out


@for_each(
    ("arguments", "message"),
    [
        (["crownhead", "--proved"], "PLAYER: not with --proved, which has tablebases and --nodes alone"),
        (["--proved", "--depth", "3"], "--depth: not with --proved, which has tablebases and --nodes alone"),
        (["--proved", "--nodes", "0"], "nodes: expected 1 or more, got 0"),
        (["--proved", "--fen", "W:W:B1"], "W:W:B1: there is no legal move, the game is over"),
    ],
)
def test_wrong_options_are_refused_in_one_line(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main.main(["analyse", *arguments]) == 2
    assert capsys.readouterr().err.strip() == f"main.py: {message}"
