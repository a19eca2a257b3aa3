"""What a session will take: time by counted games and guessed or measured costs, memory and disk."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

import main
from evolve.config import toml
from evolve.config.model import Config
from evolve.config.sections import Population
from evolve.run.folder import Run
from evolve.session import estimate as estimating
from evolve.session.estimate import estimate
from evolve.session.forecast import Forecast, GameCost, Schedule, count_games, later_of, sample_games
from evolve.session.saving import generation_bytes
from game.installation import imported
from tests.called import evolve_cowan
from tests.needed import marks_of

TINY = ["seed=1", "population.parents=4", "stages.0.rounds=2", "stages.1.rounds=2", "rating.every=0"]


def tiny(*settings: str) -> Config:
    return toml.load("cowan", None, [*TINY, *settings])


def guessed(config: Config, workers: int = 1) -> Forecast:
    """A forecast that is the same on every machine."""
    return Forecast(config, workers, range(config.generations + 1), 0.0)


def test_games_of_a_generation_are_counted_without_playing() -> None:
    robin = toml.load("cowan", None, ["population.parents=4", "population.mutants=1", 'stages=[{kind="round-robin"}]'])
    size = robin.population.size
    assert count_games(robin).counted == size * (size - 1) // 2
    assert count_games(replace(robin, games=toml.load("cowan-ballots").games)).counted == size * (size - 1)


def test_a_game_that_is_known_is_not_played_again() -> None:
    """From the start position, an individual that draws an opponent twice plays it once."""
    blondie = count_games(toml.load("blondie24"))
    assert blondie.counted == 150 and 130 < blondie.played < 150
    ballots = count_games(toml.load("blondie24", None, ["games.openings=three-move"]))
    assert ballots.counted == ballots.played == 300


@pytest.fixture
def two_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evolve.session.forecast.cores", lambda: 2)


def test_games_are_shared_by_workers_that_have_cores(two_cores: None) -> None:
    config = tiny("founders.method=uniform")
    one, two, many = (guessed(config, workers) for workers in (1, 2, 64))
    saving = 0.02 + 3e-8 * generation_bytes(config)
    playing = one.seconds(3) - saving
    waits = count_games(config).calls * playing / count_games(config).played / 4
    assert two.seconds(3) == many.seconds(3) == pytest.approx(playing / 2 + waits + saving)
    assert one.games(3) == two.games(3) == count_games(config).counted


def test_ratings_of_three_anchors_wait_for_one_of_two_workers(two_cores: None) -> None:
    config = tiny("rating.every=1", "rating.anchors=random; material,depth=1; material,depth=2")
    assert guessed(config, 2).rating(0) == pytest.approx(guessed(config, 1).rating(0) * 2 / 3)


def test_only_generations_to_come_are_estimated() -> None:
    config = tiny("founders.method=uniform", "generations=9")
    assert estimate(config, 1, 7).games == 2 * count_games(config).counted
    assert estimate(config, 1, 9).games == 0


def test_founders_that_duel_play_more_games() -> None:
    costs = guessed(tiny())
    size = tiny().population.size
    assert costs.games(0) >= costs.games(1) + size
    assert costs.seconds(0) > costs.seconds(1)


def test_costs_of_deep_searches_are_extrapolated_from_shallow_ones() -> None:
    short = sample_games(tiny("search.depth=6"), {6}, 1e-9)
    assert list(short) == [6] and short[6].games == 0
    long = sample_games(tiny("search.depth=3"), {1, 3}, 1e9)
    assert set(long) == {1, 3} and all(cost.games > 100 for cost in long.values())


def test_the_cost_of_all_processes_is_their_mean() -> None:
    assert GameCost.mean([GameCost(1.0, 10), GameCost(3.0, 20)]) == (2.0, 30)
    assert GameCost.mean([GameCost(1.0, 10), GameCost(3.0)]) == (2.0, 0)  # one of them is a guess


@pytest.mark.parametrize(
    "preset", [pytest.param(each, marks=marks_of(f"presets.{each}")) for each in ("cowan-deep", "zero", "crownhead")]
)
def test_a_time_that_cannot_be_known_is_unknown(preset: str) -> None:
    result = estimate(toml.load(preset, None, ["seed=1"]), 1)
    assert result.seconds is None and result.forecast is None
    assert "unknown before the start" in result.words


@pytest.mark.parametrize(
    "preset", ["first", "cowan", "blondie24", pytest.param("cast", marks=pytest.mark.needs("cast"))]
)
def test_generations_of_the_presets_have_times_before_their_code_is_compiled(preset: str) -> None:
    config = toml.load(preset, None, ["seed=1"])
    coming = range(config.generations + 1)
    expected = imported(config.kind.forecast)(config, 2, coming, 0.0)
    assert all(expected.seconds(generation) > 0 and expected.rating(generation) >= 0 for generation in coming)
    assert sum(map(expected.games, coming)) > 1000
    assert "a guess of" in expected.sample and not expected.is_measured


def test_later_players_are_sampled_as_networks_that_count_pieces() -> None:
    """Random ones lose their pieces without a reason, and their games end early."""
    first = toml.load("first", None, ["seed=1"])
    assert not first.network.piece_difference
    assert later_of(first) == replace(first, network=replace(first.network, piece_difference=True))


@pytest.mark.needs("learning")
def test_later_players_without_a_value_are_sampled_as_they_are() -> None:
    policy = toml.load("policy")
    assert later_of(policy).network == policy.network  # it has no value to which anything could be added


def test_later_networks_that_always_count_pieces_are_sampled_with_weights_as_mutations_spread_them() -> None:
    """In `blondie24` a game had 10,000 evaluations in generation 0, and 15,500 from generation 20 on."""
    blondie = toml.load("blondie24", None, ["seed=1"])
    later = later_of(blondie)
    assert later.network == blondie.network and later.founders.low == -later.founders.high
    assert later.founders.high == pytest.approx((0.2**2 + 3 * 128 * 0.05**2) ** 0.5)


def test_a_generation_that_looks_deeper_costs_more() -> None:
    flat = tiny("founders.method=uniform", "generations=3")
    deeper = replace(flat, search=replace(flat.search, depth=1, deepen_every=2, deepen_by=2))
    costs, saving = guessed(deeper), 0.02 + 3e-8 * generation_bytes(flat)
    assert costs.seconds(0) == pytest.approx(costs.seconds(1)) == pytest.approx(guessed(flat).seconds(0))
    assert costs.seconds(2) == pytest.approx(costs.seconds(3))
    assert costs.seconds(2) - saving > 5 * (costs.seconds(1) - saving)


def forecast(*settings: str) -> Forecast:
    return Forecast(toml.load("first", None, ["seed=1", *settings]), 1, range(10**6), 0.0)


@pytest.mark.parametrize("seconds", [0.001, 7.0, 60.0, 600.0, 7200.0])
def test_the_last_generation_for_a_time_is_the_one_that_comes_closest(seconds: float) -> None:
    expected = forecast()
    last, total, games = expected.fitting(0, seconds)
    sums = list(expected.sums(0, last + 1, timed=True))
    assert sums[last] == (total, games)
    others = ([sums[last - 1][0]] if last else []) + [sums[last + 1][0]]
    assert all(abs(total - seconds) <= abs(other - seconds) for other in others)


def test_the_last_generation_of_a_chosen_time_is_counted_with_its_rating() -> None:
    rated, plain = forecast(), forecast("rating.every=0")
    for last in (15, 16, 17):
        without, regular, timed = (
            list(one.sums(0, last, timed=chosen))[-1][0]
            for one, chosen in ((plain, True), (rated, False), (rated, True))
        )
        assert regular == pytest.approx(
            without + sum(rated.rating(generation) for generation in range(0, last + 1, 16))
        )
        assert timed == pytest.approx(regular + (rated.rating(last) if last % 16 else 0.0))


@pytest.mark.parametrize("speed", [0.5, 1.0, 1.6, 4.0])
def test_a_session_ends_in_its_time_however_wrong_the_estimate_is(speed: float) -> None:
    """The last generation is chosen again before each one, from the times of the newest."""
    expected = forecast()
    planned = expected.fitting(0, 60.0)[0]
    schedule, elapsed, generation, last = Schedule(expected, 60.0), 0.0, 0, planned
    changes = 0
    while True:
        chosen = schedule.last(generation, elapsed, last)
        changes += chosen != last
        last = chosen
        rated = generation % 16 == 0 or generation == last
        seconds = speed * (expected.seconds(generation) + rated * expected.rating(generation))
        schedule.add(generation, seconds, rated=rated)
        elapsed += seconds
        if generation == last:
            break
        generation += 1
    assert elapsed == pytest.approx(60.0, rel=0.15)
    assert (last > planned) if speed < 1 else (last == planned) if speed == 1 else (last < planned)
    assert changes <= 3  # of the number that people see


def test_estimate_begins_no_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    settings = [part for setting in TINY for part in ("--set", setting)]
    assert main.main(evolve_cowan("--estimate", "--json", "--out", str(tmp_path), "--workers", "1", *settings)) == 0
    output = json.loads(capsys.readouterr().out)
    assert 0 < output["between"][0] < output["seconds"] < output["between"][1] and output["games"] > 0
    assert any("of memory" in line for line in output["words"])
    assert list(tmp_path.iterdir()) == []
    assert main.main(["evolve", "--estimate", "--resume", "mine", "--out", str(tmp_path)]) == main.MISTAKE


def test_minutes_choose_the_last_generation(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    settings = [part for setting in TINY for part in ("--set", setting)]
    common = [*settings, "--out", str(tmp_path), "--workers", "1", "--json"]
    results = []
    for minutes in ("0.1", "1"):
        assert main.main(evolve_cowan("--estimate", "--minutes", minutes, *common)) == 0
        results.append(json.loads(capsys.readouterr().out))
        assert results[-1]["seconds"] == pytest.approx(60 * float(minutes), rel=0.1)
        assert any(f"generations 0 to {results[-1]['generations']}" in line for line in results[-1]["words"])
    assert results[1]["generations"] > 5 * results[0]["generations"] > 0
    assert main.main(evolve_cowan("--estimate", "--minutes", "1", "--generations", "3", *common)) == 0
    assert json.loads(capsys.readouterr().out)["generations"] == 3


def test_a_run_of_some_minutes_has_the_bytes_of_one_with_as_many_generations(tmp_path: Path) -> None:
    settings = [part for setting in TINY[:-1] for part in ("--set", setting)]
    rated = ["--set", "rating.every=100", "--set", "rating.games=2", "--set", "rating.anchors=random"]
    common = [*settings, *rated, "--out", str(tmp_path), "--workers", "1"]
    assert main.main(evolve_cowan("--minutes", "0.02", "--name", "timed", *common)) == 0
    timed = Run.open("timed", tmp_path)
    last = timed.manifest().newest
    assert timed.config().generations == last > 0
    assert main.main(evolve_cowan("--generations", str(last), "--name", "counted", *common)) == 0
    assert Run.open("counted", tmp_path).manifest().digest() == timed.manifest().digest()
    rows = (timed.path / "log.csv").read_text().splitlines()
    column = rows[0].split(",").index("rating")
    assert [bool(row.split(",")[column]) for row in rows[1:]] == [True, *[False] * (last - 1), True]


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (["--minutes", "0"], "--minutes: expected more than 0"),
        (["--minutes", "nan"], "--minutes: expected more than 0"),
        (["--minutes", "inf"], "--minutes: expected more than 0"),
        pytest.param(
            ["--minutes", "1", "--cluster", "tcp://127.0.0.1:1"],
            "--minutes: not together with --cluster",
            marks=pytest.mark.needs("cluster"),
        ),
        (["--minutes", "1", "--set", "founders.method=predicted"], "--minutes: time unknown before the start, since"),
    ],
)
def test_minutes_are_refused_where_they_have_no_meaning(
    options: list[str], text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main.main(evolve_cowan(*options, "--out", str(tmp_path), "--workers", "1")) == main.MISTAKE
    output = capsys.readouterr().err
    assert text in output and output.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_session_prints_its_estimate_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    settings = [part for setting in TINY for part in ("--set", setting)]
    common = evolve_cowan("--out", str(tmp_path), "--workers=1", "--name=mine", "--generations=1")
    assert main.main([*common, *settings]) == 0
    output = capsys.readouterr().err
    assert output.index("on this machine with 1 worker") < output.index("Gen00")


COWAN = toml.load("cowan", None, ["seed=1"])


def sized(parents: int, **changes: object) -> Config:
    return replace(COWAN, population=Population(parents=parents), **changes)  # type: ignore[arg-type]


def test_needs_include_disk_and_memory(tmp_path: Path) -> None:
    (text,) = estimating.needs(COWAN, 2, tmp_path)
    assert text.startswith("saving every generation: about 48 MB for generations 0 to 15, 3 MB each; about ")
    assert text.endswith(" MB of memory")


def test_a_small_generation_is_no_megabyte(tmp_path: Path) -> None:
    (text,) = estimating.needs(sized(2), 2, tmp_path)
    assert " 0 to 15, 0.047 MB each; " in text


@pytest.mark.parametrize(("parents", "workers", "measured"), [(16, 2, 185), (32, 2, 268), (64, 2, 475), (128, 2, 938)])
def test_the_memory_is_about_right(parents: int, workers: int, measured: float) -> None:
    """Megabytes that the processes of a session had at most (docs/log/performance.md)."""
    result = estimating.memory(sized(parents), workers) / 1e6
    assert measured < result < 1.5 * measured


def test_occupied_resources_cause_warnings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(estimating, "free_memory", lambda: 50e6)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=20e6))
    _, memory, disk = estimating.needs(COWAN, 2, tmp_path)
    assert memory == "warning: only 50 MB of memory are free: fewer individuals or workers need less"
    assert disk.startswith(f"warning: only 20 MB are free on the disk of {tmp_path.name}: ")
    (tmp_path / "generation_0000.csv").write_bytes(bytes(40_000_000))  # of a run that is gone on with
    assert len(estimating.needs(COWAN, 2, tmp_path)) == 2


def test_free_memory_is_known_or_not(monkeypatch: pytest.MonkeyPatch) -> None:
    free = estimating.free_memory()
    assert free is None or free > 1e6
    monkeypatch.setattr(Path, "read_text", lambda *_, **__: "MemTotal: 1 kB\n")
    assert estimating.free_memory() is None
