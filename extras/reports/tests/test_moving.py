"""The film of a run and the moving part of its page: data and, for the check, slider and players in Chromium."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evolve.inspection.contents import Contents, Section
from evolve.names.registration import register
from evolve.report.overview import RunOverview, run_overview
from evolve.run.status import State
from evolve.strength.levels import YARDSTICKS
from extras.export.player_page import player_data
from extras.export.tests.exported import HOSTILE, in_chromium
from extras.reports import moving, output
from game.players.registry import player
from gui.screens.sessions.session import SessionScreen
from tests.gui.hands import Hands, Opened
from tests.gui.review_helpers import shared
from tests.gui.session_folder import SessionFolder, Starts
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
