"""What a session compiles before its first game, what beside, and that no result depends on it."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from evolve.config import toml
from evolve.config.model import Config
from evolve.run.folder import Run
from evolve.run.status import lock
from evolve.session import compiled_code, create, evolution
from evolve.session.compiled_code import CompiledCode
from evolve.session.control import Control
from evolve.session.reporters import GenerationReport, Reporter
from game import shared_code
from game.compiled import compiling

TINY = ["population.parents=4", "stages.0.rounds=2", "stages.1.rounds=2", "seed=1", "rating.every=2", "rating.games=2"]


COMPILING = 1000.0
"""Seconds that the code for ratings seems to take: no time that is told or kept counts them."""


class Recorder(Reporter):
    def __init__(self) -> None:
        self.notices: list[str] = []

    def on_loading(self, what: str, number: int, steps: int) -> None:
        self.notices.append(f"{what} {number}/{steps}")

    def on_generation(self, report: GenerationReport) -> None:
        rating = "follows" if report.rating_follows else report.rating is not None
        self.notices.append(f"generation {report.generation}, rating {rating}")

    def on_rating(self, report: GenerationReport) -> None:
        self.notices.append(f"rating of {report.generation}: {report.rating is not None}")


def play(folder: Path) -> tuple[list[str], str, list[list[str]]]:
    """What a session of three generations tells, its digest, and its log without what is timing."""
    config = replace(toml.load(settings=TINY), generations=2)
    run = create.create(folder, "one", config)
    result = Recorder()
    with lock(run.path):
        summary = evolution.evolve(run, config, result, workers=1)
    with (run.path / "log.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    timing = rows[0].index("seconds")
    assert max(summary.seconds, *(float(row[timing]) for row in rows[1:])) < COMPILING
    return result.notices, summary.digest, [row[:timing] for row in rows]


@pytest.fixture(autouse=True)
def other_commands_need_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_code, "is_complete", lambda: True)


@pytest.fixture(scope="module")
def warm(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[str], str, list[list[str]]]:
    compiled_code.load_all(toml.load(settings=TINY))
    return play(tmp_path_factory.mktemp("warm"))


GENERATIONS = ["generation 0, rating True", "generation 1, rating False", "generation 2, rating True"]
AT_FIRST = [
    *("moves 1/4", "networks 2/4", "games 3/4"),
    *("generation 0, rating follows", "rating of 0: True", "generation 1, rating False", "generation 2, rating True"),
]


def test_a_warm_start_loads_everything_before_the_first_game(warm: tuple[list[str], str, list[list[str]]]) -> None:
    assert warm[0] == ["moves 1/4", "networks 2/4", "games 3/4", "ratings 4/4", *GENERATIONS]


@pytest.mark.parametrize("dies", [False, True])
def test_at_the_first_start_the_rating_follows(
    dies: bool, warm: tuple[list[str], str, list[list[str]]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the process that compiles beside is lost: what it was to do is done by this one."""
    monkeypatch.setattr(compiling, "is_there", lambda load: False)
    clock, load_for_ratings = Control.clock, CompiledCode.load_for_ratings
    waited: list[float] = []

    def wait(code: CompiledCode, tick: Callable[[], None]) -> None:
        load_for_ratings(code, tick)
        waited.append(COMPILING)

    monkeypatch.setattr(CompiledCode, "load_for_ratings", wait)
    monkeypatch.setattr(Control, "clock", lambda control: clock(control) + sum(waited))
    if dies:
        monkeypatch.setattr(compiled_code, "_choice", lambda _: os._exit(3))
    result, digest, log = play(tmp_path)
    assert result == AT_FIRST
    assert (digest, log) == warm[1:]


class Steps:
    """Steps of a session that are only written down, and the process beside likewise."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, cold: tuple[str, ...]) -> None:
        self.done: list[str] = []
        steps = compiled_code.load_steps
        numbered = lambda config: {what: self._step(what) for what in steps(config)}  # noqa: E731
        monkeypatch.setattr(compiled_code, "load_steps", numbered)
        monkeypatch.setattr(compiling, "is_there", lambda load: load() not in cold)
        monkeypatch.setattr(compiled_code, "CompileProcess", self._process)

    def _step(self, what: str) -> Callable[[], str]:
        def load() -> str:
            if not self.done or self.done[-1] != what:
                self.done.append(what)
            return what

        return load

    def _process(self, tasks: list[object], *, start_method: str) -> Steps:
        self.done.append(f"beside: {len(tasks)}")
        return self

    def wait(self, tasks: int, tick: Callable[[], None]) -> None:
        tick()
        if tasks:
            self.done.append(f"wait for {tasks}")

    def has_done(self, tasks: int) -> bool:
        return False

    def close(self) -> None:
        self.done.append("closed")


def load(config: Config) -> CompiledCode:
    code = CompiledCode(config)
    code.load_for_games()
    return code


def test_configurations_need_their_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = Steps(monkeypatch, ("moves", "networks", "games", "search", "ratings"))
    code = load(Config())
    begun = ["moves", "beside: 3", "moves", "wait for 1", "networks", "games"]
    assert (steps.done, code.rates) == (begun, False)
    code.load_for_ratings(lambda: None)
    assert (steps.done, code.rates) == ([*begun, "wait for 3", "ratings"], True)


def test_the_rest_of_the_shared_code_follows_and_is_waited_for_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = Steps(monkeypatch, ("moves", "networks", "games", "search", "ratings"))
    monkeypatch.setattr(shared_code, "is_complete", lambda: False)
    messages: list[tuple[str, int, int]] = []

    def tell(what: str, number: int, of: int) -> None:
        messages.append((what, number, of))

    code = CompiledCode(toml.load("first"), tell)
    code.load_for_games()
    assert code.rest == ("tablebases", "selective search")
    assert steps.done[1] == "beside: 6"  # three parts of the session's own code, the rest, and a note that all is there
    steps_of_games = ("moves", "search", "networks", "games", "games with search")
    assert messages == [(what, number, 6) for number, what in enumerate(steps_of_games, 1)]  # each step once
    code.load_for_ratings(lambda: None)
    del steps.done[:], messages[:]
    code.finish(tell, lambda: None)
    assert steps.done == ["wait for 4", "wait for 5", "wait for 6"]
    assert messages == [("tablebases", 1, 2), ("selective search", 2, 2)]


def test_missing_cache_prevents_compiling_in_the_background(
    compiled_in: Callable[[Path | None], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = Steps(monkeypatch, ("moves", "networks", "games", "search", "ratings"))
    compiled_in(None)
    assert load(Config()).rates
    assert steps.done == ["moves", "networks", "games", "ratings"]


def test_the_code_of_a_network_with_margins_is_compiled() -> None:
    """Its margins are weights, so its code cannot be bound without any."""
    config = toml.load("crownhead-1", instead={"network": Run.open("crownhead-2").network()})
    assert config.network.margins
    compiled_code._choice(config)
