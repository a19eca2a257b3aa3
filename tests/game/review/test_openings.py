"""Reviews of openings: first moves cost what they cost people, and moves that a lot chose are not judged."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from evolve.names.registration import register
from evolve.run.runs import CHAMPION_RUN, SHIPPED_RUNS
from game import analysis, plain
from game.ballots import all_ballots, plies_by_lot
from game.board import Position
from game.moves import Move
from game.players.registry import player
from game.review.chances import GameKind, find_chances, plies_played, score_chances
from game.review.judged import judge, read_review, review_as_json
from game.review.reviewing import DEEPER, DEPTH, PositionSearch, Reviewing
from game.search.interface import Limits
from tests.cases import for_each
from tests.game.review.findings import finding

START = Position.start()
COSTS = {
    "11-15": 0.0, "11-16": 0.062, "9-14": 0.033, "10-14": 0.069, "10-15": 0.066, "12-16": 0.058, "9-13": 0.057
}  # fmt: skip
"""The points that first moves cost people, by 9,030 different games (docs/ratings.md)."""


def played(text: str) -> tuple[tuple[Move, ...], Position]:
    line, position = [], START
    for word in text.split():
        move, position = next(pair for pair in plain.successors(position) if str(pair[0]) == word)
        line.append(move)
    return tuple(line), position


def test_first_moves_cost_as_much_as_in_games_of_people() -> None:
    register(SHIPPED_RUNS)
    root = analysis.analyse(player(CHAMPION_RUN), START, Limits(DEPTH + DEEPER)).root
    scores = {str(each.move): each.score for each in root}
    points = {move: score_chances(START, score).points for move, score in scores.items()}
    assert {move: max(points.values()) - each for move, each in points.items()} == pytest.approx(COSTS, abs=0.04)
    every = finding(START, *(scores[str(move)] for move in plain.legal_moves(START)))
    for games in GameKind:
        assert [judge(1, START, move, every, games=games) for move in plain.legal_moves(START)] == [None] * 7


@pytest.mark.parametrize("games", GameKind)
def test_scores_count_less_before_the_first_moves(games: GameKind) -> None:
    points = [find_chances(0.5, 24, games=games, plies=plies).points for plies in range(6)]
    later = find_chances(0.5, 24, games=games).points
    assert points == sorted(points) and 0.5 < points[0] < later - 0.05
    assert points[3] == pytest.approx(later, abs=0.005) and points[5] == pytest.approx(later, abs=0.001)


@pytest.mark.parametrize(
    ("moves", "plies"),
    [("", 0), ("9-13", 1), ("12-16 24-20", 2), ("11-15 22-17 8-11", 3), ("11-15 23-19 8-11 22-17 4-8 17-13", 6)],
)
def test_plies_are_counted_by_the_rows_of_the_men(moves: str, plies: int) -> None:
    _, position = played(moves)
    assert plies_played(position) == plies
    assert score_chances(position, 0.4) == find_chances(0.4, 24, plies=plies)


def test_after_a_capture_scores_count_in_full() -> None:
    _, position = played("11-15 22-18 15x22")
    assert plies_played(position) is None
    assert score_chances(position, 0.4) == find_chances(0.4, 23)
    assert plies_played(Position.from_fen("B:W21-32:B1-11,K12")) is None


@for_each(
    ("moves", "tags", "plies"),
    [
        ("9-13 22-18 10-14 18x9", {}, 3),
        ("9-13 21-17 10-14 17x10", {}, 2),  # barred, so only its first two moves may be of a lot
        ("12-16 23-19 16x23", {}, 1),
        ("9-13 24-20 13-17", {}, 2),  # no ballot
        ("9-13", {}, 1),
        ("", {}, 0),
        ("9-13 22-18 10-14 18x9", {"Event": "State championship, GAYP"}, 0),
        ("9-13 22-18 10-14 18x9", {"Event": "3-move world title"}, 3),
        ("9-13 22-18 10-14 18x9", {"Opening": "start"}, 0),
        ("9-13 22-18 10-14 18x9 5x14", {"Opening": "9-13 22-18 10-14 18x9"}, 4),
        ("9-13 22-18 10-14 18x9", {"Opening": "9-13 22-17"}, 3),  # of another game
        ("9-13 22-18 10-14 18x9", {"Opening": "Double Cross (ballot 46: 9-14 23-18 14x23)"}, 3),
        ("21-17", {"FEN": "W:W21,22:B1,2"}, 0),
    ],
)
def test_moves_that_a_lot_may_have_chosen(moves: str, tags: Mapping[str, str], plies: int) -> None:
    if "FEN" in tags:
        start = Position.from_fen(tags["FEN"])
        line = tuple(move for move in plain.legal_moves(start) if str(move) == moves)
    else:
        start, line = START, played(moves)[0]
    assert plies_by_lot(start, line, tags) == plies


def test_each_ballot_of_the_deck_is_a_lot() -> None:
    for ballot in all_ballots():
        plies = plies_by_lot(START, ballot.line)
        assert plies < 3 if ballot.played == "barred" else plies == 3, ballot.title


def reviewed(moves: str, tags: Mapping[str, str] | None = None, *, blunders: bool = True) -> Reviewing:
    """Return a review in which the best score is 0, and that of each move that was played -1.5 if it `blunders`."""
    line, _ = played(moves)
    reviewing = Reviewing(START, line, 6, result=-1, tags=tags)
    while (search := reviewing.next_search()) is not None:
        position = reviewing.positions[search.index]
        scores = [
            -1.5 if blunders and search.index < len(line) and move == line[search.index] else 0.0
            for move in plain.legal_moves(position)
        ]
        reviewing.learn(search, finding(position, *scores))
    return reviewing


def test_moves_of_a_lot_are_not_marked() -> None:
    line = "9-13 22-18 10-14 18x9 5x14 24-20 11-15"
    assert [mark.ply for mark in reviewed(line).review("x").marks] == [6, 7]  # 4 and 5 were forced
    assert [mark.ply for mark in reviewed(line, {"Event": "GAYP"}).review("x").marks] == [1, 2, 3, 6, 7]
    longer = {"Opening": "9-13 22-18 10-14 18x9 5x14 24-20"}
    assert [mark.ply for mark in reviewed(line, longer).review("x").marks] == [7]


def test_a_slide_begins_after_the_moves_of_a_lot() -> None:
    line, _ = played("9-13 22-18 10-14 18x9 5x14")
    for tags, slides in (({}, False), ({"Event": "GAYP"}, True)):
        reviewing = Reviewing(START, line, 6, result=-1, tags=tags)
        for index, position in enumerate(reviewing.positions):
            score = 0.0 if index < 2 else 0.35 if position.side else -0.35
            reviewing.learn(PositionSearch(index, 6), finding(position, score))
        assert (reviewing.review("x").slide_of(0) is not None) == slides


def test_a_stored_review_keeps_the_moves_of_a_lot() -> None:
    line = "9-13 22-18 10-14 18x9 5x14 24-20 11-15"
    for tags in ({}, {"Event": "GAYP"}, {"Opening": "9-13 22-18 10-14 18x9 5x14 24-20"}):
        reviewing = reviewed(line, tags)
        review = reviewing.review("x")
        values = json.loads(json.dumps(review_as_json(review)))
        again = read_review(values, reviewing.positions, reviewing.moves, -1)
        assert again is not None and again.lot == review.lot
        assert [mark.ply for mark in again.marks] == [mark.ply for mark in review.marks]
