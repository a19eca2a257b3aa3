"""The loop and DEAP: how many of its steps go through objects of DEAP, counted by a profile of calls."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from deap import base, tools

from evolve.breeding import loop
from evolve.config import toml
from evolve.config.model import Config
from evolve.run.row_index import read_heads
from evolve.run.status import lock
from evolve.session import create, evolution
from evolve.session.reporters import Reporter
from tests.cases import for_each

OBJECTS = (base.Fitness, tools.HallOfFame, tools.History, tools.Logbook, tools.Statistics)
STEPS = ("select", "clone", "vary", "evaluate", "record", "hall of fame", "lineage")
COWAN = ("population.parents=3", "population.mutants=1", "founders.method=uniform", 'stages=[{kind="round-robin"}]')
FIRST = ("population.parents=3", "population.mutants=4", "search.depth=1", "search.deepest=1")


def calls_of(run: Path, config: Config, monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Play a run, and count the calls of operators in the toolbox, and of methods of DEAP's objects."""
    calls: Counter[str] = Counter()

    class Toolbox(base.Toolbox):  # type: ignore[misc]
        def decorate(self, alias: str, *decorators: Any) -> None:
            function = getattr(self, alias)
            for decorator in decorators:
                function = decorator(function)
            setattr(self, alias, function)

        def register(self, alias: str, function: Any, *arguments: Any, **options: Any) -> None:
            def counted(*given: Any, **more: Any) -> Any:
                calls[alias] += 1
                return function(*given, **more)

            super().register(alias, counted, *arguments, **options)

    def profile(frame: FrameType, event: str, argument: Any) -> None:
        if event == "call" and isinstance(owner := frame.f_locals.get("self"), OBJECTS):
            (kind,) = (each.__name__ for each in OBJECTS if isinstance(owner, each))
            calls[f"{kind}.{frame.f_code.co_name}"] += 1

    monkeypatch.setattr(base, "Toolbox", Toolbox)
    made = create.create(run.parent, run.name, config)
    with lock(made.path):
        sys.setprofile(profile)
        try:
            evolution.evolve(made, config, Reporter(), workers=1)
        finally:
            sys.setprofile(None)
    return calls


def through_deap(calls: Counter[str], made: int, generations: int, *, mean: bool) -> list[str]:
    """Return the steps that went through DEAP for all individuals of all generations."""
    later = generations - 1
    done = {
        "select": calls["update"] if mean else calls["select"],
        "clone": calls["clone"],
        "vary": calls["generate"] if mean else min(calls["mate"], calls["mutate"], calls["vary"]),
        "evaluate": min(calls["evaluate"], calls["Fitness.setValues"] // made),
        "record": min(calls["Statistics.compile"], calls["Logbook.record"]),
        "hall of fame": min(calls["HallOfFame.update"], generations * calls["HallOfFame.insert"]),
        "lineage": calls["History.update"],
    }
    least = {"select": later, "clone": later, "vary": later, "lineage": later * (made // 2)}
    return [step for step in STEPS if done[step] >= least.get(step, generations)]


@for_each(("preset", "settings", "individuals"), [("cowan", COWAN, 18), ("first", FIRST, 5)])
def test_all_steps_of_the_loop_go_through_objects_of_deap(
    preset: str, settings: tuple[str, ...], individuals: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = toml.load(preset, None, [*settings, "rating.every=0", "generations=2", "seed=1"])
    assert config.population.size == individuals
    calls = calls_of(tmp_path / f"a-{preset}", config, monkeypatch)
    assert through_deap(calls, individuals, 3, mean=config.population.mean) == [*STEPS]
    for missing, step in (("clone", "clone"), ("Logbook.record", "record"), ("History.update", "lineage")):
        without = Counter({name: count for name, count in calls.items() if name != missing})
        assert step not in through_deap(without, individuals, 3, mean=config.population.mean)


def test_operators_in_the_toolbox_make_the_generation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_toolbox = loop.make_toolbox

    def reversing(*arguments: Any) -> base.Toolbox:
        toolbox = make_toolbox(*arguments)
        toolbox.register("select", lambda everyone, count, generator: everyone[:count][::-1])
        return toolbox

    monkeypatch.setattr(evolution, "make_toolbox", reversing)
    config = toml.load("cowan", None, [*COWAN, "rating.every=0", "generations=1", "seed=1"])
    run = create.create(tmp_path, "one", config)
    with lock(run.path):
        evolution.evolve(run, config, Reporter(), workers=1)
    best = run.read_generation(0).names[:3]
    heads = read_heads(run.generation_path(1))
    parents = [head.parents for head in sorted(heads, key=lambda head: head.name) if head.origin == "survivor"]
    assert parents == [(name,) for name in best[::-1]]
