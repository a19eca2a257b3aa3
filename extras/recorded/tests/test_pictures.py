"""Pictures of positions (``pdn picture``)."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from extras.export.svg import board_svg
from game.board import Position
from tests.called import Call, call_program
from tests.gui.review_helpers import MOVES


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
