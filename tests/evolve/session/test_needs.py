"""What a session says that it will need, before it begins."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from evolve.config import toml
from evolve.config.model import Config
from evolve.config.sections import Population
from evolve.session import estimate

COWAN = toml.load("cowan", None, ["seed=1"])


def sized(parents: int, **changes: object) -> Config:
    return replace(COWAN, population=Population(parents=parents), **changes)  # type: ignore[arg-type]


def test_needs_include_disk_and_memory(tmp_path: Path) -> None:
    (text,) = estimate.needs(COWAN, 2, tmp_path)
    assert text.startswith("saving every generation: about 48 MB for generations 0 to 15, 3 MB each; about ")
    assert text.endswith(" MB of memory")


def test_a_small_generation_is_no_megabyte(tmp_path: Path) -> None:
    (text,) = estimate.needs(sized(2), 2, tmp_path)
    assert " 0 to 15, 0.047 MB each; " in text


@pytest.mark.parametrize(("parents", "workers", "measured"), [(16, 2, 185), (32, 2, 268), (64, 2, 475), (128, 2, 938)])
def test_the_memory_is_about_right(parents: int, workers: int, measured: float) -> None:
    """Megabytes that the processes of a session had at most (docs/log/performance.md)."""
    result = estimate.memory(sized(parents), workers) / 1e6
    assert measured < result < 1.5 * measured


def test_occupied_resources_cause_warnings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(estimate, "free_memory", lambda: 50e6)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=20e6))
    _, memory, disk = estimate.needs(COWAN, 2, tmp_path)
    assert memory == "warning: only 50 MB of memory are free: fewer individuals or workers need less"
    assert disk.startswith(f"warning: only 20 MB are free on the disk of {tmp_path.name}: ")
    (tmp_path / "generation_0000.csv").write_bytes(bytes(40_000_000))  # of a run that is gone on with
    assert len(estimate.needs(COWAN, 2, tmp_path)) == 2


def test_free_memory_is_known_or_not(monkeypatch: pytest.MonkeyPatch) -> None:
    free = estimate.free_memory()
    assert free is None or free > 1e6
    monkeypatch.setattr(Path, "read_text", lambda *_, **__: "MemTotal: 1 kB\n")
    assert estimate.free_memory() is None
