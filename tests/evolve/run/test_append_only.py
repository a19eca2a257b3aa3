"""The files of a run that grow, what a session puts aside, and what it leaves alone."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from evolve.names.registration import register
from evolve.run import append_only
from evolve.run.files import DamagedRunError
from evolve.run.folder import Run
from evolve.run.generation_csv import to_csv
from game.players.network import NetworkPlayer
from game.players.registry import player
from tests.called import evolve_cowan
from tests.evolve.run.folder_helpers import additions, rows, run, template

__all__ = ["run", "template"]  # fixtures

SMALL = [f"--set={value}" for value in ("population.parents=4", "stages.0.rounds=2", "stages.1.rounds=2")]


def test_files_of_a_person_stay(run: Run) -> None:
    for name in ("generation_0002 (copy).csv", "generation_notes.csv", "generation_0009.txt"):
        (run.path / name).write_text("mine")
    run.rewind(run.manifest().newest)
    assert sorted(path.name for path in run.path.glob("generation_*") if path.read_bytes() == b"mine") == [
        "generation_0002 (copy).csv",
        "generation_0009.txt",
        "generation_notes.csv",
    ]


def test_files_that_were_put_aside_stay(run: Run) -> None:
    for text in ("first", "second"):
        run.generation_path(3).write_text(text)
        run.rewind(2)
        run.save(run.manifest(), to_csv(rows(3)), additions(3))
    aside = {path.name: path.read_text() for path in run.path.glob("generation_*.given-up*")}
    assert aside == {"generation_0003.csv.given-up": "first", "generation_0003.csv.given-up-2": "second"}


def test_growing_files_of_a_discarded_generation_are_restored(run: Run) -> None:
    before = {name: (run.path / name).read_bytes() for name in append_only.NAMES}
    run.rewind(run.manifest().newest)
    assert not list(run.path.glob("*.given-up"))
    run.rewind(1)
    for name, data in before.items():
        assert (run.path / f"{name}.given-up").read_bytes() == data
        assert data.startswith((run.path / name).read_bytes()) and len(data) > len((run.path / name).read_bytes())


@pytest.mark.parametrize("name", [append_only.HALL_OF_FAME, append_only.CHAMPIONS])
def test_missing_or_short_growing_file_is_refused(run: Run, name: str) -> None:
    whole = (run.path / name).read_bytes()
    (run.path / name).write_bytes(whole[: 2 * len(whole) // 3])
    with pytest.raises(DamagedRunError, match=f"{name}: damaged, it ends at generation [012];"):
        run.check(run.manifest())
    (run.path / name).unlink()
    with pytest.raises(DamagedRunError, match=f"{name}: damaged, it is missing or empty"):
        run.check(run.manifest())


def test_a_path_may_have_an_at_sign(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a@b").mkdir()
    moved = run.path.rename(tmp_path / "a@b" / "one")
    register(tmp_path)
    for text in (f"{moved}", f"{moved}@3"):
        result = player(text)
        assert isinstance(result, NetworkPlayer)
        assert result.weights.tobytes() == rows(3).weights[0].tobytes()


@pytest.mark.check
def test_two_sessions_that_start_at_once_take_two_names(tmp_path: Path) -> None:
    """The second looks while the first is half made, and finds the name taken when it makes its own."""
    command = [sys.executable, "main.py", *evolve_cowan("--generations=0", "--json", "--out", tmp_path), *SMALL]
    root = Path(__file__).parents[3]
    started = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=root) for _ in range(2)]
    results = [json.loads(process.communicate(timeout=300)[0])["run"] for process in started]
    assert sorted(Path(path).name for path in results) == ["cowan-1", "cowan-2"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cowan-1", "cowan-2"]
