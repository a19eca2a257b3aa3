"""The race of a run to the levels: its curve, the levels that were beaten, its sentences, and the moment of a level."""

from __future__ import annotations

from math import inf, nan
from pathlib import Path

import pytest

from evolve.run.runs import SHIPPED_RUNS
from evolve.run.status import State
from evolve.strength.levels import LEVELS, RANDOM
from evolve.strength.verdict import OPPONENTS
from gui.evolving.arena import LOOK_SECONDS, MOMENT_SECONDS, PASSED, Spectacle
from gui.evolving.race import HIGH, LOW, Race, RaceLine, beaten_by, filled, headline, race_of, smoothed
from gui.geometry import Rect
from gui.runs.live_run import LiveRun
from gui.screens.evolution import race_plot
from gui.screens.sessions.session import SessionScreen
from tests.cases import for_each
from tests.gui.hands import Hands, Opened
from tests.gui.session_folder import RatedFolder, SessionFolder
from tests.gui.tables import FakeThinker

NAMES = ["Random moves", "Beginner", "Casual", "Club", "Strong", "Expert", "Champion"]


def lines(*beaten: int) -> tuple[RaceLine, ...]:
    each = [*beaten, *[-1] * (len(NAMES) - len(beaten))]
    return tuple(RaceLine(name, 100.0 * at, by) for at, (name, by) in enumerate(zip(NAMES, each, strict=True)))


def race(*beaten: int) -> Race:
    return Race((), (), (), True, lines(*beaten), tests=(True, False, False, True, False))


def test_the_curve_is_the_mean_of_the_estimates_of_24_generations() -> None:
    values = [-1000.0, -500.0, nan, -900.0, *[-100.0] * 24]
    means = smoothed(values, [nan] * 28, [nan] * 28)
    assert means[:4] == [-1000.0, -750.0, None, -800.0]
    assert means[-1] == -100.0


def test_an_estimate_without_bounds_does_not_move_the_curve_beyond_what_is_known() -> None:
    lost = smoothed([-inf, -inf], [-inf, -inf], [-651.6, -1300.0])
    assert lost == [RANDOM, (RANDOM - 1300.0) / 2]
    won = smoothed([100.0, inf, inf], [0.0, -300.0, 250.0], [200.0, inf, inf])
    assert won == [100.0, 100.0, 150.0]


def test_estimates_between_ratings_have_the_level_of_the_last_ratings() -> None:
    curve = filled([100.0, None, None, 250.0], [-200.0, -100.0, nan, -300.0])
    assert curve == [100.0, 150.0, 150.0, 175.0]  # means -200, -150, -150, -200; differences 300, then 375
    assert filled([None, 50.0], [nan, nan]) == [None, 50.0]


def test_a_level_is_beaten_by_the_generation_that_the_log_counts_it_for() -> None:
    assert beaten_by([0, nan, 1, 1, 3]) == [2, 4, 4, -1, -1, -1, -1]
    assert beaten_by([]) == [-1] * len(OPPONENTS)
    assert beaten_by([99]) == [0] * len(OPPONENTS)  # of a later version with more levels


@for_each(
    ("beaten", "generation", "text"),
    [
        ((), -1, "The first generation is about to play."),
        ((), 3, "Generation 3. It has not beaten random moves yet."),
        ((), 4, "Generation 4. It has not met a level yet."),
        ((3,), 3, "Generation 3. It beats random moves; the next level is Beginner."),
        ((3, 9), 9, "Generation 9. It beats Beginner; 8 generations ago, none had beaten random moves."),
        ((3, 9), 11, "Generation 11. Generation 9 beat Beginner; 8 generations ago, none had beaten Beginner."),
        ((3, 9), 40, "Generation 40. Generation 9 beat Beginner; the next level is Casual."),
        ((3, 9, 20), 12, "Generation 12. Generation 9 beat Beginner; 8 generations ago, none had beaten Beginner."),
        ((0,) * 7, 1000, "Generation 1,000. Generation 0 beat Champion, the strongest level."),
    ],
)  # fmt: skip
def test_the_headline_says_what_is_beaten_and_what_was_not(beaten: tuple[int, ...], generation: int, text: str) -> None:
    assert headline(race(*beaten), generation) == text


def test_the_race_of_a_shipped_run() -> None:
    run = LiveRun(SHIPPED_RUNS / "first")
    while run.read() or run.busy:
        pass
    shown = race_of(run)
    assert [line.name for line in shown.lines] == NAMES
    assert [line.beaten for line in shown.lines] == [16, 16, 32, 64, -1, -1, -1]
    assert (shown.estimated, len(shown.values), shown.length) == (False, 113, 128)
    assert shown.values[112] == pytest.approx(1630, abs=1) and shown.values[111] is None
    assert shown.value_at(111) == shown.values[96]


def test_a_run_without_tests_against_levels_is_compared_by_its_ratings() -> None:
    run = LiveRun(SHIPPED_RUNS / "crownhead-1")
    while run.read() or run.busy:
        pass
    shown = race_of(run)
    assert shown is not None and not shown.tested
    assert headline(shown, 0) == "Generation 0. Above Club."
    assert headline(shown, 60) == "Generation 60. Above Club, about Strong."
    assert headline(shown, 70) == "Generation 70. Above Strong."
    assert headline(shown, 100) == "Generation 100. Above Club, about Strong; generation 70 was above Strong."


