"""Searches over settings: trials, their end before time, resuming, and the match with new seeds."""

from __future__ import annotations

import contextlib
import io
import json
import shutil
import statistics
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import main
from evolve.run.folder import Run
from tests.called import Called, call_program, evolve_cowan

pytest.importorskip("optuna")

TINY = [
    *("population.parents=3", "population.mutants=1", "rating.games=4", "rating.anchors=random; material,depth=1"),
    *("rating.every=1", "founders.method=uniform", 'stages=[{kind="round-robin"}]'),
]
SPACE = ["--search=variation.high=0.05..0.5:log", "--search=points.win=1,3"]
SEARCH = [*SPACE, "--trials=6", "--seeds=4", "--generations=2"]

Evolve = Callable[..., Called]


@pytest.fixture
def evolve(capfd: pytest.CaptureFixture[str]) -> Evolve:
    def call(runs: Path, *options: str) -> Called:
        new = [] if any(each.startswith("--resume") for each in options) else [f"--set={each}" for each in TINY]
        return call_program(capfd, *evolve_cowan(f"--out={runs}", "--workers=1", *new, *options))

    return call


class Searched(NamedTuple):
    """The runs of a search that has ended, and what it printed as JSON."""

    runs: Path
    values: dict[str, Any]


@pytest.fixture(scope="module")
def searched(tmp_path_factory: pytest.TempPathFactory) -> Searched:
    runs, output = tmp_path_factory.mktemp("searched"), io.StringIO()
    settings = [f"--set={each}" for each in TINY]
    with contextlib.redirect_stdout(output):
        words = evolve_cowan(f"--out={runs}", "--workers=1", *settings, *SEARCH, "--name=mine", "--json")
        assert main.main(words) == 0
    return Searched(runs, json.loads(output.getvalue()))


@pytest.fixture
def copied(searched: Searched, tmp_path: Path) -> Path:
    return shutil.copytree(searched.runs, tmp_path / "copy")


@pytest.mark.check
def test_trials_are_runs_and_the_best_are_played_again_with_new_seeds(
    searched: Searched, evolve: Evolve, tmp_path: Path
) -> None:
    values, folder = searched.values, searched.runs / "mine"
    trials = values["trials"]
    assert len(trials) == 6
    highs = [float(trial["setting"].split()[0].partition("=")[2]) for trial in trials]
    assert all(0.05 <= high <= 0.5 for high in highs) and len(set(highs)) > 4
    assert {trial["setting"].split()[1] for trial in trials} == {"win=1", "win=3"}
    # A trial is the run that its values and seed make, to the byte, and its rating is that of this run.
    setting = trials[0]["setting"]
    high, win = (part.partition("=")[2] for part in setting.split())
    values_of = [f"--set=variation.high={high}", f"--set=points.win={win}", "--generations=2", "--seed=4"]
    assert evolve(tmp_path, *values_of, "--name=alone").code == 0
    alone, trial = Run(tmp_path / "alone"), Run(folder / f"{setting.replace(' ', '_')}_s4")
    assert alone.manifest().digest() == trial.manifest().digest()
    assert trials[0]["ratings"] == pytest.approx({str(at): alone.log()["rating"].iloc[at] for at in (1, 2)})
    # The last word.
    ratings: dict[str, float] = {}
    for one in sorted((one for one in trials if one["complete"]), key=lambda one: -one["ratings"]["2"]):
        ratings.setdefault(one["setting"], one["ratings"]["2"])
    again = values["again"]
    assert [one["setting"] for one in again["settings"]] == ["unchanged", *list(ratings)[:3]]
    assert {run["seed"] for run in again["runs"]} == {5, 6, 7}
    assert sum(values["importance"].values()) == pytest.approx(1)


@pytest.mark.check
def test_a_trial_below_the_median_is_stopped(searched: Searched) -> None:
    """Not one of the first five, with which the others are compared."""
    stopped = searched.values["trials"][5]
    run = Run(searched.runs / "mine" / f"{stopped['setting'].replace(' ', '_')}_s4")
    assert not stopped["complete"] and list(stopped["ratings"]) == ["1"] and run.manifest().newest == 1
    others = [trial["ratings"]["1"] for trial in searched.values["trials"][:5]]
    assert stopped["ratings"]["1"] < statistics.median(others)


