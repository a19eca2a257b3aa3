"""Sessions of three tiny generations that several tests share; the fixtures are in conftest.py."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

import main
from evolve.run import append_only, manifest

TINY = ("--set=population.parents=4", "--set=stages.0.rounds=2", "--set=stages.1.rounds=2")
KEYS = ["run", "generations", "individuals", "games", "evaluations", "seconds", "champion", "digest"]
WEIGHTS = [f"w{index}" for index in range(247)]


@dataclass(frozen=True)
class Played:
    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        assert self.code == 0, self.err
        output = json.loads(self.out)
        assert isinstance(output, dict)
        return output


Evolve = Callable[..., Played]


def train(folder: Path, *options: str) -> None:
    assert main.main(["train", f"--out={folder}", *options]) == 0


def digest(folder: Path) -> str:
    return manifest.read(folder).digest()


def results(folder: Path) -> dict[str, bytes]:
    """All that has to be the same in equal runs: the log without its timing."""
    result = {path.name: path.read_bytes() for path in folder.glob("generation_*.csv")}
    for name in (append_only.HALL_OF_FAME, append_only.CHAMPIONS, manifest.NAME):
        result[name] = (folder / name).read_bytes()
    log = (folder / append_only.LOG).read_bytes().splitlines()
    result[append_only.LOG] = b"\n".join(line.rpartition(b",")[0] for line in log)
    return result


def log_of(folder: Path) -> list[dict[str, str]]:
    with open(folder / append_only.LOG, newline="") as file:
        return list(csv.DictReader(file))


def frames(folder: Path) -> list[pd.DataFrame]:
    return [pd.read_csv(path, keep_default_na=False) for path in sorted(folder.glob("generation_*.csv"))]


ROOT = Path(__file__).parents[2]


KILLED = """
import os, signal, sys
import main
from evolve.run import folder, manifest
from game import regular_files

point, number = sys.argv[1], int(sys.argv[2])
calls = 0

def killed(function, torn):
    def call(path, data, **options):
        global calls
        calls += 1
        if calls == number:
            torn(path, data[: len(data) // 2])
            os.kill(os.getpid(), signal.SIGKILL)
        return function(path, data, **options)
    return call

def nothing(path, data):
    pass

def temporary(path, data):
    regular_files.temporary_path(path).write_bytes(data)

def half(path, data):
    with open(path, "ab") as file:
        file.write(data)

if point == "file":
    folder.write_atomically = killed(folder.write_atomically, temporary)
elif point == "addition":
    folder.append_durably = killed(folder.append_durably, half)
elif point == "manifest":
    manifest.write_atomically = killed(manifest.write_atomically, nothing)
main.main(sys.argv[3:])
"""


SIGNATURE = 13406569715929528478
"""What the program does. A commit that changes it says `Bench: N` in its message; see the module."""
