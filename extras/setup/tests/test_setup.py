"""Positions that are set up: pieces, faults, text, and games from there."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from extras.setup.screen import SetUp
from extras.setup.setup import Setup
from game.board import Position
from game.rules import BLACK, WHITE
from gui.model.game import GameModel
from gui.model.lines import Piece
from gui.screens.individuals.chooser import Chooser
from gui.screens.play.play import Play
from tests import naive
from tests.gui.hands import Opened


def test_a_position_is_set_up_and_played(opened: Opened) -> None:
    hands = opened()
    hands.key("<set-up>")
    screen = hands.app.screen
    assert isinstance(screen, SetUp)
    hands.click("do.clear")
    assert hands.words[0] == "Not playable yet"
    hands.key("p")
    assert isinstance(hands.app.screen, SetUp)
    hands.click("tool.black-king")
    hands.touch(14)
    hands.key("3")
    hands.touch(18, 27)
    hands.touch(27)  # a second click removes it
    hands.key("0")
    hands.touch(22, 22)  # a man, then a king
    hands.drag(hands.at(22), hands.at(23))
    hands.click(hands.at(32), button=3)
    assert {s: tuple(p) for s, p in screen.setup.pieces.items()} == {
        14: (0, True),
        18: (1, False),
        23: (0, True),
        32: (0, True),
    }
    strip = hands.widget("opponent")
    assert strip.text.startswith("Against ")
    screen.ui.focus = "colour"
    hands.key("right")  # White
    assert (hands.widget("colour").chosen, hands.app.services.settings.colour) == (1, "white")
    hands.key("left")
    assert hands.widget("colour").chosen == 0
    hands.key("n")
    assert isinstance(hands.app.screen, Chooser)
    assert hands.widget("begin").names[hands.widget("begin").chosen] == "The position on the board"
    hands.key("escape")
    hands.drag(hands.at(32), (5, 400))  # off the board
    assert 32 not in screen.setup.pieces
    screen.ui.focus = "side"
    hands.key("right")
    assert hands.words[0] == "Ready to play"
    hands.key("ctrl+c")
    assert hands.app.services.clipboard.paste() == "W:W18:BK14,K23"
    hands.click("play")
    assert isinstance(hands.app.screen, Play)
    assert hands.game.model.start.fen() == "W:W18:BK14,K23"


def test_a_position_is_typed(opened: Opened) -> None:
    hands = opened()
    hands.key("<set-up>", "t", "ctrl+a")
    hands.type("B:W99:B1")
    hands.key("return")
    assert "99" in hands.widget("wrong").text
    hands.key("ctrl+a")
    hands.type("B:WK5:B1")
    hands.key("return")
    screen = hands.app.screen
    assert isinstance(screen, SetUp)
    assert screen.setup.position().fen() == "B:WK5:B1"
    hands.key("x")
    assert screen.setup.position().fen() == "W:W32:BK28"


@given(st.integers(0, 2**32))
def test_any_position_can_be_shown_and_comes_back(seed: int) -> None:
    for board in naive.random_boards(Random(seed), 6):
        position = Position.from_fen(board.fen())
        setup = Setup(position)
        assert setup.position() == position
        assert setup.pieces == GameModel(start=position).pieces()
        setup.turn_round()
        assert setup.position() == position.mirror()


def test_a_click_changes_a_square_to_the_next_piece() -> None:
    setup = Setup()
    setup.clear()
    seen = []
    for _ in range(5):
        setup.cycle(15)
        seen.append(setup.pieces.get(15))
    assert seen == [Piece(0, False), Piece(0, True), Piece(1, False), Piece(1, True), None]
    setup.cycle(0)
    setup.clear()
    setup.cycle(30)  # a man of Black cannot stand there
    assert setup.pieces == {30: Piece(BLACK, True)}


def test_dragging_moves_crowns_and_removes_pieces() -> None:
    setup = Setup()
    setup.move(9, 14)
    assert 9 not in setup.pieces and setup.pieces[14] == Piece(BLACK, False)
    setup.move(14, 0)
    assert 14 not in setup.pieces
    setup.move(14, 15)
    assert len(setup.pieces) == 23
    setup.move(1, 29)
    assert setup.pieces[29] == Piece(BLACK, True)


def test_faults_of_a_position_are_named() -> None:
    setup = Setup()
    assert setup.fault == ""
    setup.put(14, Piece(BLACK, False))
    assert setup.fault == "Black has 13 pieces; a side has at most 12."
    setup.clear()
    assert setup.fault == "Black has no pieces."
    setup.put(1, Piece(BLACK, False))
    assert setup.fault == "White has no pieces."
    setup.put(5, Piece(WHITE, False))
    setup.side = WHITE
    assert setup.fault == "White is to move and has no legal move."
    setup.side = BLACK
    assert setup.fault == ""


@given(st.lists(st.integers(0, 32), max_size=60))
def test_valid_positions_can_be_played_after_any_clicks(clicks: list[int]) -> None:
    setup = Setup()
    for square in clicks:
        setup.cycle(square)
        if not setup.fault:
            assert not GameModel(start=setup.position()).over
