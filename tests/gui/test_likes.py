"""The worth of each piece on the board, and what the numbers mean."""

from __future__ import annotations

import pytest

from game import plain
from game.board import Position
from game.likes import Likes, likes
from game.players.basic import MaterialPlayer, RandomPlayer
from gui.model.game import GameModel
from gui.model.seats import HUMAN, Seat
from gui.screens.dialogs.dialog import Dialog
from gui.screens.play.play import Play
from gui.thinking.messages import SideResult, SideWork
from tests.gui.hands import Hands, Opened
from tests.gui.rated_helpers import begun

OPPONENT = Seat("material", 4, 2.0, "Counter")
OTHER = Seat("random", 1, None, "Chance")


def table(hands: Hands, seats: tuple[Seat, Seat] = (HUMAN, OPPONENT), plies: int = 0) -> Hands:
    model = GameModel(seats)
    for _ in range(plies):
        model.play(plain.legal_moves(model.last)[0])
    hands.app.open(Play(hands.app, model))
    hands.wait(0.1)
    return hands


def asked(hands: Hands) -> SideWork:
    return hands.thinker.asked_likes[-1]


def player(hands: Hands) -> str:
    return str(asked(hands).arguments[1])


def position(hands: Hands) -> Position:
    asked_for: Position = asked(hands).arguments[2]
    return asked_for


def tell(hands: Hands, result: Likes | None = None, trouble: str = "") -> None:
    """Let the fake answer the last request with the likes of the piece counter."""
    if result is None and not trouble:
        result = likes(MaterialPlayer(), position(hands))
    hands.thinker.done[asked(hands)] = SideResult(asked(hands), result, trouble)
    hands.wait(0.1)


def worth(hands: Hands) -> dict[int, str]:
    return {square: text for square, (text, _) in hands.board.marks.worth.items()}


@pytest.mark.parametrize("mouse", [False, True])
def test_pieces_show_their_worth(opened: Opened, mouse: bool) -> None:
    hands = table(opened())
    assert not hands.thinker.asked_likes
    if mouse:
        hands.click("do.menu")
        hands.click("menu.worth")
    else:
        hands.key("i")
    assert hands.app.services.settings.worth
    assert "One moment…" in hands.words[1] and worth(hands) == {}
    assert (position(hands), player(hands)) == (hands.game.model.shown, "material")
    tell(hands)
    assert worth(hands) == dict.fromkeys(hands.board.pieces, "1.00")
    assert hands.widget("status").hint == "Worth in men, says Counter."
    hands.key("i")
    assert worth(hands) == {} and not hands.app.services.settings.worth


def test_no_piece_is_worth_a_zero_with_a_sign_and_men_are_named_where_they_are_counted(opened: Opened) -> None:
    hands = table(opened(worth=True))
    tell(hands, Likes("Some network", {1: 0.001, 2: -0.004, 21: 1.0, 22: -1.0}))
    assert worth(hands) == {1: "0.00", 2: "0.00", 21: "−1.00", 22: "1.00"}
    hands.touch(11, 15)
    tell(hands, Likes("Some network", {1: 0.001, 2: -0.25, 21: -1.0}, men=False))
    assert worth(hands) == {1: "0 %", 2: "−25 %", 21: "100 %"}
    assert hands.widget("status").hint == "Worth at most 100 %, says Counter."


def test_they_follow_the_game_and_give_way_to_hands_and_flights(opened: Opened) -> None:
    hands = table(opened(worth=True, animation="slow"), plies=2)
    tell(hands)
    assert len(worth(hands)) == 24
    hands.key("left")
    assert hands.board.marks.worth == {}  # for another position, and requested at once
    assert position(hands) == hands.game.model.shown
    tell(hands)
    assert len(worth(hands)) == 24
    hands.key("right")
    assert hands.game.flight is not None and worth(hands) == {}
    hands.settle()
    assert len(worth(hands)) == 24  # known from before
    assert len(hands.thinker.asked_likes) <= 3


def test_a_hint_hides_the_numbers_and_their_sentence(opened: Opened) -> None:
    hands = table(opened(worth=True))
    tell(hands)
    hands.key("h")
    hands.wait(0.1)
    hands.thinker.answer(2)
    hands.wait(0.1)
    assert hands.board.marks.hint and worth(hands) == {} and "Worth" not in hands.widget("status").hint


def test_without_a_worth_of_pieces_there_is_a_reason(opened: Opened) -> None:
    hands = table(opened(worth=True))
    hands = table(hands, (OTHER, HUMAN))
    assert player(hands) == "random"
    tell(hands, likes(RandomPlayer(), position(hands)))
    assert worth(hands) == {}
    assert hands.widget("status").hint == "Chooses at random; all moves, pieces and squares are equal to it."
    hands = table(hands, (HUMAN, OPPONENT), plies=2)
    tell(hands, trouble="nobody: no such player")
    assert hands.widget("status").hint == "nobody: no such player"


def test_it_is_that_of_the_first_program_or_of_the_analyst(opened: Opened) -> None:
    hands = table(opened(worth=True), (OPPONENT, OTHER), plies=4)
    assert player(hands) == "material"
    hands.app.open(Play(hands.app, GameModel(), recorded=True))
    hands.wait(0.1)
    assert player(hands) == str(hands.game.table.analyst.name)


def test_a_rated_game_shows_it_only_after_a_question(opened: Opened) -> None:
    hands = begun(opened, worth=True)
    play = hands.app.screen
    assert isinstance(play, Play)
    assert not hands.thinker.asked_likes
    hands.key("i")
    assert isinstance(hands.app.screen, Dialog)
    hands.key("escape")
    assert play.rated.counts and not hands.thinker.asked_likes
    hands.key("i", "ctrl+return")
    assert not play.rated.counts and hands.thinker.asked_likes
