"""What every kind of player keeps, those that there are and one from outside; and where that one appears."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import main
from evolve.names.registration import register
from game import analysis, moves
from game.board import Position
from game.endings import Reason
from game.errors import InputError
from game.generator import SplitMix64
from game.match import play
from game.networks.named import CNN_247, to_toml
from game.players import names, registry
from game.players.names import PlayerName, parse_name, quote
from game.players.player import Player
from game.players.registry import player
from game.rules import DrawRules
from game.search.interface import WON, Limits
from gui.model.seats import individual
from tests import outside_player
from tests.game.networks.network_samples import HEADED, tame
from tests.game.search.tree_helpers import COUNTING, counting

RUNS = Path(__file__).parents[3] / "populations"
CHANCES = HEADED[2]
START = Position.start()
FORCED = Position.from_fen("B:W5,17:B1,14")
MIDDLE = Position.from_fen("W:W18,24,K10:B12,K22")
KINDS = (
    "random",
    "random,seed=3",
    "material",
    "material,seed=2",
    "material,depth=3,quiescence=yes",
    "material,seed=1,nodes=200",
    "material,time=0.012345678",
    "crownhead-1",
    "crownhead-1@3,depth=1",
    "crownhead-1,nodes=50",
    "CSV",
    "CSV:'Ann, the \"best\"',depth=2,blondie=yes",
    "BOTH,search=tree",
    "BOTH,search=tree,nodes=30,tablebase=4",
    "BOTH,search=policy",
    "zero,search=glance",
    "CHANCES",
    "plodder",
    "plodder,depth=1",
)


@pytest.fixture(autouse=True)
def _known(own_names: None, monkeypatch: pytest.MonkeyPatch) -> None:
    for table in (registry.KINDS, names.OPTIONS_OF):
        monkeypatch.setitem(table, "plodder", None)  # so that it is gone afterwards
    registry.register_player(outside_player.KIND)
    register(RUNS)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("some, files") / "two players.csv"
    weights = np.random.default_rng(5).normal(size=(2, CNN_247.weights)).astype(np.float32)
    rows = [",".join(map(repr, row.tolist())) for row in weights]
    header = "names," + ",".join(f"w{index}" for index in range(CNN_247.weights))
    path.write_text(f'{header}\nBob,{rows[0]}\n"Ann, the ""best""",{rows[1]}\n', encoding="utf-8")
    for stem, spec, genome in (("both", COUNTING, counting()), ("chances", CHANCES, tame(CHANCES, 1))):
        text = f"names,{','.join(f'w{index}' for index in range(spec.weights))}\nCy,{','.join(map(str, genome))}\n"
        path.with_name(f"{stem}.csv").write_text(text, encoding="utf-8")
        path.with_name(f"{stem}.toml").write_text(to_toml(spec), encoding="utf-8")
    return path


def named(text: str, file: Path) -> str:
    text = text.replace("CSV", quote(str(file)))
    for stem in ("both", "chances"):
        network = quote(str(file.with_name(f"{stem}.toml")))
        text = text.replace(stem.upper(), f"{quote(str(file.with_name(f'{stem}.csv')))},network={network}")
    return text


@pytest.fixture(params=KINDS)
def name(request: pytest.FixtureRequest, file: Path) -> str:
    return named(str(request.param), file)


@pytest.fixture
def somebody(name: str) -> Iterator[Player]:
    yield player(name)


def test_moves_are_legal_and_forced_ones_take_no_thought(somebody: Player) -> None:
    for position in (START, MIDDLE):
        choice = somebody.choose(position, (), SplitMix64(1))
        assert choice.move in moves.legal_moves(position)
        assert not choice.pv or choice.pv[0] == choice.move
    (only,) = moves.legal_moves(FORCED)
    generator = SplitMix64(1)
    choice = somebody.choose(FORCED, (), generator)
    assert (choice.move, choice.score, choice.nodes, generator.state) == (only, None, 0, SplitMix64(1).state)


def test_its_canonical_name_means_the_same_player(somebody: Player) -> None:
    again = player(somebody.canonical_name)
    assert (again.identity, again.canonical_name) == (somebody.identity, somebody.canonical_name)
    assert hash(again.identity) == hash(somebody.identity)
    renamed = somebody.with_name("another name")
    assert renamed.name == "another name" != somebody.name
    if somebody.canonical_name != somebody.name:
        assert renamed.identity == somebody.identity


def test_players_of_other_names_are_others(file: Path) -> None:
    everybody = [player(named(text, file)) for text in KINDS]
    assert len({each.identity for each in everybody}) == len(everybody)


def test_declared_chance_and_repetition_are_true(somebody: Player) -> None:
    if somebody.deterministic:
        assert len({somebody.choose(START, (), SplitMix64(seed)).move for seed in range(4)}) == 1
    if somebody.repeatable:
        games = [play(somebody, player("random"), seed=7, rules=DrawRules(max_plies=24)) for _ in range(2)]
        assert games[0].moves == games[1].moves
    assert somebody.repeatable or not somebody.deterministic


def test_games_end_by_the_draw_rules(somebody: Player) -> None:
    game = play(somebody, player("random"), rules=DrawRules(max_plies=12), seed=3)
    assert game.reason in (Reason.LENGTH, Reason.NO_MOVE) and len(game.moves) <= 12


