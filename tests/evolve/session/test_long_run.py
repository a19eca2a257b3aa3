"""What a generation late in a long run costs: as much as an early one, by counts and not by a clock."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from deap import tools

from evolve.breeding import hall_of_fame
from evolve.breeding.hall_of_fame import HallOfFame
from evolve.config.model import Config
from evolve.config.sections import Saving
from evolve.kinds.individual import Individual
from evolve.run.generation_csv import Generation
from evolve.run.log import LOG_COLUMNS
from evolve.run.manifest import KEPT_ROWS, MOST_ROWS, Manifest
from evolve.session import create
from evolve.session.saving import Saver
from game.networks.named import CNN_247

LATE = 4 * MOST_ROWS


def rows(generation: int) -> Generation:
    weights = np.full((2, CNN_247.weights), 0.5, np.float32)
    names = [f"Gen{generation:05d}_{index:04d}" for index in range(2)]
    return Generation(names, weights, np.arange(1, 3), ["founder"] * 2, [()] * 2, np.zeros((2, 5), np.int64))


@pytest.mark.check
def test_bytes_read_and_written_do_not_grow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    counts = {"write": 0, "read": 0, "scandir": 0}
    write, read, scandir = os.write, os.read, os.scandir

    def counted(name: str, function: Any, size: Any) -> Any:
        def call(*arguments: Any) -> Any:
            result = function(*arguments)
            counts[name] += size(result)
            return result

        return call

    monkeypatch.setattr(os, "fsync", lambda _: None)
    config = Config(saving=Saving(every=LATE, newest=KEPT_ROWS + 10))  # rows change that are among the older ones
    run = create.create(tmp_path, "one", config)
    saver, known = Saver(run, config), Manifest()
    monkeypatch.setattr(os, "write", counted("write", write, int))
    monkeypatch.setattr(os, "read", counted("read", read, len))
    monkeypatch.setattr(os, "scandir", counted("scandir", scandir, lambda _: 1))
    history = []
    record: dict[str, Any] = dict.fromkeys(LOG_COLUMNS, 0)
    for generation in range(LATE):
        before = counts["write"]
        known = saver.save(known, rows(generation), record | {"generation": generation}, b"").result()
        history.append(counts["write"] - before)
    early, late = history[MOST_ROWS : 2 * MOST_ROWS], history[-MOST_ROWS:]
    # A part of the manifest is written again now and then; all of it in every generation would be twice as much here.
    assert sum(late) < 1.1 * sum(early)
    assert max(late[-100:]) < 2 * max(history[:MOST_ROWS])
    assert counts["read"] == counts["scandir"] == 0
    assert run.manifest() == known


def player(number: int) -> Individual:
    return Individual(np.full(3, number, np.float32), f"Gen{number}_0000")


def test_champion_is_read_without_other_generations(monkeypatch: pytest.MonkeyPatch) -> None:
    looked = []
    key = hall_of_fame._key
    monkeypatch.setattr(hall_of_fame, "_key", lambda champion: looked.append(champion) or key(champion))
    hall = HallOfFame()
    for number in range(1000):
        looked.clear()
        assert hall.find(player(number)) == ""
        hall.update([player(number)])
        assert len(looked) == 2
    assert hall.find(player(7)) == "Gen7_0000"
    assert [one.name for one in hall] == ["Gen999_0000"]  # others are only names


def test_opponents_are_drawn_as_by_deaps_hall_of_fame() -> None:
    def alike(one: Individual, other: Individual) -> bool:
        return bool(np.array_equal(one, other))

    ours, theirs = HallOfFame(100), tools.HallOfFame(100, similar=alike)
    for number in (3, 1, 4, 1, 5, 9, 2, 6, 5, 3):
        champion = player(number)
        champion.fitness.values = (1.0,)
        ours.update([champion])
        theirs.update([champion])
        drawn = ours.draw(4, np.random.default_rng(number))
        expected = [theirs[int(at)] for at in np.random.default_rng(number).permutation(len(theirs))[:4]]
        assert [one.tolist() for one in drawn] == [one.tolist() for one in expected]
        assert [one.name for one in drawn] == [one.name for one in expected]


def test_players_that_are_alike_are_one() -> None:
    hall = HallOfFame(100)
    first, second, other = (
        Individual([0.0, 1.0], "a"),
        Individual([-0.0, 1.0], "b"),
        Individual([0.0, 1.0], "c", king=1.5),
    )
    hall.update([first])
    assert hall.find(second) == "a"
    assert hall.find(other) == ""
    hall.update([second, other])
    assert [one.name for one in hall.draw(9, np.random.default_rng(0))] in (["a", "c"], ["c", "a"])
