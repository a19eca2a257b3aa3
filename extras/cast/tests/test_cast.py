"""Runs of a cast: the golden run, resuming it, its columns, and wrong input."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import main
from evolve.run import manifest
from evolve.run.folder import Run
from evolve.run.generation_csv import genome_digest
from evolve.run.log import read_history
from evolve.run.row_index import RowIndex, read_heads
from extras.cast import kind
from extras.cast.archive import archive_of
from extras.cast.members import has_map, score_of, trait_columns
from extras.cast.mutants import Adapted, Gain, line_mutants
from extras.cast.session import _founders
from tests.cast_run import FOUNDED, GOLDEN, begin
from tests.evolve.tiny_sessions import log_of, results


@pytest.fixture(scope="module")
def cast(shared: Callable[..., Path]) -> Path:
    """Return the golden run, played by one worker."""
    return shared("cast", lambda runs: main.main(begin(runs, "--name=one", "--workers=1"))) / "one"


@pytest.mark.check
def test_a_map_is_the_same_for_any_number_of_workers_and_after_an_interruption(cast: Path, tmp_path: Path) -> None:
    assert main.main(begin(tmp_path, "--name=two", "--workers=2", "--generations=1")) == 0
    assert main.main(["evolve", "--resume=two", f"--out={tmp_path}", "--generations=3", "--workers=2"]) == 0
    assert results(cast) == results(tmp_path / "two")


def test_three_generations_are_golden(cast: Path) -> None:
    assert manifest.read(cast).digest() == GOLDEN
    run = Run(cast)
    newest = run.read_generation()
    assert tuple(newest.columns) == trait_columns()
    logged = log_of(run.path)
    assert [int(line["cells"]) for line in logged][-1] == len(newest.names)
    assert newest.counts is not None and newest.ranks is not None
    assert float(logged[-1]["sum_scores"]) == pytest.approx(sum(map(score_of, newest.counts.tolist())), abs=1e-6)
    assert set(kind.COLUMNS) <= set(read_history(run, run.manifest()).numbers)
    shares = [points / games for games, *_, points in newest.counts.tolist()]
    assert shares == sorted(shares, reverse=True)
    thinned = run.read_generation(1, thinned=True)  # a thinned generation keeps the map
    assert thinned.weights.shape[1] == 0 and tuple(thinned.columns) == trait_columns()
    for name in ("generation_0001.csv", "generation_0003.csv", "hall_of_fame.csv"):  # with the columns of a cast
        index = RowIndex(run.path / name)
        while index.step():
            pass
        assert index.damage == "" and index.heads, name
    assert [head.name for head in read_heads(run.generation_path(3))] == newest.names
    before = run.read_generation(2, thinned=True).names
    assert {parent for parents in newest.parents or () for parent in parents} <= set(before)


@pytest.mark.check
def test_a_map_of_mutants_of_a_player_is_golden_for_any_number_of_workers(
    cast: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Generation 0 contains the player itself; no later generation needs its run."""
    earlier = tmp_path / "earlier"
    shutil.copytree(cast, earlier)
    settings = ("founders.method=player", f"founders.player={earlier}", "population.first=40", "population.spread=1.5")
    options = [part for setting in settings for part in ("--set", setting)]
    assert main.main(begin(tmp_path, "--name=one", "--workers=1", "--generations=1", *options)) == 0
    assert main.main(begin(tmp_path, "--name=two", "--workers=2", "--generations=0", *options)) == 0
    log, config = log_of(tmp_path / "one"), Run(tmp_path / "one").config()
    assert [int(line["games"]) > 40 * 12 for line in log] == [True, False]
    ancestor = Run(cast).read_generation()
    assert config.founders.genome == genome_digest(ancestor.weights[ancestor.row_of(None)])
    assert (config.founders.player, config.obtained) == (f"{earlier}@3", "by games alone")
    assert Run(tmp_path / "one").read_generation(0, thinned=True).origins.count("founder") <= 1
    capfd.readouterr()
    (earlier / "generation_0003.csv").write_bytes(b"")
    assert main.main(["evolve", "--resume=one", f"--out={tmp_path}", "--from=-1"]) == 2
    (line,) = capfd.readouterr().err.splitlines()
    assert "founders.player: " in line
    shutil.rmtree(earlier)
    assert main.main(["evolve", "--resume=two", f"--out={tmp_path}", "--generations=1", "--workers=2"]) == 0
    assert results(tmp_path / "one") == results(tmp_path / "two")
    assert manifest.read(tmp_path / "one").digest() == FOUNDED


