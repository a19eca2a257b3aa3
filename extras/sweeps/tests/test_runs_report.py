"""The verb `inspect` with several runs and sweeps: what it says, and every mistake."""

from __future__ import annotations

import json
import math
from functools import partial
from pathlib import Path

import hypothesis
import pytest
from hypothesis import strategies as st

from evolve.run.folder import Run
from evolve.strength.means import mean
from extras.export.tests.exported import in_chromium
from extras.reports.tests.html_tags import Tags
from extras.sweeps.results import LEVEL, corrected, holm
from tests.called import Call, call_program
from tests.synthetic import make_run


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