@pytest.mark.check
def test_a_search_that_was_killed_ends_as_if_it_was_not(searched: Searched, copied: Path, evolve: Evolve) -> None:
    """The journal ends within a line; trials after it are proposed anew."""
    journal = copied / "mine" / "search.journal"
    text = journal.read_bytes()
    journal.write_bytes(text[: int(0.4 * len(text))])
    output = evolve(copied, "--resume=mine", "--json").out
    assert json.loads(output.replace(str(copied), str(searched.runs))) == searched.values
    assert journal.read_bytes().count(b"\n") >= text.count(b"\n")


@pytest.mark.check
def test_no_trial_begins_when_the_time_is_spent_and_the_report_says_that_the_highest_rating_is_too_high(
    copied: Path, evolve: Evolve
) -> None:
    journal = copied / "mine" / "search.journal"
    lines = journal.read_bytes().splitlines(keepends=True)
    ended = [number for number, line in enumerate(lines) if b"datetime_complete" in line]
    journal.write_bytes(b"".join(lines[: ended[1] + 1]))
    called = evolve(copied, "--resume=mine", "--minutes=0.00001")
    assert called.code == 0 and "are spent after 2 trials" in called.err
    printed = called.out.splitlines()
    assert printed[0].startswith(f"search       {copied / 'mine'}, 2 trials of 6, 0 of them stopped early; 1 seed each")
    assert "Too high: the highest of 2 ratings" in called.out
    assert "The best again, with seeds 5 to 7, by which none was chosen:" in printed
    assert "difference from unchanged" in called.out


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (["--search=variation.hihg=1..2"], "variation.hihg: unknown key, did you mean variation.high?"),
        (["--search=generations=1..2"], "--search generations: runs cannot be compared by this key; use --generations"),
        (["--search=variation.high=0.5..0.5"], "--search variation.high=0.5..0.5: an empty range"),
        (["--search=variation.high=0.5..0.1"], "expected the lower end first"),
        (["--search=variation.high=0..1:log"], "expected a lower end above 0 for :log, got 0"),
        (["--search=variation.high=0.1..1:lin"], "or key=a,b,c, got ':lin'"),
        (["--search=variation.high=0.1..much"], "expected two numbers, such as variation.high=0.01..1"),
        (["--search=points.each=1..2"], "points.each: expected"),
        (["--search=variation.high=0.1"], "expected two values or more, or a range"),
        (["--search=variation.high=0.1,0.1"], "a value comes twice"),
        (["--search=variation.high"], "expected key=LOW..HIGH, key=LOW..HIGH:log"),
        (["--search=points.win=1,2", "--search=points.win=1..3"], "--search: points.win comes twice"),
        (["--search=points.win=1,2", "--sweep=points.loss=0,-1"], "--sweep: not together with --search"),
        (["--search=points.win=1,2", "--trials=0"], "--trials: expected 1 to 1000"),
        (["--search=points.win=1,2", "--seeds=1-10", "--trials=101"], "--trials: expected 1 to 100 (of 10 seeds)"),
        (["--search=points.win=1,2", "--set=rating.every=9"], "expected rating.every from 1 to 5, the last generation"),
        (["--trials=3"], "--trials: only together with --search"),
    ],
)
def test_wrong_searches_are_refused_and_leave_no_files(
    tmp_path: Path, evolve: Evolve, options: list[str], text: str
) -> None:
    called = evolve(tmp_path, "--generations=5", *options)
    assert called.code == main.MISTAKE and text in called.err and called.err.count("\n") == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.check
def test_a_search_keeps_its_values(copied: Path, evolve: Evolve) -> None:
    for option, text in (
        ("--generations=3", "the trials of a search keep theirs, 2"),
        ("--search=points.win=1,2", "only --trials and --minutes can change"),
        ("--seeds=1-2", "--seeds: not with a sweep"),
        ("--trials=0", "--trials: expected 1 to 1000"),
    ):
        called = evolve(copied, "--resume=mine", option)
        assert called.code == main.MISTAKE and text in called.err
    for name, text in (("search.journal", '{"op_code": 0}\n'), ("sweep.toml", 'verb = "evolve"\n[search]\nspace = []')):
        before = (copied / "mine" / name).read_text()
        (copied / "mine" / name).write_text(text)
        called = evolve(copied, "--resume=mine")
        assert called.code == main.MISTAKE and f"{name}: damaged" in called.err
        (copied / "mine" / name).write_text(before)