def test_founders_are_a_player_and_mutants_with_growing_steps(cast: Path) -> None:
    config = Run(cast).config()
    settings = replace(kind.rules_of(config), first=1000, spread=2.0)
    founders = replace(config.founders, method="player", player=str(cast))
    config = replace(config, founders=founders, population=replace(config.population, selection=settings))
    made, rows = np.array(_founders(config, 0), np.float64), Run(cast).read_generation()
    ancestor = rows.weights[rows.row_of(None)].astype(np.float64)
    assert np.array_equal(made[0], ancestor)
    steps = (made - ancestor).std(axis=1) / ancestor.std()
    for index, step in ((250, 0.5), (500, 1.0), (-1, 2.0)):
        assert np.median(steps[index - 20 : index + 20 if index > 0 else None]) == pytest.approx(step, rel=0.1)


def test_steps_of_mutants_halve(cast: Path) -> None:
    run = Run(cast)
    config, rows = run.config(), run.read_generation()
    archive = archive_of(rows, kind.map_of(config), config.network.king)
    selection = replace(kind.rules_of(config), step=0.2, halving=40, line=0.0, adapted=0.0)
    config = replace(config, population=replace(config.population, selection=selection, parents=64, mutants=2))
    weights = {name: rows.weights[row] for row, name in enumerate(rows.names)}
    for generation, step in ((1, 0.1965), (40, 0.1), (80, 0.05)):
        made = line_mutants(config, archive, generation)
        changes = [np.asarray(one) - weights[one.parents[0]] for one in made]
        assert np.std(changes) == pytest.approx(step, rel=0.05)


