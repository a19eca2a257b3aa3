"""The verb ``analyse --pdn``: annotated games, faults, Ctrl-C."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import main
from extras.analysis import games as game_review
from extras.recorded.analyst import Analyst
from extras.recorded.check import check
from game.errors import InputError
from game.players.basic import RandomPlayer
from tests.game.pdn.pdn_texts import games_of, read

GAMES = """[Event "one"]
[Black "Ann"]

1. 11-15 23-18 2. 8-11 18-14 3. 9x18 24-19 4. 15x24 28x19 1-0

[Event "two"]

1. 9-14 22-18 2. 11-16 18x9 0-1
"""
ANALYST = ("analyse", "material", "--depth", "3")


@pytest.fixture
def games(tmp_path: Path) -> Path:
    path = tmp_path / "games.pdn"
    path.write_text(GAMES)
    return path


def test_annotated_games_go_to_standard_output(games: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main([*ANALYST, "--pdn", str(games)]) == 0
    out, err = capsys.readouterr()
    assert [game.moves for game in read(out)] == [game.moves for game in games_of(games)]
    assert "Crownhead: Black: no mistakes; White: 1 mistake (opening 1)" in out
    assert '[Opening "Waterloo (ballot 121: 11-15 23-18 8-11)"]' in out
    assert err.splitlines()[0] == f"2 games of {games} to review"
    assert err.splitlines()[1].startswith("main.py: 2 games reviewed, ")


def test_moves_drawn_by_lot_are_not_marked(games: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """White gives a man away by 18-14, which a tag like those of `match` says was a part of the opening."""
    opening = '[Event "one"]\n[Opening "11-15 23-18 8-11 18-14"]'
    games.write_text(GAMES.replace('[Event "one"]', opening))
    assert main.main([*ANALYST, "--pdn", str(games), "--games", "1", "--json"]) == 0
    (game,) = json.loads(capsys.readouterr().out)["games"]
    assert game["review"]["lot"] == 4
    assert all(mark["ply"] > 4 for mark in game["review"]["marks"])


def test_annotated_games_go_to_a_file(games: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out.pdn"
    assert main.main([*ANALYST, "--pdn", str(games), "--out", str(out)]) == 0
    assert check(out).errors == []
    output = capsys.readouterr().out.splitlines()
    assert output[0].startswith("game 1  Black: ")
    assert output[-1].startswith("2 games reviewed, ")
    assert output[-1].endswith(f"written to {out}")
    first = out.read_text()
    assert main.main([*ANALYST, "--pdn", str(out), "--out", str(out)]) == 0  # over itself
    assert out.read_text() == first


def test_reviews_are_printed_as_json(games: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main([*ANALYST, "--pdn", str(games), "--json"]) == 0
    out, err = capsys.readouterr()
    result = json.loads(out)
    assert (result["analyst"], result["depth"], err) == ("material", 3, "")
    assert [game["black"] for game in result["games"]] == ["Ann", None]
    assert len(result["games"][0]["review"]["chances"]) == 9
    assert result["games"][0]["review"]["slides"] == {"black": None, "white": None}


def test_names_of_players_choose_the_curve(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "games.pdn"
    path.write_text(GAMES + '\n[Black "material,depth=2"]\n[White "random"]\n\n1. 9-14 22-18 *\n')
    assert main.main([*ANALYST, "--pdn", str(path), "--json"]) == 0
    output = json.loads(capsys.readouterr().out)["games"]
    assert [each["review"]["curve"] for each in output] == ["people", "people", "programs"]


@pytest.mark.parametrize(("numbers", "taken"), [("2", [2]), ("1-2", [1, 2]), ("2-9", [2, 3, 4]), ("1-4/3", [1, 4])])
def test_some_games_of_a_file(games: Path, capsys: pytest.CaptureFixture[str], numbers: str, taken: list[int]) -> None:
    games.write_text(GAMES * 2)
    assert main.main([*ANALYST, "--pdn", str(games), "--json", "--games", numbers]) == 0
    assert [game["game"] for game in json.loads(capsys.readouterr().out)["games"]] == taken


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--games", "5-1"), "expected numbers of games, as in 7, 1-5 or 1-900/3"),
        (("--games", "0-1"), "expected numbers of games"),
        (("--games", "1-5/0"), "expected numbers of games"),
        (("--games", "3-4"), "only 2 games, and --games selects none of them"),
    ],
)
def test_games_that_cannot_be_chosen(
    games: Path, capsys: pytest.CaptureFixture[str], options: tuple[str, ...], says: str
) -> None:
    assert main.main([*ANALYST, "--pdn", str(games), *options]) == 2
    assert says in capsys.readouterr().err


@pytest.fixture
def review_by(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Return a function that replaces the review of a game by another."""
    return lambda review: monkeypatch.setattr(Analyst, "review", review)


def test_each_game_is_in_the_file_once_it_is_finished(
    games: Path, tmp_path: Path, review_by: Callable[..., None]
) -> None:
    review, out, written = Analyst.review, tmp_path / "out.pdn", []

    def watched(self: Analyst, *arguments: object, **named: object) -> object:
        written.append(len(games_of(out)) if out.exists() else None)
        return review(self, *arguments, **named)  # type: ignore[arg-type]

    review_by(watched)
    assert main.main([*ANALYST, "--pdn", str(games), "--out", str(out)]) == 0
    assert written == [None, 1]


def test_games_are_read_from_standard_input(typed: Callable[..., None], capsys: pytest.CaptureFixture[str]) -> None:
    typed(GAMES.encode())
    assert main.main([*ANALYST, "--pdn", "-"]) == 0
    assert capsys.readouterr().out.count("[Event") == 2


