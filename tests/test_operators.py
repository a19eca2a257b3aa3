"""The examples of docs/operators.md, each in a session of its own."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import main
from evolve.kinds import plugins
from evolve.run.folder import Run

PAGE = Path(__file__).parents[1] / "docs" / "operators.md"
EXAMPLES = re.findall(r"^```python\n# (.*?)\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.M | re.S)
NAMES = [re.search(r'(?:kind=|fitness\(|objectives\()"([a-z-]+)"', code)[1] for _, code in EXAMPLES]  # type: ignore[index]
SMALL = ["population.parents=3", "population.recombine=false", "population.mutants=3", "rating.every=0"]
MEAN = ["population.mean=true", "population.mutants=8", "founders.method=bred"]
STAGES = {True: 'stages=[{kind="mirror", best=3}, {kind="round-robin"}]', False: 'stages=[{kind="round-robin"}]'}


@pytest.fixture(autouse=True)
def none_stay_loaded() -> Iterator[None]:
    yield
    plugins.load([])


def play(folder: Path, number: int, name: str, *more: str) -> Run:
    settings, code = EXAMPLES[number]
    own = settings.split(", ") if "=" in settings else []
    mean = any(each.startswith("optimiser.") for each in own)
    usual = [*SMALL, "founders.method=uniform", *(MEAN if mean else []), STAGES[mean]]
    path = folder / "ops.py"
    path.write_text(code)
    given = [f"--set={each}" for each in (*usual, *own)]
    words = [
        "evolve",
        "--preset=cowan",
        f"--out={folder}",
        f"--name={name}",
        "--workers=1",
        "--seed=1",
        f"--plugin={path}",
    ]
    assert main.main([*words, "--generations", "2", *given, *more]) == 0
    return Run(folder / name)


def test_the_page_has_an_example_of_each_family() -> None:
    assert NAMES == ["laplace", "even", "novelty", "ring", "lucky", "annealing", "names"]
    for settings, code in EXAMPLES:
        assert len(code.splitlines()) <= 24, settings


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Callable[[int], Run]:
    """Return a function that returns the uninterrupted session of an example."""
    return functools.cache(lambda number: play(tmp_path_factory.mktemp("whole"), number, "whole"))


@pytest.mark.parametrize("number", range(len(EXAMPLES)), ids=NAMES)
def test_an_example_plays(number: int, whole: Callable[[int], Run]) -> None:
    run = whole(number)
    assert run.manifest().newest == 2
    if NAMES[number] == "names":
        lines = (run.path / "names.txt").read_text().splitlines()
        assert [line.split()[0] for line in lines] == ["0", "1", "2"]
    else:
        assert NAMES[number] in (run.path / "config.toml").read_text()


RESUMED = ("laplace", "novelty", "annealing", "names")
"""A mutation, a fitness, an optimiser and a reporter; the others go on in the check."""


@pytest.mark.parametrize(
    "number",
    [
        pytest.param(number, id=name, marks=() if name in RESUMED else pytest.mark.check)
        for number, name in enumerate(NAMES)
    ],
)
def test_examples_resume_to_the_same_bytes(number: int, whole: Callable[[int], Run], tmp_path: Path) -> None:
    parts = play(tmp_path, number, "parts", "--generations", "1")
    words = ["evolve", "--resume", str(parts.path), "--generations", "2", "--workers", "2"]
    assert main.main([*words, "--plugin", str(parts.path / "plugins" / "ops.py")]) == 0
    assert parts.manifest().digest() == whole(number).manifest().digest()
