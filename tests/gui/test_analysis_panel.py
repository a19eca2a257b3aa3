"""The panels beside a game: evaluation bar, scores, graph, analyst, and the list of moves."""

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
from gui.screens.individuals.chooser import Chooser
from gui.screens.play.analysis_panel import _results_cell, results_words
from gui.screens.play.play import Play
from gui.thinking.messages import Answer
from tests.gui.hands import Hands, Opened

OPPONENT = Seat("material", 4, 2.0, "Counter")


def table(hands: Hands) -> Hands:
    """Return a game against the fake."""
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
    for key in ("<see-thinking>", "b", "home", "end", "<see-thinking>", "left", "b"):
        hands.key(key)
        assert_in_sight()
    for size, scale in (((1100, 620), 1.0), ((1280, 1000), 1.5), ((700, 800), 1.0), ((1280, 720), 1.25)):
        hands.resize(size)
        hands.app.change_settings(scale=scale)
        assert_in_sight()


def test_evaluation_bar_scores_and_graph(opened: Opened) -> None:
    hands = table(opened())
    hands.key("b", "v")
    hands.wait(0.1)
    assert {"bar", "scores", "graph"} <= set(hands.keys)
    hands.thinker.answer(0, 0.5)
    hands.wait(0.1)
    half, less = (2 * find_chances(score, 24, plies=plies).points - 1 for score, plies in ((0.5, 0), (-0.6, 2)))
    assert hands.widget("bar").chances == find_chances(0.5, 24, plies=0)
    chances = results_words(find_chances(0.5, 24, plies=0))
    assert hands.widget("bar").hint == f"{chances}, Black is ahead by 0.50 men, says Piece counter  (B)"
    hands.touch(11, 15)
    hands.answer(0, 0.4)  # the opponent's own evaluation moves neither bar nor graph
    assert hands.widget("bar").chances == find_chances(0.5, 24, plies=0)
    hands.thinker.answer(0, -0.6)  # the analyst's evaluation of the position before the next move
    hands.wait(0.1)
    assert hands.widget("bar").chances == find_chances(-0.6, 24, plies=2)
    graph = hands.widget("graph")
    first, unread, second = graph.curves[0].values
    assert (first, second) == pytest.approx((half, less))
    assert unread is None  # not a flat line and a fall
    hands.click((graph.rect.x + 2, graph.rect.centre[1]))
    assert hands.game.model.cursor == 0


@pytest.mark.parametrize("visits", [1500, 0])
def test_visits_of_a_tree_search_are_a_column_of_their_own(opened: Opened, visits: int) -> None:
    hands = table(opened(panel="analysis"))
    ticket, request = hands.thinker.present or pytest.fail()
    first, second = plain.legal_moves(request.position)[:2]
    lines = Line(first, 0.2, 0.05, "+0.20", chance=0.7, visits=visits), Line(second, 0.1, 0.03, "+0.10", chance=0.3)
    hands.thinker.ready.append(Answer(ticket, SearchInfo(first, 0.2, 0.05, 10, 1501, 0.1, (first,), "+0.20", lines)))
    hands.wait(0.1)
    scores = hands.widget("scores")
    titles = [column.title for column in scores.columns]
    assert titles == ["Move", "Likely", *["Visits"] * (visits > 0), "Black, draw, White", "Men"]
    assert scores.headed == ("visits" in scores.hint) == (visits > 0)
    assert [scores.cells(row)[2].text for row in (0, 1)] == ["1,500", "0"] or not visits


@pytest.mark.parametrize("opponent", [HUMAN, OPPONENT])
def test_bar_status_graph_and_review_give_a_position_the_same_chances(opened: Opened, opponent: Seat) -> None:
    hands = opened(evaluation_bar=True, panel="analysis", see_thinking=True)
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
    assert hands.widget("graph").curves[0].values[-1] == pytest.approx(black)
    win, draw, loss = (f"{each} %" for each in whole_percents((chances.win, chances.draw, chances.loss)))
    words = f"Black wins {loss}, draw {draw}, White wins {win}"
    assert words in hands.widget("bar").hint and words.replace(" wins", "") in hands.widget("graph").says(1)
    assert words.replace(" wins", "") in hands.widget("searched").text
    line = Line(Move((1, 5)), 0.3, 0.0, "+0.30")
    assert _results_cell(line, model.shown, games).text == words
    assert "win" not in hands.words[1]  # the end says only how it ended
    hands.key("left")
    hands.wait(0.1)
    hands.thinker.answer(0, 0.3)  # of Black
    hands.wait(0.1)
    before = find_chances(0.3, 24, games=games, plies=0)
    win, draw, loss = (f"{each} %" for each in whole_percents((before.win, before.draw, before.loss)))
    assert f"Black win {win}, draw {draw}, loss {loss}." in hands.words[1]
    review = GameReview(model, screen.table.analyst)
    for _ in range(2):
        place = review.next_place()
        assert place is not None
        finding = SearchInfo(Move((1, 5)), -0.3 if place[0] == 0 else 0.3, 0.0, 12)
        review.learn(place[0], place[1], finding)
    assert review.review.points[-1] == pytest.approx((1 + black) / 2)
    assert review.review.games is games


