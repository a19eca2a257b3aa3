"""Whole tiny sessions by the command line: what they leave behind, how runs go on, and late generations, by counts."""

from __future__ import annotations

import gc
import json
import os
import re
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from deap import tools

import main
from evolve.breeding import hall_of_fame, loop
from evolve.breeding.hall_of_fame import HallOfFame
from evolve.config import toml
from evolve.config.model import Config
from evolve.config.sections import SECTIONS, Saving
from evolve.kinds.individual import Individual
from evolve.run import append_only, manifest
from evolve.run.folder import SESSION_LOG, Run
from evolve.run.generation_csv import Generation
from evolve.run.log import LOG_COLUMNS
from evolve.run.manifest import KEPT_ROWS, MOST_ROWS, Manifest
from evolve.run.status import LOCK, State
from evolve.session import create
from evolve.session.saving import Saver
from game.networks.named import CNN_247
from tests.called import evolve_cowan
from tests.evolve.tiny_sessions import KEYS, TINY, Evolve, digest, frames, log_of, results
from tests.game.pdn.pdn_texts import games_of


def test_the_summary_is_one_json_object(evolve: Evolve, template: Path, tmp_path: Path) -> None:
    result = evolve("--name=two", "--seed=5", "--generations=2", *TINY).json
    assert list(result) == KEYS
    log = log_of(tmp_path / "two")
    assert result["run"] == str(tmp_path / "two")
    assert result["generations"] == 2
    assert result["individuals"] == 64
    assert result["games"] == sum(int(row["games"]) for row in log)
    assert result["evaluations"] == sum(int(row["evaluations"]) for row in log)
    assert result["champion"] == log[-1]["champion"]
    assert result["digest"] == digest(template)
    assert isinstance(result["seconds"], float)
    assert results(tmp_path / "two") == results(template)


def test_only_parents_live_while_the_next_generation_is_bred(evolve: Evolve, monkeypatch: pytest.MonkeyPatch) -> None:
    breed, alive = loop.vary, []

    def counted(*arguments: Any, **options: Any) -> list[Individual]:
        gc.collect()
        alive.append(sum(type(each) is Individual for each in gc.get_objects()))
        return breed(*arguments, **options)

    monkeypatch.setattr(loop, "vary", counted)
    evolve("--seed=5", "--generations=2", *TINY)
    assert alive == [4 + 1, 4 + 1]  # and the champion in the hall of fame


