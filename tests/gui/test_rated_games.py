"""Rated games in a window: which games count, and the level about as strong as the person."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import extras
from gui.model.ending import Cause, Ending
from gui.model.game import GameModel
from gui.model.seats import HUMAN
from gui.rating.rating import FEW_GAMES, Opponent, RatedResult, level_opponents, milestone
from gui.screens.home import Home
from gui.screens.play.play import Play
from gui.screens.play.rated import DRAWN, RULES, begin_rated
from tests.gui.hands import Hands, Opened
from tests.gui.kept_games_helpers import COUNTER, REVIEW, game, keep
from tests.gui.rated_helpers import SHIPPED, begin, begun, first_of_the_deck, move

__all__ = ["first_of_the_deck"]  # a fixture
_, BEGINNER, CASUAL, CLUB, *_ = level_opponents()


def test_help_is_off_until_a_rated_game_is_over(opened: Opened) -> None:
    hands = begun(opened)
    play = hands.app.screen
    assert isinstance(play, Play)
    move(hands)
    for key in ("u", "h", "v", "b", "i"):
        hands.key(key)
        assert hands.app.screen is play and hands.app.notice == RULES
    assert not any(hands.widget(each).enabled for each in ("do.undo", "do.hint", "show.analysis"))
    hands.key("left")
    hands.key("p")
    assert play.rated.counts and len(play.model.plies) == 6 and "scores" not in hands.keys
    hands.key("<resign>", "return")
    hands.until(lambda: hands.app.services.career.results != [])
    assert hands.widget("show.analysis").enabled


def test_analysis_is_off_while_a_game_counts_and_on_after_it(opened: Opened) -> None:
    hands = begun(opened, evaluation_bar=True, panel="analysis")
    play = hands.app.screen
    assert isinstance(play, Play)
    assert "bar" not in hands.keys and "scores" not in hands.keys
    assert not play.table._analysing
    hands.key(".")
    assert "thinks for as long as when" in str(next(c for c in play.commands() if c.id == "move-now").reason)
    hands.key("<resign>", "return")
    hands.wait(0.5)
    assert {"bar", "scores"} <= set(hands.keys)
    assert play.table._analysing


def test_rated_game_continues_after_a_break_with_a_rated_rematch(opened: Opened) -> None:
    hands = begun(opened)
    game = hands.app.screen.rated.game  # type: ignore[attr-defined]
    move(hands)
    hands.key("escape", "escape")
    hands.wait(0.5)  # kept games are read in steps
    hands.key("c")
    play = hands.app.screen
    assert isinstance(play, Play)
    assert play.rated.counts
    assert play.rated.game == game
    hands.key("<resign>", "return")
    hands.until(lambda: hands.app.services.career.rating is not None)
    assert not next(command for command in play.commands() if command.id == "swap").enabled
    first = play.model.opening.ballot
    hands.key("r")
    assert play.rated.counts
    assert play.rated.game != game
    assert not play.model.seats[0].human
    assert play.model.opening.ballot == first


def test_unfinished_rated_game_is_offered_before_another(opened: Opened) -> None:
    hands = begun(opened)
    first = hands.app.screen.rated.game  # type: ignore[attr-defined]
    move(hands)
    hands.key("escape")
    begin(hands)
    assert "counts as lost if you begin another one" in hands.widget("text").text
    hands.key("escape")
    assert isinstance(hands.app.screen, Home)
    begin(hands)
    hands.key("return")
    play = hands.app.screen
    assert isinstance(play, Play)
    assert play.rated.game == first and play.rated.counts and len(play.model.plies) == 6
    hands.key("escape")
    begin(hands)
    hands.key("ctrl+return")
    play = hands.app.screen
    assert isinstance(play, Play)
    assert play.rated.game != first and play.rated.counts
    hands.until(lambda: hands.app.services.career.rating is not None)
    assert [(each.game, each.points) for each in hands.app.services.career.results] == [(first, 0.0)]


def test_levels_are_a_ladder_without_extras(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "installed", dict)
    hands = opened(runs=SHIPPED)
    hands.until(lambda: "rating" in hands.keys)
    assert "do.climb" not in hands.keys and {"do.choose", "rating.interval"} <= set(hands.keys)
    assert "rating.mistakes" not in hands.keys
    keep(hands.app.services.kept.data, game(0, 0, seats=(HUMAN, COUNTER)), REVIEW)
    hands.until(lambda: "rating.mistakes" in hands.keys)
    assert hands.widget("rating.mistakes").text == "3.0 mistakes a game, 0.0 of them proved"
    career = hands.app.services.career
    for won in (1, 2):
        hands.key("=" if won == 1 else "r")
        play = hands.app.screen
        assert isinstance(play, Play) and play.rated.counts
        assert career.opponent_of(play.rated.game) == CASUAL
        play.model.resign(0 if play.model.seats[1].human else 1)
        hands.until(lambda won=won: len(career.results) == won and not career.busy)
        hands.wait(0.2)
    assert "Casual is climbed: next is Club." in hands.words[1]
    hands.key("l")
    assert career.opponent_of(play.rated.game) == CLUB
    hands.key("escape", "escape")
    hands.until(lambda: "levels" in hands.keys)
    assert hands.widget("rating").text.startswith("Your rating: ")


def test_the_levels_make_room_for_the_curve_once_the_rating_is_no_guess(opened: Opened) -> None:
    hands = opened(runs=SHIPPED)
    hands.until(lambda: "levels" in hands.keys)
    career = hands.app.services.career
    columns = hands.widget("levels")
    assert columns.names[columns.at] == "Casual" and not columns.focusable
    hands.key("4")
    columns = hands.widget("levels")
    assert columns.names[columns.chosen] == "Club" and columns.names[columns.at] == "Casual"
    hands.click((columns.rect.right - 5, columns.rect.bottom - 5))
    assert hands.widget("levels").chosen == 6 and hands.widget("play").text.startswith("Play\nChampion")
    hands.until(lambda: None not in hands.widget("levels").emblems)
    for won in range(1, FEW_GAMES + 1):
        assert "rating.plot" not in hands.keys
        career.finish(career.game_of(career.begin(CLUB)), 1)
        hands.until(lambda won=won: len(career.results) == won and not career.busy)
        hands.wait(1.0)
    plot = hands.widget("rating.plot")
    assert "levels" not in hands.keys and plot.length == FEW_GAMES + 1
    assert plot.curves[0].values[0] is None  # no step from a rating before the first game
    hands.picture()


def resign(hands: Hands, winner: str) -> Play:
    """End a rated game, and let time pass until its rating is known and begins to count."""
    play, career = hands.app.screen, hands.app.services.career
    assert isinstance(play, Play)
    person = 0 if play.model.seats[0].human else 1
    play.model.resign(1 - person if winner == "person" else person)
    hands.until(lambda: play.rated.result is not None and not career.busy)
    hands.until(lambda: play.rated.moves or play.rated.celebrated == 1)
    return play


def test_a_climbed_rung_is_drawn_and_the_rating_counts_up(opened: Opened) -> None:
    hands = begun(opened)
    resign(hands, "person")
    assert hands.heard[-1] == "won" and "climbed" not in hands.keys
    assert hands.app.notice == "Your first win in a rated game!"
    hands.wait(5.0)
    assert hands.app.notice == ""
    before = hands.widget("strip0" if hands.game.model.seats[0].human else "strip1").rating
    hands.key("r")
    play = resign(hands, "person")
    assert hands.heard[-1] == "rung" and hands.app.notice == DRAWN
    ladder = hands.widget("climbed")
    assert ladder.rungs[ladder.start] == "Casual" and ladder.rungs[ladder.start + 1] == "Club"
    assert hands.widget("do.other").kind == "main" and ladder.share < 1 and ladder.figure == before
    hands.wait(0.7)
    halfway = hands.widget("climbed")
    assert int(before) < int(halfway.figure) and ladder.share < halfway.share < 1
    hands.wait(1.0)
    end = hands.widget("climbed")
    assert end.share == 1 and int(halfway.figure) < int(end.figure) == int(before) + int(end.change)
    assert "Your rating" not in hands.words[1] and not play.rated.moves  # the ladder and the strip have it
    hands.key("left")
    assert "climbed" not in hands.keys


def test_an_unrated_win_against_a_level_is_a_piece_that_climbs_to_it(opened: Opened) -> None:
    hands = opened(runs=SHIPPED)
    hands.key("p")  # against Casual
    play = hands.app.screen
    assert isinstance(play, Play) and not play.rated.game
    play.model.resign(0)
    hands.wait(0.1)
    assert "climbed" not in hands.keys
    hands.key("r")
    play.model.resign(1)
    hands.wait(0.1)
    ladder = hands.widget("climbed")
    assert list(ladder.rungs)[ladder.start : ladder.start + 2] == ["Beginner", "Casual"]
    assert ladder.share < 1 and ladder.figure == ladder.change == ""
    hands.wait(2.0)
    assert hands.widget("climbed").share == 1 and not hands.app.services.career.results


def test_a_beaten_program_that_is_no_level_is_the_only_rung_with_a_name(opened: Opened) -> None:
    hands = opened(animation="off")
    hands.app.open(Play(hands.app, GameModel((HUMAN, COUNTER))))
    hands.wait(0.1)
    hands.game.model.resign(1)
    hands.wait(0.1)
    ladder = hands.widget("climbed")
    assert ladder.rungs == ["", COUNTER.brief] and (ladder.start, ladder.share) == (0, 1)


def test_without_animation_the_piece_has_arrived_at_once(opened: Opened) -> None:
    hands = begun(opened, animation="off")
    resign(hands, "person")
    hands.key("r")
    play = resign(hands, "person")
    assert hands.widget("climbed").share == 1 and not play.rated.moves


def test_the_end_of_a_game_sounds_as_it_is_for_the_person(opened: Opened) -> None:
    hands = begun(opened)
    resign(hands, "program")
    assert hands.heard[-1] == "lost" and hands.app.notice == DRAWN
    hands.key("r")
    hands.game.model.end(Ending(0, Cause.AGREED))
    hands.until(lambda: hands.heard[-1] == "drawn")


def results(*played: tuple[Opponent, float]) -> list[RatedResult]:
    return [RatedResult(str(number), *each) for number, each in enumerate(played)]


def test_a_first_win_a_series_and_an_ancestor_are_announced_once() -> None:
    won = [(CASUAL, 1.0), (CASUAL, 1.0)]
    assert milestone(results((CASUAL, 0.0))) == milestone(results(*won)) == ""
    assert milestone(results(won[0])) == "Your first win in a rated game!"
    assert milestone(results(*won, (CLUB, 0.5), (CLUB, 1.0))) == "Your first win against Club!"
    assert milestone(results(*won, *won[:1])) == "3 wins in a row: your longest series!"
    assert milestone(results(*won, *won)) == ""  # said when the series became the longest
    earlier = [*won, *won, (CASUAL, 0.0)]
    assert [milestone(results(*earlier, *[(CASUAL, 1.0)] * more))[:1] for more in (1, 4, 5, 6)] == ["", "", "5", ""]
    ancestor = Opponent("mine@40", 4, "", "generation 40", run="mine", generation=40)
    text = "Your first win against generation 40 of mine, an ancestor of its champion!"
    assert milestone(results(*won, (CLUB, 0.0), (ancestor, 1.0)), ancestor=True) == text


def test_an_earlier_champion_of_an_own_run_is_an_ancestor(opened: Opened, tmp_path: Path) -> None:
    shutil.copytree(SHIPPED / "first", tmp_path / "runs" / "mine")
    hands = opened()
    career = hands.app.services.career
    career.finish(career.game_of(career.begin(BEGINNER)), 1.0)
    career.ladder = [Opponent(f"mine@{number}", 4, "", f"generation {number}", 0.0, -9.0, 9.0, "mine", number)
                     for number in (16, 112)]  # fmt: skip
    for opponent, more in zip(career.ladder, (", an ancestor of its champion!", "!"), strict=True):
        begin_rated(hands.app, opponent, lambda model: hands.app.open(hands.app.screens.play(hands.app, model)))
        resign(hands, "person")
        assert hands.app.notice.endswith(f"{opponent.label}{more}")
        career.finish(career.game_of(career.begin(BEGINNER)), 0.0)  # no series
        hands.until(lambda: not career.busy)
