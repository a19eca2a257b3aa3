"""Whole games through the widgets, won, lost and drawn, and actions between two moves."""

from __future__ import annotations

from pathlib import Path

import pytest

from evolve.strength.levels import LEVELS
from game import plain
from game.board import Position
from gui.geometry import Size
from gui.model.game import GameModel
from gui.model.seats import HUMAN, Seat
from gui.screens.dialogs.dialog import Dialog, Prompt
from gui.screens.home import Home
from gui.screens.play.play import BUTTONS, Play
from gui.thinking.messages import Purpose
from tests.gui.hands import Hands, Opened
from tests.gui.rated_helpers import SHIPPED
from tests.gui.review_helpers import tell_finders, think

OPPONENT = Seat("material", 4, 2.0, "Counter")


def table(hands: Hands, fen: str | None = None, *, white: bool = False) -> Hands:
    seats = (OPPONENT, HUMAN) if white else (HUMAN, OPPONENT)
    start = Position.start() if fen is None else Position.from_fen(fen)
    hands.app.open(Play(hands.app, GameModel(seats, start)))
    hands.wait(0.1)
    return hands


def test_a_newcomer_has_moved_after_one_key_and_two_clicks(opened: Opened) -> None:
    hands = opened()
    hands.key("return")
    assert isinstance(hands.app.screen, Play)
    hands.touch(11, 15)
    assert [str(ply.move) for ply in hands.game.model.plies] == ["11-15"]
    assert hands.thinker.asked[-1].purpose is Purpose.MOVE
    assert hands.words[0].endswith("is thinking")
    assert hands.thinker.asked[-1].seed == hands.game.model.seed > 0  # the opponent plays differently each time


def test_a_game_is_won_through_the_widgets(opened: Opened) -> None:
    hands = table(opened(), "B:W26,K8:B22,4,3")
    hands.touch(3)  # it can capture in two ways
    assert set(hands.board.marks.targets) == {12}
    hands.touch(12)
    assert 8 not in hands.board.pieces
    hands.answer()  # 26x17: its only move
    assert [str(ply.move) for ply in hands.game.model.plies] == ["3x12", "26x17"]
    hands = table(hands, "B:W17:B14,13,9")
    hands.touch(13, 22)
    assert hands.words == ("You won after 1 move", "White has no pieces left.") and hands.widget("status").tone == "won"
    assert hands.widget("status").king == 0
    assert (hands.widget("do.rematch").kind, hands.widget("do.review").kind) == ("main", "plain")
    assert not any(hands.widget(f"strip{side}").to_move for side in (0, 1))
    hands.key("left")  # the strips describe the visible position
    assert hands.widget("strip0").to_move and not hands.widget("strip1").to_move
    assert hands.heard[-1] == "won"


def test_a_move_is_confirmed_by_a_second_click_or_enter(opened: Opened) -> None:
    hands = table(opened(confirm=True), "B:W26,K8:B22,4,3")
    model = hands.game.model
    hands.touch(4, 11)
    assert model.plies == [] and 11 in hands.board.pieces and 8 not in hands.board.pieces
    assert hands.words[0] == "Play this move?" and hands.board.marks.targets == hands.board.marks.finals == ()
    hands.touch(20)  # somewhere else: taken back
    assert model.turn.path == () and hands.board.pieces.keys() == {26, 8, 22, 4, 3}
    hands.touch(4, 11)
    hands.key("escape")
    assert model.turn.path == (4,)
    hands.touch(11, 3)  # another piece, instead of the confirmation
    assert model.turn.path == (3,)
    hands.touch(12, 12)
    assert [str(ply.move) for ply in model.plies] == ["3x12"]
    hands.answer()
    hands = table(hands, "B:W30:B9,13")
    model = hands.game.model
    hands.drag(hands.at(9), hands.at(14))
    hands.drag(hands.at(14), hands.at(14))
    assert [str(ply.move) for ply in model.plies] == ["9-14"]
    hands.answer()
    hands.touch(14, 18)
    assert len(model.plies) == 2
    hands.key("return")
    assert len(model.plies) == 3
    hands = table(hands)
    hands.key("t")
    hands.type("11-15")  # is written whole and ended by Enter, so nothing more confirms it
    hands.key("return")
    assert [str(ply.move) for ply in hands.game.model.plies] == ["11-15"]


