"""The likes of a player: the worth of each piece on the board, the input of the network, and choosing the player."""

from __future__ import annotations

import pytest

from game import plain
from game.likes import Likes, SquareMap, likes
from game.players.basic import MaterialPlayer, RandomPlayer
from game.rules import BLACK, WHITE
from gui.model.game import GameModel
from gui.model.seats import HUMAN, Seat
from gui.screens.dialogs.dialog import Dialog, Menu
from gui.screens.play.play import Play
from gui.screens.play.watching import Watching
from gui.thinking.messages import Liked, LikesRequest
from tests.gui.hands import Hands, Opened
from tests.gui.rated_helpers import begun

OPPONENT = Seat("material", 4, 2.0, "Counter")
OTHER = Seat("random", 1, None, "Chance")
BOARD = tuple(tuple(float(8 * row + column) if (row + column) % 2 else None for column in range(8)) for row in range(8))


def table(hands: Hands, seats: tuple[Seat, Seat] = (HUMAN, OPPONENT), plies: int = 0) -> Hands:
    """Return a game against the fake, after these moves."""
    model = GameModel(seats)
    for _ in range(plies):
        model.play(plain.legal_moves(model.last)[0])
    hands.app.open(Play(hands.app, model) if HUMAN in seats else Watching(hands.app, model))
    hands.wait(0.1)
    return hands


def asked(hands: Hands) -> LikesRequest:
    request = hands.thinker.asked_likes[-1]
    assert isinstance(request, LikesRequest)
    return request


def tell(hands: Hands, result: Likes | None = None, trouble: str = "") -> Likes | None:
    """Let the fake answer the last request with the likes of the piece counter."""
    request = asked(hands)
    if result is None and not trouble:
        result = likes(MaterialPlayer(), request.position, request.side)
    hands.thinker.found.append(Liked(request, result, trouble))
    hands.wait(0.1)
    return result


def worth(hands: Hands) -> dict[int, str]:
    return {square: text for square, (text, _) in hands.board.marks.worth.items()}


@pytest.mark.parametrize("mouse", [False, True])
def test_pieces_show_their_worth(opened: Opened, mouse: bool) -> None:
    hands = table(opened())
    assert not hands.thinker.asked_likes
    switch = hands.widget("show.insight")
    assert not switch.chosen and "(I)" in switch.hint
    hands.click("show.insight") if mouse else hands.key("i")
    assert hands.widget("show.insight").chosen and hands.app.services.settings.panel == "insight"
    assert hands.widget("likes.basis").text == "One moment…"
    assert worth(hands) == {}
    request, model = asked(hands), hands.game.model
    assert (request.position, request.side, str(request.player)) == (model.shown, WHITE, "material")
    tell(hands)
    assert worth(hands) == {square: "+1.00" if square < 13 else "−1.00" for square in hands.board.pieces}
    assert hands.widget("likes.basis").text == "Counts pieces: a man 1, a king 1.5, wherever they stand."
    assert hands.widget("likes.unit").text == "On pieces: worth in men, + for Black"
    assert "likes.maps" not in hands.keys
    hands.key("i")
    assert "likes.basis" not in hands.keys and worth(hands) == {}


def test_no_piece_is_worth_a_zero_with_a_sign_and_men_are_named_where_they_are_counted(opened: Opened) -> None:
    hands = table(opened(panel="insight"))
    tell(hands, Likes("Some network", {1: 0.001, 2: -0.004, 21: -1.0}))
    assert worth(hands) == {1: "0.00", 2: "0.00", 21: "−1.00"}
    assert "in men" in hands.widget("likes.unit").text
    hands.touch(11, 15)
    tell(hands, Likes("Some network", {1: 0.001, 2: -0.25, 21: -1.0}, men=False))
    assert worth(hands) == {1: "0 %", 2: "−25 %", 21: "−100 %"}
    assert hands.widget("likes.unit").text == "On pieces: worth, + for Black, at most 100 %"


def test_they_follow_the_game_and_give_way_to_hands_and_flights(opened: Opened) -> None:
    hands = table(opened(panel="insight", animation="slow"), plies=2)
    tell(hands)
    assert len(worth(hands)) == 24
    hands.key("left")
    assert hands.board.marks.worth == {}  # for another position, and requested at once
    assert asked(hands).position == hands.game.model.shown
    tell(hands)
    assert len(worth(hands)) == 24
    hands.key("right")
    assert hands.game.flight is not None and worth(hands) == {}
    hands.settle()
    assert len(worth(hands)) == 24  # known from before
    assert len(hands.thinker.asked_likes) <= 3


