"""The review of a game, and practice of its mistakes."""

from __future__ import annotations

import json
from collections.abc import Iterable
from cProfile import Profile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evolve.strength.levels import LEVELS, TOURNAMENT
from game import plain
from game.board import Position
from game.review.annotations import SIGN
from game.review.chances import Chances
from game.rules import WHITE
from gui.model import pdn
from gui.model.ending import Cause, Ending
from gui.model.game import GameModel
from gui.model.game_review import FOUND, SHOWN, AttemptResult, GameReview, Practice, PracticeStage
from gui.model.seats import HUMAN, Seat
from gui.screens.play.play import Play
from gui.screens.play.review import ReviewScreen
from gui.thinking.messages import Answer, Failed
from tests.gui.hands import Hands, Opened
from tests.gui.review_helpers import MOVES, OPPONENT, WRONG, game, judged, moves_of, tell_finders, think
from tests.gui.tables import ENDLESS, KINGS, play_on


def shown_texts(hands: Hands) -> str:
    return " ".join(str(getattr(widget, "text", "")) for widget in hands.app.view())


@pytest.fixture
def hands(opened: Opened) -> Hands:
    """Open a game that the person has just lost."""
    made = opened()
    made.app.open(Play(made.app, game()))
    made.wait(0.1)
    return made


@pytest.fixture
def reviewed(hands: Hands) -> Hands:
    """Open the review of this game, and leave its first mistake for the summary."""
    hands.key("w")
    think(hands)
    hands.key("escape", "end")
    return hands


def screen(hands: Hands) -> ReviewScreen:
    result = hands.app.screen
    assert isinstance(result, ReviewScreen)
    return result


def kept_values(hands: Hands) -> Any:
    (path,) = (Path(hands.app.services.autosave._folder)).glob("*.json")
    return json.loads(path.read_text())["extra"].get("review")


def mistakes(hands: Hands) -> list[list[str]]:
    """Return the list of mistakes: move, played, better, cost."""
    table = hands.widget("mistakes")
    return [[str(getattr(cell, "text", cell)) for cell in table.cells(row)] for row in range(table.count)]


def test_a_button_at_the_end_of_a_game_leads_to_its_review(hands: Hands) -> None:
    hands.click("do.review")
    hands.wait(0.1)
    assert hands.words[0] == "Going through the game"
    assert hands.widget("status").share == 0
    think(hands, 4)
    assert 0 < hands.widget("status").share < 1
    hands.resize((784, 504))
    assert hands.words == ("Going through the game", "1 of 5 moves. No mistakes so far.")
    think(hands)
    assert screen(hands).review.finished
    hands.resize((640, 480))
    assert hands.words == ("Mistake 1 of 1", "You played 15-18. Find a better move.")
    hands.resize((1280, 800))
    assert hands.words[1] == "You played 15-18, from an even to a losing position. Find a better move."
    hands.key("escape", "end")
    assert hands.words == ("You made 1 mistake", "In the opening. White made 1.")


def test_moves_are_looked_at_with_their_history_and_suspects_again(hands: Hands) -> None:
    hands.thinker.asked.clear()
    hands.key("w")
    think(hands)
    asked = [(len(request.history), request.depth) for request in hands.thinker.asked]
    assert sorted(set(asked)) == sorted([*((number, 12) for number in range(11)), (6, 18), (7, 18)])


def test_mistakes_are_marked_in_list_and_graph_and_counted(reviewed: Hands) -> None:
    table = reviewed.widget("moves")
    cells = [str(getattr(cell, "text", cell)) for row in range(table.count) for cell in table.cells(row)]
    assert [text for text in cells if "?" in text] == ["15-18 ??", "24-20 ??"]
    assert len(reviewed.widget("graph").curves) == 3
    assert mistakes(reviewed) == [["4.", "15-18 ??", "?", "50 %"]]
    reviewed.key("<whose>", "<whose>")
    assert mistakes(reviewed) == [["4.", "15-18 ??", "?", "50 %"], ["4…", "24-20 ??", "?", "50 %"]]
    reviewed.click_row("mistakes", 1)
    assert reviewed.words[0] == "Mistake 2 of 2"
    reviewed.key("h")
    assert mistakes(reviewed)[1][2] == WRONG[8]


def test_the_list_and_the_graph_lead_through_the_game(reviewed: Hands) -> None:
    reviewed.key("space")
    reviewed.click_row("moves", 0)
    assert (screen(reviewed).practice.stage, screen(reviewed).model.cursor) == (PracticeStage.LOOKING, 2)
    assert reviewed.words[1] == "Black 24 %, draw 52 %, White 24 %."
    reviewed.key("end", "left", "left", "left")
    assert reviewed.words[0] == "15-18: blunder"
    assert reviewed.words[1].startswith("From an even to a losing position. ")
    assert "Win 24 %, draw 52 %, loss 24 % became win 1 %" in reviewed.widget("status").hint


