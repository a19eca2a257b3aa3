"""Fitness of several numbers from games: means by hand, columns, fronts, resumed bytes, and mistakes in one line."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import main
from evolve.config import toml
from evolve.config.preset_files import ConfigError
from evolve.kinds import plugins
from evolve.kinds.individual import Individual, fitness_of
from evolve.kinds.objectives import GenerationGames
from evolve.run.folder import Run
from tests.cases import for_each

SETTINGS = (
    *("population.parents=3", "population.mutants=1", "population.recombine=false", "founders.method=uniform"),
    *("rating.every=0", 'stages=[{kind="opponents", games=2}]', "search.depth=1", "seed=1"),
)
TWO = """
import numpy as np
from evolve.kinds.objectives import objectives

@objectives("two")
def two(population, games):
    \"\"\"Results, and short games.\"\"\"
    return np.stack([games.each(games.results), games.each(games.plies)], axis=1){after}
"""


def games() -> GenerationGames:
    """Three games of two individuals and a champion (2)."""
    players, results = np.array([[0, 1], [1, 2], [2, 0]]), np.array([[1, -1], [0, 0], [1, -1]])
    traits = np.full((3, 2, 1), np.nan)
    traits[0] = [[4.0], [2.0]]
    zero = np.zeros((3, 2), np.int64)
    return GenerationGames(
        np.array([1, 2]), np.array([5, 3]), players, results, zero, zero, lambda: traits, lambda: np.zeros(2)
    )


def test_values_of_games_become_means_of_individuals() -> None:
    played = games()
    assert played.each(played.results).tolist() == [0.0, -0.5]
    assert played.each(played.traits).tolist() == [[4.0], [2.0]]  # NaN does not count


def test_a_copy_keeps_a_fitness_of_several_numbers() -> None:
    import copy
    import pickle

    one = Individual([1.0])
    one.fitness = fitness_of((1.0, -1.0))((2.0, 3.0))
    for twin in (copy.deepcopy(one), pickle.loads(pickle.dumps(one))):
        assert twin.fitness.values == (2.0, 3.0)
        assert twin.fitness.weights == (1.0, -1.0)


def play(folder: Path, name: str, *more: str, after: str = "") -> int:
    (folder / "ops.py").write_text(TWO.format(after=after))
    own = ["--plugin", str(folder / "ops.py"), "--set=fitness.kind=two", "--set=fitness.weights=1,-1"]
    chosen = ["--set=population.selection=deap:selNSGA2", *(f"--set={each}" for each in SETTINGS)]
    try:
        return main.main(["evolve", "--preset=cowan", f"--out={folder}", f"--name={name}", *chosen, *own, *more])
    finally:
        plugins.load([])


@pytest.mark.addition(
    "fitness",
    "a class derived from `Objectives` in `evolve/kinds/objectives.py` ([example](docs/operators.md#fitness))",
)
def test_a_run_with_two_objectives_has_columns_and_a_front_and_resumes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert play(tmp_path, "whole", "--generations=2", "--workers=1") == 0
    assert play(tmp_path, "parts", "--generations=1", "--workers=2") == 0
    copy = str(tmp_path / "parts" / "plugins" / "ops.py")
    assert main.main(["evolve", "--resume", str(tmp_path / "parts"), "--generations=2", "--plugin", copy]) == 0
    plugins.load([])
    run = Run(tmp_path / "whole")
    assert Run(tmp_path / "parts").manifest().digest() == run.manifest().digest()
    columns = run.read_generation(2).columns
    pairs = [(float(one), float(other)) for one, other in zip(columns["fitness_0"], columns["fitness_1"], strict=True)]
    assert pairs == sorted(pairs, key=lambda pair: (pair[0], -pair[1]), reverse=True)  # ranks are in this order
    capsys.readouterr()
    assert main.main(["inspect", f"{tmp_path}/whole@2", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    front = [
        row["name"]
        for row, (one, other) in zip(shown["ranking"], pairs, strict=True)
        if not any(a >= one and b <= other and (a, b) != (one, other) for a, b in pairs)
    ]
    assert shown["pareto_front"] == front
    assert [row["fitness_1"] for row in shown["ranking"]] == [other for _, other in pairs]
    assert main.main(["inspect", f"{tmp_path}/whole@2"]) == 0
    text = capsys.readouterr().out
    assert "Pareto front" in text
    assert "fitness_0" in text


@for_each(
    ("after", "line"),
    [
        ("[:, :1]", "expected shape (6, 2), a number for each of fitness.weights = 1,-1, got (6, 1)"),
        ("[:3]", "got (3, 2)"),
        (" + np.nan", "has a fitness that is not a finite number"),
    ],
)
def test_a_wrong_fitness_is_one_line_and_nothing_begins(
    after: str, line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert play(tmp_path, "wrong", "--generations=1", after=after) == 2
    last = capsys.readouterr().err.splitlines()[-1]
    assert "fitness.kind = two" in last
    assert line in last
    assert not (tmp_path / "wrong").exists()


@for_each("kind", ["points", "rating"])
def test_parents_are_selected_by_points_or_ratings(kind: str, tmp_path: Path) -> None:
    chosen = [f"--set={each}" for each in (*SETTINGS, f"fitness.kind={kind}")]
    chosen += ["--set=rating.anchors=random; material,depth=1", "--set=rating.games=2"] if kind == "rating" else []
    chosen = [each for each in chosen if each != "--set=rating.every=0" or kind == "points"]
    assert (
        main.main(["evolve", "--preset=cowan", f"--out={tmp_path}", f"--name={kind}-1", "--generations=1", *chosen])
        == 0
    )
    rows = Run(tmp_path / f"{kind}-1").read_generation(1)
    values = [float(text) for text in rows.columns["fitness_0"]]
    assert values == sorted(values, reverse=True)
    if kind == "points":
        assert rows.counts is not None
        assert values == rows.counts[:, -1].tolist()


@for_each(
    ("settings", "line"),
    [
        (["fitness.kind=points", 'fitness.weights="0"'], "fitness.weights: expected numbers other than 0, such as"),
        (["fitness.kind=points", "fitness.weights=a,b"], "fitness.weights: expected numbers other than 0, such as"),
        (["fitness.kind=points", "fitness.weights=1,1"], "fitness.weights: points is one number, expected one weight"),
        (["fitness.kind=nearest"], "fitness.kind: expected rank or points or rating, got 'nearest'"),
        (["fitness.weights=1,1"], "fitness.weights: has no effect"),
    ],
)
def test_wrong_values_are_one_line(settings: list[str], line: str) -> None:
    with pytest.raises(ConfigError) as raised:
        toml.load("cowan", settings=settings)
    assert raised.value.lines[0].startswith(line)
    assert len(raised.value.lines) == 1


def test_around_a_mean_fitness_is_the_rank() -> None:
    with pytest.raises(ConfigError, match="needs a selection of parents"):
        toml.load("first", settings=["fitness.kind=points"])
