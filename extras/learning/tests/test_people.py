"""A policy taught by people's errors: what moves cost, which strength a player had, and what is measured."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import main

pytest.importorskip("optax")

from evolve.config.model import Config
from evolve.config.sections import Learning
from evolve.names.registration import register, resolve
from evolve.run.files import MEMORY
from evolve.run.runs import SHIPPED_RUNS
from extras.learning.forward import outputs
from extras.learning.losses import ENDING, NODES, step_losses
from extras.learning.methods import People
from extras.learning.people import EARLY, PeopleLearner, distance, losses_played, memory_of, player_losses
from extras.learning.policy import PolicySamples, arrays_of, read_recorded
from extras.learning.tests.fit_helpers import make_workshop
from extras.learning.tests.own_games import write_own_games
from game.board import Position
from game.errors import InputError
from game.networks.evaluator import evaluator_of
from game.networks.named import to_toml
from game.networks.spec import Heads, Layer, NetworkError, Spec
from game.players import registry
from game.players.names import STRONGEST, parse_name
from game.players.people import ENTRY, PeoplePlayer, at_strength, board_keys, read_memory
from game.rules import BLACK
from game.search.interface import Limits

TRUNK = (Layer("dense", 32, activation="none"), Layer("dense", 32, activation="relu"))
SPEC = Spec("small", "pieces", TRUNK, heads=Heads("none", "people"))


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_own_games(tmp_path_factory.mktemp("people") / "games.pdn", 12)


@pytest.fixture(scope="module")
def chosen(file: Path) -> PolicySamples:
    return read_recorded(file, validation=0, test=0).parts[0].with_choice()


def digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


@pytest.fixture(scope="module")
def losses(file: Path, chosen: PolicySamples) -> np.ndarray:
    return step_losses(str(file), digest(file), chosen.rows)


def test_a_strength_is_the_same_as_its_inputs(chosen: PolicySamples) -> None:
    few = chosen.select(np.arange(0, len(chosen), 40))
    weights = np.random.default_rng(1).normal(0, 0.2, SPEC.weights).astype(np.float32)
    boards = [Position(*row, BLACK) for row in few.rows.tolist()]
    for strength in range(1, STRONGEST + 1):
        weaker = replace(few, weakness=np.full(len(few), STRONGEST - strength, np.int8))
        expected = np.asarray(outputs(SPEC, weights, arrays_of(SPEC, weaker)[0].astype(np.float32)))
        result = evaluator_of(SPEC, at_strength(SPEC, weights, strength)).outputs(boards)
        np.testing.assert_allclose(result, expected, rtol=1e-4, atol=1e-4)
    middle = at_strength(SPEC, weights, 3.5)
    np.testing.assert_allclose(
        middle, (at_strength(SPEC, weights, 3) + at_strength(SPEC, weights, 4)) / 2, rtol=1e-5, atol=1e-6
    )


def test_losses_are_differences_of_the_champion_s_scores(chosen: PolicySamples, losses: np.ndarray) -> None:
    champion = resolve(parse_name("crownhead,tablebase=4"), SHIPPED_RUNS)
    assert champion is not None and champion.searching is not None
    ends = np.cumsum(chosen.choices, dtype=np.int64)
    for number in range(0, len(chosen), 97):
        position = Position(*chosen.rows[number].tolist(), BLACK)
        searcher = champion.searching.searcher()
        root = searcher.search(position, limits=Limits(nodes=NODES), all_scores=True).root
        if len(root) != chosen.choices[number]:
            continue  # two captures begin alike
        lost = losses[ends[number] - chosen.choices[number] : ends[number]]
        scores = np.clip([each.score for each in root], -1, 1)
        assert sorted(lost.tolist()) == pytest.approx(sorted(((scores.max() - scores) / 2).tolist()), abs=1e-3)


def test_losses_are_computed_once_and_continued(file: Path, chosen: PolicySamples, losses: np.ndarray) -> None:
    kept = Path(f"{file}{ENDING}")
    whole, steps = kept.read_bytes(), list[tuple[str, int, int]]()
    again = step_losses(str(file), digest(file), chosen.rows, lambda *step: steps.append(step))
    assert (again == losses).all() and not steps
    kept.write_bytes(whole[: len(whole) // 2 + 1])
    again = step_losses(str(file), digest(file), chosen.rows, lambda *step: steps.append(step))
    assert kept.read_bytes() == whole and (again == losses).all()
    assert steps[0][1] > 0.2 * steps[0][2]
    kept.write_bytes(whole.replace(digest(file).encode(), b"0" * 64))  # of other games
    steps.clear()
    step_losses(str(file), digest(file), chosen.rows, lambda *step: steps.append(step))
    assert kept.read_bytes() == whole and steps[0][1] == 0


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path, file: Path, chosen: PolicySamples) -> None:
    games = tmp_path / "games.pdn"
    (tmp_path / f"games.pdn{ENDING}").mkdir()
    with pytest.raises(InputError, match=r"games.pdn.losses: .*; losses are kept beside the games"):
        step_losses(str(games), digest(file), chosen.rows)


def test_the_loss_of_a_player_is_the_mean_loss_of_its_moves(chosen: PolicySamples, losses: np.ndarray) -> None:
    means, players = player_losses(chosen, losses)
    played, first = losses_played(chosen, losses), 0
    legal = np.unpackbits(chosen.legal, axis=1)
    for number in range(50):
        steps = np.flatnonzero(legal[number]).tolist()
        assert played[number] == losses[first + steps.index(int(chosen.labels[number]))]
        first += len(steps)
    for player in np.unique(players)[:6]:
        assert means[players == player] == pytest.approx(played[players == player].mean())
    assert len(np.unique(players)) == 2 * len(np.unique(chosen.games))


def test_the_distance_of_losses_by_hand() -> None:
    losses = np.array([0, 0.5, 0, 0.5], np.float16)  # two positions with a good and a bad move each
    played = np.array([0, 0.5], np.float32)
    for bad in (0.0, 0.25, 0.5, 1.0):
        chances = np.array([1 - bad, bad] * 2, np.float32)
        assert distance(played, losses, chances) == pytest.approx(abs(bad - 0.5))


def test_it_learns_the_strength_of_players(file: Path, losses: np.ndarray) -> None:
    method = replace(People(games=str(file)).begun(SPEC, Path()), validation=0.2, test=0.2, samples=640, batch=64)
    messages = list[str]()
    config = Config(network=SPEC, generations=1, learning=Learning(method))
    learner = PeopleLearner(make_workshop(config, messages=messages))
    assert any(line.startswith("losses a move between ninths of players") for line in messages)
    outcome = learner.begin()
    outcome = learner.learn(1, outcome.learnt)
    for column in ("ks", "test_ks"):
        value = outcome.numbers[column]
        assert value is not None and 0 < value < 1
    ghosts = outcome.learnt.weights - learner.begin().learnt.weights
    assert np.abs(SPEC.layer_parts(0)[0].of(ghosts)[28:32]).max() > 0


def test_a_memory_has_the_early_boards_of_training_games_and_those_that_occur_more_than_once(
    chosen: PolicySamples,
) -> None:
    boards = [row.tobytes() for row in chosen.rows]
    times, played = Counter(boards), Counter(zip(boards, chosen.labels.tolist(), strict=True))
    table = read_memory(memory_of(chosen))
    expected = {
        (board_keys(np.frombuffer(board, np.uint64)[None])[0], step): count
        for (board, step), count in played.items()
        if times[board] > 1 or sum(word.bit_count() for word in np.frombuffer(board, np.uint64).tolist()[:2]) >= EARLY
    }
    assert {(board, step): count for board, step, count in table.tolist()} == expected
    assert 0 < len(expected) < len(played)
    often = chosen.select(np.repeat(np.arange(len(chosen)), 300))
    table = read_memory(memory_of(often))
    assert table["count"].max() == 255 and table["count"].min() > 0


def test_boards_with_the_same_checksum_are_not_remembered(chosen: PolicySamples) -> None:
    rows = np.random.default_rng(1).integers(0, 2**36, (150_000, 3)).astype(np.uint64)
    many = chosen.select(np.zeros(2 * len(rows), np.int64))
    table = read_memory(memory_of(replace(many, rows=np.concatenate([rows, rows]))))
    times = Counter(board_keys(rows))
    assert max(times.values()) == 2, "by chance some share a checksum"
    assert table["board"].tolist() == sorted(key for key, count in times.items() if count == 1)
    assert (table["count"] == 2).all() and table.dtype == np.dtype(ENTRY)


@pytest.mark.usefixtures("losses")
def test_a_session_leaves_its_memory_to_its_players(file: Path, tmp_path: Path) -> None:
    (tmp_path / "small.toml").write_text(to_toml(SPEC))
    begun = ["train", f"--out={tmp_path}", "--preset=people", f"--network={tmp_path / 'small.toml'}", "--name=one"]
    settings = ("generations=0", "learning.test=0", "workers.start_method=fork")
    assert main.main([*begun, f"--games={file}", "--workers=1", *(f"--set={each}" for each in settings)]) == 0
    register(tmp_path)
    one = registry.player("one,strength=3")
    assert isinstance(one, PeoplePlayer) and one.memory is not None
    assert one.memory.tobytes() == (tmp_path / "one" / MEMORY).read_bytes()
    assert registry.player(str(tmp_path / "one" / "generation_0000.csv") + ",strength=3").identity == one.identity


def test_games_without_a_choice_are_refused_before_losses_are_searched(tmp_path: Path) -> None:
    file = tmp_path / "one.pdn"
    file.write_text('[SetUp "1"]\n[FEN "B:W32:B1"]\n[Result "*"]\n1. 1-5 *\n', encoding="utf-8")
    method = replace(People(games=str(file)).begun(SPEC, Path()), validation=0.9)
    with pytest.raises(InputError, match="no position of its games can be learnt from"):
        PeopleLearner(make_workshop(Config(network=SPEC, learning=Learning(method))))


@pytest.mark.parametrize("held_out", [0.0, 0.1])
def test_games_too_few_to_hold_some_out_are_learnt_from_with_a_warning(held_out: float, tmp_path: Path) -> None:
    games, messages = write_own_games(tmp_path / "one.pdn", 1), list[str]()
    method = replace(People(games=str(games)).begun(SPEC, Path()), validation=held_out, test=0.0)
    PeopleLearner(make_workshop(Config(network=SPEC, learning=Learning(method)), messages=messages))
    assert any("too few games to hold some out" in line for line in messages) == (held_out > 0)


def test_networks_that_know_no_strength_are_refused() -> None:
    assert People().problem(SPEC) == ""
    assert 'policy = "people"' in People().problem(replace(SPEC, heads=Heads("none", "steps")))
    assert "learning.losers" in People(losers=False).problem(SPEC)
    with pytest.raises(NetworkError, match="people needs input pieces and a dense first layer"):
        replace(SPEC, layers=(Layer("diagonal", 16, 0, "relu"),))
