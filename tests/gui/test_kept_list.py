"""The list of kept games: its index, its searches and orders, and the effect of damaged files."""

from __future__ import annotations

import itertools
import json
import os
import time
from pathlib import Path

import pytest

from gui.model.game import GameModel
from gui.model.kept_game import FILTERS, PERSON, KeptGame, find_games, mistakes_a_game
from gui.model.seats import HUMAN, Seat
from gui.screens.play.kept_list import COLUMNS
from gui.storage.game_text import from_text
from gui.storage.kept_games import INDEX, KeptGames
from gui.widgets.table import ListOrder
from tests.cases import for_each
from tests.gui.kept_games_helpers import REVIEW, game, keep, many

COUNTER = Seat("material", 2, title="Piece counter (built-in)")


def kept(name: str, when: float, names: tuple[str, str], result: int | None, **more: object) -> KeptGame:
    return KeptGame(name, when, names, ("", "depth 4"), result, 10, **more)  # type: ignore[arg-type]


GAMES = [
    kept("e", 5e8, (PERSON, "Champion"), None),
    kept("d", 4e8, ("Anna", "Bert"), 1, opening="Double Cross, ballot 46"),
    kept("c", 3e8, (PERSON, PERSON), 0),
    kept("b", 2e8, (PERSON, "Champion"), 1, mistakes=(3, 9)),
    kept("a", 1e8, ("Beginner", PERSON), 1),
]


def test_list_describes_games() -> None:
    assert [each.players for each in GAMES] == [
        "Black against Champion", "Anna against Bert", "Two players", "Black against Champion",
        "White against Beginner",
    ]  # fmt: skip
    assert [each.outcome for each in GAMES] == ["unfinished", "Black won", "draw", "you won", "you lost"]
    assert GAMES[0].describe(["won"]) == "Black against Champion: won."
    assert (GAMES[3].review, GAMES[0].review, GAMES[1].opening) == (
        "reviewed: 3 mistakes",
        "",
        "Double Cross, ballot 46",
    )
    assert kept("x", 1e8, ("Anna", "Bert"), 0, mistakes=(1, 0)).review == "reviewed: 1 mistake"
    assert kept("x", 1e8, ("Anna", PERSON), 0, mistakes=(1, 0)).review == "reviewed: no mistakes"
    assert kept("x", 1e99, (PERSON, PERSON), 0).date == ""


@for_each(
    ("words", "narrowed", "result"),
    [
        ("", "All", "edcba"),
        ("champion", "All", "eb"),
        ("CHAMPION won", "All", "b"),
        ("double", "All", "d"),
        ("mistakes", "All", "b"),
        ("1979", "All", "c"),
        ("", "Unfinished", "e"),
        ("", "Won", "b"),
        ("", "Lost", "a"),
        ("", "Drawn", "c"),
        ("", "Reviewed", "b"),
        ("anna", "Lost", ""),
    ],
)
def test_searches_and_filters(words: str, narrowed: str, result: str) -> None:
    assert "".join(each.name for each in find_games(GAMES, words, narrowed)) == result
    assert narrowed in FILTERS


def test_columns_order_kept_games_and_turn_round() -> None:
    orders = {column.sort: "".join(game.name for game in sorted(GAMES, key=column.order)) for column in COLUMNS}
    assert orders == {
        "when": "abcde", "game": "cdaeb", "moves": "edcba", "result": "dceab", "opening": "decba", "review": "edcab"
    }  # fmt: skip
    games = list(GAMES)
    order = ListOrder(COLUMNS, "when", lambda: order.sort(games))
    for column, expected in (("moves", "edcba"), ("moves", "edcba"), ("game", "cdaeb"), ("game", "ebadc")):
        order.choose(column)
        assert "".join(game.name for game in games) == expected