def test_what_one_needs_often_has_a_word_and_the_rest_an_icon_with_a_tooltip(opened: Opened) -> None:
    hands = table(opened(size=(800, 600)))
    words = [(hands.widget(f"do.{name}").text, bool(hands.widget(f"do.{name}").icon)) for name in BUTTONS]
    assert words == [("Undo", True), ("Hint", True), ("Menu", True), *[("", True)] * 4]
    assert [hands.widget(f"do.{name}").hint for name in BUTTONS[-2:]] == [
        "Turn the board around  (F)", "Make the program play its best move so far  (.)"]  # fmt: skip


def test_buttons_confirm_a_move_or_take_it_back(opened: Opened) -> None:
    hands = table(opened(confirm=True))
    assert "do.confirm" not in hands.keys
    hands.touch(11, 15)
    assert hands.board.marks.last == (11, 15)
    hands.click("do.take-back")
    assert hands.game.model.turn.path == (11,) and "do.confirm" not in hands.keys
    hands.touch(16)
    hands.click("do.confirm")
    assert [str(ply.move) for ply in hands.game.model.plies] == ["11-16"]


def test_the_first_move_on_the_first_screen_is_confirmed_too(opened: Opened) -> None:
    hands = opened(confirm=True)
    hands.touch(11, 15)
    assert isinstance(hands.app.screen, Home)
    assert "again" in hands.widget("board.line").text
    hands.touch(15)
    assert isinstance(hands.app.screen, Play) and len(hands.game.model.plies) == 1


@pytest.mark.parametrize(
    ("bottom", "own", "other"), [("own", True, False), ("black", True, True), ("white", False, False)]
)
def test_the_chosen_side_is_at_the_bottom(opened: Opened, bottom: str, own: bool, other: bool) -> None:
    """`own` and `other` say whether Black is at the bottom if the person has Black or White."""
    hands = table(opened(bottom=bottom))
    assert hands.board.flipped is own
    assert table(hands, white=True).board.flipped is other
    hands.key("f")
    assert hands.board.flipped is not other
    hands.key("ctrl+,", *{"own": "77", "black": "7", "white": ""}[bottom])  # now White
    assert hands.app.services.settings.bottom == "white"
    hands.key("escape")
    assert hands.board.flipped is (bottom == "white")  # the choice counts at once; without one, the board stays


def test_a_game_is_lost_through_the_widgets(opened: Opened) -> None:
    hands = table(opened(), "B:W18,23:B9")
    hands.touch(9, 14)
    hands.answer()  # 18x9
    assert hands.words == ("You lost after 1 move", "You have no pieces left.")
    hands.click("do.rematch")
    assert hands.game.model.plies == []
    assert hands.words[0] == "Your move"


def test_a_piece_that_is_let_go_elsewhere_goes_back(opened: Opened) -> None:
    hands = table(opened())
    hands.drag(hands.at(11), hands.at(27))
    assert hands.game.model.plies == []
    assert hands.words[0] == "Not possible"
    assert hands.heard[-1] == "refused"


def test_double_clicks_choose_and_let_go_but_never_move(opened: Opened) -> None:
    hands = table(opened())
    for _ in range(2):
        hands.click(hands.at(11))
    assert hands.board.marks.selected == 0
    assert hands.game.model.plies == []
    hands.click(hands.at(11))
    for _ in range(2):
        hands.click(hands.at(15))
    assert len(hands.game.model.plies) == 1


