"""Runs in which one network learns, on the session screen, by posted events: curves of their method, and control."""

from __future__ import annotations

from pathlib import Path

import pytest

from evolve.run import status, weights_file
from evolve.run.folder import Run
from evolve.run.status import State, Status
from extras.form.screen import NO_GAMES, FormSection
from extras.form.tests.scenes import form_of
from gui.look.canvas import Canvas
from gui.screens.individuals.chooser import Chooser
from gui.screens.sessions.session import SessionScreen
from tests.gui.chooser_helpers import choose, listed
from tests.gui.hands import Hands, Opened
from tests.gui.session_folder import Starts
from tests.learnt_run import make_learnt_run

LAST = 6
KEY = "learning.visits"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Run:
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
def run(made: Run, tmp_path: Path) -> Run:
    """Put the run, which nothing changes, into the window's folder of runs."""
    path = tmp_path / "runs" / "taught"
    path.mkdir(parents=True)
    for file in made.path.iterdir():
        if file.is_file():
            (path / file.name).write_bytes(file.read_bytes())
    return Run(path)


def watched(opened: Opened, run: Run) -> tuple[Hands, SessionScreen]:
    hands = opened()
    screen = SessionScreen(hands.app, run.path)
    hands.app.open(screen)
    hands.wait(0.5)
    return hands, screen


def test_curves_are_those_of_the_method(opened: Opened, run: Run) -> None:
    hands, screen = watched(opened, run)
    assert screen.title == "Training of taught"
    rating, shown = hands.widget("rating"), hands.widget("small")
    fields = [plot.field(Canvas(hands.app.surface, hands.app.look)) for plot in (rating, shown)]
    assert fields[0].x == fields[1].x and fields[0].right == fields[1].right, "generations are below each other"
    assert rating.curves[0].sparse
    assert (shown.title, shown.says(4)) == ("Moves predicted in %", "Generation 4: all 44.0 %, with a choice 34.0 %")
    assert (screen.run.work, screen.run.kind.work) == (80_000 * LAST, "samples")
    titles = []
    for _ in range(5):
        hands.key("<curve>")
        titles.append(hands.widget("small").title)
    assert titles[0] == "Played move, all in %" and titles[2:] == [
        "Illegal first choices in %",
        "Loss",
        "Moves predicted in %",
    ]
    hands.key(*["<curve>"] * 4)
    loss = hands.widget("small")
    assert (len(loss.curves), loss.says(4)) == (2, "Generation 4: validation 2.000, training 2.213")


def test_numbers_lead_to_their_curve(opened: Opened, run: Run) -> None:
    hands, screen = watched(opened, run)
    hands.key("<tab>")
    table = hands.widget("numbers")
    rows = [(cells[0], cells[-1]) for cells in map(table.cells, range(table.count))]
    assert rows == [
        ("Loss", "2.000"),
        ("Moves predicted", "46.0 %"),
        ("Played move, all", "46.0 %"),
        ("Played move, with a choice", "36.0 %"),
        ("Illegal first choices", "1.5 %"),
    ]
    assert table.hint.startswith("How often its first choice is the move that was played.")
    table.select(4)
    hands.app.redraw()
    hands.wait(0.1)
    assert hands.widget("small").title == "Illegal first choices in %"
    screen.pick(2)
    hands.app.redraw()
    hands.wait(0.1)
    assert hands.widget("numbers").cells(1)[-1] == "42.0 %"


def test_generations_with_their_numbers(opened: Opened, run: Run) -> None:
    hands, screen = watched(opened, run)
    hall = hands.widget("hall")
    assert [column.title for column in hall.columns][:2] == ["Network", "Rating"]
    assert hall.cells(0)[0].text == f"Generation {LAST}"
    screen.show_tab(screen.tabs.index("Weights"))
    hands.app.redraw()
    hands.wait(0.1)
    assert hands.widget("kernels").pictures  # the weights come from the separate file


def test_missing_weights_are_reported(opened: Opened, run: Run) -> None:
    weights_file.weights_path(run.generation_path(LAST)).unlink()
    hands, screen = watched(opened, run)
    screen.show_tab(screen.tabs.index("Weights"))
    hands.key("left")
    hands.key("end")
    hands.app.redraw()
    hands.wait(0.5)
    assert f"weights_{LAST:04d}.npy" in hands.widget("kernels").empty


