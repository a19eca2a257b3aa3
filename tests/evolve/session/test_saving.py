"""Large generations, which a process of their own writes: the same bytes, whatever becomes of it."""

from __future__ import annotations

import errno
import logging
import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import wait
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evolve.config.model import Config
from evolve.config.sections import Population, Saving, Variation
from evolve.kinds.variation import SelfAdaptive
from evolve.run import files
from evolve.run.folder import Run
from evolve.run.generation_csv import Generation
from evolve.run.log import LOG_COLUMNS
from evolve.run.manifest import Manifest
from evolve.session import create, saving
from evolve.session.saving import Saver
from game.networks.named import CNN_247

CONFIG = Config(
    population=Population(parents=2, mutants=1),
    variation=Variation(mutation=SelfAdaptive()),
    saving=Saving(every=3, newest=1),
)
COUNT = CONFIG.population.size
RECORD: dict[str, Any] = dict.fromkeys(LOG_COLUMNS, 0)


def rows(generation: int) -> Generation:
    draw = np.random.default_rng(generation)
    return Generation(
        [f"Gen{generation:02d}_{index:04d}" for index in range(COUNT)],
        draw.normal(size=(COUNT, CNN_247.weights)).astype(np.float32),
        np.arange(1, COUNT + 1),
        ["mutated"] * COUNT,
        [("Gen00_0001", "Gen00_0002")] * COUNT,
        draw.integers(0, 9, (COUNT, 5)),
        draw.uniform(1, 3, COUNT).astype(np.float32),
        draw.uniform(0, 1, (COUNT, CNN_247.weights)).astype(np.float32),
    )


def saved(saver: Saver, run: Run, last: int) -> Manifest:
    known = run.manifest()
    for generation in range(known.newest + 1, last + 1):
        known = saver.save(known, rows(generation), RECORD | {"generation": generation}, b"").result(30.0)
    return known


def process_of(saver: Saver) -> int:
    assert saver._process is not None and saver._process._process is not None
    return saver._process._process.pids()[0]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return create.create(tmp_path, "one", CONFIG)


@pytest.fixture
def saver(run: Run) -> Iterator[Saver]:
    """One that takes every generation for a large one."""
    made = Saver(run, CONFIG, large=0)
    yield made
    made.close()


@pytest.fixture
def expected(tmp_path: Path) -> dict[str, bytes]:
    """The files that a session writes by itself."""
    other = create.create(tmp_path, "other", CONFIG)
    alone = Saver(other, CONFIG)
    assert alone._process is None
    saved(alone, other, 4)
    return files_of(other)


def files_of(run: Run) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in run.path.iterdir() if path.suffix in (".csv", ".tmp")}


def test_the_bytes_are_the_same(run: Run, saver: Saver, expected: dict[str, bytes]) -> None:
    assert saved(saver, run, 4).whole == [0, 3, 4]
    assert files_of(run) == expected
    assert process_of(saver) != os.getpid()


def test_killed_process_loses_no_generation(
    run: Run, saver: Saver, expected: dict[str, bytes], caplog: pytest.LogCaptureFixture
) -> None:
    known = saved(saver, run, 1)
    frozen = process_of(saver)
    os.kill(frozen, signal.SIGSTOP)
    in_work = saver.save(known, rows(2), RECORD | {"generation": 2}, b"")
    with caplog.at_level(logging.WARNING):
        os.kill(frozen, signal.SIGKILL)
        assert in_work.result(30.0).newest == 2
    assert "has died; the session saves by itself from now on" in caplog.text
    saved(saver, run, 4)
    assert files_of(run) == expected


def test_abandoned_save_leaves_no_files(run: Run, saver: Saver) -> None:
    known = saved(saver, run, 0)
    before = files_of(run)
    number = process_of(saver)
    os.kill(number, signal.SIGSTOP)
    given_up = saver.save(known, rows(1), RECORD | {"generation": 1}, b"")
    assert given_up.cancel()
    saver.close()
    assert files_of(run) == before
    with pytest.raises(ProcessLookupError):
        os.kill(number, 0)
    assert not any(thread.name == "save" for thread in threading.enumerate())


def test_full_disk_is_reported(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(files, "_write_all", full)  # before the process begins, which has it, too
    full_disk = Saver(run, CONFIG, large=0)
    wait([failed := full_disk.save(Manifest(), rows(0), RECORD, b"")])
    full_disk.close()
    error = failed.exception()
    assert isinstance(error, OSError) and error.errno == errno.ENOSPC
    assert error.filename == str(run.generation_path(0))
    assert [name for name in files_of(run) if name != "config.toml"] == []


def test_a_process_that_outlives_its_session_writes_to_a_name_of_its_own(run: Run, saver: Saver) -> None:
    assert saver._process is not None
    task = saver._process.take(run.generation_path(0), rows(0), thinned=False)
    assert str(os.getpid()) in task.temporary.name
    done = saving.write_generation(task, saver._process._shared)
    assert not isinstance(done, OSError) and done.written.temporary.is_file()
    run.rewind(-1)  # what the next session does first
    assert files_of(run).keys() <= {"manifest.csv"}


@pytest.mark.parametrize(("parents", "there"), [(16, False), (32, True)])
def test_only_large_generations_have_a_process(parents: int, there: bool, tmp_path: Path) -> None:
    config = replace(CONFIG, variation=Variation(), population=Population(parents=parents))
    made = Saver(create.create(tmp_path, "one", config), config)
    assert (made._process is not None) == there
    assert saving.BYTES_A_NUMBER * config.population.size * 247 > saving.LARGE or not there
    made.close()
