"""The federation's ballots: the positions that a rule yields, with their numbers and names."""

from __future__ import annotations

from collections import Counter

import pytest

from game import ballots, openings, plain
from game.board import Position


def position_of(ballot: ballots.Ballot) -> Position:
    position = Position.start()
    for move in ballot.line:
        position = plain.apply(position, move)
    return position


def test_the_ballots_have_the_positions_that_the_rule_finds() -> None:
    known = ballots.all_ballots()
    assert [ballot.number for ballot in known] == list(range(1, 175))
    assert {position_of(ballot) for ballot in known} == {each.position for each in openings.three_move_ballots()}
    assert len({position_of(ballot) for ballot in known}) == 174
    assert Counter(ballot.played for ballot in known) == {"crossboard": 144, "barred": 18, "mail": 12}
    assert len(ballots.deck()) == 156 and not any(ballot.played == "barred" for ballot in ballots.deck())
    assert set(ballots.PLAYED) == {ballot.played for ballot in known}
    assert sum(bool(ballot.name) for ballot in known) == 24
    assert [" ".join(map(str, ballot.line)) for ballot in known] == [ballot.moves for ballot in known]


@pytest.mark.parametrize(
    ("moves", "title"),
    [
        ("9-14 23-18 14x23", "46 Double Cross"),
        ("9-14 23-18 14x23 27x18", "46 Double Cross"),
        ("11-15 22-17 9-13", "117"),
        ("9-13 22-17 11-15", None),  # 22-17 may be captured here
        ("11-16 22-17 9-13", "141"),
        ("9-14 22-17", None),
        ("9-14 22-17 30-26", None),
        ("nonsense 22-17 30-26", None),
    ],
)
def test_a_game_is_known_by_its_position_after_three_plies(moves: str, title: str | None) -> None:
    found = ballots.ballot_of(moves.split())
    assert (found and found.title) == title


def test_orders_of_moves_that_lead_to_one_position_are_one_ballot() -> None:
    for opening in openings.three_move_ballots():
        assert ballots.ballot_of([str(move) for move in opening.moves]) is not None
    first, other = ["10-15", "21-17", "9-13"], ["9-13", "21-17", "10-15"]
    assert ballots.ballot_of(first) == ballots.ballot_of(other)
    assert ballots.ballot_of(first).title == "87 Tyne"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("words", "numbers"),
    [
        ("17", [17, *range(170, 175)]),
        ("174", [174]),
        ("octopus", [86, 133]),
        ("double cross", [46]),
        ("cross", [46]),
        ("mail", []),
        ("11-15 23-18 8-11", [121]),
        ("11-15, 23-18, 8-11", [121]),
        ("9-13 22-18 13-17", [45]),  # 9-14 22-18 14-17
        ("9-13 22-18 13-1", [45]),
        ("WILD", [9, 16]),
        ("nobody", []),
        ("", list(range(1, 175))),
    ],
)
def test_they_are_found_by_numbers_names_and_moves(words: str, numbers: list[int]) -> None:
    assert [ballot.number for ballot in ballots.find_ballots(words)] == numbers


def test_how_they_are_written_in_pdn() -> None:
    named, other = ballots.all_ballots()[45], ballots.all_ballots()[0]
    assert named.pdn == "Double Cross (ballot 46: 9-14 23-18 14x23)"
    assert other.pdn == "Ballot 1: 9-13 21-17 5-9"