def test_analysis_has_switches_and_names_its_judge(opened: Opened) -> None:
    hands = table(opened())
    for name, text, key in (("evaluation-bar", "B", "B"), ("analysis", "Analysis", "V")):
        switch = hands.widget(f"show.{name}")
        assert switch.text == text and not switch.chosen and f"({key})" in switch.hint
        hands.click(f"show.{name}")
        assert hands.widget(f"show.{name}").chosen
    hands.wait(0.1)
    hands.thinker.progress()
    hands.wait(0.1)
    assert hands.widget("analyst").text == "Piece counter, depth 12"
    assert hands.widget("searched").text.endswith(". Depth 3, 100 positions")
    assert hands.widget("line").text == "9-13"
    assert hands.widget("bar").chances == find_chances(0.25, 24, plies=0)
    assert hands.widget("graph").curves[0].values == [pytest.approx(2 * find_chances(0.25, 24, plies=0).points - 1)]
    hands.touch(11, 15)
    hands.wait(0.1)
    hands.thinker.progress()
    hands.wait(0.1)  # the opponent thinks, and its evaluation is displayed as its own
    assert hands.widget("searched").hint.endswith(". Counter: depth 3, 100 positions")
    assert hands.widget("line").text == str(plain.legal_moves(hands.game.model.last)[0])


def test_the_analyst_is_chosen_and_kept(opened: Opened) -> None:
    hands = table(opened())
    hands.key("v", "<analyst>")
    names = [command.name for command in hands.app.screen.commands()]
    assert names == ["Opponent: Counter", "Piece counter", "Another individual…"]
    hands.key("1")
    assert hands.app.services.settings.analyst == "opponent material"
    assert hands.widget("analyst").text == "Counter, depth 12"
    hands.wait(0.1)
    assert str(hands.thinker.asked[-1].player) == "material" and hands.thinker.asked[-1].depth == 12
    hands.key("<analyst>", "2")
    assert hands.widget("analyst").text == "Piece counter, depth 12"
    hands.key("<analyst>", "0")
    assert isinstance(hands.app.screen, Chooser)
    hands.wait(0.3)
    hands.key("home", "<analyst>")
    assert hands.app.services.settings.analyst_title and isinstance(hands.app.screen, Play)
    assert hands.widget("analyst").text.startswith(hands.app.services.settings.analyst_title.partition(" (")[0])


def test_one_judge_is_marked_and_an_opponent_judges_no_game_of_another(opened: Opened) -> None:
    hands = opened(runs=Path(__file__).parents[2] / "populations", panel="analysis")
    champion = hands.app.services.opponents.recommend()
    for seats, names in (
        ((HUMAN, champion), ["Generation 120 of crownhead", "Opponent: Casual"]),
        ((champion, champion), ["Generation 120 of crownhead", "Black: Casual", "White: Casual"]),
    ):
        for number, name in enumerate(names, 1):
            hands.app.open(Play(hands.app, GameModel(seats)))
            hands.key("<analyst>", str(number), "<analyst>")
            assert [each.name for each in hands.app.screen.commands() if each.chosen] == [name]
            hands.key("escape")
    hands.app.open(Play(hands.app, GameModel((HUMAN, champion))))
    hands.key("<analyst>", "2")
    hands.app.open(Play(hands.app, GameModel((HUMAN, OPPONENT))))
    hands.key("<analyst>")
    assert [each.name for each in hands.app.screen.commands() if each.chosen] == ["Generation 120 of crownhead"]


def test_judge_without_a_score_is_explained(opened: Opened) -> None:
    hands = table(opened())
    hands.key("b", "v")
    hands.wait(0.1)
    assert hands.widget("graph").empty == "The curve begins with the first move"
    hands.thinker.answer(0, None)
    hands.wait(0.1)
    bar, graph = hands.widget("bar"), hands.widget("graph")
    assert (bar.chances, bar.text, bar.hint) == (None, "no\nscore", "Piece counter gives no score  (B)")
    assert graph.empty == "Piece counter gives no score"
    assert hands.widget("searched").text.startswith("No score: it only gives a probability")
    picture = hands.picture(bar.rect)  # the bar is not divided into halves
    middle = [picture.get_at((2, y)) for y in range(bar.rect.h // 3, bar.rect.h * 2 // 3)]
    assert len(set(map(tuple, middle))) == 1
    hands.key("left")
    hands.touch(11, 15)
    assert hands.widget("graph").empty != "The curve begins with the first move"


def test_shipped_champion_judges_by_default(opened: Opened) -> None:
    hands = opened(runs=Path(__file__).parents[2] / "populations", panel="analysis")
    for seats in ((HUMAN, HUMAN), (HUMAN, OPPONENT), (OPPONENT, HUMAN), (Seat("random"), OPPONENT)):
        hands.app.open(Play(hands.app, GameModel(seats)))
        assert hands.widget("analyst").text == "Generation 120 of crownhead, depth 12"
        assert hands.game.table.analyst.name is not None and hands.game.table.analyst.name.target.startswith(
            "crownhead"
        )
    hands.app.change_settings(analyst='"open', analyst_title="Nobody")  # written by hand
    hands.app.open(Play(hands.app, GameModel()))
    assert hands.widget("analyst").text == "Generation 120 of crownhead, depth 12"


def test_players_without_scores_are_not_offered_as_analysts(opened: Opened) -> None:
    hands = opened()
    hands.key("n")
    hands.wait(0.5)
    players = [row.player for row in hands.app.services.library.rows]
    hands.click_row("rows", players.index("random"))
    hands.key("<analyst>")
    assert "does not evaluate positions" in hands.app.said
    assert hands.app.services.settings.analyst == "champion"
