"""Recognition of the members of a run by their games."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import main
from evolve.inspection.recognition import (
    Likeness,
    MeasuredGames,
    Recogniser,
    accuracy,
    checked_games,
    features,
    members_of,
    play_examples,
    shares,
)
from evolve.inspection.traits import PlayerTraits
from evolve.run.folder import Run
from game import moves, openings, plain
from game.batch.games import BatchPlayers, index_openings, play_all
from game.bitboard import squares_of
from game.board import Position
from game.errors import InputError
from game.players.basic import MaterialPlayer, RandomPlayer
from game.players.network import NetworkPlayer
from game.players.player import Player
from game.search.interface import Limits
from game.traits import TRAITS
from tests.runs import make_run


def test_features_against_a_twin_on_squares() -> None:
    players = BatchPlayers.of_players([RandomPlayer("random", 0)])
    assert players is not None
    table = index_openings([ballot.moves for ballot in openings.openings("three-move")], Position.start())
    zeros = np.zeros(40, np.int64)
    played = play_all(players, zeros, zeros, openings=table, opening_of=np.arange(40), seeds=list(range(40)), keep=True)
    counted = 0
    for codes in played.codes or ():
        position, seen = Position.start(), (list[set[int]](), list[set[int]]())
        for ply, code in enumerate(codes):
            own = squares_of((position.black, position.white)[position.side])
            seen[position.side].append({square if position.side == 0 else 33 - square for square in own})
            position = plain.apply(position, moves.decode(int(code), ply % 2))
        for side, row in enumerate(features(codes)):
            if len(seen[side]) < 20:
                assert np.isnan(row).all()
                continue
            counted += 1
            occupied = [sum(square in own for own in seen[side][6:20]) / 14 for square in range(1, 33)]
            np.testing.assert_allclose(row[len(TRAITS) :], occupied)
    assert counted > 20


def test_members_that_differ_are_recognised() -> None:
    looking = replace(MaterialPlayer(), name="looking", limits=Limits(3))
    players: list[Player] = [looking, MaterialPlayer(), RandomPlayer("random", 0)]
    examples = play_examples(players, 40)
    one, five = accuracy(examples, 3), accuracy(examples, 3, 5)
    assert one.first > 0.6 and five.first > 0.6 and one.likeliest == 1
    assert one.tests == int((~examples.odd).sum())


def test_one_player_under_fifty_names_is_at_chance() -> None:
    """Otherwise the test would see more than the players: its own games, their order or their ballots."""
    players = [MaterialPlayer(f"material,seed={number}", number, True) for number in range(50)]
    examples = play_examples(players, 24)
    result = accuracy(examples, 50)
    assert result.tests > 400
    assert result.first < 0.02 + 3 * math.sqrt(0.02 / result.tests)
    assert result.likeliest < 0.10 + 3 * math.sqrt(0.10 / result.tests)
    even = shares(Recogniser(examples, 50).log_likelihoods(examples.features[:1])[0])
    assert even.max() < 0.1


@pytest.mark.check
def test_fifty_mutants_are_recognised() -> None:
    """The figures of docs/cast.md: 34 % from one game and 84 % from five; 9 % and 22 % from the nine traits alone."""
    _, members = members_of(Run.open("crownhead-1"))
    first = members[0]
    assert isinstance(first, NetworkPlayer)
    numbers = np.random.Generator(np.random.Philox(5))
    weights = np.array(first.weights)
    steps = numbers.normal(0, weights.std(), (50, len(weights)))
    mutants = [
        replace(first, name=f"mutant {number}", weights=(weights + step).astype(np.float32), limits=Limits(3))
        for number, step in enumerate(steps)
    ]
    examples = play_examples(mutants)
    assert accuracy(examples, 50).first > 0.28
    assert accuracy(examples, 50, 5).first > 0.7
    traits = MeasuredGames(examples.features[:, : len(TRAITS)], examples.members, examples.odd)
    assert 0.05 < accuracy(traits, 50).first < 0.15


def test_shares_are_those_of_bayes() -> None:
    """A game halfway between two members belongs to both, and unknown features are left out."""
    numbers = np.random.Generator(np.random.Philox(1))
    members = np.repeat(np.arange(3), 2000)
    rows = numbers.normal(0, 1, (6000, 2))
    rows[:, 0] += 2.0 * members
    known = Recogniser(MeasuredGames(rows, members, np.ones(6000, np.bool_)), 3)
    even = shares(known.log_likelihoods(np.array([[1.0, 0.0]]))[0])
    exact = np.exp([-0.5, -0.5, -4.5])
    np.testing.assert_allclose(even, exact / exact.sum(), atol=0.03)
    nothing, other = (shares(row) for row in known.log_likelihoods(np.array([[math.nan, 0.0], [4.0, math.nan]])))
    np.testing.assert_allclose(nothing, 1 / 3, atol=0.02)
    assert other.argmax() == 2


def games_of(name: str, *columns: tuple[int, list[float]]) -> PlayerTraits:
    """Return a player of 12 games; each column is a trait with values that its games have in turn."""
    table = np.full((12, len(TRAITS)), math.nan)
    for trait, values in columns:
        table[:, trait] = np.resize(values, 12)
    return PlayerTraits.of(name, [*table], 1)


def test_the_nearest_members_have_the_nearest_traits() -> None:
    """A trait counts the less the more it is chance, and one that is unknown counts for nothing."""
    sure, chance = 0, 7
    members = [
        games_of("alike", (sure, [2.4, 2.6]), (chance, [0, 100])),
        games_of("lucky", (sure, [1.4, 1.6]), (chance, [0, 100, 100])),
        games_of("apart", (sure, [1.0, 1.2]), (chance, [0, 100])),
        PlayerTraits.of("no games", [], 1),
    ]
    person = games_of("Anna", (sure, [2.3, 2.5]), (chance, [0, 100, 100]))
    unsaid = games_of("Bert", (chance, [0, 100, 100]))
    first, second = Likeness.of_players([person, unsaid], members)
    assert (first.player, second.player) == (person, unsaid)
    assert [each.name for each in first.nearest] == ["alike", "lucky", "apart"]
    assert second.nearest[0].name == "lucky"
    assert [each.nearest for each in Likeness.of_players([person], members[-1:])] == [()]


@pytest.mark.parametrize("games", [0, 4, 10, -8, 10_004])
def test_a_number_of_games_that_is_not_possible(games: int) -> None:
    with pytest.raises(InputError, match="--games: expected a multiple of 4 from 8"):
        checked_games(games, "--games: ")


def test_reports(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = make_run(tmp_path, "mine", 1)
    (run.path / "config.toml").write_text("[record]\nformat = 1\n")
    file, short = tmp_path / "games.pdn", '[Black "Anna"]\n[White "Bert"]\n\n1. 11-15 22-18 2. 15x22 25x18 *\n'
    assert main.main(["match", "material", "random", "--games=4", f"--pdn={file}"]) == 0
    file.write_text(file.read_text() + short)
    capsys.readouterr()
    who = ["pdn", "who", str(file), "--cast=mine", f"--runs={tmp_path}", "--games=16"]
    assert main.main([*who, "--json"]) == 0
    printed = capsys.readouterr()
    report = json.loads(printed.out)
    assert not printed.err
    assert (report["members"], report["own_games"], len(report["sides"])) == (12, 16, 10)
    assert report["sides"][-1]["members"] == []
    named = [side["members"] for side in report["sides"] if side["members"]]
    assert named and all(len(members) == 5 for members in named)
    counting = {side["player"]: 0 for side in report["sides"] if side["members"]}
    for side in report["sides"]:
        counting[side["player"]] = counting.get(side["player"], 0) + side.get("games", bool(side["members"]))
    assert [(each["name"], each["games"]) for each in report["traits"]] == sorted(
        ((name, games) for name, games in counting.items() if games), key=lambda one: -one[1]
    )
    for each in report["traits"]:
        assert len({member["name"] for member in each["nearest"]}) == 3
        assert {*each["traits"]} == {*each["nearest"][0]["traits"]} == {trait.name for trait in TRAITS}
    for members in [*named, *(each["members"] for each in report["players"])]:
        values = [member["share"] for member in members]
        assert values == sorted(values, reverse=True) and sum(values) <= 1 + 1e-9
    damaged = short.replace("22-18", "22-19")
    file.write_text(f"{damaged}\n{short}")
    assert main.main(who) == 2
    printed = capsys.readouterr()
    assert "ply 2" in printed.err and "first in 8.3 %, among the five in 41.7 %" in printed.out
    file.write_text(damaged)  # with nothing to recognise, nothing is played
    assert main.main(who) == 2
    printed = capsys.readouterr()
    assert "ply 2" in printed.err and printed.err.count("\n") == 1 and not printed.out


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("--cast crownhed", "near: crownhead"),
        ("--cast cast:back-row=7", "cast:back-row=7: expected the name of a run alone: cast"),
        ("--cast cast@30", "cast@30: expected the name of a run alone: cast"),
        ("--cast first --games 7", "--games: expected a multiple of 4"),
        ("--cast q-learning", "2 or more individuals"),
        ("--cast first", "no such file"),
    ],
)
def test_wrong_input_is_one_line(words: str, text: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main.main(["pdn", "who", str(tmp_path / "games.pdn"), *words.split()]) == 2
    printed = capsys.readouterr()
    assert not printed.out
    assert printed.err.count("\n") == 1
    assert text in printed.err
