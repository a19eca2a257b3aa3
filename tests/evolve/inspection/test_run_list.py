"""Lists of runs by the verb `inspect`, and games of its reports: the matches they say they are, as players evolved."""

from __future__ import annotations

import hashlib
import itertools
import json
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import main
from evolve.breeding.inheritance import individual_name
from evolve.config import toml
from evolve.config.search import Search
from evolve.inspection import games
from evolve.inspection.run_list import list_runs
from evolve.report.overview import RunOverview, generation_overview, run_overview
from evolve.run import generation_csv, notes
from evolve.run.append_only import LOG
from evolve.run.champions import read_champions
from evolve.run.columns import GenerationError
from evolve.run.conditions import PlayConditions
from evolve.run.files import CONFIG, SWEEP
from evolve.run.folder import FORMAT, Run
from evolve.run.log import LOG_COLUMNS, spaced
from evolve.run.manifest import Manifest
from evolve.strength import effort
from evolve.strength.match import MatchResult, play_match
from game.players.basic import MaterialPlayer, RandomPlayer
from game.search.interface import ONE_PLY
from tests.cases import for_each
from tests.synthetic import make_run

RATED = 5
"""One generation of this many is rated."""


def make_logged_run(
    runs: Path, name: str, generations: int, seed: int, *settings: str, best: float = 400.0, wide: float = 1.0
) -> Run:
    """Make a run with a log but without individuals.

    Args:
        runs: the folder of runs.
        name: the name of the run.
        generations: the number of the last generation in the log.
        seed: the seed of the run, and of the noise in its log.
        settings: settings of its configuration.
        best: the limit of its rating.
        wide: the limit of its diversity.
    """
    run = Run(runs / name)
    run.path.mkdir(parents=True)
    config = toml.load(settings=[f"generations={max(generations, 1)}", f"seed={seed}", *settings])
    (run.path / CONFIG).write_text(toml.to_toml(config, {"format": FORMAT}), encoding="utf-8")
    (run.path / LOG).write_text(f"{','.join(LOG_COLUMNS)}\n", encoding="utf-8")
    add_lines(run, range(generations + 1), seed, best=best, wide=wide)
    return run


def add_lines(run: Run, numbers: Sequence[int], seed: int, *, best: float = 400.0, wide: float = 1.0) -> None:
    known, lines = run.manifest(), []
    known = Manifest() if known.newest < 0 else known
    for number in numbers:
        draw = np.random.Generator(np.random.Philox([seed, number])).normal(size=3)
        rating = round(best * (1 - math.exp(-number / 15)) + 12 * float(draw[0]))
        rated = (rating, rating - 55, rating + 60) if number % RATED == 0 else ("", "", "")
        diversity = round(wide * (1 + 2 * math.exp(-number / 8)) + 0.05 * float(draw[1]), 4)
        lines.append(
            (number, individual_name(number, 0), 64, 900, 120 + round(9 * float(draw[2])), 0, 42_000, 3_100_000,
             41, 20.5, 3, 64, diversity, *rated, "", "", "", 12.5)
        )  # fmt: skip
        data = f"generation {number}".encode()
        run.generation_path(number).write_bytes(data)
        known = known.with_entry(hashlib.sha256(data).hexdigest())
    with (run.path / LOG).open("a", encoding="utf-8") as file:
        file.write("".join(",".join(map(str, line)) + "\n" for line in lines))
    known.write(run.path)


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    for seed, name in enumerate(("fine", "poor", "gone"), 4):
        make_logged_run(tmp_path, name, 3, seed)
    notes.note_run(make_logged_run(tmp_path, "wide", 2, 7, "variation.high=0.2"), "see\nbelow", ["good", "wide"])
    notes.note_run(make_logged_run(tmp_path, "old", 0, 8), archived=True)
    (tmp_path / "poor" / "manifest.csv").write_text("nonsense")
    (tmp_path / "gone" / "config.toml").write_text("nonsense")
    return tmp_path


def test_all_runs_are_listed_with_their_states(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(["inspect", "--runs", str(runs)]) == 0
    title, _, heading, *lines = capsys.readouterr().out.splitlines()
    assert title.split() == ["4", "runs", str(runs)]
    assert heading.split() == ["run", "preset", "seed", "state", "generation", "tags", "note"]
    assert [line.split() for line in lines if line] == [
        ["fine", "cowan", "4", "stopped", "3"],
        ["gone", "-", "-", "damaged", "3"],
        ["poor", "cowan", "5", "damaged", "-"],
        ["wide", "cowan", "7", "stopped", "2", "good,", "wide", "see"],
        ["and", "1", "archived"],
    ]


def test_list_as_json(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(["inspect", "--json", "--runs", str(runs)]) == 0
    values = json.loads(capsys.readouterr().out)
    assert values["kind"] == "list"
    assert values["runs"][-1] == {
        "name": "wide", "preset": "cowan", "seed": 7, "state": "stopped", "generation": 2,
        "tags": ["good", "wide"], "note": "see\nbelow", "archived": False,
    }  # fmt: skip
    assert [run["name"] for run in list_runs(runs) if run["archived"]] == ["old"]


def test_runs_of_sweeps_are_listed_by_the_names_that_commands_take(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make_logged_run(tmp_path, "alone", 1, 1)
    for seed in (1, 2):
        notes.note_run(make_logged_run(tmp_path / "high", f"s{seed}", 1, seed), tags=["good"] * (seed == 2))
    (tmp_path / "high" / SWEEP).write_text('verb = "evolve"\n')
    assert main.main(["inspect", "--runs", str(tmp_path)]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert lines[0][:2] == ["3", "runs"] and [line[0] for line in lines[3:] if line] == ["alone", "high/s1", "high/s2"]
    assert Run.find(tmp_path, "high/s2") is not None


def test_a_report_shows_tags_and_note(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_run(tmp_path, "one", 1)
    run = Run(tmp_path / "one")
    notes.note_run(run, "the best so far", ["good", "kept"])
    assert main.main(["inspect", str(run.path), "--games=0"]) == 0
    output = capsys.readouterr().out
    assert "tags  good, kept" in output and "note  the best so far" in output


def test_an_empty_folder_lists_no_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(["inspect", "--runs", str(tmp_path)]) == 0
    assert capsys.readouterr().out.split()[:2] == ["0", "runs"]


def test_options_of_something_need_it_named(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(["inspect", "--games", "0", "--runs", str(runs)]) == 2
    assert "--games: expected a TARGET" in capsys.readouterr().err


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
