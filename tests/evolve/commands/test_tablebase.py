"""The verb ``tablebase``: values as JSON and in words, and one line for what cannot be answered."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

import main
from game import terminal
from game.board import Position
from game.endgame.probe_report import too_many
from tests.notices import without_notice

Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str]) -> Call:
    """Runs the verb in this process: exit code, standard output, standard error."""

    def run(*arguments: str) -> tuple[int, str, str]:
        capfd.readouterr()
        try:
            code = main.main(["tablebase", *arguments])
        except SystemExit as end:
            assert isinstance(end.code, int)
            code = end.code
        out, err = capfd.readouterr()
        return code, out, without_notice(err)

    return run


# Probing ----------------------------------------------------------------------------------------------------------

CLASSICS = {
    "W:WK15,20:BK28,12": (  # First Position
        {"value": "win", "plies": 81},
        ["15-19 win 81", "15-18 win 85", "15-10 win 85", "15-11 draw None", "20-16 loss 4"],
    ),
    "W:W6,11:B3,K25": (
        {"value": "win", "plies": 93},
        ["6-1 win 93", "6-2 draw None", "11-8 loss 44", "11-7 loss 44"],
    ),
}


@pytest.mark.parametrize("fen", CLASSICS)
def test_json_has_the_values_and_plies_of_the_classics(fen: str, call: Call) -> None:
    code, out, err = call("probe", "--fen", fen, "--json")
    assert (code, err, out.count("\n")) == (0, "", 1)
    found = json.loads(out)
    assert list(found) == ["value", "plies", "moves"]
    verdict, moves = CLASSICS[fen]
    assert {name: found[name] for name in ("value", "plies")} == verdict
    assert all(list(each) == ["move", "value", "plies"] for each in found["moves"])
    assert [f"{each['move']} {each['value']} {each['plies']}" for each in found["moves"]] == moves


def test_losses_are_slowest_first_and_captures_are_moves(call: Call) -> None:
    found = json.loads(call("probe", "--fen", "B:WK23,K24:BK31", "--json")[1])
    assert found["value"] == "loss"
    plies = [each["plies"] for each in found["moves"]]
    assert plies == sorted(plies, reverse=True)
    assert plies[0] == found["plies"] and found["plies"] % 2 == 0
    found = json.loads(call("probe", "--fen", "B:W18:B14", "--json")[1])
    assert found == {"value": "win", "plies": 1, "moves": [{"move": "14x23", "value": "win", "plies": 1}]}


@pytest.mark.parametrize(("fen", "who"), [("W:W21:B14,17", "White"), ("W:W:B12", "White"), ("B:WK18:B", "Black")])
def test_a_side_that_cannot_move_has_lost(fen: str, who: str, call: Call) -> None:
    code, out, err = call("probe", "--fen", fen)
    assert (code, err) == (0, "")
    assert out.endswith(f"\n{who} has no legal move and has lost.\n")
    assert json.loads(call("probe", "--fen", fen, "--json")[1]) == {"value": "loss", "plies": 0, "moves": []}


TEXT = """
White to move (b w men, B W kings)
W:WK15,20:B12,K28

win in 81 plies, with perfect play of both sides
Plies are counted until the loser has no legal move, the next move being the first.

move   result for White
15-19  win in 81 plies
15-18  win in 85 plies
15-10  win in 85 plies
15-11  draw
20-16  loss in 4 plies
"""


@pytest.mark.parametrize("width", [None, 80, 60, 40])
def test_text_fits_the_terminal(width: int | None, call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evolve.commands.options.output_width", lambda: width)
    code, out, err = call("probe", "--fen", "W:WK15,20:BK28,12")
    assert (code, err) == (0, "")
    assert out.split("\n", 8)[0] == "    .1      .2      .3      .4"
    assert max(map(len, out.splitlines())) <= (width or 100)
    expected = TEXT if width is None else terminal.wrap_lines(TEXT, width)
    assert out.endswith(expected)


# Mistakes ---------------------------------------------------------------------------------------------------------

MISTAKES = {
    "": "main.py tablebase: the following arguments are required: ACTION (see main.py tablebase --help)",
    "prob": "main.py tablebase: argument ACTION: invalid choice: 'prob'",
    "probe": "main.py tablebase probe: the following arguments are required: --fen",
    "probe --fen": "main.py tablebase probe: argument --fen: expected one argument",
    "probe --fen ''": "main.py: '': a FEN starts with the side to move, B or W",
    "probe --fen X": "main.py: 'X': a FEN starts with the side to move, B or W",
    "probe --fen B:W1": "'B:W1': expected three parts",
    "probe --fen B:W33:B1": "squares are numbered 1 to 32",
    "probe --fen B:W5:B5": "W5: there are two pieces on square 5",
    "probe --fen B:W1:B": "main.py: W1: a man cannot stand on its own king row",
    "probe --fen W:WK30,K31,K32:BK1,K2,K3,K4": "main.py: W:WK30,K31,K32:BK1,K2,K3,K4: 7 pieces, and tables of up to ",
    "probe --fen B:W21-32:B1-12": "24 pieces, and tables of up to ",
}


@pytest.mark.parametrize("text", MISTAKES, ids=range(len(MISTAKES)))
def test_a_mistake_is_one_line_and_exit_code_2(text: str, call: Call) -> None:
    code, out, err = call(*(part.replace("''", "") for part in text.split()))
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert MISTAKES[text] in err


def test_what_has_too_many_pieces_says_what_builds_its_tables() -> None:
    five, seven = (Position.from_fen(fen) for fen in ("B:WK14,K22:B5,K13,K21", "W:WK30,K31,K32:BK1,K2,K3,K4"))
    assert too_many(five, 4) == (
        "B:WK14,K22:B5,K13,K21: 5 pieces, and tables of up to 4 are there; more are built by "
        "python main.py tablebase build --pieces 5"
    )
    assert too_many(seven, 4).endswith("7 pieces, and tables of up to 4 are there; they can be built for up to 6")


# Help -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "words"), [([], ["probe", "info"]), (["probe"], ["--fen FEN", "--json"]), (["info"], ["--json"])]
)
def test_help(arguments: list[str], words: list[str], call: Call) -> None:
    code, out, err = call(*arguments, "--help")
    assert (code, err) == (0, "")
    assert all(word in out for word in words)
