"""The climb: its ladder of levels and generations, its screen, and champions whose rating is measured."""

from __future__ import annotations

import json
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evolve.config.anchors import RATINGS
from evolve.run.runs import PEOPLE_RUN, SHIPPED_NAMES, SHIPPED_RUNS
from evolve.strength.elo import rate_against
from extras.climb.ladder import merge_ladder, next_rung, rung_numbers
from extras.climb.screen import READING, RUN, Climb
from game.ballots import deck
from game.errors import InputError
from game.players.names import parse_name
from gui.background import Trouble
from gui.rating.measuring import MeasuredRatings, Measuring, key_of, rating_of
from gui.rating.rating import RANDOM_MOVES, Opponent, RatedResult, level_opponents, points_against
from gui.runs.live_run import LiveRun
from gui.runs.sources import Sources
from gui.screens.play.play import Play
from gui.widgets.base import by_id
from gui.widgets.field import MOST_ROWS
from tests.gui.hands import Hands, Opened
from tests.gui.rated_helpers import SHIPPED, first_of_the_deck, move


def climbing(hands: Hands) -> Climb:
    screen = hands.app.screen
    assert isinstance(screen, Climb)
    hands.until(lambda: screen.chosen is not None and not hands.app.services.background.wants(screen))
    return screen


__all__ = ["first_of_the_deck"]  # a fixture
_, BEGINNER, CASUAL, CLUB, *_ = STRONG = level_opponents()


def pairing(a: str, b: str, *counts: int) -> dict[str, Any]:
    return {"a": a, "b": b, "pentanomial": counts}


LADDER = {"pairings": [pairing("r@1", "random", 0, 0, 1, 0, 4), pairing("material,depth=2", "r@1", 3, 0, 1, 1, 0),
                       pairing("material,depth=1", "random", 0, 0, 0, 0, 5)]}  # fmt: skip


def test_a_champion_is_rated_by_its_matches_against_anchors_as_in_a_session() -> None:
    known = [(RATINGS["random"], (0, 0, 1, 0, 4)), (RATINGS["material,depth=2"], (0, 1, 1, 0, 3))]
    assert rating_of(LADDER, "r@1") == rate_against(known)
    with pytest.raises(InputError, match="won all games"):
        rating_of({"pairings": [pairing("r@1", "random", 0, 0, 0, 0, 5)]}, "r@1")


def measured(folder: Path, script: str, seconds: float = 60) -> Measuring:
    process = Measuring(MeasuredRatings(folder), folder, (sys.executable, "-c", script))
    process.begin("r@1 0", "r@1")
    end = time.monotonic() + seconds
    while not process.step():
        assert time.monotonic() < end
        time.sleep(0.005)
    return process


def test_it_is_measured_by_a_process_and_kept(tmp_path: Path) -> None:
    text = "import sys; assert sys.argv[1:3] == ['ladder', 'r@1']"
    done = measured(tmp_path, f"{text}; print({json.dumps(json.dumps(LADDER))})")
    result = rating_of(LADDER, "r@1")
    assert done.measured.find("r@1 0") == (result.value, result.low, result.high)
    assert MeasuredRatings(tmp_path).find("r@1 0") == done.measured.find("r@1 0")
    assert MeasuredRatings(tmp_path).find("r@2 0") is None
    failed = measured(tmp_path, "import sys; sys.exit('main.py: the weights are damaged')")
    assert failed.trouble == "It could not be measured. The weights are damaged."
    assert failed.present == ""
    (tmp_path / "measured_champions.json").write_text("[")
    assert MeasuredRatings(tmp_path).find("r@1 0") is None


def test_a_generation_plays_as_it_was_rated(tmp_path: Path) -> None:
    """It plays without tablebases; a policy has none to leave out."""
    sources, ladder = Sources(SHIPPED), Measuring(MeasuredRatings(tmp_path), SHIPPED)
    rated, policy = sources.live(SHIPPED / "crownhead-1"), sources.live(SHIPPED / "policy")
    one = ladder.champion(rated, 1)
    assert (one.player, ladder.measured_player(rated, 1)) == ("crownhead-1@1,tablebase=no",) * 2
    assert key_of(rated, 1).endswith("tablebase=no")  # a rating measured with tablebases is another rating
    assert ladder.measured_player(policy, 0) == "policy@0"


