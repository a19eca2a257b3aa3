"""Sweeps, groups of many runs, and `inspect` of several: means beside a twin by hand, reports, every mistake."""

from __future__ import annotations

import json
import math
from functools import partial
from pathlib import Path

import hypothesis
import numpy as np
import pandas as pd
import pytest
from hypothesis import strategies as st

import main
from evolve.config import toml
from evolve.report.overview import RunOverview
from evolve.run import status
from evolve.run.files import RunError
from evolve.run.folder import Run
from evolve.run.log import History
from evolve.run.manifest import Manifest
from evolve.strength import elo, means
from evolve.strength.means import mean
from extras.export.tests.exported import in_chromium
from extras.origin import comparison
from extras.reports.tests.html_tags import Tags
from extras.sweeps import results, sweep
from extras.sweeps.many_runs import Group, group_runs
from extras.sweeps.results import LEVEL, corrected, holm
from extras.sweeps.sweep import Sweep, SweepMember
from game.errors import InputError
from tests.called import Call, call_program, evolve_cowan
from tests.synthetic import make_run

ANCHORS = "rating.anchors=random; material,depth=1"
TINY = ["population.parents=3", "population.mutants=1", "rating.games=20", ANCHORS, "rating.every=1"]
STAGES = 'stages=[{kind="round-robin"}]'


def evolve(runs: Path, *options: str) -> int:
    new = [] if "--resume" in options else [f"--set={each}" for each in (*TINY, "founders.method=uniform", STAGES)]
    return main.main(evolve_cowan("--out", str(runs), "--workers", "1", *new, *options))


def test_a_sweep_is_a_folder_of_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--seeds", "1-3", "--sweep", "variation.high=0.1,0.5", "--generations", "2", "--name", "mine"]
    assert evolve(tmp_path, *words) == 0
    output = capsys.readouterr()
    names = [f"high={value}_s{seed}" for value in ("0.1", "0.5") for seed in (1, 2, 3)]
    assert sorted(path.name for path in (tmp_path / "mine").iterdir() if path.is_dir()) == names
    assert "run 6 of 6, high=0.5_s3: generation 2, rating " in output.err
    lines = output.out.splitlines()
    assert lines[0] == f"sweep        {tmp_path / 'mine'}, 6 runs, generations 0 to 2"
    assert [line.split()[:2] for line in lines[3:5]] == [["high=0.1", "3"], ["high=0.5", "3"]]
    assert ", p = " in lines[4]
    # Each is the run that its values and seed make, to the byte.
    alone = ["--seed", "2", "--set", "variation.high=0.5", "--generations", "2", "--name", "alone"]
    assert evolve(tmp_path, *alone) == 0
    one = Run(tmp_path / "mine" / "high=0.5_s2")
    assert one.manifest().digest() == Run(tmp_path / "alone").manifest().digest()
    # The summary by hand.
    ratings = {name: Run(tmp_path / "mine" / name).log()["rating"].iloc[-1] for name in names}
    differences = [ratings[f"high=0.5_s{seed}"] - ratings[f"high=0.1_s{seed}"] for seed in (1, 2, 3)]
    result = sweep.find(tmp_path, "mine")
    assert result is not None
    first, second = results.results(result).settings
    assert first.beside is None and second.beside is not None and first.rating is not None
    assert second.beside.value == means.mean(differences).value
    assert first.rating.value == means.mean([ratings[f"high=0.1_s{seed}"] for seed in (1, 2, 3)]).value
    # As JSON, and again: nothing is left to play.
    capsys.readouterr()
    assert evolve(tmp_path, "--resume", "mine", "--json") == 0
    values = json.loads(capsys.readouterr().out)
    assert [one["name"] for one in values["runs"]] == names
    assert values["settings"][1]["beside"]["seeds"] == 3
    # A player by its path below the folder of runs.
    assert main.main(["match", "mine/high=0.5_s2", "random", "--games", "2", "--runs", str(tmp_path)]) == 0