def test_the_graph_says_the_chances_of_the_sentence(reviewed: Hands) -> None:
    reviewed.key("space")
    mistake = screen(reviewed).practice.mistake
    assert mistake is not None and reviewed.widget("graph").says(mistake.ply) == ""
    assert "became win 1 %, draw 1 %, loss 98 %" in reviewed.widget("status").hint
    screen(reviewed).look_at(1)
    graph = reviewed.widget("graph")
    assert graph.says(mistake.ply).endswith("Black 1 %, draw 1 %, White 98 %")
    assert abs(graph.curves[0].values[mistake.ply] - (0.01 - 0.98)) < 0.05  # the curve has the same value


def test_buttons_that_can_do_nothing_are_hidden(reviewed: Hands) -> None:
    reviewed.key("space")
    shown = {key for key in reviewed.keys if key.startswith(("do.", "step."))}
    assert shown == {"do.next-mistake", "do.answer", "do.whose", "do.save"}
    whole = [{key: reviewed.widget(key).rect for key in shown}]
    reviewed.key("h")
    assert {"do.again", "step.next"} <= set(reviewed.keys) and "do.answer" not in reviewed.keys
    whole.append({key: reviewed.widget(key).rect for key in reviewed.keys if key.startswith("do.")})
    panel = reviewed.widget("status").rect
    for places in whole:  # they leave no hole, and the green one begins where it was
        assert {rect.y: max(r.right for r in places.values() if r.y == rect.y) for rect in places.values()} == {
            rect.y: panel.right for rect in places.values()
        }
        assert places["do.next-mistake"][:2] == whole[0]["do.next-mistake"][:2]


def test_review_begins_with_the_first_mistake(hands: Hands) -> None:
    hands.key("w")
    think(hands, 10)
    assert not screen(hands).review.finished
    assert hands.words[0] == "Mistake 1" and screen(hands).practice.stage is PracticeStage.ASKED
    think(hands)
    assert hands.words[0] == "Mistake 1 of 1"


def test_review_does_not_jump_to_a_mistake_after_navigation(hands: Hands) -> None:
    hands.key("w", "right")
    think(hands)
    assert screen(hands).practice.stage is PracticeStage.LOOKING and screen(hands).model.cursor == 1


def test_the_better_move_and_the_mistake_are_arrows_after_the_answer(reviewed: Hands) -> None:
    reviewed.key("space", "h")
    reviewed.settle()
    assert (reviewed.board.marks.better, reviewed.board.marks.played) == ((9, 14), (15, 18))
    reviewed.key("right")
    assert reviewed.board.marks.better == ()  # in the line after it


def test_failed_analyst_is_reported(hands: Hands) -> None:
    hands.key("w")
    hands.wait(0.1)
    assert hands.thinker.present is not None
    hands.thinker.ready.append(Failed(hands.thinker.present[0], "no such file"))
    hands.wait(0.1)
    assert hands.words[0] == "The review has stopped"
    assert hands.widget("status").share is None


@pytest.mark.parametrize(
    ("seats", "who"), [((HUMAN, OPPONENT), "players at your rating"), ((HUMAN, HUMAN), "tournament players")]
)
def test_a_review_says_how_many_people_find_better_moves(opened: Opened, seats: tuple[Seat, Seat], who: str) -> None:
    near = "your" in who
    hands = opened(runs=Path("populations"))
    hands.app.open(Play(hands.app, game(seats)))
    hands.key("w")
    think(hands)
    requests = tell_finders(hands, 0.62, 0.12)
    assert hands.words[1].endswith(f"Find a better move. About 6 in 10 {who} find one.")
    assert ("stronger" in hands.widget("status").hint) is near
    hands.resize((640, 480))
    assert hands.words[1] == f"About 6 in 10 {who} find a better move than 15-18."
    hands.resize((1280, 800))
    name, position, good = requests[0].arguments
    assert position == screen(hands).practice.game.position_at(6)
    assert str(good[0]) == WRONG[7]
    assert name.text == (LEVELS[1].text if near else TOURNAMENT)
    hands.key("<whose>", "<whose>")
    hands.click_row("mistakes", len(mistakes(hands)) - 1)
    assert hands.words[1].endswith(f"About 1 in 10 {who} finds one.")
    kept = screen(hands).review.values(screen(hands).practice)
    assert kept["finders"] == {"7": 0.62, "8": 0.12}
    again = GameReview(game(seats), OPPONENT, kept)
    assert list(Practice(game(seats), again, kept).finders.values()) == [0.62, 0.12]
    assert Practice(game(seats), again, kept | {"finders": {"7": [], "²": 0.5, "8": 7.0, "6": 0.5}}).finders == {}