def test_the_panel_stays_while_stepping_through_a_game(opened: Opened) -> None:
    hands = table(opened(panel="insight"), plies=3)
    tell(hands, Likes("Judges by units", {9: 0.5}, False, "Contributions of squares", (SquareMap("unit 1", BOARD),)))
    hands.key("left")
    hands.wait(0.1)
    assert hands.board.marks.worth == {} and hands.widget("likes.basis").text == "Judges by units."
    assert hands.widget("likes.maps").pictures
    hands.wait(1.0)  # after a longer wait, the panel says so
    assert hands.widget("likes.basis").text == "One moment…" and "likes.maps" not in hands.keys


def test_inputs_are_shown_by_square(opened: Opened) -> None:
    hands = table(opened(panel="insight"))
    maps = (SquareMap("unit 1", BOARD), SquareMap("unit 2", BOARD))
    tell(hands, Likes("Judges by units", {9: 0.5, 24: -1.25}, False, "Contributions of squares, seen by White", maps))
    assert worth(hands) == {9: "+0.50", 24: "−1.25"}
    assert hands.game.flipped  # Black at the bottom
    shown = hands.widget("likes.maps")
    assert shown.pictures[0].rows[7] == BOARD[0][::-1]
    assert shown.where(shown.pictures[0], 7, 6) == "square 1"
    hands.key("f")
    turned = hands.widget("likes.maps")
    assert turned.pictures[0].rows == BOARD
    assert turned.where(turned.pictures[0], 0, 1) == "square 1"
    assert hands.widget("likes.maps").pictures[0] is turned.pictures[0]  # it is not drawn again for each frame
    for _ in range(60):
        hands.key("tab")
        if hands.app.screen.ui.focus == "likes.maps":
            break
    hands.key("right", "right")
    pointed = hands.app.screen.ui.memory["likes.maps"]
    assert (pointed.picture, pointed.row, pointed.column) == (0, 0, 1)
    hands.click(turned.rect.centre)
    hands.picture()


def test_policies_show_shares_and_random_players_only_that(opened: Opened) -> None:
    hands = table(opened(panel="insight"))
    tell(hands, Likes("A policy", {9: 0.5, 24: 0.0}, True))
    assert worth(hands) == {9: "50 %", 24: "0 %"}
    assert hands.widget("likes.unit").text == "On pieces: effect on its choice"
    hands.game.go_to(0)
    hands = table(hands, (OTHER, HUMAN))
    assert str(asked(hands).player) == "random"
    tell(hands, likes(RandomPlayer(), asked(hands).position, BLACK))
    assert worth(hands) == {} and "likes.unit" not in hands.keys
    assert hands.widget("likes.basis").text == "Chooses at random; all moves, pieces and squares are equal to it."
    hands = table(hands, (HUMAN, OPPONENT), plies=2)
    tell(hands, trouble="nobody: no such player")
    assert hands.widget("likes.basis").text == "nobody: no such player"


def test_player_whose_values_are_shown_is_chosen(opened: Opened) -> None:
    hands = table(opened(panel="insight"), (OPPONENT, OTHER), plies=4)
    assert (str(asked(hands).player), asked(hands).side) == ("material", BLACK)
    assert hands.widget("liked").text == "Black: Counter"
    hands.key("shift+i")
    assert isinstance(hands.app.screen, Menu)
    names = [command.name for command in hands.app.screen.commands()]
    assert names == ["Black: Counter", "White: Chance", "Analyst: Piece counter"]
    hands.key("2")
    assert (str(asked(hands).player), asked(hands).side) == ("random", WHITE)
    hands.click("liked")
    hands.key("3")
    assert hands.widget("liked").text == "Analyst: Piece counter"
    hands.key("home")
    hands.wait(0.1)
    assert (asked(hands).side, asked(hands).position) == (BLACK, hands.game.model.start)
    recorded = GameModel()
    hands.app.open(Play(hands.app, recorded, recorded=True))
    hands.wait(0.1)
    assert hands.widget("liked").text == "Analyst: Piece counter"  # no other player is a program


def test_a_rated_game_shows_it_only_after_a_question(opened: Opened) -> None:
    hands = begun(opened, panel="insight")
    play = hands.app.screen
    assert isinstance(play, Play)
    assert "likes.basis" not in hands.keys and not hands.thinker.asked_likes
    hands.key("i")
    assert isinstance(hands.app.screen, Dialog)
    hands.key("escape")
    assert play.rated.counts and "likes.basis" not in hands.keys
    hands.click("show.insight")
    hands.key("ctrl+return")
    assert not play.rated.counts and "likes.basis" in hands.keys