def test_sweep_resumes_incomplete_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert evolve(tmp_path, "--seeds", "1,2", "--generations", "2", "--name", "whole") == 0
    from evolve.session.evolution import Evolution

    made, make = [0], Evolution.make

    def failing(self: Evolution, generation: int) -> object:
        made[0] += 1
        if made[0] == 5:
            raise OSError(28, "No space left on device")
        return make(self, generation)

    monkeypatch.setattr(Evolution, "make", failing)
    assert evolve(tmp_path, "--seeds", "1,2", "--generations", "2", "--name", "parts") == main.DISK
    assert evolve(tmp_path, "--resume", "parts") == 0
    for name in ("s1", "s2"):
        one, other = (Run(tmp_path / each / name).manifest() for each in ("whole", "parts"))
        assert one.digest() == other.digest()
        assert other.newest == 2
    assert evolve(tmp_path, "--resume", "parts", "--generations", "3") == 0
    assert Run(tmp_path / "parts" / "s2").manifest().newest == 3


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (["--seeds", "1-x"], "--seeds: expected numbers such as 1-8 or 1,2,5, got '1-x'"),
        (["--seeds", "1,1"], "--seeds: 1 comes twice"),
        (["--seeds", "1-3", "--seed", "1"], "--seed: not together with --seeds"),
        (["--sweep", "variation.high"], "--sweep variation.high: expected key=value,value"),
        (["--sweep", "variation.high=1,1"], "--sweep variation.high=1,1: a value comes twice"),
        (["--sweep", "variation.hihg=1,2"], "variation.hihg: unknown key, did you mean variation.high?"),
        (["--sweep", "variation.high=1,2", "--sweep", "variation.high=3"], "--sweep: variation.high comes twice"),
        (["--sweep", "generations=1,2"], "--sweep generations: runs cannot be compared by this key"),
        (["--sweep", "variation.high=1,1.0"], "--sweep: high=1 and high=1.0 are the same configuration"),
        (["--seeds", "1,2", "--name", "a/b"], "run name 'a/b'"),
        (["--seeds", "1,2", "--branch", "x"], "--seeds: not together with --branch"),
        (["--seeds", "1-2", "--minutes", "1"], "--minutes: not with a sweep, whose runs"),
        (["--seeds", "1-4", "--estimate"], "--seeds: not together with --estimate, which is about a single run"),
    ],
)
def test_wrong_sweeps_are_refused_and_leave_no_files(
    tmp_path: Path, options: list[str], text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert evolve(tmp_path, *options) == main.MISTAKE
    assert text in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == []


def test_resuming_refuses_other_values(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert evolve(tmp_path, "--seeds", "1,2", "--generations", "1", "--name", "mine") == 0
    for options, result in (
        (["--set", "seed=3"], "mine: the runs of a sweep keep their values"),
        (["--seed", "3"], "--seed: not with a sweep"),
        (["--from", "0"], "--from: not with a sweep"),
        (["--generations", "0"], "mine: already has generation 1"),
    ):
        capsys.readouterr()
        assert evolve(tmp_path, "--resume", "mine", *options) == main.MISTAKE
        assert result in capsys.readouterr().err
    for seeds in (["--seeds", "1,2"], []):  # another sweep, and a run
        assert evolve(tmp_path, *seeds, "--name", "mine") == main.MISTAKE
        assert "mine: this sweep already exists; continue it with evolve --resume mine" in capsys.readouterr().err
    (tmp_path / "mine" / sweep.SWEEP).write_text('verb = "evolve"\ngenerations = 2\n[[runs]]\nname = "../x"\n')
    assert evolve(tmp_path, "--resume", "mine") == main.MISTAKE
    assert "sweep.toml: damaged" in capsys.readouterr().err


def made(path: Path, ratings: dict[str, list[list[float | None]]]) -> Sweep:
    """A sweep whose runs have these ratings: by setting, by seed, by generation."""
    members, last = [], max(len(each) for of_seeds in ratings.values() for each in of_seeds) - 1
    for setting, of_seeds in ratings.items():
        for seed, values in enumerate(of_seeds):
            make_run(path, f"{setting}_s{seed}", len(values) - 1, seed=seed)
            rows = pd.read_csv(path / f"{setting}_s{seed}" / "log.csv")
            rows["rating"] = values
            rows["rating_low"], rows["rating_high"] = rows["rating"] - ENDS, rows["rating"] + ENDS
            rows.to_csv(path / f"{setting}_s{seed}" / "log.csv", index=False)
            now = status.now(status.State.DONE, 1, len(values) - 1, last, 0)
            status.write(path / f"{setting}_s{seed}", now)
            members.append(SweepMember(setting, seed, f"{setting}_s{seed}"))
    result = Sweep(path, "evolve", tuple(members), last)
    sweep.write(result)
    return result


ENDS = 40.0
STARTS = (100.0, 120.0, 110.0, 60.0, 95.0)


def test_settings_are_compared_in_the_same_generation(tmp_path: Path) -> None:
    """The first has fewer generations than the others, the second more than the third, one of which is not rated."""
    ratings: dict[str, list[list[float | None]]] = {
        "a": [[0.0, -500.0] for _ in STARTS],
        "b": [[0.0, 7.0, one, 4000.0] for one in STARTS],
        "c": [[0.0, 7.0, one + 10 * at, None] for at, one in enumerate(STARTS)],
    }
    result = made(tmp_path / "swept", ratings)
    compared = results.results(result)
    assert (compared.generation, compared.reference) == (1, "a")
    ratings["a"] = [[None] for _ in STARTS]
    compared = results.results(made(tmp_path / "unrated", ratings))
    assert (compared.generation, compared.reference, compared.comparisons) == (2, "b", 1)
    first, second, third = compared.settings
    assert (first.rating, first.beside) == (None, None) and second.rating is not None and third.beside is not None
    assert second.rating.value == pytest.approx(97.0)
    assert third.beside.value == pytest.approx(20.0)
    assert results.results(made(tmp_path / "none", {"a": [[None]], "b": [[1.0]]})).settings[1].beside is None


def test_p_values_are_corrected_and_equal_differences_are_not_significant(tmp_path: Path) -> None:
    ratings: dict[str, list[list[float | None]]] = {
        "a": [[0.0], [10.0]],
        "b": [[57.3], [67.3]],  # the same difference with both seeds
        "c": [[30.0], [40.0]],
    }
    result = made(tmp_path / "swept", ratings)
    _, second, third = (one.beside for one in results.results(result).settings)
    assert second is not None and third is not None
    error = math.sqrt(2) * ENDS / math.sqrt(elo.THRESHOLD)
    alone = means.mean([57.3, 57.3], [error, error])
    assert second.low == pytest.approx(results.corrected(alone, 2 * alone.probability).low)
    assert second.low < alone.low
    assert 0.1 < alone.probability < 0.5
    assert second.probability == pytest.approx(2 * alone.probability)
    text = results.report(result, True)
    assert "corrected for 2 comparisons (Holm)" in text
    values = results.as_json(result)
    assert set(values["settings"][1]["rating"]) == {"value", "low", "high", "seeds"}
    assert values["settings"][1]["beside"]["p"] == second.probability
    assert values["comparisons"] == 2 and values["generation"] == 0


def test_a_sweep_without_runs_is_damaged(tmp_path: Path) -> None:
    result = made(tmp_path / "swept", {"a": [[0.0]], "b": [[1.0]]})
    (result.path / sweep.SWEEP).write_text('verb = "evolve"\ngenerations = 2\nruns = []\n')
    with pytest.raises(RunError, match=r"damaged, .* at least one run"):
        sweep.read(result.path)


def test_settings_of_an_earlier_search_are_reported_but_not_continued(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = made(tmp_path / "tuned", {"a": [[0.0]], "b": [[1.0]]}).path / sweep.SWEEP
    path.write_text(path.read_text().replace("[[runs]]", '[search]\nspace = ["points.win=1,3"]\n\n[[runs]]', 1))
    assert main.main(["inspect", "tuned", "--runs", str(tmp_path)]) == 0
    assert evolve(tmp_path, "--resume", "tuned") == main.MISTAKE
    assert "tuned: its settings were searched by an earlier version" in capsys.readouterr().err


def test_combinations_are_named_by_their_differences() -> None:
    result = sweep.combinations(["variation.step=1,2", "founders.step=3"], [7])
    assert [member.name for member, _ in result] == [
        "variation.step=1_founders.step=3_s7",
        "variation.step=2_founders.step=3_s7",
    ]
    assert result[1][1] == ["variation.step=2", "founders.step=3"]
    with pytest.raises(InputError, match="more than 1000 runs"):
        sweep.combinations(["a.b=" + ",".join(map(str, range(600)))], [1, 2])
    assert math.isnan(means.mean([1.0]).probability)


def test_settings_need_ratings_to_be_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--preset=cowan", f"--out={tmp_path}", "--set=rating.every=0", "--sweep=variation.high=0.1,0.2"]
    assert main.main(["evolve", *words]) == main.MISTAKE
    assert "settings are compared by their ratings; expected rating.every above 0" in capsys.readouterr().err


NAN = math.nan


def logged(name: str, *settings: str, **columns: list[float]) -> RunOverview:
    """A run that is nowhere on disk."""
    length = max(map(len, columns.values()), default=1)
    numbers = {"generation": np.arange(length, dtype=np.float64)} | {key: np.array(one) for key, one in columns.items()}
    config = toml.load(settings=settings)
    return RunOverview(Run(Path(name)), config, {}, Manifest(), History(("x",) * length, numbers), name)


def test_runs_that_differ_only_in_their_seed_are_one_group() -> None:
    runs = [
        logged("a", "seed=1", diversity=[1.0]),
        logged("b", "seed=2", "variation.high=0.2", diversity=[1.0]),
        logged("c", "seed=2", "generations=30", "workers.chunk=7", diversity=[1.0]),  # what decides no result
        logged("d", "seed=3", "variation.high=0.2", diversity=[1.0]),
    ]
    result = group_runs(runs)
    assert [(group.name, [run.name for run in group.runs]) for group in result.groups] == [
        ("high=0.1", ["a", "c"]),
        ("high=0.2", ["b", "d"]),
    ]
    assert result.differences == {"variation.high": [0.1, 0.2]}
    alone = group_runs([runs[0], runs[1]])
    assert [group.name for group in alone.groups] == ["a", "b"]
    assert [group.name for group in group_runs(runs[::2]).groups] == ["cowan"]


def test_defaults_that_another_value_puts_in_force_are_no_difference() -> None:
    runs = [logged("a", "search.depth=1"), logged("b", "search.depth=3"), logged("c", "seed=2", "search.depth=3")]
    assert group_runs(runs).differences == {"search.depth": [1, 3]}
    assert [group.name for group in group_runs(runs).groups] == ["a", "depth=3"]
    runs[0] = logged("d", "search.depth=5", "search.table_bits=12")
    runs.append(logged("e", "search.depth=1"))
    result = group_runs(runs).differences
    assert result == {"search.depth": [5, 3, 1], "search.table_bits": [12, 14, None]}
    one, other = (toml.load(settings=[f"search.depth={depth}"]) for depth in (1, 3))
    assert [each.name for each in comparison.configurations(one, other)] == ["search.depth"]


def test_an_interval_of_a_non_negative_value_ends_at_0() -> None:
    group = Group("x", tuple(logged(f"r{number}", diversity=[number], rating=[number]) for number in (0.0, 0.1, 9.0)))
    for column, low in (("diversity", 0.0), ("rating", means.mean([0.0, 0.1, 9.0]).low)):
        newest = group.newest(column)
        assert newest is not None and newest == group.curve(column)[0]
        assert newest.low == pytest.approx(low) and low <= 0


def test_the_interval_of_a_rating_is_not_narrower_than_its_games_leave_it() -> None:
    runs = tuple(logged(f"r{n}", rating=[57.3], rating_low=[-42.7], rating_high=[157.3]) for n in range(3))
    half = means.quantile(2) * 100 / math.sqrt(3.841458820694124) / math.sqrt(3)
    assert Group("x", runs).curve("rating")[0].high - 57.3 == pytest.approx(half)


def test_branches_are_grouped_by_where_they_come_from() -> None:
    made = [logged(f"b{seed}", f"seed={seed}", diversity=[1.0]) for seed in (1, 2, 3)]
    made[0].made_with.update(branched_from="mine@3", branched_digest="aa")
    made[1].made_with.update(branched_from="mine@3", branched_digest="aa")
    assert [len(group.runs) for group in group_runs(made).groups] == [2, 1]


def test_a_seed_counts_once() -> None:
    short, long = (logged(name, "seed=1", diversity=[1.0] * length) for name, length in (("short", 2), ("long", 3)))
    for order in ([short, long], [long, short]):
        result = group_runs(order)
        assert [run.name for run in result.runs] == ["long"]
        assert result.repeated == ("short",)


def test_a_curve_has_the_means_of_generations_that_all_runs_know() -> None:
    rows = [[1.0, 2.0, NAN, 4.0, 7.0], [2.0, 2.5, 3.0, 3.0], [4.0, NAN, 5.0, 8.0]]
    group = Group("x", tuple(logged(f"r{seed}", f"seed={seed}", rating=row) for seed, row in enumerate(rows)))
    assert group.curve("rating") == {at: means.mean([row[at] for row in rows]) for at in (0, 3)}
    assert group.newest("rating") == means.mean([7.0, 3.0, 8.0])
    assert group.curve("none") == {} and group.newest("none") is None


def test_a_single_run_has_the_interval_of_its_games() -> None:
    one = logged("a", "seed=1", rating=[1.0, 5.0, NAN], rating_low=[0.0, 4.0, NAN], rating_high=[2.0, 7.0, NAN])
    alone = Group("x", (one,)).newest("rating")
    assert alone is not None and (alone.value, alone.low, alone.high) == (5.0, 4.0, 7.0)
    unsure = Group("x", (logged("b", "seed=2", rating=[3.0, 1.0]),)).newest("rating")
    assert unsure is not None and math.isinf(unsure.low)


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str], runs: Path) -> Call:
    return partial(call_program, capfd, "inspect", f"--runs={runs}")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("many")
    for seed in (1, 2, 3):
        make_run(folder, f"s{seed}", 3 + seed, seed=seed, rated=seed < 3)
    make_run(folder, "king", 2, network="blondie-1741")
    make_run(folder, "empty", -1)
    return folder


def test_many_runs_are_compared_by_their_settings(call: Call, runs: Path) -> None:
    names = ["s1", "king", "s2", "s3"]
    output = call(*names)
    assert (output.code, output.err) == (0, "")
    lines = [line.split() for line in output.out.splitlines()]
    setting = next(line for line in lines if line[:1] == ["network=cnn-247"])
    assert setting[1:5] == ["3", "4", "to", "6"]
    digest = Run(runs / "s2").manifest().digest()
    assert any(line[:3] == [names[2], "2", "5"] and line[-1] == digest[:16] for line in lines)
    differing = output.out[output.out.index("What differs in configuration") :].splitlines()[1:]
    headings, *rows = [line.split() for line in differing if line.split()]
    assert headings == ["network=cnn-247", "king"]
    assert rows == [["network", "cnn-247", "blondie-1741"]]  # and not what follows from it
    values = json.loads(call(*names, "--json", "--column=diversity", "--column=seconds").out)
    first, second = values["settings"]
    assert [run["seed"] for run in first["runs"]] == [1, 2, 3]
    assert [run["name"] for run in second["runs"]] == [names[1]] == [second["setting"]]
    assert first["columns"]["diversity"]["generations"] == [0, 1, 2, 3, 4]
    assert values["columns"] == ["diversity", "seconds"]


def test_a_sweep_by_its_name(call: Call, runs: Path) -> None:
    members = []
    for seed, generations in ((1, 2), (2, 2), (3, -1)):
        make_run(runs / "swept", f"s{seed}", generations, seed=seed)
        members.append(f'[[runs]]\nname = "s{seed}"\nsetting = ""\nseed = {seed}\n')
    (runs / "swept" / "sweep.toml").write_text('verb = "evolve"\ngenerations = 2\n' + "".join(members))
    values = json.loads(call("swept", "--json").out)
    assert [run["name"] for run in values["settings"][0]["runs"]] == ["s1", "s2"]
    assert values["unbegun"] == ["s3"]
    values = json.loads(call("swept", "s2", "--json").out)
    assert [run["name"] for run in values["settings"][0]["runs"]] == ["swept/s1", "s2"]  # the longer one of seed 2
    assert values["repeated"] == ["swept/s2"]
    assert "swept/s1: named twice" in call("swept", "swept/s1").err


def test_settings_of_a_sweep_are_named_as_in_its_own_report(call: Call, tmp_path: Path) -> None:
    """With the keys in the order in which they were given, which is not that of configurations."""
    members = []
    settings = ("network=cnn-247 generations=1", "network=blondie-1741 generations=1")
    for setting, network in zip(settings, ("cnn-247", "blondie-1741"), strict=True):
        for seed in (1, 2):
            make_run(tmp_path / "swept", f"{network}_s{seed}", 1, seed=seed, network=network)
            members.append(f'[[runs]]\nname = "{network}_s{seed}"\nsetting = "{setting}"\nseed = {seed}\n')
    (tmp_path / "swept" / "sweep.toml").write_text('verb = "evolve"\ngenerations = 2\n' + "".join(members))
    values = json.loads(call(str(tmp_path / "swept"), "--json").out)
    assert [group["setting"] for group in values["settings"]] == list(settings)
    # A setting of that name in another sweep is another setting: what differs tells them apart.
    for seed in (1, 2):
        make_run(tmp_path / "other", f"anaconda_s{seed}", 1, seed=seed, network="anaconda-5046")
    text = "".join(f'[[runs]]\nname = "anaconda_s{s}"\nsetting = "{settings[0]}"\nseed = {s}\n' for s in (1, 2))
    (tmp_path / "other" / "sweep.toml").write_text('verb = "evolve"\ngenerations = 2\n' + text)
    values = json.loads(call(str(tmp_path / "swept"), str(tmp_path / "other"), "--json").out)
    names = [group["setting"] for group in values["settings"]]
    assert len(set(names)) == 3 and "network=anaconda-5046" in names[2]


@pytest.mark.parametrize("columns", [("diversity",), pytest.param((), marks=pytest.mark.check)])
def test_figures_of_many_runs(call: Call, runs: Path, tmp_path: Path, columns: tuple[str, ...]) -> None:
    names = ["s1", "king", "s2", "s3"]
    options = [f"--column={column}" for column in columns]
    output = call(*names, *options, f"--plots={tmp_path / 'plots'}", f"--html={tmp_path / 'page.html'}")
    assert (output.code, output.err) == (0, "")
    assert {path.stem for path in (tmp_path / "plots").iterdir()} == set(columns or ("rating", "diversity"))
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    Tags().feed(page)
    data = json.loads(page.split('id="runs">')[1].split("</script>")[0])
    assert [chart["title"].lower() for chart in data] == list(columns or ("rating", "diversity"))
    curve, other = data[-1]["curves"]
    assert (curve["name"], other["name"]) == ("network=cnn-247 (3 seeds)", "king")
    low, value, high, text = (curve[name][0] for name in ("low", "values", "high", "texts"))
    assert low <= value <= high and float(text) == pytest.approx(value, 1e-3) and "low" not in other


@pytest.mark.check
def test_curves_of_many_runs_in_the_browser(call: Call, runs: Path, tmp_path: Path) -> None:
    assert call("s1", "king", f"--html={tmp_path / 'page.html'}").code == 0
    pointer = "document.querySelector('svg').dispatchEvent(new PointerEvent('pointermove'))"
    names = "[...document.querySelectorAll('.legend')].map((legend) => legend.textContent)"
    width = {"run": "document.documentElement.scrollWidth"}
    steps = {"size": [390, 844]}, {"run": f"{pointer}; document.querySelector('.said').textContent"}, {"run": names}
    shown = in_chromium(tmp_path / "page.html", *steps, width)
    (said, legends, wide), errors = shown["results"], shown["errors"]
    assert said.startswith("Generation 0: s1 ")
    assert (legends, wide, errors) == (["s1", "s1king"], 390, []), "the other run is not rated"


MISTAKES = {
    "s1 --column rating": "--column: only for several runs, or a sweep",
    "s1 s2 --column ratng": "--column: ratng: no log of these runs has a column of this name; near: rating",
    "s1 s2 s1": "s1: named twice",
    "s1 s2 --earlier 1": "--earlier: not with several runs, since only their configurations and logs are read",
    "s1 s2o": "s2o: no run of this name under {runs}, no run folder, and no CSV file there; near: s2",
    "s1 s2@3": "s2@3: only whole runs and sweeps can be compared",
    "s1 empty": "empty: no generation is complete yet",
}


@pytest.mark.parametrize("arguments", MISTAKES)
def test_a_mistake_is_one_line(call: Call, runs: Path, arguments: str) -> None:
    output = call(*arguments.split())
    assert (output.code, output.out, output.err.count("\n")) == (2, "", 1)
    assert MISTAKES[arguments].format(runs=runs) in output.err


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.5, 0.4]) == [0.8, 0.8]
    result = holm([0.02, math.nan])
    assert result[0] == 0.04 and math.isnan(result[1])
    assert holm([]) == []


NUMBERS = st.lists(st.floats(-300, 300, width=16), min_size=2, max_size=6)


@hypothesis.settings(max_examples=100)
@hypothesis.given(st.lists(NUMBERS, min_size=1, max_size=6))
def test_corrected_intervals_exclude_0_exactly_if_p_is_small(samples: list[list[float]]) -> None:
    matches = [mean(sample, [7.0] * len(sample)) for sample in samples]
    for one, probability in zip(matches, holm([each.probability for each in matches]), strict=True):
        both = corrected(one, probability)
        assert (both.low > 0 or both.high < 0) == (both.probability < LEVEL)
        assert both.low <= one.low < one.value < one.high <= both.high and both.value == one.value
