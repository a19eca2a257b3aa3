"""The players shipped with the program: complete files, available by name, made by the recorded command."""

from __future__ import annotations

import csv
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import extras
import main
from evolve.config import toml
from evolve.names.registration import register
from evolve.run import generation_csv, manifest
from evolve.run.columns import GenerationError
from evolve.run.files import RunError
from evolve.run.folder import Run
from evolve.run.packed import read_generation_file
from evolve.run.runs import CHAMPION_RUN, FROZEN_RUN, is_as_shipped
from evolve.session import create
from evolve.strength.levels import NEWEST, YARDSTICKS
from game import moves
from game.board import Position
from game.generator import SplitMix64
from game.networks.evaluator import Evaluator, rows_seen
from game.networks.named import ANACONDA_5046
from game.players.network import NetworkPlayer
from game.players.policy import GlancePlayer
from game.players.registry import player
from game.rules import BLACK
from game.search.interface import Limits, SearchOptions
from tests.cases import for_each
from tests.game.networks.network_samples import CROWNHEAD

ROOT = Path(__file__).parents[1]
RUNS = ROOT / "populations"
RUN = Run(RUNS / "crownhead-1")
FILE = RUNS / "blondie24-840.csv"
FILE_SHA256 = "870ad1972e04311f260c9acdc8dbf958da8418411c852950b9f6f3b3a1ddd47f"
RESULTS = (ROOT / "docs" / "log" / "results.md").read_text(encoding="utf-8")
START = Position.start()


@pytest.fixture(autouse=True)
def _registered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    register(RUNS)
    monkeypatch.chdir(tmp_path)


def published(heading: str) -> str:
    """Return the digest that a chapter of the results publishes."""
    _, _, chapter = RESULTS.partition(f"\n## {heading}\n")
    return re.findall(r"digest\s+`([0-9a-f]{64})`", chapter.partition("\n## ")[0])[0]


def choice(text: str) -> str:
    """Return a player's move at the start of a game, after checking that it is legal."""
    move = player(text).choose(START, (), SplitMix64(0)).move
    assert move in moves.legal_moves(START)
    return str(move)


LEARNING, CAST = (ROOT / "extras" / name for name in ("learning/learning.md", "cast/cast.md"))
SESSIONS: dict[str, tuple[int, list[int] | None, Path | None]] = {
    "crownhead-1": (100, [0, 50, 100], None),
    FROZEN_RUN: (NEWEST[FROZEN_RUN], [], None),
    "first": (112, None, ROOT / "README.md"),
    "cowan-deep": (60, [60], None),
    "q-learning": (30, [30], LEARNING),
    "endgame": (6, [], LEARNING),
    "cast": (162, [162], CAST),
    "search-free": (8, [], LEARNING),
    "zero": (240, None, None),
    CHAMPION_RUN: (NEWEST[CHAMPION_RUN], None, None),
    "policy": (3, None, LEARNING),
    "people": (12, [], LEARNING),
}
"""Newest generation of each shipped run, those that are whole, and the page that has its digest, if not the results."""

OF_OTHER_PRESETS = (FROZEN_RUN, "endgame", "cast", CHAMPION_RUN, "policy", "people", "search-free")


@for_each("name", SESSIONS)
def test_a_shipped_run_has_the_files_and_the_published_digest_of_its_session(name: str) -> None:
    newest, whole, page = SESSIONS[name]
    run = Run(RUNS / name)
    known = run.manifest()
    run.check(known)
    assert (known.damage, known.newest) == (None, newest)
    assert whole is None or known.whole == whole
    if page is None:
        assert known.digest() == published(name)
    elif page.exists():  # that of an extra is in its folder
        assert known.digest() in page.read_text(encoding="utf-8")
    if name not in OF_OTHER_PRESETS and extras.missing(name, "presets.") is None:
        assert toml.from_toml(run.path / "config.toml") == toml.load(name, None, ["seed=1"])


