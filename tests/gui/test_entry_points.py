"""The opponent at the first start, and the meaning of names on the command line."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evolve.config.preset_files import ConfigError
from evolve.names.registration import register
from evolve.run.folder import Run
from evolve.strength.levels import LEVELS
from game.board import Position
from game.errors import InputError
from game.players import registry
from game.players.names import PlayerNameError, parse_name
from game.search.interface import TREE_LIMITS, Limits
from gui import entry_points
from gui.app import App
from gui.individuals import opponents
from gui.individuals.available import FALLBACK
from gui.screens.home import Home
from gui.screens.play.game_screen import GameScreen
from gui.screens.play.watching import Watching
from gui.thinking.messages import Purpose, SearchRequest
from gui.thinking.thoughts import Players
from tests.gui.hands import Hands, Opened
from tests.runs import make_run

RUNS = Path(__file__).parents[2] / "populations"


def newest() -> tuple[int, str]:
    """Return the newest generation of the shipped run, and its champion."""
    run = Run(RUNS / "crownhead")
    return run.manifest().newest, str(run.read_generation().names[0])


@pytest.fixture
def enter(tmp_path: Path, display: None, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Hands]:
    """Return a function that makes a window in which `entry_points` opens its screens, before its first frame."""

    def make(**more: Any) -> Hands:
        hands = Hands(tmp_path, opened=False, **more)
        hands.app.open(Home(hands.app))

        def run(runs: Path, first: Callable[[App], object] = lambda app: None) -> None:
            first(hands.app)

        monkeypatch.setattr(entry_points, "run", run)
        return hands

    return make


@pytest.fixture
def entered(enter: Callable[..., Hands]) -> Hands:
    return enter(runs=RUNS, depth=6, seconds=2.0)


def seats(hands: Hands) -> list[tuple[str | None, int, float | None]]:
    screen = hands.app.screen
    assert isinstance(screen, GameScreen)
    return [(seat.player, seat.depth, seat.seconds) for seat in screen.model.seats if not seat.human]


def test_the_first_game_is_against_the_level_of_a_newcomer_before_the_list_is_read(entered: Hands) -> None:
    entered.send()
    assert not entered.app.services.sources.looks
    entered.key("return")
    assert seats(entered) == [("people,strength=0.8", 6, 2.0)]  # at the depth that was chosen
    assert entered.game.model.seats[1].title == "Generation 12 of people"


def test_without_runs_one_plays_the_piece_counter_and_a_damaged_shipped_run_is_left_out(
    opened: Opened, tmp_path: Path
) -> None:
    hands = opened()
    assert hands.app.services.opponents.recommend() == hands.app.services.opponents.seat("material", "material")
    run = tmp_path / "damaged" / "crownhead"
    run.mkdir(parents=True)
    (run / "manifest.csv").write_text("generation,file\n0,none.csv\n")
    assert opponents.champion(run.parent, "crownhead") is None
    assert FALLBACK.shown == "Piece counter"


def test_without_the_shipped_run_it_is_the_champion_of_the_newest_one(opened: Opened, tmp_path: Path) -> None:
    for number, name in enumerate(("older", "newer", "newest")):
        make_run(tmp_path / "runs", name)
        os.utime(tmp_path / "runs" / name / "manifest.csv", (1e9 + number, 1e9 + number))
    (tmp_path / "runs" / "newest" / "manifest.csv").write_text("generation,file\n")  # a run without a generation
    os.utime(tmp_path / "runs" / "newest" / "manifest.csv", (2e9, 2e9))
    hands = Hands(tmp_path, opened=False)
    hands.app.open(Home(hands.app))
    hands.key("return")
    assert seats(hands)[0][0] == "newer"


def test_early_texts_agree_with_the_configuration() -> None:
    names = [run.name for run in RUNS.iterdir() if (run / "config.toml").exists()]
    assert len(names) >= 5
    for name in names:
        run = Run(RUNS / name)
        config = run.config()
        expected = TREE_LIMITS if config.kind.search == "tree" else run.conditions().limits
        assert opponents.evolved_limits(RUNS, name) == expected, name
        assert opponents.search_of(RUNS, name) == config.kind.search, name
        searches = run.network().values and config.kind.search not in ("policy", "glance")
        assert opponents.is_policy(RUNS, name) is not searches, name


@pytest.mark.parametrize(
    "search", ["depth = true", "depth = 0", "depth = 1.5", "nodes = -1", "unknown = 1", "selective = 1"]
)
def test_forbidden_search_shows_no_values(tmp_path: Path, search: str) -> None:
    make_run(tmp_path, "odd", generations=1)
    (tmp_path / "odd" / "config.toml").write_text(f"[record]\nformat = 1\n[search]\n{search}\n")
    assert opponents.evolved_limits(tmp_path, "odd") is None
    with pytest.raises(ConfigError, match=r"search\."):
        Run(tmp_path / "odd").conditions()


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("crownhead", ("crownhead", 6, 2.0)),
        ("crownhead-2@1", ("crownhead-2@1", 6, 2.0)),
        ("material,depth=3", ("material", 3, 2.0)),
        ("material,time=1", ("material", 12, 1.0)),
        ("material,depth=2,time=9", ("material", 2, 9.0)),
        ("material,nodes=500", ("material,nodes=500", 12, None)),
    ],
)
def test_names_without_limits_have_those_of_the_settings(
    entered: Hands, name: str, expected: tuple[str, int, float | None]
) -> None:
    entry_points.play(RUNS, name, "black", None)
    assert seats(entered) == [expected]
    entry_points.watch(RUNS, "random", name)
    assert isinstance(entered.state, Watching)
    assert seats(entered) == [("random", 6, 2.0), expected]


def test_before_a_depth_was_chosen_players_look_as_far_as_while_evolving(
    tmp_path: Path, enter: Callable[..., Hands]
) -> None:
    runs = tmp_path / "runs"
    deepens = "depth = 1\ndeepen_every = 2\ndeepest = 9\n"
    for name, search in (("blind", "depth = 1\n"), ("deep", "depth = 6\n"), ("deepens", deepens), ("odd", "[\n")):
        make_run(runs, name, generations=7 if name == "deepens" else 3)
        (runs / name / "config.toml").write_text(f"[record]\nformat = 1\n[search]\n{search}")
    hands = enter()
    for player, depth in (("blind", 1), ("blind@1", 1), ("deep", 6), ("odd", 4), ("material", 4), ("deep,depth=2", 2)):
        entry_points.play(runs, player, "black", None)
        assert seats(hands)[0][1] == depth, player
    for player, depth in (("deepens", 7), ("deepens@6", 7), ("deepens@5:Gen5_0001", 5), ("deepens@0", 1)):
        assert opponents.evolved_limits(runs, player) == Limits(depth), player
    assert opponents.evolved_limits(runs, str(runs / "deep")) == Limits(6)
    assert opponents.evolved_limits(runs, "'never closed") is None
    hands.app.change_settings(depth=5)
    entry_points.play(runs, "blind", "black", None)
    assert seats(hands) == [("blind", 5, 5.0)]


def test_node_limit_of_evolution_holds_until_a_depth_is_chosen(tmp_path: Path, enter: Callable[..., Hands]) -> None:
    """As on the command line, a file of a generation, named by its path, plays with the limits of its run."""
    runs = tmp_path / "runs"
    for name, search in (("few", "depth = 5\nnodes = 300\n"), ("far", "depth = 40\nnodes = 900\n")):
        make_run(runs, name)
        (runs / name / "config.toml").write_text(f"[record]\nformat = 1\n[search]\n{search}quiescence = true\n")
    file = str(runs / "few" / "generation_0001.csv")
    hands = enter()
    register(runs)

    def played(name: str) -> tuple[str | None, int]:
        entry_points.play(runs, name, "black", None)
        ((player, depth, _),) = seats(hands)
        return player, depth

    far = "far,nodes=900", 12  # as deep as the window looks
    for name, expected in (("few", ("few,nodes=300", 5)), (file, (f"{file},nodes=300", 5)), ("far", far),
                           ("few,depth=3", ("few", 3)), ("few,nodes=70", ("few,nodes=70", 12))):  # fmt: skip
        assert played(name) == expected
    as_evolved = Players(runs).find(
        SearchRequest(Purpose.MOVE, 1, parse_name(f"{file},nodes=300"), Position.start(), depth=5)
    )
    assert as_evolved.searching is not None and as_evolved.searching.limits == Limits(5, 300)
    assert as_evolved.identity == registry.player(file).identity
    hands.app.change_settings(depth=4)
    assert played("few") == ("few", 4) and played(file) == (file, 4)
    chosen = registry.player("few,depth=4").searching
    assert chosen is not None and chosen.limits == Limits(4)


def large_file(folder: Path) -> Path:
    path = folder / "large.csv"
    with path.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["name", *(f"w{n}" for n in range(247))])
        for number in range(100):  # more than one piece of `RowIndex`
            writer.writerow([f"P{number}", *["0.5"] * 247])
    return path


def test_the_name_of_a_level_is_a_player_unless_a_run_has_it(entered: Hands, tmp_path: Path) -> None:
    for level in LEVELS:
        entry_points.play(RUNS, level.name.upper(), "black", None)
        assert seats(entered)[0][:2] == (level.player, level.depth)
        assert entered.game.model.seats[1].title == level.title
    with pytest.raises(PlayerNameError, match=r"no run 'Clubs'.*, or a level: Beginner, "):
        entry_points.play(RUNS, "Clubs", None, None)
    assert opponents.player_of_level(tmp_path, "Club") == f"{LEVELS[2].player},depth=3"
    make_run(tmp_path, LEVELS[2].run)
    with pytest.raises(PlayerNameError, match=r"^Club: the run people of this level is not as shipped in "):
        entry_points.play(tmp_path, "Club", None, None)
    make_run(tmp_path, "Club")
    assert opponents.player_of_level(tmp_path, "Club") == "Club"


def test_names_are_known_without_reading_weights(tmp_path: Path, limit: Callable[..., None]) -> None:
    path = large_file(tmp_path)
    number, best = newest()
    known = [str(path), f"{path}:P99", "crownhead", f"crownhead:{best}", f"crownhead@{number}", "random", "material"]
    for name in known:
        assert opponents.is_known(RUNS, parse_name(name)), name
    for name in (
        "nobody",
        f"crownhead@{number + 1}",
        f"{path}:Q",
        "no.csv",
        "crownhead:Nobody",
        "external:none",
        str(tmp_path),
    ):
        assert not opponents.is_known(RUNS, parse_name(name)), name
    with pytest.raises(PlayerNameError, match="start"):
        entry_points.play(RUNS, "crownhead,start=2", None, None)
    limit(opponents, "LARGEST", 100)
    assert opponents.is_known(
        RUNS, parse_name(f"{path}:P999")
    )  # only its weights can decide this, and no frame waits for them


def test_file_for_an_unknown_network_is_reported_before_a_window_opens(entered: Hands, tmp_path: Path) -> None:
    path = tmp_path / "odd.csv"
    path.write_text("name,w0,w1\nA,1,2\n")
    with pytest.raises(InputError, match="name its network with network=FILE"):
        entry_points.play(RUNS, str(path), None, None)
    assert isinstance(entered.app.screen, Home)