def test_the_board_stands_before_the_mistake_and_the_answer_is_not_shown(reviewed: Hands) -> None:
    reviewed.key("space")
    practice = screen(reviewed).practice
    assert practice.mistake is not None
    assert reviewed.words[0] == "Mistake 1 of 1"
    assert "You played 15-18, from an even to a losing position" in reviewed.words[1]
    assert screen(reviewed).model.shown == practice.game.position_at(6)
    assert WRONG[7] not in shown_texts(reviewed)
    assert reviewed.board.marks.hint == ()


def test_the_right_move_by_the_mouse(reviewed: Hands) -> None:
    reviewed.click("do.next-mistake")
    reviewed.touch(9, 14)
    assert reviewed.words[0] == "Right: 9-14"
    assert screen(reviewed).practice.verdict is AttemptResult.BEST
    assert screen(reviewed).practice.solved == {7: FOUND}
    assert kept_values(reviewed)["solved"] == {"7": "found"}
    reviewed.key("right")  # what follows
    assert len(screen(reviewed).practice.following) == 1
    reviewed.click("do.next-mistake")  # the last one: the summary
    assert reviewed.words == ("You made 1 mistake", "In the opening. Better moves found: 1 of 1.")


def test_a_good_move_by_keys(reviewed: Hands) -> None:
    reviewed.key("space")
    good = str(screen(reviewed).practice.mistake.good[1])  # type: ignore[union-attr]
    reviewed.key("t")
    reviewed.type(good)
    reviewed.key("return")
    think(reviewed)
    assert reviewed.words[0] == f"Also good: {good}"
    assert "The best move is 9-14" in reviewed.words[1]


def test_the_same_mistake_is_refuted(reviewed: Hands) -> None:
    reviewed.key("space")
    reviewed.touch(15, 18)
    assert reviewed.words[0] == "15-18 was the mistake"
    reviewed.wait(1)
    start, *_, end = reviewed.board.marks.played
    assert f"Refuted by {start}-{end} " in reviewed.words[1]
    assert screen(reviewed).practice.solved == {}
    assert WRONG[7] not in reviewed.words[1]
    reviewed.click("do.again")
    assert screen(reviewed).practice.stage is PracticeStage.ASKED


def test_another_wrong_move_is_refuted_once_the_analyst_has_looked(reviewed: Hands) -> None:
    reviewed.key("space")
    practice = screen(reviewed).practice
    wrong = next(
        move
        for move in plain.legal_moves(practice.board.last)
        if move not in (*practice.mistake.good, practice.mistake.move)  # type: ignore[union-attr]
    )
    reviewed.touch(*wrong.path)
    assert reviewed.words == (f"{wrong} is wrong, too", "Looking for the refutation…")
    think(reviewed)
    assert "Refuted by" in reviewed.words[1]
    board = screen(reviewed).model
    assert (board.cursor, len(board.plies) > board.cursor) == (2, True)


def test_the_answer_on_demand(reviewed: Hands) -> None:
    reviewed.key("space", "h")
    reviewed.settle()
    assert reviewed.words[0] == "Best was 9-14"
    assert screen(reviewed).practice.solved == {7: SHOWN}
    reviewed.key("r")
    reviewed.touch(9, 14)
    assert screen(reviewed).practice.solved == {7: SHOWN}  # computed after it was displayed


def test_refused_move_shows_its_reason_and_pieces_rest_outside_practice(reviewed: Hands) -> None:
    reviewed.touch(9)
    assert screen(reviewed).practice.stage is PracticeStage.LOOKING
    reviewed.key("space")
    reviewed.touch(12, 5)
    assert reviewed.words[0] == "Not possible"


def test_both_sides_and_back(reviewed: Hands) -> None:
    reviewed.click("do.whose")
    assert screen(reviewed).practice.side == WHITE
    reviewed.key("<whose>")
    assert screen(reviewed).practice.side is None
    reviewed.key("space", "space")
    assert (reviewed.words[0], reviewed.words[1][:12]) == ("Mistake 2 of 2", "White played")
    reviewed.key("backspace")
    assert (reviewed.words[0], reviewed.words[1][:12]) == ("Mistake 1 of 2", "You played 1")
    reviewed.key("escape")
    assert screen(reviewed).practice.stage is PracticeStage.LOOKING
    reviewed.key("escape")
    assert isinstance(reviewed.app.screen, Play)


