"""The options ``--html`` and ``--plots`` of the verb `inspect`: what they write of each target, and mistakes."""

from __future__ import annotations

import json
import re
import sys
from functools import partial
from pathlib import Path

import pytest

from evolve.inspection.contents import Contents, ReportTable, Section
from evolve.run.folder import Run
from extras.reports.output import page
from extras.reports.tests.html_tags import Tags
from tests.called import Call, call_program
from tests.runs import bare
from tests.synthetic import make_run

LAST = 12


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    make_run(folder, "one", LAST, rated=True)
    make_run(folder, "two", 4, seed=2)
    make_run(folder, "kings", 1, network="blondie-1741")
    return folder


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str], runs: Path) -> Call:
    return partial(call_program, capfd, "inspect", f"--runs={runs}")


@pytest.mark.check
def test_plots_and_page(call: Call, tmp_path: Path) -> None:
    output = call("two", "--games=2", f"--plots={tmp_path / 'a' / 'b'}", f"--html={tmp_path / 'page.html'}")
    assert (output.code, output.err) == (0, "")
    names = ["progress", "diversity", "kernels"]
    files = [f"{name}.{kind}" for name in names for kind in ("pdf", "png")]
    assert sorted(path.name for path in (tmp_path / "a" / "b").iterdir()) == sorted(files)
    for name in files:
        start = (tmp_path / "a" / "b" / name).read_bytes()[:8]
        assert start.startswith(b"%PDF-" if name.endswith("pdf") else b"\x89PNG\r\n\x1a\n")
        assert f"{name}\n" in output.out
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    tags = Tags()
    tags.feed(page)
    assert tags.open == []
    assert len(tags.sources) == len(names)
    assert all(source.startswith("data:image/svg+xml;base64,") for source in tags.sources)
    assert not re.search(r'url\((?!\\?"?data:|%23)|@import', page)
    assert str(tmp_path.parent) not in page
    text = "".join(tags.text)
    places = [text.index(each) for each in ("two stopped, generation 4 of 4", "Warnings", "digest")]
    assert places == sorted(places)  # the curve and the champion come first, and facts last
    written = json.loads(call("two", "--games=0", f"--html={tmp_path / 'page.html'}", "--json").out)["written"]
    assert written == [str(tmp_path / "page.html")]


@pytest.mark.parametrize("target", ["one@0", "file", "one@3", "kings@1:{name}"])
@pytest.mark.check
def test_figures_of_other_targets(call: Call, runs: Path, tmp_path: Path, target: str) -> None:
    if target == "file":
        target = str(bare(tmp_path / "x.csv", ["<b>A&B</b>", "Ben", "Cleo"]))
    elif "{name}" in target:
        target = target.format(name=Run(runs / "kings").read_generation(1).names[1])
    plots = [] if target == "one@0" else [f"--plots={tmp_path / 'plots'}"]
    output = call(target, "--games=2", *plots, f"--html={tmp_path / 'page.html'}")
    assert (output.code, output.err) == (0, "")
    assert not plots or {path.stem for path in (tmp_path / "plots").iterdir()} == {"kernels"}
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<b>" not in page
    assert page.count("<iframe") == page.count("Play against") == (target.endswith(".csv") is False)
    Tags().feed(page)


def test_a_phone_shows_the_columns_of_a_table_for_which_it_has_room() -> None:
    row = ["played move, with a choice", "59.7 %", "recombination", "Gen59_0000 Gen59_0008 and 63 more"]
    table = ReportTable(("<", "first choice of all", "origin", "parents<"), [row], (3, 2, 1))
    made = page(Contents("a", "", "", [Section("", table=table)]), [])
    assert '"left wrap">played move, with a choice</td><td class="">59.7 %</td><td class="">rec' in made
    assert '<td class="left more wrap">Gen59_0000' in made


MISTAKES = {
    "one --games 0 --html {runs}": "expected the name of a file in an existing folder",
    "non --html {runs}/none/x.html": "expected the name of a file in an existing folder",
    "one --games 0 --plots {runs}/one/log.csv": "expected a folder, but it is a file",
    "non --plots {runs}/one/log.csv/x": "log.csv/x: expected a folder, but {runs}/one/log.csv is a file",
    "random --traits --html page.html": "--html: not together with --traits",
    "--html page.html": "--html: expected a TARGET",
}


def test_plots_of_an_unknown_network_are_refused(call: Call, tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("name,w0,w1\na,0.5,1\nb,1,0.5\n")
    output = call(str(tmp_path / "x.csv"), "--games=0", f"--plots={tmp_path / 'plots'}")
    assert (output.code, output.out) == (2, "") and "--plots: no weights of a known network" in output.err


@pytest.mark.parametrize("arguments", MISTAKES)
def test_a_mistake_is_one_line(call: Call, runs: Path, arguments: str) -> None:
    output = call(*arguments.format(runs=runs).split())
    assert (output.code, output.out) == (2, "")
    assert output.err.count("\n") == 1
    assert MISTAKES[arguments].format(runs=runs) in output.err


@pytest.mark.parametrize("option", ["--html", "--plots"])
def test_without_matplotlib_only_figures_are_refused(
    monkeypatch: pytest.MonkeyPatch, call: Call, tmp_path: Path, option: str
) -> None:
    """As after installing requirements.txt: one sentence before any game, and all else as ever."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.delitem(sys.modules, "extras.reports.output", raising=False)
    output = call("two", f"{option}={tmp_path / 'x'}")
    assert (output.code, output.out, list(tmp_path.iterdir())) == (2, "", [])
    install = "python -m pip install --require-hashes -r requirements/figures.txt"
    assert output.err == f"main.py: {option} needs Matplotlib: {install}\n"
    assert call("two", "--games=2").code == 0
