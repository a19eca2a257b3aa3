"""Players as pages: what a file contains and what is refused. For the check, what Node and Chromium make of it."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import main
from evolve.config.anchors import SHOWN_ZERO
from evolve.names.registration import register
from evolve.run.runs import DEFAULT_RUNS
from evolve.strength.levels import LEVELS
from extras.export import player_page as html
from extras.export.template import emblem_url
from extras.export.tests import exported
from extras.export.tests.exported import (
    FROM_ELSEWHERE,
    HOSTILE,
    SHIPPED,
    STYLES,
    TOOLS,
    VALUED,
    Job,
    in_chromium,
    jobs_of,
    searching,
)
from game import moves
from game.board import Position
from game.errors import InputError
from game.networks.named import CNN_247
from game.networks.spec import Layer, Spec
from game.players.network import NetworkPlayer
from game.players.registry import player
from game.rules import BLACK, WHITE
from game.search.interface import Limits, SearchOptions
from gui.individuals.personas import Personas
from gui.look.theme import DARK, LIGHT

PERFT = [1, 7, 49, 302, 1469, 7361, 36768, 179740, 845931]

Answer = list[Any]


def page_of(spec: Spec, genome: Any, name: str = "some", **options: Any) -> str:
    style = SearchOptions(**options)
    made = NetworkPlayer(name, genome, spec=spec, king=exported.king_of(spec), limits=Limits(depth=3), style=style)
    return html.page_of(made, DEFAULT_RUNS)


def data_of(page: str) -> Any:
    (text,) = re.findall(r'<script type="application/json" id="player">(.*?)</script>', page, re.S)
    return json.loads(text)


@pytest.fixture
def champion(tmp_path: Path) -> Path:
    """The page of the shipped run `first`."""
    assert main.main(["export", f"--html={tmp_path / 'first.html'}", "--", "first"]) == 0
    return tmp_path / "first.html"


def test_a_page_has_the_facts_of_a_champion(champion: Path) -> None:
    page = champion.read_text(encoding="utf-8")
    data = data_of(page)
    facts = dict(data["facts"])
    assert data["name"] == "First evolution" and facts["rating"].startswith("1630 Elo (1556 to 1712); a piece counter ")
    assert (data["rating"], data["sentence"]) == ("1630 Elo", "Is often first to a king.")
    assert facts["lineage"] == "recombined from Gen111_0000 and 64 others"
    assert data["limits"]["depth"] == player("first").limits.depth  # type: ignore[attr-defined]
    assert len(page.encode()) < 200_000
    assert page.count("<script") == page.count("</script>") == 3
    # Nothing is loaded from elsewhere, and the browser may not do it either.
    assert not re.search(FROM_ELSEWHERE, page.replace("onerror=", ""))
    assert "default-src 'none'" in page


def test_the_shipped_champion_fits() -> None:
    register(DEFAULT_RUNS)
    page = html.page_of(player("crownhead"), DEFAULT_RUNS)
    champion = LEVELS[-1]
    assert len(page.encode()) < 1_000_000 and (champion.player, champion.depth) == ("crownhead", 8)
    assert dict(data_of(page)["facts"])["rating"].startswith(f"{SHOWN_ZERO + champion.rating} Elo (")
    assert data_of(page)["name"] == "Crownhead"
    assert html.rating_of(player("crownhead,depth=3"), DEFAULT_RUNS) is None


def test_pages_have_the_colours_of_the_window_in_light_and_dark(champion: Path) -> None:
    page = champion.read_text(encoding="utf-8")
    light, dark = page.split("prefers-color-scheme: dark")
    for part, theme in ((light, LIGHT), (dark, DARK)):
        for name in ("background", "text", "accent", "square-dark"):
            assert f"--{name}: #{bytes(getattr(theme, name.replace('-', '_'))).hex()};" in part
    assert set(re.findall(r"var\((--[\w-]+)\)", page)) <= set(re.findall(r"(--[\w-]+): ", page))


def test_a_page_of_a_character_begins_with_what_it_does() -> None:
    register(DEFAULT_RUNS)
    name = "cast:back-row=5,pieces=3,centre=1"
    data, known = data_of(html.page_of(player(name), DEFAULT_RUNS)), Personas(DEFAULT_RUNS).persona(name)
    assert known.name and known.sentence and known.rating_text
    assert (data["name"], data["sentence"], data["rating"]) == (known.name, known.sentence, f"{known.rating_text} Elo")
    assert data["emblem"].startswith('url("data:image/svg+xml,')
    assert [name for name, _ in data["facts"]] == ["rating", "individual", "lineage", "method"]


def test_a_page_of_a_level_has_its_name_and_its_shield() -> None:
    register(DEFAULT_RUNS)
    level, personas = LEVELS[4], Personas(DEFAULT_RUNS)
    personas.emblem(level.player)
    while personas.busy:
        personas.step()
    emblem = personas.persona(level.player, level.depth).emblem
    data = data_of(html.page_of(player(level.text), DEFAULT_RUNS))
    assert emblem is not None and (data["name"], data["emblem"]) == (level.name, emblem_url(emblem))


def test_networks_of_which_programs_repeat_much_fit() -> None:
    for kind, size in (("diagonal", 0), ("convolution", 3)):
        layers = (*[Layer(kind, 30, size, activation="relu")] * 2, Layer("dense", 1, activation="none"))
        spec = Spec("wide", "squares" if kind == "diagonal" else "board", layers)
        genome = np.random.default_rng(1).normal(size=spec.weights).astype(np.float32)
        assert spec.weights > 5000 and len(page_of(spec, genome).encode()) < 1_000_000


def test_hostile_names_are_text_on_the_page_of_a_player() -> None:
    page = page_of(*exported.NETWORKS[0], name=HOSTILE)
    assert data_of(page)["name"] == HOSTILE
    assert page.count("<script") == page.count("</script>") == 3
    assert "<img" not in page and page.count("\u2028") == 1  # in the title, where it is text
    assert page.encode() and "?" in page.split("<title>")[1].split("</title>")[0]  # not valid text, so replaced


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["random", "--html=a.html"], "random: has no network to export"),
        (["policy", "--html=a.html"], "policy: pages search with alpha-beta, and this player does not"),
        (["first", "--html=a.txt"], "a.txt: expected a name that ends in .html"),
        (["first,nodes=9,selective=yes,search=tree", "--html=a.html"], "search=tree: expected a network with a policy"),
    ],
)
def test_players_without_pages_are_refused(
    arguments: list[str], text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main.main(["export", *arguments]) == 2
    assert text in capsys.readouterr().err
    assert not any(tmp_path.iterdir())


def test_networks_that_are_refused() -> None:
    wide = Spec("wide", "pieces", (Layer("dense", 4096, activation="relu"), Layer("dense", 1, activation="none")))
    with pytest.raises(InputError, match="too large for a page"):
        page_of(wide, np.random.default_rng(1).normal(size=wide.weights).astype(np.float32))
    with pytest.raises(InputError, match="might not be finite"):
        page_of(CNN_247, np.full(247, 1e35, np.float32))
    with pytest.raises(InputError, match="not finite numbers"):
        page_of(CNN_247, np.full(247, np.nan, np.float32))
    with pytest.raises(InputError, match="expected a table of at most 64 MB for a page, got 128 MB"):
        page_of(CNN_247, np.zeros(247, np.float32), table=128)
    with pytest.raises(InputError, match="a page has no book: use book=no"):
        page_of(CNN_247, np.zeros(247, np.float32), book=True)


def answers_of(made: NetworkPlayer, jobs: Sequence[Job]) -> list[Answer]:
    """Return the program's answers: move, score, nodes, depth of the score, line, values to both sides."""
    answers = list[Answer]()
    for job in jobs:
        position, history = Position.from_fen(job["fen"]), list(map(Position.from_fen, job["earlier"]))
        # A new searcher each, so that nothing is kept from move to move.
        searcher = made.searcher()
        result = searcher.search(position, history, limits=Limits(depth=job["depth"], nodes=job["nodes"]))
        values = [made.evaluate([position], side)[0] for side in (BLACK, WHITE)]
        line = list(map(str, result.pv))
        answers.append([str(result.move), result.score, result.nodes, result.root[0].depth, line, values])
    return answers


