"""Runs as Parquet files: every value of the log and of all generations comes back, whatever the run has."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import main
from evolve.run.folder import Run
from game.installation import TREE
from tests.synthetic import make_run

RUNS = Path(__file__).parents[3] / "populations"
needs_pyarrow = pytest.mark.skipif(importlib.util.find_spec("pyarrow") is None, reason="no pyarrow")


def read(path: Path) -> pd.DataFrame:
    return pd.read_parquet(path, engine="pyarrow")


@pytest.mark.check
@needs_pyarrow
@pytest.mark.parametrize("name", ["cowan-deep", "crownhead-1", "q-learning"])
def test_shipped_runs_come_back(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(["export", name, "--parquet", str(tmp_path / "new")]) == 0
    out = capsys.readouterr().out.splitlines()
    files = [tmp_path / "new" / "log.parquet", tmp_path / "new" / "individuals.parquet"]
    assert [line.split(": ")[0] for line in out] == [str(path) for path in files]
    assert sorted(tmp_path.rglob("*.*")) == sorted(files)
    run = Run(RUNS / name)
    log, individuals = map(read, files)
    pd.testing.assert_frame_equal(log.set_index("generation"), run.log(), check_dtype=False, check_index_type=False)
    newest = run.manifest().newest
    assert list(individuals.generation.unique()) == list(range(newest + 1))
    for number in (0, newest):
        rows, part = run.read_generation(number, thinned=True), individuals[individuals.generation == number]
        assert list(part.name) == rows.names
        assert rows.counts is not None and rows.parents is not None
        assert part[["games", "wins", "draws", "losses", "points"]].to_numpy().tolist() == rows.counts.tolist()
        assert [tuple(parents) for parents in part.parents] == rows.parents
        if rows.weights.shape[1]:
            assert np.array_equal(np.stack(list(part.weights)), rows.weights)
        else:
            assert part.weights.isna().all() and list(part.genome) == rows.genomes


@needs_pyarrow
def test_some_generations_and_the_configuration(tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    run = make_run(tmp_path / "runs", "one", 5)
    folder = tmp_path / "tables"
    assert main.main(["export", "one", f"--runs={tmp_path / 'runs'}", f"--parquet={folder}", "--every=2"]) == 0
    assert list(read(folder / "individuals.parquet").generation.unique()) == [0, 2, 4, 5]
    assert len(read(folder / "log.parquet")) == 6
    for name in ("log", "individuals"):
        metadata = pq.read_schema(folder / f"{name}.parquet").metadata
        assert metadata[b"crownhead.run"] == b"one"
        assert metadata[b"crownhead.digest"] == run.manifest().digest().encode()
        assert metadata[b"crownhead.config"] == (run.path / "config.toml").read_bytes()


@needs_pyarrow
def test_a_damaged_generation_leaves_no_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = make_run(tmp_path / "runs", "one", 3)
    run.generation_path(1).write_bytes(b"name\n")
    assert main.main(["export", "one", f"--runs={tmp_path / 'runs'}", f"--parquet={tmp_path / 'tables'}"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert list((tmp_path / "tables").iterdir()) == []


EVERY = "--every: expected 1 or more, together with --parquet or --tensorboard"


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (
            ["--every=2"],
            "expected what to write: --html FILE.html, --onnx FILE.onnx, --evolving FILE.html, --parquet DIR or ",
        ),
        (
            ["--every=2", "--onnx=a.onnx"],
            f"{EVERY}, got 2",
        ),
        (["--every=0", "--parquet=x"], f"{EVERY}, got 0"),
    ],
)
def test_mistakes(
    arguments: list[str],
    error: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main.main(["export", "crownhead-1", *arguments]) == 2
    assert error in capsys.readouterr().err
    assert not any(tmp_path.iterdir())


@pytest.mark.skipif(sys.platform == "win32", reason="limits of Unix")
@pytest.mark.parametrize(
    "limit", [0, 30_000, *(pytest.param(limit, marks=pytest.mark.check) for limit in (2_000, 100_000))]
)
def test_export_of_tables_on_a_full_disk_leaves_no_file(limit: int, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    code = "import resource, sys, main\n"
    code += f"resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))\n"
    code += f"sys.exit(main.main(['export', 'first', '--parquet', {str(tmp_path / 'tables')!r}]))"
    done = subprocess.run([sys.executable, "-c", code], cwd=TREE, capture_output=True, text=True, check=False)
    assert done.returncode == 74
    assert f"main.py: {tmp_path / 'tables'}{os.sep}" in done.stderr
    assert ".parquet: " in done.stderr
    assert not [name for _, _, names in os.walk(tmp_path) for name in names]
