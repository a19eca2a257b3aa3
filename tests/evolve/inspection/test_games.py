"""Games of reports: the matches they say they are, individuals as they evolved, and warnings."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from pathlib import Path

import pytest

import main
from evolve.config.search import Search
from evolve.inspection import games
from evolve.report.overview import RunOverview, generation_overview, run_overview
from evolve.run import generation_csv
from evolve.run.champions import read_champions
from evolve.run.columns import GenerationError
from evolve.run.conditions import PlayConditions
from evolve.run.log import spaced
from evolve.strength import effort
from evolve.strength.match import MatchResult, play_match
from game.players.basic import MaterialPlayer, RandomPlayer
from game.search.interface import ONE_PLY
from tests.cases import for_each
from tests.synthetic import make_run

LAST = 3


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> RunOverview:
    return run_overview(make_run(tmp_path_factory.mktemp("runs"), "one", LAST, network="blondie-1741"))


def test_strength_is_two_matches(run: RunOverview) -> None:
    player = games.champion_player(run)
    result = games.strength(player, 20)

    def same(one: MatchResult, other: MatchResult) -> bool:
        return replace(one, seconds=0) == replace(other, seconds=0)

    assert result.player == run.champion.name
    assert same(result.random, play_match(player, RandomPlayer(), 20, seed=games.SEED))
    assert same(result.material, play_match(player, MaterialPlayer(), 20, seed=games.SEED))
    assert (result.opponent, result.how.limits) == ("material,depth=1", ONE_PLY)


def test_players_have_their_own_weights_and_kings(run: RunOverview) -> None:
    rows = run.run.read_generation()
    assert rows.kings is not None
    champion = games.champion_player(run)
    assert champion.weights.tobytes() == rows.weights[0].tobytes()
    assert champion.king == rows.kings[0]
    one = games.individual_player(generation_overview(run.run).individual(rows.names[7]))
    assert one is not None
    assert (one.weights.tobytes(), one.king, one.spec) == (rows.weights[7].tobytes(), rows.kings[7], run.config.network)


@pytest.mark.parametrize(
    ("search", "generation", "text"),
    [
        (Search(), 100, "at one ply"),
        (Search(quiescence=True), 0, "looking 1 ply ahead, captures played out"),
        (Search(4, blondie=True, deepen_every=50), 100, "looking 8 plies ahead, as Blondie24 searched"),
    ],
)
def test_how_individuals_look_in_words(search: Search, generation: int, text: str) -> None:
    assert effort.describe(PlayConditions.of(search, generation)) == text


def test_champions_are_those_of_the_hall_of_fame(run: RunOverview) -> None:
    path = run.run.path / "hall_of_fame.csv"
    rows = generation_csv.read(path)
    assert rows.kings is not None
    result = read_champions(run.run.path, {3, 0})
    assert [(each.generation, each.name) for each in result] == [(0, rows.names[0]), (3, rows.names[3])]
    for each in result:
        assert each.weights.tobytes() == rows.weights[each.generation].tobytes()
        assert each.king == rows.kings[each.generation]
    assert read_champions(run.run.path, []) == []
    with pytest.raises(GenerationError, match="generation 4 is missing"):
        read_champions(run.run.path, [2, 4])


@for_each("newest", [0, 1, 5, 10, 11, 12, 15, 99, 100, 101, 999, 1000, 123_456])
@for_each("count", [4, 12, 14])
def test_chosen_generations_are_evenly_spaced(newest: int, count: int) -> None:
    result = spaced(newest, count)
    assert result[0] == 0 and result[-1] == newest
    assert len(result) <= count
    steps = {b - a for a, b in itertools.pairwise(result[:-1])}
    assert len(steps) <= 1
    assert len(result) == newest + 1 or len(result) > count / 3


def test_games_are_played_as_evolved(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def call(target: str, *options: str) -> str:
        assert main.main(["inspect", f"{tmp_path}/{target}", "--games=2", *options]) == 0
        return " ".join(capsys.readouterr().out.split())

    run = make_run(tmp_path, "deep", 1)
    path = run.path / "config.toml"
    path.write_text(path.read_text().replace("\ndepth = 1\n", "\ndepth = 4\n"))
    (tmp_path / "lone.csv").write_bytes(run.generation_path(1).read_bytes())
    name = run.read_generation(1).names[3]
    for target in ("deep", "deep@1", f"deep@1:{name}", "deep/generation_0001.csv"):
        shown = call(target)
        assert shown.count("in 2 games looking 4 plies ahead: ") == 2
    strength = json.loads(call("deep", "--json"))["strength"]
    assert (strength["search"]["depth"], strength["opponent"]) == (4, "material,depth=4")
    shown = call("lone.csv")
    assert shown.count("in 2 games at one ply: ") == 2
    make_run(tmp_path, "blind", 1)
    assert "ook-ahead" not in call("blind")
