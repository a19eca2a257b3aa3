"""Sweeps: runs over seeds and values in one folder, resumable as a whole, and what came of them."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

import main
from evolve.run.folder import RunFolder
from evolve.session import sweep
from evolve.session.sweep import Member, Sweep
from evolve.strength import student
from game.errors import InputError

ANCHORS = "rating.anchors=random; material,depth=1"
TINY = ["population.parents=3", "population.mutants=1", "rating.games=20", ANCHORS, "rating.every=1"]
STAGES = 'stages=[{kind="round-robin"}]'


def evolve(runs: Path, *options: str) -> int:
    new = [] if "--resume" in options else [f"--set={each}" for each in (*TINY, "founders.method=uniform", STAGES)]
    return main.main(["evolve", "--out", str(runs), "--workers", "1", *new, *options])


def test_a_sweep_is_a_folder_of_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--seeds", "1-3", "--sweep", "variation.high=0.1,0.5", "--generations", "2", "--name", "mine"]
    assert evolve(tmp_path, *words) == 0
    said = capsys.readouterr()
    names = [f"high={value}_s{seed}" for value in ("0.1", "0.5") for seed in (1, 2, 3)]
    assert sorted(path.name for path in (tmp_path / "mine").iterdir() if path.is_dir()) == names
    assert "run 6 of 6, high=0.5_s3: generation 2, rating " in said.err
    lines = said.out.splitlines()
    assert lines[0] == f"sweep        {tmp_path / 'mine'}, 6 runs, generations 0 to 2"
    assert [line.split()[:2] for line in lines[3:5]] == [["high=0.1", "3"], ["high=0.5", "3"]]
    assert ", p = " in lines[4]
    # Each is the run that its values and seed make, to the byte.
    alone = ["--seed", "2", "--set", "variation.high=0.5", "--generations", "2", "--name", "alone"]
    assert evolve(tmp_path, *alone) == 0
    one = RunFolder(tmp_path / "mine" / "high=0.5_s2")
    assert one.manifest().digest() == RunFolder(tmp_path / "alone").manifest().digest()
    # The summary by hand.
    ratings = {name: RunFolder(tmp_path / "mine" / name).log()["rating"].iloc[-1] for name in names}
    differences = [ratings[f"high=0.5_s{seed}"] - ratings[f"high=0.1_s{seed}"] for seed in (1, 2, 3)]
    found = sweep.find(tmp_path, "mine")
    assert found is not None
    first, second = sweep.results(found)
    assert first.beside is None and second.beside == student.mean(differences)
    assert first.rating == student.mean([ratings[f"high=0.1_s{seed}"] for seed in (1, 2, 3)])
    # As JSON, and again: nothing is left to play.
    capsys.readouterr()
    assert evolve(tmp_path, "--resume", "mine", "--json") == 0
    values = json.loads(capsys.readouterr().out)
    assert [one["name"] for one in values["runs"]] == names
    assert values["settings"][1]["beside_the_first"]["seeds"] == 3
    # A player by its path below the folder of runs.
    assert main.main(["match", "mine/high=0.5_s2", "random", "--games", "2", "--runs", str(tmp_path)]) == 0


def test_it_goes_on_with_what_is_not_complete(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert evolve(tmp_path, "--seeds", "1,2", "--generations", "2", "--name", "whole") == 0
    from evolve.session.evolution import Evolution

    made, make = [0], Evolution.make

    def failing(self: Evolution, generation: int) -> object:
        made[0] += 1
        if made[0] == 5:
            raise OSError(28, "No space left on device")
        return make(self, generation)

    monkeypatch.setattr(Evolution, "make", failing)
    assert evolve(tmp_path, "--seeds", "1,2", "--generations", "2", "--name", "parts") == main.DISK
    assert evolve(tmp_path, "--resume", "parts") == 0
    for name in ("s1", "s2"):
        one, other = (RunFolder(tmp_path / each / name).manifest() for each in ("whole", "parts"))
        assert one.digest() == other.digest()
        assert other.newest == 2
    assert evolve(tmp_path, "--resume", "parts", "--generations", "3") == 0
    assert RunFolder(tmp_path / "parts" / "s2").manifest().newest == 3


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--seeds", "1-x"], "--seeds: expected numbers such as 1-8 or 1,2,5, got '1-x'"),
        (["--seeds", "3-1"], "--seeds: expected at most 1000, from low to high, got '3-1'"),
        (["--seeds", "1,1"], "--seeds: 1 comes twice"),
        (["--seeds", "1-3", "--seed", "1"], "--seed: not together with --seeds"),
        (["--sweep", "variation.high"], "--sweep variation.high: expected key=value,value"),
        (["--sweep", "variation.high=1,1"], "--sweep variation.high=1,1: a value comes twice"),
        (["--sweep", "variation.hihg=1,2"], "variation.hihg: unknown key, did you mean variation.high?"),
        (["--sweep", "variation.high=0.1,much"], "variation.high: expected a number from"),
        (["--sweep", "variation.high=1,2", "--sweep", "variation.high=3"], "--sweep: variation.high comes twice"),
        (["--seeds", "1,2", "--stop-behind", "1"], "--stop-behind: expected settings to compare (--sweep)"),
        (["--stop-behind", "1"], "--stop-behind: only together with --sweep"),
        (["--sweep", "variation.high=1,2", "--stop-behind", "99"], "--stop-behind: expected 1 to 15"),
        (["--seeds", "1,2", "--name", "a/b"], "run name 'a/b'"),
        (["--seeds", "1,2", "--branch", "x"], "--seeds: not together with --branch"),
        (["--seeds", "1,2", "--tensorboard"], "--tensorboard: not with a sweep"),
    ],
)
def test_what_cannot_be_is_refused_and_leaves_nothing(
    tmp_path: Path, options: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert evolve(tmp_path, *options) == main.MISTAKE
    assert said in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == []


def test_resuming_refuses_other_values(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert evolve(tmp_path, "--seeds", "1,2", "--generations", "1", "--name", "mine") == 0
    for options, said in (
        (["--set", "seed=3"], "mine: a sweep keeps its runs and their values"),
        (["--seed", "3"], "--seed: not with a sweep"),
        (["--from", "0"], "--from: not with a sweep"),
        (["--generations", "0"], "mine: has generation 1 already"),
    ):
        capsys.readouterr()
        assert evolve(tmp_path, "--resume", "mine", *options) == main.MISTAKE
        assert said in capsys.readouterr().err
    assert evolve(tmp_path, "--seeds", "1,2", "--name", "mine") == main.MISTAKE
    assert "there is something of this name already; go on with it by evolve --resume mine" in capsys.readouterr().err
    (tmp_path / "mine" / sweep.SWEEP).write_text('verb = "evolve"\nstop_behind = 0\n[[runs]]\nname = "../x"\n')
    assert evolve(tmp_path, "--resume", "mine") == main.MISTAKE
    assert "sweep.toml: damaged" in capsys.readouterr().err


def made(path: Path, ratings: dict[str, list[list[tuple[float, float, float]]]]) -> Sweep:
    """A sweep whose runs have these ratings: by setting, by seed, by generation."""
    members = []
    for setting, of_seeds in ratings.items():
        for seed, _ in enumerate(of_seeds):
            run = RunFolder(path / f"{setting}_s{seed}")
            run.path.mkdir(parents=True)
            members.append(Member(setting, seed, run.path.name))
    return Sweep(path, "evolve", tuple(members), 1)


def test_settings_that_are_clearly_behind_are_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By hand: c is behind for certain, b is not; of a single seed intervals decide."""
    ratings = {
        "a": [100.0, 120.0, 110.0],
        "b": [90.0, 125.0, 100.0],
        "c": [20.0, 45.0, 33.0],
    }
    found = made(tmp_path / "many", {name: [[(0, 0, 0)]] * 3 for name in ratings})

    def newest(run: RunFolder, generation: int | None = None) -> tuple[int, tuple[float, float, float]]:
        setting, _, seed = run.path.name.partition("_s")
        value = ratings[setting][int(seed)]
        return 1, (value, value - 30, value + 30)

    monkeypatch.setattr(sweep, "newest_rating", newest)
    behind = sweep.clearly_behind(found, 1, set())
    assert list(behind) == ["c"]
    assert behind["c"].endswith("beside a")
    assert sweep.clearly_behind(found, 1, {"c"}) == {}
    single = made(tmp_path / "single", {name: [[(0, 0, 0)]] for name in ratings})
    assert list(sweep.clearly_behind(single, 1, set())) == ["c"]
    played: list[tuple[str, int]] = []
    said: list[str] = []

    def play(member: Member, goal: int) -> bool:
        played.append((member.name, goal))
        return True

    assert sweep.play(single, 3, play, said.append)
    assert played == [
        *((f"{name}_s0", 1) for name in "abc"),
        *((f"{name}_s0", goal) for goal in (2, 3) for name in "ab"),
    ]
    assert said == ["c: stopped in generation 1, each rating is below the interval of a"]
    assert not sweep.play(single, 3, lambda member, goal: False, said.append)


def test_combinations_are_named_by_what_differs() -> None:
    found = sweep.combinations(["variation.step=1,2", "founders.step=3"], [7])
    assert [member.name for member, _ in found] == [
        "variation.step=1_founders.step=3_s7",
        "variation.step=2_founders.step=3_s7",
    ]
    assert found[1][1] == ["variation.step=2", "founders.step=3"]
    with pytest.raises(InputError, match="more than 1000 runs"):
        sweep.combinations(["a.b=" + ",".join(map(str, range(600)))], [1, 2])
    assert math.isnan(student.mean([1.0]).probability)


def test_settings_need_ratings_to_be_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["evolve", "--out", str(tmp_path), "--set", "rating.every=0", "--sweep", "variation.high=0.1,0.2"]
    assert main.main(words) == main.MISTAKE
    assert "settings are compared by ratings, expected rating.every above 0" in capsys.readouterr().err