def in_node(page: Path, jobs: Sequence[Job]) -> Any:
    (page.parent / "jobs.json").write_text(json.dumps(jobs), encoding="utf-8")
    command = ["node", str(TOOLS / "engine.js"), str(page), str(page.parent / "jobs.json")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr[:3000]
    return json.loads(done.stdout)


@pytest.mark.check
@pytest.mark.parametrize("name", [*SHIPPED, f"{DEFAULT_RUNS / 'blondie24-840.csv'},blondie=yes"])
def test_moves_and_scores_in_node(name: str, tmp_path: Path) -> None:
    large = searching(name).style.blondie  # forced moves cost it no depth, so its trees are large
    nodes = 2000 if large else 20_000
    # Two pages, since a page has a table for its own limits.
    for limit, jobs in (
        ("", jobs_of(1, 300 if large else 1000, (1, 2, 3, 4) if large else (1, 2, 3, 4, 5, 6))),
        (f",nodes={nodes}", jobs_of(2, 20, (20,), nodes)),
    ):
        made = searching(f"{name}{limit}")
        (tmp_path / "a.html").write_text(html.page_of(made, DEFAULT_RUNS), encoding="utf-8")
        assert in_node(tmp_path / "a.html", jobs) == answers_of(made, jobs)


@pytest.mark.check
@pytest.mark.parametrize("number", range(len(VALUED)))
def test_networks_of_every_kind_in_node(number: int, tmp_path: Path) -> None:
    spec, genome = VALUED[number]
    style = STYLES[number % len(STYLES)]
    (tmp_path / "a.html").write_text(page_of(spec, genome, **style), encoding="utf-8")
    made = NetworkPlayer("some", genome, spec=spec, king=exported.king_of(spec), style=SearchOptions(**style))
    jobs = jobs_of(3, 40, (1, 2, 3))
    assert in_node(tmp_path / "a.html", jobs) == answers_of(made, jobs)


@pytest.mark.check
@pytest.mark.parametrize("table", [0, 4])
def test_whole_games_in_node(table: int, tmp_path: Path) -> None:
    """The memory of a search is the same, too, also after a move was taken back."""
    made = searching(f"crownhead,tablebase=no,depth=5{f',table={table}' if table else ''}")
    assert made.style.keeps_table and made.style.ages == (table > 0)
    (tmp_path / "a.html").write_text(html.page_of(made, DEFAULT_RUNS), encoding="utf-8")
    jobs, expected = list[Job](), list[Answer]()
    searcher, line = made.searcher(), [Position.start()]
    while len(line) < 80 and moves.legal_moves(line[-1]):
        if len(line) == 30 and len(jobs) < 31:
            del line[-4:]
        result = searcher.search(line[-1], line[:-1], limits=made.limits)
        fens = [board.fen() for board in line]
        jobs.append({"fen": fens[-1], "earlier": fens[:-1], "depth": 5, "nodes": None, "goes_on": True})
        values = [made.evaluate([line[-1]], side)[0] for side in (BLACK, WHITE)]
        pv = list(map(str, result.pv))
        expected.append([str(result.move), result.score, result.nodes, result.root[0].depth, pv, values])
        line.append(moves.apply(line[-1], result.move))
    assert len(jobs) > 40
    assert in_node(tmp_path / "a.html", jobs) == expected


@pytest.mark.check
def test_perft_in_node(champion: Path) -> None:
    assert in_node(champion, [{"perft": depth} for depth in range(9)]) == PERFT


@pytest.mark.check
def test_a_game_in_the_browser(champion: Path) -> None:
    status = "document.getElementById('status').textContent"
    press = "document.querySelector('#square-{}').click()"
    state = in_chromium(
        champion,
        {"size": [390, 844]},
        {"wait": "document.getElementById('name').textContent === 'First evolution'"},
        {"run": "document.getElementById('depth').value = '5'"},
        {"run": f"{press.format(11)}; document.querySelector('#square-15').getAttribute('aria-label')"},
        {"run": f"{press.format(15)}; {status}"},
        {"wait": "isPersonsTurn()"},
        {"run": "game.texts"},
        {"run": "[...document.querySelectorAll('[aria-current], #new-black')].map((at) => at.textContent)"},
        {"run": "document.getElementById('hint').click(); 0"},
        {"wait": "game.hint !== null"},
        {"run": "game.hint.join('-')"},
        {"run": "document.dispatchEvent(new KeyboardEvent('keydown', {key: 'u'})); game.texts"},
        {"run": "document.documentElement.scrollWidth"},
    )
    _, label, first, texts, now, _, hint, undone, width = state["results"]
    assert label == "15, empty, can be reached" and first.startswith("Black played 11 to 15.")
    made = searching("first,tablebase=no")
    line = [Position.start()]
    line.append(moves.apply(line[0], moves.parse_move(line[0], "11-15")))
    reply = made.searcher().search(line[1], line[:1], limits=Limits(depth=5)).move
    line.append(moves.apply(line[1], reply))
    assert texts == ["11-15", str(reply)] and now == ["New: Black", str(reply)]
    assert hint == "-".join(map(str, made.searcher().search(line[2], line[:2], limits=Limits(depth=5)).move.path))
    assert undone == [] and width == 390 and state["errors"] == []
    assert [address for address in state["addresses"] if not address.startswith(("blob:", "data:"))] == [
        champion.as_uri()
    ]


@pytest.mark.check
def test_keys_and_a_finger_in_the_browser(champion: Path) -> None:
    """The arrow keys lead from square 32, at the upper left, to 11, and from there to 15."""
    keys = [*["ArrowDown"] * 5, "ArrowRight", "Enter", "ArrowUp", "Enter"]
    focus = {"run": "document.querySelector('#board [tabindex=\"0\"]').focus(); document.activeElement.id"}
    state = in_chromium(
        champion,
        {"size": [390, 844]},
        {"wait": "document.querySelectorAll('#board button').length === 32"},
        {"run": "document.getElementById('depth').value = '1'"},
        focus,
        *({"key": key} for key in keys),
        {"run": "[document.activeElement.id, game.texts[0]]"},
        {"run": "newGame(BLACK)"},
        {"key": "f"},
        {"tap": "#square-9"},
        {"wait": "game.chosen !== null"},
        {"tap": "#square-14"},
        {"wait": "game.texts.length > 0"},
        {"run": "[game.texts[0], document.querySelector('#board button').id]"},
    )
    _, begun, by_keys, _, by_finger = state["results"]
    assert (begun, by_keys, by_finger) == ("square-32", ["square-15", "11-15"], ["9-14", "square-1"])
    assert state["errors"] == []


@pytest.mark.check
def test_hostile_names_in_the_browser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(html, "origin_of", lambda *_: [(HOSTILE, HOSTILE)])
    (tmp_path / "a.html").write_text(page_of(*exported.NETWORKS[0], name=HOSTILE), encoding="utf-8")
    state = in_chromium(
        tmp_path / "a.html",
        {"wait": "document.querySelectorAll('#board button').length === 32"},
        {"run": "['h1', 'dt', 'dd'].map((at) => document.querySelector(at).textContent)"},
        {"run": "document.querySelectorAll('script, img').length"},
    )
    assert state["results"] == [[HOSTILE] * 3, 3] and state["errors"] == []