def test_a_process_that_measures_ends_with_the_window(tmp_path: Path) -> None:
    ladder = Measuring(MeasuredRatings(tmp_path), tmp_path, (sys.executable, "-c", "import time; time.sleep(600)"))
    ladder.begin("r@1 0", "r@1")
    process = ladder._process
    assert process is not None and process.running
    ladder.close()
    assert process.process.wait(60) != 0


def begun(opened: Opened) -> tuple[Hands, Climb]:
    hands = opened(runs=SHIPPED)
    hands.key("l")
    screen = climbing(hands)
    hands.until(lambda: bool(screen.levels and screen.rungs))
    return hands, screen


def test_a_rated_game_from_the_ladder_to_the_rating(opened: Opened, tmp_path: Path) -> None:
    runs = tmp_path / "shipped"  # without runs that were evolved in this checkout
    runs.mkdir()
    for name in SHIPPED_NAMES:
        (runs / name).symlink_to(SHIPPED_RUNS / name)
    hands = opened(runs=runs)
    assert hands.widget("rating").text == "No rating yet"
    hands.key("l")
    screen = climbing(hands)
    hands.until(lambda: bool(screen.levels and screen.rungs))
    assert screen.run_name == "first"
    ratings = [each.rating for each in screen.listed if each.rating is not None]
    assert ratings == sorted(ratings, reverse=True)
    assert {each.name for each in screen.listed} >= {"Club", "generation 0"}
    goal = screen.goal
    assert goal is not None and screen.chosen == goal and hands.widget("board").hint == "From one of its games"
    assert "You score about 50 %." in hands.widget("facts").text
    hands.until(lambda: "crownhead" in screen.known)
    strongest = screen.listed[0]
    run, number = screen.place_of(strongest)
    assert run is not None and (strongest.name, run.name, number) == ("Champion", "crownhead", 120)
    screen.pick_run([run.name for run in screen.runs].index("crownhead-1"))
    hands.until(lambda: bool(screen.rungs) and screen.run_name == "crownhead-1")
    screen.show(screen.rungs[0])
    assert screen.rungs[0].rating == pytest.approx(-159, abs=1)  # as the log says
    hands.wait(0.1)
    assert "Win two of three to go up" in hands.widget("facts").text
    assert hands.widget("rating.interval").text == "It begins at 978."
    assert hands.widget("rating.interval").hint.startswith("You begin at 978, the rating of Casual")
    assert "you take back a move" in hands.widget("play").hint
    hands.key("p")
    assert hands.game.model.opening.ballot == deck()[0]
    assert hands.game.model.seed == 0  # it plays as it was rated
    assert (hands.widget("strip0").rating, hands.widget("strip0").line) == ("978", "Rated game")
    assert hands.widget("strip1").rating == "1341"
    hands.answer()
    assert "Rated: no take-backs" in hands.words[1]
    hands.key("<resign>", "return")
    career = hands.app.services.career
    hands.until(lambda: career.rating is not None)
    assert [(each.opponent.generation, each.points) for each in career.results] == [(0, 0.0)]
    assert hands.words[0] == "You lost after 2 moves"
    hands.until(lambda: "Win two of three, and you meet Strong. Your rating: 8" in hands.words[1])
    hands.key("escape")
    assert climbing(hands) is screen
    hands.until(lambda: hands.widget("rating").text.startswith("Your rating: 8"))
    assert "95 %: below" in hands.widget("rating.interval").hint
    assert hands.widget("rating.interval").text.startswith("Probably below ")
    assert any("0 of 1" in str(hands.widget("rungs").cells(row)) for row in range(len(screen.listed)))
    assert screen.chosen == screen.goal
    screen.show(screen.rungs[0])
    hands.wait(0.1)
    assert "You play White" in hands.widget("play").text


