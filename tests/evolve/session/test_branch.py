"""Branches: runs that begin with copies of another's generations."""

from __future__ import annotations

import hashlib
import os
import shutil
from pathlib import Path

import pytest

import main
from evolve.report.ancestry import Pedigree
from evolve.run.folder import Run
from tests.called import evolve_cowan

TINY = ["population.parents=4", "population.recombine=true", "stages.0.rounds=2", "stages.1.rounds=2", "rating.every=0"]


def evolve(runs: Path, *options: str) -> int:
    return main.main(evolve_cowan("--out", str(runs), "--workers", "1", *options))


def begin(runs: Path, name: str, *settings: str, generations: int = 3) -> Run:
    given = [part for setting in (*TINY, *settings) for part in ("--set", setting)]
    assert evolve(runs, "--name", name, "--seed", "1", "--generations", str(generations), *given) == 0
    return Run(runs / name)


def contents(run: Run) -> dict[str, str]:
    return {
        str(path.relative_to(run.path)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in run.path.rglob("*")
        if path.is_file()
    }


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    begin(folder, "mine")
    mean = [f"--set={each}" for each in ("population.mutants=8", "population.parents=4", "rating.every=0")]
    assert evolve(folder, "--preset", "crownhead-1", "--name", "mean", "--seed", "1", "--generations", "1", *mean) == 0
    return folder


@pytest.fixture(scope="module")
def twin(runs: Path) -> Path:
    given = ("--seed", "2", "--name", "twin", "--generations", "2")
    assert evolve(runs, "--branch", "mine@1", *given) == 0
    return runs / "twin"


def test_a_branch_has_the_bytes_of_its_run_up_to_where_it_begins_and_others_after(
    runs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = Run(runs / "mine")
    before = contents(mine)
    assert evolve(runs, "--branch", "mine@1", "--seed", "2", "--name", "other") == 0
    other = Run(runs / "other")
    assert contents(mine) == before
    for generation in range(2):
        assert other.read_bytes(generation) == mine.read_bytes(generation)
    assert other.read_bytes(2) != mine.read_bytes(2)
    assert other.manifest().newest == 3
    output = capsys.readouterr().err
    assert "generations 0 to 1 are copied from mine, which stays unchanged" in output
    record = other.check_format()
    assert record["branched_from"] == "mine@1"
    assert record["branched_digest"] == mine.manifest().up_to(1).digest()
    assert len(other.log()) == 4
    assert other.log().loc[:1].equals(mine.log().loc[:1])


def test_a_branch_with_the_old_seed_by_another_way_has_the_old_bytes(runs: Path) -> None:
    # Away and back: what a branch of a branch makes depends on values alone, not on where it has been.
    assert evolve(runs, "--branch", "mine@0", "--seed", "5", "--name", "away", "--generations", "1") == 0
    assert evolve(runs, "--branch", "away@0", "--seed", "1", "--name", "back", "--generations", "3") == 0
    assert Run(runs / "back").manifest().digest() == Run(runs / "mine").manifest().digest()


def test_each_generation_has_the_values_that_it_was_played_with(runs: Path) -> None:
    assert evolve(runs, "--branch", "mine@2", "--set", "search.depth=2", "--name", "deeper") == 0
    assert evolve(runs, "--branch", "deeper@3", "--seed", "9", "--name", "further", "--generations", "4") == 0
    run = Run(runs / "further")
    assert [run.config(number).search.depth for number in range(5)] == [1, 1, 1, 2, 2]
    assert [run.config(number).seed for number in range(5)] == [1, 1, 1, 1, 9]
    assert [run.conditions(number).limits.depth for number in (2, 3)] == [1, 2]
    assert run.config() == run.config(4)


def test_ancestry_goes_across(runs: Path) -> None:
    """Whose weights a champion has is what following every weight by hand says, where seeds change on the way."""
    assert evolve(runs, "--branch", "mine@1", "--seed", "3", "--name", "across", "--generations", "4") == 0
    run = Run(runs / "across")
    result = Pedigree(run, 4, 4).founders(4, run.read_generation(4).names[0])
    assert result.exact
    assert sum(founder.share for founder in result.shares) == pytest.approx(1)
    # With the configuration of its end for all of it, the cuts of generation 1 would be those of another seed.
    (run.path / "config_0001.toml").rename(run.path / "kept")
    wrong = Pedigree(run, 4, 4).founders(4, run.read_generation(4).names[0])
    (run.path / "kept").rename(run.path / "config_0001.toml")
    assert [founder.share for founder in wrong.shares] != [founder.share for founder in result.shares]


def test_a_branch_resumes_to_the_same_bytes(runs: Path) -> None:
    assert evolve(runs, "--branch", "mine@1", "--seed", "4", "--name", "whole", "--generations", "4") == 0
    assert evolve(runs, "--branch", "mine@1", "--seed", "4", "--name", "parts", "--generations", "2") == 0
    assert evolve(runs, "--resume", "parts", "--generations", "4") == 0
    assert Run(runs / "parts").manifest().digest() == Run(runs / "whole").manifest().digest()
    assert Run(runs / "parts").check_format()["branched_from"] == "mine@1"


def test_without_a_number_it_begins_with_all_there_is_and_draws_a_seed(runs: Path) -> None:
    assert evolve(runs, "--branch", "mine", "--generations", "4") == 0
    run = Run(runs / "mine-branch-1")
    assert run.check_format()["branched_from"] == "mine@3"
    assert run.config().seed != 1


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (["--branch", "mine@1", "--seed", "1"], "the same values and seed would give the same bytes again"),
        (["--branch", "mine@9", "--seed", "2"], "mine: no generation 9 to continue from; complete generations: 0 to 3"),
        (["--branch", "mine@x", "--seed", "2"], "--branch: expected RUN or RUN@GENERATION, got 'mine@x'"),
        (["--branch", "mein@1", "--seed", "2"], "no run of this name under {runs}, and no run folder; near: mine"),
        (["--branch", "mine@3", "--seed", "2"], "generations: expected more than 3, where the branch begins, got 3"),
        (["--branch", "mine@1", "--seed", "2", "--name", "mine"], "mine: this run already exists"),
        (["--branch", "mine@1", "--preset", "cowan"], "--preset: not together with --branch, the run keeps its own"),
        (["--branch", "mine@1", "--from", "1"], "--from: only together with --resume"),
        (["--branch", "mine@1", "--resume", "mine"], "--branch: not together with --resume"),
        (["--branch", "mean@1", "--set", "optimiser.kind=snes"], "optimiser.kind: a branch keeps the value of mean"),
        (["--branch", "mine@1", "--set", "network=cnn-1"], "network: "),
        (["--branch", "mine@1", "--set", "population.parents=128"], "expected ranks and at least 128 individuals"),
        (["--branch", "mine@1", "--set", "variation.mutation=self-adaptive"], "no step sizes"),
        (["--branch", "mine@1", "--seed", "-1"], "--seed: expected 0 to"),
    ],
)
def test_wrong_branches_are_refused_and_leave_no_files(
    runs: Path, options: list[str], text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = sorted(path.name for path in runs.iterdir())
    assert evolve(runs, *options) == main.MISTAKE
    assert text.format(runs=runs) in capsys.readouterr().err
    assert sorted(path.name for path in runs.iterdir()) == before


def test_a_generation_that_has_lost_its_weights_is_no_place_to_begin(
    runs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    begin(runs, "thin", "saving.every=0", "saving.newest=1")
    assert evolve(runs, "--branch", "thin@1", "--seed", "2") == main.MISTAKE
    assert "thin: generation 1 has not kept its weights" in capsys.readouterr().err
    assert evolve(runs, "--branch", "thin", "--seed", "2", "--generations", "4", "--name", "thinner") == 0
    assert Run(runs / "thinner").manifest().whole == [4]


def test_damaged_source_is_reported_before_a_branch_is_made(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = begin(runs, "bad")
    path = run.generation_path(1)
    path.write_bytes(path.read_bytes().replace(b"1", b"2", 1))
    assert evolve(runs, "--branch", "bad@2", "--seed", "2", "--name", "from-bad") == main.MISTAKE
    assert "its bytes are not what the session wrote" in capsys.readouterr().err
    assert not (runs / "from-bad").exists()


def test_going_back_reports_that_the_same_bytes_follow(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = begin(runs, "again")
    digest = run.manifest().digest()
    capsys.readouterr()
    assert evolve(runs, "--resume", "again", "--from", "1") == 0
    output = capsys.readouterr().err
    assert "the same bytes will follow, since everything derives from the seed; for different ones branch" in output
    assert f"evolve --branch {runs / 'again'}@1" in output
    assert run.manifest().digest() == digest


@pytest.mark.parametrize(
    ("file", "size", "code", "text"),
    [
        ("log.csv", 5 << 30, main.MISTAKE, "log.csv: cannot be read: 5,368,709,120 bytes, at most 268,435,456"),
        ("log.csv", 300 << 20, main.MISTAKE, "log.csv: cannot be read: 314,572,800 bytes, at most 268,435,456"),
        ("log.csv", 200 << 20, 0, ""),
        ("hall_of_fame.csv", 5 << 30, main.MISTAKE, "hall_of_fame.csv: damaged, cannot be read: 5,368,709,120 bytes"),
        ("hall_of_fame.csv", 3 << 30, 0, ""),
        ("champions.pdn", 5 << 30, main.MISTAKE, "champions.pdn: damaged, cannot be read: 5,368,709,120 bytes"),
        ("champions.pdn", 3 << 30, 0, ""),
    ],
)
def test_a_branch_copies_growing_files_within_their_limits_and_up_to_its_generation(
    runs: Path,
    twin: Path,
    tmp_path: Path,
    file: str,
    size: int,
    code: int,
    text: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    shutil.copytree(runs / "mine", tmp_path / "vast")
    os.truncate(tmp_path / "vast" / file, size)  # all hole behind what was there
    given = ["--seed", "2", "--name", "other", "--generations", "2"]
    assert evolve(tmp_path, "--branch", "vast@1", *given) == code
    assert text in capsys.readouterr().err
    assert (tmp_path / "other").exists() == (code == 0)
    if code == 0:
        for name in ("hall_of_fame.csv", "champions.pdn"):
            assert (tmp_path / "other" / name).read_bytes() == (twin / name).read_bytes()