def test_facts_of_games_as_they_are_kept(tmp_path: Path) -> None:
    before = time.time()
    keep(tmp_path, game(0, 0, 0, seats=(COUNTER, HUMAN)), REVIEW)
    over = game(1, 1, seats=(HUMAN, COUNTER))
    over.resign(1)
    keep(tmp_path, over)
    keep(tmp_path, game(2, seats=(HUMAN, Seat(title="Anna"))))
    result = KeptGames(tmp_path).read_all()
    assert [each.players for each in result] == [
        "Black against Anna", "Black against Piece counter", "White against Piece counter"
    ]  # fmt: skip
    assert [each.outcome for each in result] == ["unfinished", "you won", "unfinished"]
    assert [each.plies for each in result] == [1, 2, 3]
    assert result[2].details == ("built-in, depth 2", "") and result[2].mistakes == (3, 4)
    assert (result[2].opening, result[1].opening) == ("Edinburgh, ballot 29", "Double Corner")
    assert all(before - 1 <= each.when <= time.time() for each in result)


def test_mistakes_a_game_are_those_of_the_person() -> None:
    of_white = kept("w", 1e8, ("Beginner", PERSON), 1, mistakes=(9, 2), proved=(9, 1))
    assert mistakes_a_game([*GAMES, of_white]) == "2.5 mistakes a game, 0.5 of them proved"
    assert mistakes_a_game(GAMES) == "3.0 mistakes a game, 0.0 of them proved" and mistakes_a_game(GAMES[:3]) == ""


def test_proved_mistakes_are_kept_with_games_and_in_their_index(tmp_path: Path) -> None:
    marks = [dict(zip(("side", "mark", "before", "after"), each, strict=True)) for each in MARKS]
    keep(tmp_path, game(0, 0, seats=(HUMAN, COUNTER)), {"review": REVIEW["review"] | {"marks": marks}})
    for _ in range(2):
        (read,) = KeptGames(tmp_path).read_all()
        assert (read.mistakes, read.proved) == ((3, 4), (1, 1))


MARKS = [(0, "?", "win", "draw"), (0, "?!", "win", "win"), (1, "??", "draw", "loss"), (1, "?", [0.6, 0.2, 0.2], "loss")]


def test_a_game_is_found_by_all_openings_that_it_went_through(tmp_path: Path) -> None:
    model = GameModel()
    for move in ("10-15", "21-17", "7-10"):
        model.type_move(move)
    keep(tmp_path, model)
    for _ in range(2):  # from its file, and then from the index
        (octopus,) = KeptGames(tmp_path).read_all()
        assert octopus.opening == "Octopus, ballot 86"
        assert find_games([octopus], "kelso") == find_games([octopus], "octopus") == [octopus]


def test_a_game_without_a_date_has_that_of_its_file(tmp_path: Path) -> None:
    keep(tmp_path, game(0))
    path = next((tmp_path / "games").glob("*.json"))
    values = json.loads(path.read_bytes())
    del values["when"]
    path.write_text(json.dumps(values))
    os.utime(path, (123_456_789, 123_456_789))
    assert KeptGames(tmp_path).read_all()[0].when == 123_456_789
    assert from_text(path.read_bytes())[0].plies == game(0).plies


def test_games_are_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    many(tmp_path, 300)
    first = KeptGames(tmp_path).read_all()
    assert [each.name for each in first] == [f"{number:06}-1.json" for number in reversed(range(300))]
    read: list[Path] = []
    monkeypatch.setattr("gui.storage.kept_games.read_bytes", lambda path: read.append(path) or path.read_bytes())
    assert KeptGames(tmp_path).read_all() == first and read == []
    changed = tmp_path / "games" / "000007-1.json"
    changed.write_text(changed.read_text().replace('"ending": [-1', '"ending": [1'))
    (tmp_path / "games" / "000008-1.json").unlink()
    again = KeptGames(tmp_path).read_all()
    assert read == [changed] and len(again) == 299
    assert next(each for each in again if each.name == changed.name).result == 1
    assert KeptGames(tmp_path).read_all() == again and len(read) == 1


