"""Golden runs of the presets that look ahead, tiny: by hash, whoever plays them, however often killed.

A change of these digests changes the results of every run of these presets: raise `evolve.session.create.RESULTS` with
it.
"""

from __future__ import annotations

import itertools
import json
import re
import shlex
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import main
from evolve.breeding import hall_of_fame
from evolve.config import preset_files, toml
from evolve.config.search import Search
from evolve.run import manifest
from evolve.run.folder import Run
from evolve.session.saving import plan
from game.search.interface import Limits
from tests.cases import for_each
from tests.evolve.tiny_sessions import KILLED, ROOT, results
from tests.needed import marks_of
from tests.processes import completed

TINY = ("population.parents=3", "search.depth=2", "saving.every=3", "saving.newest=1", "games.max_plies=60")
EVERYTHING = (
    *('stages=[{kind="opponents", games=2}, {kind="opponents", games=2, opponents="hall-of-fame"}]',),
    *("points.sharing=true", "games.openings=three-move", "games.swap=false", "variation.decay=0.001"),
    *("variation.step_low=0.01", "variation.step_high=0.06", "search.blondie=false"),
    *("search.quiescence=true", "search.deepen_every=2", "search.deepen_by=1"),
)
"""Every option that the originals do not have."""

KINDS = {
    "blondie24-1999": ("blondie24-1999", ()),
    "blondie24": ("blondie24", ()),
    "league": ("league", ()),
    "everything": ("blondie24-1999", EVERYTHING),
    "crownhead-1": (
        "crownhead-1",
        ("population.mutants=6", "games.max_plies=0", "search.deepen_every=2", "search.deepen_by=1"),
    ),
    "first": ("first", ("population.mutants=6", "games.max_plies=0", "search.deepen_every=2", "search.deepen_by=1")),
    "deap": ("deap", ("stages.0.rounds=1", "games.max_plies=0", "search.deepen_every=2", "search.deepen_by=1")),
    "living": ("living", ("population.mutants=6", "games.max_plies=0", "saving.every=3")),
    "cowan-deep": (
        "cowan-deep",
        (
            *("stages.1.size=3", "stages.1.advance=2", "games.max_plies=0"),
            *("founders.games=60", "founders.rounds=4", "founders.positions=200"),
        ),
    ),
}
SELDOM = ("blondie24-1999", "league", "crownhead-1")
"""Runs of which others, outside the check, do nearly the same."""
KEYS = ("digest", "games", "evaluations", "champion")
GOLDEN = {
    "blondie24-1999": ("be94ecaa8688f6dbf193ed926ed0eccd8a2d0c1f2ff2aec7a1cf49ee9b1bb70a", 150, 191717, "Gen04_0001"),
    "blondie24": ("ea9efd1895f3c54871c9e09cbd601b2e3a183cd9eedd856f62dcaa31f22fd88b", 150, 192078, "Gen04_0003"),
    "league": ("d45ddda4d3b9a8e84608b22fd89a6f246826b29874440d3c19acd97bfa192242", 150, 155472, "Gen04_0001"),
    "everything": ("7fe53244d8c8caa06970c4e52522ce672762c3b56b99fae9f3cfefefd58397a0", 102, 438862, "Gen04_0004"),
    "crownhead-1": ("c66e8566f0c7b1a227c592ee06806b460ef8681260a26c5088a92b59aa369abe", 70, 749000, "Gen04_0000"),
    "first": ("e8cb4c0da33c333b353264b060216c791f79b3d17835ec63c8fddd1ab45219cb", 40, 164452, "Gen04_0000"),
    "deap": ("8be571df2dcf87e3d677fb3320701fea65033dda6e7d4434a2b59c094738df01", 488, 1890479, "Gen04_0003"),
    "living": ("24d367e361a3d0f146006c8e6224c7fa520824faab6eb7b9373a2ba6f07c2210", 40, 51529, "Gen04_0000"),
    "cowan-deep": ("5b490ada97796e38251b19d3a59e99bbfb640555651ce9014c63c211f8f7da3a", 418, 1289792, "Gen04_0006"),
}