def test_random_moves_are_a_rated_opponent(opened: Opened) -> None:
    hands, screen = begun(opened)
    screen.show(RANDOM_MOVES)
    hands.wait(0.1)
    assert "Plays any legal move" in hands.widget("facts").hint and "Rated 332" in hands.widget("facts").text
    hands.key("p")
    move(hands)
    hands.key("<resign>", "return")
    career = hands.app.services.career
    hands.until(lambda: career.rating is not None)
    assert [(each.opponent.player, each.points) for each in career.results] == [("random", 0.0)]


def test_a_champion_that_learnt_by_tree_search_is_met_as_it_was_rated(tmp_path: Path) -> None:
    champion = Measuring(MeasuredRatings(tmp_path), SHIPPED).champion(
        LiveRun(SHIPPED / "zero", player_name="zero"), 240
    )
    assert parse_name(champion.player).options == {"search": "alphabeta", "tablebase": "no", "nodes": "1000"}


def test_champions_whose_weights_were_left_out_are_no_rungs(opened: Opened) -> None:
    hands = opened(runs=SHIPPED)
    hands.app.services.store.set(RUN, "crownhead-2")
    hands.key("l")
    screen = climbing(hands)
    hands.until(lambda: bool(screen.rungs))
    assert [each.generation for each in screen.rungs] == [0, 1, 6]


def test_as_strong_as_you_and_the_ways_through_the_list(opened: Opened, tmp_path: Path) -> None:
    hands, screen = begun(opened)
    hands.key("home", "=")
    assert screen.chosen == CASUAL
    assert "sometimes distracted, and sees a move ahead" in hands.widget("facts").hint
    hands.key("up")
    assert screen.chosen == screen.listed[screen.listed.index(CASUAL) - 1]
    screen.pick_run([run.name for run in screen.runs].index("endgame"))
    hands.until(lambda: screen.run is not None and screen.chosen is not None)
    assert "not measured" in str([hands.widget("rungs").cells(row) for row in range(len(screen.listed))])
    unrated = next(row for row, each in enumerate(screen.listed) if each.rating is None)
    hands.click_row("rungs", unrated)
    assert "Not measured yet." in hands.widget("facts").text
    assert "counts for the climb, but not for your rating" in hands.widget("facts").hint
    assert "\nNot rated. You play " in hands.widget("play").text
    go_on = tmp_path / "go on"
    waits = f"while not os.path.exists({str(go_on)!r}): time.sleep(0.01)"
    lines = "import os, sys, time", "assert 'tablebase=no' in sys.argv[2]", waits, f"print({json.dumps(LADDER)!r})"
    command = (sys.executable, "-c", "\n".join(lines))
    hands.app.services.measuring._command = command
    hands.click("do.measure")
    assert "being measured" in hands.widget("facts").text
    go_on.touch()
    hands.until(lambda: screen.chosen is not None and screen.chosen.rating is not None)
    assert "do.measure" not in hands.keys
    assert "without tablebases, as it evolved" in hands.widget("facts").hint
    assert "\nRated. You play " in hands.widget("play").text
    hands.key("escape", "=")
    assert hands.game.rated.counts and hands.game.model.seats[1].shown.startswith("Casual")


