"""Large networks lose what their optimisers know by the rules of saving, and no moment of it leaves a run in pieces."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evolve.config import toml
from evolve.config.model import Config
from evolve.config.sections import Saving
from evolve.names.registration import register
from evolve.run import champions, weights_file
from evolve.run.files import DamagedRunError, RunError
from evolve.run.folder import Run
from evolve.run.generation_csv import Generation
from evolve.run.log import NETWORK_COLUMNS, RATED_COLUMNS
from evolve.run.manifest import Manifest
from evolve.session import create
from evolve.session.saving import Saver, plan, run_bytes
from extras.learning.tests import walk
from game.players.registry import player

pytestmark = pytest.mark.usefixtures("own_names")

assert walk.Walks.kind == "walk"  # it takes its place by being imported

LAYERS = "network={name='large', input='squares', layers=[{kind='dense', units=320}, {kind='dense', units=1}]}"
LAST = 5


def config_of(every: int, newest: int) -> Config:
    settings = ["learning={method='walk'}", LAYERS, f"generations={LAST}", f"saving.every={every}"]
    config = toml.load("cowan", settings=settings)
    return replace(config, saving=Saving(every, newest))


def rows(config: Config, generation: int) -> Generation:
    draw, count = np.random.Generator(np.random.Philox(generation)), config.network.weights
    return Generation(
        [f"Gen{generation:02d}_0000"],
        draw.normal(size=(1, count)).astype(np.float32),
        np.ones(1, np.int64),
        ["learnt"],
        [(f"Gen{max(0, generation - 1):02d}_0000",)],
        np.array([[2, 1, 0, 1, 2]], np.int64),
        state=draw.normal(size=(1, 2 * count + 1)).astype(np.float32),
    )


def save_up_to(run: Run, last: int, config: Config) -> Manifest:
    known = run.manifest()
    saver = Saver(run, config)
    for generation in range(known.newest + 1, last + 1):
        record = dict.fromkeys([*NETWORK_COLUMNS, "way", *RATED_COLUMNS, "seconds"], 0)
        record["generation"] = generation
        games = f'[Event "Game"]\n[Round "{generation}.1"]\n[Result "*"]\n*\n\n'.encode()
        known = saver.save(known, rows(config, generation), record, games).result()
    return known


def made(path: Path, config: Config, last: int = LAST) -> Run:
    run = create.create(path.parent, path.name, config)
    save_up_to(run, last, config)
    return run


@pytest.mark.parametrize(("every", "newest", "whole"), [(2, 1, [0, 2, 4, 5]), (0, 2, [4, 5]), (1, 1, [*range(6)])])
def test_the_rules_are_those_of_saving(tmp_path: Path, every: int, newest: int, whole: list[int]) -> None:
    config = config_of(every, newest)
    run = made(tmp_path / "one", config)
    known = run.manifest()
    assert known.whole == whole
    run.check(known)
    sizes = []
    for generation in range(LAST + 1):
        expected, result = rows(config, generation), run.read_generation(generation)
        assert result.weights.tobytes() == expected.weights.tobytes()
        if generation in whole:
            assert np.array_equal(result.state_numbers[: expected.state_numbers.size], expected.state_numbers)
        else:
            assert result.state is None
        path = weights_file.weights_path(run.generation_path(generation))
        sizes.append(np.load(path, allow_pickle=False).shape[0])
    assert sizes == [4 if generation in whole else 1 for generation in range(LAST + 1)]
    size = sum(path.stat().st_size for path in run.path.glob("*_*.*"))
    assert run_bytes(config) == pytest.approx(size, rel=0.05)


def test_every_network_still_plays(tmp_path: Path) -> None:
    config = config_of(0, 1)
    run = made(tmp_path / "one", config)
    register(tmp_path, None)
    for generation, champion in enumerate(champions.read_champions(run.path, range(LAST + 1))):
        weights = rows(config, generation).weights
        assert champion.weights.tobytes() == weights[0].tobytes()
        assert run.first_weights(generation, 1).tobytes() == weights.tobytes()
        assert player(f"one@{generation}").weights.tobytes() == weights[0].tobytes()  # type: ignore[attr-defined]


def test_going_back_needs_a_generation_that_keeps_everything(tmp_path: Path) -> None:
    run = made(tmp_path / "one", config_of(2, 1))
    words = r"generation 3 has not kept the state of its optimiser, .*; 4 generations .* the nearest are 2 and 4"
    with pytest.raises(RunError, match=words):
        create.check_files_up_to(run, run.manifest(), 3)
    assert create.check_files_up_to(run, run.manifest(), 2).newest == 2


def test_a_branch_is_sound_though_its_source_is_thinned_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, config = made(tmp_path / "one", config_of(1, 1)), config_of(0, 1)
    thin = made(tmp_path / "thin", config)
    read, check = create.read_regular, Run.checked_bytes

    def thin_now() -> None:
        """The session of the source thins generation 1, of which one file has been copied."""
        for name in ("generation_0001.csv", "weights_0001.npy"):
            (whole.path / name).write_bytes((thin.path / name).read_bytes())
        entries = (whole.manifest().entries[0], thin.manifest().entries[1], *whole.manifest().entries[2:])
        Manifest(entries).write(whole.path)

    def read_weights(path: Path) -> bytes:
        data = read(path)
        if path.name == "weights_0001.npy":
            thin_now()
        return data

    def read_rows(run: Run, known: Manifest, generation: int) -> bytes:
        data = check(run, known, generation)
        if generation == 1:
            thin_now()
        return data

    new, _ = create.branch_config(whole, 3, [], {"seed": 5, "generations": 8})
    with monkeypatch.context() as patch:
        patch.setattr(create, "read_regular", read_weights)
        patch.setattr(Run, "checked_bytes", read_rows)
        result = create.branch(tmp_path, "two", whole, 3, new)
    known = result.manifest()
    assert known.whole == [0, 2, 3]
    result.check(known)
    result.finish_thinning(known)
    assert result.read_generation(1).weights.tobytes() == rows(config, 1).weights.tobytes()


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def changed(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[-7] ^= 1
    path.write_bytes(data)


def without_state(path: Path) -> None:
    path.write_bytes(weights_file.to_bytes(np.load(path)[0], np.empty(0, np.float32)))


@pytest.mark.parametrize("generation", [1, 2])
@pytest.mark.parametrize("damage", [Path.unlink, cut, changed, lambda path: path.write_bytes(b""), without_state])
def test_damage_names_a_way_on(tmp_path: Path, damage: Callable[[Path], Any], generation: int) -> None:
    """Of a file that is as it was written, and of one that was thinned."""
    run = made(tmp_path / "one", config_of(2, 1))
    path = weights_file.weights_path(run.generation_path(generation))
    before = path.read_bytes()
    damage(path)
    if path.is_file() and path.read_bytes() == before:
        return  # it had no state
    register(tmp_path, None)
    way = re.escape(f"the newest sound generation is 0: play {run.path}@0, or continue from it with train --resume ")
    words = rf"weights_000{generation}\.npy: damaged, i.*; {way}\S+ --from 0, which .* again; or play {run.path}@5$"
    for look in (
        lambda: run.read_generation(generation),
        lambda: run.check(run.manifest()),
        lambda: player(f"one@{generation}"),
    ):
        with pytest.raises(DamagedRunError, match=words):
            look()
    assert player("one@5").name == "one@5"


def test_plan_reports_megabytes() -> None:
    words = "saving generations 0, 10, 20, ... and the newest 2 (of the others only results and the network): about "
    result = plan(toml.load("policy", settings=["learning.games=games.pdn"]))
    assert result.startswith(words)
    assert 10 < float(result.removeprefix(words).split(" ")[0]) < 20
