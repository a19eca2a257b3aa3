"""Levels of opponents for newcomers, and the name of an opponent, the same in every list and game."""

from __future__ import annotations

import itertools
import shutil
from pathlib import Path

import pytest

from evolve.config.anchors import shown_text
from evolve.run.runs import FROZEN_RUN
from evolve.strength import levels
from evolve.strength.elo import RatingEstimate
from evolve.strength.levels import AT_RATING, EXPERT, FOLLOWS, LEVELS
from gui.individuals import opponents
from gui.individuals.available import AvailableOpponents
from gui.individuals.personas import Personas
from gui.model.seats import Seat, title_of
from gui.rating.rating import RANDOM_MOVES, RatedResult
from gui.runs.live_run import LiveRun, titles_of
from gui.screens.play.games import GamesScreen
from gui.sessions.boards import Replay
from gui.storage.settings import Preferences
from tests.gui.chooser_helpers import click_card
from tests.gui.hands import Opened


def test_levels_are_evenly_spread() -> None:
    ratings = [levels.RANDOM, *(each.rating for each in LEVELS)]
    assert all(210 <= after - before <= 350 for before, after in itertools.pairwise(ratings[1:-1]))
    assert ratings[1] < ratings[0] + 450, "the gap that an opponent at one's rating fills"
    assert ratings[-1] > ratings[-2] + 300, "the strongest player there is"
    names = [each.name for each in LEVELS]
    assert names == ["Beginner", "Casual", "Club", "Strong", "Expert", "Master", "Champion"]
    assert opponents.find_level(Path("nowhere"), LEVELS[0]) is None


@pytest.mark.parametrize("changed", [False, True])
def test_levels_are_of_the_shipped_run_alone(changed: bool, tmp_path: Path) -> None:
    """Their ratings hold for its champions, not for another run of the same name."""
    run = Path(shutil.copytree(Path("populations") / FROZEN_RUN, tmp_path / FROZEN_RUN))
    if changed:
        (run / "config.toml").write_text("seed = 2\n")
    assert (opponents.find_level(tmp_path, EXPERT) is None) == changed


def test_an_easier_opponent_is_one_key_away_on_the_first_screen(opened: Opened) -> None:
    hands = opened(runs=Path("populations"))
    assert hands.widget("board.line").text == "You play Black: move a piece to begin."
    hands.key("4", "4", "4", "4", "4", "4")
    assert hands.app.services.opponents.level == 0
    assert hands.widget("play").text == "Play\nBeginner, 726"
    hands.key("4", "4", "p")
    assert hands.game.model.seats[1] == Seat("people,strength=0.85", 3, 5.0, "Club (people)")
    hands = opened(runs=Path("nowhere"))
    hands.key("<play-group>")
    assert "menu.level" not in hands.keys


@pytest.mark.parametrize(
    ("rating", "player", "depth"),
    [
        (-2000, "people,strength=0.26", 1),
        (-673, "people,strength=0.64", 1),
        (-399, "people,strength=0.82", 2),
        (LEVELS[3].rating - 1, LEVELS[3].player, LEVELS[3].depth),
        (200, "crownhead-2", 4),
        (2000, "crownhead", 8),
    ],
)
def test_an_opponent_follows_a_rating(rating: float, player: str, depth: int) -> None:
    runs, chosen = Path("populations"), Preferences(opponent="people,strength=0.3", opponent_title=FOLLOWS, depth=1)
    available = AvailableOpponents(runs, lambda: chosen, lambda: rating, Personas(runs))
    seat = available.recommend()
    assert (seat.player, seat.depth) == (player, depth)
    assert rating > 0 or abs(available.level_at(AT_RATING).rating - max(rating, min(levels.WEAKER.values()))) <= 1
    assert available.level == AT_RATING


@pytest.mark.parametrize(
    ("rating", "person", "people"),
    [(-673, True, "people,strength=0.64,depth=1"), (50, True, LEVELS[3].text), (200, True, None), (-673, False, None)],
)
def test_people_at_a_rating_err_like_its_opponent(rating: float, person: bool, people: str | None) -> None:
    runs = Path("populations")
    result = AvailableOpponents(runs, Preferences, lambda: rating, Personas(runs)).people(person=person)
    assert result == ((people, "players at your rating") if people else (levels.TOURNAMENT, "tournament players"))
    nowhere = Path("nowhere")
    assert AvailableOpponents(nowhere, Preferences, lambda: rating, Personas(nowhere)).people(person=person) is None


def test_an_opponent_at_the_own_rating_is_a_seventh_choice(opened: Opened) -> None:
    hands = opened(runs=Path("populations"), colour="black")
    hands.key("n")
    assert click_card(hands, FOLLOWS).rating == shown_text(hands.app.services.career.rating_value)
    hands.key("return")
    assert hands.game.model.seats[1].player == LEVELS[1].player
    assert hands.app.services.settings.opponent_title == FOLLOWS


def test_an_opponent_at_an_uncertain_rating_begins_lower(opened: Opened) -> None:
    """By half of what the interval reaches down beyond 100, at most by 100."""
    services = opened(runs=Path("populations")).app.services
    for low, lower in ((-450, 0), (-500, 0), (-600, 50), (-900, 100), (float("-inf"), 100)):
        after = RatingEstimate(-400.0, low, 0.0)
        services.career.results[:] = [RatedResult("one", RANDOM_MOVES, 1.0, after=after)]
        assert services.opponents.level_at(AT_RATING).text == levels.at_rating(-400.0 - lower).text
        people = services.opponents.people(person=True)
        assert people is not None and people[0] == levels.at_rating(-400.0).text, "of the rating itself"


def test_names_of_individuals() -> None:
    assert title_of("Gen40_0173", "first-1", 40, 1) == "Generation 40 of first-1"
    assert title_of("Gen15_0832", "cowan-1", 15, 4) == "Gen15_0832 of cowan-1 (rank 4)"
    assert title_of("anna", "players.csv", 15, 1) == "anna (players.csv)"


def test_a_level_keeps_its_name_from_the_choice_to_the_archive(opened: Opened) -> None:
    hands = opened(runs=Path("populations"), colour="black")
    hands.key("n")
    click_card(hands, "Club")
    hands.key("return")
    assert (hands.game.title, hands.widget("strip1").name) == ("Against Club", "Club")
    hands.touch(11, 15)
    hands.app.go_home()
    kept = hands.app.services.kept
    hands.until(lambda: kept.complete and kept.games)
    assert kept.games[0].players == "Black against Club"
    earlier = Seat("crownhead-2", 4, title="Crownhead-2 champion (gen 6)")  # as earlier versions have saved it
    assert earlier.shown == "Expert (crownhead-2)"


def test_the_games_of_a_run_name_its_individuals(opened: Opened) -> None:
    hands = opened()
    path = Path("populations/crownhead-1/champions.pdn")
    hands.drop(path)
    hands.until(lambda: isinstance(hands.app.screen, GamesScreen) and hands.app.screen.games.index.rows)
    cells = [cell.text for cell in hands.widget("games").cells(0)]
    assert cells[1:3] == ["Generation 0 of crownhead-1", "Gen00_0010 of crownhead-1"]
    hands.key("return")
    assert [hands.widget(f"strip{side}").name for side in (0, 1)] == cells[1:3]
    run = LiveRun(path.parent)
    run.read_log()
    replay = Replay()
    replay.show(path.read_text(), run.title_in_game)
    assert replay.caption.startswith(" – ".join(cells[1:3]))
    assert titles_of(Path("elsewhere/champions.pdn"))("Gen00_0000", "") == "Gen00_0000"
    hands.app.go_home()  # closes the file