def options(name: str) -> list[str]:
    preset, settings = KINDS[name]
    given = [f"--set={setting}" for setting in (*TINY, *settings)]
    return ["evolve", f"--preset={preset}", "--name=one", "--seed=1", "--generations=4", "--json", *given]


@pytest.mark.parametrize(
    ("name", "workers"),
    [
        # Outside the check once each; `whole` plays the other run with everything, which is one of blondie24-1999.
        pytest.param(
            name,
            workers,
            marks=[
                *marks_of(f"presets.{name}"),
                *([pytest.mark.check] if name in SELDOM or (name == "everything") == (workers == 1) else []),
            ],
        )
        for name in KINDS
        for workers in (1, 2)
    ],
)
def test_the_golden_runs(name: str, workers: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main([*options(name), f"--out={tmp_path}", f"--workers={workers}"]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert tuple(summary[key] for key in KEYS) == GOLDEN[name]
    assert manifest.read(tmp_path / "one").whole == [0, 3, 4]


@pytest.fixture
def whole(shared: Callable[..., Path]) -> Callable[[str], Path]:
    """The folder of such a run that nobody disturbs, played at the first wish."""

    def played(name: str) -> Path:
        words = [*options(name), "--workers=1"]
        return shared(f"golden-{name}", lambda folder: main.main([*words, f"--out={folder}"])) / "one"

    return played


@pytest.mark.parametrize(
    "name", ["everything", *(pytest.param(name, marks=pytest.mark.check) for name in ("blondie24-1999", "crownhead-1"))]
)
@pytest.mark.parametrize(
    ("point", "number", "complete"),
    [
        pytest.param("file", 2, 0, marks=pytest.mark.check),
        pytest.param("addition", 5, 0, marks=pytest.mark.check),  # half a champion
        pytest.param("manifest", 3, 1, marks=pytest.mark.check),
        ("file", 4, 2),  # generation 1 on the way to lose its weights, named in the manifest
        pytest.param(
            "file", 6, 3, marks=pytest.mark.check
        ),  # the same of generation 2, by a session that began after it
    ],
)
def test_killed_and_resumed(
    name: str,
    point: str,
    number: int,
    complete: int,
    whole: Callable[[str], Path],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    undisturbed = results(whole(name))
    capsys.readouterr()
    killed = [*options(name), f"--out={tmp_path}", "--workers=1"]
    done = completed([sys.executable, "-c", KILLED, point, str(number), *killed], cwd=ROOT)
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert manifest.read(tmp_path / "one").newest == complete
    assert main.main(["evolve", f"--out={tmp_path}", "--resume=one", "--workers=2", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["digest"] == GOLDEN[name][0]
    assert results(tmp_path / "one") == undisturbed


def test_the_run_with_everything_met_old_champions_on_ballots(whole: Callable[[str], Path]) -> None:
    run = Run(whole("everything"))
    games = (run.path / "champions.pdn").read_text()
    champions = [one.name for one in hall_of_fame.champions(run, run.manifest())]
    assert len(champions) == 5
    last = [game for game in games.split("[Event ") if game.startswith('"Ranking of generation 4 (three-move)"')]
    met = {name for name in champions[:4] for game in last if f'"{name}"' in game}
    assert len(met) == 2
    steps = run.read_generation(4).steps
    assert steps.min() > 0.01
    assert steps.max() == np.float32(0.06)
    log = (run.path / "log.csv").read_text().splitlines()
    assert [int(line.split(",")[3]) for line in log[1:]] == [12, 18, 24, 24, 24]  # two champions once there are two


@pytest.mark.parametrize(
    ("search", "depths"),
    [
        (Search(4), {0: 4, 840: 4}),
        (Search(4, deepen_every=100), {0: 4, 99: 4, 100: 6, 199: 6, 200: 8, 300: 8, 10_000: 8}),
        (Search(2, deepen_every=10, deepen_by=1, deepest=4), {9: 2, 10: 3, 25: 4, 35: 4}),
        (Search(10, deepen_every=10, deepest=8), {0: 10, 50: 10}),
    ],
)
def test_look_ahead_deepens_by_generation(search: Search, depths: dict[int, int]) -> None:
    assert {generation: search.limits(generation).depth for generation in depths} == depths


ALL = 'stages=[{kind="opponents", best=%s}, {kind="round-robin"}]'
MISTAKES = {
    (
        "variation.mutation=adaptive",
    ): "variation.mutation: expected uniform or normal or self-adaptive or deap:NAME, got 'adaptive'; "
    "did you mean self-adaptive?",
    ("variation.king=normal",): "variation.king: expected steps or lognormal, got 'normal'",
    ("variation.step_low=0.1", "variation.step_high=0.01"): (
        "variation.step_low: expected at most variation.step_high = 0.01, got 0.1"
    ),
    ("variation.step_low=0.1",): (
        "founders.step: expected at least 0.1 (variation.step_low, variation.step_high), got 0.05"
    ),
    ("variation.step_low=0.001", "variation.step_high=0.01"): (
        "founders.step: expected 0.001 to 0.01 (variation.step_low, variation.step_high), got 0.05"
    ),
    ("stages.0.opponents=friends",): "stages.0.opponents: expected population or hall-of-fame, got 'friends'",
    ("stages.0.opponents=hall-of-fame",): (
        "stages: the first generation has no hall of fame; add a ranking stage within the population"
    ),
    ("stages.0.best=15",): "stages.0.best: expected 0 in the last stage, which leaves population.parents = 15",
    (ALL % 14,): "stages.0.best: expected 0 (all) or 15 (population.parents) to 30, got 14",
    (ALL % 31,): "stages.0.best: expected 0 (all) or 15 (population.parents) to 30, got 31",
    ('stages=[{kind="opponents"}, {kind="elimination"}]',): (
        "stages.1.kind: the last stages must be ones that rank (round-robin, opponents, mirror, field)"
    ),
    ("points.each=match",): "points.each: expected pairing or game, got 'match'",
}


@pytest.mark.needs("cast")  # whose stage is among those that are allowed
@for_each(("settings", "line"), MISTAKES.items())
def test_mistake_is_reported_with_allowed_values(settings: tuple[str, ...], line: str) -> None:
    with pytest.raises(preset_files.ConfigError) as raised:
        toml.load("blondie24", None, settings)
    assert raised.value.lines == (line,)


PAGE = "".join((ROOT / "docs" / name).read_text(encoding="utf-8") for name in ("presets.md", "published.md"))


def test_the_page_has_every_preset_with_its_numbers() -> None:
    for name in preset_files.preset_files():
        assert f"`{name}`" in PAGE
    for name in preset_files.listed_preset_names("evolve"):
        config = toml.load(name)
        row = next(line for line in PAGE.splitlines() if line.startswith(f"| `{name}` |"))
        assert f"| `{config.network.name}` | {config.individuals:,} | 0 to {config.generations} |" in row
        megabytes = plan(config).split("about ")[1].split(" for")[0]
        assert row.endswith(f"{megabytes} |")
        depth = config.search.depth
        assert f"| {'none' if depth == 1 else f'{depth} plies'}" in row


def test_the_settings_of_the_page_can_be_made() -> None:
    (block,) = [each for each in PAGE.split("```") if "--name beyond" in each]
    words = shlex.split(block.replace("\\\n", " "))
    settings = [after for word, after in itertools.pairwise(words) if word == "--set"]
    config = toml.load("blondie24", None, settings)
    assert len(settings) == 6
    assert config.champions == 5
    assert config.search.limits(400) == Limits(8)
    ranked = re.search(r"--set 'stages=([^']*best=15[^']*)'", PAGE)
    assert toml.load("blondie24", None, [f"stages={' '.join(ranked[1].split())}"]).stages[1].kind == "round-robin"
