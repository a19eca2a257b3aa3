"""Nodes a move: those of the games that were played, told beside ratings."""

from __future__ import annotations

import json

import pytest

import main
from evolve.run.conditions import PlayConditions
from evolve.strength import effort
from evolve.strength.match import play_match
from game import match
from game.generator import derive_seed
from game.players.basic import MaterialPlayer
from game.players.player import Choice
from game.players.registry import player
from game.search.interface import Limits, SearchOptions
from tests.cases import for_each


def test_it_is_the_mean_over_unforced_moves_of_the_first_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    a, b = player("material,depth=3"), player("material,depth=2,quiescence=yes")
    result: dict[str, list[int]] = {a.name: [], b.name: []}
    usual = MaterialPlayer.choose

    def choose(self: MaterialPlayer, *arguments: object) -> Choice:
        choice: Choice = usual(self, *arguments)  # type: ignore[arg-type]
        result[self.name] += [choice.nodes] if choice.nodes else []
        return choice

    played = play_match(a, b, 2, seed=5, on_game=(games := []).append)
    monkeypatch.setattr(MaterialPlayer, "choose", choose)
    for number, game in enumerate(games):
        sides = (a, b) if number == 0 else (b, a)
        again = match.play(*sides, opening=game.opening.moves, seed=derive_seed(5, number))
        assert again.moves == game.record.moves
    outcome = effort.of_match(a, b, played)
    for index, one in enumerate((a, b)):
        half = result[one.name][: len(result[one.name]) // 2]
        assert result[one.name] == half * 2
        assert outcome[index] == sum(half) / len(half) > 10


def test_it_is_that_of_all_games_where_players_played_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock never gives the same game again, and nothing is played again."""
    timed, count = player("material,time=0.001"), player("material")
    played = play_match(timed, count, 4, seed=1)
    monkeypatch.setattr(match, "play", None)
    assert played.used is not None
    assert effort.of_match(timed, count, played) == tuple(used.nodes / used.nodes_moves for used in played.used)


@pytest.mark.parametrize(("nodes", "text"), [(None, "–"), (8.04, "8.0"), (99.96, "100.0"), (19842.0, "19,800")])
def test_nodes_are_rounded_to_three_digits(nodes: float | None, text: str) -> None:
    assert effort.text(nodes) == text


def test_verbs_print_effort_beside_the_rating(capsys: pytest.CaptureFixture[str]) -> None:
    names = ("material,depth=2", "random")
    assert main.main(["match", *names, "--games=2", "--seed=1", "--json", "--workers=1"]) == 0
    output = json.loads(capsys.readouterr().out)["nodes"]
    assert output["a"] > 8
    assert output["b"] is None
    assert main.main(["match", *names, "--games=2", "--seed=1", "--workers=1"]) == 0
    assert f"\nNodes  A {effort.text(output['a'])}, B – a move: " in capsys.readouterr().out


@pytest.mark.needs("ladder")
def test_a_ladder_prints_effort_beside_the_rating(capsys: pytest.CaptureFixture[str]) -> None:
    names = ("material,depth=2", "random")
    options = ("--anchors=none", "--games=2", "--seed=1", "--workers=1")
    ladder = ["ladder", *names, "material,depth=3", *options]
    assert main.main([*ladder, "--json"]) == 0
    nodes = {row["player"]: row["nodes"] for row in json.loads(capsys.readouterr().out)["players"]}
    assert nodes["random"] is None
    assert nodes["material,depth=3"] > nodes["material,depth=2"] > 8
    assert main.main(ladder) == 0
    head, *rows = capsys.readouterr().out.splitlines()
    assert "nodes a move" in head
    assert any(effort.text(nodes["material,depth=2"]) in row for row in rows)


@for_each(
    ("limits", "style", "games"),
    [
        (Limits(1), SearchOptions(), 200),
        (Limits(1), SearchOptions(quiescence=True), 100),
        (Limits(4, 1000), SearchOptions(blondie=True), 100),
        (Limits(6), SearchOptions(), 20),
        (Limits(10), SearchOptions(), 2),
        (Limits(64, 1000), SearchOptions(quiescence=True), 100),
        (Limits(64, 20_000), SearchOptions(), 20),
        (Limits(None, 10**6), SearchOptions(), 2),
    ],
)
def test_deeper_searches_play_fewer_games(limits: Limits, style: SearchOptions, games: int) -> None:
    assert effort.usual_games(PlayConditions(limits, style)) == games
