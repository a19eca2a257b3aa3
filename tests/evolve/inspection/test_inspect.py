"""The verb `inspect` from the command line: what it says of each kind of target, JSON, files, and every mistake."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evolve.inspection import terminal
from evolve.run import status
from evolve.run.folder import Run
from tests.called import Call, call_program
from tests.runs import bare
from tests.synthetic import SIZE, make_run

LAST = 12


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    make_run(folder, "one", LAST, rated=True)
    make_run(folder, "two", 4, seed=2)
    make_run(folder, "kings", 1, network="blondie-1741")
    make_run(folder, "empty", -1)
    bare(folder / "lying.csv", ["Anna", "Ben"])
    return folder


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str], runs: Path) -> Call:
    return partial(call_program, capfd, "inspect", f"--runs={runs}")


def test_the_cluster_of_a_session_is_named_until_it_has_ended(call: Call, runs: Path) -> None:
    result = status.now(status.State.RUNNING, 4711, LAST, LAST, 0, cluster="tls://10.0.0.1:8786")
    try:
        status.write(runs / "one", result)
        assert call("one", "--games=0").out.startswith("one  interrupted on tls://10.0.0.1:8786, generation")
        status.write(runs / "one", replace(result, state=status.State.STOPPED))
        assert call("one", "--games=0").out.startswith("one  stopped, generation")
    finally:
        (runs / "one" / status.NAME).unlink()


def test_a_run_is_described(call: Call, runs: Path) -> None:
    output = call("one", "--games=40")
    assert (output.code, output.err) == (0, "")
    rows = Run(runs / "one").read_generation(LAST)
    for result in (
        f"one  stopped, generation {LAST} of {LAST}  {runs / 'one'}",
        "cnn-247, 247 weights",
        "64, of which 16 survive",
        "2,600 from the start position, 25.0 % drawn",
        Run(runs / "one").manifest().digest(),
        f"The champion of generation {LAST}",
        rows.names[0],
        "95 % interval",
        "against random",
        "in 40 games at one ply:",
    ):
        assert result in output.out
    assert "Champions against each other" not in output.out
    assert max(map(len, output.out.splitlines())) <= terminal.WIDTH
    assert [line for line in output.out.splitlines() if line != line.rstrip()] == []
    assert "\x1b" not in output.out
    assert call("one", "--games=40") == output  # the same games each time


def test_without_games_no_ratings_are_printed(call: Call) -> None:
    output = call("two", "--games=0")
    assert output.code == 0
    assert "against random" not in output.out
    assert "interval" not in output.out  # this log has no ratings


def test_a_generation_is_described(call: Call) -> None:
    output = call("one@3", "--games=0")
    assert output.code == 0
    for result in ("64 individuals  247 weights each, for cnn-247", "48 mutated, 16 survivors", "and 48 more", "apart"):
        assert result in output.out


def test_an_individual_is_described(call: Call, runs: Path) -> None:
    run = Run(runs / "one")
    name = run.read_generation(3).names[4]
    output = call(f"one@3:{name}", "--games=0")
    assert output.code == 0
    for result in (f"{name}  rank 5 of 64", "origin", "founders", "nearest", "Ancestors"):
        assert result in output.out
    king = call("kings@1:" + Run(runs / "kings").read_generation(1).names[0], "--games=0")
    assert "worth 2.000 men" in king.out


def test_a_file_without_a_run_is_described(call: Call, tmp_path: Path) -> None:
    path = bare(tmp_path / "players, all.csv", ["Anna", "Ben", "C [bold]"])
    output = call(f"'{path}'", "--games=2")
    assert output.code == 0
    for result in ("3 individuals", "247 weights each, for cnn-247", "3 of 3 genomes", "C [bold]", "against random"):
        assert result in output.out
    one = call(f"'{path}':Ben", "--games=2")
    assert "Ben" in one.out and "nearest" in one.out and "Ancestors" not in one.out
    other = bare(tmp_path / "other.csv", ["Anna"], 7)
    output = call(str(other))
    assert "an unknown network" in output.out
    assert "against random" not in output.out
    larger = bare(tmp_path / "larger.csv", ["Anna", "Ben"], 1741)
    assert "for blondie-1741" in call(str(larger), "--network=blondie-1741", "--games=0").out


def test_a_file_that_lies_in_the_folder_of_runs_by_its_bare_name(
    call: Call, runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("lying", "lying.csv"):
        assert call(name, "--games=0").out.startswith(f"{runs / 'lying.csv'}  2 individuals")
    assert call("lying:Ben", "--games=0").out.startswith("Ben  ")
    bare(tmp_path / "lying.csv", ["Cleo"])
    assert call("lying.csv", "--games=0").out.startswith("lying.csv  1 individual")
    make_run(tmp_path, "lying", 0)
    assert "generation 0 of 0" in call("lying", "--games=0").out  # a run folder is found by its path, before any file


def strict(text: str) -> Any:
    return json.loads(text, parse_constant=pytest.fail)


def test_json_of_a_run(call: Call) -> None:
    output = call("one", "--games=4", "--json")
    assert output.code == 0
    values = strict(output.out)
    assert (values["kind"], values["generation"], values["weights"]) == ("run", LAST, 247)
    assert len(values["log"]) == LAST + 1
    assert values["log"][3]["generation"] == 3
    assert values["log"][3]["rating_low"] < values["log"][3]["rating"]
    assert values["champion"]["name"] == values["log"][-1]["champion"] == values["survivors"][0]["name"]
    assert values["strength"]["random"]["games"] == 4
    assert values["written"] == []


def test_json_of_others(call: Call, runs: Path, tmp_path: Path) -> None:
    generation = strict(call("one@3", "--games=0", "--json").out)
    assert (generation["kind"], generation["individuals"], len(generation["ranking"])) == ("generation", SIZE, SIZE)
    assert generation["ranking"][0]["rank"] == 1
    name = generation["ranking"][5]["name"]
    one = strict(call(f"one@3:{name}", "--games=0", "--json").out)
    assert (one["kind"], one["name"], one["rank"]) == ("individual", name, 6)
    weights = Run(runs / "one").read_generation(3).weights[5]
    assert np.array(one["genome"], np.float32).tobytes() == weights.tobytes()
    assert one["ancestors"]["name"] == name
    file = strict(call(str(bare(tmp_path / "x.csv", ["Anna"])), "--games=0", "--json").out)
    assert (file["kind"], file["ranking"]) == ("file", [{"name": "Anna"}])


MISTAKES = {
    "non": "non: no run of this name under {runs}, no run folder, and no CSV file there; near: one",
    "random": "random: a player without a file, so there is nothing to inspect",
    "empty": "empty: no generation is complete yet, so there is nothing to inspect",
    "empty@0": "empty: no generation 0; complete generations: none yet",
    "one@99": "one: no generation 99; complete generations: 0 to 12",
    "one@-1": "one@-1: expected a generation after @, got '-1'",
    "one@3:nobody": "no individual is called 'nobody'; names are like Gen03_",
    "one@3,depth=4": "expected a run, RUN@GENERATION, RUN@GENERATION:NAME or a CSV file, without options",
    "'one": "the quote ' is not closed",
    "none.csv": "none.csv: no such file",
    "{runs}": "no run of this name",
    "lyin": "lyin: no run of this name under {runs}, no run folder, and no CSV file there; near: lying",
    "lying@3": "lying@3: lying is a CSV file, which has no generations",
    "{runs}/one/log.csv": "log.csv: line 1: expected one column called name (or names)",
    "{runs}/one/hall_of_fame.csv:nobody": "no individual is called 'nobody'",
    "one --games 3": "--games: expected an even number of 0 or more, got 3",
    "one --network cnn-247": "--network: only for CSV files, one has its own",
    "one --compare two": "inspect --compare was removed: inspect RUN OTHER reports what differs between runs",
}


@pytest.mark.parametrize("arguments", MISTAKES)
def test_a_mistake_is_one_line(call: Call, runs: Path, arguments: str) -> None:
    output = call(*arguments.format(runs=runs).split())
    assert (output.code, output.out) == (2, "")
    assert output.err.count("\n") == 1
    assert MISTAKES[arguments].format(runs=runs) in output.err


@pytest.mark.parametrize(
    ("file", "content", "error"),
    [
        ("generation_0012.csv", b"rubbish", "damaged, its bytes are not what the session wrote"),
        ("generation_0012.csv", None, "damaged, No such file"),
        ("generation_0005.csv", b"", "generation_0005.csv: line 1: the file is empty"),
        ("generation_0005.csv", b"a\0b\n" * 100, "generation_0005.csv: line 1: binary data, expected CSV text"),
        ("generation_0005.csv", None, "generation_0005.csv: cannot be read: No such file"),
        ("manifest.csv", b"rubbish", "manifest.csv: damaged"),
        ("log.csv", b"", "log.csv: line 1: column generation is missing"),
        ("log.csv", None, "log.csv: cannot be read: No such file"),
        ("hall_of_fame.csv", b"", "hall_of_fame.csv: generation 12 is missing"),
        ("hall_of_fame.csv", b"generation,name,w0\n" + b"0,a,x\n" * 13, "hall_of_fame.csv: line 14: damaged"),
        ("hall_of_fame.csv", None, "hall_of_fame.csv: cannot be read: No such file"),
        ("config.toml", b"rubbish", "config.toml: not a TOML file"),
        ("config.toml", None, "no run of this name"),
        ("notes.json", b"rubbish", "notes.json: these are not the notes of a run"),
    ],
)
def test_damage_is_one_line(
    call: Call, runs: Path, tmp_path: Path, file: str, content: bytes | None, error: str
) -> None:
    shutil.copytree(runs / "one", tmp_path / "one")
    path = tmp_path / "one" / file
    path.unlink() if content is None else path.write_bytes(content)
    output = call(str(tmp_path / "one"), "--games=2")
    assert (output.code, output.out) == (2, "")
    assert output.err.count("\n") == 1
    assert error in output.err
