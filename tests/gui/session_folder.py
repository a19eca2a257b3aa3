"""A run folder as a running session leaves it, written by hand, so that nothing is played or compiled."""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import filelock

from evolve.config.model import Config
from evolve.config.sections import Rating
from evolve.config.toml import to_toml
from evolve.run import status
from evolve.run.folder import FORMAT
from evolve.run.manifest import Manifest
from evolve.run.status import LOCK, State, Status

HEADER = (
    "generation,champion,individuals,games,draws,failures,plies,evaluations,"
    "best_points,mean_points,worst_points,distinct,diversity,rating,rating_low,rating_high,seconds\n"
)


class SessionFolder:
    def __init__(self, path: Path, generations: int = 0, last: int = 9) -> None:
        self.path, self.last, self.newest, self.manifest = path, last, -1, Manifest()
        path.mkdir(parents=True)
        config = replace(Config(), generations=last)
        (path / "config.toml").write_text(to_toml(config, {"format": FORMAT}), encoding="utf-8")
        self.weights = config.network.weights
        for _ in range(generations):
            self.complete()

    def append(self, name: str, text: str) -> None:
        with open(self.path / name, "a", encoding="utf-8", newline="") as file:
            file.write(text)

    def log_line(self, number: int) -> str:
        best = 30 + number
        return f"{number},Gen{number:02d}_0001,8,100,20,0,5000,9000,{best},20.5,5,8,{9 - number / 2},,,,2.5\n"

    def complete(self) -> int:
        number = self.newest = self.newest + 1
        if number == 0:
            self.append("log.csv", HEADER)
            columns = "generation,name,rank,origin,parents,games,wins,draws,losses,points,"
            self.append("hall_of_fame.csv", columns + ",".join(f"w{n}" for n in range(self.weights)) + "\n")
        self.append("log.csv", self.log_line(number))
        values = ",".join(f"{(n % 7 - 3) / 4 + number / 100}" for n in range(self.weights))
        self.append("hall_of_fame.csv", f"{number},Gen{number:02d}_0001,1,mutated,,9,8,1,0,{25 + number},{values}\n")
        for game in (1, 2):
            self.append(
                "champions.pdn",
                f'[Event "Ranking of generation {number}"]\n[Round "{number}.{game}"]\n[Black "Gen{number:02d}_0001"]\n'
                '[White "Other"]\n[Result "*"]\n\n1. 11-15 23-19 2. 9-14 *\n\n',
            )
        self.manifest = self.manifest.with_entry("0" * 64)
        (self.path / "manifest.csv").write_text(self.manifest.text(), encoding="utf-8", newline="")
        return number

    def say(
        self,
        state: State,
        *,
        ago: float = 0.0,
        pid: int | None = None,
        phase: str = "",
        reason: str = "",
        work: str = "",
        left: float | None = None,
    ) -> None:
        games = 100 * (self.newest + 1)
        pid = os.getpid() if pid is None else pid
        now = time.time() - ago
        result = Status(state, pid, now, max(self.newest, 0), self.last, games, phase, reason, work, left=left)
        status.write(self.path, result)

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        with filelock.FileLock(self.path / LOCK):
            yield


class RatedFolder(SessionFolder):
    """A run whose champions are rated; `rows` has rating, its interval, and the number of opponents beaten."""

    def __init__(self, path: Path, rows: Sequence[tuple[float, float, float, int]], generations: int) -> None:
        self.rows = rows
        super().__init__(path)
        config = replace(Config(), rating=Rating(every=1, games=2, anchors="random; material,depth=2"))
        (path / "config.toml").write_text(to_toml(config, {"format": FORMAT}), encoding="utf-8")
        for _ in range(generations):
            self.complete()

    def complete(self) -> int:
        number = super().complete()
        log = self.path / "log.csv"
        text = log.read_text(encoding="utf-8").replace(HEADER, HEADER.replace("seconds", "beaten,beaten_by,seconds"))
        log.write_text(text, encoding="utf-8")
        return number

    def log_line(self, number: int) -> str:
        value, low, high, beaten = self.rows[number]
        start = super().log_line(number).removesuffix(",,,,2.5\n")
        return f"{start},{value},{low},{high},{beaten},{number if beaten else ''},2.5\n"


class Ended:
    running = False
    trouble = ""
    pid = 0


class Starts:
    """Stands in for the function that starts processes."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, ...]] = []
        self.verb = ""
        self.process = Ended()

    def __call__(self, arguments: Any, verb: str = "evolve", *, quiet: bool = False) -> Any:
        self.verb = verb
        self.calls.append(tuple(arguments))
        return self.process


class Foreseen:
    """Stands in for the function that starts estimates, and for the process of an estimate.

    Attributes:
        asked: the options of each estimate.
        ended: the number of estimates that were ended early.
        running: whether the estimate is still being made.
        output: the estimate.
        trouble: the error message.
    """

    def __init__(self) -> None:
        self.asked: list[tuple[str, ...]] = []
        self.ended = 0
        self.running = False
        words = ["about 12 min on this machine with 2 workers", "85 MB of memory"]
        self.output = json.dumps({"seconds": 720.0, "generations": 112, "words": words, "brief": words})
        self.trouble = ""

    def __call__(self, arguments: Any, verb: str) -> Any:
        self.asked.append((verb, *arguments))
        return self

    def end(self) -> None:
        self.ended += 1