def test_the_report_for_people(template: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main.main(["evolve", "--resume", str(template)]) == 0
    lines = capfd.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == [
        *("run", "generations", "games", "time", "champion", "rating", "verdict", "digest"),
        *("play", "next"),
    ]
    assert lines[1].endswith("0 to 2, 64 individuals each")
    assert lines[-3].split()[1] == digest(template)
    assert lines[-2].endswith(f"main.py play {template}")
    assert lines[-1].endswith(f"main.py match {template} {template}@0 --games 200")


def test_the_next_command_shows_learnt_results(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """As it evolved, against its own beginnings, or a piece count that looks as far."""
    deep = ("--set=search.depth=2", "--set=search.quiescence=true")
    for last, opponent, how in (
        (0, "material,depth=2,quiescence=yes", "counts pieces 2 plies ahead, captures played out"),
        (1, f"{tmp_path}/deep@0", "judges the board 2 plies ahead, captures played out"),
    ):
        begun = (f"--out={tmp_path}", "--workers=1", f"--generations={last}")
        run = ("--name=deep", "--seed=5", *TINY, *deep) if last == 0 else ("--resume=deep",)
        assert main.main(evolve_cowan(*begun, *run)) == 0
        command = capfd.readouterr().out.splitlines()[-1].partition("main.py ")[2].split()
        assert command == ["match", str(tmp_path / "deep"), opponent, "--games", "100"]
        assert main.main([*command[:-1], "2"]) == 0
        first, second = capfd.readouterr().out.splitlines()[:2]
        assert first.endswith("judges the board 2 plies ahead, captures played out")
        assert how in second


def test_the_files_of_a_run(template: Path) -> None:
    assert sorted(path.name for path in template.iterdir() if path.name != LOCK) == [
        *("champions.pdn", "config.toml", "control", "generation_0000.csv", "generation_0001.csv"),
        *("generation_0002.csv", "hall_of_fame.csv", "log.csv", "manifest.csv", "session.log", "status.json"),
    ]
    assert not list((template / "control").iterdir())
    for entry in Run(template).manifest().entries:
        assert manifest.sha256((template / entry.file).read_bytes()) == entry.first == entry.now
    status = json.loads((template / "status.json").read_text())
    assert (status["state"], status["generation"], status["generations"]) == (State.DONE, 2, 2)


def test_the_configuration_is_complete(template: Path) -> None:
    values = tomllib.loads((template / "config.toml").read_text())
    record = values.pop("record")
    assert record.pop("begun")["population.parents"] == 4
    assert set(record) == {*("format", "results", "python", "numpy", "numba", "llvmlite", "pandas", "orjson", "deap")}
    assert (record["format"], record["numpy"]) == (1, np.__version__)
    config = toml.from_toml(template / "config.toml")
    assert (config.seed, config.generations, config.population.size, config.preset) == (5, 2, 64, "cowan")
    parts = set(SECTIONS) - {"optimiser", "learning", "plugins", "fitness"}  # not in force here
    assert set(values) == {"preset", "network", "generations", "seed", "stages"} | parts


def test_the_log_agrees_with_the_generations(template: Path) -> None:
    rows, generations = log_of(template), frames(template)
    assert tuple(rows[0]) == LOG_COLUMNS
    assert list(rows[0])[-1] == "seconds"
    assert [int(row["generation"]) for row in rows] == [0, 1, 2]
    for row, frame in zip(rows, generations, strict=True):
        assert row["champion"] == frame["name"][0]
        assert int(row["individuals"]) == 64
        assert int(row["best_points"]) == frame["points"].max()
        assert int(row["worst_points"]) == frame["points"].min()
        assert float(row["mean_points"]) == pytest.approx(frame["points"].mean(), abs=1e-6)
        assert int(row["failures"]) == 0
        assert 0 < int(row["draws"]) < int(row["games"]) < int(row["plies"])
        assert float(row["seconds"]) > 0
        counted = frame["games"].sum() // 2
        if row["generation"] == "0":
            assert int(row["games"]) - counted >= 64  # the duels of the founders
        else:
            assert int(row["games"]) == counted >= 32 + 16 + 24 + 12 + 6  # replays of ties come on top
            assert int(row["draws"]) == frame["draws"].sum() // 2


def test_the_hall_of_fame_is_the_first_of_each_generation(template: Path) -> None:
    hall = pd.read_csv(template / append_only.HALL_OF_FAME, keep_default_na=False)
    assert hall["generation"].tolist() == [0, 1, 2]
    first = pd.concat([frame.iloc[:1] for frame in frames(template)], ignore_index=True)
    assert hall.drop(columns="generation").astype(str).equals(first.astype(str))


def test_the_games_of_the_champions(template: Path) -> None:
    assert len(games_of(template / append_only.CHAMPIONS)) == 3 * 3  # each meets the other three of the ranking
    text = (template / append_only.CHAMPIONS).read_text()
    assert re.findall(r'\[Round "(.*)"\]', text) == [
        f"{generation}.{game}" for generation in range(3) for game in (1, 2, 3)
    ]
    champions = [row["champion"] for row in log_of(template)]
    result = re.findall(r'generation (\d+).*\n(?:.*\n){3}\[Black "(.*)"\]\n\[White "(.*)"\]', text)
    assert len(result) == 9 and all(champions[int(event)] in players for event, *players in result)
    for tag in ('[GameType "21"]', '[Site "?"]', '[Date "????.??.??"]'):
        assert text.count(tag) == 9


def test_the_log_of_all_processes(template: Path) -> None:
    text = (template / SESSION_LOG).read_text()
    assert "worker-1" in text
    for words in ("started", "1 worker (", "generation 2: champion", f"digest {digest(template)}"):
        assert words in text
    assert all(re.match(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} [A-Z]+ ", line) for line in text.splitlines())


SMALL = (
    *("--set=population.parents=2", "--set=population.recombine=false", "--set=population.mutants=0"),
    *('--set=stages=[{kind="round-robin"}]', "--set=founders.method=uniform", "--generations=0"),
)


def test_without_a_seed_one_is_drawn_and_recorded(evolve: Evolve, tmp_path: Path) -> None:
    seeds = []
    for name in ("a", "b"):
        result = evolve(f"--name={name}", *SMALL)
        seeds.append(toml.from_toml(tmp_path / name / "config.toml").seed)
        assert f"seed {seeds[-1]}" in result.err
    assert seeds[0] != seeds[1]
    again = evolve("--name=c", f"--seed={seeds[0]}", *SMALL).json
    assert again["digest"] == digest(tmp_path / "a") != digest(tmp_path / "b")


@pytest.mark.parametrize("options", [["--seed=77"], ["--set=seed=77"], ["--set", "seed = 77"]])
def test_a_seed_that_is_given_is_taken(options: list[str], evolve: Evolve, tmp_path: Path) -> None:
    evolve("--name=a", *options, *SMALL)
    assert toml.from_toml(tmp_path / "a" / "config.toml").seed == 77


def test_a_run_gets_a_free_name(evolve: Evolve, tmp_path: Path) -> None:
    names = [
        Path(evolve("--seed=1", *options, *SMALL).json["run"]).name for options in ([], [], ["--preset=cowan-ballots"])
    ]
    assert names == ["cowan-1", "cowan-2", "cowan-ballots-1"]


def test_the_configuration_of_a_run_makes_the_same_run(evolve: Evolve, template: Path, tmp_path: Path) -> None:
    again = evolve("--name=two", f"--config={template / 'config.toml'}")
    assert again.json["digest"] == digest(template)
    assert toml.from_toml(tmp_path / "two" / "config.toml") == toml.from_toml(template / "config.toml")


def test_ballots_are_played_with_both_colours(evolve: Evolve, tmp_path: Path) -> None:
    """Two games a pairing: points count pairings, the other columns games."""
    evolve("--preset=cowan-ballots", "--name=b", "--seed=1", "--generations=1", *TINY)
    for frame in frames(tmp_path / "b"):
        assert (frame["games"] % 2 == 0).all()
        assert (frame["games"] == frame["wins"] + frame["draws"] + frame["losses"]).all()
        assert (frame["points"] <= 3 * frame["games"] // 2).all()
        assert (frame["points"] != 3 * frame["wins"] + frame["draws"]).any()
    assert len(games_of(tmp_path / "b" / append_only.CHAMPIONS)) == 2 * 2 * 3
    games = [
        " ".join(part.split())
        for part in re.findall(r"\n\n(1\. [^\[]*)", (tmp_path / "b" / append_only.CHAMPIONS).read_text())
    ]
    starts = [re.findall(r"\d+[-x][\dx]+", game)[:3] for game in games]
    assert starts[0::2] == starts[1::2]  # both colours on each ballot
    assert len({tuple(start) for start in starts}) > 3


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