def test_a_cell_is_played_and_inspected(cast: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(["inspect", str(cast), "--games=0", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    best = report["members"][0]
    assert not [value for value in report["changed"] if "genomes" in value["name"]]  # the program records them
    assert best["name"] == report["champion"]["name"] and report["cells"] == 9
    assert main.main(["inspect", f"{cast}:{best['cell']}", "--games=0", "--json"]) == 0
    one = json.loads(capsys.readouterr().out)
    assert {key: one[key] for key in ("name", "cell", "character", "unlike", "traits")} == {
        key: best[key] for key in ("name", "cell", "character", "unlike", "traits")
    }
    assert main.main(["inspect", f"{cast}@3", "--games=0", "--json"]) == 0
    ranking = json.loads(capsys.readouterr().out)["ranking"]
    assert [(each["name"], each["character"], each["unlike"]) for each in ranking] == [
        (each["name"], each["character"], each["unlike"]) for each in report["members"]
    ]
    for target in (str(cast), f"{cast}@3"):
        assert main.main(["inspect", target, "--games=0"]) == 0
        text = capsys.readouterr().out
        assert all(each["character"][:30] in text for each in report["members"])
    assert main.main(["inspect", f"{cast}:{best['cell']}", "--games=0"]) == 0
    assert re.search(rf"character +{re.escape(best['character'][:40])}", capsys.readouterr().out)
    first = Run(cast).read_generation(0).columns["cell"][0].replace(" ", ",")
    assert main.main(["match", f"{cast}@0:{first},depth=1", "random", "--games=2", "--workers=1", "--json"]) == 0
    capsys.readouterr()
    assert main.main(["inspect", f"{cast}:rim=1", "--games=0"]) == 2
    assert "'rim': expected a cell of this map (back-row=NUMBER, pieces=NUMBER)" in capsys.readouterr().err


def test_a_run_with_cells_around_centres_opens_and_is_not_continued(
    cast: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    resume = ["evolve", "--resume=old", f"--out={tmp_path}", "--workers=1"]
    for centres, code in ((0, 0), (9, 2)):  # 0 were equal cells
        path = Path(shutil.copytree(cast, tmp_path / "old", dirs_exist_ok=True)) / "config.toml"
        path.write_text(path.read_text().replace("[population]\n", f"[population]\ncentres = {centres}\n"))
        assert has_map(Run(path.parent).tables()) == (code == 0)
        assert main.main(["inspect", str(path.parent), "--games=0"]) == 0
        capsys.readouterr()
        assert main.main(resume) == code
    assert capsys.readouterr().err.startswith("main.py: old: setting population.centres was removed: leave it out")


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("population.traits=back-rwo", "population.traits: back-rwo: no such trait.*did you mean back-row?"),
        ("population.centres=9", "population.centres was removed: leave it out, for equal cells"),
        ("stages.0.opponents=nobody,depth=3; first", "stages.0.opponents: .*nobody"),
        ("stages.0.opponents=nobody; first", "^main.py: stages.0.opponents: player 'nobody': no run 'nobody' under"),
        ("stages.0.opponents=random; first", "stages.0.opponents: random: expected a player that counts pieces or"),
        ("stages.0.opponents=;", "stages.0.opponents: expected one or more players"),
        ("stages.0.opponents=first,depth=1", "stages.0.ballots: expected 4 or more against this number of opponents"),
        ("games.openings=start", "games.openings: expected ballots with both colours"),
        ("population.recombine=true", 'population.recombine: expected false with population.selection = "cells"'),
        ("points.draw=0", 'points.draw: expected 1 with population.selection = "cells", where a score is the share of'),
        ("points.each=pairing", "points.each: expected game with"),
        ("stages.0.counts=false", "stages.0.counts: expected true"),
        ("founders.method=duel", "founders.method: expected uniform or player for a map of traits, got duel"),
        ("population.selection=best", 'stages.0.kind: field needs population.selection = "cells"'),
    ],
)
def test_wrong_input_is_refused_before_a_run_begins(
    setting: str, message: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main.main(["evolve", "--preset=cast", f"--out={tmp_path}", "--set", setting]) == 2
    out, err = capfd.readouterr()
    (line,) = err.splitlines()
    assert not out and re.search(message, line), line
    assert not os.listdir(tmp_path)


def test_a_map_without_members_ends_in_one_line(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    arguments = begin(tmp_path, "--name=short", "--workers=1", "--set", "games.max_plies=20")
    assert main.main(arguments) == 2
    (line,) = (line for line in capfd.readouterr().err.splitlines() if "generation 0" in line and "cell" in line)
    assert "no player has a cell, since each had fewer than 8 games that count; begin a run with more" in line


def test_the_extra_is_named_before_anything_begins(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kind.CastRuns, "packages", ("no_such_package",))
    assert main.main(["evolve", "--preset=cast", f"--out={tmp_path}"]) == 2
    (line,) = capfd.readouterr().err.splitlines()
    assert "a cast (evolve --preset cast) needs pyribs" in line and "requirements/cast.txt" in line
    assert not os.listdir(tmp_path)


def test_adaptation_restarts_after_mutants_without_gain(cast: Path) -> None:
    """The state follows mutants that improved the map, and is forgotten if none did."""
    run = Run(cast)
    config = run.config()
    rows = run.read_generation()
    archive = archive_of(rows, kind.map_of(config), config.network.king)
    adapted = Adapted(config, archive, 4, rows.state_numbers)
    made = adapted.ask()
    assert len(made) == kind.adapted_of(config)
    assert not adapted.tell([Gain(0, 0.0)] * len(made)).any()
    state = adapted.tell([Gain(2, 0.5)] + [Gain(0, 0.0)] * (len(made) - 1))
    assert len(state) == config.state_size and state[-1] > 0
    again = Adapted(config, archive, 5, state).ask(), Adapted(config, archive, 5, state).ask()
    assert [one.tobytes() for one in again[0]] == [one.tobytes() for one in again[1]]
