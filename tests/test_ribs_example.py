"""The example of docs/notebooks.md that evolves players with pyribs."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path

import pytest

from evolve.run.folder import Run

EXAMPLE = Path(__file__).parents[1] / "docs" / "examples" / "ribs_example.py"


@pytest.mark.check
def test_the_example_evolves_and_records(tmp_path: Path, runs_in: Callable[..., None]) -> None:
    pytest.importorskip("ribs")
    runs_in(tmp_path)
    spec = importlib.util.spec_from_file_location("ribs_example", EXAMPLE)
    assert spec is not None and spec.loader is not None
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    digests = []
    for name in ("one", "two"):
        archive = example.evolve(name, steps=2)
        run = Run.open(name)
        log, known = run.log(), run.manifest()
        run.check(known)
        assert len(log) == 2 and archive.stats.num_elites > 0
        assert archive.stats.obj_max == log["best_points"].max()
        assert set(log["games"]) == {2 * example.BATCH * example.OPPONENTS}
        digests.append(known.digest())
    assert digests[0] == digests[1]
