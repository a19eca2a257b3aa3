"""The pages and plots of the verb `inspect`, the film of a run, and the moving part of its page, also in Chromium."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from evolve.inspection.contents import Contents, ReportTable, Section
from evolve.names.registration import register
from evolve.report.overview import RunOverview, run_overview
from evolve.run.folder import Run
from evolve.run.status import State
from evolve.strength.levels import YARDSTICKS
from extras.export.player_page import player_data
from extras.export.tests.exported import HOSTILE, in_chromium
from extras.reports import moving, output
from extras.reports.output import page
from extras.reports.tests.html_tags import Tags
from game.players.registry import player
from gui.screens.sessions.session import SessionScreen
from tests.called import Call, call_program
from tests.gui.hands import Hands, Opened
from tests.gui.review_helpers import shared
from tests.gui.session_folder import SessionFolder, Starts
from tests.runs import bare
from tests.synthetic import make_run

LAST = 12


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> RunOverview:
    return run_overview(make_run(tmp_path_factory.mktemp("runs"), "one", LAST, rated=True))


def page_of(run: RunOverview, path: Path) -> Path:
    section = Section("", (("fact", HOSTILE),))
    page = output.page(Contents(HOSTILE, HOSTILE, HOSTILE, (section,)), [], moving.moving_part(run))
    path.write_text(page, encoding="utf-8")
    return path


def data_of(page: str) -> Any:
    (text,) = re.findall(r'<script type="application/json" id="run">(.*?)</script>', page, re.S)
    return json.loads(text)


def test_the_data_has_curves_over_all_generations(run: RunOverview) -> None:
    part = moving.moving_part(run)
    data = data_of(part)
    assert len(part) < 400_000 and "src=" not in part and "href=" not in part
    assert data["newest"] == LAST
    titles = [curve["title"] for curve in data["curves"]]
    assert titles == ["Rating of champions", "Diversity: distance between two individuals"]
    for curve in data["curves"]:
        assert len(curve["values"]) == len(curve["texts"]) == LAST + 1
        assert [value is None for value in curve["values"]] == [text == "" for text in curve["texts"]]


def test_its_players_are_the_champions(run: RunOverview) -> None:
    data = data_of(moving.moving_part(run))
    register(run.run.path.parent)
    assert str(LAST) in data["players"] and len(data["players"]) <= moving.PLAYED
    expected = player_data(player(f"{run.run.path}@{LAST}"))
    result = data["players"][str(LAST)]
    assert result["network"] == expected["network"] and result["options"] == expected["options"]
    assert data["page"].count("{{PLAYER}}") == 1


def test_unplayable_run_reports_the_reason(run: RunOverview, limit: Callable[..., None]) -> None:
    limit(moving, "MOST_BYTES", 0)
    data = data_of(moving.moving_part(run))
    assert data["players"] == {} and data["page"] == ""
    assert data["unplayable"].startswith("The champions of one are too large for this page; ")


TEXTS_INSIDE = """[...document.querySelectorAll('svg text')].every((text) => {
    const [{ x, y, width, height }, box] = [text.getBBox(), text.ownerSVGElement.viewBox.baseVal];
    return x >= 0 && y >= 0 && x + width <= box.width && y + height <= box.height;
})"""


@pytest.mark.check
def test_the_slider_in_the_browser(run: RunOverview, tmp_path: Path) -> None:
    move = "element('generation').value = {}; element('generation').dispatchEvent(new Event('input'))".format
    title, button = "document.querySelector('iframe').title", "document.querySelector('#play button')"
    page = page_of(run, tmp_path / "a.html")
    text = in_chromium(
        page,
        {"size": [390, 844]},
        {"run": f"{move(5)}; document.querySelector('#race .said').textContent"},
        {"run": f"[{title}, {button}.textContent]"},
        {"run": f"{button}.click(); [{title}, {button}.hidden]"},
        {"run": "element('curves').querySelector('svg').dispatchEvent(new MouseEvent('click')); generation"},
        {"run": "document.querySelector('#curves .said').textContent"},
        {"run": "document.querySelector('#race svg').textContent"},
        {"run": "data.page.replace('{{PLAYER}}', () => JSON.stringify(data.players[data.newest]))"},
        {"run": "document.documentElement.scrollWidth"},
        {"run": TEXTS_INSIDE},
    )
    number, before, after, picked, value, race, played, width, inside = text["results"]
    assert inside
    assert number.startswith("Generation 5: ")
    of = max(map(int, filter(lambda number: int(number) <= 5, data_of(page.read_text(encoding="utf-8"))["players"])))
    assert before == [f"Play against the champion of generation {LAST}", f"Play against generation {of} instead"]
    assert after == [f"Play against the champion of generation {of}", True]
    assert all(level.name in race for level in YARDSTICKS)
    assert picked == 0 and value.startswith("Generation 0: ") and width == 390 and text["errors"] == []
    loaded = [address for address in text["addresses"] if not address.startswith(("blob:", "about:", "data:"))]
    assert loaded == [page.as_uri()]
    (tmp_path / "b.html").write_text(played, encoding="utf-8")
    text = in_chromium(
        tmp_path / "b.html",
        {"wait": "document.getElementById('name').textContent !== ''"},
        {"run": "document.getElementById('new-white').click(); document.getElementById('name').textContent"},
        {"wait": "game.texts.length === 1"},
    )
    assert text["results"] == [f"Generation {LAST}"] and text["errors"] == []


def hostile(value: Any) -> Any:
    """Replace all texts by a hostile one."""
    if isinstance(value, dict):
        return {key: hostile(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [hostile(each) for each in value]
    return HOSTILE if isinstance(value, str) else value


@pytest.mark.check
def test_hostile_texts_in_the_browser(run: RunOverview, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = moving._data(run)
    engine = {"page": given["page"], "players": given["players"]}
    for data in engine["players"].values():
        data |= {"name": HOSTILE, "sentence": HOSTILE, "rating": HOSTILE, "facts": [[HOSTILE, HOSTILE]]}
    monkeypatch.setattr(moving, "_data", lambda _: hostile(given) | engine)
    page = page_of(run, tmp_path / "a.html")
    assert page.read_text(encoding="utf-8").count("<script") == 2
    drawn = "document.querySelector('#race .said').textContent !== ''"
    text = in_chromium(
        page,
        {"run": "document.querySelectorAll('script, img').length"},
        {"run": f"new Promise((done) => setTimeout(() => done({drawn}), 1500))"},
    )
    assert text["results"] == [2, True] and text["errors"] == []


@pytest.fixture
def folder(tmp_path: Path) -> SessionFolder:
    folder = SessionFolder(tmp_path / "runs" / "demo", 5)
    folder.say(State.DONE)
    return folder


def saved_page(hands: Hands, folder: SessionFolder) -> Hands:
    hands.app.open(SessionScreen(hands.app, folder.path))
    hands.wait(0.5)
    return hands


def test_the_film_of_a_run_is_saved_as_a_page_by_another_process(
    opened: Opened, folder: SessionFolder, tmp_path: Path, starts: Starts
) -> None:
    hands = saved_page(opened(), folder)
    assert shared(hands, str(tmp_path / "film.gif"), "share").endswith("expected a name that ends in .html.")
    page = tmp_path / "film.html"
    assert shared(hands, str(page), "share").startswith(f"Saved as {page}, a page with a slider")
    assert (starts.verb, starts.calls) == ("inspect", [(str(folder.path), "--games=0", f"--html={page}")])


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
