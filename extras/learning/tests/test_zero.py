"""Runs of `zero`: the same bytes by any number of workers and after a resume, and the targets that are learnt."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import main
from evolve.config import toml
from evolve.names.registration import register
from evolve.run import manifest
from evolve.run.champions import read_champions
from evolve.run.folder import Run
from evolve.streams import Draw
from evolve.strength.match import play_match
from evolve.workers.processes import Rows, share
from extras.learning import zero
from extras.learning.forward import inputs_of
from extras.learning.self_play import SearchedGames
from extras.learning.self_play_kernels import NONE, STEPS
from extras.learning.session import DivergedError
from extras.learning.tests.fit_helpers import make_workshop
from extras.learning.zero import ZeroLearner
from extras.learning.zero_games import GateGames, TreeGames, gate_players, joined, play_task, result_targets
from game.bitboard import SQUARE_BIT
from game.endgame import tables
from game.generator import derive_seed
from game.players.network import NetworkPlayer, TreePlayer
from game.players.registry import player
from tests.evolve.tiny_sessions import log_of, results, train

TINY = (
    *("learning.games=10", "learning.visits=4", "learning.window=2", "learning.steps=6", "learning.batch=32"),
    *("learning.settled=3", "games.max_plies=40", "rating.every=0", "saving.every=0", "saving.newest=1"),
)


def begin(folder: Path, *options: str) -> Path:
    train(folder, "--preset=zero", "--name=one", "--seed=3", *(f"--set={each}" for each in TINY), *options)
    return folder / "one"


@pytest.fixture(scope="module", autouse=True)
def measured_alike() -> Iterator[None]:
    """Measure all generations on the same number of positions, as real runs do: jax compiles for each number anew."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(zero, "MEASURED", 100)
        yield


@pytest.fixture(scope="module")
def whole(shared: Callable[..., Path]) -> Path:
    """An uninterrupted run to generation 3."""
    return shared("zero", lambda folder: begin(folder, "--workers=1", "--generations=3")) / "one"


@pytest.mark.check
def test_resumed_to_the_same_bytes_by_other_workers(whole: Path, tmp_path: Path, limit: Callable[..., None]) -> None:
    """In other tasks. The games of the window are played again, by networks whose weights are in the hall of fame."""
    limit(zero, "GAMES_A_TASK", 4)
    run = begin(tmp_path, "--workers=2", "--generations=2")
    train(tmp_path, "--resume", str(run), "--workers=2", "--generations=3")
    assert results(run) == results(whole)
    assert manifest.read(run).whole == [3]


def test_log_has_the_measures(whole: Path) -> None:
    rows = log_of(whole)
    assert [row["games"] for row in rows] == ["0", *["10"] * 3]
    assert rows[0]["value_loss"] == "" and rows[0]["surprise"] == ""
    # The first network finds all results equally likely: -ln 1/3.
    assert float(rows[1]["value_loss"]) == pytest.approx(np.log(3), abs=1e-5)
    assert all(int(row["evaluations"]) > 0 and 0 < float(row["surprise"]) < 1 for row in rows[1:])
    assert float(rows[-1]["rate"]) > 0
    assert Run(whole).config().obtained == "by tree search, with a gradient"


def test_its_players_search_trees(whole: Path) -> None:
    register(whole.parent, None)
    assert isinstance(player("one"), TreePlayer)
    assert player("one").canonical_name == "one"
    other = player("one,search=alphabeta,nodes=50")
    assert isinstance(other, NetworkPlayer) and not isinstance(other, TreePlayer)
    assert other.canonical_name.startswith("one,search=alphabeta")


def games(count: int) -> SearchedGames:
    """Searches of one game won by the side that begins, with two first steps in each position."""
    steps, shares = np.full((count, STEPS), NONE, np.uint8), np.zeros((count, STEPS), np.float16)
    steps[:, :2], shares[:, :2] = (34, 39), (0.75, 0.25)
    rows = np.zeros((count, 3), np.uint64)
    rows[:, 0] = [1 << SQUARE_BIT[number + 1] for number in range(count)]
    rows[:, 1] = 1 << SQUARE_BIT[32]
    return SearchedGames(
        np.ones(1, np.int8), np.array([count], np.int32), 0, rows, np.linspace(-1, 1, count, dtype=np.float32),
        np.zeros(count, np.float32), np.zeros(count, np.int32), np.arange(count, dtype=np.int32), steps, shares,
    )  # fmt: skip


