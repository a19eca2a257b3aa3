"""Replay of whole files: bounds of memory, the command line, real games."""

from __future__ import annotations

import io
import json
import os
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest

import main
from evolve.run.runs import SHIPPED_RUNS
from extras.recorded import check
from extras.recorded.analyst import open_analyst
from game import plain
from game.board import Position
from game.errors import one_line
from game.moves import parse_move
from game.pdn import game as pdn_game
from game.pdn import lexer
from game.review.chances import score_chances
from game.search.interface import Limits
from tests.called import without_notice
from tests.game.pdn.pdn_texts import DATA, SOUND, random_game, records, written

ROOT = Path(__file__).parents[3]
ACF = Path(os.environ.get("CROWNHEAD_ACF") or ROOT.parent / "shared" / "data" / "acf.pdn")


class Repeated(io.RawIOBase):
    """A stream that repeats a text and holds it once."""

    def __init__(self, text: bytes, times: int) -> None:
        self._text, self._left = text, times

    def read(self, size: int = -1) -> bytes:  # type: ignore[override]
        times = min(self._left, max(1, size // len(self._text)))
        self._left -= times
        return self._text * times


@pytest.mark.parametrize(
    "text",
    [
        "{" + "a" * 300_000 + "}",
        "11-15 " + "{abcdefgh} " * 20_000,
        "1-6 32-28 6-1 28-32 " * 10_000,
        "(" * 300_000,
        "$1 " * 40_000,
    ],
)
def test_a_game_is_bounded(text: str, limit: Callable[..., None]) -> None:
    limit(lexer, "LIMIT", 1 << 17)
    limit(pdn_game, "LIMIT", 1 << 17)
    report = check.check(io.StringIO(f'[Event "a"]\n[FEN "B:WK32:BK1"]\n{text}\n{SOUND}'))
    assert (report.games, report.legal_games) == (2, 1)
    message = report.errors[0].message
    assert "no closing" in message or (
        "longer than" in message and "(its characters, and 32 bytes for each move, tag and note)" in message
    )


def test_errors_are_bounded(limit: Callable[..., None]) -> None:
    limit(check, "MOST_ERRORS", 7)
    report = check.check(io.StringIO('[Event "x"]\n11-14 0-0\n' * 9))
    assert (len(report.errors), report.errors_left_off) == (7, 11)


def test_memory_is_constant() -> None:
    text = SOUND.encode() + b'[Event "x"]\n11-15 {' + b"comment " * 100 + b"} 23-19 (24-20) 1-0\n"
    peaks = []
    check.check(Repeated(text, 1))  # loads the compiled code
    for times in (250, 1_000):
        tracemalloc.start()
        report = check.check(Repeated(text, times))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert (report.games, report.errors) == (2 * times, [])
    assert peaks[1] < 1.2 * peaks[0] < 4_000_000


def test_blocks_do_not_show(limit: Callable[..., None]) -> None:
    """Tokens at the borders of what was read: the same games whatever is read at once."""
    random = Random(7)
    text = "".join(written(random_game(random)) for _ in range(40)) + (DATA / "faulty.pdn").read_text()
    assert len(text) > 4 * lexer.AHEAD
    whole = records(text)
    for block in (1, 777):
        limit(lexer, "BLOCK", block)
        assert records(text) == whole
        assert records(text.replace("\n", "\r\n").encode()) == whole


def test_an_ambiguous_move_differs_from_an_illegal_one() -> None:
    report = check.check(io.StringIO('[FEN "B:W7,14,15,22,23,24:BK10"] 10x28 * [FEN "W:WK26:B22,23,14,15"] 26x25 *'))
    assert ["ambiguous" in fault.message for fault in report.errors] == [True, False]
    ways = "10x17x26x19x28, 10x19x28"
    assert report.errors[0].message.startswith(f"10x28: ambiguous, could be {ways}")


def _run(*arguments: str) -> int:
    return main.main(["pdn", "check", *arguments])


def test_the_command_prints_aligned_totals(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "two.pdn"
    path.write_text("1. 11-15 (11-16 {also} 22-18) 23-19 *\n\n1. 9-13 1-0\n")
    assert _run(str(path)) == main.DONE
    shown = capsys.readouterr()
    assert without_notice(shown.err) == ""
    assert shown.out.splitlines()[0].split() == ["games", "2"]
    assert len({len(line) for line in shown.out.splitlines()}) == 1


def test_games_are_read_from_standard_input(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("annotated.pdn", "faulty.pdn"):
        code = _run(str(DATA / name))
        expected = capsys.readouterr().out.replace(str(DATA / name), "<stdin>")
        with open(DATA / name, encoding="utf-8") as stream:
            stream.buffer.raw.name = "<stdin>"
            monkeypatch.setattr("sys.stdin", stream)
            assert _run("-") == code
        assert capsys.readouterr().out == expected
    monkeypatch.setattr("sys.stdin", None)
    assert _run("-") == main.MISTAKE
    assert capsys.readouterr().err == "main.py: FILE: - is standard input, which is closed\n"


def test_losses_are_means_by_phase(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "games.pdn"
    file.write_text(f'{SOUND}[Event "Short"]\n[Result "*"]\n[FEN "B:W22,26,32:B14,10,5"]\n\n1. 14-17 22x13 *\n')
    assert main.main(["pdn", "check", str(file), "--losses", "--json"]) == 0
    losses = json.loads(capsys.readouterr().out)["losses"]
    assert [losses[phase]["moves"] for phase in ("opening", "middle game", "endgame")] == [2, 0, 1]
    analyst, start = open_analyst(None, SHIPPED_RUNS), Position.start()
    for name, played in (("opening", "9-14 22-18"), ("endgame", "14-17")):
        position, lost = start if name == "opening" else Position.from_fen("B:W22,26,32:B14,10,5"), list[float]()
        for text in played.split():
            lines = analyst.look(position, (), Limits(nodes=2000)).lines
            chances = {str(line.move): score_chances(position, line.score, line.verdict).points for line in lines}
            lost.append(max(chances.values()) - chances[text])
            position = plain.apply(position, parse_move(position, text))
        assert losses[name]["loss"] == pytest.approx(sum(lost) / len(lost)) and lost[-1] >= 0
    assert main.main(["pdn", "check", str(file), "--losses"]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()[-4:]]
    assert rows[0] == ["phase", "moves", "loss", "a", "move"] and rows[2] == ["middle", "game", "0", "–"]
    assert rows[3] == ["endgame", "1", f"{losses['endgame']['loss']:.2%}"]


def test_the_command_prints_faults_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(str(DATA / "faulty.pdn"), "--json") == main.MISTAKE
    result = json.loads(capsys.readouterr().out)
    names = ["games", "legal_games", "plies", "results", "errors"]
    assert list(result) == names
    assert result["errors"][1] == {
        "game": 3,
        "line": 16,
        "ply": 3,
        "message": "the comment that starts here with { has no closing }: add it",
    }


def test_a_command_without_a_terminal_shows_no_progress_of_a_short_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "games.pdn"
    path.write_text("1. 11-15 *\n" * 200)
    assert _run(str(path)) == main.DONE
    assert capsys.readouterr().err == ""


def test_command_shows_twenty_errors(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "bad.pdn"
    path.write_text("11-14 *\n" * 23)
    assert _run(str(path)) == main.MISTAKE
    lines = capsys.readouterr().out.splitlines()
    assert lines[-22].split() == ["errors", "23"]
    assert lines[-21].startswith(f"{path}:1: game 1, ply 1: 11-14: not legal in B:")
    assert lines[-2].startswith(f"{path}:20: game 20, ply 1: ")
    assert lines[-1] == "... and 3 more"


def _unusable(folder: Path) -> Iterator[tuple[Path, str]]:
    yield folder / "nowhere.pdn", "there is no such file"
    yield folder, "is a folder, expected a PDN file"
    binary = folder / "binary.pdn"
    binary.write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00")
    yield binary, "is not a text file (expected PDN as UTF-8 text)"
    wide = folder / "wide.pdn"
    wide.write_text(SOUND, encoding="utf-16-be")
    yield wide, "is text in UTF-16 without its mark: save it as UTF-8"
    yield folder / "a\0b", "cannot be opened: embedded null byte"


def test_unusable_files_are_refused_with_a_reason(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for path, reason in _unusable(tmp_path):
        assert _run(str(path), "--json") == main.MISTAKE
        shown = capsys.readouterr()
        assert (shown.out, shown.err) == ("", f"main.py: {one_line(str(path))}: {reason}\n")


def test_an_empty_file_has_no_games(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "empty.pdn"
    path.touch()
    assert _run(str(path)) == main.MISTAKE
    assert capsys.readouterr().out.splitlines()[-1] == f"{path}:1: no games found"


@pytest.mark.acf
def test_the_games_of_the_federation_are_legal() -> None:
    if not ACF.is_file():
        pytest.skip(f"no file {ACF} (set CROWNHEAD_ACF to the path of acf.pdn)")
    report = check.check(ACF)
    assert (report.games, report.legal_games, report.errors) == (9_377, 9_377, [])
    assert report.plies == 460_287
    assert report.results == {"1-0": 1_597, "0-1": 2_373, "1/2-1/2": 5_407, "*": 0}
