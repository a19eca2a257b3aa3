"""Openings by name: the federation's ballots, whose positions a rule yields, and the classical openings."""

from __future__ import annotations

from collections import Counter

import pytest

from game import ballots, openings, plain
from game.board import Position
from tests.cases import for_each


def position_of(ballot: ballots.Ballot) -> Position:
    position = Position.start()
    for move in ballot.line:
        position = plain.apply(position, move)
    return position


def test_the_ballots_have_the_positions_that_the_rule_finds() -> None:
    known = ballots.all_ballots()
    assert [ballot.number for ballot in known] == list(range(1, 175))
    assert {position_of(ballot) for ballot in known} == {each.position for each in openings.openings("three-move")}
    assert len({position_of(ballot) for ballot in known}) == 174
    assert Counter(ballot.played for ballot in known) == {"crossboard": 144, "barred": 18, "mail": 12}
    assert len(ballots.deck()) == 156 and not any(ballot.played == "barred" for ballot in ballots.deck())
    assert set(ballots.PLAYED) == {ballot.played for ballot in known}
    assert len(ballots._nicknamed()) == 24
    assert [ballot.number for ballot in known if not ballot.name] == [116, 117, 118, 126, 128]
    assert [" ".join(map(str, ballot.line)) for ballot in known] == [ballot.moves for ballot in known]


@for_each(
    ("moves", "title"),
    [
        ("9-14 23-18 14x23", "Double Cross, ballot 46"),
        ("9-14 23-18 14x23 27x18", "Double Cross, ballot 46"),
        ("11-15 22-17 9-13", "Ballot 117"),
        ("9-13 22-17 11-15", "Edinburgh"),  # 22-17 may be captured here
        ("11-16 22-17 9-13", "Bristol, ballot 141"),
        ("9-14 22-17 30-26", "Double Corner"),
        ("nonsense 22-17 30-26", ""),
        ("", ""),
        ("11-15 23-18 8-11", "Cross, ballot 121"),
        ("11-15 23-18 8-11 27-23 11-16 24-20", "Slip Cross, ballot 121"),
        ("11-15 23-19 8-11 22-17 4-8 17-13", "Old Fourteenth, ballot 126"),
        ("11-15 23-19 7-11 22-17 9-14", "Whilter, ballot 104"),
    ],
)
def test_a_game_has_the_longest_name_of_its_positions(moves: str, title: str) -> None:
    assert ballots.opening_of(moves.split()).title == title


def test_each_classical_opening_is_legal_has_a_source_and_is_the_name_of_its_position() -> None:
    known = ballots.classical_openings()
    assert len({opening.moves for opening in known}) == len(known) == 42
    for opening in known:
        moves = opening.moves.split()
        assert [str(move) for move in opening.line] == moves
        assert opening.source.startswith(("https://", "http://", "Encyclopaedia Britannica")) and opening.name.strip()
        assert ballots.opening_of(moves).name == opening.name
        assert ballots.opening_of([*moves, "nonsense"]).name == opening.name
    assert max(len(opening.moves.split()) for opening in known) == ballots.longest() == 9


def test_orders_of_moves_that_lead_to_one_position_are_one_ballot() -> None:
    for opening in openings.openings("three-move"):
        assert ballots.opening_of([str(move) for move in opening.moves]).ballot is not None
    first, other = ["10-15", "21-17", "9-13"], ["9-13", "21-17", "10-15"]
    assert ballots.opening_of(first) == ballots.opening_of(other)
    assert ballots.opening_of(first).title == "Tyne, ballot 87"


@for_each(
    ("words", "numbers"),
    [
        ("17", [17, *range(170, 175)]),
        ("octopus", [86, 133]),
        ("double cross", [46]),
        ("mail", []),
        ("11-15 23-18 8-11", [121]),
        ("11-15, 23-18, 8-11", [121]),
        ("9-13 22-18 13-17", [45]),  # 9-14 22-18 14-17
        ("9-13 22-18 13-1", [45]),
        ("WILD", [9, 16]),
        ("", list(range(1, 175))),
    ],
)
def test_ballots_are_selected_by_number_name_and_moves(words: str, numbers: list[int]) -> None:
    results = [each.number for each in ballots.find_openings(words) if isinstance(each, ballots.Ballot)]
    assert sorted(results) == numbers


@pytest.mark.parametrize(
    ("words", "first"),
    [
        ("cross", ["Cross"]),
        ("Kelso", ["Kelso", "Kelso"]),
        ("kel", ["Kelso", "Kelso Cross"]),
        ("will o", ["Will o' the Wisp"]),
        ("11-15 23-19 8-11 22-17", ["Alma", "Old Fourteenth", "Laird and Lady"]),
    ],
)
def test_the_opening_with_the_typed_name_comes_first(words: str, first: list[str]) -> None:
    assert [each.name for each in ballots.find_openings(words)][: len(first)] == first


def test_how_they_are_written_in_pdn() -> None:
    named, other = ballots.all_ballots()[45], ballots.all_ballots()[0]
    assert named.pdn == "Double Cross (ballot 46: 9-14 23-18 14x23)"
    assert other.pdn == "Edinburgh (ballot 1: 9-13 21-17 5-9)"
    assert ballots.opening_of(["10-15"]).pdn == "Kelso (10-15)"
    assert ballots.opening_of(["11-15", "23-19", "9-14", "22-17", "6-9"]).pdn == "Souter (ballot 128: 11-15 23-19 9-14)"
    assert ballots.opening_of(["11-15", "22-17", "9-13"]).pdn == "Ballot 117: 11-15 22-17 9-13"