def test_it_is_followed_and_resumed_by_train(opened: Opened, run: Run, starts: Starts) -> None:
    status.write(run.path, Status(State.STOPPED, 4711, 0.0, LAST, LAST + 4, 0))
    hands, _ = watched(opened, run)
    hands.key("c")
    hands.key("return")
    assert starts.verb == "train"
    assert starts.calls[0][0] == f"--resume={run.path.resolve()}"


def test_before_the_first_generation(opened: Opened, run: Run) -> None:
    for file in run.path.iterdir():
        if file.is_file() and file.name != "config.toml":
            file.unlink()
    hands, screen = watched(opened, run)
    assert (screen.newest, screen.title) == (-1, "Training of taught")
    for _ in range(3):
        hands.key("<tab>")
    hands.key("<curve>")


def form(opened: Opened, preset: str = "policy") -> tuple[Hands, FormSection]:
    hands = opened()
    screen = form_of(hands.app)
    dropdown = hands.widget("preset")
    dropdown.pick(next(at for at, name in enumerate(dropdown.names) if name.startswith(f"{preset}:")))
    hands.app.redraw()
    hands.wait(0.1)
    return hands, screen


def test_a_policy_is_taught_by_a_file_that_is_dropped(
    opened: Opened, starts: Starts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("extras.learning.kind.LearningRuns.packages", ())  # whether the extra is installed or not
    hands, screen = form(opened)
    assert "learning.samples" in [value.key for value in screen._plan(()).values]
    hands.key("ctrl+return")
    assert (starts.calls, hands.app.notice) == ([], NO_GAMES)
    assert hands.widget("foreseen").text == NO_GAMES
    hands.drop(tmp_path / "none.pdn")
    hands.key("ctrl+return")
    assert (starts.calls, screen.wrong["games"]) == ([], "Choose a file of recorded games (PDN).")
    games = tmp_path / "games.pdn"
    games.write_text("1. 11-15 *", encoding="utf-8")
    hands.drop(games)
    assert hands.widget("games").value == str(games)
    hands.key("ctrl+return")
    assert starts.verb == "train"
    assert {"--preset=policy", f"--games={games}", "--name=policy-1"} <= set(starts.calls[0])


def test_missing_packages_are_reported_before_a_session(
    opened: Opened, starts: Starts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("extras.learning.kind.LearningRuns.packages", ("no_such_module",))
    hands, screen = form(opened)
    hands.drop(Path("games.pdn"))
    hands.key("ctrl+return")
    assert starts.calls == []
    assert screen.wrong["preset"].startswith("Train needs jax and optax: python -m pip install")


def test_a_policy_is_chosen_without_a_depth(opened: Opened, run: Run) -> None:
    services = opened().app.services
    assert services.opponents.seat("taught", "").detail == "first choice"
    assert services.opponents.seat("material", "").depth_text != "first choice"
    assert services.opponents.seat("taught@2", "").player == "taught@2,sampling=no"
    assert services.opponents.seat("taught@2,sampling=yes", "").detail == "by chance"


def chosen(hands: Hands, player: str) -> Chooser:
    hands.key("n")
    choose(hands, player)
    hands.wait(0.2)
    return listed(hands)


def test_chooser_shows_source_and_rating_of_a_network(opened: Opened, run: Run) -> None:
    hands = opened()
    chosen(hands, "taught")
    result = hands.widget("details").hint
    assert result.startswith("Gen06_0000, generation 6 of taught\n") and "\nRating 1635 (1575 to 1695)" in result
    assert "0 games" not in result and "rank" not in result  # it plays none, and has no other individual
    assert "depth" not in hands.keys and hands.widget("policy")
    for size in ((1280, 800), (1000, 700), (800, 600)):
        hands.resize(size)
        hands.wait(0.2)
        details, look = hands.widget("details"), hands.app.look
        lines = look.fonts.wrap(details.text, details.rect.w, look.px(details.size))
        assert len(lines) * look.fonts.height(look.px(details.size)) <= details.rect.h  # all of it is there
