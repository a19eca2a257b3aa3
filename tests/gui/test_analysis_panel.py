"""The panels beside a game: evaluation bar, scores, analyst, and the list of moves."""

from __future__ import annotations

from pathlib import Path

import pytest

from game import plain
from game.board import Position
from game.moves import Move
from game.number_text import whole_percents
from game.review.chances import GameKind, find_chances
from game.scores import Line, SearchInfo
from gui.model.ending import Cause, Ending
from gui.model.game import GameModel
from gui.model.game_review import GameReview
from gui.model.seats import HUMAN, Seat
from gui.screens.play.analysis_panel import _results_cell, results_words
from gui.screens.play.play import Play
from tests.gui.hands import Hands, Opened

OPPONENT = Seat("material", 4, 2.0, "Counter")


def table(hands: Hands) -> Hands:
    hands.app.open(Play(hands.app, GameModel((HUMAN, OPPONENT))))
    hands.wait(0.1)
    return hands


def test_the_list_of_moves_keeps_the_move_that_is_shown_in_sight(opened: Opened) -> None:
    hands = opened()
    model = GameModel((HUMAN, OPPONENT))
    for _ in range(30):
        model.play(plain.legal_moves(model.last)[0])
    hands.app.open(Play(hands.app, model))
    model.go_to(13)

    def assert_in_sight() -> None:
        hands.wait(0.1)
        moves, scroll = hands.widget("moves"), hands.app.screen.ui.memory["moves"]
        top = max(moves.selected, 0) * scroll.row
        assert scroll.top <= top and top + scroll.row <= scroll.top + moves.body(scroll).h

    assert_in_sight()
    for key in ("b", "home", "end", "left", "b"):
        hands.key(key)
        assert_in_sight()
    for size, scale in (((1100, 620), 1.0), ((1280, 1000), 1.5), ((700, 800), 1.0), ((1280, 720), 1.25)):
        hands.resize(size)
        hands.app.change_settings(scale=scale)
        assert_in_sight()


def test_evaluation_bar_and_scores(opened: Opened) -> None:
    hands = table(opened())
    hands.key("b", "v")
    hands.wait(0.1)
    assert {"bar", "scores"} <= set(hands.keys)
    hands.thinker.answer(0, 0.5)
    hands.wait(0.1)
    assert hands.widget("bar").chances == find_chances(0.5, 24, plies=0)
    chances = results_words(find_chances(0.5, 24, plies=0))
    assert hands.widget("bar").hint == f"{chances}, Black is ahead by 0.50 men, says Piece counter  (B)"
    hands.touch(11, 15)
    hands.answer(0, 0.4)  # the opponent's own evaluation does not move the bar
    assert hands.widget("bar").chances == find_chances(0.5, 24, plies=0)
    hands.thinker.answer(0, -0.6)  # the analyst's evaluation of the position before the next move
    hands.wait(0.1)
    assert hands.widget("bar").chances == find_chances(-0.6, 24, plies=2)


@pytest.mark.parametrize("opponent", [HUMAN, OPPONENT])
def test_bar_list_and_review_give_a_position_the_same_chances(opened: Opened, opponent: Seat) -> None:
    hands = opened(evaluation_bar=True, panel="analysis")
    model = GameModel.of_moves(Position.start(), plain.legal_moves(Position.start())[:1], (opponent, opponent))
    model.end(Ending(0, Cause.AGREED))
    screen = Play(hands.app, model, recorded=True)
    hands.app.open(screen)
    hands.wait(0.1)
    hands.thinker.answer(0, 0.3)  # of White, who is to move
    hands.wait(0.1)
    games = GameKind.PEOPLE if opponent.human else GameKind.PROGRAMS
    chances = find_chances(0.3, 24, games=games, plies=1)
    black = 2 * (1 - chances.points) - 1
    assert hands.widget("bar").chances == chances.reversed
    win, draw, loss = (f"{each} %" for each in whole_percents((chances.win, chances.draw, chances.loss)))
    words = f"Black wins {loss}, draw {draw}, White wins {win}"
    assert words in hands.widget("bar").hint
    assert words.replace(" wins", "") in hands.widget("searched").text
    line = Line(Move((1, 5)), 0.3, 0.0, "+0.30")
    assert _results_cell(line, model.shown, games).text == words
    assert "win" not in hands.words[1]  # the end says only how it ended
    review = GameReview(model, screen.table.analyst)
    for _ in range(2):
        place = review.next_place()
        finding = SearchInfo(Move((1, 5)), -0.3 if place[0] == 0 else 0.3, 0.0, 12)
        review.learn(place[0], place[1], finding)
    assert review.review.points[-1] == pytest.approx((1 + black) / 2)
    assert review.review.games is games


def test_analysis_is_switched_on_by_tab_and_menu_and_names_its_judge(opened: Opened) -> None:
    hands = table(opened())
    switch = hands.widget("show.analysis")
    assert switch.text == "Analysis" and not switch.chosen and "(V)" in switch.hint
    hands.click("show.analysis")
    hands.click("show.analysis")  # nothing, since it is shown already
    assert hands.widget("show.analysis").chosen
    hands.click("do.menu")
    hands.click("menu.evaluation-bar")
    hands.wait(0.1)
    hands.thinker.progress()
    hands.wait(0.1)
    assert hands.widget("searched").hint.endswith(". Depth 3, 100 positions, says Piece counter")
    assert "positions" not in hands.widget("searched").text and len(hands.widget("scores").columns) == 2
    assert "line" not in hands.keys  # the first move heads the list
    assert hands.widget("bar").chances == find_chances(0.25, 24, plies=0)
    hands.touch(11, 15)
    hands.wait(0.1)
    hands.thinker.progress()
    hands.wait(0.1)  # the opponent thinks, and its evaluation is displayed as its own
    assert hands.widget("searched").hint.endswith(". Counter: depth 3, 100 positions")


def test_shipped_champion_judges_by_default(opened: Opened) -> None:
    hands = opened(runs=Path(__file__).parents[2] / "populations", panel="analysis")
    for seats in ((HUMAN, HUMAN), (HUMAN, OPPONENT), (OPPONENT, HUMAN), (Seat("random"), OPPONENT)):
        hands.app.open(Play(hands.app, GameModel(seats)))
        assert hands.widget("searched").hint == "Says Generation 120 of crownhead"
        assert hands.game.table.analyst.name is not None and hands.game.table.analyst.name.target.startswith(
            "crownhead"
        )