@pytest.mark.parametrize(
    "damage", [b"", b"\x00\xff", b"[1]\n", b'[1,"000001-1.json",5', b"[" * 5000 + b"\n", b'[2,"a",1,1]\nnull\n{}\n']
)
def test_damaged_index_loses_no_games(tmp_path: Path, damage: bytes) -> None:
    many(tmp_path, 5)
    first = KeptGames(tmp_path).read_all()
    index = tmp_path / "games" / INDEX
    whole = index.read_bytes()
    for data in (damage, damage + whole, whole + damage, whole[: len(whole) // 2] + damage):
        index.write_bytes(data)
        assert KeptGames(tmp_path).read_all() == first
        assert KeptGames(tmp_path).read_all() == first


def test_outdated_index_is_rewritten(tmp_path: Path) -> None:
    many(tmp_path, 3)
    first = KeptGames(tmp_path).read_all()
    index = tmp_path / "games" / INDEX
    line = index.read_text().splitlines()[0] + "\n"
    index.write_text(line * 10)
    assert KeptGames(tmp_path).read_all() == first
    index.write_text(line.replace(",[0,0],", ",null,"))
    assert "null,[" in index.read_text() and KeptGames(tmp_path).read_all() == first
    assert len(index.read_text().splitlines()) == 3
    assert KeptGames(tmp_path).read_all() == first


def test_damaged_games_are_named_and_set_aside_and_the_others_stay(tmp_path: Path) -> None:
    many(tmp_path, 3)
    bad = [tmp_path / "games" / f"bad{number}.json" for number in range(4)]
    for path, data in zip(bad, (b"", b"{}", b'{"format": 9}', b'{"format": 1, "moves": 7}'), strict=True):
        path.write_bytes(data)
    kept_games = KeptGames(tmp_path)
    assert len(kept_games.read_all()) == 3
    assert len(kept_games.damaged) == 4
    for path in bad:
        assert any(f"{path} was damaged and set aside" in result for result in kept_games.damaged)
        assert path.with_name(f"{path.name}.damaged").exists() and not path.exists()
    kept_games.look_again()
    assert len(kept_games.read_all()) == 3 and len(kept_games.damaged) == 4


def test_a_folder_that_is_not_there_holds_no_games(tmp_path: Path) -> None:
    kept_games = KeptGames(tmp_path / "nowhere")
    assert kept_games.read_all() == [] and kept_games.complete and kept_games.damaged == []
    assert not (tmp_path / "nowhere").exists()


def test_an_index_that_cannot_be_written_is_done_without(tmp_path: Path) -> None:
    many(tmp_path, 3)
    (tmp_path / "games" / INDEX).mkdir()
    assert len(KeptGames(tmp_path).read_all()) == 3


def test_games_that_come_and_go_while_the_list_is_open(tmp_path: Path) -> None:
    kept_games = KeptGames(tmp_path)
    assert kept_games.read_all() == []
    many(tmp_path, 2)
    assert len(kept_games.read_all()) == 2
    version = kept_games.version
    kept_games.look_again()
    kept_games.step(10.0)
    assert kept_games.version == version
    (tmp_path / "games" / "000000-1.json").unlink()
    assert [each.name for each in kept_games.read_all()] == ["000001-1.json"]
    assert kept_games.version > version


@pytest.mark.check
def test_ten_thousand_games_are_listed_in_short_steps(tmp_path: Path) -> None:
    many(tmp_path, 10)
    text = (tmp_path / "games" / "000000-1.json").read_text()
    for number in range(10, 10_000):
        (tmp_path / "games" / f"{number:06}-1.json").write_text(text)
    KeptGames(tmp_path).read_all()

    looks = itertools.count()

    def clock() -> float:
        """Stand still, and count the looks: one after each part of the work."""
        next(looks)
        return 0.0

    kept_games = KeptGames(tmp_path, clock=clock)
    kept_games.step(1e9)
    assert kept_games.complete and len(kept_games.games) == 10_000
    assert next(looks) > 20_000
    assert len(find_games(kept_games.games, "you lost black", "All")) == 0


def test_the_list_of_games_does_not_call_a_lost_game_free_of_mistakes() -> None:
    def text(result: int | None, mistakes: tuple[int, int]) -> str:
        return KeptGame("x", 0.0, (PERSON, "Counter"), ("", ""), result, 60, mistakes=mistakes).review

    assert text(-1, (0, 0)) == "reviewed: no big mistake"
    assert text(1, (0, 2)) == "reviewed: no mistakes" == text(0, (0, 0)) == text(None, (0, 0))
    assert text(-1, (2, 0)) == "reviewed: 2 mistakes"
