"""The log as columns while a session appends to it, states, and the champion's games from the end of their file."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from evolve.run import append_only, log, status
from evolve.run.files import DamagedRunError
from evolve.run.folder import Run
from evolve.run.log import read_history
from evolve.run.status import LOCK, State, lock
from tests.synthetic import make_run

LAST = 6


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return make_run(tmp_path_factory.mktemp("runs"), "one", LAST, rated=True)


@pytest.fixture
def run(template: Run, tmp_path: Path) -> Run:
    return Run(Path(shutil.copytree(template.path, tmp_path / "one")))


def edited(run: Run, old: str, new: str, count: int = 1) -> None:
    path = run.path / append_only.LOG
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, count), encoding="utf-8")


def test_columns_are_read_with_their_intervals(run: Run) -> None:
    result = read_history(run, run.manifest())
    assert len(result) == LAST + 1
    assert result.numbers["generation"].tolist() == list(range(LAST + 1))
    assert result.champions[0].startswith("Gen00_")
    assert result.total("games") == 200 * (LAST + 1)
    rating = result.interval("rating")
    assert (rating[1] < rating[0]).all() and (rating[0] < rating[2]).all()
    assert result.interval("diversity") is None


def test_ratings_may_be_absent_or_of_some_generations(tmp_path: Path, run: Run) -> None:
    plain = make_run(tmp_path, "unrated", 1)
    assert read_history(plain, plain.manifest()).interval("rating") is None
    path = run.path / append_only.LOG
    lines = [line.split(",") for line in path.read_text(encoding="utf-8").splitlines()]
    at = lines[0].index("rating")
    for line in lines[2:]:
        line[at] = ""
    path.write_text("".join(",".join(line) + "\n" for line in lines), encoding="utf-8")
    rating = read_history(run, run.manifest()).interval("rating")
    assert np.isfinite(rating[0]).tolist() == [True] + [False] * LAST
    lines[1][at] = "-inf"
    path.write_text("".join(",".join(line) + "\n" for line in lines), encoding="utf-8")
    assert read_history(run, run.manifest()).interval("rating") is None


@pytest.mark.parametrize("cut", [1, 5, 40])
def test_while_a_session_appends(run: Run, cut: int) -> None:
    """The log has a line, whole or torn, of a generation that the manifest does not know yet."""
    path = run.path / append_only.LOG
    line = path.read_text(encoding="utf-8").splitlines(keepends=True)[-1].replace(f"{LAST},", f"{LAST + 1},", 1)
    before = read_history(run, run.manifest())
    for addition in (line, line[:-cut], "x\0y"):
        text = path.read_bytes()
        with open(path, "a", encoding="utf-8") as file:
            file.write(addition)
        result = read_history(run, run.manifest())
        assert result.champions == before.champions
        assert all((result.numbers[name] == before.numbers[name]).all() for name in before.numbers)
        path.write_bytes(text)
    earlier = read_history(run, run.manifest().up_to(2))
    assert earlier.champions == before.champions[:3]


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("\n3,", "\n4,", 5),
        ("\n3,", "\nthree,", 5),
        (",200,50,", ",200,fifty,", 2),
        (",200,50,", ",200,,", 2),
        (",200,50,", ",200,inf,", 2),
        (",200,50,", ",200,50,50,", 2),
        ("\n6,", "\n", 8),
        ("\n2,Gen02", "\n2,\x1b[2J", 4),
        ("\n2,Gen02", "\n2,\u202e", 4),
    ],
)
def test_damage_is_named(run: Run, old: str, new: str, line: int) -> None:
    edited(run, old, new)
    with pytest.raises(DamagedRunError) as caught:
        read_history(run, run.manifest())
    assert f"log.csv: damaged, line {line} is not generation {line - 2}; continue" in str(caught.value)
    assert f"--from {line - 3}" in str(caught.value)


def test_lines_of_generations_that_are_not_complete_wait(run: Run) -> None:
    result = log.Log(run.path)
    assert result.step(-1).lines == () and (result.header, len(result)) == ((), 0)
    assert len(result.step(2).lines) == 4  # with the header
    assert len(result) == 3 and result.header == log.LOG_COLUMNS
    assert not result.step(2).lines
    assert len(result.step().lines) == LAST - 2
    assert result.champions == list(read_history(run, run.manifest()).champions)
    assert result.total("games") == 200 * (LAST + 1) and result.column("none") == []
    line = (run.path / append_only.LOG).read_text(encoding="utf-8").splitlines(keepends=True)[-1]
    with open(run.path / append_only.LOG, "a", encoding="utf-8") as file:
        file.write(line.replace(f"{LAST},", f"{LAST + 1},", 1))
    assert len(result.step().lines) == 1 and len(result) == LAST + 2
    edited(run, "\n3,", "\nx,")
    assert log.Log(run.path).trouble == ""
    damaged = log.Log(run.path)
    damaged.step()
    assert len(damaged) == 3 and damaged.trouble.startswith("log.csv, line 5: damaged, expected generation 3;")


def test_a_run_without_a_lock_is_interrupted(run: Run) -> None:
    assert run.state() == (State.STOPPED, None)
    assert not (run.path / LOCK).exists()  # to look is not to touch
    for outcome in set(State) - set(status.UNREPORTED):
        status.write(run.path, status.now(outcome, os.getpid(), 3, 6, 100))
        quiet = outcome if outcome in status.ENDED else State.INTERRUPTED
        assert run.state()[0] == quiet
        with lock(run.path):
            assert run.state()[0] == outcome
        assert run.state()[0] == quiet
    result = run.state()[1]
    assert result is not None and result.generation == 3