def test_a_jump_goes_hop_by_hop_and_undo_takes_it_back(opened: Opened) -> None:
    fen = "B:W18,26,27:B14,1"
    hands = table(opened(), fen)
    assert set(hands.board.marks.must) == {14}
    hands.touch(14)
    assert set(hands.board.marks.targets) == {23}
    assert set(hands.board.marks.finals) == {30, 32}
    hands.touch(23)
    assert hands.words[0] == "Keep jumping"
    assert set(hands.board.marks.captured) == {18}
    assert hands.game.model.plies == [] and hands.widget("moves").empty == "14x23…"
    hands.click("do.undo")
    assert hands.board.marks.captured == {}
    assert 14 in hands.board.pieces
    hands.touch(30)
    assert [str(ply.move) for ply in hands.game.model.plies] == ["14x23x30"]


def test_refusal_shows_its_reason_for_a_while(opened: Opened) -> None:
    hands = table(opened(), "B:W18:B14,1")
    hands.touch(1)
    assert hands.words[0] == "Not possible"
    assert hands.words[1] == "You must jump. Play the ringed piece."
    assert hands.board.marks.refused == 1
    hands.wait(5)
    assert hands.board.marks.refused == 0
    assert hands.words[0] == "Your move"


def test_through_the_game_by_keys_wheel_and_list(opened: Opened) -> None:
    hands = table(opened())
    for _ in range(3):
        hands.touch(*plain.legal_moves(hands.game.model.last)[0].path)
        hands.answer()
    count = len(hands.game.model.plies)
    hands.key("home")
    assert hands.game.model.cursor == 0
    hands.key("right")
    assert hands.game.model.cursor == 1
    hands.key("end")
    assert hands.game.model.cursor == count
    hands.wheel("board", 1)
    assert hands.game.model.cursor == count - 1
    hands.wheel("board", -1)
    hands.settle()
    assert hands.game.model.cursor == count
    moves = hands.widget("moves")
    hands.click((moves.rect.x + moves.rect.w // 3, moves.rect.y + 45))
    assert hands.game.model.cursor == 1
    assert hands.words[0] == f"Move 1 of {(count + 1) // 2}, Black"
    hands.key("escape")
    assert hands.game.model.at_end


def test_playing_from_an_earlier_position_keeps_moves(opened: Opened) -> None:
    hands = table(opened())
    hands.touch(11, 15)
    hands.answer()
    hands.touch(12, 16)
    hands.answer()
    count = len(hands.game.model.plies)
    assert count >= 4
    hands.key("home", "p")
    assert hands.game.model.plies == []
    hands.key("<redo>")
    assert len(hands.game.model.plies) == count
    hands.key("home", "p")
    hands.touch(9, 13)
    assert len(hands.game.model.variations(0)[0][1]) == count


def test_a_refusal_does_not_outlast_the_game(opened: Opened) -> None:
    hands = table(opened())
    hands.touch(1)
    assert hands.words[0] == "Not possible"
    hands.key("<resign>", "return")
    assert hands.game.model.over and hands.words[0] != "Not possible"


@pytest.mark.parametrize("size", [(800, 600), (1280, 800)])
def test_the_panel_shows_one_part_at_a_time_and_the_board_never_moves(opened: Opened, size: Size) -> None:
    hands = table(opened(size=size))
    place = hands.board.rect
    shows = {"moves": "moves", "analysis": "scores"}
    keys = {"moves": "<moves>", "analysis": "v"}
    for panel in (*shows, *reversed(shows)):
        hands.key(keys[panel]) if hands.app.services.settings.panel != panel else None
        lit = [name for name in shows if hands.widget(f"show.{name}").chosen]
        assert [lit, [name for name, key in shows.items() if key in hands.keys]] == [[panel]] * 2
        assert hands.board.rect == place
    hands.key("b", "v")
    assert {"bar", "scores"} <= set(hands.keys) and hands.board.rect == place
    hands.key("v")  # once more: back to the moves
    assert hands.app.services.settings.panel == "moves"


def test_resigning_asks_first(opened: Opened) -> None:
    hands = table(opened())
    hands.key("<resign>")
    assert isinstance(hands.app.screen, Dialog) and hands.widget("text").text == "The game counts as lost."
    hands.click((2, 2))
    assert isinstance(hands.app.screen, Dialog)
    hands.key("escape")
    assert not hands.game.model.over
    hands.key("<resign>", "return")
    hands.wait(0.2)
    assert hands.words == ("You lost", "You resigned.")


def test_after_a_game_against_a_level_another_one_is_one_key_away(opened: Opened) -> None:
    hands = opened(runs=Path("populations"))
    hands.app.services.choose_level(2)
    hands.key("p", "<resign>", "return")
    hands.wait(0.2)
    assert hands.words == ("You lost", "You resigned. Try Casual?")
    assert (hands.widget("do.other").text, "do.swap" in hands.keys) == ("Try Casual", False)
    hands.key("l")
    assert (hands.game.title, hands.widget("strip1").name, hands.game.model.plies) == ("Against Casual", "Casual", [])
    hands.game.model.resign(1)
    hands.app.redraw()
    hands.wait(0.2)
    assert hands.words == ("You won", "White resigned. Try Club?")
    assert (hands.widget("do.other").kind, hands.widget("do.rematch").kind) == ("main", "plain")
    hands.key("r")  # the next game against the same opponent
    assert (hands.game.model.over, hands.widget("strip1").name) == (False, "Casual")


def test_two_people_agree_on_a_draw(opened: Opened) -> None:
    hands = opened()
    hands.key("2")
    hands.touch(11, 15, 22, 18)
    assert len(hands.game.model.plies) == 2
    hands.key("<draw>")
    assert isinstance(hands.app.screen, Dialog)
    hands.key("ctrl+return")
    hands.wait(0.2)
    assert hands.game.model.over


def test_a_draw_is_offered_to_a_program_after_a_question(opened: Opened) -> None:
    hands = table(opened())
    hands.click("do.draw")
    hands.key("escape")
    assert hands.game.model.may_offer(0)
    hands.click("do.draw")
    hands.key("return")
    hands.wait(0.1)
    assert not hands.game.model.may_offer(0) and "declines the draw" in hands.app.notice


def test_a_typed_move(opened: Opened) -> None:
    hands = table(opened())
    hands.key("t")
    assert isinstance(hands.app.screen, Prompt)
    hands.type("11-14")
    hands.key("return")
    assert isinstance(hands.app.screen, Prompt)
    assert hands.widget("wrong").text
    for _ in range(5):
        hands.key("backspace")
    hands.type("11-15")
    hands.key("return")
    assert [str(ply.move) for ply in hands.game.model.plies] == ["11-15"]


def test_the_board_by_the_keyboard_alone(opened: Opened) -> None:
    hands = opened()
    hands.key("p")
    hands.key("tab")
    assert hands.app.screen.ui.focus == "board"
    hands.key("up")  # onto the first piece that can move
    start = hands.app.screen.ui.memory["board"].cursor
    assert start in hands.board.marks.movable
    hands.key("return")
    assert hands.board.marks.selected == start
    target = hands.board.geometry.next_square(start, "up")
    hands.key("up", "return")
    assert [ply.move.path for ply in hands.game.model.plies] == [(start, target)]


def test_swapping_sides_turns_the_board(opened: Opened) -> None:
    hands = table(opened(), "B:W18,23:B9")
    assert hands.board.flipped
    hands.touch(9, 14)
    hands.answer()
    hands.key("x")
    assert not hands.board.flipped
    assert hands.game.model.seats[1].human
    assert hands.words[0] == "Black is thinking"


def test_hint_shows_an_arrow(opened: Opened) -> None:
    hands = table(opened())
    hands.key("h")
    hands.wait(0.1)
    assert hands.thinker.asked[-1].purpose is Purpose.ANALYSIS
    hands.thinker.answer(2)
    hands.wait(0.1)
    hint = hands.board.marks.hint
    assert hint == plain.legal_moves(Position.start())[2].path
    hands.touch(*hint)
    assert hands.board.marks.hint == ()


def test_a_hint_says_how_many_people_find_a_good_move(opened: Opened) -> None:
    hands = table(opened(runs=Path("populations")))
    hands.key("h")
    think(hands)
    _, position, (good,) = tell_finders(hands, 0.96)[0].arguments
    assert (position, str(good)) == (Position.start(), "11-15")
    judged = "Nearly all players at your rating find a good move here."
    assert hands.words == ("Your move", judged)
    hands.touch(*hands.board.marks.hint)
    hands.wait(0.1)
    assert "players" not in hands.words[1]


def test_resize_in_the_middle_of_an_animation(opened: Opened) -> None:
    hands = table(opened())
    hands.click(hands.at(11))
    hands.click(hands.at(15))
    hands.wait(0.05)
    assert hands.game.flight is not None
    for size in ((800, 600), (640, 900), (2560, 1440), (300, 200), (1280, 800)):
        hands.resize(size)
        assert hands.app.surface.get_size() == size
    assert hands.game.flight is not None
    hands.settle()
    hands.answer()
    assert len(hands.game.model.plies) == 2


def test_the_game_is_kept_when_the_window_closes(opened: Opened) -> None:
    hands = table(opened())
    hands.touch(11, 15)
    hands.answer()
    hands.key("ctrl+q")
    assert not hands.app.running
    hands.app.services.close()
    again = opened()
    again.wait(0.5)
    again.key("c")
    assert str(again.game.model.plies[0].move) == "11-15"
    assert again.board.flipped


def test_finished_game_stays_but_does_not_continue(opened: Opened) -> None:
    hands = table(opened(), "B:W18,23:B9")
    hands.touch(9, 14)
    hands.answer()
    hands.key("escape", "escape")
    assert isinstance(hands.app.screen, Home)
    hands.until(lambda: len(hands.app.services.kept.games) == 1)
    hands.key("c")
    assert isinstance(hands.app.screen, Home)


def test_an_opponent_that_fails_loses_but_undo_brings_the_game_back(opened: Opened) -> None:
    hands = table(opened())
    hands.touch(11, 15)
    hands.wait(0.1)
    hands.thinker.fail("its file is gone")
    hands.wait(0.2)
    assert hands.words[0] == "You won after 1 move"
    assert "its file is gone" in hands.words[1]
    hands.key("u")
    assert not hands.game.model.over
    hands.touch(11, 15)
    hands.wait(0.1)
    hands.thinker.fail("/a/long/way/to/the/folder/of/runs/generation_0100.csv: " + "damaged in many places, " * 6)
    hands.wait(0.2)
    hands.app.cut.clear()
    hands.picture()
    assert hands.app.cut == [] and hands.widget("status").hint == hands.words[1]  # the tooltip has the whole text


def test_the_strip_of_an_opponent_says_who_it_is_and_what_it_captured(opened: Opened) -> None:
    hands = opened(runs=SHIPPED)
    hands.app.open(Play(hands.app, GameModel((HUMAN, Seat("first@112", 6)), Position.from_fen("B:W18,26:B14,10,K2"))))
    hands.until(lambda: hands.widget("strip1").line != "depth 6" and hands.widget("strip1").emblem is not None)
    strip = hands.widget("strip1")
    assert (strip.line, strip.rating, strip.taken) == ("Generation 64 beat Club.", "", 0)
    hands.touch(14, 23)
    assert [hands.widget(f"strip{side}").taken for side in (0, 1)] == [1, 0]
    hands.app.open(Play(hands.app, GameModel((Seat(LEVELS[0].player, 1), HUMAN))))
    strip = hands.widget("strip0")
    assert (strip.name, strip.line, strip.rating) == ("Beginner", "Overlooks many traps.", "726")
    assert hands.widget("strip1").line == "Unrated"


def test_captures_sound_by_their_men(opened: Opened) -> None:
    hands = table(opened(), "B:W6,15,32:B1")
    hands.touch(1, 19)
    assert hands.heard == ["capture-2"]
    hands = table(hands, "B:W6,15,32:B1")
    hands.touch(1, 10, 19)
    assert hands.heard[1:] == ["capture-1", "capture-1"]