def test_every_generation_has_its_checksum() -> None:
    for entry in RUN.manifest().entries:
        assert manifest.sha256(read_generation_file(RUN.path / entry.file)) == entry.now
    assert RUN.log().index.tolist() == list(range(101))


def test_the_frozen_run_is_the_champion_that_anchors_are_made_of() -> None:
    run = Run(RUNS / FROZEN_RUN)
    assert is_as_shipped(run.path)
    assert run.manifest().digest() == "2ab7a0994985e79a68ed24330d5180ba18f214bf72301a3d0961c2afe1e8d1a0"
    ratings = run.log()["rating"]
    assert ratings.index.tolist() == list(range(7))
    assert ratings.is_monotonic_increasing, "a newcomer sees it learn"
    result = player(FROZEN_RUN)
    assert isinstance(result, NetworkPlayer)
    style = SearchOptions(
        *(False, False, False, 12, 7), threats=True, twofold=True, keeps_table=True, reductions=True, pruning=True
    )
    assert (result.limits, result.style, result.spec.weights) == (Limits(depth=4), style, 118_230)
    assert choice(FROZEN_RUN) == choice(f"{FROZEN_RUN}@6")
    assert choice(f"{FROZEN_RUN}@0,depth=2")
    with pytest.raises(
        RunError, match=r"^crownhead-2: generation 6 has not kept the .*; no generation keeps everything$"
    ):
        player(f"{FROZEN_RUN}:Gen06_0002")
    with pytest.raises(GenerationError, match=r"no weights .* generation 3; .* have weights: 0, 1, 6$"):
        player(f"{FROZEN_RUN}@3")
    levels = {each.generation for each in YARDSTICKS} - {None}
    assert {*levels, NEWEST[FROZEN_RUN]} == {0, 1, 6}


def test_the_run_of_the_readme_is_shipped() -> None:
    assert Run(RUNS / "first").manifest().digest() == published("first")
    assert Run(RUNS / "first").state()[0] == "done", "the window says so in its list of runs"
    assert choice("first") == choice("first@112")


def test_the_run_has_the_ratings_of_its_preset() -> None:
    ratings = RUN.log()["rating"]
    assert ratings.dropna().index.tolist() == list(range(0, 101, 10))
    assert np.isfinite(ratings.dropna()).all()


def test_the_run_is_a_player_by_its_name() -> None:
    result = player("crownhead-1")
    assert isinstance(result, NetworkPlayer)
    style = SearchOptions(quiescence=True, table_bits=12, tablebase=7)
    assert (result.limits, result.style) == (Limits(depth=4), style)
    assert result.spec == RUN.network()
    assert result.spec == CROWNHEAD
    with open(RUN.path / "hall_of_fame.csv", newline="", encoding="utf-8") as file:
        last = list(csv.DictReader(file))[-1]
    assert last["generation"] == "100"
    assert np.asarray(result.weights).tolist() == [np.float32(last[f"w{index}"]) for index in range(33)]
    assert result.king == np.float32(last["king"])
    assert choice("crownhead-1,depth=4,quiescence=yes") == choice(
        f"crownhead-1@100:{last['name']},depth=4,quiescence=yes"
    )


@pytest.mark.check
def test_the_first_generations_come_again_to_the_byte(tmp_path: Path) -> None:
    command = re.findall(r"python main\.py (evolve --preset crownhead-1 .*)", RESULTS)[0]
    assert command == "evolve --preset crownhead-1 --seed 1 --name strong"
    assert main.main([*command.split(), "--generations=1", f"--out={tmp_path}", "--json"]) == 0
    made, shipped = manifest.read(tmp_path / "strong"), RUN.manifest()
    assert [entry.first for entry in made.entries] == [entry.first for entry in shipped.entries[:2]]
    first, second = (tmp_path / "strong" / entry.file for entry in made.entries)
    assert first.read_bytes() == read_generation_file(RUN.generation_path(0))
    thinned = generation_csv.to_csv(generation_csv.read(second).thinned())
    assert thinned == read_generation_file(RUN.generation_path(1))


