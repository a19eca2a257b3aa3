"""Games and reviews as pages: what they contain, errors, hostile texts and, for the check, their keys in Chromium."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

import main
from evolve.run.runs import SHIPPED_RUNS
from extras.export.game_page import game_page
from extras.export.tests.exported import FROM_ELSEWHERE, HOSTILE, data_of, in_chromium
from game.board import Position
from game.pdn.game import Annotation, Game
from game.review.judged import Mark, Review
from game.review.reviewing import Reviewing
from game.rules import BLACK
from tests.called import Call, call_program
from tests.gui.review_helpers import MOVES, WRONG, judged, moves_of

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
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
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
        (("-o", "x.html"), "expected FILE, a PDN file"),
        (("games.pdn", "--depth", "3", "-o", "x.html"), "--depth: only together with --review"),
        (("games.pdn", "--review", "--depth", "0", "-o", "x.html"), "--depth: expected 1 to "),
        (("games.pdn", "--review", "--player", "nobody", "-o", "x.html"), "player 'nobody': no run 'nobody'"),
        (("games.pdn", "--review", "--player", "random", "-o", "x.html"), "random: does not score moves"),
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


START = Position.start()
TAGS = (("Event", HOSTILE), ("Black", HOSTILE), ("White", HOSTILE))


def a_game(*notes: Annotation, tags: tuple[tuple[str, str], ...] = ()) -> Game:
    return Game(tags, START, tuple(moves_of(START, MOVES)), "0-1", notes)


def a_review() -> Review:
    """A review with two mistakes."""
    reviewing = Reviewing(START, moves_of(START, MOVES), 6)
    while (search := reviewing.next_search()) is not None:
        reviewing.learn(search, judged(reviewing.positions[search.index], search.index))
    return reviewing.review("the analyst")


def test_a_review_shows_better_moves() -> None:
    review = a_review()
    data = data_of(game_page(a_game(), review))
    marked = {ply: move for ply, move in enumerate(data["moves"], 1) if move["mark"]}
    assert list(marked) == list(WRONG)
    for ply, better in WRONG.items():
        first = marked[ply]["better"][0]
        before, after = data["positions"][ply - 1], first["position"]
        side = ("white", "black")[ply % 2]
        assert first["text"] == better and marked[ply]["mark"] in ("?", "??")
        assert set(before[side]) ^ set(after[side]) == set(first["path"]) == set(map(int, better.split("-")))
        assert any(f"better {better}" in note for note in data["notes"][ply])
    assert [move["better"] for ply, move in enumerate(data["moves"], 1) if ply not in WRONG] == [[]] * 8
    assert len(data["chances"]) == 11 and all(0 <= chance <= 100 for chance in data["chances"])
    for mark in review.marks:  # the curve and the note say the same
        own = data["chances"][mark.ply] if mark.side == BLACK else 100 - data["chances"][mark.ply]
        assert own == pytest.approx(100 * mark.after.points, abs=0.51)


def test_a_review_from_the_command_line(call: Call) -> None:
    Path("games.pdn").write_text(f'[Event "?"]\n[Result "0-1"]\n\n{MOVES} 0-1\n', encoding="utf-8")
    done = call("games.pdn", "--review", "--player", "first,tablebase=no", "--depth", "2", "-o", "game.html")
    assert done.code == 0 and done.out.startswith("game.html: 10 plies, ")
    data = data_of(Path("game.html").read_text(encoding="utf-8"))
    assert "judged by first,tablebase=no, 2 plies ahead" in data["notes"][0][0]
    assert None not in data["chances"]


def hostile_page() -> str:
    """Return the page of a game with scripts in every text."""
    remark = Annotation(1, "comment", HOSTILE.replace("}", ")").replace("{", "("))
    return game_page(a_game(remark, tags=TAGS), a_review())


def test_hostile_names_are_text_on_the_page_of_a_game() -> None:
    page = hostile_page()
    assert page.count("<script") == page.count("</script>") == 2 and "<img" not in page
    assert page.encode()


PRESS = "document.dispatchEvent(new KeyboardEvent('keydown', {{key: '{}'}})); {}".format
STATUS = "document.getElementById('status').textContent"


@pytest.mark.check
def test_the_review_in_the_browser(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(game_page(a_game(), a_review()), encoding="utf-8")
    keys = ("f", "b", "ArrowLeft", "ArrowRight", "ArrowRight", "b", "m", "b", "End", "b", "End")
    steps = [{"run": PRESS(key, STATUS)} for key in keys]
    wide = {"run": "document.documentElement.scrollWidth"}
    drawn = {"run": "[...document.querySelectorAll('#board g')].map((arrow) => arrow.className.baseVal)"}
    table = {"run": "[...document.querySelectorAll('#thoughts tr')].map((row) => row.cells[0].textContent)"}
    at = {"run": PRESS("F", "[...document.querySelectorAll('#board polyline')].map((at) => at.getAttribute('points'))")}
    first = {"size": [390, 844]}, drawn, table, at, at
    result = in_chromium(tmp_path / "a.html", *first, *steps, drawn, wide)
    arrows, rows, flipped, below, *status, late, width = result["results"]
    assert (arrows, late, rows) == (["bad", "good"], [], ["Black", "before", "after"])
    assert (flipped[1], below[1]) == ("1.5,2.5 2.3,3.3", "6.5,5.5 5.7,4.7"), "from 9 to 14"
    assert status[0].startswith("4. 15-18?"), "it begins at the first mistake"
    assert status[2].startswith("Instead of 4. 15-18?")
    assert status[1] == status[3] == "Better than 15-18: 4. 9-14" and status[4].startswith(status[3] + " ")
    assert status[5] == status[0] and status[6].startswith("4... 24-20?") and "27-23" in status[7]
    assert status[8].startswith("Better than 24-20: ") and status[9] == status[6]
    assert status[10].endswith(" White won.")
    assert width == 390 and result["errors"] == []


@pytest.mark.check
def test_an_inaccurate_move_has_lines_and_one_arrow_in_the_browser(tmp_path: Path) -> None:
    review = a_review()
    review = replace(review, marks=(replace(review.marks[0], mark=Mark.SLIP), *review.marks[1:]))
    (tmp_path / "a.html").write_text(game_page(a_game(), review), encoding="utf-8")
    shown = "[...document.querySelectorAll('#board g, #thoughts p, #thoughts th')].map((at) => at.textContent)"
    (shown,) = in_chromium(tmp_path / "a.html", {"run": f"go(7); {shown}"})["results"]
    assert shown[:3] == ["", "Inaccurate.", "Better 9-\u206014."] and shown[-4:] == ["Black", "win", "draw", "loss"]


@pytest.mark.check
def test_hostile_names_in_the_browser(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(hostile_page(), encoding="utf-8")
    text = in_chromium(
        tmp_path / "a.html",
        {"size": [390, 844]},
        {"run": "[document.querySelectorAll('script, img').length, document.querySelector('#facts dd').textContent]"},
        {"run": "document.documentElement.scrollWidth"},
    )
    assert text["results"] == [[2, HOSTILE.replace("\udcff", "?")], 390] and text["errors"] == []