def test_targets_of_results_by_hand() -> None:
    targets = result_targets(games(3), 0.5)
    assert targets.tolist() == [
        [0.5, 0.0, 0.5],  # won by the mover, judged lost
        [0.0, 0.5, 0.5],  # lost by the mover, judged even
        [1.0, 0.0, 0.0],
    ]
    endings = result_targets(games(3), 0.5, 0.25)  # what is proved counts alone
    assert endings.tolist() == [[0.0, 0.0, 1.0], [0.0, 0.25, 0.75], [1.0, 0.0, 0.0]]
    assert result_targets(games(8), 0.3).sum(axis=1) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (["learning.visits=1000001"], "learning.visits: expected a whole number from 1 to 1000000, got 1000001"),
        (["learning.selection=random"], "learning.selection: expected gumbel or puct, got 'random'"),
        (["learning.gate=3"], "learning.gate: expected an even number, got 3"),
        (["network.heads.policy=none"], 'network: expected one with [heads] value = "wdl" and policy = "steps"'),
        (["network=cnn-247"], 'network: expected one with [heads] value = "wdl" and policy = "steps"'),
        (
            ["games.adjudicate=5"],
            "games.adjudicate: the tablebases of up to 5 pieces are not complete; build them with python main.py "
            "tablebase build --pieces 5",
        ),
    ],
)
def test_values_that_are_refused(
    settings: list[str],
    words: str,
    tmp_path: Path,
    open_instead: Callable[..., None],
    capfd: pytest.CaptureFixture[str],
) -> None:
    known = tables.open_tables(4)
    open_instead(lambda pieces: known)
    command = ["train", "--preset=zero", f"--out={tmp_path}", *(f"--set={each}" for each in settings)]
    assert main.main(command) == 2
    assert capfd.readouterr() == ("", f"main.py: {words}\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.check
def test_moves_without_weight_leave_the_policy_as_it_is() -> None:
    stages = ["learning.teacher=", "learning.stages.0.first=241"]
    settings = [*stages, "learning.stages.0.moves=0", "learning.decay=0", "learning.stages.0.rate=0.01"]
    config = toml.load("crownhead", settings=settings)
    learner, some = ZeroLearner(make_workshop(config)), games(31)
    arrays = inputs_of(some.rows).astype(np.uint8), result_targets(some, 0.3), some.steps, some.shares
    begun, order, policy = learner.begin().learnt, np.tile(np.arange(31), (16, 1)), config.network.valued
    changed = {}
    for first, fit in learner.fits.items():
        fitted, _ = fit.run(begun, arrays, order)
        changed[first] = fitted.weights != begun.weights
    assert all(each[:policy].any() for each in changed.values())
    assert changed[1][policy:].any() and not changed[241][policy:].any()


@pytest.fixture
def weights() -> Callable[[int], NDArray[np.float32]]:
    """Random networks of the preset, by their seeds; unlike the first network of a run, they prefer some moves."""
    size = toml.load("zero").network.weights
    return lambda seed: np.random.default_rng(seed).normal(0, 0.1, size).astype(np.float32)


def test_a_game_has_the_noise_of_its_own_number(weights: Callable[[int], NDArray[np.float32]]) -> None:
    """Whichever games its process has played before, and together with whichever it is played."""
    config = toml.load("zero", settings=["learning.games=5", "learning.visits=4", "games.max_plies=30", "seed=2"])
    share(Rows(weights(1)[None, :], np.ones(1, np.float32)))

    def played(*numbers: tuple[int, int]) -> SearchedGames:
        parts = {each: play_task(TreeGames(config, 1, each)) for each in sorted(numbers, reverse=True)}
        return joined([part for _, part in sorted(parts.items()) if part is not None])

    together, apart = played((0, 5)), played((0, 1), (1, 3), (3, 5))
    for each in fields(SearchedGames):
        assert np.array_equal(getattr(together, each.name), getattr(apart, each.name))
    again = play_task(TreeGames(config, 2, (0, 5)))
    assert again is not None and not np.array_equal(again.rows, together.rows)


def test_the_match_of_a_gate_is_divided_into_tasks(weights: Callable[[int], NDArray[np.float32]]) -> None:
    config = toml.load("zero", settings=["learning.gate=8", "learning.visits=4", "games.max_plies=100", "seed=4"])
    tasks: list[GateGames] = []
    score = ZeroLearner(make_workshop(config, tasks))._gate_score(3, weights(1), weights(2))
    openings, rules = config.games.openings, config.games.rules()
    players = gate_players(config, weights(1), weights(2))
    alone = play_match(*players, 8, kind=openings, seed=derive_seed(4, 3, Draw.GATE), rules=rules)
    assert score == alone.estimate.score != 0.5
    assert len(tasks) >= 3 and sum(len(task.seeds) for task in tasks) == 8
    assert all(len(task.seeds) == 2 * len(task.openings) for task in tasks)


def test_a_gate_keeps_the_network_before_if_the_fitted_one_scores_less(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The score of each match is in the log, and does not depend on the number of workers."""
    options = ("--set=learning.gate=4", "--generations=1")
    free = begin(tmp_path / "free", "--workers=1", *options)
    monkeypatch.setattr(zero, "GATE", 1.5)
    kept = begin(tmp_path / "kept", "--workers=2", *options)
    scores, kept_scores = ([row["gate"] for row in log_of(run)] for run in (free, kept))
    assert scores[0] == "" and scores[1] == kept_scores[1] and 0 <= float(scores[1]) <= 1
    assert len({champion.weights.tobytes() for champion in read_champions(kept, range(2))}) == 1
    assert len({champion.weights.tobytes() for champion in read_champions(free, range(2))}) > 1


def test_a_network_that_cannot_be_used_ends_its_session(weights: Callable[[int], NDArray[np.float32]]) -> None:
    config = toml.load("zero", settings=["learning.games=2", "learning.visits=2", "learning.gate=2"])
    learner, broken = ZeroLearner(make_workshop(config)), weights(1)
    broken[0] = np.nan
    with pytest.raises(DivergedError, match="generation 6: outputs of the network are not finite numbers") as raised:
        learner.learn(7, learner.fits[1].begin(broken))
    assert raised.value.generation == 6
    assert learner._gate_score(7, broken, weights(2)) == 0.0