def test_its_scores_have_a_scale(somebody: Player) -> None:
    scale, even = somebody.scale, somebody.even_score(MIDDLE)
    assert somebody.man_score() > 0
    assert scale.unit and scale.share(even, even) == 0.0
    shares = [scale.share(score, even) for score in (-WON - 1, even - 1, even, even + 1, WON + 1)]
    assert shares == sorted(shares) and (shares[0], shares[-1]) == (-1.0, 1.0)
    score = somebody.choose(MIDDLE, (), SplitMix64(0)).score
    assert score is None or -1.0 <= scale.share(score, even) <= 1.0
    assert somebody.describe()


def test_analysis_of_a_searching_player_scores_every_move(somebody: Player) -> None:
    if somebody.searching is None:
        with pytest.raises(InputError, match="does not score moves"):
            analysis.analyse(somebody, MIDDLE)
        return
    assert somebody.searching.describe_search()
    messages = []
    limits = Limits(depth=3)
    for position in (START, MIDDLE):
        result = analysis.analyse(somebody, position, limits)
        assert {each.move for each in result.root} == set(moves.legal_moves(position))
        assert all(each.exact for each in result.root) and result.root[0].score == max(e.score for e in result.root)
    outcome = somebody.searching.searcher().search(START, limits=limits, on_depth=messages.append)
    assert [each.depth for each in messages][-1] == outcome.depth == 3
    few = somebody.searching.searcher().search(START, limits=Limits(nodes=1))
    assert few.move in moves.legal_moves(START) and few.depth <= 2


def engine(somebody: Player, messages: list[str]) -> Any:
    module = pytest.importorskip("extras.engine.engine", reason="the engine is an extra")
    return module.Engine(somebody, messages.append)


def test_an_engine_answers_for_it(somebody: Player) -> None:
    messages: list[str] = []
    engine(somebody, messages).run(["isready", f"position fen {MIDDLE.fen()}", "go depth 2"])
    assert messages[0] == f"id name Crownhead {somebody.name}" and messages[2] == "readyok"
    infos = [line for line in messages if line.startswith("info depth")]
    assert bool(infos) == (somebody.searching is not None)
    assert messages[-1].split()[1] in {str(move) for move in moves.legal_moves(MIDDLE)}
    assert not [line for line in messages if line.startswith("error")]


def call(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    capsys.readouterr()
    assert main.main(list(arguments)) == 0
    return capsys.readouterr().out


@pytest.mark.addition(
    "player",
    "a class derived from `Player`, and a call of `register_player` "
    "([example](docs/players.md#a-search-of-its-own)); a built-in one also its name and options in "
    "`game/players/`",
)
@pytest.mark.needs("ladder", "analysis")
def test_the_outside_player_is_one_in_every_verb(capsys: pytest.CaptureFixture[str]) -> None:
    played = call(capsys, "match", "plodder", "random", "--games=2", "--workers=2", "--seed=1")
    assert "plodder  searches 2 plies ahead" in played
    options = ("--anchors=random", "--games=2", "--json")
    result = json.loads(call(capsys, "ladder", "plodder", "'plodder',depth=1", *options))
    assert {row["player"] for row in result["players"]} == {"plodder", "'plodder',depth=1", "random"}
    outcome = json.loads(call(capsys, "analyse", "plodder", "--depth=3", "--json"))
    assert outcome["depth"] == 3 and len(outcome["moves"]) == 7
    assert json.loads(call(capsys, "move", "plodder", "--json"))["score"] == 0.0


@pytest.mark.addition("search", "a class that implements `Searcher`, returned by the `searcher()` of a player")
def test_engine_reports_the_search_of_a_player() -> None:
    reports: list[str] = []
    engine(player("plodder"), reports).run(["isready", "go depth 3", "stop", "go"])
    messages = [line.split() for line in reports if line.startswith("info ")]
    assert [line[line.index("depth") + 1] for line in messages][-2:] == ["1", "2"]  # the last search is its own
    assert not [line for line in reports if line.startswith("error")]
    assert len([line for line in reports if line.startswith("bestmove ")]) == 2


def test_its_options_are_its_own() -> None:
    with pytest.raises(InputError, match=r"plodder has no option quiescence \(it has depth, nodes, time\)"):
        player("plodder,quiescence=yes")
    assert "plodder" in names.RESERVED


@given(st.text(min_size=1), st.none() | st.text(), st.none() | st.text(min_size=1))
def test_quoted_names_are_parsed_back(target: str, member: str | None, seed: str | None) -> None:
    options = {} if seed is None or seed != seed.strip() else {"seed": seed}
    for name in (PlayerName.of(target, member, options), parse_name(PlayerName.of(target, member, options).text)):
        assert (name.target, name.member, name.options) == (target, member, options)
    assert parse_name(individual(target, member)) == PlayerName.of(target, member)


def test_options_are_taken_away_and_added() -> None:
    name = parse_name("'crownhead-1':Ann Lee,depth=3,nodes=5")
    assert name.with_options(depth=None, time=0.1).text == 'crownhead-1:"Ann Lee",nodes=5,time=0.1'
    assert name == parse_name(name.with_options().text)
