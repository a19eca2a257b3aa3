"""Reviews of games: chances, judged moves, what is looked at next, PDN and JSON."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import accumulate

import pytest

from game import plain
from game.board import Position
from game.endgame.verdict import Verdict
from game.moves import Move
from game.pdn.game import Annotation, Game
from game.players.basic import MaterialPlayer
from game.review.annotations import SIGN, annotate, judgement, percent, summary_words
from game.review.chances import CURVES, KNOWN, Chances, GameKind, Result, find_chances, games_of, position_chances
from game.review.judged import (
    STRETCH,
    GamePhase,
    Judged,
    Mark,
    Review,
    judge,
    phase_of,
    read_review,
    review_as_json,
    summarise,
)
from game.review.reviewing import DEEPER, PositionSearch, Reviewing
from game.rules import BLACK, WHITE
from game.scores import Yardstick, info_of
from game.search.interface import WIN, Limits
from tests.cases import for_each
from tests.game.pdn.pdn_texts import only, written
from tests.game.review.findings import finding

START = Position.start()
ENDING = Position.from_fen("B:WK1,K2,30:BK18,K15,12")
CURVE_POINTS = (-4.0, -1.0, -0.3, 0.0, 0.2, 0.9, 3.0)


@for_each("games", GameKind)
@for_each("pieces", [2, 4, 8, 15, 24])
def test_chances_add_up_and_mirror(pieces: int, games: GameKind) -> None:
    last, curve = -1.0, CURVES[games]
    for score in CURVE_POINTS:
        mine, yours = curve.at(score, pieces), curve.at(-score, pieces)
        assert mine.win + mine.draw + mine.loss == pytest.approx(1)
        assert (mine.win, mine.draw) == pytest.approx((yours.loss, yours.draw))
        assert mine.points > last or mine.points > 0.999
        assert not mine.certain
        last = mine.points
    assert curve.at(0.0, pieces).points == pytest.approx(0.5)


def test_people_win_with_leads_that_programs_draw() -> None:
    for pieces in (16, 12, 6):
        assert CURVES[GameKind.PEOPLE].at(0.6, pieces).win > CURVES[GameKind.PROGRAMS].at(0.6, pieces).win + 0.02
    assert find_chances(0.58, 12).result is Result.WIN
    assert find_chances(0.58, 12, games=GameKind.PROGRAMS).result is Result.DRAW


@pytest.mark.parametrize(
    ("tags", "games"),
    [
        ({"Black": "crownhead,depth=4", "White": "material,depth=2"}, "programs"),
        ({"Black": "crownhead@6:Gen06_0001, depth 4, 10 s", "White": "random"}, "programs"),
        ({"Black": "Cake", "BlackType": "program", "White": "KingsRow", "WhiteType": "program"}, "programs"),
        ({"Black": "Person", "White": "crownhead,depth=4"}, "people"),
        ({}, "people"),
    ],
)
def test_names_identify_the_side_of_the_person(tags: dict[str, str], games: str) -> None:
    assert games_of(tags).value == games


def test_a_position_without_a_score_has_no_chances() -> None:
    result = finding(START, 0.2)
    assert position_chances(START, result) == find_chances(0.2, 24, plies=0)
    assert position_chances(START, replace(result, score=None)) is None


def test_results_of_tables_replace_opinions() -> None:
    assert find_chances(WIN - 5, 10) == Chances(1, 0, 0, certain=True)
    assert find_chances(5 - WIN, 10).points == 0
    assert find_chances(3.0, 6, Verdict(0, None)) == Chances(0, 1, 0, certain=True)
    assert find_chances(-0.5, 6, Verdict(1, 21)).result is Result.WIN


def test_only_a_changed_result_is_a_mistake() -> None:
    first, *_, last = plain.legal_moves(START)

    def mark(best: float, played: float) -> Mark | None:
        judged = judge(1, START, last, finding(START, best, played))
        return None if judged is None else judged.mark

    assert judge(1, START, first, finding(START, 0.4, -3.0)) is None  # the best move
    assert mark(0.1, 0.05) is None
    assert mark(0.2, -0.2) is Mark.SLIP  # even before and after
    assert mark(0.1, -1.5) is Mark.BLUNDER
    assert mark(-0.7, -1.1) is Mark.MISTAKE
    assert mark(5.0, 1.5) is None  # still won
    assert mark(-1.5, -5.0) is None  # lost already


def test_judged_move_names_the_better_one() -> None:
    moves = plain.legal_moves(START)
    judged = judge(1, START, moves[-1], finding(START, 0.2, 0.15, -2.0), (moves[0],))
    assert (judged.best, judged.good, judged.refutation) == (moves[0], tuple(moves[:2]), (moves[0],))
    assert (judged.had, judged.left, judged.certain, judged.phase) == (
        Result.DRAW,
        Result.LOSS,
        False,
        GamePhase.OPENING,
    )
    assert judgement(judged) == "Blunder: from an even to a losing position"


def test_tablebases_decide_where_they_reach() -> None:
    moves = plain.legal_moves(ENDING)
    known = finding(ENDING, -2.0, 3.0, verdicts=(1, 0, 0))
    judged = judge(50, ENDING, moves[-1], known)
    assert (judged.before, judged.after, judged.mark) == (KNOWN[1], KNOWN[0], Mark.BLUNDER)
    assert (judged.certain, judged.lost) == (True, 0.5)
    assert (judged.best, judged.phase) == (moves[0], GamePhase.ENDGAME)
    assert judgement(judged) == "Blunder: from a won to a drawn position"
    assert judge(50, ENDING, moves[0], known) is None
    assert judge(50, ENDING, moves[-1], finding(ENDING, -2.0, 3.0, verdicts=(0,))) is None


def test_a_forced_move_is_never_wrong() -> None:
    forced = Position.from_fen("B:W18,30:B15")
    (move,) = plain.legal_moves(forced)
    assert judge(1, forced, move, finding(forced, -3.0)) is None


@pytest.mark.parametrize(("pieces", "phase"), [(24, "opening"), (19, "opening"), (18, "middle game"), (8, "endgame")])
def test_a_phase_follows_from_the_number_of_pieces(pieces: int, phase: str) -> None:
    white = ",".join(str(square) for square in range(33 - pieces // 2, 33))
    black = ",".join(str(square) for square in range(1, pieces - pieces // 2 + 1))
    assert phase_of(Position.from_fen(f"B:W{white}:B{black}")).value == phase


@for_each(("points", "text"), [(0.6249, "62 %"), (0.5, "50 %"), (1.0, "99 %"), (0.0, "1 %"), (0.996, "99 %")])
def test_percent_is_rounded_but_never_to_certainty(points: float, text: str) -> None:
    assert percent(points) == text


def play(count: int) -> list[Move]:
    moves, position = [], START
    for _ in range(count):
        moves.append(plain.legal_moves(position)[-1])
        position = plain.apply(position, moves[-1])
    return moves


def test_suspects_are_looked_at_again_deeper() -> None:
    reviewing = Reviewing(START, play(4), depth=6, tags={"Event": "go as you please"})
    looks = []
    while (search := reviewing.next_search()) is not None:
        looks.append((search.index, search.depth))
        position = reviewing.positions[search.index]
        wrong = (search.index == 1 and search.depth == 6) or search.index == 2  # at a second look move 2 is right
        reviewing.learn(search, finding(position, 0.0, -2.0 if wrong else 0.0))
    assert looks == [(0, 6), (1, 6), (1, 12), (2, 6), (2, 12), (3, 6), (4, 6)]
    assert reviewing.finished
    review = reviewing.review("x")
    assert [mark.ply for mark in review.marks] == [3]
    assert review.points == pytest.approx((0.5,) * 5)


def test_a_game_that_changes_by_itself_is_looked_at_again() -> None:
    reviewing = Reviewing(START, play(2), depth=6)
    reviewing.learn(PositionSearch(0, 6), finding(reviewing.positions[0], 0.0))
    reviewing.learn(PositionSearch(1, 6), finding(reviewing.positions[1], 1.5))  # White is unexpectedly ahead
    assert reviewing.next_search() == PositionSearch(0, 6 + DEEPER)


def test_side_without_moves_has_lost() -> None:
    lost = Position.from_fen("B:W18,30:B15")
    reviewing = Reviewing(lost, plain.legal_moves(lost)[:1])
    assert not plain.legal_moves(reviewing.positions[1]) or reviewing.positions[1].side == WHITE
    won = Position.from_fen("B:W18:B15")
    reviewing = Reviewing(won, plain.legal_moves(won)[:1])
    reviewing.learn(PositionSearch(0, 12), finding(won, WIN - 1))
    assert reviewing.finished
    assert reviewing.review("x").points == (1, 1)


def test_tables_that_open_later_are_used() -> None:
    moves = plain.legal_moves(ENDING)[:1]
    reviewing = Reviewing(ENDING, moves, depth=6)
    for index in (0, 1):
        reviewing.learn(PositionSearch(index, 6), finding(reviewing.positions[index], 0.0))
    assert reviewing.finished
    reviewing.forget_unjudged()
    assert (reviewing.next_search(), reviewing.done) == (PositionSearch(0, 6), 0)
    reviewing.learn(PositionSearch(0, 6), finding(ENDING, 0.0, verdicts=(1,)))
    reviewing.forget_unjudged()
    assert reviewing.next_search() == PositionSearch(1, 6)


def test_an_empty_game_has_one_position() -> None:
    reviewing = Reviewing(START, ())
    assert reviewing.next_search() == PositionSearch(0, 12)
    reviewing.learn(PositionSearch(0, 12), finding(START, 0.0))
    assert (reviewing.finished, reviewing.review("x").marks) == (True, ())


def slid(points: tuple[float | None, ...], result: int | None, marks: tuple[Judged, ...] = ()) -> Review:
    chances = tuple(None if each is None else Chances(each, 0.0, 1 - each) for each in points)
    return Review("x", 12, tuple(play(len(points) - 1)), chances, marks, result=result)


SLIDING = (0.5, 0.5, 0.42, 0.35, 0.25, 0.2, 0.12, 0.12)


def test_lost_game_without_a_mistake_names_the_falls() -> None:
    lost = slid(SLIDING, -1)
    result = lost.slide_of(BLACK)
    assert result is not None and (result.first, result.last) == (2, 6)
    assert (result.before, result.after) == pytest.approx((0.5, 0.12))
    assert lost.slide_of(WHITE) is None
    assert summary_words(lost) == (
        "Black: no big mistake, but the expected score fell from 50 % to 12 % between moves 1 and 3; White: no mistakes"
    )
    won = slid(tuple(1 - each for each in SLIDING if each is not None), 1)
    assert summary_words(won) == (
        "Black: no mistakes; White: no big mistake, but the expected score fell from 50 % to 12 % between moves 1 and 3"
    )
    slide = {"first": 2, "last": 6, "before": 0.5, "after": 0.12}
    assert review_as_json(lost)["slides"] == {"black": slide, "white": None}


def test_a_slide_is_no_longer_than_a_stretch_of_moves() -> None:
    points = tuple(0.9 - 0.02 * number for number in range(41))
    result = slid(points, -1).slide_of(BLACK)
    assert result is not None and result.last - result.first + 1 == STRETCH
    gaps = slid((0.5, None, None, 0.2), -1).slide_of(BLACK)
    assert gaps is not None and (gaps.first, gaps.last) == (1, 3)


def test_both_sides_may_slip_and_a_small_drop_counts_only_for_the_loser() -> None:
    both = slid((0.5, 0.5, 0.9, 0.3), 0)
    assert "Black: no big mistake" in summary_words(both) and "White: no big mistake" in summary_words(both)
    own = slid((0.63, 0.46), -1)
    assert summary_words(own).startswith(f"Black: no big mistake, but move 1 ({own.moves[0]}) cost 17 %; ")
    small = (0.5, 0.5, 0.35)
    assert summary_words(slid(small, 0)) == "Black: no mistakes; White: no mistakes"
    assert "the expected score fell from 50 % to 35 % in move 1" in summary_words(slid(small, -1))


def test_mistake_is_described_further_than_a_decline() -> None:
    moves = plain.legal_moves(START)
    mark = judge(1, START, moves[-1], finding(START, 0.2, 0.15, -2.0), (moves[0],))
    assert mark is not None and mark.mistake
    assert slid(SLIDING, -1, (mark,)).slide_of(BLACK) is None
    assert summary_words(slid(SLIDING, -1, (mark,))).startswith("Black: 1 mistake (opening 1); ")


def test_a_review_counts_moves_that_throw_away_a_proved_result() -> None:
    moves = tuple(play(5))
    chances = (KNOWN[1], KNOWN[0], KNOWN[0], Chances(0.1, 0.8, 0.1), KNOWN[-1], KNOWN[-1])
    review = Review("x", 12, moves, chances, (), positions=tuple(accumulate(moves, plain.apply, initial=START)))
    assert review.proved == {1: False, 2: True}  # then nothing is proved, and at last Black has lost
    assert ", threw away 1 of 1 proved results; White: no mistakes, threw away 0 of 1 proved " in summary_words(review)
    assert replace(review, lot=1).proved_of(BLACK).moves == 0
    forced = Position.from_fen("B:W22:B18")
    moves = tuple(plain.legal_moves(forced))
    assert not Review("x", 12, moves, (KNOWN[1], KNOWN[1]), (), positions=(forced, forced)).proved


@pytest.fixture(scope="module")
def reviewed() -> tuple[Game, Review]:
    text = '[Event "x"]\n\n1. 11-15! {mine} 23-18? 2. 8-11 18-14?! 3. 9x18 24-19 4. 15x24 28x19 5. 4-8 22x15 6. 11x18 *'
    game, analyst = only(text), MaterialPlayer()
    reviewing = Reviewing(game.start, game.moves, 5, games=games_of({}))
    while (search := reviewing.next_search()) is not None:
        position = reviewing.positions[search.index]
        stick, limits = Yardstick(analyst, analyst.man_score(), position), Limits(search.depth)
        result = analyst.searcher().search(
            position,
            reviewing.positions[: search.index],
            limits=limits,
            all_scores=True,
            on_depth=lambda interim, stick=stick: stick.measure(interim.root[0].depth, interim.score, interim.pv),
        )
        reviewing.learn(search, info_of(result, stick))
    return game, reviewing.review(analyst.name)


def test_lost_man_is_detected(reviewed: tuple[Game, Review]) -> None:
    _, review = reviewed
    assert review.mistakes
    assert all(mark.best != mark.move and mark.move not in mark.good for mark in review.marks)
    assert sum(map(sum, (counts.values() for counts in review.summary.values()))) == len(review.mistakes)
    assert review.summary == summarise(review.marks)


def test_annotations_read_back_and_keep_notes_of_others(reviewed: tuple[Game, Review]) -> None:
    game, review = reviewed
    annotated = annotate(game, review)
    again = only(written(annotated))
    assert again == annotated
    assert again.moves == game.moves
    assert set(game.notes) <= set(again.notes)
    for mark in review.marks:
        here = [note for note in again.notes if note.ply == mark.ply]
        assert any(note.kind == "comment" and note.text.startswith(f"{SIGN}: ") for note in here)
        assert any(note.kind == "variation" and str(mark.best) in note.text for note in here)
        assert here[0].kind == "mark"
    assert summary_words(review) in again.notes[0].text
    assert annotate(again, review) == annotated  # a second review takes the place of the first


def test_a_mark_of_the_author_stays_beside_the_number_of_ours(reviewed: tuple[Game, Review]) -> None:
    game, review = reviewed
    mark = review.mistakes[0]
    others = tuple(note for note in game.notes if note.ply != mark.ply)
    notes = tuple(sorted((*others, Annotation(mark.ply, "mark", "!!")), key=lambda note: note.ply))
    here = [note for note in annotate(replace(game, notes=notes), review).notes if note.ply == mark.ply]
    assert (here[0].text, here[1].kind) == ("!!", "nag")
    again = annotate(annotate(replace(game, notes=notes), review), review)
    assert [note for note in again.notes if note.ply == mark.ply] == here


def positions_of(game: Game) -> tuple[Position, ...]:
    return Reviewing(game.start, game.moves).positions


def test_reviews_are_kept_as_json(reviewed: tuple[Game, Review]) -> None:
    game, review = reviewed
    values = json.loads(json.dumps(review_as_json(review)))
    again = read_review(values, positions_of(game), game.moves)
    assert review_as_json(again) == values
    assert [replace(mark, before=None, after=None) for mark in again.marks] == [
        replace(mark, before=None, after=None) for mark in review.marks
    ]
    assert values["summary"]["black"] == {phase.value: n for phase, n in review.summary[BLACK].items()}


@pytest.mark.parametrize(
    "change",
    [
        {"version": 2},
        {"moves": "11-15"},
        {"chances": [2.0]},
        {"chances": ["cats"] * 12},
        {"chances": [[0.5, 0.5]] * 12},
        {"marks": [{}]},
        {"depth": None},
    ],
)
def test_reviews_of_other_games_are_ignored(reviewed: tuple[Game, Review], change: dict[str, object]) -> None:
    game, review = reviewed
    assert read_review(review_as_json(review) | change, positions_of(game), game.moves) is None
    assert read_review(None, positions_of(game), game.moves) is None


@pytest.mark.parametrize("change", [{"line": "1-32"}, {"line": ""}, {"ply": 99}, {"before": 7}, {"mark": "!"}])
def test_a_damaged_mark_is_none(reviewed: tuple[Game, Review], change: dict[str, object]) -> None:
    game, review = reviewed
    values = review_as_json(review)
    values["marks"][0] |= change
    assert read_review(values, positions_of(game), game.moves) is None


def test_marks_belong_to_their_moves(reviewed: tuple[Game, Review]) -> None:
    _, review = reviewed
    mark: Judged = review.marks[0]
    assert review.mark_of(mark.ply) is mark
    assert review.mark_of(0) is None
    assert mark.side == (BLACK if mark.ply % 2 else WHITE)