def test_game_without_mistakes_is_reported(opened: Opened) -> None:
    hands = opened()
    hands.app.open(
        Play(hands.app, GameModel.of_moves(Position.start(), moves_of(Position.start(), MOVES)[:5]), recorded=True)
    )
    hands.click("do.review")
    think(hands)
    screen(hands).go_to(99)
    hands.wait(0.1)
    assert hands.words[0] == "No mistakes"
    hands.key("space")
    assert screen(hands).practice.stage is PracticeStage.LOOKING


def test_lost_game_without_a_mistake_shows_the_falls(opened: Opened) -> None:
    hands = opened()
    lost = GameModel.of_moves(Position.start(), moves_of(Position.start(), MOVES)[:5], (HUMAN, OPPONENT))
    lost.end(Ending(-1, Cause.RESIGNED))
    hands.app.open(Play(hands.app, lost))
    hands.wait(0.1)
    hands.key("w")
    think(hands)
    assert hands.words == ("You made no big mistake", "Lost with an expected score of 50 % at the end.")
    review = screen(hands).review
    known = tuple(Chances(points, 0, 1 - points) for points in (0.5, 0.45, 0.4, 0.3, 0.2, 0.2))
    review.review = replace(review.review, chances=known, lot=0)
    hands.key("home", "end")
    assert hands.words[1] == "The expected score fell from 50 % to 20 % between moves 1 and 2."


def test_a_review_is_kept_with_its_game_and_not_made_again(reviewed: Hands) -> None:
    values = kept_values(reviewed)
    assert values["summary"]["black"] == {"opening": 1, "middle game": 0, "endgame": 0}
    reviewed.key("space", "h", "escape", "escape")
    play = reviewed.app.screen
    assert isinstance(play, Play)
    cells = [play_cell.text for row in range(5) for play_cell in reviewed.widget("moves").cells(row)[1:]]
    assert "15-18 ??" in cells  # marked there, too
    asked = len(reviewed.thinker.asked)
    reviewed.key("w")
    reviewed.wait(0.3)
    assert screen(reviewed).review.finished
    assert screen(reviewed).practice.solved == {7: SHOWN}
    assert len(reviewed.thinker.asked) == asked


def test_unknown_notes_of_answers_are_ignored() -> None:
    whole = game()
    review = GameReview(whole, OPPONENT)
    assert Practice(whole, review, {"solved": {"7": FOUND, "²": FOUND, "x": FOUND, "8": "?"}}).solved == {7: FOUND}


def test_a_review_of_other_moves_does_not_count(reviewed: Hands) -> None:
    reviewed.key("escape")
    play = reviewed.app.screen
    assert isinstance(play, Play)
    assert play.review_values is not None
    reviewed.key("u")
    assert play.review_values is None


def test_the_annotated_game_is_saved(reviewed: Hands) -> None:
    reviewed.key("ctrl+c")
    (text,) = [reviewed.app.services.clipboard.paste()]
    loaded = pdn.read(text)
    assert not loaded.warning
    result = pdn.to_game(loaded.model)
    assert f"{SIGN}: Black: 1 mistake (opening 1); White: 1 mistake (opening 1)" in result.notes[0].text
    reviewed.key("s")
    assert reviewed.app.screen is not reviewed.app.stack[-2]


def test_a_watched_game_is_reviewed(opened: Opened) -> None:
    hands = opened()
    hands.app.open(Play(hands.app, game((OPPONENT, OPPONENT))))
    hands.wait(0.1)
    hands.click("do.review")
    think(hands)
    assert screen(hands).practice.side is None
    assert len(screen(hands).practice.mistakes) == 2


def test_an_answer_of_a_long_review_is_little_work(opened: Opened) -> None:
    """Calls of functions in a step with an answer in a game of 150 plies, without its picture."""
    hands = opened()
    model = GameModel((HUMAN, HUMAN), KINGS, ENDLESS)
    play_on(model, 150)
    model.resign(0)
    made = ReviewScreen(hands.app, model)
    hands.app.open(made)
    steps = list(calls_of(hands, made))
    assert len(steps) >= 150
    assert sorted(steps)[len(steps) // 2] < 7_000


def calls_of(hands: Hands, made: ReviewScreen) -> Iterable[int]:
    now = hands.app.now
    while not made.review.finished:
        now += 0.05
        made.table.update(now)
        assert hands.thinker.present is not None
        ticket, request = hands.thinker.present
        hands.thinker.ready.append(Answer(ticket, judged(request.position, len(request.history))))
        calls = Profile()
        calls.runcall(made.tick, now, 0.05)
        yield sum(each.callcount for each in calls.getstats())


def test_a_rematch_has_no_review(reviewed: Hands) -> None:
    reviewed.key("escape", "r")
    play = reviewed.app.screen
    assert isinstance(play, Play)
    play.model.stamp = play.reviewed[0][1]  # type: ignore[index]
    assert play.review_values is None
