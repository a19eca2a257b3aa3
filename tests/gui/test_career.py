"""The file of a person's rated games: which games count, ballots, repeated games, and games left unfinished."""

from __future__ import annotations

import json
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from game.ballots import deck
from game.moves import Move
from gui.model.game import GameModel
from gui.rating.career import SAME, Career
from gui.rating.rating import PRIOR, Opponent, RatedResult, level_opponents, rate_person
from gui.storage.rated_games import NAME
from tests.gui.rated_helpers import first_of_the_deck

__all__ = ["first_of_the_deck"]  # a fixture
_, BEGINNER, CASUAL, CLUB, _, EXPERT, *_ = level_opponents()


def result(opponent: Opponent, points: float) -> RatedResult:
    return RatedResult("", opponent, points)


@pytest.fixture
def career(tmp_path: Path) -> Career:
    return Career(tmp_path, clock=lambda: 1_000.0)


def settled(career: Career) -> Career:
    end = time.monotonic() + 60
    while career.step() or career.busy:
        assert time.monotonic() < end
        time.sleep(0.001)
    return career


def played(career: Career, opponent: Opponent, points: float, moves: str = "") -> GameModel:
    model = career.begin(opponent)
    career.finish(career.game_of(model), points, [Move(tuple(map(int, each.split("-")))) for each in moves.split()])
    settled(career)
    return model


def test_results_and_ratings_are_kept(career: Career, tmp_path: Path) -> None:
    assert career.rating is None
    assert career.rating_value == PRIOR
    played(career, BEGINNER, 1)
    played(career, CASUAL, 0.5)
    assert career.rating == rate_person([result(BEGINNER, 1), result(CASUAL, 0.5)])
    again = settled(Career(tmp_path))
    assert again.results == career.results
    assert [each.when for each in again.results] == [1_000.0] * 2


def test_only_an_opponent_that_draws_its_moves_has_a_seed(career: Career) -> None:
    seeds = [career.begin(one).seed for one in (BEGINNER, BEGINNER, EXPERT)]
    assert 0 not in seeds[:2] and seeds[0] != seeds[1] and seeds[2] == 0


def test_a_game_counts_once_and_not_after_it_was_spoilt(career: Career) -> None:
    model = played(career, BEGINNER, 1)
    game = career.game_of(model)
    career.finish(game, 0)
    career.spoil(game, "a move was taken back")
    assert [each.points for each in career.results] == [1]
    assert career.reason(game) == ""
    other = career.game_of(career.begin(CLUB))
    career.spoil(other, "a hint was shown")
    career.finish(other, 1)
    assert len(career.results) == 1
    assert career.reason(other) == "a hint was shown"


def test_each_ballot_is_played_with_both_colours_and_then_another(career: Career) -> None:
    colours, ballots = [], []
    for _ in range(6):
        model = played(career, CLUB, 0.5)
        colours.append(model.seats[0].human)
        ballots.append(model.opening.ballot)
    assert colours == [True, False] * 3
    assert ballots[::2] == ballots[1::2] == list(deck()[:3])
    assert played(career, CASUAL, 1).opening.ballot == deck()[0]  # each opponent has its own deck
    spoilt = career.begin(CLUB)
    career.spoil(career.game_of(spoilt), "a hint was shown")
    assert career.begin(CLUB).opening != spoilt.opening  # a game that does not count has no second half


def test_a_game_with_the_moves_of_an_earlier_one_does_not_count(career: Career) -> None:
    played(career, CLUB, 1, "9-13 22-18 6-9 25-22")
    rating = career.rating
    played(career, CLUB, 1, "9-13 22-18 6-9 25-22")  # with the other colour
    repeated = career.game_of(played(career, CLUB, 1, "9-13 22-18 6-9 25-22"))
    played(career, CASUAL, 1, "9-13 22-18 6-9 25-22")
    assert [each.opponent for each in career.results] == [CLUB, CLUB, CASUAL]
    assert career.reason(repeated) == SAME
    assert rating is not None and career.rating == rate_person(career.results)


def test_ratings_of_another_method_are_computed_again(career: Career, tmp_path: Path) -> None:
    """Use a file of an earlier version: no ballots, no moves, and an interval that counted the prior as games."""
    lines: list[dict[str, Any]] = []
    for number in range(2):
        begin = {"event": "begin", "game": f"g{number}", "black": True, "opponent": asdict(BEGINNER)}
        lines += [begin, {"event": "end", "game": f"g{number}", "points": 1}]
        lines += [{"event": "rating", "game": f"g{number}", "rating": [-400.0 + number, -500.0, -300.0]}]
    (tmp_path / NAME).write_text("".join(json.dumps(line) + "\n" for line in lines))
    settled(career)
    assert [each.after for each in career.results] == [rate_person(career.results[:1]), rate_person(career.results)]
    assert settled(Career(tmp_path)).results == career.results


def test_a_game_that_was_left_is_lost_when_another_begins(career: Career, tmp_path: Path) -> None:
    left = career.game_of(career.begin(CLUB))
    assert career.unfinished == [left] and career.results == []
    career.begin(CASUAL)
    settled(career)
    assert [(each.game, each.points, each.left) for each in career.results] == [(left, 0.0, True)]
    career.finish(left, 1)
    assert [each.points for each in settled(Career(tmp_path)).results] == [0.0]


def test_damaged_lines_are_left_out_without_loss(career: Career, tmp_path: Path) -> None:
    played(career, BEGINNER, 1)
    path = tmp_path / NAME
    lines: list[Any] = [7, {"event": "begin"}, {"game": "x", "event": "begin", "opponent": {"player": "a", "title": 3}}]
    lines += [{"game": "y", "event": "end", "points": 1}, {"game": career.results[0].game, "event": "rating",
                                                            "rating": ["a"]}]  # fmt: skip
    with path.open("ab") as file:
        file.write(b"".join(json.dumps(line).encode() + b"\n" for line in lines) + b'{"game": "to')
    played(career, CASUAL, 0)
    assert "3 damaged lines" in career.trouble
    again = settled(Career(tmp_path))
    assert [each.points for each in again.results] == [1, 0]
    assert again.rating == career.rating


def test_unfinished_rating_is_computed_at_the_next_start(career: Career, tmp_path: Path) -> None:
    played(career, BEGINNER, 1)
    path = tmp_path / NAME
    path.write_bytes(b"".join(line for line in path.read_bytes().splitlines(True) if b'"rating", "game"' not in line))
    again = settled(Career(tmp_path))
    assert again.rating == career.rating