def test_the_population_of_convolutions_is_a_player() -> None:
    result = player("cowan-deep")
    assert isinstance(result, NetworkPlayer)
    assert (result.limits, result.spec.weights) == (Limits(depth=4), 937)
    assert choice("cowan-deep,depth=2") == choice("cowan-deep@60,depth=2")
    choice("cowan-deep@30,depth=2")


def test_the_network_that_learnt_is_a_player() -> None:
    run = Run(RUNS / "q-learning")
    result = player("q-learning")
    assert isinstance(result, NetworkPlayer)
    assert (result.limits, result.spec.weights) == (Limits(depth=1), 4865)
    assert choice("q-learning") == choice("q-learning@30")
    choice("q-learning@0,depth=2")
    ratings = run.log()["rating"].dropna()
    assert ratings.index.tolist() == list(range(0, 31, 5)) and ratings[30] > ratings[0] + 400


def test_the_player_without_a_search_looks_at_no_reply() -> None:
    result = player("search-free")
    assert isinstance(result, GlancePlayer) and result.canonical_name == "search-free"
    assert choice("search-free") == choice("search-free@8,search=glance")
    choice("search-free,search=tree,nodes=9")


def test_the_network_that_tablebases_taught_is_a_player() -> None:
    result = player("endgame")
    assert isinstance(result, NetworkPlayer)
    position = Position.from_fen("B:W5,K18:BK1,10,K30")
    chances = result.result_chances(position, BLACK)
    assert chances and sum(chances) == pytest.approx(1) and chances[0] > 0.9


@pytest.mark.needs("cast")
def test_the_cast_is_a_whole_run_of_players_of_different_characters() -> None:
    run = Run(RUNS / "cast")
    config = run.config()
    assert config.kind.to_begin(config) == toml.load("cast", None, ["seed=1", "generations=162"])
    assert sum(path.stat().st_size for path in run.path.iterdir()) < 1_000_000
    assert all(run.read_generation(number, thinned=True).names for number in range(162))
    rows = run.read_generation()
    assert len(rows.names) == 77
    result = player("cast")
    assert isinstance(result, NetworkPlayer)
    assert (result.limits, result.spec.weights) == (Limits(depth=3), 65)
    cells = [cell.replace(" ", ",") for cell in rows.columns["cell"]]
    assert choice("cast") == choice(f"cast@162:{cells[0]}")
    assert len({choice(f"cast:{cell}") for cell in cells[:20]}) > 1


@pytest.mark.check
def test_the_file_comes_from_the_run_whose_digest_is_published(tmp_path: Path) -> None:
    lines = (RUNS / "blondie24-840.sha256").read_text(encoding="ascii").splitlines()
    sums = {name: checksum for checksum, _, name in (line.partition("  ") for line in lines)}
    assert list(sums) == [*(f"generation_{number:04d}.csv" for number in range(841)), FILE.name]
    assert sums.pop(FILE.name) == FILE_SHA256
    assert manifest.sha256("".join(sums.values()).encode()) == published("blondie24: 840 generations, strict self-play")
    command = ["evolve", "--preset=blondie24", "--seed=1", "--generations=1", f"--out={tmp_path}", "--json"]
    assert main.main([*command, "--name=blondie24", "--set=rating.every=0"]) == 0
    made = manifest.read(tmp_path / "blondie24").entries
    assert [entry.first for entry in made] == list(sums.values())[:2]