def test_faults_are_reported_and_other_games_reviewed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "bad.pdn"
    path.write_text(GAMES.replace("18x9 0-1", "18-2 0-1"))
    assert main.main([*ANALYST, "--pdn", str(path)]) == 2
    out, err = capsys.readouterr()
    assert out.count("[Event") == 2
    assert out.endswith("18-2 0-1\n")
    assert err.splitlines()[1].startswith(f"{path}:8: game 2, ply 4: ")


UNREADABLE = (
    '[Event "cut"]\n[Result "0-1"]\n\n1. 11-15 23-18 {a comment without an end\n\n',
    '[Event "words"]\n\n1. 11-15 23-18 2. black left the room 0-1\n\n\n',
    '[Event "illegal"]\n\n1. 11-15  23-18 2. 11-15 0-1\n\n',
    '[Event "lost"]\n\n1. 11-15 (11-16 23-18 0-1\n\n',
    '[Event "none"]\n[Result "0-1"]\n\n0-1\n\n',
    '[Event "other"]\n[GameType "20"]\n\n1. 32-28 19-23 2-0\n\n',
    '[Event "nowhere"]\n[FEN "B:W33:B1"]\n\n1. 11-15 0-1\n\n',
)


@pytest.mark.parametrize("text", UNREADABLE)
@pytest.mark.parametrize("first", [False, True])
def test_a_game_that_cannot_be_read_to_its_end_is_copied_unchanged(
    text: str, first: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, out = tmp_path / "games.pdn", tmp_path / "out.pdn"
    path.write_text(text + GAMES if first else GAMES + "\n" + text)
    main.main([*ANALYST, "--pdn", str(path), "--out", str(out)])
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith("2 games reviewed, ")
    assert ", 1 game copied unchanged (not read to the end, or without moves), written to " in last
    written = out.read_text()
    assert written.startswith(text) if first else written.endswith(text.rstrip("\n") + "\n" * text[-3:].count("\n"))
    assert written.count("{Crownhead: Black") == 2
    assert main.main([*ANALYST, "--pdn", str(path), "--json"]) == (0 if "none" in text else 2)
    output = json.loads(capsys.readouterr().out)
    assert (len(output["games"]), output["left_out"]) == (2, [1 if first else 3])


def test_a_file_of_one_game_that_cannot_be_read_to_its_end_is_copied(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, out = tmp_path / "games.pdn", tmp_path / "out.pdn"
    path.write_text(UNREADABLE[1])
    assert main.main([*ANALYST, "--pdn", str(path), "--out", str(out)]) == 2
    assert out.read_text() == UNREADABLE[1]
    assert "no games reviewed, no mistakes, 1 game copied unchanged" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('[Event "one"]\n', '[Event "one"]\n[Event "again"]\n'),
        ("1. 11-15", "! 1. 11-15"),
        ("1-0", "1-0 0-1"),
        ('[Black "Ann"]', '[Black "Ann"]\n[Site of the game\n'),
        ('[Black "Ann"]', '[Black "Ann"]\n[SetUp "no"]'),
    ],
)
def test_a_fault_of_a_tag_or_result_does_not_change_the_review(
    before: str, after: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "games.pdn"
    reviews = []
    for text in (GAMES, GAMES.replace(before, after, 1)):
        path.write_text(text)
        main.main([*ANALYST, "--pdn", str(path), "--json"])
        reviews.append([game["review"] for game in json.loads(capsys.readouterr().out)["games"]])
    assert reviews[0] == reviews[1] and len(reviews[0]) == 2


@pytest.mark.parametrize("same", [False, True])
def test_review_without_games_leaves_no_file(same: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The file that is read may be the one to write: it stays what it was."""
    text = '[Event "?"]\n[SetUp "1"]\n[FEN "nonsense"]\n\n1. 11-15 *\n'
    path = tmp_path / "bad.pdn"
    out = path if same else tmp_path / "out.pdn"
    path.write_text(text)
    assert main.main([*ANALYST, "--pdn", str(path), "--out", str(out)]) == 2
    assert path.read_text() == text
    assert out.exists() == same
    assert "no games reviewed, no mistakes\n" in "".join(capsys.readouterr())


def test_ctrl_c_keeps_finished_reviews(
    games: Path, tmp_path: Path, review_by: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    review, asked = Analyst.review, []

    def stopped(self: Analyst, *arguments: object, **named: object) -> object:
        asked.append(1)
        if len(asked) == 2:
            raise KeyboardInterrupt
        return review(self, *arguments, **named)  # type: ignore[arg-type]

    review_by(stopped)
    out = tmp_path / "out.pdn"
    assert main.main([*ANALYST, "--pdn", str(games), "--out", str(out)]) == game_review.INTERRUPTED
    assert len(games_of(out)) == 1
    assert capsys.readouterr().err.splitlines()[1:] == [
        f"main.py: stopped: 1 game reviewed, 1 mistake, written to {out}"
    ]


def test_ctrl_c_before_the_first_game_leaves_no_file(
    games: Path, tmp_path: Path, review_by: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    def stopped(*arguments: object, **named: object) -> None:
        raise KeyboardInterrupt

    review_by(stopped)
    out = tmp_path / "out.pdn"
    assert main.main([*ANALYST, "--pdn", str(games), "--out", str(out)]) == game_review.INTERRUPTED
    assert not out.exists()
    assert capsys.readouterr().err.splitlines()[1:] == ["main.py: stopped: no games reviewed, no mistakes"]


def test_an_analyst_needs_a_player_with_scores() -> None:
    with pytest.raises(InputError, match="cannot judge positions"):
        Analyst(RandomPlayer())
