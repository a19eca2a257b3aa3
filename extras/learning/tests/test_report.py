"""`inspect` of runs in which one network learns: what their method shows, and nothing that only a population has."""

from __future__ import annotations

import json
from pathlib import Path
from typing import ClassVar

import pytest

import main
from evolve.kinds.methods import Method
from evolve.report.curves import draw_curves
from evolve.report.overview import run_overview
from evolve.run.folder import Run
from extras.learning.methods import Zero
from extras.reports.figures import runs as figures
from extras.reports.figures import style
from tests.learnt_run import LARGE, make_learnt_run

LAST = 9
TOPS = [0.3 + 0.03 * generation for generation in range(LAST + 1)]


NUMBERS = {
    "held": [2.0] * (LAST + 1),
    "top1": TOPS,
    "top2": [each + 0.1 for each in TOPS],
    "choice1": [each - 0.1 for each in TOPS],
    "choice2": TOPS,
    "other": [0.125] * (LAST + 1),
    "at_the_end": [None] * LAST + [0.5],
}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    small = "network={name='small',input='squares',layers=[{kind='dense',units=1}]}"
    make_learnt_run(folder, "small", LAST, ["learning={method='shown'}", small], NUMBERS)
    make_learnt_run(folder, "large", LAST, ["learning={method='shown'}", *LARGE], NUMBERS)
    return folder


def inspected(runs: Path, capfd: pytest.CaptureFixture[str], target: str, *options: str) -> str:
    assert main.main(["inspect", target, f"--runs={runs}", *options]) == 0
    return capfd.readouterr().out


@pytest.mark.parametrize("name", ["small", "large"])
def test_the_report_on_a_run_has_its_learning(runs: Path, capfd: pytest.CaptureFixture[str], name: str) -> None:
    out = inspected(runs, capfd, name, "--games=2")
    for outcome in (
        "method    shown: for tests of reports.",
        f"generation {LAST} of {LAST}",
        "720,000",
        "loss, learnt",
        "all moves, top-1",
        "with a choice, top-1",
        "other",
        "90/30/80",
        "95 % interval",
        f"The network of generation {LAST}",
        "200 games: 90 won, 30 drawn, 80 lost",
        "at_the_end",
        f"In generation {LAST}",
        "top-1   top-2",
        "57.0 %  67.0 %",
        "against random",
    ):
        assert outcome in out, outcome
    result = out[: out.index("Configuration, compared with")]
    for unsaid in ("diversity", "survive", "population", "founders", "points", "convergence"):
        assert unsaid not in result, unsaid


def test_numbers_of_games_are_shares(runs: Path) -> None:
    games = run_overview(Run(runs / "small")).curves[-1]
    assert [(line.name, line.values[LAST]) for line in games.lines] == [("won", 45.0), ("drawn", 15.0), ("lost", 40.0)]
    assert games.write_all(LAST) == "won 45.0 %, drawn 15.0 %, lost 40.0 %"


@pytest.mark.parametrize(("name", "member"), [("small", ""), ("large", ""), ("large", ":Gen04_0000")])
def test_the_report_on_a_generation_leaves_out_breeding(
    runs: Path, capfd: pytest.CaptureFixture[str], name: str, member: str
) -> None:
    out = inspected(runs, capfd, f"{name}@4{member}", "--games=0")
    for result in ("learnt, from Gen03_0000", "80,000", "In generation 4", "42.0 %", "rating"):
        assert result in out, result
    for unsaid in ("distinct", "near copies", "founders", "children", "Ancestors", "rank 1 of 1", "points"):
        assert unsaid not in out, unsaid


