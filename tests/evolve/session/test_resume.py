"""Resuming runs: where they go on, what is refused, and runs of removed kinds."""

from __future__ import annotations

import json
import re
import shutil
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import main
from evolve.config import toml
from evolve.run import append_only, folder, manifest
from evolve.run.folder import Run
from evolve.run.runs import SHIPPED_RUNS
from evolve.tournament import arena
from game.removed import REMOVED
from tests.evolve.tiny_sessions import KEYS, TINY, Evolve, digest, log_of, results


def test_resuming_a_finished_run_prints_its_summary(evolve: Evolve, one: Path, template: Path) -> None:
    before = results(one) | {"config": (one / "config.toml").read_bytes()}
    for run in ("one", str(one), f"{one}/"):
        result = evolve(f"--resume={run}").json
        assert list(result) == KEYS
        assert (result["generations"], result["digest"], result["seconds"]) == (2, digest(template), 0.0)
        assert result["champion"] == log_of(one)[-1]["champion"]
    assert results(one) | {"config": (one / "config.toml").read_bytes()} == before


def test_more_generations_have_the_bytes_of_one_session(evolve: Evolve, one: Path, tmp_path: Path) -> None:
    result = evolve("--resume=one", "--generations=4").json
    assert result["generations"] == 4
    assert toml.from_toml(one / "config.toml").generations == 4
    assert tomllib.loads((one / "config.toml").read_text())["record"]["numpy"] == np.__version__
    straight = evolve("--name=two", "--seed=5", "--generations=4", *TINY).json
    assert result["digest"] == straight["digest"]
    assert result["games"] == straight["games"]
    assert results(one) == results(tmp_path / "two")


@pytest.mark.parametrize("folder", ["a  b", 'it\'s; $(x) "so" & *.csv 👑 {x}', "caf\udce9"])
def test_runs_in_folders_of_any_name_are_continued(folder: str, evolve: Evolve, template: Path, tmp_path: Path) -> None:
    path = Path(shutil.copytree(template, tmp_path / folder / "Läufe-日本"))
    assert evolve(f"--resume={path}", "--generations=3").json["generations"] == 3
    assert Run(path).manifest().newest == 3


def test_a_run_killed_before_generation_0_was_complete_starts_again(evolve: Evolve, one: Path, template: Path) -> None:
    """Some of its files may be there, whole or torn; the manifest is not."""
    for name in ("generation_0001.csv", "generation_0002.csv", manifest.NAME):
        (one / name).unlink()
    for name in (append_only.LOG, append_only.HALL_OF_FAME, append_only.CHAMPIONS):
        (one / name).write_bytes((one / name).read_bytes()[:100])
    assert evolve("--resume=one").json["digest"] == digest(template)
    assert results(one) == results(template)


@pytest.mark.parametrize("generation", [-1, 1])
def test_from_an_earlier_generation_after_a_kill(generation: int, evolve: Evolve, one: Path, template: Path) -> None:
    """The file of generation 2 was there already, the manifest did not have it yet; a file after it is no leftover."""
    Run(one).manifest().up_to(1).write(one)
    result = evolve("--resume=one", f"--from={generation}", "--generations=1")
    assert result.code == 0
    known = Run(one).manifest()
    assert (known.newest, known.damage) == (1, None)
    assert not list(one.glob("generation_0002.csv*"))
    assert evolve("--resume=one", "--generations=2").json["digest"] == digest(template)


@pytest.mark.parametrize(("generation", "last"), [(1, 4), (-1, 0)])
def test_from_an_earlier_generation_to_another_last_one(
    generation: int, last: int, evolve: Evolve, one: Path, tmp_path: Path
) -> None:
    """Also to one that the run had before, and to one of those that are given up."""
    result = evolve("--resume=one", f"--from={generation}", f"--generations={last}").json
    straight = evolve("--name=two", "--seed=5", f"--generations={last}", *TINY).json
    assert (result["generations"], result["digest"]) == (last, straight["digest"])
    assert results(one) == results(tmp_path / "two")
    assert toml.from_toml(one / "config.toml").generations == last


