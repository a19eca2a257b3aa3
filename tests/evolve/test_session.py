"""Whole sessions of three tiny generations, by the command line: what they leave behind, and how runs go on."""

from __future__ import annotations

import csv
import json
import re
import shutil
import tomllib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import main
from evolve import arena, config_file, growing, manifest, store
from evolve.config import SECTIONS
from evolve.saving import LOG_COLUMNS
from evolve.status import State
from evolve.store import RunFolder
from game import pdn

TINY = ("--set=population.parents=4", "--set=stages.0.rounds=2", "--set=stages.1.rounds=2")
KEYS = ["run", "generations", "individuals", "games", "evaluations", "seconds", "champion", "digest"]
WEIGHTS = [f"w{index}" for index in range(247)]


@dataclass(frozen=True)
class Played:
    """What one call of the program gave."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        assert self.code == 0, self.err
        found = json.loads(self.out)
        assert isinstance(found, dict)
        return found


Evolve = Callable[..., Played]


@pytest.fixture
def evolve(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> Evolve:
    """Runs the verb in the folder of the test, on one worker."""

    def call(*options: str) -> Played:
        capfd.readouterr()
        code = main.main(["evolve", f"--out={tmp_path}", "--workers=1", "--json", *options])
        return Played(code, *capfd.readouterr())

    return call


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run to generation 2 that nobody disturbs."""
    folder = tmp_path_factory.mktemp("template")
    assert (
        main.main(["evolve", f"--out={folder}", "--name=one", "--seed=5", "--generations=2", "--workers=1", *TINY]) == 0
    )
    return folder / "one"


@pytest.fixture
def one(template: Path, tmp_path: Path) -> Path:
    """A copy of it, to be changed."""
    return Path(shutil.copytree(template, tmp_path / "one"))


def digest(folder: Path) -> str:
    return manifest.read(folder).digest()


def results(folder: Path) -> dict[str, bytes]:
    """All that has to be the same in equal runs: the log without its timing."""
    found = {path.name: path.read_bytes() for path in folder.glob("generation_*.csv")}
    for name in (growing.HALL_OF_FAME, growing.CHAMPIONS, manifest.NAME):
        found[name] = (folder / name).read_bytes()
    log = (folder / growing.LOG).read_bytes().splitlines()
    found[growing.LOG] = b"\n".join(line.rpartition(b",")[0] for line in log)
    return found


def log_of(folder: Path) -> list[dict[str, str]]:
    with open(folder / growing.LOG, newline="") as file:
        return list(csv.DictReader(file))


def frames(folder: Path) -> list[pd.DataFrame]:
    return [pd.read_csv(path, keep_default_na=False) for path in sorted(folder.glob("generation_*.csv"))]


# ---------------------------------------------------------------------------------------------------------------
# What a session leaves behind
# ---------------------------------------------------------------------------------------------------------------


def test_the_summary_is_one_json_object(evolve: Evolve, template: Path, tmp_path: Path) -> None:
    found = evolve("--name=two", "--seed=5", "--generations=2", *TINY).json
    assert list(found) == KEYS
    log = log_of(tmp_path / "two")
    assert found["run"] == str(tmp_path / "two")
    assert found["generations"] == 2
    assert found["individuals"] == 64
    assert found["games"] == sum(int(row["games"]) for row in log)
    assert found["evaluations"] == sum(int(row["evaluations"]) for row in log)
    assert found["champion"] == log[-1]["champion"]
    assert found["digest"] == digest(template)
    assert isinstance(found["seconds"], float)
    assert results(tmp_path / "two") == results(template)


