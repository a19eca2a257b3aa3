"""One scale of ratings wherever a person reads: 1500 above the one of files, JSON and `Run.log`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

import main
from evolve.config import anchors
from evolve.config.anchors import RATING_COLUMNS, SCALE, shown_text
from evolve.run.folder import Run
from evolve.run.runs import SHIPPED_RUNS
from tests.called import call_program
from tests.cases import for_each

ROOT = Path(__file__).parents[1]
FIRST = Run(SHIPPED_RUNS / "first")

Show = Callable[..., str]


@pytest.fixture
def show(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Show:
    """Run a command, and return what it prints, with a space for each sequence of them."""
    monkeypatch.setenv("COLUMNS", "200")

    def shown(*arguments: str) -> str:
        called = call_program(capfd, *arguments)
        assert called.code == 0, called.err
        return called.out if "--json" in arguments else " ".join(called.out.split())

    return shown


def rated(run: Run) -> list[tuple[int, float, float, float]]:
    """Return generation, rating and interval of the rated champions of a run."""
    table = run.log()[["rating", "rating_low", "rating_high"]].dropna()
    return [(int(generation), *map(float, row)) for generation, row in zip(table.index, table.to_numpy(), strict=True)]


def interval(value: float, low: float, high: float) -> str:
    return f"{shown_text(value)} {shown_text(low)} to {shown_text(high)}"


@pytest.mark.parametrize(
    "name",
    [
        *("first", "cast", pytest.param("zero", marks=pytest.mark.needs("learning"))),
        *(pytest.param(name, marks=pytest.mark.check) for name in ("crownhead-1", "q-learning")),
    ],
)
def test_reports_on_runs_show_ratings_on_the_scale(name: str, show: Show) -> None:
    plain = json.loads(show("inspect", name, "--games", "0", "--json"))
    text = show("inspect", name, "--games", "0")
    values = {generation: row for generation, *row in rated(Run(SHIPPED_RUNS / name))}
    assert plain["scale"] == SCALE
    assert all(plain["log"][generation]["rating"] == row[0] for generation, row in values.items())
    # A long run leaves out some of its rated generations, but not the newest of them.
    assert sum(f"{generation} " in text and interval(*row) in text for generation, row in values.items()) > 4
    value = values[max(values)][0]
    assert shown_text(value) in text and f" {value:.0f} " not in text


@pytest.mark.needs("sweeps", "learning")
def test_comparisons_of_many_runs_show_ratings_on_the_scale(show: Show) -> None:
    columns = [word for column in RATING_COLUMNS for word in ("--column", column)]
    plain = json.loads(show("inspect", "first", "crownhead-1", "q-learning", *columns, "--json"))
    text = show("inspect", "first", "crownhead-1", "q-learning", *columns)
    assert plain["scale"] == SCALE
    for setting, run in zip(plain["settings"], ("first", "crownhead-1", "q-learning"), strict=True):
        newest = rated(Run(SHIPPED_RUNS / run))[-1][1:]
        assert [setting["columns"][column]["newest"]["value"] for column in RATING_COLUMNS] == list(newest)
        assert all(f" {shown_text(value)} " in text for value in newest)


@pytest.mark.needs("sweeps")
def test_sessions_and_sweeps_show_ratings_on_the_scale(
    tmp_path: Path, show: Show, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    tiny = ["population.parents=3", "population.mutants=1", "founders.method=uniform", "rating.every=1"]
    tiny += ["rating.games=20", "rating.anchors=random; material,depth=1", 'stages=[{kind="round-robin"}]']
    new = ["evolve", "--preset=cowan", "--out=.", "--workers=1", "--generations=1", *(f"--set={each}" for each in tiny)]
    capfd.readouterr()
    assert main.main([*new, "--seed=1", "--name=one"]) == 0
    out, err = map(" ".join, (text.split() for text in capfd.readouterr()))
    one = Run(tmp_path / "one")
    for _, value, low, high in rated(one):
        assert f"rating {shown_text(value)} ({shown_text(low)} to {shown_text(high)})" in err
    assert f"rating {shown_text(value)} ({shown_text(low)} to {shown_text(high)})" in out
    assert f"rating {shown_text(value)} in generation 1" in repr(one)
    assert one.log().attrs["scale"] == SCALE

    assert main.main([*new, "--seeds=1-2", "--sweep=variation.high=0.1,0.5", "--name=two"]) == 0
    out, err = map(" ".join, (text.split() for text in capfd.readouterr()))
    plain = json.loads(show("evolve", "--resume", "two", "--out=.", "--json"))
    assert plain["scale"] == SCALE
    for run in plain["runs"]:
        assert run["rating"] == rated(Run(tmp_path / "two" / run["name"]))[-1][1]
        assert f"{run['name']}: generation 1, rating {shown_text(run['rating'])}" in err
    for setting in plain["settings"]:
        value, low, high = (setting["rating"][name] for name in ("value", "low", "high"))
        assert f" {shown_text(value)} ({shown_text(low)} to {shown_text(high)}) " in out

    text = show("inspect", "one", "two/high=0.5_s2", "--runs=.")
    for name, run in (("one", one), ("two/high=0.5_s2", Run(tmp_path / "two" / "high=0.5_s2"))):
        value = rated(run)[-1][1]
        assert f" {name} {run.config().seed} 1 {shown_text(value, brief=True)} " in text


@pytest.mark.parametrize(
    "options",
    [
        ("--anchors=random; material,depth=8,quiescence=yes", "--fixed"),
        pytest.param(("--anchors=chain",), marks=pytest.mark.check),
    ],
)
@pytest.mark.needs("ladder")
def test_ladders_show_ratings_on_the_scale(options: tuple[str, ...], show: Show) -> None:
    words = ["ladder", "material,depth=3", *options, "--games=2", "--seed=1", "--workers=1"]
    plain, text = json.loads(show(*words, "--json")), show(*words)
    assert plain["scale"] == SCALE and f"{anchors.ZERO} has 1500;" in text and " +" not in text.partition("has 1500")[0]
    for row in plain["players"]:
        if row["rating"] is not None and row["player"] != anchors.ZERO:
            assert f" {row['player']} {shown_text(row['rating'])} " in text
    assert f" {anchors.ZERO} 1500 " in text


@pytest.mark.needs("reports")
def test_pages_and_figures_of_runs_show_ratings_on_the_scale(tmp_path: Path) -> None:
    from evolve.report.overview import run_overview
    from extras.reports import moving

    part = moving.moving_part(run_overview(FIRST))
    data = json.loads(re.findall(r'<script type="application/json" id="run">(.*?)</script>', part, re.S)[0])
    curve = data["curves"][0]
    for generation, value, low, high in rated(FIRST):
        shown = f"{shown_text(value)} ({shown_text(low)} to {shown_text(high)})"
        assert curve["texts"][generation] == shown
        ends = [curve[name][generation] for name in ("values", "low", "high")]
        assert ends == pytest.approx([value + 1500, low + 1500, high + 1500], abs=0.01)


PAGES = sorted(
    [
        *(ROOT / "docs").glob("*.md"),
        *(ROOT / "docs/log").glob("*.md"),
        *ROOT.glob("extras/*/*.md"),
        ROOT / "README.md",
        ROOT / "CHANGELOG.md",
    ]
)


def signed_ratings(text: str) -> list[str]:
    """Return the cells of columns of ratings, and statements in sentences, that have the sign of a difference."""
    message = re.findall(
        r"\b(?:rated|ratings? (?:of|is|are|was|were)) (?:some )?\**[+-]\d[^.;]*", " ".join(text.split())
    )
    columns: list[int] = []
    for line in text.splitlines():
        cells = line.split("|")[1:-1]
        if not cells:
            columns = []
        elif "|---" in line.replace(":", "-").replace(" ", ""):
            continue
        elif not columns:
            columns = [at for at, cell in enumerate(cells) if re.match(r" rating\b", cell)] or [-1]
        else:
            message += [cells[at] for at in columns if at >= 0 and re.match(r" \**[+-]\d", cells[at])]
    return message


@for_each("page", PAGES)
def test_pages_give_ratings_on_the_scale_of_people(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert signed_ratings(text) == []
    if page.name != "ratings.md":
        assert not re.search(r"1,?500 (?:lower|higher|less|more|above|below)", text) or page.name in (
            "faq.md",
            "architecture.md",
        )


def test_the_page_about_ratings_explains_both_scales_once() -> None:
    text = (ROOT / "docs" / "ratings.md").read_text(encoding="utf-8")
    assert text.count(f'"scale": "{SCALE}"') == 1 and text.count("1500 lower") == 1
