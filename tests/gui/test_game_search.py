"""Searches in lists of recorded games, and the games of a file one after another: shown, and reviewed as a whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from game import ballots
from game.board import Position
from game.pdn.game import encode_path
from gui.model.game_search import recorded_opening
from gui.model.pdn import PdnIndex
from gui.screens.play.games import GamesScreen
from gui.screens.play.play import Play
from gui.screens.play.review import ReviewScreen
from tests.cases import for_each
from tests.gui.hands import Hands, Opened
from tests.gui.review_helpers import MOVES, think

GAMES = (
    ("Larsen", "Ng", "Spring Cup", "1982.05.12", "1-0", "10-15 23-18 12-16 21-17 9-13"),
    ("Ng", "Oyelaran", "Spring Cup", "1998.??.??", "0-1", "11-15 23-19 8-11 22-17 9-14"),
    ("Kelsey", "Larsen", "Autumn Cup", "1998.10.02", "1/2-1/2", "9-14 23-18 14x23 27x18 5-9"),
    ("Ng", "Kelsey", "Autumn Cup", "2004.10.03", "*", "11-15 22-18 15x22 25x18 12-16"),
    ("Ng", "Larsen", "Autumn Cup", "2004.10.04", "1-0", "9-13 24-20 11-15 22-18 15-22 25-18"),
)
TAGS = '[Black "{}"]\n[White "{}"]\n[Event "{}"]\n[Date "{}"]\n[Result "{}"]\n\n{} {}\n\n'


@pytest.fixture
def index(tmp_path: Path) -> PdnIndex:
    path = tmp_path / "games.pdn"
    path.write_text("".join(TAGS.format(*game, game[4]) for game in GAMES))
    index = PdnIndex(path)
    while index.step(1.0):
        pass
    return index


SEARCHES = (
    ("kelso | Kelso Cross | 1982.05", "1"),
    ("11-15 23-19 | 1. 11-15 23-19 2. 8-11 | 1.11-15 23-19 2.8-11 | 11-15,23-19 | 11–15 23–19", "2"),
    ("White won | 11-15 white won", "2"),
    ("double cross | ballot 46 | 9-14 23-18 14x23 | 9-14 23-18 14-23 27X18 | larsen 1998", "3"),
    ("draw | 1/2-1/2 | ½-½ | game 3", "3"),
    ("single corner | 11-15 22 | 2004.10.03", "4"),
    ("edinburgh | 11-15 24-20 9-13 | 9-13 24-20 11-15 22-18 15x22", "5"),
    ("spring", "12"),
    ("larsen", "135"),
    ("1-0 | black won", "15"),
    ("1998", "23"),
    ("11-15 | 11-15 2 | ng 11-15", "24"),
    ("autumn cup 2004", "45"),
    ("", "12345"),
    ("old fourteenth | ballot 4 | 23-19 11-15 | chess", ""),
)
"""Texts, and the numbers of the games that each of them finds."""


@pytest.mark.parametrize(
    ("text", "result"), [(text, result) for texts, result in SEARCHES for text in texts.split(" | ")]
)
def test_search_finds_recorded_games(index: PdnIndex, text: str, result: str) -> None:
    index.search = text
    while index.step(1.0):
        pass
    assert "".join(str(index.entries[row].number) for row in index.rows) == result
    assert index.search == text


@for_each("opening", [*ballots.all_ballots(), *ballots.classical_openings()])
def test_openings_have_the_titles_of_games(opening: ballots.NamedOpening) -> None:
    moves = opening.moves.split()
    result = recorded_opening(Position.start(), list(map(encode_path, moves)))
    assert result.title == ballots.opening_of(moves).title
    assert opening.name.lower() in result.names


def test_a_short_capture_and_another_start(index: PdnIndex) -> None:
    written = list(map(encode_path, ["9-14", "22-18", "5-9", "18-15", "11x18", "21-17", "14x21"]))
    assert recorded_opening(Position.start(), written).title
    assert recorded_opening(None, written).title == ""
    assert recorded_opening(Position.from_fen("B:W21,22:B1,2"), [encode_path("1-6")]).title == ""


def titles(hands: Hands) -> list[str]:
    table = hands.widget("games")
    return [column.title for column in table.columns]


def listed(opened: Opened, path: Path) -> Hands:
    hands = opened()
    hands.drop(path)
    hands.until(lambda: isinstance(hands.app.screen, GamesScreen) and hands.app.screen.games.index.complete)
    return hands


def test_players_opening_result_and_length_have_columns_whatever_the_file_lacks(opened: Opened, tmp_path: Path) -> None:
    always = ["No.", "Black", "White", "Result", "Moves", "Opening"]
    path = tmp_path / "archive.pdn"
    path.write_text('[Event "Archive"]\n[Result "1-0"]\n1. 10-15 23-18 1-0\n\n' * 3)
    hands = listed(opened, path)
    assert titles(hands) == [*always, "Event"]
    row = hands.widget("games").cells(0)
    assert [getattr(cell, "text", cell) for cell in row] == ["1", "–", "–", "Black won", "1", "Kelso Cross", "Archive"]
    hands.resize((500, 820))
    assert titles(hands) == always
    path.write_text('[White "Ng"]\n[FEN "B:W30:B1"]\n1. 1-6 *\n\n[White "?"]\n[Date "????.??.??"]\n1-0\n\n')
    hands = listed(opened, path)
    assert titles(hands) == always
    row = hands.widget("games").cells(0)
    assert [getattr(cell, "text", cell) for cell in row] == ["1", "–", "Ng", "*", "1", "–"]


def test_a_date_of_a_file_is_written_as_people_do(opened: Opened, tmp_path: Path) -> None:
    path = tmp_path / "dated.pdn"
    dates = ("1982.05.12", "1982.05.??", "some day")
    path.write_text("".join(f'[White "Ng"]\n[Date "{date}"]\n[Result "1-0"]\n1. 10-15 1-0\n\n' for date in dates))
    hands = listed(opened, path)
    hands.resize((1920, 1080))
    assert [hands.widget("games").cells(row)[-1].text for row in range(3)] == [
        "12\xa0May\xa01982",
        "1982.05",
        "some day",
    ]


def test_an_opening_comes_before_those_that_went_through_it_and_these_say_so(opened: Opened, tmp_path: Path) -> None:
    path = tmp_path / "archive.pdn"
    through, itself = "10-15 21-17 7-10", "10-15 23-18"
    games = (through, "11-15 23-19", through, itself, itself)
    path.write_text("".join(f'[Event "{number}"]\n{moves} *\n\n' for number, moves in enumerate(games, 1)))
    hands = listed(opened, path)
    hands.key("/")
    hands.type("kelso")
    hands.wait(0.5)
    rows = [[cell.text for cell in hands.widget("games").cells(row)] for row in range(4)]
    assert [row[0] for row in rows] == ["4", "5", "1", "3"]
    assert [row[5] for row in rows] == ["Kelso Cross", "Kelso Cross", *["Kelso: Octopus, ballot 86"] * 2]
    hands.key("down", "down", "return")  # to the list, and to its second row
    assert dict(hands.game.model.tags)["Event"] == "5"


NAMES = ("Anna", "Bela", "Cara")


@pytest.fixture
def of_three(opened: Opened, tmp_path: Path) -> Hands:
    """The list of a file of three games; the second has no mistake."""
    path, moves = tmp_path / "three.pdn", MOVES.split()
    games = (moves, moves[:5], moves)
    tags = '[Black "{}"]\n[White "Zoe"]\n[Result "1-0"]\n\n{} 1-0\n\n'
    path.write_text("".join(tags.format(name, " ".join(game)) for name, game in zip(NAMES, games, strict=True)))
    hands = opened()
    hands.drop(path)
    hands.until(lambda: isinstance(hands.app.screen, GamesScreen) and hands.app.screen.games.index.complete)
    return hands


def play(hands: Hands) -> Play:
    assert isinstance(hands.app.screen, Play)
    return hands.app.screen


def review(hands: Hands) -> ReviewScreen:
    assert isinstance(hands.app.screen, ReviewScreen)
    return hands.app.screen


def test_a_game_offers_the_next_one_of_its_file(of_three: Hands) -> None:
    of_three.key("return")
    assert play(of_three).title == "Anna against Zoe" and "game 1 of 3" in of_three.widget("do.next-game").hint
    assert of_three.widget("place").text == "Game 1 of 3"
    of_three.click("do.next-game")
    assert play(of_three).title == "Bela against Zoe"
    of_three.key("pagedown", "pagedown")
    assert play(of_three).title == "Cara against Zoe" and of_three.widget("place").text == "Game 3 of 3"
    assert of_three.app.notice == "There is no further game in the list."
    of_three.key("pageup", "escape")
    assert isinstance(of_three.app.screen, GamesScreen) and of_three.widget("games").selected == 1


def test_the_chosen_game_of_a_file_is_shown_beside_the_list(of_three: Hands) -> None:
    of_three.resize((1280, 800))
    pieces = of_three.widget("board").pieces
    of_three.key("down")
    shorter = of_three.widget("board").pieces
    assert pieces and shorter and shorter != pieces
    assert of_three.widget("facts").text == "" and of_three.widget("moves").count  # the row says it all
    players, words = of_three.app.screen.games.facts({"Opening"})
    assert players == "Bela against Zoe" and words
    of_three.key("ctrl+home")
    assert of_three.widget("place").text == "Before the first move" and len(of_three.widget("board").pieces) == 24
    of_three.key("return", "end")
    assert of_three.widget("board").pieces == shorter
    of_three.key("escape")
    of_three.resize((800, 600))
    assert "board" not in of_three.keys


def test_a_searched_list_leads_to_its_next_game(of_three: Hands) -> None:
    of_three.key("/")
    of_three.type("ara")
    of_three.wait(0.2)
    of_three.key("return")
    assert play(of_three).title == "Cara against Zoe"
    assert not of_three.widget("do.next-game").enabled


def test_a_file_is_reviewed_as_a_whole(of_three: Hands) -> None:
    of_three.click("do.review-all")
    think(of_three)
    assert of_three.words[0] == "Mistake 1 of 2" and len(of_three.app.stack) == 4
    of_three.key("space", "space")
    assert of_three.words[0] == "2 mistakes" and of_three.widget("do.next-mistake").text == "Next game"
    of_three.key("space")
    think(of_three)
    assert of_three.words[0] == "No big mistake" and len(of_three.app.stack) == 4
    of_three.key("space")
    think(of_three)
    of_three.key("space", "space", "space")
    assert review(of_three).practice.number == 1  # the last game, from its start again
    of_three.key("escape", "escape", "escape")
    assert isinstance(of_three.app.screen, GamesScreen) and of_three.widget("games").selected == 2


def test_a_game_without_a_legal_move_is_shown_and_not_reviewed(opened: Opened, tmp_path: Path) -> None:
    path = tmp_path / "games.pdn"
    path.write_text('[Event "A"]\n1. 11-30 1-0\n\n[Event "B"]\n1. 11-15 1-0\n')
    hands = opened()
    hands.drop(path)
    hands.until(lambda: hands.widget("games").count == 2)
    hands.key("w")
    assert play(hands).model.plies == [] and "Only part" in hands.app.notice
