"""The index of the explorer, compared with a plain count that uses legal moves."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from game import plain
from game.board import Position
from game.moves import Move
from game.pdn.game import Game, encode_path, write_game
from gui.model import explorer as module
from gui.model.explorer import Explorer, RecordedGame, Results
from gui.model.pdn import PdnReader
from gui.storage.kept_games import OWN, Explored, KeptGames
from tests.gui.kept_games_helpers import game
from tests.gui.kept_list_helpers import keep

START = Position.start()


class Listed:
    """A source of the given games."""

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
    """Return games of random moves whose openings often meet."""
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


# Whose games ------------------------------------------------------------------------------------------------------


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