def test_a_level_is_lost_if_the_newest_rating_is_not_above_it() -> None:
    def lost(tested: bool) -> list[bool]:
        lines = tuple(RaceLine(name, rating, 1) for name, rating in (("Casual", 900), ("Club", 1200), ("Strong", 1500)))
        shown = Race((1000.0, 1600.0, 1300.0), (800.0, 1400.0, 1100.0), (1200.0, 1800.0, 1500.0), False, lines, tested)
        return [shown.lost(line) for line in lines]

    assert lost(tested=False) == [False, True, False]  # Strong was never surely passed
    assert lost(tested=True) == [False, False, True]


def test_runs_without_ratings_have_no_race_and_one_network_passes_levels_by_its_rating(tmp_path: Path) -> None:
    races = []
    for path in (SessionFolder(tmp_path / "demo", 3).path, SHIPPED_RUNS / "zero"):
        run = LiveRun(path)
        while run.read() or run.busy:
            pass
        races.append(race_of(run))
    assert races[0] is None and races[1] is not None and not races[1].tested
    assert 0 <= races[1].passed(races[1].lines[0]) <= races[1].passed(races[1].lines[2])


ROWS = [(-1000.0, -1300.0, -800.0, 0), (-900.0, -1100.0, -700.0, 1), (-800.0, -820.0, -500.0, 2)]


def watched(opened: Opened, tmp_path: Path, generations: int) -> tuple[Hands, RatedFolder]:
    folder = RatedFolder(tmp_path / "runs" / "demo", [*ROWS, *[(-600.0, -640.0, -400.0, 2)] * 30], generations)
    folder.say(State.RUNNING)
    hands = opened()
    hands.app.open(SessionScreen(hands.app, folder.path))
    hands.wait(0.5)
    return hands, folder


def test_all_levels_are_there_before_the_first_generation(opened: Opened, tmp_path: Path) -> None:
    hands, folder = watched(opened, tmp_path, 0)
    plot = hands.widget("rating")
    assert [level.name for level in plot.levels] == NAMES
    assert plot.range == (LOW, HIGH)
    assert plot.levels[0].value > LOW and plot.levels[-1].value < HIGH
    folder.complete()
    hands.wait(0.5)
    assert hands.widget("rating").range == (LOW, HIGH)
    assert hands.widget("rating").says(0) == "Generation 0: about 500"
    hall = hands.widget("hall")
    assert hall.columns[-1].title == "Estimate" and hall.cells(0)[-1] == "500", "one number for a generation"


def test_a_level_that_falls_flashes_is_named_and_heard_once(opened: Opened, tmp_path: Path) -> None:
    hands, folder = watched(opened, tmp_path, 1)
    assert PASSED not in hands.heard
    folder.complete()
    hands.wait(0.5)
    assert hands.heard.count(PASSED) == 1
    plot = hands.widget("rating")
    assert (plot.flashing, plot.beaten[:2]) == (0, (1, -1))
    assert plot.flash > 0
    assert hands.widget("headline").text == "Generation 1 beats random moves!"
    hands.wait(MOMENT_SECONDS + 1)
    assert hands.widget("rating").flash == 0
    assert hands.widget("headline").text.startswith("It beats random moves")
    assert hands.heard.count(PASSED) == 1


def test_the_axis_of_generations_does_not_move_with_every_generation(opened: Opened, tmp_path: Path) -> None:
    hands, folder = watched(opened, tmp_path, 2)
    lengths = []
    for _ in range(20):
        folder.complete()
        hands.wait(0.5)
        lengths.append(hands.widget("rating").length)
    assert sorted(set(lengths)) == [16, 32]


def test_nothing_moves_at_rest(tmp_path: Path) -> None:
    folder = RatedFolder(tmp_path / "demo", ROWS, 3)
    run = LiveRun(folder.path)
    while run.read() or run.busy:
        pass
    spectacle = Spectacle(run, FakeThinker())  # type: ignore[arg-type]
    assert spectacle.tick(0.0)
    assert not spectacle.tick(1.0)
    assert spectacle.pace == LOOK_SECONDS  # for the games of the arena
    assert spectacle.race is not None and spectacle.race.lines[2].rating == LEVELS[1].rating + 1500


def test_a_curve_of_few_games_is_called_an_estimate(tmp_path: Path) -> None:
    folder = RatedFolder(tmp_path / "runs" / "few", [(100.0, 50.0, 150.0, 1)] * 2, 2)
    run = LiveRun(folder.path)
    run.read()
    spectacle = Spectacle(run, FakeThinker())  # type: ignore[arg-type]
    assert spectacle.race is not None and spectacle.race.estimated
    plot = race_plot(spectacle, spectacle.race, Rect(0, 0, 400, 136))
    assert plot.title == "Race to the levels, estimated" and plot.hint.startswith("An estimate by few games")
    assert plot.curves[0].estimated