def test_shares_have_intervals_by_game(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    shares = {"all_top1": 0.5, "all_top3": 0.8, "choice_top1": 0.4, "choice_top3": 0.7, "test_all_top1": 0.45}
    ends = {
        f"{name}_{end}": value + by for name, value in shares.items() for end, by in (("low", -0.1), ("high", 0.15))
    }
    counts = {"positions": 1893, "games": 3}
    rests = {f"{kind}_{name}": value for kind in ("all", "choice", "test_all") for name, value in counts.items()}
    for name, numbers in (("new", shares | ends | rests), ("old", shares)):
        columns = {column: [None, value] for column, value in numbers.items()}
        make_learnt_run(tmp_path, name, 1, ["learning.games=games.pdn"], columns, "policy")
    out = " ".join(inspected(tmp_path, capfd, "new", "--games=0").split())
    for outcome in (
        "predicted all 50.0 % (40.0 to 65.0) in 1,893 positions of 3 games, with a choice 40.0 % (30.0 to 55.0) in",
        "test 45.0 % (35.0 to 60.0) in 1,893 positions of 3 games",
        "In generation 1, with 95 % intervals by game",
        "played move, with a choice 40.0 % (30.0 to 55.0) 70.0 % (60.0 to 85.0)",
    ):
        assert outcome in out, outcome
    assert "all_top1_low" not in out and "all_positions" not in out  # they are part of the curves
    result = json.loads(inspected(tmp_path, capfd, "new", "--games=0", "--json"))["log"][1]
    assert result["all_top1_low"] == 0.4 and result["test_all_games"] == 3
    old = " ".join(inspected(tmp_path, capfd, "old", "--games=0").split())
    assert "predicted all 50.0 %, with a choice 40.0 % " in old and "by game" not in old


def test_json_has_the_columns_of_the_method(runs: Path, capfd: pytest.CaptureFixture[str]) -> None:
    result = json.loads(inspected(runs, capfd, "large", "--games=0", "--json"))
    assert result["learning"]["method"] == "shown" and result["samples"] == 80_000 * LAST
    assert {"survivors", "survivors_diversity", "common_ancestor"}.isdisjoint(result)
    assert result["log"][4]["top1"] == TOPS[4] and result["log"][4]["at_the_end"] is None
    one = json.loads(inspected(runs, capfd, "large@4:Gen04_0000", "--games=0", "--json"))
    assert one["log"]["top1"] == TOPS[4] and len(one["genome"]) == 10_881


@pytest.mark.check
def test_figures_and_page(runs: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "page.html"
    inspected(runs, capfd, "small", "--games=0", f"--html={page}")
    text = page.read_text(encoding="utf-8")
    assert text.count("<figure") == 2  # progress, kernels
    assert "with a choice, top-1" in text
    overview = run_overview(Run(runs / "large"))
    with style.apply_style():
        made = figures.draw_curves(overview)
    titles = [axes.get_title(loc="left") for axes in made.axes if axes.get_visible()]
    assert titles == [
        "a  Rating, 95 % interval", "b  Loss", "c  All moves", "d  With a choice", "e  Other", "f  Games"
    ]  # fmt: skip


def test_a_run_just_begun(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    make_learnt_run(tmp_path, "new", 0, ["learning={method='shown'}", *LARGE], {})
    assert "The network of generation 0" in inspected(
        tmp_path, capfd, "new", "--games=0", f"--html={tmp_path / 'page.html'}"
    )


def test_ungrouped_columns_have_their_own_curves() -> None:
    class Plain(Method):
        columns: ClassVar[tuple[str, ...]] = ("one", "two")

    numbers = {"loss": [float("nan"), 1.0], "one": [1.0, 2.0], "two": [float("nan")] * 2}
    result = draw_curves(Plain.all_curves(), lambda name: numbers.get(name, []))
    assert [(curve.title, curve.moves) for curve in result] == [("loss", False), ("one", True)]


def test_every_number_of_a_run_of_zero_has_a_curve() -> None:
    log = {name: [0.5, 0.4] for name in ("loss", *Zero.columns)} | {"games": [10, 20], "plies": [800, 2000]}
    log |= {"wins": [5, 4], "draws": [2, 8], "losses": [3, 8]}
    result = draw_curves(Zero.all_curves(), lambda name: log.get(name, []))
    lines = {f"{curve.title}, {line.name}": line.values for curve in result for line in curve.lines}
    assert lines["plies a game, plies"] == [80, 100]
    assert [lines[f"games against itself, {name}"] for name in ("Black", "drawn", "White")] == [
        [50, 20], [20, 40], [30, 40],
    ]  # fmt: skip
    assert [curve.title for curve in result] == [
        "loss", "loss of new games", "games against itself", "plies a game", "moves changed by searches", "rate",
        "gate",
    ]  # fmt: skip