def test_every_individual_of_the_file_is_a_player() -> None:
    rows = generation_csv.read(FILE)
    assert rows.names[0] == "Gen840_0015"
    assert rows.ranks is not None and rows.ranks.tolist() == list(range(1, 16))
    assert rows.kings is not None and rows.steps is None
    assert manifest.sha256(FILE.read_bytes()) == FILE_SHA256
    moved = set()
    for weights, king in zip(rows.weights, rows.kings, strict=True):
        one = NetworkPlayer("one", weights, 0, ANACONDA_5046, float(king), Limits(depth=4), SearchOptions(blondie=True))
        moved.add(one.choose(START, (), SplitMix64(0)).move)
    assert len(moved) > 1
    assert moved <= set(moves.legal_moves(START))
    for row in (0, 7, 14):  # the file is read again for each of them, which takes time
        result = player(f"blondie24-840:{rows.names[row]}")
        assert isinstance(result, NetworkPlayer)
        assert (result.spec, result.king) == (ANACONDA_5046, rows.kings[row])
        assert np.asarray(result.weights).tobytes() == rows.weights[row].tobytes()
    assert choice("blondie24-840,depth=2,blondie=yes")


def test_zero_has_the_weights_of_seven_generations() -> None:
    assert sum(file.stat().st_size for file in (RUNS / "zero").iterdir()) < 3_000_000
    assert "guides a tree search" in player("zero").describe()
    assert choice("zero,nodes=64") == choice("zero@240,nodes=64")
    choice("zero@40,search=alphabeta,nodes=500")
    with pytest.raises(
        GenerationError, match="generations whose champions have weights: 0, 40, 80, 120, 160, 200, 240"
    ):
        player("zero@50")


@pytest.mark.needs("learning")
def test_the_champion_begins_with_the_network_of_zero_and_has_the_weights_of_four_generations() -> None:
    run = Run(RUNS / CHAMPION_RUN)
    assert is_as_shipped(run.path, CHAMPION_RUN)
    assert sum(file.stat().st_size for file in run.path.iterdir()) < 4_500_000
    config, preset = run.config(), toml.load(CHAMPION_RUN, None, ["seed=1"])
    begun = preset.learning.method.begun(preset.network, RUNS)
    assert (config.learning, config.network) == (replace(preset.learning, method=begun), preset.network)
    rows = rows_seen([Position.start(), Position.from_fen("W:W5,K9,22:B1,K30")])
    old, new = (player(f"{name},search=tree").network for name in ("zero@240", f"{CHAMPION_RUN}@0"))
    assert Evaluator(*old[:2]).output_rows(rows).tobytes() == Evaluator(*new[:2]).output_rows(rows).tobytes()
    assert "selectively" in player(CHAMPION_RUN).describe()
    assert choice("crownhead,nodes=500") == choice("crownhead@120,nodes=500")
    choice("crownhead@50,search=tree,nodes=50")
    with pytest.raises(GenerationError, match="generations whose champions have weights: 0, 20, 50, 120"):
        player("crownhead@55")


@pytest.mark.needs("learning")
def test_a_branch_that_lacks_networks_of_a_published_run_is_not_begun(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    branch = ["train", f"--out={tmp_path}", "--branch", str(RUNS / CHAMPION_RUN), "--generations=121"]
    assert main.main(branch) == 2
    result, error = capfd.readouterr()
    assert "generations 82 to 120" in error and "learning.teacher=" in error and error.count("\n") == 1 and not result
    assert list(tmp_path.iterdir()) == []
    begun = create.branch_config(Run(RUNS / CHAMPION_RUN), 120, ["generations=121", "learning.stages.0.first=121"], {})
    assert begun[0].learning.method.stages[0].first == 121  # type: ignore[attr-defined]


def test_the_policy_plays_its_first_choice() -> None:
    assert choice("policy") == choice("policy@3")


def test_people_move_at_a_strength() -> None:
    assert choice("people") == choice("people@12,strength=9,sampling=no")
    assert sum(path.stat().st_size for path in (RUNS / "people").iterdir()) < 1_000_000
    one = player("people,strength=3,depth=2,seed=1")
    likely = one.likelihoods(START)
    assert likely is not None and len(likely) == 7 and max(chance for _, chance in likely) < 0.7
