"""Sessions in which one network learns, by a method that only tests have: same bytes whatever happens."""

from __future__ import annotations

import importlib.util
import json
import re
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import main
from evolve.kinds.methods import Evolves, Method
from evolve.run import append_only
from evolve.run.folder import Run
from evolve.run.log import NETWORK_COLUMNS
from extras.learning import kind
from extras.learning.session import Learner, Learnt, Outcome
from extras.learning.tests import walk
from game.installation import imported, missing_extra
from tests.evolve.tiny_sessions import Played, log_of, results

pytestmark = pytest.mark.usefixtures("usual_signals")

assert walk.Walks.kind == "walk"  # it takes its place by being imported

SETTINGS = """
generations = 5
[network]
name = "walker"
input = "squares"
{hidden}
[[network.layers]]
kind = "dense"
units = 1
[learning]
method = "walk"
[rating]
every = 5
games = 2
anchors = "random"
[saving]
every = 3
newest = 1
[workers]
start_method = "fork"
"""
HIDDEN = '[[network.layers]]\nkind = "dense"\nunits = 320'

Train = Callable[..., Played]


@pytest.fixture
def train(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> Train:
    def call(*options: str, workers: int = 1) -> Played:
        for name, hidden in (("small", ""), ("large", HIDDEN)):
            (tmp_path / f"{name}.toml").write_text(SETTINGS.format(hidden=hidden))
        capfd.readouterr()
        code = main.main(["train", f"--out={tmp_path}", f"--workers={workers}", "--json", *options])
        return Played(code, *capfd.readouterr())

    return call


def begin(train: Train, tmp_path: Path, size: str, *options: str, workers: int = 1) -> dict[str, Any]:
    return train(f"--config={tmp_path / size}.toml", "--seed=3", *options, workers=workers).json


def arrays(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.glob("weights_*.npy")}


@pytest.mark.parametrize("size", ["small", "large"])
def test_any_number_of_workers_and_any_resumption_give_the_same_bytes(train: Train, tmp_path: Path, size: str) -> None:
    straight = begin(train, tmp_path, size, "--name=one")
    for generations, workers in ((0, 1), (2, 2), (3, 1), (5, 1)):
        if generations == 0:
            begin(train, tmp_path, size, "--name=two", "--generations=0")
        else:
            result = train("--resume=two", f"--generations={generations}", workers=workers).json
    assert result["digest"] == straight["digest"]
    one, two = tmp_path / "one", tmp_path / "two"
    assert results(one) == results(two)
    assert arrays(one) == arrays(two)
    assert len(arrays(one)) == (6 if size == "large" else 0)


@pytest.mark.addition(
    "learning method",
    "a class in `extras/learning/methods.py` derived from `LearningMethod`, whose `learner` names the module and class "
    "of its learner (derived from `Learner` of `extras/learning/session.py`) and whose `state_size` is the length of "
    "the learner's state; its name in `HOMES` of `extras/__init__.py` ([example](extras/learning/tests/walk.py), with "
    "a configuration to try it)",
)
@pytest.mark.parametrize("name", [name for name, kind in Method.kinds.items() if kind is not Evolves])
def test_learner_of_a_method_exists(name: str) -> None:
    assert issubclass(imported(Method.kinds[name].learner), Learner)


def test_a_state_of_another_size_is_refused(train: Train, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walk.Walks, "state_size", lambda self, weights: 3)
    result = train(f"--config={tmp_path}/small.toml", "--generations=1")
    assert result.code == 2 and "learning.method = walk: its state has 67 numbers, state_size is 3" in result.err


def test_a_method_from_outside_makes_an_ordinary_run(train: Train, tmp_path: Path) -> None:
    begin(train, tmp_path, "small", "--name=one")
    rows = log_of(tmp_path / "one")
    assert tuple(rows[0])[: len(NETWORK_COLUMNS) + 1] == (*NETWORK_COLUMNS, "way")
    assert [row["rating"] != "" for row in rows] == [True, False, False, False, False, True]
    run = Run(tmp_path / "one")
    config = run.config()
    assert not config.kind.breeds and config.individuals == 1 and run.verb == "train"
    text = (run.path / "config.toml").read_text()
    assert "[population]" not in text and "[[stages]]" not in text
    assert all(f"\n{name} = " in text for name in ("jax", "optax", "processor"))
    for generation in range(6):
        thinned = generation in (1, 2, 4)
        rows_of = run.read_generation(generation, thinned=thinned)
        assert rows_of.names == [f"Gen{generation:02d}_0000"]
        assert rows_of.weights.shape == (1, 0 if thinned else 33)
        assert rows_of.parents == [(f"Gen{generation - 1:02d}_0000",) if generation else ()]
        assert rows_of.counts is not None  # games, wins, draws, losses, and two points for a win
        assert rows_of.counts.tolist() == [[7, 3, 2, 2, 8] if generation else [0] * 5]
    games = (run.path / append_only.CHAMPIONS).read_text()
    assert games.count("[Round ") == 6 and '[Round "5.1"]' in games


CHANGED = "its bytes are not what the session wrote"


def test_a_damaged_file_of_weights(train: Train, tmp_path: Path) -> None:
    straight = begin(train, tmp_path, "large", "--name=one")
    path = tmp_path / "one" / "weights_0004.npy"
    path.write_bytes(path.read_bytes()[:-1])
    result = train("--resume=one", "--generations=6")
    assert result.code == 2
    words = f"{CHANGED}: expected [0-9,]+ bytes, got [0-9,]+"
    assert re.search(f"weights_0004.npy: damaged, {words}.*; the newest sound generation is 3: play ", result.err)
    assert re.search(r"continue from it with train --resume \S+ --from 3, which makes the same bytes again", result.err)
    assert re.search(r"; or play \S+@5\n", result.err)
    again = train("--resume=one", "--from=3", "--generations=5").json
    assert again["digest"] == straight["digest"]
    assert (tmp_path / "one" / "weights_0005.npy.given-up").exists()


def test_a_kill_between_weights_and_manifest(train: Train, tmp_path: Path) -> None:
    straight = begin(train, tmp_path, "large", "--name=one")
    folder = tmp_path / "one"
    Run(folder).manifest().up_to(3).write(folder)
    for name in ("generation_0005.csv", "weights_0005.npy"):
        (folder / name).unlink()
    (folder / "weights_0004.npy").write_bytes(b"torn")
    assert train("--resume=one").json["digest"] == straight["digest"]


def test_fit_stops_on_request(train: Train, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def learn(learner: walk.Walk, *_: object) -> None:
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        learner.workshop.work("steps", 1, 2)
        raise AssertionError("it went on")

    monkeypatch.setattr(walk.Walk, "learn", learn)
    result = train(f"--config={tmp_path / 'small.toml'}", "--seed=3", "--name=one")
    assert result.code == 128 + signal.SIGINT
    assert Run(tmp_path / "one").manifest().newest == 0


@pytest.mark.parametrize("part", ["weights", "state"])
def test_numbers_that_are_not_finite_are_not_saved(
    train: Train, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    """They could not be read again: the session ends, and what it says can be done."""
    learn = walk.Walk.learn

    def too_far(learner: walk.Walk, generation: int, learnt: Learnt) -> Outcome:
        outcome = learn(learner, generation, learnt)
        if generation == 2:
            getattr(outcome.learnt, part)[-1] = np.inf
        return outcome

    with monkeypatch.context() as patch:
        patch.setattr(walk.Walk, "learn", too_far)
        result = train(f"--config={tmp_path / 'small.toml'}", "--seed=3", "--name=one")
    way = f"train --branch {Run(tmp_path / 'one').cli_name}@1"
    assert result.code == 2
    assert result.err.splitlines()[-1] == (
        "main.py: generation 2: training gives weights that are not finite numbers; "
        f"{way} with other values of [learning]"
    )
    status = json.loads((tmp_path / "one" / "status.json").read_text())
    assert status["state"] == "failed" and status["reason"].startswith("generation 2: ")
    assert Run(tmp_path / "one").manifest().newest == 1
    assert train("--branch=one@1", "--name=two", "--set=learning.step=0.25").code == 0
    assert Run(tmp_path / "two").manifest().newest == 5


def test_each_verb_names_the_other(train: Train, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    begin(train, tmp_path, "small", "--name=one", "--generations=0")
    capfd.readouterr()
    assert main.main(["evolve", f"--out={tmp_path}", "--resume=one"]) == 2
    assert "one: this run belongs to train: continue it with train --resume" in capfd.readouterr().err
    assert main.main(["evolve", f"--out={tmp_path}", f"--config={tmp_path / 'small.toml'}"]) == 2
    assert "belongs to the verb train, not evolve" in capfd.readouterr().err
    assert train("--preset=cowan").err == "main.py: preset cowan: belongs to the verb evolve, not train\n"
    assert train().code == 2


def test_methods_that_learn_from_no_recorded_games_say_so(train: Train) -> None:
    line = "--games: only for the methods policy, people and q-learning; zero can begin with a run by policy"
    assert train("--preset=zero", "--games=x.pdn").err == f"main.py: {line} (learning.teacher)\n"


def test_settings_of_evolution_do_not_affect_learning(train: Train, tmp_path: Path) -> None:
    given = f"--config={tmp_path / 'small.toml'}"
    assert "population.parents: has no effect" in train(given, "--set=population.parents=4").err
    assert "learning.step: expected a number from 0.0 to 10.0" in train(given, "--set=learning.step=11").err
    assert "learning.step: expected more than 0" in train(given, "--set=learning.step=0").err
    begin(train, tmp_path, "small", "--name=one", "--generations=0")
    config = tmp_path / "one" / "config.toml"
    config.write_text(config.read_text().replace("step = 0.5", "step = 0.25", 1))
    assert "changed by hand since the run was begun: learning.step 0.5 -> 0.25" in train("--resume=one").err


def test_missing_packages_are_reported_in_one_line(train: Train, monkeypatch: pytest.MonkeyPatch) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "optax" else find(name))
    result = train("--preset=q-learning")
    assert (result.code, result.err) == (2, f"main.py: {missing_extra(kind.LearningRuns.need, 'learning')}\n")


def test_another_processor_is_reported_but_accepted(train: Train, tmp_path: Path) -> None:
    begin(train, tmp_path, "small", "--name=one", "--generations=1")
    config = tmp_path / "one" / "config.toml"
    config.write_text(re.sub('processor = "[^"]+"', 'processor = "abacus"', config.read_text()))
    result = train("--resume=one", "--generations=2")
    assert result.code == 0
    assert "made with processor abacus, continuing with " in result.err