def test_a_run_is_chosen_by_mouse(opened: Opened) -> None:
    hands, screen = begun(opened)
    names = [run.name for run in screen.runs]
    wanted = next(name for name in names[:MOST_ROWS] if name not in (screen.run_name, "cast", "people", "search-free"))
    hands.click("run")
    box = screen.ui.memory["run"].box
    hands.click((box.centre[0], box.y + box.h * (2 * names.index(wanted) + 1) // (2 * min(len(names), MOST_ROWS))))
    assert screen.run_name == hands.app.services.store.get("climb_run", "") == wanted
    hands.until(lambda: bool(screen.rungs))
    last = screen.rungs[-1]
    hands.click_row("rungs", screen.listed.index(last), times=2)
    play = hands.app.screen
    assert isinstance(play, Play)
    assert (play.model.seats[1].player, play.model.seats[1].depth) == (last.player, last.depth)


def test_two_wins_go_up(opened: Opened) -> None:
    hands, screen = begun(opened)
    for points in (1, 0, 0):  # the two wins of three games need not be the only wins
        assert screen.chosen is not None
        game = screen.career.begin(screen.chosen)
        screen.career.finish(screen.career.game_of(game), points)
    for won in (4, 5):
        hands.key("p")
        play = hands.app.screen
        assert isinstance(play, Play)
        play.model.resign(0 if play.model.seats[1].human else 1)
        hands.until(lambda won=won: len(hands.app.services.career.results) == won)
        hands.until(lambda: not hands.app.services.career.busy)
        hands.wait(0.2)
        assert hands.words[0] == "You won after 2 moves"
        step = "Casual is climbed: next is generation 48." if won == 5 else "One more win and you meet generation 48."
        assert step in hands.words[1]
        assert ("do.other" in hands.keys) is (won == 5)
        hands.key("escape")
    assert climbing(hands) is screen
    assert screen.chosen is not None
    at = screen.listed.index(screen.chosen)
    assert [hands.widget("rungs").cells(row)[0].draw.args[:2] for row in (at + 1, at)] == [(True, False), (False, True)]


def test_no_opponent_is_chosen_before_levels_are_read(opened: Opened) -> None:
    screen = begun(opened)[1]
    levels = screen.known.pop(PEOPLE_RUN)  # as if the run of the climb had been read first
    play = by_id(screen.commands())["play"]
    assert screen.rungs and screen.listed == [] and (play.enabled, play.why) == (False, READING)
    screen._take(PEOPLE_RUN, levels, Trouble("damaged"))
    assert [one.run for one in screen.listed] == [screen.run_name] * len(screen.rungs) and screen.chosen is not None


def test_climb_without_runs_shows_the_next_step(opened: Opened) -> None:
    hands = opened()
    hands.key("l")
    hands.wait(1.0)
    assert "New session" in hands.widget("rungs").empty
    hands.key("p")
    assert isinstance(hands.app.screen, Climb)


def result(opponent: Opponent, points: float) -> RatedResult:
    return RatedResult("", opponent, points)


def rung(number: int, rating: float | None = None) -> Opponent:
    return Opponent(f"r@{number}", 2, "", f"generation {number}", rating, rating, rating, "r", number)


def test_rungs_are_fewer_among_later_generations() -> None:
    assert rung_numbers(-1) == []
    assert rung_numbers(0) == [0]
    assert rung_numbers(6) == [0, 1, 2, 5, 6]
    assert rung_numbers(100) == [0, 1, 2, 5, 10, 20, 50, 100]
    assert rung_numbers(150)[-3:] == [50, 100, 150]


def test_the_next_rung_of_a_ladder_of_levels_and_generations() -> None:
    numbers = {0: -1300.0, 1: None, 2: -900.0, 5: -400.0}
    champions = [replace(rung(number), rating=rating) for number, rating in numbers.items()]
    ladder = merge_ladder(STRONG, champions)
    names = [each.name for each in ladder]
    assert names[:7] == [
        "generation 1",
        "generation 0",
        "Random moves",
        "generation 2",
        "Beginner",
        "Casual",
        "generation 5",
    ]
    assert next_rung([], ladder) == CASUAL  # the first one of people, by their first rating
    assert next_rung([result(ladder[0], 1)] * 2, ladder) == ladder[3]  # nobody knows how strong the climbed one is
    won = [result(CASUAL, 1)] * 2
    assert next_rung(won, ladder) == ladder[6]  # what was climbed need not be climbed from below
    assert next_rung([*won, *[result(ladder[-1], 1)] * 2], ladder) == ladder[-1]
    assert next_rung(won, []) is None
    deeper = replace(champions[3], player="r@5,tablebase=no", depth=6)
    assert points_against([result(deeper, 0.5)], champions[3]) == [0.5]


def test_a_generation_that_is_a_level_is_listed_once_with_the_name_of_the_level() -> None:
    alone = Opponent("crownhead@120,tablebase=no", 8, "", "generation 120", run="crownhead", generation=120)
    other = replace(alone, depth=6)
    assert merge_ladder(STRONG, [alone]) == STRONG
    assert other in merge_ladder(STRONG, [other])
