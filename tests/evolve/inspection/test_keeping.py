"""Notes, tags, archive and deletion by the command line: no report, no game, and a question before what is final."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import main
from evolve.inspection import command, keeping
from evolve.run import notes
from evolve.run.folder import Run
from evolve.run.runs import SHIPPED_RUNS, Runs
from tests.synthetic import make_run


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    for name in ("one", "two"):
        make_run(tmp_path, name, 0)
    return tmp_path


def call(runs: Path, *words: str) -> int:
    return main.main(["inspect", "--runs", str(runs), *words])


def test_tags_and_a_note_are_kept_without_a_report(
    runs: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def inspect(*_: object) -> None:
        pytest.fail("a report is made")

    monkeypatch.setattr(command, "inspect", inspect)
    assert call(runs, "one", "--tags=good, kept", f"--note={'n' * 200}") == 0
    said = capsys.readouterr().out
    assert "one: tags good, kept; note nnn" in said and len(said) < 120
    assert notes.read_of_run(Run(runs / "one")).tags == ("good", "kept")
    assert call(runs, "one", "--note=", "--json") == 0
    assert json.loads(capsys.readouterr().out) == [
        {"run": "one", "archived": False, "tags": ["good", "kept"], "note": ""}
    ]


def test_runs_are_archived_and_taken_back(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(runs, "one", "two", "--archive") == 0
    assert [notes.read_of_run(Run(runs / name)).archived for name in ("one", "two")] == [True, True]
    assert call(runs, "two", "--no-archive", "--tags=back") == 0
    assert notes.read_of_run(Run(runs / "two")) == notes.RunNote("", ("back",))
    assert "one: archived; tags none; note none" in capsys.readouterr().out


@pytest.mark.parametrize(("answer", "left"), [("y\n", ["two"]), ("\n", ["one", "two"]), ("", ["one", "two"])])
def test_a_run_is_deleted_after_a_question(
    runs: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], answer: str, left: list[str]
) -> None:
    class Terminal:
        def isatty(self) -> bool:
            return True

        def readline(self) -> str:
            return answer

    monkeypatch.setattr("sys.stdin", Terminal())
    assert call(runs, "one", "--delete") == 0
    assert "one: 1 generation, " in capsys.readouterr().err
    assert Runs(runs).names() == left


def test_several_runs_are_deleted_without_a_question(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(runs, "one", "two", "--delete", "--yes", "--json") == 0
    assert json.loads(capsys.readouterr().out) == [{"run": name, "deleted": True} for name in ("one", "two")]
    assert Runs(runs).names() == []


WRONG = {
    "one --delete": "--delete: asks first; expected a terminal, or --yes",
    "one nobody --delete --yes": "nobody: no run of this name",
    "one@0 --delete --yes": "one@0: no run of this name",
    "one --delete --archive": "--delete: not together with --archive",
    "one --delete --games 0": "--games: not together with --delete",
    "one two --archive --tags a": "--tags: not together with --archive",
    "one --archive --html page.html": "--html: not together with --archive",
    "--delete": "--delete: of what? Name one or more runs",
    "one --yes": "--yes: only together with --delete",
}


@pytest.mark.parametrize("words", WRONG)
def test_wrong_words(runs: Path, capsys: pytest.CaptureFixture[str], words: str) -> None:
    assert call(runs, *words.split()) == 2
    assert WRONG[words] in capsys.readouterr().err
    assert Runs(runs).names() == ["one", "two"]


def test_a_shipped_run_is_never_deleted_and_nothing_beside_it(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(runs, "one", str(SHIPPED_RUNS / "crownhead"), "--delete", "--yes") == 2
    assert "crownhead came with the program and stays" in capsys.readouterr().err
    assert Runs(runs).names() == ["one", "two"]
    assert (SHIPPED_RUNS / "crownhead" / "config.toml").is_file()


def test_no_terminal_is_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Exception, match="expected a terminal"):
        keeping.ask_here("Delete?")
