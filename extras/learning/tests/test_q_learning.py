"""Runs of q-learning: the same bytes by any workers and after a resume, what is fitted, and the published system."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import main
from evolve.config import toml
from evolve.config.preset_files import ConfigError
from evolve.run.folder import Run
from evolve.streams import Draw, stream
from extras.learning import first_network, metrics, q_learning
from extras.learning.methods import QLearning
from extras.learning.tests.own_games import write_own_games
from game.networks.evaluator import Evaluator
from game.rules import BLACK
from tests.evolve.tiny_sessions import log_of, train

TINY = (
    *("learning.games=8", "learning.look_ahead=1", "learning.window=2", "learning.among=2"),
    *("learning.earlier=0.5", "learning.steps=8", "learning.batch=32", "learning.settled=3"),
    *("learning.begin=random", "rating.every=0", "saving.every=0", "saving.newest=1"),
)


def begin(folder: Path, *options: str) -> Path:
    train(folder, "--preset=q-learning", "--name=one", "--seed=3", *(f"--set={each}" for each in TINY), *options)
    return folder / "one"


@pytest.fixture(scope="module")
def whole(shared: Callable[..., Path]) -> Path:
    """A run to generation 5 that nobody disturbs."""
    return shared("q-learning", lambda folder: begin(folder, "--workers=1", "--generations=5")) / "one"


def test_log_has_the_measures(whole: Path) -> None:
    rows = log_of(whole)
    assert [row["epsilon"] for row in rows] == ["", "0.1", "0.06", "0.02", "0.02", "0.02"]
    assert [row["games"] for row in rows] == ["0"] + ["8"] * 5
    assert all(sum(int(row[each]) for each in ("wins", "draws", "losses")) == 8 for row in rows[1:])
    assert {row["samples"] for row in rows[1:]} == {str(8 * 32)}
    assert all(0 < float(row["loss"]) < 2 and 0 < float(row["target"]) <= 1 for row in rows[1:])
    weights = Run(whole).read_generation(5).weights
    assert weights.shape == (1, 4865) and (np.round(weights, 4) == weights).all()


def test_recorded_games_teach_generation_0(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Black wins all games, so the network learns to value its last boards; the file is recorded."""
    games = write_own_games(tmp_path / "games.pdn", 40)
    options = f"--games={games}", "--generations=0", "--workers=1"
    run = Run(begin(tmp_path / "taught", *options))
    line = next(line for line in capfd.readouterr().err.splitlines() if "predicts the winner of" in line)
    assert float(line.partition("winner of ")[2].split()[0]) > 60
    method = run.config().learning.method
    assert isinstance(method, QLearning)
    assert run.config().obtained == "from recorded games, then by games alone, with a gradient"
    assert method.recorded == str(games)
    weights = run.read_generation(0).weights
    assert not np.array_equal(weights, Run(begin(tmp_path / "random", *options[1:])).read_generation(0).weights)
    games.write_text('[Result "*"]\n1. 11-15 *\n')
    begun = ["train", f"--out={tmp_path}", "--preset=q-learning", *(f"--set={each}" for each in TINY), *options]
    there = sorted(tmp_path.iterdir())
    assert main.main(begun) == 2 and sorted(tmp_path.iterdir()) == there
    assert "none of its games has a result" in capfd.readouterr().err


def test_a_first_network_learns_the_results_of_both_sides() -> None:
    rows = metrics.tree(400)
    results = np.where(metrics.labels(metrics.metrics(rows)) > 0, 2, 0).astype(np.int8)  # of the side to move there
    spec = replace(toml.load("q-learning").network, input="pieces")
    first = first_network.random_weights(spec, np.random.default_rng(1))
    arrays = metrics.turned(rows), results
    _, right = first_network.taught_by_games(spec, first, *arrays, np.random.default_rng(2), lambda *_: None)
    assert right > 0.85


def test_unusable_networks_and_numbers_are_refused() -> None:
    heads = 'heads={value="none",policy="steps"}'
    policy = f"network={{name='x',input='pieces',layers=[{{kind='diagonal',filters=4}}],{heads}}}"
    layers = "layers=[{kind='dense',units=2,activation='tanh'}]"
    phases = f"network={{name='x',input='pieces',{layers},extras={{phases=2}}}}"
    for preset, setting, text in (
        ("q-learning", phases, "phases"),
        ("q-learning-published", phases, "phases"),
        ("q-learning", "network=cnn-247", "tanh"),
        ("q-learning", "learning.games=7", "even"),
        ("q-learning", policy, "no heads"),
        ("q-learning-published", policy, "no heads"),
    ):
        with pytest.raises(ConfigError, match=text):
            toml.load(preset, settings=[setting])


@pytest.mark.check
def test_first_network_recognises_the_side_that_is_ahead(limit: Callable[..., None]) -> None:
    """On fewer boards and in fewer epochs than usual it agrees with most labels, though few say behind."""
    limit(first_network, "BOARDS", 3000)
    limit(first_network, "EPOCHS", 6)
    spec, generator = toml.load("q-learning").network, stream(1, 0, Draw.LEARNING)
    messages: list[tuple[int, int]] = []
    begun = first_network.random_weights(spec, generator)
    weights, model, network = first_network.taught(spec, begun, generator, lambda *how: messages.append(how))
    rows = metrics.tree(3000)
    labels = metrics.labels(metrics.metrics(rows))
    seen = np.column_stack([rows, np.zeros(len(rows), np.uint64)])
    values = Evaluator(spec, weights).score_rows(seen, BLACK)
    agreed = (np.where(values < 0, -1, 1) == labels).mean()
    assert messages[0] == (0, 12) and messages[-1] == (11, 12)
    assert agreed == pytest.approx(network, abs=1e-3)
    assert model > (labels == 1).mean() + 0.02 and network >= (labels == 1).mean()
    modest = Evaluator(spec, first_network.modest(spec, weights, metrics.tree(first_network.BOARDS))).score_rows(
        seen, BLACK
    )
    assert np.abs(modest).mean() == pytest.approx(first_network.MODEST, rel=1e-3)
    assert (np.argsort(modest, kind="stable")[-50:] == np.argsort(values, kind="stable")[-50:]).mean() > 0.9
    assert values[labels == 1].mean() > values[labels == -1].mean() + 0.05


@pytest.mark.check
def test_the_published_system_plays_two_games(tmp_path: Path, limit: Callable[..., None]) -> None:
    """One network against itself, without chance: whoever is taught, wins are the losses of the others."""
    limit(first_network, "BOARDS", 500)
    limit(first_network, "EPOCHS", 1)
    limit(q_learning, "EPOCHS", 1)
    given = ["--set=learning.games=20", "--workers=1", "--generations=2", "--name=one"]
    train(tmp_path, "--preset=q-learning-published", *given)
    rows = log_of(tmp_path / "one")
    for row in rows[1:]:
        wins, draws, losses = (int(row[each]) for each in ("wins", "draws", "losses"))
        assert wins + losses == 20 or draws == 20
        assert float(row["unlost"]) == (wins + draws) / 20
        assert int(row["plies"]) % 20 == 0
