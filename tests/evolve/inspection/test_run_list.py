"""Lists of runs by the verb `inspect`, and their notes, tags, archiving and deletion."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import main
from evolve.inspection import command
from evolve.inspection.run_list import list_runs
from evolve.run import notes
from evolve.run.files import SWEEP
from evolve.run.folder import Run
from evolve.run.runs import SHIPPED_RUNS, Runs
from tests.logged_runs import make_logged_run
from tests.synthetic import make_run


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    for seed, name in enumerate(("fine", "poor", "gone"), 4):
        make_logged_run(tmp_path, name, 3, seed)
    notes.note_run(make_logged_run(tmp_path, "wide", 2, 7, "variation.high=0.2"), "see\nbelow", ["good", "wide"])
    notes.note_run(make_logged_run(tmp_path, "old", 0, 8), archived=True)
    (tmp_path / "poor" / "manifest.csv").write_text("nonsense")
    (tmp_path / "gone" / "config.toml").write_text("nonsense")
    return tmp_path


def test_all_runs(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(["inspect", "--runs", str(runs)]) == 0
    title, _, heading, *lines = capsys.readouterr().out.splitlines()
    assert title.split() == ["4", "runs", str(runs)]
    assert heading.split() == ["run", "preset", "seed", "state", "generation", "tags", "note"]
    assert [line.split() for line in lines if line] == [
        ["fine", "cowan", "4", "stopped", "3"],
        ["gone", "-", "-", "damaged", "3"],
        ["poor", "cowan", "5", "damaged", "-"],
        ["wide", "cowan", "7", "stopped", "2", "good,", "wide", "see"],
        ["and", "1", "archived"],
    ]


def test_those_with_tags_and_as_json(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(["inspect", "--tags", "wide", "--json", "--runs", str(runs)]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "kind": "list",
        "runs": [
            {"name": "wide", "preset": "cowan", "seed": 7, "state": "stopped", "generation": 2,
             "tags": ["good", "wide"], "note": "see\nbelow", "archived": False},
        ],
    }  # fmt: skip
    assert [run["name"] for run in list_runs(runs) if run["archived"]] == ["old"]


def test_runs_of_sweeps_are_listed_by_the_names_that_commands_take(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make_logged_run(tmp_path, "alone", 1, 1)
    for seed in (1, 2):
        notes.note_run(make_logged_run(tmp_path / "high", f"s{seed}", 1, seed), tags=["good"] * (seed == 2))
    (tmp_path / "high" / SWEEP).write_text('verb = "evolve"\n')
    assert main.main(["inspect", "--runs", str(tmp_path)]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert lines[0][:2] == ["3", "runs"] and [line[0] for line in lines[3:] if line] == ["alone", "high/s1", "high/s2"]
    assert main.main(["inspect", "--runs", str(tmp_path), "--tags", "good"]) == 0
    assert capsys.readouterr().out.split()[:2] == ["1", "run"]
    assert Run.find(tmp_path, "high/s2") is not None


def test_no_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(["inspect", "--runs", str(tmp_path)]) == 0
    assert capsys.readouterr().out.split()[:2] == ["0", "runs"]


def test_options_of_something_need_it_named(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(["inspect", "--note", "fine", "--runs", str(runs)]) == 2
    assert "--note: expected a TARGET" in capsys.readouterr().err
    assert main.main(["inspect", "--games", "0", "--runs", str(runs)]) == 2
    assert "--games: expected a TARGET" in capsys.readouterr().err


@pytest.fixture
def two_runs(tmp_path: Path) -> Path:
    for name in ("one", "two"):
        make_run(tmp_path, name, 0)
    return tmp_path


def call(two_runs: Path, *words: str) -> int:
    return main.main(["inspect", "--runs", str(two_runs), *words])


def test_tags_and_a_note_are_kept_without_a_report(
    two_runs: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def inspect(*_: object) -> None:
        pytest.fail("a report is made")

    monkeypatch.setattr(command, "inspect", inspect)
    assert call(two_runs, "one", "--tags=good, kept", f"--note={'n' * 200}") == 0
    output = capsys.readouterr().out
    assert "one: tags good, kept; note nnn" in output and len(output) < 120
    assert notes.read_of_run(Run(two_runs / "one")).tags == ("good", "kept")
    assert call(two_runs, "one", "--note=", "--json") == 0
    assert json.loads(capsys.readouterr().out) == [
        {"run": "one", "archived": False, "tags": ["good", "kept"], "note": ""}
    ]


def test_runs_are_archived_and_taken_back(two_runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(two_runs, "one", "two", "--archive") == 0
    assert [notes.read_of_run(Run(two_runs / name)).archived for name in ("one", "two")] == [True, True]
    assert call(two_runs, "two", "--no-archive", "--tags=back") == 0
    assert notes.read_of_run(Run(two_runs / "two")) == notes.RunNote("", ("back",))
    assert "one: archived; tags none; note none" in capsys.readouterr().out


@pytest.mark.parametrize(("answer", "left"), [("y\n", ["two"]), ("\n", ["one", "two"]), ("", ["one", "two"])])
def test_a_run_is_deleted_after_a_question(
    two_runs: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], answer: str, left: list[str]
) -> None:
    class Terminal:
        def isatty(self) -> bool:
            return True

        def readline(self) -> str:
            return answer

    monkeypatch.setattr("sys.stdin", Terminal())
    assert call(two_runs, "one", "--delete") == 0
    assert "one: 1 generation, " in capsys.readouterr().err
    assert Runs(two_runs).names() == left


WRONG = {
    "one --delete": "--delete: expected a terminal on which to ask for confirmation, or --yes",
    "one nobody --delete --yes": "nobody: no run of this name",
    "one@0 --delete --yes": "one@0: expected the name of a run alone: one",
    "one --delete --archive": "--delete: not together with --archive",
    "one --delete --games 0": "--games: not together with --delete",
    "one two --archive --tags a": "--tags: not together with --archive",
    "--delete": "--delete: expected the names of one or more runs",
    "one --yes": "--yes: only together with --delete",
}


@pytest.mark.parametrize("words", WRONG)
def test_wrong_words(two_runs: Path, capsys: pytest.CaptureFixture[str], words: str) -> None:
    assert call(two_runs, *words.split()) == 2
    assert WRONG[words] in capsys.readouterr().err
    assert Runs(two_runs).names() == ["one", "two"]


def test_shipped_runs_and_other_files_are_never_deleted(two_runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(two_runs, "one", str(SHIPPED_RUNS / "crownhead"), "--delete", "--yes") == 2
    assert "crownhead came with the program and cannot be removed" in capsys.readouterr().err
    assert Runs(two_runs).names() == ["one", "two"]
    assert (SHIPPED_RUNS / "crownhead" / "config.toml").is_file()