def test_the_report_for_people(template: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main.main(["evolve", "--resume", str(template)]) == 0
    lines = capfd.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == [
        *("run", "generations", "games", "time", "champion", "digest"),
        "next",
    ]
    assert lines[1].endswith("0 to 2, 64 individuals each")
    assert lines[-2].split()[1] == digest(template)
    assert lines[-1].endswith(f"main.py match {template} random --games 200")


def test_the_files_of_a_run(template: Path) -> None:
    assert sorted(path.name for path in template.iterdir() if path.name != store.LOCK) == [
        "champions.pdn",
        "config.toml",
        "control",
        "generation_0000.csv",
        "generation_0001.csv",
        "generation_0002.csv",
        "hall_of_fame.csv",
        "log.csv",
        "manifest.csv",
        "session.log",
        "status.json",
    ]
    assert not list((template / "control").iterdir())
    for entry in RunFolder(template).manifest().entries:
        assert manifest.sha256((template / entry.file).read_bytes()) == entry.first == entry.now
    status = json.loads((template / "status.json").read_text())
    assert (status["state"], status["generation"], status["generations"]) == (State.DONE, 2, 2)


def test_the_configuration_is_complete(template: Path) -> None:
    values = tomllib.loads((template / "config.toml").read_text())
    record = values.pop("record")
    assert set(record) == {"format", "results", "python", "numpy", "numba", "pandas", "deap"}
    assert (record["format"], record["numpy"]) == (1, np.__version__)
    config = config_file.from_toml(template / "config.toml")
    assert (config.seed, config.generations, config.population.size, config.preset) == (5, 2, 64, "cowan")
    assert set(values) == {"preset", "network", "generations", "seed", "stages", *SECTIONS}


def test_generations_are_ranked_and_counted(template: Path) -> None:
    for number, frame in enumerate(frames(template)):
        assert frame["rank"].tolist() == list(range(1, 65))
        assert set(frame["name"]) == {f"Gen{number:02d}_{index:04d}" for index in range(64)}
        assert (frame["games"] == frame["wins"] + frame["draws"] + frame["losses"]).all()
        assert frame["wins"].sum() == frame["losses"].sum()
        assert (frame["points"] == 3 * frame["wins"] + frame["draws"]).all()
        assert frame["games"][:4].min() >= 2 + 6 + 3  # knock-outs, two groups, the ranking
        assert frame["games"].min() >= 1
        origins = {"founder": 64} if number == 0 else {"survivor": 4, "recombined": 12, "mutated": 48}
        assert Counter(frame["origin"]) == origins


def test_the_first_four_are_the_parents_of_the_next_generation(template: Path) -> None:
    generations = frames(template)
    assert set(generations[0]["parents"]) == {""}
    for before, after in pairwise(generations):
        parents = before["name"][:4].tolist()
        assert {name for text in after["parents"] for name in text.split()} == set(parents)
        children = after.sort_values("name").reset_index(drop=True)  # in the order in which they were made
        assert children["parents"][:4].tolist() == parents
        assert (children[WEIGHTS][:4].to_numpy() == before[WEIGHTS][:4].to_numpy()).all()
        assert children["origin"][:4].tolist() == ["survivor"] * 4


def test_mutants_become_parents(template: Path) -> None:
    origins = [origin for frame in frames(template)[1:] for origin in frame["origin"][:4]]
    assert "mutated" in origins


def test_the_log(template: Path) -> None:
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
    hall = pd.read_csv(template / growing.HALL_OF_FAME, keep_default_na=False)
    assert hall["generation"].tolist() == [0, 1, 2]
    first = pd.concat([frame.iloc[:1] for frame in frames(template)], ignore_index=True)
    assert hall.drop(columns="generation").astype(str).equals(first.astype(str))


def test_the_games_of_the_champions(template: Path) -> None:
    report = pdn.check(template / growing.CHAMPIONS)
    assert not report.errors
    assert report.legal_games == report.games == 3 * 3  # each meets the other three of the ranking
    text = (template / growing.CHAMPIONS).read_text()
    assert re.findall(r'\[Round "(.*)"\]', text) == [
        f"{generation}.{game}" for generation in range(3) for game in (1, 2, 3)
    ]
    champions = [row["champion"] for row in log_of(template)]
    for event, black, white in re.findall(r'generation (\d+).*\n.*\n\[Black "(.*)"\]\n\[White "(.*)"\]', text):
        assert champions[int(event)] in (black, white)


def test_the_log_of_all_processes(template: Path) -> None:
    text = (template / store.SESSION_LOG).read_text()
    assert "worker-1" in text
    for words in ("started", "1 workers (", "generation 2: champion", f"digest {digest(template)}"):
        assert words in text
    assert all(re.match(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} [A-Z]+ ", line) for line in text.splitlines())


# ---------------------------------------------------------------------------------------------------------------
# New runs
# ---------------------------------------------------------------------------------------------------------------

SMALL = (
    *("--set=population.parents=2", "--set=population.recombine=false", "--set=population.mutants=0"),
    *('--set=stages=[{kind="round-robin"}]', "--set=founders.method=uniform", "--generations=0"),
)


def test_without_a_seed_one_is_drawn_and_recorded(evolve: Evolve, tmp_path: Path) -> None:
    seeds = []
    for name in ("a", "b"):
        found = evolve(f"--name={name}", *SMALL)
        seeds.append(config_file.from_toml(tmp_path / name / "config.toml").seed)
        assert f"seed {seeds[-1]}" in found.err
    assert seeds[0] != seeds[1]
    again = evolve("--name=c", f"--seed={seeds[0]}", *SMALL).json
    assert again["digest"] == digest(tmp_path / "a") != digest(tmp_path / "b")


@pytest.mark.parametrize("options", [["--seed=77"], ["--set=seed=77"], ["--set", "seed = 77"]])
def test_a_seed_that_is_given_is_taken(options: list[str], evolve: Evolve, tmp_path: Path) -> None:
    evolve("--name=a", *options, *SMALL)
    assert config_file.from_toml(tmp_path / "a" / "config.toml").seed == 77


def test_a_run_gets_a_free_name(evolve: Evolve, tmp_path: Path) -> None:
    names = [
        Path(evolve("--seed=1", *options, *SMALL).json["run"]).name for options in ([], [], ["--preset=cowan-ballots"])
    ]
    assert names == ["cowan-1", "cowan-2", "cowan-ballots-1"]


def test_the_configuration_of_a_run_makes_the_same_run(evolve: Evolve, template: Path, tmp_path: Path) -> None:
    again = evolve("--name=two", f"--config={template / 'config.toml'}")
    assert again.json["digest"] == digest(template)
    assert config_file.from_toml(tmp_path / "two" / "config.toml") == config_file.from_toml(template / "config.toml")


def test_ballots(evolve: Evolve, tmp_path: Path) -> None:
    """Two games a pairing: points count pairings, the other columns games."""
    evolve("--preset=cowan-ballots", "--name=b", "--seed=1", "--generations=1", *TINY)
    for frame in frames(tmp_path / "b"):
        assert (frame["games"] % 2 == 0).all()
        assert (frame["games"] == frame["wins"] + frame["draws"] + frame["losses"]).all()
        assert (frame["points"] <= 3 * frame["games"] // 2).all()
        assert (frame["points"] != 3 * frame["wins"] + frame["draws"]).any()
    report = pdn.check(tmp_path / "b" / growing.CHAMPIONS)
    assert report.legal_games == report.games == 2 * 2 * 3
    games = [
        " ".join(part.split())
        for part in re.findall(r"\n\n(1\. [^\[]*)", (tmp_path / "b" / growing.CHAMPIONS).read_text())
    ]
    starts = [re.findall(r"\d+[-x][\dx]+", game)[:3] for game in games]
    assert starts[0::2] == starts[1::2]  # both colours on each ballot
    assert len({tuple(start) for start in starts}) > 3


# ---------------------------------------------------------------------------------------------------------------
# Going on
# ---------------------------------------------------------------------------------------------------------------


def test_resuming_what_is_finished_tells_its_summary(evolve: Evolve, one: Path, template: Path) -> None:
    before = results(one) | {"config": (one / "config.toml").read_bytes()}
    for run in ("one", str(one), f"{one}/"):
        found = evolve(f"--resume={run}").json
        assert list(found) == KEYS
        assert (found["generations"], found["digest"], found["seconds"]) == (2, digest(template), 0.0)
        assert found["champion"] == log_of(one)[-1]["champion"]
    assert results(one) | {"config": (one / "config.toml").read_bytes()} == before


def test_more_generations(evolve: Evolve, one: Path, tmp_path: Path) -> None:
    found = evolve("--resume=one", "--generations=4").json
    assert found["generations"] == 4
    assert config_file.from_toml(one / "config.toml").generations == 4
    assert tomllib.loads((one / "config.toml").read_text())["record"]["numpy"] == np.__version__
    straight = evolve("--name=two", "--seed=5", "--generations=4", *TINY).json
    assert found["digest"] == straight["digest"]
    assert found["games"] == straight["games"]
    assert results(one) == results(tmp_path / "two")


def test_a_run_killed_before_generation_0_was_complete_starts_again(evolve: Evolve, one: Path, template: Path) -> None:
    """Some of its files may be there, whole or torn; the manifest is not."""
    for name in ("generation_0001.csv", "generation_0002.csv", manifest.NAME):
        (one / name).unlink()
    for name in (growing.LOG, growing.HALL_OF_FAME, growing.CHAMPIONS):
        (one / name).write_bytes((one / name).read_bytes()[:100])
    assert evolve("--resume=one").json["digest"] == digest(template)
    assert results(one) == results(template)


@pytest.mark.parametrize("generation", [-1, 0, 1, 2])
def test_from_an_earlier_generation(generation: int, evolve: Evolve, one: Path, template: Path) -> None:
    found = evolve("--resume=one", f"--from={generation}").json
    assert found["digest"] == digest(template)
    assert results(one) == results(template)
    aside = sorted(path.name for path in one.glob("*.damaged"))
    assert aside == [f"generation_{number:04d}.csv.damaged" for number in range(generation + 1, 3)]


@pytest.mark.parametrize("generation", [3, 99, -2])
def test_from_a_generation_that_is_not_there(generation: int, evolve: Evolve, one: Path) -> None:
    before = results(one)
    refused = evolve("--resume=one", f"--from={generation}")
    assert refused.code == 2
    assert refused.err.splitlines()[-1] == (
        f"main.py: one: no generation {generation} to go on from, complete are 0 to 2"
    )
    assert results(one) == before


def test_from_the_generation_before_a_damaged_one(evolve: Evolve, one: Path, template: Path) -> None:
    path = one / "generation_0002.csv"
    path.write_bytes(path.read_bytes().replace(b"0.1", b"0.2", 1))
    for options in ((), ("--generations=3",)):
        refused = evolve("--resume=one", *options)
        assert refused.code == 2
        assert "generation_0002.csv: damaged" in refused.err
        assert refused.err.rstrip().endswith(f"evolve --resume {one} --from 1")
    assert evolve("--resume=one", "--from=1").json["digest"] == digest(template)
    assert results(one) == results(template)
    assert (one / "generation_0002.csv.damaged").exists()


@pytest.mark.parametrize(
    ("damage", "line", "start"),
    [
        (lambda data: data.replace(b"\n1,", b"\nx,"), 3, 0),
        (lambda data: re.sub(rb"(?m)^(1,\w+,64,)", rb"\1x", data), 3, 0),
        (lambda data: data[: data.rindex(b"\n2,") + 1], 4, 1),
        (lambda data: data.replace(b"games", b"gamez", 1), 2, -1),
        (lambda data: b"", 2, -1),
        (lambda data: b"\xff" + data, 2, -1),
    ],
)
def test_a_damaged_log_is_refused_and_can_be_mended(
    damage: Callable[[bytes], bytes], line: int, start: int, evolve: Evolve, one: Path, template: Path
) -> None:
    path = one / growing.LOG
    path.write_bytes(damage(path.read_bytes()))
    refused = evolve("--resume=one")
    assert refused.code == 2
    assert refused.err.splitlines()[-1] == (
        f"main.py: {path}: damaged, line {line} is not that of generation {start + 1}; go on from the one before with "
        f"evolve --resume {one} --from {start}"
    )
    assert evolve("--resume=one", f"--from={start}").json["digest"] == digest(template)
    assert results(one) == results(template)


def test_a_run_keeps_its_configuration_but_not_its_workers(evolve: Evolve, one: Path, template: Path) -> None:
    refused = evolve("--resume=one", "--set=workers.chunk=7", "--set=games.quiet_plies=40")
    assert refused.code == 2
    assert (
        refused.err == "main.py: one: games.quiet_plies=40: a run keeps its configuration, only workers.* can change\n"
    )
    assert evolve("--resume=one", "--set=workers.chunks=7").code == 2
    evolve("--resume=one", "--set=workers.chunk=7")
    found = evolve("--resume=one", "--set=workers.timeout=100", "--from=0").json
    workers = config_file.from_toml(one / "config.toml").workers
    assert (workers.chunk, workers.timeout) == (7, 100.0)  # one change does not undo another
    assert found["digest"] == digest(template)


# ---------------------------------------------------------------------------------------------------------------
# Other versions
# ---------------------------------------------------------------------------------------------------------------


def made_with(one: Path, key: str, value: str) -> None:
    path = one / "config.toml"
    text, count = re.subn(rf"(?m)^{key} = .*$", f"{key} = {value}", path.read_text())
    assert count == 1
    path.write_text(text)


@pytest.mark.parametrize(
    ("key", "value", "error"),
    [
        (
            "numpy",
            '"1.26.4"',
            f"made with numpy 1.26.4, this is {np.__version__}: results could change; pip install numpy==1.26.4",
        ),
        ("results", "1", "made with results 1, this is 2: results could change; use the program it was made with"),
        ("results", "3", "made with results 3, this is 2: results could change; use the program it was made with"),
        ("format", "2", "written by a newer program (format 2, this one reads 1): update"),
    ],
)
def test_what_could_change_results_is_refused(key: str, value: str, error: str, evolve: Evolve, one: Path) -> None:
    before = results(one)
    made_with(one, key, value)
    refused = evolve("--resume=one", "--generations=3")
    assert (refused.code, refused.err) == (2, f"main.py: {one}: {error}\n")
    assert results(one) == before


PATCH = ".".join([*np.__version__.split(".")[:2], "99"])


@pytest.mark.parametrize(
    ("key", "version"),
    [("pandas", "0.0.1"), ("deap", "0.0.1"), ("numba", "0.0.1"), ("python", "3.0.1"), ("numpy", PATCH)],
)
def test_other_versions_are_said(key: str, version: str, evolve: Evolve, one: Path) -> None:
    made_with(one, key, f'"{version}"')
    found = evolve("--resume=one", "--generations=3")
    assert found.code == 0
    assert f"made with {key} {version}, going on with " in found.err
    record = tomllib.loads((one / "config.toml").read_text())["record"]
    assert record[key] == version  # what it was made with stays


# ---------------------------------------------------------------------------------------------------------------
# Failures
# ---------------------------------------------------------------------------------------------------------------


def broken(_: Any) -> None:
    raise RuntimeError("the arena is on fire")


def test_games_that_cannot_be_played(
    evolve: Evolve, one: Path, template: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(arena, "play_chunk", broken)
        failed = evolve("--resume=one", "--from=1")
    assert failed.code == 70
    assert failed.err.splitlines()[-1].startswith(
        "main.py: task 0 failed in worker-1: RuntimeError: the arena is on fire"
    )
    assert failed.err.endswith("what was complete is on disk: go on with evolve --resume\n")
    assert json.loads((one / "status.json").read_text())["state"] == "stopped"
    assert evolve("--resume=one").json["digest"] == digest(template)


def test_a_disk_that_is_full(evolve: Evolve, one: Path, template: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path, data: bytes) -> None:
        raise OSError(28, "No space left on device", str(path))

    with monkeypatch.context() as patch:
        patch.setattr(store, "append_durably", full)
        failed = evolve("--resume=one", "--from=0")
    assert failed.code == 74
    assert failed.err.splitlines()[-1] == f"main.py: {one / growing.LOG}: No space left on device"
    assert manifest.read(one).newest == 0
    assert evolve("--resume=one").json["digest"] == digest(template)
    assert results(one) == results(template)
