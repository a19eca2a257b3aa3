"""Notes and tags of runs, archiving and deletion by the verb `inspect`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import main
from evolve.inspection import command
from evolve.run import notes
from evolve.run.folder import Run
from evolve.run.runs import SHIPPED_RUNS, Runs
from tests.synthetic import make_run


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
    "one@1 --tags a": "--tags: only for a run, one@1 is not one",
    "one two --note x": "--note: not with several runs",
    "one --archive --html page.html": "--html: not together with --archive",
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


def test_lists_by_tags(two_runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    notes.note_run(Run(two_runs / "two"), tags=["good", "wide"])
    assert call(two_runs, "--tags=wide", "--json") == 0
    assert [each["name"] for each in json.loads(capsys.readouterr().out)["runs"]] == ["two"]
    assert call(two_runs, "--note=fine") == 2
    assert "--note: expected a TARGET" in capsys.readouterr().err
