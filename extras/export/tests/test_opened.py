"""Exported pages opened as players, or refused in one line; and pages and event files that the window writes."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import main
from evolve.config import toml
from evolve.names.registration import register
from evolve.run.champions import read_champions
from evolve.run.runs import DEFAULT_RUNS, SHIPPED_RUNS
from evolve.strength.levels import LEVELS
from extras.export import player_page
from extras.export.evolving_page import PRESET, evolving_page
from extras.export.opened import MAX_BYTES, read
from extras.export.tests.exported import BOARDS, STYLES, VALUED, data_of, king_of
from game.networks.named import CNN_247
from game.players.network import NetworkPlayer
from game.players.player import Player
from game.players.registry import player
from game.rules import BLACK, WHITE
from game.search.interface import FITTED, Limits, SearchOptions
from gui.runs.sources import Sources
from gui.screens.dialogs.files import Files
from gui.screens.individuals.chooser import Chooser
from gui.screens.play.review import ReviewScreen
from gui.screens.sessions.session import SessionScreen
from tests.called import Call, call_program
from tests.gui.chooser_helpers import choose, click_card, listed
from tests.gui.hands import Opened
from tests.gui.review_helpers import playing, shared, think
from tests.synthetic import make_run

Change = Callable[[dict[str, Any]], object]


def page_of(made: Player, path: Path) -> Path:
    path.write_text(player_page.page_of(made, DEFAULT_RUNS), encoding="utf-8")
    return path


def opened_from(path: Path) -> NetworkPlayer:
    made = player(str(path))
    assert isinstance(made, NetworkPlayer)
    return made


def changed(page: Path, change: Change, part: str = "player") -> Path:
    """Write the page again after a change of its data."""
    text = page.read_text(encoding="utf-8")
    begin = text.index(f'id="{part}">') + len(f'id="{part}">')
    end = text.index("</script>", begin)
    data = json.loads(text[begin:end])
    change(data)
    page.write_text(text[:begin] + json.dumps(data) + text[end:], encoding="utf-8")
    return page


@pytest.fixture
def page(tmp_path: Path) -> Path:
    """A small page of a shipped network."""
    weights = np.random.default_rng(1).normal(size=CNN_247.weights).astype(np.float32)
    return page_of(NetworkPlayer("small", weights, limits=Limits(depth=2)), tmp_path / "small.html")


def saved(tmp_path: Path) -> tuple[Path, dict[str, Any]]:
    """Return an evolving page as a browser saves it, and its champion."""
    page = tmp_path / "evolving-3.html"
    page.write_text(evolving_page(5), encoding="utf-8")
    weights = np.random.default_rng(2).normal(size=93).astype(np.float32)
    champion = {"genome": list(map(float, weights)), "king": 1.75, "generation": 3}
    return changed(page, lambda run: run.update(champion=champion), "run"), champion


@pytest.mark.parametrize("name", ["first", "crownhead", "first,depth=3,tablebase=no"])
def test_a_page_is_the_player_that_was_exported(name: str, tmp_path: Path) -> None:
    register(DEFAULT_RUNS)
    made = player(name)
    assert isinstance(made, NetworkPlayer)
    again = opened_from(page_of(made, tmp_path / "friend.html"))
    assert (again.spec, again.king, again.limits, again.plain_style) == (
        made.spec,
        made.king,
        made.limits,
        made.plain_style,
    )
    assert again.identity == made.identity or made.spec.quantised  # whose weights are rounded by each evaluation
    for position in BOARDS[::60]:
        one, other = (each.searcher().search(position, (), limits=Limits(depth=4)) for each in (made, again))
        assert (one.move, one.score, one.nodes, one.pv) == (other.move, other.score, other.nodes, other.pv)


@pytest.mark.parametrize("number", range(len(VALUED)))
def test_networks_of_every_kind_come_back(number: int, tmp_path: Path) -> None:
    spec, genome = VALUED[number]
    style = SearchOptions(**STYLES[number % len(STYLES)])
    made = NetworkPlayer("some", genome, spec=spec, king=king_of(spec), limits=Limits(nodes=500), style=style)
    again = opened_from(page_of(made, tmp_path / "some.html"))
    assert (again.spec, again.limits, again.style) == (spec, made.limits, style)
    for side in (BLACK, WHITE):
        assert again.evaluate(BOARDS, side) == made.evaluate(BOARDS, side)


def test_a_player_with_a_time_limit_looks_as_deep_as_its_page(page: Path) -> None:
    made = opened_from(page)
    timed = NetworkPlayer("timed", made.weights, limits=Limits(seconds=1.0))
    assert opened_from(page_of(timed, page)).limits == Limits(depth=player_page.DEPTH)


def test_options_change_the_player_of_a_page(page: Path) -> None:
    made = player(f"{page},depth=5,quiescence=yes")
    assert made.alphabeta == (Limits(depth=5), SearchOptions(quiescence=True, table=FITTED))
    assert made.canonical_name == f"{page},depth=5,quiescence=yes"


def test_a_saved_evolution_is_its_champion(tmp_path: Path) -> None:
    path, champion = saved(tmp_path)
    made = opened_from(path)
    assert made.spec == toml.load(PRESET).network
    assert (made.weights.tolist(), made.king) == (champion["genome"], champion["king"])
    assert made.alphabeta == (Limits(depth=6), SearchOptions(quiescence=True, table_bits=made.style.table_bits))


def test_pages_play_matches(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    friend, _ = saved(page.parent)
    assert main.main(["match", f"{page},depth=1", f"{friend},depth=1", "--games=2", "--seed=1", "--workers=1"]) == 0
    assert "small.html" in capsys.readouterr().out


BOMB = base64.b64encode(zlib.compress(bytes(50_000_000))).decode()
CHANGES: list[tuple[str, Change]] = [
    ("exported before pages could be opened as players; export it again", lambda data: data.pop("format")),
    ("expected format 1, got 2: update the program to open it", lambda data: data.update(format=2)),
    ("damaged ('spec'); ask for another copy", lambda data: data.pop("spec")),
    ("damaged (expected cnn-247, ", lambda data: data.update(spec="cnn-248")),
    ("damaged (input: is missing); ", lambda data: data.update(spec={"name": "a"})),
    ("damaged (expected 247 finite weights); ", lambda data: data.update(weights=BOMB)),
    ("damaged (Error -3 while decompressing data", lambda data: data.update(weights="AAAA")),
    (
        "damaged (expected 247 finite weights); ",
        lambda data: data.update(weights=player_page.packed(np.full(247, np.nan), "<f4")),
    ),
    ("damaged (expected a number as the value of a king, got 1e+300); ", lambda data: data.update(king=1e300)),
    ("damaged (quiescence of another type); ", lambda data: data["options"].update(quiescence=1)),
    ("damaged (expected a table of at most 4,194,304 entries, ", lambda data: data["options"].update(table_bits=30)),
    ("damaged (table: expected a power of 2, ", lambda data: data["options"].update(table=3)),
    ("damaged (depth of another type); ", lambda data: data["limits"].update(depth="6")),
    ("damaged (depth: expected 1 to 64 plies, got 65); ", lambda data: data["limits"].update(depth=65)),
]


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str]) -> Call:
    return partial(call_program, capfd)


def test_inspecting_a_page_names_the_command_that_lets_it_play(page: Path, call: Call) -> None:
    done = call("inspect", str(page))
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert done.err.endswith(f"main.py match {page} random lets it play\n")


def check_refused(call: Call, page: Path, error: str) -> None:
    done = call("move", str(page))
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert f"{page}: {error}" in done.err


@pytest.mark.parametrize(("error", "change"), CHANGES)
def test_changed_pages_are_refused(error: str, change: Change, page: Path, call: Call) -> None:
    check_refused(call, changed(page, change), error)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (b"", "expected a page with a player, got another one"),
        (b'<script type="application/json" id="player">{"format":1', "damaged (its end is missing); ask for another"),
        (b'<script type="application/json" id="player">\xff</script>', "damaged ("),
        (b'<script type="application/json" id="player">' + b"[" * 100_000 + b"</script>", "damaged ("),
    ],
)
def test_other_texts_are_refused(text: bytes, error: str, tmp_path: Path, call: Call) -> None:
    (tmp_path / "a.html").write_bytes(text)
    check_refused(call, tmp_path / "a.html", error)


def test_a_page_of_games_has_no_player(tmp_path: Path, call: Call) -> None:
    (tmp_path / "games.pdn").write_text("1. 11-15 23-19 *\n")
    page = tmp_path / "game.html"
    assert call("pdn", "html", str(tmp_path / "games.pdn"), "-o", str(page)).code == 0
    check_refused(call, page, "expected a page with a player, got a page of games")


def test_an_evolving_page_needs_a_champion(tmp_path: Path, call: Call) -> None:
    (tmp_path / "new.html").write_text(evolving_page(5), encoding="utf-8")
    check_refused(call, tmp_path / "new.html", "its player has not evolved yet; open it in a browser, and save it")


def test_very_large_pages_are_not_read(page: Path, call: Call) -> None:
    with open(page, "r+b") as file:
        file.truncate(1 << 30)
    check_refused(call, page, f"cannot be read: 1,073,741,824 bytes, at most {MAX_BYTES:,}")


def test_names_that_do_not_fit_are_refused(page: Path, call: Call) -> None:
    for name, error in (
        (f"{page}:Ann", "a page has one player and its network; leave out :Ann"),
        (f"{page},network=cnn-247", "a page has one player and its network; leave out network=..."),
        (str(page.with_name("none.html")), "no run "),
    ):
        done = call("move", name)
        assert (done.code, done.err.count("\n")) == (2, 1) and error in done.err


def test_a_run_may_be_named_like_a_page(tmp_path: Path) -> None:
    make_run(tmp_path, "mine.html", 1)
    register(tmp_path)
    assert isinstance(player("mine.html"), NetworkPlayer)
    register(DEFAULT_RUNS)


def test_a_dropped_page_is_an_opponent(page: Path, opened: Opened) -> None:
    hands = opened()
    hands.drop(page)
    chosen = listed(hands).offer
    assert chosen is not None and (chosen.title, chosen.line) == ("small.html", "A file with a player.")
    hands.key("p")
    assert not isinstance(hands.app.screen, Chooser)
    assert hands.app.services.settings.opponent == str(page)
    assert hands.app.services.store.recent("player files") == [str(page)]


def test_a_page_without_a_player_is_refused(tmp_path: Path, opened: Opened) -> None:
    (tmp_path / "a.html").write_text("Hello.")
    hands = opened()
    hands.drop(tmp_path / "a.html")
    assert hands.app.notice == f"{tmp_path / 'a.html'}: expected a page with a player, got another one"
    assert hands.app.services.store.recent("player files") == []


def test_the_table_of_individuals_lists_pages(page: Path, tmp_path: Path) -> None:
    table = pytest.importorskip("extras.individuals.library", reason="the table is another extra")
    (tmp_path / "bad.html").write_text("Hello.")
    for file, facts in ((page, (str(page), False)), (tmp_path / "bad.html", ("", True))):
        library = table.Library(Sources(tmp_path / "runs", [page, tmp_path / "bad.html"]), file)
        while library.busy:
            library.step(0.0, 1.0)
        assert [(row.name, row.player, bool(row.trouble)) for row in library.individuals] == [(file.name, *facts)]


def test_a_game_is_written_as_a_page(opened: Opened, tmp_path: Path) -> None:
    hands = opened()
    hands.app.services.store.set("folder", str(tmp_path))
    playing(hands)
    path = tmp_path / "a <b> & c.html"
    assert shared(hands, path.name) == f"Saved as {path}"
    assert path.read_bytes().startswith(b"<!DOCTYPE html>")


def test_a_saved_review_names_better_moves(opened: Opened, tmp_path: Path) -> None:
    hands = opened()
    hands.app.services.store.set("folder", str(tmp_path))
    playing(hands)
    hands.key("w")
    assert isinstance(hands.app.screen, ReviewScreen)
    think(hands)
    assert shared(hands, "review.html").startswith("Saved as")
    data = data_of((tmp_path / "review.html").read_text(encoding="utf-8"))
    assert [move["better"][0]["text"] for move in data["moves"] if move["better"]] == ["9-14", "27-23"]


def test_each_chosen_opponent_is_saved_as_a_page_that_plays_as_it_does(opened: Opened, tmp_path: Path) -> None:
    hands = opened(runs=SHIPPED_RUNS)
    hands.app.services.store.set("sent_folder", str(tmp_path))
    hands.key("n")
    click_card(hands, "Expert")
    hands.click("do.send")
    assert isinstance(hands.app.screen, Files) and hands.app.screen.chooser.text == "expert.html"
    assert hands.app.screen.title == "Share Expert"
    hands.key("ctrl+return")
    page = tmp_path / "expert.html"
    hands.until(lambda: hands.app.notice == f"Saved as {page}, a page that plays in any browser", 10.0)
    assert read(page)[3][0].depth == LEVELS[4].depth
    hands.key("3")
    choose(hands, "material")
    assert "do.send" not in hands.keys  # it has no network
    hands.key("ctrl+p")
    for word in ("send", "share", "friend"):
        hands.type(word)
        assert hands.widget("matches").cells(0)[0].text == "Share", word
        hands.key("ctrl+a", "backspace")


def test_a_champion_is_saved_as_a_page(opened: Opened, tmp_path: Path) -> None:
    hands = opened(runs=SHIPPED_RUNS)
    hands.app.services.store.set("sent_folder", str(tmp_path))
    screen = SessionScreen(hands.app, SHIPPED_RUNS / "crownhead-1")
    hands.app.open(screen)
    hands.wait(0.5)
    hands.key("ctrl+p")
    hands.type("friend")
    assert hands.widget("matches").cells(0)[0].text == "Share the champion"
    hands.key("escape", "left", "ctrl+s")
    name = f"crownhead-1-{screen.generation}.html"
    assert isinstance(hands.app.screen, Files) and hands.app.screen.chooser.text == name
    assert hands.app.screen.title == "Share the champion"
    hands.app.screen.chooser.text = str(tmp_path / "sent.txt")
    hands.key("ctrl+return")
    assert isinstance(hands.app.screen, Files)
    hands.app.screen.chooser.text = name
    hands.key("ctrl+return")
    hands.until(lambda: hands.app.notice == f"Saved as {tmp_path / name}, a page that plays in any browser", 10.0)
    assert hands.app.screen is screen
    assert read(tmp_path / name)[1].tolist() == read_champions(screen.run.path, [screen.generation])[0].weights.tolist()
