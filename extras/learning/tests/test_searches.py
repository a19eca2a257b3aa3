"""Runs of `searches`: games by tree search first, then by alpha-beta, whose searches are recorded as they were."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

import main
from evolve.config import toml
from evolve.config.begun import changes, copy_deciding_values
from evolve.config.model import Config
from evolve.config.preset_files import ConfigError
from evolve.names.registration import register
from evolve.run.folder import Run
from evolve.run.generation_csv import genome_digest
from evolve.streams import Draw, stream
from evolve.workers.processes import Rows, share
from extras.learning import first_network, zero
from extras.learning.methods import LearningStage, Searches, Zero
from extras.learning.own_games import play_searches
from extras.learning.self_play import SearchedGames
from extras.learning.self_play_kernels import NONE
from extras.learning.tests.own_games import write_own_games
from extras.learning.zero_games import ENDING, TreeGames, joined
from game import match, moves, openings
from game.board import Position
from game.generator import SplitMix64
from game.networks.evaluator import Evaluator, rows_seen
from game.players.network import NetworkPlayer, TreePlayer
from game.players.policy import first_step
from game.players.registry import player
from game.search.interface import Limits
from tests.evolve.tiny_sessions import log_of, results, train

ROOT = Path(__file__).parents[3]
TINY = (
    *("learning.games=10", "learning.visits=4", "learning.steps=4", "learning.batch=32"),
    *("learning.settled=2", "learning.rate_end=0.0001", "learning.stages.0.first=3"),
    *("learning.stages.0.games=6", "learning.stages.0.nodes=60", "learning.stages.0.window=2"),
    *("learning.stages.0.steps=6", "learning.stages.0.settled=3", "games.max_plies=40", "rating.every=0"),
    *("saving.every=0", "saving.newest=1"),
)


def begin(folder: Path, *options: str) -> Path:
    """Begin with a random network, games by tree search, and the network of `zero`."""
    first = ("--preset=crownhead", "--network=zero", "--set=learning.teacher=")
    train(folder, *first, "--name=one", "--seed=3", *(f"--set={each}" for each in TINY), *options)
    return folder / "one"


@pytest.fixture(scope="module")
def whole(shared: Callable[..., Path]) -> Path:
    """An uninterrupted run to generation 5, whose games are played by alpha-beta from generation 3 on."""
    return shared("searches", lambda folder: begin(folder, "--workers=1", "--generations=5")) / "one"


@pytest.fixture(scope="module")
def tiny() -> Config:
    return toml.load("crownhead", settings=["seed=3", *TINY])


@pytest.mark.check
def test_resumed_to_the_same_bytes_by_other_workers(whole: Path, tmp_path: Path, limit: Callable[..., None]) -> None:
    limit(zero, "SEARCHED_A_TASK", 4)
    run = begin(tmp_path, "--workers=2", "--generations=4")
    train(tmp_path, "--resume", str(run), "--workers=2", "--generations=5")
    assert results(run) == results(whole)


@pytest.mark.check
def test_a_run_of_zero_can_be_continued(whole: Path, tmp_path: Path) -> None:
    """A branch of `zero` has the weights of a run that began with both stages; the other way round is refused."""
    train(
        tmp_path,
        "--preset=zero",
        "--name=begun",
        "--seed=3",
        "--generations=2",
        *(f"--set={each}" for each in TINY if "stages" not in each),
    )
    rest = (
        "learning.method=searches",
        "learning.stages.0.moves=0.02",
        "search.depth=8",
        "search.selective=true",
        *TINY,
    )
    branch = ("--branch", str(tmp_path / "begun"), "--name=gone-on", "--generations=5")
    train(tmp_path, *branch, *(f"--set={each}" for each in rest))
    gone_on = tmp_path / "gone-on"
    assert log_of(gone_on)[-1]["loss"] == log_of(whole)[-1]["loss"]
    assert Run(gone_on).read_generation(5).weights.tobytes() == Run(whole).read_generation(5).weights.tobytes()
    back = ["train", f"--out={tmp_path}", "--branch", str(whole), "--generations=6", "--set=learning.method=zero"]
    assert main.main(back) == 2


@pytest.mark.check
def test_log_and_players_have_the_settings(whole: Path) -> None:
    rows = log_of(whole)
    assert [row["games"] for row in rows] == ["0", "10", "10", "6", "6", "6"]
    assert [row["surprise"] == "" for row in rows] == [True, False, False, True, True, True]
    assert float(rows[2]["rate"]) == pytest.approx(1e-4) and float(rows[5]["rate"]) == pytest.approx(1e-4)
    assert Run(whole).config().obtained == "by tree search and own searches, with a gradient"
    register(whole.parent, None)
    assert isinstance(player("one"), NetworkPlayer) and not isinstance(player("one"), TreePlayer)
    assert isinstance(player("one,search=tree"), TreePlayer)


def begin_wider(folder: Path, *options: str) -> Path:
    """Begin with the network of the shipped `zero` in a wider one, and games by alpha-beta, as the preset does."""
    settings = ["network.layers.1.units=96", *(each for each in TINY if "stages.0.first" not in each)]
    train(folder, "--preset=crownhead", "--name=one", "--seed=3", *(f"--set={each}" for each in settings), *options)
    return folder / "one"


def test_a_wider_network_begins_with_the_outputs_of_its_teacher(tmp_path: Path) -> None:
    """All outputs of a quantised network are exact, so that they are the same bits."""
    run = Run(begin_wider(tmp_path, "--workers=1", "--generations=0"))
    teacher = Run(ROOT / "populations" / "zero")
    config, weights = run.config(), run.read_generation(0).weights[0]
    method = config.learning.method
    assert isinstance(method, Searches) and method.teacher == f"zero@{teacher.manifest().newest}"
    known = teacher.read_generation(None).weights[0]
    assert method.genome == genome_digest(known)
    rows = rows_seen([Position.start(), Position.from_fen("W:W5,K9,22:B1,K30"), Position.from_fen("B:WK4:B12,13")])
    expected = Evaluator(teacher.config().network, known).output_rows(rows)
    assert Evaluator(config.network, weights).output_rows(rows).tobytes() == expected.tobytes()
    first = config.network.layer_parts(0)[0].of(weights)[..., 256:]
    assert first.any(axis=tuple(range(first.ndim - 1))).all()  # new units see the board, so that they can learn


@pytest.mark.check
def test_recorded_games_are_named_where_the_teacher_learnt_from_them(tmp_path: Path) -> None:
    """A policy with a value teaches `zero`, whose network teaches the searches of `crownhead`."""
    games = write_own_games(tmp_path / "games.pdn", 30)
    heads = "--network=docs/examples/both-heads.toml"
    small = "learning.samples=640", "learning.batch=64", "learning.start=random", "generations=1"
    train(tmp_path, "--preset=policy", "--name=read", f"--games={games}", heads, *(f"--set={each}" for each in small))
    zero = "--preset=zero", "--name=played", "--generations=0", heads, f"--set=learning.teacher={tmp_path / 'read'}"
    train(tmp_path, *zero)
    read, played = Run(tmp_path / "read"), Run(tmp_path / "played")
    assert played.config().obtained == "from recorded games, then by tree search, with a gradient"
    assert played.read_generation(0).weights[0].tolist() == read.read_generation(None).weights[0].tolist()
    further = f"--set=learning.teacher={played.path}", "--generations=0", heads
    train(tmp_path, "--preset=crownhead", "--name=searched", *further)
    expected = "from recorded games, then by tree search and own searches, with a gradient"
    assert Run(tmp_path / "searched").config().obtained == expected


@pytest.mark.parametrize(
    ("preset", "settings", "words"),
    [
        ("crownhead", ["learning.teacher=nobody"], "expected an individual of a run, such as RUN, RUN@15 or"),
        ("crownhead", ["learning.teacher=endgame"], "expected a player with the network of the configuration"),
        (
            "zero",
            ["learning.teacher=crownhead", "network.layers.0.units=512"],
            "learning.teacher: expected a run obtained by tree search, with a gradient or from recorded games, with a "
            "gradient or by games alone, with a gradient, got crownhead@",
        ),
        ("zero-published", ["learning.teacher=zero"], "944,419 weights (or fewer units in its dense layers); zero"),
        ("crownhead", ["learning.genome=0123"], "learning.teacher: the weights of zero have changed: expected"),
    ],
)
def test_wrong_settings_are_refused(
    preset: str, settings: list[str], words: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    command = ["train", f"--preset={preset}", f"--out={tmp_path}", *(f"--set={each}" for each in settings)]
    assert main.main(command) == 2
    result, error = capfd.readouterr()
    assert not result and words in error and error.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_which_networks_are_wider() -> None:
    teacher = toml.load("zero").network
    wide, narrow = (
        replace(teacher, name="other", layers=(replace(teacher.layers[0], outputs=units), *teacher.layers[1:]))
        for units in (320, 224)
    )
    assert wide.widens(teacher) and teacher.widens(teacher) and not narrow.widens(teacher)
    assert not replace(wide, input="planes").widens(teacher)
    assert not replace(wide, layers=wide.layers[:2]).widens(teacher)
    assert not toml.load("zero-published").network.widens(toml.load("zero-published").network)


def test_stages_change_searches_and_samples() -> None:
    method = Searches(stages=(LearningStage(first=7, window=3), LearningStage(first=11, nodes=50)), window=4)
    assert [method.stage(number).nodes for number in (1, 6, 7, 8)] == [0, 0, 1000, 1000]
    assert [method.stage(number).oldest(number) for number in (1, 2, 3, 6, 7, 8, 9, 10)] == [1, 2, 2, 4, 7, 7, 7, 8]
    assert Zero().stage(1000).first == 1
    assert [stage.nodes for stage in Searches(stages=(LearningStage(first=1),)).all_stages] == [1000]
    assert [method.stage(number).nodes for number in (10, 11, 99)] == [1000, 50, 50]
    assert method.stage(12).oldest(12) == 11
    same = replace(method, stages=2 * (LearningStage(first=7),))
    problem = "learning.stages.1.first: expected more than that of the stage before, 7, got 7"
    assert same.problem(toml.load("zero").network) == problem


def test_stages_are_tables_which_had_other_names_before(tmp_path: Path) -> None:
    file = tmp_path / "before.toml"
    file.write_text('preset = "zero"\n[learning]\nmethod = "searches"\nown_from = 9\nown_nodes = 70\n')
    config = toml.load(path=file)
    method = config.learning.method
    assert isinstance(method, Searches) and method.stages == (LearningStage(first=9, nodes=70),)
    settings = ["learning.method=searches", "learning.own_from=9", "learning.own_nodes=70"]
    assert toml.load("zero", settings=settings) == config
    saved = tmp_path / "config.toml"
    saved.write_text(toml.to_toml(config, {}))
    assert "\n[[learning.stages]]\n" in saved.read_text() and "own_" not in saved.read_text()
    assert toml.from_toml(saved) == config
    copied = {name: value for name, value in copy_deciding_values(config).items() if name != "sha256"}
    assert copied["learning.stages.0.nodes"] == 70
    two = toml.load(path=saved, preset="zero", settings=["learning.stages.0.nodes=71"])
    assert changes(copy_deciding_values(config), two) == "learning.stages.0.nodes 70 -> 71"
    file.write_text(file.read_text() + "stages = 3\n")
    with pytest.raises(
        ConfigError, match=r"learning\.stages: expected one or more \[\[learning\.stages\]\] tables, got 3"
    ):
        toml.load(path=file)
    saved.write_text(saved.read_text().replace("nodes = 70", "nodes = 0\nmode = 1"))
    with pytest.raises(ConfigError) as error:
        toml.from_toml(saved)
    assert [line.partition("config.toml: ")[2] for line in error.value.lines] == [
        "learning.stages.0.mode: unknown key, did you mean learning.stages.0.nodes?",
        "learning.stages.0.nodes: expected a whole number from 1 to 1000000, got 0",
    ]


def test_samples_are_the_searches_of_the_games(tiny: Config) -> None:
    """A game is played and searched again, alone and without a record."""
    config = tiny
    weights = first_network.random_weights(config.network, np.random.default_rng(1))[None]
    share(Rows(weights, np.ones(1, np.float32)))
    played = play_searches(TreeGames(config, 6, (0, 3)))
    assert played is not None and len(played.results) == 3 and len(played.rows) > 30
    number = 1
    generator = stream(config.seed, 6, Draw.LEARNING_GAMES, number)
    ballots = openings.openings("three-move")
    opening = openings.lengthen(ballots[int(generator.integers(len(ballots)))], int(generator.integers(9)), generator)
    style = replace(config.search.style(), tablebase=4)
    alone = NetworkPlayer("alone", weights[0], spec=config.network, limits=Limits(nodes=60), style=style)
    rules, seed = config.games.rules(), int(generator.integers(2**63))
    game = match.play(alone, alone, opening=opening.moves, rules=rules, seed=seed, adjudicate=4)
    assert (played.results[number], played.plies[number]) == (game.result, len(game.moves))
    expected = []
    alone.begin_game(rules, seed)
    history, position = list[Position](), game.start
    for ply, move in enumerate(game.moves):
        legal = moves.legal_moves(position)
        if ply >= len(opening.moves):
            choice = alone.choose(position, history, SplitMix64(0), rules)
            assert choice.move == move
            if len(legal) > 1 and not move.captured:
                assert choice.score is not None
                expected.append((ply, position, min(max(choice.score, -1), 1), move, legal))
        history.append(position)
        position = moves.apply(position, move)
    ours = played.games == number
    assert played.at_plies[ours].tolist() == [ply for ply, *_ in expected]
    np.testing.assert_array_equal(played.rows[ours], rows_seen([position for _, position, *_ in expected]))
    scores = np.array([score for *_, score, _, _ in expected], np.float32)
    np.testing.assert_array_equal(played.values[ours], scores)
    for steps, shares, each in zip(played.steps[ours], played.shares[ours], expected, strict=True):
        _, position, _, move, legal = each
        assert steps[steps != NONE].tolist() == sorted({first_step(one, position.side) for one in legal})
        assert steps[shares == 1].tolist() == [first_step(move, position.side)] and shares.sum() == 1


def test_a_network_that_is_not_finite_plays_no_games(tiny: Config) -> None:
    share(Rows(np.full((1, tiny.network.weights), np.nan, np.float32), np.ones(1, np.float32)))
    assert play_searches(TreeGames(tiny, 6, (0, 2))) is None


def test_games_go_on_from_endings_of_games(tiny: Config) -> None:
    """They are samples from their first position on, and depend on the number of their game alone."""
    method = tiny.learning.method
    assert isinstance(method, Searches)
    stages = (replace(method.stages[0], endings=2),)
    config = replace(tiny, learning=replace(tiny.learning, method=replace(method, stages=stages)))
    config = replace(config, games=replace(config.games, max_plies=0))
    share(Rows(first_network.random_weights(config.network, np.random.default_rng(1))[None], np.ones(1, np.float32)))
    parts = [play_searches(TreeGames(config, 6, each)) for each in ((0, 4), (0, 1), (1, 4))]
    together, first, rest = (part for part in parts if part is not None)
    assert 4 < len(together.results) <= 12
    for each in fields(SearchedGames):
        assert np.array_equal(getattr(together, each.name), getattr(joined([first, rest]), each.name))
    begun = [int(np.flatnonzero(together.games == game)[0]) for game in np.unique(together.games)]
    pieces = np.bitwise_count(together.rows[begun, 0] | together.rows[begun, 1])
    later = pieces < 12
    assert later.any() and (pieces[later] <= ENDING).all() and together.at_plies[begun][later].max() <= 3
