"""How long a session will take, told before it begins: by counted games, and a clock that the test turns."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import main
from evolve.config import toml
from evolve.config.model import Config
from evolve.session import estimate as estimating
from evolve.session.estimate import count_games, estimate, play_sample
from evolve.session.saving import generation_bytes
from game.search.interface import Limits
from tests.called import evolve_cowan

TINY = ["seed=1", "population.parents=4", "stages.0.rounds=2", "stages.1.rounds=2", "rating.every=0"]


class Clock:
    """Each look at it takes so many seconds."""

    def __init__(self, step: float) -> None:
        self.now, self.step = 0.0, step

    def __call__(self) -> float:
        self.now += self.step
        return self.now


def tiny(*settings: str) -> Config:
    return toml.load("cowan", None, [*TINY, *settings])


def test_games_of_a_generation_are_counted_without_playing() -> None:
    robin = toml.load("cowan", None, ["population.parents=4", "population.mutants=1", 'stages=[{kind="round-robin"}]'])
    size = robin.population.size
    assert count_games(robin) == size * (size - 1) // 2
    assert count_games(replace(robin, games=toml.load("cowan-ballots").games)) == size * (size - 1)


def test_time_is_that_of_games_shared_by_workers_and_of_what_is_beside_them() -> None:
    config = tiny("founders.method=uniform", "generations=9")
    one, two = (estimate(config, workers, clock=Clock(1.0)) for workers in (1, 2))
    assert one.games == two.games == 10 * count_games(config)
    beside = 10 * (estimating.SECONDS_A_GENERATION + estimating.SECONDS_A_BYTE * generation_bytes(config))
    assert one.seconds is not None and two.seconds is not None
    assert one.seconds - beside == pytest.approx(2 * (two.seconds - beside))
    assert one.seconds - beside == pytest.approx(one.games / estimating.FIRST_GAMES)  # 4 games between two looks
    assert "with 1 worker," in one.words and "with 2 workers," in two.words


def test_only_what_is_to_come_is_told() -> None:
    config = tiny("founders.method=uniform", "generations=9")
    assert estimate(config, 1, 7, Clock(1.0)).games == 2 * count_games(config)
    assert estimate(config, 1, 9, Clock(1.0)).games == 0


def test_founders_that_duel_play_besides() -> None:
    config = tiny("generations=0")
    assert config.founders.method == "duel"
    assert estimate(config, 1, clock=Clock(1.0)).games >= count_games(config) + config.population.size


def test_what_takes_too_long_to_play_is_concluded_from_games_that_look_less_far() -> None:
    near = play_sample(tiny("search.depth=6"), Limits(6), 1.5, Clock(1.0))
    assert (near.depth, near.games) == (1, estimating.FIRST_GAMES)
    far = play_sample(tiny("search.depth=3"), Limits(3), 1e9, Clock(1e-9))
    assert (far.depth, far.games) == (3, estimating.MOST_GAMES)
    told = estimate(tiny("search.depth=6"), 1, clock=Clock(1.0)).words
    assert "games at depth 1 suggest" in told and "at depth 6" in told


@pytest.mark.parametrize("preset", ["crownhead-2", "q-learning"])
def test_what_cannot_be_known_is_said(preset: str) -> None:
    told = estimate(toml.load(preset, None, ["seed=1"]), 1)
    assert told.seconds is None
    assert "unknown before the start" in told.words


# Seconds of processor time a game, of runs that docs/log/results.md and the README describe.
PUBLISHED = {"cowan": 2 * 2.17 / 29_730, "blondie24": 2 * 592 / 126_150, "crownhead-1": 213 / 26_058}


@pytest.mark.parametrize("preset", PUBLISHED)
def test_before_code_is_compiled_the_time_is_a_guess_of_its_order(preset: str, monkeypatch: pytest.MonkeyPatch) -> None:
    config = toml.load(preset, None, ["seed=1", "generations=200"])
    measured = estimate(config, 1)
    monkeypatch.setattr(estimating.compiling, "is_there", lambda load: False)
    monkeypatch.setattr(estimating, "play_sample", None)  # would compile
    monkeypatch.setattr(estimating, "_share", lambda *_: 1.0)
    monkeypatch.setattr(estimating, "_slowness", lambda *_: 1.0)
    guessed = estimate(config, 1)
    assert guessed.games == pytest.approx(measured.games, rel=0.1)
    assert "a guess of" in guessed.words and "10 s to compile" in guessed.words
    assert guessed.seconds is not None
    assert PUBLISHED[preset] / 5 < (guessed.seconds - 16) / guessed.games < 5 * PUBLISHED[preset]


def test_on_a_loaded_machine_it_takes_as_much_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    config = tiny("founders.method=uniform", "generations=9")
    free = estimate(config, 1, clock=Clock(1.0))
    assert "if nothing else keeps it busy" in free.words
    monkeypatch.setattr(estimating, "_share", lambda *_: 0.25)
    loaded = estimate(config, 1, clock=Clock(1.0))
    assert free.seconds is not None and loaded.seconds == pytest.approx(4 * free.seconds)
    assert "if other programs go on leaving it 25 % of a core" in loaded.words


def test_the_part_of_a_core_is_that_of_the_time_by_the_clock() -> None:
    assert estimating._share(0.3, 1.2) == 0.25
    assert estimating._share(2.0, 1.0) == 1.0  # two threads
    assert 0 < estimating._share(0.0, 1.0) < 0.1


def test_no_time_is_about_0_s(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(estimating, "_share", lambda *_: 1.0)
    told = estimate(tiny("founders.method=uniform", "generations=0"), 1, clock=Clock(1e-9))
    assert told.words.startswith("less than 1 s on this machine") and told.brief.startswith("less than 1 s with")


def test_a_generation_that_looks_deeper_costs_more() -> None:
    flat = tiny("founders.method=uniform", "generations=3")
    deeper = replace(flat, search=replace(flat.search, depth=1, deepen_every=2, deepen_by=2))
    costs = {1: 1.0, 3: 10.0}

    def cost(config: Config, limits: Limits, seconds: float, clock: object) -> estimating.GameCost:
        return estimating.GameCost(costs[limits.depth or 1], 4, limits.depth or 1, 0.0)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(estimating, "play_sample", cost)
        patch.setattr(estimating, "_share", lambda processor, wall: 1.0)  # however busy this machine is
        one, other = (estimate(config, 1).seconds for config in (flat, deeper))
    assert one is not None and other is not None
    assert other - one == pytest.approx(2 * 9.0 * count_games(flat))


def test_the_command_line_tells_it_and_begins_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    settings = [part for setting in TINY for part in ("--set", setting)]
    assert main.main(evolve_cowan("--estimate", "--json", "--out", str(tmp_path), "--workers", "1", *settings)) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["seconds"] > 0 and told["games"] > 0
    assert any("of memory" in line for line in told["words"])
    assert list(tmp_path.iterdir()) == []
    assert main.main(["evolve", "--estimate", "--resume", "mine", "--out", str(tmp_path)]) == main.MISTAKE


def test_a_session_tells_it_before_it_starts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    settings = [part for setting in TINY for part in ("--set", setting)]
    common = [
        "evolve",
        "--preset=cowan",
        "--out",
        str(tmp_path),
        "--workers",
        "1",
        "--name",
        "mine",
        "--generations",
        "1",
    ]
    assert main.main([*common, *settings]) == 0
    said = capsys.readouterr().err
    assert said.index("on this machine with 1 worker") < said.index("Gen00")
