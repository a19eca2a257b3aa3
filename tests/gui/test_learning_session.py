"""Runs in which one network learns on the session screen, by posted events: curves of their method, steering."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from evolve.run import status, weights_file
from evolve.run.folder import RunFolder
from evolve.run.status import State, Status
from game.board import Position
from game.players.names import parse_name
from gui.geometry import Rect
from gui.screens.individuals.options import choices_of_policy
from gui.screens.play.analysis_panel import chances_at
from gui.screens.sessions.panels import layout
from gui.screens.sessions.session import SessionScreen
from gui.screens.sessions.start import SessionStart
from gui.thinking.messages import Purpose, SearchRequest
from gui.thinking.thoughts import Players, Stopper, think
from tests.gui.hands import Hands
from tests.gui.session_folder import Starts
from tests.learnt_run import make_learnt_run

Opened = Callable[..., Hands]
LAST = 6


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    course = [0.4 + 0.01 * generation for generation in range(LAST + 1)]
    numbers = {
        "validation_loss": [2.0] * (LAST + 1),
        "all_top1": course,
        "all_top2": [each + 0.1 for each in course],
        "choice_top1": [each - 0.1 for each in course],
        "illegal": [0.015] * (LAST + 1),
    }
    folder = tmp_path_factory.mktemp("made")
    return make_learnt_run(folder, "taught", LAST, ["seed=1", "learning.games=games.pdn"], numbers, "policy")


@pytest.fixture
def run(made: RunFolder, tmp_path: Path) -> RunFolder:
    """The run, whose files nobody changes, in the folder that the window looks in."""
    path = tmp_path / "runs" / "taught"
    path.mkdir(parents=True)
    for file in made.path.iterdir():
        if file.is_file():
            (path / file.name).write_bytes(file.read_bytes())
    return RunFolder(path)


def watched(opened: Opened, run: RunFolder) -> tuple[Hands, SessionScreen]:
    hands = opened()
    screen = SessionScreen(hands.app, run.path)
    hands.app.open(screen)
    hands.wait(0.5)
    return hands, screen


def test_curves_are_those_of_the_method(opened: Opened, run: RunFolder) -> None:
    hands, screen = watched(opened, run)
    assert screen.title == "Learning of taught"
    rating, loss, shown = hands.widget("rating"), hands.widget("left"), hands.widget("right")
    assert rating.curves[0].sparse
    assert (loss.title, len(loss.curves), loss.says(4)) == ("Loss", 2, "4: validation 2.000, training 2.213")
    assert (shown.title, shown.says(4)) == ("Top-1 in %", "4: all 44.0 %, with a choice 34.0 %")
    assert hands.widget("counters").items[1] == (f"{80_000 * LAST:,}", "samples")
    hands.key("u")
    assert hands.widget("right").title == "Top-k, all in %"
    for _ in range(3):
        hands.key("u")
    assert hands.widget("right").title == "Top-1 in %"  # the loss is there all the time


def test_numbers_lead_to_their_curve(opened: Opened, run: RunFolder) -> None:
    hands, screen = watched(opened, run)
    hands.key("t")
    table = hands.widget("numbers")
    rows = [tuple(table.cells(row)) for row in range(table.count)]
    assert rows == [
        ("Loss: validation", "2.000"),
        ("Loss: training", "1.945"),
        ("Top-1: all", "46.0 %"),
        ("Top-1: with a choice", "36.0 %"),
        ("Top-k, all: top-2", "56.0 %"),
        ("Illegal first choices", "1.5 %"),
    ]
    table.select(5)
    hands.app.redraw()
    hands.wait(0.1)
    assert hands.widget("right").title == "Illegal first choices in %"
    screen.pick(2)
    hands.app.redraw()
    hands.wait(0.1)
    assert hands.widget("numbers").cells(2)[1] == "42.0 %"
    hands.key("t")
    assert hands.widget("log").key == "log"


def test_generations_with_their_numbers(opened: Opened, run: RunFolder) -> None:
    hands, _ = watched(opened, run)
    hall = hands.widget("hall")
    assert [column.title for column in hall.columns][:4] == ["Network", "Gen.", "Loss", "Top-1"]
    assert list(hall.cells(0))[1:4] == [f"{LAST}", "2.000", "46.0 %"]
    assert hands.widget("kernels").pictures  # the weights come from the file beside the row


def test_weights_that_are_gone_are_told(opened: Opened, run: RunFolder) -> None:
    weights_file.weights_path(run.generation_path(LAST)).unlink()
    hands, _ = watched(opened, run)
    hands.key("left")
    hands.key("end")
    assert f"weights_{LAST:04d}.npy: damaged or not there." in " ".join(hands.words)


def test_it_is_followed_and_resumed_by_train(opened: Opened, run: RunFolder, starts: Starts) -> None:
    status.write(run.path, Status(State.STOPPED, 4711, 0.0, LAST, LAST + 4, 0))
    hands, _ = watched(opened, run)
    hands.key("r")
    hands.key("return")
    assert starts.verb == "train"
    assert starts.told[0][0] == f"--resume={run.path.resolve()}"


def test_before_the_first_generation(opened: Opened, run: RunFolder) -> None:
    for file in run.path.iterdir():
        if file.is_file() and file.name != "config.toml":
            file.unlink()
    hands, screen = watched(opened, run)
    assert (screen.newest, screen.title) == (-1, "Learning of taught")
    for _ in range(3):
        hands.key("t")
    hands.key("u")


# The form ---------------------------------------------------------------------------------------------------------


def form(opened: Opened) -> tuple[Hands, SessionStart]:
    hands = opened()
    screen = SessionStart(hands.app)
    hands.app.open(screen)
    dropdown = hands.widget("preset")
    dropdown.pick(list(dropdown.names).index("Learn: policy"))
    hands.app.redraw()
    hands.wait(0.1)
    return hands, screen


def test_a_policy_is_taught_by_a_file_that_is_dropped(
    opened: Opened, starts: Starts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evolve.learning.extra.EXTRA", ())  # whether or not it is installed here
    hands, screen = form(opened)
    assert screen.title == "New learning session"
    assert "learning.samples" in [value.key for value in screen._plan(()).values]
    hands.key("ctrl+return")
    assert (starts.told, screen.wrong["games"]) == ([], "A file of recorded games is needed (PDN).")
    games = tmp_path / "games.pdn"
    games.write_text("1. 11-15 *", encoding="utf-8")
    hands.drop(games)
    assert hands.widget("games").value == str(games)
    hands.key("ctrl+return")
    assert starts.verb == "train"
    assert {"--preset=policy", f"--games={games}", "--name=policy-1"} <= set(starts.told[0])


def test_what_is_missing_is_said_before_it_begins(
    opened: Opened, starts: Starts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evolve.learning.extra.EXTRA", ("no_such_module",))
    hands, screen = form(opened)
    hands.key("ctrl+return")
    assert starts.told == []
    assert screen.wrong["preset"].startswith("Train needs jax and optax: python -m pip install")


def test_other_presets_take_no_games(opened: Opened, starts: Starts) -> None:
    hands, screen = form(opened)
    screen.form.values["games"] = "games.pdn"
    dropdown = hands.widget("preset")
    dropdown.pick(list(dropdown.names).index("cowan"))
    hands.app.redraw()
    hands.key("ctrl+return")
    assert starts.verb == "evolve"
    assert not [option for option in starts.told[0] if "games" in option]


@pytest.mark.parametrize("size", [(800, 600), (1280, 800), (1080, 1920)])
def test_everything_has_room(opened: Opened, run: RunFolder, size: tuple[int, int]) -> None:
    hands = opened(size=size)
    screen = SessionScreen(hands.app, run.path)
    hands.app.open(screen)
    hands.wait(0.5)
    places = layout(size, hands.app.look)
    for tab in range(3):
        screen.show_tab(tab)
        hands.wait(0.1)
        assert places.table.h > 0


# Players ----------------------------------------------------------------------------------------------------------


def test_a_policy_says_how_likely_each_move_is(run: RunFolder) -> None:
    players = Players(run.path.parent)
    request = SearchRequest(Purpose.ANALYSIS, 1, parse_name("taught@3"), Position.start(), depth=6, seconds=1.0)
    found = think(players, request, Stopper(), lambda found: None)
    assert len(found.lines) == 7
    chances = [line.chance or 0.0 for line in found.lines]
    assert sum(chances) == pytest.approx(1) and chances == sorted(chances, reverse=True)
    assert found.lines[0].text == f"{100 * chances[0]:.1f} %"
    assert set(chances_at(found)) == {line.move.path[-1] for line in found.lines}
    move = think(players, replace(request, purpose=Purpose.MOVE), Stopper(), lambda found: None)
    assert (move.move, move.lines) == (found.move, ())


def test_a_policy_is_chosen_without_a_depth(opened: Opened, run: RunFolder) -> None:
    services = opened().app.services
    assert (services.seat("taught", "").detail, services.seat("material", "").depth_text != "first choice") == (
        "first choice",
        True,
    )
    services.change_settings(sampling=True)
    assert services.seat("taught@2", "").player == "taught@2,sampling=yes"
    settings, rect = services.settings, Rect(0, 0, 300, 80)
    assert [each.key for each in choices_of_policy(settings.sampling, print, rect)] == ["sampling.label", "sampling"]
