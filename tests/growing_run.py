"""A run that grows while others read it, with the steps of a session.

`Writer` saves generations and goes back as a session does. `at_every_access` repeats some work, each time with
something else just before another one of the accesses that the work makes to the folder of a run. So a reader is tried
with every moment at which a session may change the run, and a writer with every moment at which somebody may read it.

``python -m tests.growing_run FOLDER`` writes at full speed until its input ends.
"""

from __future__ import annotations

import contextlib
import functools
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from evolve.config import toml
from evolve.config.model import Config
from evolve.run import manifest
from evolve.run.folder import Run
from evolve.run.generation_csv import Generation
from evolve.run.log import LOG_COLUMNS, NETWORK_COLUMNS, RATED_COLUMNS
from evolve.session import create
from evolve.session.saving import Saver
from tests.learnt_run import import_methods

EVERY = 5
_SAVING = (f"saving.every={EVERY}", "saving.newest=1", "seed=1", "generations=100000")
BRED = toml.load("cowan", None, ["population.parents=4", "stages.0.rounds=2", "stages.1.rounds=2", *_SAVING])
"""Generations lose their weights as soon as the next is saved, except every fifth."""

_LARGE = "network={name='large', input='squares', layers=[{kind='dense', units=320}, {kind='dense', units=1}]}"

INDIVIDUALS = 8


@functools.cache
def learnt() -> Config:
    """Return a configuration of a network that learns, and whose weights are in files of their own."""
    import_methods()
    return toml.load("cowan", None, ["learning={method='walk'}", _LARGE, *_SAVING])


def rows(config: Config, generation: int, lineage: int) -> Generation:
    """Return a generation; other lineages have other weights, as after a change of the configuration."""
    draw = np.random.default_rng((generation, lineage))
    count, weights = (INDIVIDUALS if config is BRED else 1), config.network.weights
    how = "founder" if generation == 0 else "mutated" if config is BRED else "learnt"
    return Generation(
        [f"Gen{generation:02}_{at:04}" for at in range(count)],
        draw.normal(size=(count, weights)).astype(np.float32),
        np.arange(1, count + 1),
        [how] * count,
        [() if generation == 0 else (f"Gen{generation - 1:02}_0000",)] * count,
        np.array([[14, 8 - at, 2, 4 + at, 18 - 2 * at] for at in range(count)]),
        state=None if config is BRED else draw.normal(size=(1, 2 * weights)).astype(np.float32),
    )


def games(generation: int) -> bytes:
    text = ""
    for number in (1, 2):
        text += f'[Event "Ranking of generation {generation}"]\n[Round "{generation}.{number}"]\n'
        text += f'[Black "Gen{generation:02}_0000"]\n[White "Gen{generation:02}_0001"]\n[Result "1-0"]\n\n'
        text += "1. 11-15 23-19 2. 9-14 1-0\n\n"
    return text.encode()


class Writer:
    """Saves the next generations of a run with the steps of a session, and goes back as ``--from`` does."""

    def __init__(self, run: Run, lineage: int = 0) -> None:
        self.run, self.lineage = run, lineage
        self.config = learnt() if run.config().individuals == 1 else BRED
        self.known = run.manifest()
        self._saver = Saver(run, self.config)

    @classmethod
    def new(cls, folder: Path, newest: int, config: Config = BRED) -> Writer:
        writer = cls(create.create(folder, "growing", config))
        writer.save(newest + 1)
        return writer

    def save(self, count: int = 1) -> None:
        columns = [*NETWORK_COLUMNS, "way", *RATED_COLUMNS, "seconds"]
        for _ in range(count):
            number = self.known.newest + 1
            record: dict[str, Any] = dict.fromkeys(LOG_COLUMNS if self.config is BRED else columns, 1)
            record |= {"generation": number, "champion": f"Gen{number:02}_0000"}
            record |= {"rating": -50.0 + number, "rating_low": -90.0, "rating_high": 20.0}
            new = rows(self.config, number, self.lineage)
            self.known = self._saver.save(self.known, new, record, games(number)).result()

    def go_back(self, generation: int) -> None:
        """Give up the generations after this one, and prepare to save others."""
        self.known = self.run.rewind(generation)
        self.lineage += 1
        self._saver = Saver(self.run, self.config)


ACCESSES = ("open", "os.listdir", "os.scandir", "os.rename", "os.remove", "os.link", "os.truncate")
"""Audit events of Python before a file is read or changed, or a folder listed."""

_hooks: list[Callable[[str], None]] = []


def _audit(event: str, values: tuple[Any, ...]) -> None:
    if _hooks and event in ACCESSES and values and isinstance(values[0], (str, Path)):
        _hooks[-1](str(values[0]))


sys.addaudithook(_audit)


@contextlib.contextmanager
def watched(
    folder: Path, react: Callable[[int], None], note: Callable[[str], object] = lambda path: None
) -> Iterator[list[int]]:
    """Call functions with the number and the path of each access to a folder, just before it; yield the numbers."""
    numbers: list[int] = []
    inside = False

    def hook(path: str) -> None:
        nonlocal inside
        if not inside and Path(path).is_relative_to(folder):
            inside = True
            try:
                numbers.append(len(numbers))
                note(path)
                react(numbers[-1])
            finally:
                inside = False

    _hooks.append(hook)
    try:
        yield numbers
    finally:
        _hooks.remove(hook)


def at_every_access(
    template: Run, folder: Path, work: Callable[[Run], object], other: Callable[[Run], object], every: int = 1
) -> Iterator[tuple[object, object]]:
    """Do some work on copies of a run, and something else before its first access, its second one, and so on.

    With `every`, only each access of so many is chosen.

    Yields:
        the results of both, or the exceptions that they raised.
    """
    at = count = 0
    while at <= count:
        run = Run(folder / template.name)
        shutil.rmtree(run.path, ignore_errors=True)
        shutil.copytree(template.path, run.path)
        between: list[object] = []

        def react(number: int, run: Run = run, at: int = at, between: list[object] = between) -> None:
            if number == at:
                between.append(_result_of(other, run))

        with watched(run.path, react) as numbers:
            result = _result_of(work, run)
        if between:
            yield result, between[0]
        at, count = at + every, len(numbers)


def _result_of(work: Callable[[Run], object], run: Run) -> object:
    try:
        return work(run)
    except Exception as error:
        return error


@contextlib.contextmanager
def writing(run: Run) -> Iterator[subprocess.Popen[bytes]]:
    """Let another process write to a run at full speed; the run must have been made by `Writer.new`."""
    command = [sys.executable, "-m", "tests.growing_run", str(run.path)]
    with subprocess.Popen(
        command, cwd=Path(__file__).parents[1], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        try:
            assert process.stdout is not None and process.stdout.readline() == b"writing\n"
            yield process
        finally:
            process.communicate()
    assert process.returncode == 0


def main(folder: Path) -> None:
    """Save generations and sometimes go back, until the standard input ends."""
    import threading

    ended = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.buffer.read(), ended.set()), daemon=True).start()
    manifest.MOST_ROWS, manifest.KEPT_ROWS = 20, 10  # type: ignore[misc]  # the earlier rows are moved often
    writer = Writer(Run(folder))
    start = writer.known.newest
    writer.save()
    print("writing", flush=True)
    while not ended.is_set():
        writer.save()
        if writer.known.newest > start + 40:
            writer.go_back(start + 12)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
