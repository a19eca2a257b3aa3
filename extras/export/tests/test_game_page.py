"""Games as pages: what a page contains, hostile texts and, for the check, its keys in Chromium."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

import pytest

import main
from evolve.run.runs import SHIPPED_RUNS
from extras.export.tests.exported import FROM_ELSEWHERE, data_of, in_chromium
from tests.called import Call, call_program

GAME = """[Event "A match"]
[Date "????.??.??"]
[Round "?"]
[Black "Ada"]
[White "league@40:Gen40_0173, depth 6, 5 s"]
[Result "0-1"]

{+0.06 depth 6} 1. 11-15 23-19 2. 8-11? {Crownhead: mistake: from even to losing; better 9-14} (2. 9-14 22-17)
22-17 3. 15-18 $6 $10 19-15 4. 10x19?? 24x8 0-1
"""


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Call:
    monkeypatch.chdir(tmp_path)
    second = '[Event "?"]\n[FEN "W:W18:BK1"]\n\n1. 18-15 *\n'
    broken = '[Event "?"]\n\n1. 11-15 11-15 *\n'
    Path("games.pdn").write_text("\n".join((GAME, second, broken)), encoding="utf-8")
    return partial(call_program, capfd, "pdn", "html")


def test_a_page_has_the_game_and_needs_nothing_else(call: Call) -> None:
    done = call("games.pdn", "-o", "game.html")
    assert (done.code, done.err) == (0, "") and done.out.startswith("game.html: 8 plies, ")
    page = Path("game.html").read_text(encoding="utf-8")
    assert not re.search(FROM_ELSEWHERE, page) and "default-src 'none'" in page
    data = data_of(page)
    foe = "Generation 40 of league"
    assert (data["title"], data["result"], data["tags"]) == (f"Ada against {foe}", "White won.", [["Event", "A match"]])
    assert data["says"] == ["A match", "Centre, ballot 126"]
    assert data["players"] == [["Ada", "", "0"], [foe, "Gen40_0173, depth 6, 5 s", "1"]] and data["first"] == 0
    assert [(move["number"], move["text"], move["mark"]) for move in data["moves"]][2:7:2] == [
        ("2.", "8-11", "?"),
        ("3.", "15-18", "?!"),
        ("4.", "10x19", "??"),
    ]
    assert data["notes"][0] == ["Evaluation +0.06 at depth 6."]
    assert data["notes"][3] == ["Mistake: from even to losing; better 9-14", "(2. 9-14 22-17)"]
    assert data["positions"][1]["black"] == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15]


def test_a_game_of_a_run_names_players_as_the_window_does(call: Call) -> None:
    games = SHIPPED_RUNS / "first" / "champions.pdn"
    assert call(str(games), "-o", "game.html").code == 0
    title = data_of(Path("game.html").read_text(encoding="utf-8"))["title"]
    assert title == "Generation 0 of first against Gen00_0004 of first"
    Path("own.pdn").write_text('[Event "Match of people"]\n[Black "people,strength=4,depth=2"]\n\n1. 11-15 *\n')
    assert call("own.pdn", "-o", "game.html").code == 0
    data = data_of(Path("game.html").read_text(encoding="utf-8"))
    assert data["players"][0] == ["As people play", "strength 4, depth 2", ""] and data["says"] == []


def test_a_game_that_white_begins(call: Call) -> None:
    assert call("games.pdn", "--game", "2", "-o", "game.html").code == 0
    data = data_of(Path("game.html").read_text(encoding="utf-8"))
    assert [move["number"] for move in data["moves"]] == ["1..."]
    assert data["positions"] == [
        {"black": [1], "white": [18], "kings": [1]},
        {"black": [1], "white": [15], "kings": [1]},
    ]


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("games.pdn", "-o", "x.gif"), "x.gif: expected a name that ends in .html"),
        (("none.pdn", "-o", "x.html"), "none.pdn: there is no such file"),
        (("games.pdn", "-o", "x.html", "--game", "3"), "games.pdn"),
        (("games.pdn", "-o", "x.html", "--game", "4"), "games.pdn: there is no game 4, the file has 3"),
        (("games.pdn", "-o", "none/x.html"), "none/"),
    ],
)
def test_mistakes_are_one_line(arguments: tuple[str, ...], error: str, call: Call) -> None:
    done = call(*arguments)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert error in done.err
    assert [path.name for path in Path().iterdir()] == ["games.pdn"]


def test_a_page_of_a_game_that_cannot_be_read_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, page = tmp_path / "game.pdn", tmp_path / "game.html"
    path.write_text("1. 11-15 nonsense 1-0\n")
    assert main.main(["pdn", "html", str(path), "-o", str(page)]) == main.MISTAKE
    assert f"{path}:1: game 1, ply 2: 'nonsense'" in capsys.readouterr().err
    assert not page.exists()


@pytest.mark.check
def test_the_keys_in_the_browser(call: Call, tmp_path: Path) -> None:
    assert call("games.pdn", "-o", "game.html").code == 0
    press = "document.dispatchEvent(new KeyboardEvent('keydown', {{key: '{}', shiftKey: {}}}))".format
    status, keys = "document.getElementById('status').textContent", (("m", "false"), ("m", "false"), ("m", "false"))
    back = ("M", "true")
    steps = [{"run": f"{press(key, shift)}; {status}"} for key, shift in (*keys, back, ("Home", "false"), back)]
    wide = {"run": "document.documentElement.scrollWidth"}
    lost = {"run": "[...element('taken').children].map((side) => [side.ariaLabel, side.childElementCount])"}
    numbers = {"run": "[...document.querySelectorAll('.number')].filter((each) => each.checkVisibility()).length"}
    result = in_chromium(tmp_path / "game.html", {"size": [390, 844]}, *steps, wide, lost, numbers)
    fourth, second = "4. 10×19??, a blunder.", "2. 8-11?, a mistake."
    assert result["results"][:-2] == [second, fourth, second, fourth, "Black begins.", fourth, 390]
    taken, seen = result["results"][-2:]
    assert taken == [["Black has lost 0", 0], ["White has lost 1", 1]]
    assert seen == 32 - 23, "a phone has no room for the number of a square below a piece"
    assert result["errors"] == []
