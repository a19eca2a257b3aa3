"""The explorer: its index, the table beside a board, and the board for trying lines."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from extras.explorer import explorer as module
from extras.explorer.board import Exploring
from extras.explorer.explorer import Explorer, RecordedGame, Results
from extras.explorer.panel import SOURCE
from extras.explorer.sources import OWN, Explored, explored_games
from game import plain
from game.board import Position
from game.moves import Move
from game.pdn.game import Game, encode_path, write_game
from gui.model.game import GameModel
from gui.model.pdn import PdnReader
from gui.model.seats import HUMAN
from gui.screens.dialogs.dialog import Menu
from gui.screens.dialogs.files import Files
from gui.screens.play.games import GamesScreen
from gui.screens.play.play import Play
from gui.screens.play.rated import RULES
from gui.storage.kept_games import KeptGames
from tests.gui.chooser_helpers import choose
from tests.gui.hands import Hands, Opened
from tests.gui.kept_games_helpers import COUNTER, game, keep, kept_games, moves
from tests.gui.rated_helpers import begun

GAMES = """
1. 11-15 23-19 2. 8-11 22-17 1-0

1. 11-15 23-19 2. 9-14 22-17 0-1

1. 11-15 22-18 1/2-1/2

1. 9-13 22-18 *
"""


def played(text: str, seats: tuple[object, object] = (HUMAN, HUMAN)) -> GameModel:
    model = GameModel()
    for move in text.split():
        model.type_move(move)
    model.seats = seats  # type: ignore[assignment]
    return model


@pytest.fixture
def ready(opened: Opened, tmp_path: Path) -> Hands:
    """Return a window with games in the explorer, before any board is open."""
    path = tmp_path / "club.pdn"
    path.write_text(GAMES)
    hands = opened(panel="explorer")
    hands.app.services.store.set(SOURCE, str(path))
    return hands


def explored_of(hands: Hands) -> Explored:
    return hands.app.services.shared(explored_games)


def board(hands: Hands, model: GameModel, *, recorded: bool = False) -> Play:
    screen = Play(hands.app, model, flipped=False, recorded=recorded)
    hands.app.open(screen)
    hands.until(lambda: not explored_of(hands).reading)
    hands.wait(0.5)
    return screen


def rows(hands: Hands) -> list[tuple[str, str, str]]:
    table = hands.widget("explorer")
    return [
        (move.text, games, result.text) for move, *_, games, result in (table.cells(row) for row in range(table.count))
    ]  # fmt: skip


def click_move(hands: Hands, move: str) -> None:
    hands.click_row("explorer", [row[0] for row in rows(hands)].index(move))
    hands.settle()


def test_moves_played_from_the_shown_position_are_counted(ready: Hands) -> None:
    board(ready, played("11-15 23-19", (HUMAN, COUNTER)))
    assert rows(ready) == [
        ("8-11", "1", "Black 100 %, draws 0 %, White 0 %"), ("9-14", "1", "Black 0 %, draws 0 %, White 100 %")
    ]  # fmt: skip
    assert ready.widget("explored.info").text == "2 of 4 games"
    assert ready.widget("explored").text == "club.pdn"
    ready.key("home")
    assert rows(ready) == [("11-15", "3", "Black 34 %, draws 33 %, White 33 %"), ("9-13", "1", "no results")]
    ready.picture()
    ready.key("end")
    ready.touch(12, 16)
    assert rows(ready) == [] and "None of these games" in ready.widget("explorer").empty


def test_the_games_of_an_opening_are_counted_under_its_name(ready: Hands) -> None:
    board(ready, played("9-13", (HUMAN, COUNTER)))
    assert ready.widget("explored.info").text == "Edinburgh: 1 of 4 games"


def test_click_follows_the_game_with_this_move(ready: Hands) -> None:
    screen = board(ready, played("11-15 23-19 8-11"), recorded=True)
    ready.key("home")
    click_move(ready, "11-15")
    click_move(ready, "23-19")
    assert ready.app.screen is screen and screen.model.cursor == 2
    click_move(ready, "9-14")  # this line was not played, so it gets its own board
    explore = ready.app.screen
    assert isinstance(explore, Play) and isinstance(explore.state, Exploring)
    assert moves(explore.model) == ["11-15", "23-19", "9-14"] and explore.title == "Explore"
    assert ready.words == ("Exploring: White to move", "Nothing here is saved.")
    click_move(ready, "22-17")
    assert moves(explore.model) == ["11-15", "23-19", "9-14", "22-17"]
    ready.key("escape")
    assert ready.app.screen is screen and screen.model.cursor == 2 and len(screen.model.plies) == 3


def test_the_game_on_the_table_stays_as_it_is(ready: Hands, tmp_path: Path) -> None:
    screen = board(ready, played("11-15 23-19", (HUMAN, COUNTER)))
    click_move(ready, "8-11")
    assert isinstance(ready.state, Exploring)
    ready.touch(27, 23)
    ready.touch(4, 8)
    assert moves(ready.game.model) == ["11-15", "23-19", "8-11", "27-23", "4-8"]
    ready.wait(2.0)
    ready.key("escape", "escape")
    assert moves(screen.model) == ["11-15", "23-19"]
    assert [moves(kept.model) for kept in kept_games(tmp_path / "data")] == [["11-15", "23-19"]]


def test_two_players_play_the_move_that_is_clicked(ready: Hands) -> None:
    screen = board(ready, GameModel())
    click_move(ready, "11-15")
    click_move(ready, "23-19")
    assert ready.app.screen is screen and moves(screen.model) == ["11-15", "23-19"]


def test_another_line_from_an_earlier_position_and_the_first_one_again(ready: Hands) -> None:
    explore = Play(ready.app, played("11-15 23-19 8-11"), make_state=Exploring)
    ready.app.open(explore)
    ready.wait(0.5)
    ready.key("left", "left")
    ready.touch(22, 18)  # by hand
    assert moves(explore.model) == ["11-15", "22-18"]
    ready.key("u", "<redo>")
    ready.key("home")
    click_move(ready, "9-13")
    assert moves(explore.model) == ["9-13"]
    ready.key("home", "escape")
    assert not isinstance(ready.app.screen, Play)


def test_an_explored_position_is_played_against_any_opponent(ready: Hands) -> None:
    ready.app.open(Play(ready.app, played("11-15 23-19 8-11"), make_state=Exploring))
    ready.wait(0.5)
    ready.key("left")
    ready.click("do.play-on")
    choose(ready, "material")
    ready.key("p")
    assert moves(ready.game.model) == ["11-15", "23-19"] and not isinstance(ready.state, Exploring)


def test_source_of_explored_games_is_chosen(ready: Hands, tmp_path: Path) -> None:
    keep(tmp_path / "data", played("12-16 24-20"))
    board(ready, GameModel())
    ready.click("explored")
    assert isinstance(ready.app.screen, Menu)
    ready.key("1")
    ready.until(lambda: not explored_of(ready).reading)
    assert ready.widget("explored").text == "Your games" and ready.app.services.store.get(SOURCE, "") == OWN
    assert [row[0] for row in rows(ready)] == ["12-16"]
    ready.key("<explored>", "o")
    files = ready.app.screen
    assert isinstance(files, Files)
    (tmp_path / "other.pdn").write_text("1. 10-14 1-0\n")
    files.chooser.text = str(tmp_path / "other.pdn")
    ready.key("ctrl+return")
    ready.until(lambda: not explored_of(ready).reading)
    assert [row[0] for row in rows(ready)] == ["10-14"] and ready.widget("explored").text == "other.pdn"


def test_other_files_are_reported_and_missing_ones_replaced(opened: Opened, tmp_path: Path) -> None:
    hands = opened(panel="explorer")
    hands.app.services.store.set(SOURCE, str(tmp_path / "gone.pdn"))
    board(hands, GameModel())
    assert hands.widget("explored").text == "Your games" and rows(hands) == []
    hands.key("<explored>", "o")
    (tmp_path / "binary.pdn").write_bytes(b"\0\1\2")
    files = hands.app.screen
    assert isinstance(files, Files)
    files.chooser.text = str(tmp_path / "binary.pdn")
    hands.key("ctrl+return")
    assert "is not a text file" in hands.widget("trouble").text


def test_the_games_of_an_open_file_are_explored_from_their_list(opened: Opened, tmp_path: Path) -> None:
    path = tmp_path / "club.pdn"
    path.write_text(GAMES)
    hands = opened()
    hands.drop(path)
    hands.wait(0.3)
    hands.click("do.explore")
    assert isinstance(hands.state, Exploring)
    hands.until(lambda: not explored_of(hands).reading)
    hands.wait(0.5)
    assert [row[0] for row in rows(hands)] == ["11-15", "9-13"]
    hands.key("escape")
    assert isinstance(hands.app.screen, GamesScreen)


def test_the_explorer_of_a_game_of_a_file_shows_that_file(opened: Opened, tmp_path: Path) -> None:
    (tmp_path / "games.pdn").write_text(GAMES)
    other = tmp_path / "champions.pdn"
    other.write_text("1. 12-16 1-0\n")
    hands = opened()
    hands.drop(tmp_path / "games.pdn")
    hands.wait(0.3)
    hands.app.services.store.set(SOURCE, str(other))
    hands.key("return")
    assert isinstance(hands.app.screen, Play)
    hands.key("k")
    hands.until(lambda: not explored_of(hands).reading)
    hands.wait(0.2)
    assert hands.widget("explored").text == "games.pdn"
    assert hands.app.services.store.get(SOURCE, "") == str(other)
    hands.key("escape", "down", "return")
    assert hands.widget("explored").text == "games.pdn"
    hands.click("explored")
    assert [command.name for command in hands.app.screen.commands()][:2] == ["games.pdn", "Your games"]


START = Position.start()


class Listed:
    share, trouble = 0.5, ""

    def __init__(self, games: list[RecordedGame]) -> None:
        self.games = iter(games)

    def read(self) -> RecordedGame | None:
        return next(self.games, None)

    def close(self) -> None:
        self.games = iter(())


def written(text: str, result: str = "1-0", start: Position = START) -> RecordedGame:
    return RecordedGame(start, [encode_path(move) for move in text.split()], result)


def explored(*games: RecordedGame) -> Explorer:
    made = Explorer(Listed(list(games)))
    made.step(1e9)
    return made


def after(*moves: str) -> Position:
    position = START
    for text in moves:
        position = next(after for move, after in plain.successors(position) if str(move) == text)
    return position


def counts_of(made: Explorer, position: Position = START) -> dict[str, tuple[int, int, int, int]]:
    result = {str(each.move): each.results for each in made.moves(position)}
    return {move: (r.black, r.draws, r.white, r.unknown) for move, r in result.items()}


def random_games(count: int, seed: int = 1) -> list[Game]:
    generator, games = random.Random(seed), []
    for _ in range(count):
        position, moves = START, list[Move]()
        while len(moves) < 150 and plain.legal_moves(position):
            legal = plain.successors(position)
            move, position = legal[generator.randrange(min(len(legal), 2 if len(moves) < 8 else 9))]
            moves.append(move)
        games.append(Game((), START, tuple(moves), generator.choice(("1-0", "0-1", "1/2-1/2", "*"))))
    return games


def test_results_of_each_move_most_frequent_first() -> None:
    made = explored(
        written("11-15 23-19", "1-0"), written("11-15", "1/2-1/2"), written("9-13", "0-1"), written("11-15 22-18", "*"),
        written("", "1-0"),
    )  # fmt: skip
    assert counts_of(made) == {"11-15": (1, 1, 0, 1), "9-13": (0, 0, 1, 0)}
    assert [str(each.move) for each in made.moves(START)] == ["11-15", "9-13"]
    assert counts_of(made, after("11-15")) == {"23-19": (1, 0, 0, 0), "22-18": (0, 0, 0, 1)}
    assert counts_of(made, after("9-13")) == {} and made.games == 5 and made.complete
    assert Results(1, 2, 1, 3).shares == (0.25, 0.25, 0.5) and Results(0, 0, 0, 3).shares == (0.0, 0.0, 0.0)


def test_short_captures_are_counted() -> None:
    start = Position.from_fen("B:W18,26,27:B14,1")
    full, short = written("14x23x30", "1-0", start), written("14x30", "0-1", start)
    made = explored(full, short)
    assert counts_of(made, start) == {"14x23x30": (1, 0, 1, 0)}


@pytest.mark.parametrize("bad", ["11-16x20", "1-32", "99-1", "12-3", "8-12", "11x18", "22-18", "nonsense"])
def test_a_game_counts_up_to_its_first_impossible_move(bad: str) -> None:
    codes = [encode_path(move) if move[0].isdigit() else -1 for move in ("11-15", "23-19", bad, "9-13")]
    made = explored(RecordedGame(START, codes, "1-0"), RecordedGame(None, codes, "1-0"))
    assert counts_of(made) == {"11-15": (1, 0, 0, 0)}
    assert counts_of(made, after("11-15", "23-19")) == {}


@pytest.mark.check
def test_beside_a_plain_count(tmp_path: Path) -> None:
    games = random_games(40)
    path = tmp_path / "games.pdn"
    with path.open("w") as file:
        for each in games:
            write_game(file, each)
            file.write("\n")
    expected: Counter[tuple[Position, str, str]] = Counter()
    positions: dict[Position, None] = {}
    for each in games:
        position, met = START, set[tuple[Position, str]]()
        for move in each.moves:
            positions[position] = None
            met.add((position, str(move)))
            position = plain.apply(position, move)
        expected.update((at, text, each.result) for at, text in met)
    made = Explorer(PdnReader(path))
    while made.step(0.0):
        assert 0 <= made.share <= 1
    outcome = Counter[tuple[Position, str, str]]()
    for position in positions:
        for one in made.moves(position):
            numbers = zip(("1-0", "0-1", "1/2-1/2", "*"), (one.results.black, one.results.white, one.results.draws,
                          one.results.unknown), strict=True)  # fmt: skip
            outcome.update({(position, str(one.move), result): count for result, count in numbers if count})
    assert outcome == expected and made.games == 40 and made.share == 1


def test_a_step_takes_as_long_as_it_may() -> None:
    ticks = iter(range(10_000))
    made = Explorer(Listed([written("11-15")] * 50), clock=lambda: float(next(ticks)))
    assert made.step(10.0) and made.games == 10 and not made.complete
    made.close()
    assert made.complete and not made.step(10.0) and made.games == 10


def test_of_very_many_games_only_the_openings_of_the_later_ones_come_in(limit: Callable[..., None]) -> None:
    limit(module, "MOST_MOVES", 3)
    limit(module, "EARLY", 2)
    made = explored(written("11-15 23-19 9-14"), written("11-16 23-19 9-14"), written("11-15 23-19 9-14 27-23"))
    assert made.limited == 1
    assert counts_of(made) == {"11-15": (2, 0, 0, 0), "11-16": (1, 0, 0, 0)}
    assert counts_of(made, after("11-16", "23-19")) == {}
    assert counts_of(made, after("11-15", "23-19")) == {"9-14": (2, 0, 0, 0)}  # known games still count
    assert counts_of(made, after("11-15", "23-19", "9-14")) == {}


def test_the_games_that_were_played_here(tmp_path: Path) -> None:
    won = game(0, 0)
    won.resign(1)
    keep(tmp_path, won)
    keep(tmp_path, game(0, 1, 2))
    made = Explored(KeptGames(tmp_path))
    assert made.title == "" or made.name == ""
    assert made.choose(OWN) == "" and made.title == "Your games" and made.reading
    while made.step(0.0):
        pass
    assert made.explorer is not None
    first = str(plain.legal_moves(START)[0])
    assert counts_of(made.explorer) == {first: (1, 0, 0, 1)}
    keep(tmp_path, game(3))
    made.look_again()
    while made.step(0.1):
        pass
    assert made.explorer.games == 3


def test_a_file_that_cannot_be_read_and_one_that_changes(tmp_path: Path) -> None:
    made = Explored(KeptGames(tmp_path))
    assert "cannot be opened" in made.choose(str(tmp_path / "none.pdn"))
    assert not made.reading and made.explorer is None and made.trouble
    path = tmp_path / "run" / "champions.pdn"
    path.parent.mkdir()
    path.write_text("1. 11-15 23-19 1-0\n")
    assert made.choose(str(path)) == "" and made.title == "Champions of run"
    while made.step(1.0):
        pass
    made.look_again()
    assert made.explorer is not None and made.explorer.games == 1 and not made.reading
    path.write_text("1. 11-15 23-19 1-0\n\n1. 9-13 0-1\n")
    made.look_again()
    while made.step(1.0):
        pass
    assert counts_of(made.explorer) == {"11-15": (1, 0, 0, 0), "9-13": (0, 0, 1, 0)}
    path.unlink()
    made.look_again()
    assert "cannot be opened" in made.trouble


def test_a_rated_game_has_no_explorer_until_it_is_over(opened: Opened) -> None:
    hands = begun(opened)
    hands.key("k")
    assert hands.app.notice == RULES and not hands.widget("show.explorer").enabled