def test_resume_before_the_requested_last_generation(evolve: Evolve, one: Path) -> None:
    before = results(one)
    for options, text in (
        (("--from=1", "--generations=0"), "one: --generations 0 is before --from 1"),
        (("--from=2", "--generations=1"), "one: already has generation 2, --generations 1 is before that"),
        (("--from=5", "--generations=1"), "one: already has generation 2, --generations 1 is before that"),
    ):
        refused = evolve("--resume=one", *options)
        assert (refused.code, refused.err) == (2, f"main.py: {text}\n")
    assert results(one) == before


@pytest.mark.parametrize("generation", [3, 99, -2])
def test_from_a_generation_that_is_not_there(generation: int, evolve: Evolve, one: Path) -> None:
    before = results(one)
    refused = evolve("--resume=one", f"--from={generation}")
    assert refused.code == 2
    assert refused.err == f"main.py: one: no generation {generation} to continue from; complete generations: 0 to 2\n"
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
    assert (one / "generation_0002.csv.given-up").exists()


@pytest.mark.parametrize(
    ("damage", "line", "start"),
    [
        (lambda data: data.replace(b"\n1,", b"\nx,"), 3, 0),
        (lambda data: data[: data.rindex(b"\n2,") + 1], 4, 1),
        (lambda data: data.replace(b"games", b"gamez", 1), 2, -1),
    ],
)
def test_a_damaged_log_is_refused_and_can_be_mended(
    damage: Callable[[bytes], bytes], line: int, start: int, evolve: Evolve, one: Path, template: Path
) -> None:
    path = one / append_only.LOG
    path.write_bytes(damage(path.read_bytes()))
    refused = evolve("--resume=one")
    assert refused.code == 2
    assert refused.err.splitlines()[-1] == (
        f"main.py: {path}: damaged, line {line} is not generation {start + 1}; continue from the one before it with "
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
    result = evolve("--resume=one", "--set=workers.timeout=100", "--from=0").json
    workers = toml.from_toml(one / "config.toml").workers
    assert (workers.chunk, workers.timeout) == (7, 100.0)  # one change does not undo another
    assert result["digest"] == digest(template)


def made_with(one: Path, key: str, value: str) -> None:
    path = one / "config.toml"
    text, count = re.subn(rf"(?m)^{key} = .*$", f"{key} = {value}", path.read_text())
    assert count == 1
    path.write_text(text)


@pytest.mark.parametrize(
    ("key", "value", "error"),
    [
        ("numpy", '"1.26.4"', f"this is {np.__version__}: results could change; python -m pip install numpy==1.26.4"),
        ("results", "1", "this is 2: results could change; use the program it was made with"),
        ("results", "3", "this is 2: results could change; use the program it was made with"),
        ("format", "2", "written by a newer program (format 2, this one reads 1): update"),
    ],
)
def test_changes_of_results_are_refused(key: str, value: str, error: str, evolve: Evolve, one: Path) -> None:
    before = results(one)
    made_with(one, key, value)
    refused = evolve("--resume=one", "--generations=3")
    older = value.strip('"')
    made = "" if key == "format" else f"made with {key} {older}, "
    assert (refused.code, refused.err) == (2, f"main.py: {one}: {made}{error}\n")
    assert results(one) == before


PATCH = ".".join([*np.__version__.split(".")[:2], "99"])


def test_other_versions_are_reported(evolve: Evolve, one: Path) -> None:
    versions = dict.fromkeys(("pandas", "deap", "numba", "llvmlite", "orjson"), "0.0.1")
    versions |= {"python": "3.0.1", "numpy": PATCH}
    for key, version in versions.items():
        made_with(one, key, f'"{version}"')
    result = evolve("--resume=one", "--generations=3")
    assert result.code == 0
    record = tomllib.loads((one / "config.toml").read_text())["record"]
    for key, version in versions.items():
        assert f"made with {key} {version}, continuing with " in result.err
        assert record[key] == version  # what it was made with stays


def test_a_record_without_packages_that_are_recorded_since_then(evolve: Evolve, one: Path) -> None:
    path = one / "config.toml"
    path.write_text(re.sub(r"(?m)^(llvmlite|orjson) = .*\n", "", path.read_text()))
    assert "made with" not in evolve("--resume=one", "--generations=3").err


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
    assert failed.err.endswith("complete generations are on disk: continue with evolve --resume\n")
    assert json.loads((one / "status.json").read_text())["state"] == "failed"
    assert evolve("--resume=one").json["digest"] == digest(template)


def test_a_disk_that_is_full(evolve: Evolve, one: Path, template: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path, data: bytes) -> None:
        raise OSError(28, "No space left on device", str(path))

    with monkeypatch.context() as patch:
        patch.setattr(folder, "append_durably", full)
        failed = evolve("--resume=one", "--from=0")
    assert failed.code == 74
    assert failed.err.splitlines()[-1] == f"main.py: {one / append_only.LOG}: No space left on device"
    assert manifest.read(one).newest == 0
    assert evolve("--resume=one").json["digest"] == digest(template)
    assert results(one) == results(template)


SETTING, PRESET = "setting optimiser.kind=genes", "preset crownhead-2"


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return Run(Path(shutil.copytree(SHIPPED_RUNS / "crownhead-2", tmp_path / "old")))


def test_a_run_of_a_removed_kind_is_read_as_it_was_written(run: Run) -> None:
    config = run.config()
    assert config.optimiser.kind.kind == "genes"
    assert config.obtained == "by own searches, with a gradient"
    assert not run.changes_by_hand(config)


def test_a_run_of_a_removed_kind_is_inspected_without_a_command_that_repeats_it(
    run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main.main(["inspect", "old", "--runs", str(run.path.parent)]) == 0
    report = capsys.readouterr().out
    assert "by own searches, with a gradient" in report
    assert "digest" in report and "repeat " not in report


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--resume", "old", "--generations", "9"], f"old: {SETTING} was removed: {REMOVED[SETTING]}"),
        (["--branch", "old@6"], f"old: {SETTING} was removed: {REMOVED[SETTING]}"),
        (["--config", "old/config.toml", "--preset", "first"], f"{SETTING} was removed: {REMOVED[SETTING]}"),
        (["--config", "old/config.toml"], f"{PRESET} was removed: {REMOVED[PRESET]}"),
        (["--preset", "crownhead-2"], f"{PRESET} was removed: {REMOVED[PRESET]}"),
        (["--preset", "crownhead-1", "--set", "optimiser.kind=genes", "--set", "optimiser.games=7"], REMOVED[SETTING]),
        (["--preset", "crownhead-1", "--set", "optimiser.kind=cma-es"], "use optimiser.kind=snes"),
        (["--preset", "cowan", "--set", "games.openings=middle"], "use games.openings=three-move"),
    ],
)
def test_a_removed_kind_or_preset_is_refused_in_one_line(
    arguments: list[str], message: str, run: Run, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(run.path.parent)
    assert main.main(["evolve", *arguments, "--runs", "."]) == 2
    error = capsys.readouterr().err
    assert message in error and error.count("\n") == 1


def test_a_run_with_a_removed_value_opens_and_is_not_continued(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = Run(Path(shutil.copytree(SHIPPED_RUNS / "crownhead-1", tmp_path / "old")))
    path = run.path / "config.toml"
    path.write_text(path.read_text(encoding="utf-8").replace('"three-move"', '"middle"'), encoding="utf-8")
    assert run.config().games.openings == "middle"
    assert main.main(["evolve", "--resume", "old", "--runs", str(tmp_path)]) == 2
    assert "setting games.openings=middle was removed" in capsys.readouterr().err
