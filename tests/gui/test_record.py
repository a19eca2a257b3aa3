"""Games as text: round trips, pasted texts, descriptions of faults, and lists of PDN files of any size."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from game import moves
from game.board import Position
from game.pdn.game import Annotation, Game
from game.rules import BLACK, WHITE
from gui.model import pdn
from gui.model.ending import Cause
from gui.model.game import GameModel
from gui.model.lines import Thought
from gui.model.pdn import Loaded, PdnIndex, RecordError, read, to_game, to_pdn
from gui.model.seats import HUMAN, Seat
from tests.cases import for_each
from tests.game.pdn.pdn_texts import written


def random_game(seed: int, plies: int = 60, notes: bool = True) -> Game:
    random = Random(seed)
    start = position = Position.from_fen(random.choice(["B:W21-32:B1-12", "W:W21-32:B1-12", "W:WK26,K5,30:B6,7,14,15"]))
    played, outcome = [], []
    for ply in range(plies):
        legal = moves.successors(position)
        if not legal:
            break
        if notes and random.random() < 0.2:
            outcome.append(Annotation(ply, "comment", f"Remark {ply}"))
        move, position = random.choice(legal)
        played.append(move)
    result = random.choice(["1-0", "0-1", "1/2-1/2", "*"])
    tags = (("Event", f"Cup{seed % 3}"), ("Black", f"Ann{seed % 5}"), ("White", "Bob"), ("Opening", "a \\ b"))
    return Game(tags, start, tuple(played), result, tuple(outcome))


@given(st.integers(0, 10_000), st.integers(0, 80))
def test_a_recorded_game_stays_the_same(seed: int, plies: int) -> None:
    game = random_game(seed, plies)
    loaded = read(written(game))
    assert loaded.faults == ()
    again = to_game(loaded.model)
    assert (again.start, again.moves, again.notes, again.tags) == (game.start, game.moves, game.notes, game.tags)
    if loaded.model.ending is None or loaded.model.ending.cause is Cause.RECORDED:
        assert again.result == game.result
    else:  # the result follows from the moves
        assert game.result in ("*", again.result) or not moves.legal_moves(loaded.model.last)


def test_a_wrong_result_is_no_missing_part() -> None:
    assert read("1. 11-15 23-19 2. 8-11 19x10 *").warning.startswith("Only part of the game could be read: line 1: ")
    whole = read('[Result "1-0"]\n\n1. 11-15 23-19 0-1')
    assert len(whole.model.plies) == 2
    assert whole.warning.startswith("All moves could be read, but something else is wrong: line ")


def test_a_game_that_was_played_here() -> None:
    model = GameModel((HUMAN, Seat("cowan-1@15:Gen15_0832", 4, 2.0)))
    model.play(moves.parse_move(model.last, "11-15"))
    model.play(moves.parse_move(model.last, "23-19"), Thought(0.2, 4, "+0.50"))
    model.resign(BLACK)
    text = to_pdn(model, "2026.01.31")
    assert '[Date "2026.01.31"]' in text and '[Black "Person"]' in text
    assert '[White "cowan-1@15:Gen15_0832, depth 4, 2 s"]' in text
    assert "1. 11-15 23-19 {+0.50 depth 4} 0-1" in text
    again = read(text).model
    assert again.ending is not None and again.ending.cause is Cause.RECORDED
    assert again.seats[WHITE] == Seat(title="cowan-1@15:Gen15_0832, depth 4, 2 s")


def test_game_ended_by_tables_is_marked() -> None:
    record = '[Termination "{}"]\n[FEN "W:WK15,K14:BK1"]\n\n1. ... 15-11 0-1'
    ending, other = (read(record.format(why)).model.ending for why in ("adjudicated by tablebase", "time forfeit"))
    assert ending is not None and other is not None
    assert ending.headline == "White wins"
    assert ending.reason() == "According to the record of the game. (adjudicated by tablebase)"
    assert other.reason() == "According to the record of the game."


@pytest.mark.parametrize(
    "text",
    ["B:W18,24,K10:B12,K22", ' "W:WK26:B6." \n', "b:w18:b9", '[FEN "W:W21-32:B1-12:H0:F1"]\n', ' [FEN "b:w18:b9"]'],
)
def test_pasted_positions_are_read(text: str) -> None:
    model = read(text).model
    assert model.start == Position.from_fen(text.strip().strip('"'))
    assert not model.plies


def test_written_game_has_place_time_and_rules() -> None:
    """Without GameType, other programs take 1-0 as a win of White."""
    text = to_pdn(GameModel(), "2026.11.23")
    assert text.startswith('[Event "Crownhead"]\n[Site "?"]\n[Date "2026.11.23"]\n')
    assert '\n[GameType "21"]\n' in text
    assert '[Date "????.??.??"]' in to_pdn(GameModel())


@for_each("text", ["", "   \n", "hello world", "B:W99:B1", "B:W1:B1", "{", "[", "(((", "\x00\x01"])
def test_text_that_is_no_game(text: str) -> None:
    with pytest.raises(RecordError):
        read(text)


@given(st.text(max_size=60))
def test_any_text_is_a_game_or_an_error_in_words(text: str) -> None:
    try:
        assert isinstance(read(text), Loaded)
    except RecordError as error:
        assert str(error)


@pytest.mark.parametrize(
    ("text", "moves", "start"),
    [
        ("1. c3-d4 b6-c5 2. d4xb6 a7xc5 *", "11-15 24-19 15x24 28x19", None),
        ("1. f6–e5 c3–d4 *", "11-15 22-18", None),
        ('[gametype "21,B,8,8,A3,0"]\n1. f6-e5 c3-d4 *', "11-15 22-18", None),
        ('[fen "W:Wc3,e3:Bb6,Kd8"]\n[setup "1"]\nc3-d4 *', "22-18", "W:W22,23:BK2,9"),
        ('[Event "a"]\n[event "b"]\n11-15 23-19 *', "11-15 23-19", None),
        ("W:Wc3,e3:Bb6,Kd8", "", "W:W10,11:B24,K31"),
        ("[FEN “B：W21–23：BK1”]", "", "B:W21,22,23:BK1"),
        ("R:W21:RK1", "", "B:W21:BK1"),
    ],
)
def test_pasted_text_in_other_forms(text: str, moves: str, start: str | None) -> None:
    model = read(text).model
    assert " ".join(str(ply.move) for ply in model.plies) == moves
    assert model.start.fen() == (start or Position.start().fen())


def test_game_cut_by_words_is_reported_without_ending() -> None:
    loaded = read('[Result "0-1"]\n1. 11-15 23-19 2. black left the room 0-1')
    assert not loaded.whole and loaded.model.ending is None
    assert loaded.warning.startswith("Only part of the game could be read: line 2: game 1, ply 3: 'black': expected")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-8-sig", "cp1252"])
def test_files_in_other_encodings(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "games.pdn"
    text = '[Black "Zoë ½ – “x”"]\n\n1. 11-15 *\n\n[Black "Ann"]\n\n1. c3-d4 b6-c5 *\n'
    path.write_bytes(text.encode(encoding))
    index = index_of(path)
    assert [(entry.black, entry.line) for entry in index.entries] == [("Zoë ½ – “x”", 1), ("Ann", 5)]
    assert [str(ply.move) for ply in index.load(1).model.plies] == ["11-15", "24-19"]


def index_of(path: Path) -> PdnIndex:
    index = PdnIndex(path)
    while index.step(0.0):
        pass
    return index


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_games_of_a_file_are_read_back(tmp_path: Path, newline: str, monkeypatch: pytest.MonkeyPatch) -> None:
    games = [random_game(seed) for seed in range(150)]
    path = tmp_path / "many.pdn"
    path.write_bytes(b"\xef\xbb\xbf" + written(*games).replace("\n", newline).encode())
    index = index_of(path)
    assert index.complete and index.share == 1.0 and index.trouble == ""
    assert [entry.number for entry in index.entries] == list(range(1, 151))
    assert index.rows == list(range(150))
    # Each from where it starts, not from the beginning of the file.
    monkeypatch.setattr(pdn, "raw_games", lambda stream: iter([next(iter(original(stream)))]))
    for place in [0, 1, 77, 148, 149]:
        model = index.load(place).model
        assert tuple(ply.move for ply in model.plies) == games[place].moves
        assert index.entries[place].plies == len(games[place].moves)


original = pdn.raw_games


def test_faults_keep_the_lines_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "faulty.pdn"
    path.write_text(written(random_game(1)) + "\n\n1. 11-15 11-15 *\n", encoding="utf-8")
    index = index_of(path)
    lines = path.read_text(encoding="utf-8").split("\n")
    trouble = index.load(1).trouble
    assert trouble.startswith(f"line {lines.index('1. 11-15 11-15 *') + 1}: game 2, ply 2:")


def test_a_step_ends_when_its_time_is_over(tmp_path: Path) -> None:
    path = tmp_path / "many.pdn"
    path.write_text(written(*(random_game(seed) for seed in range(30))), encoding="utf-8")
    ticks = iter(range(10_000))
    index = PdnIndex(path, clock=lambda: next(ticks))
    assert index.step(3.5)
    assert 1 <= len(index.entries) <= 4
    assert not index.complete
    assert index.load(0).model.plies
    index.close()


def test_files_that_cannot_be_listed(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="is a folder"):
        PdnIndex(tmp_path)
    with pytest.raises(RecordError, match="cannot be opened"):
        PdnIndex(tmp_path / "none.pdn")
    (tmp_path / "binary.pdn").write_bytes(b"\x00\x01\x02")
    with pytest.raises(RecordError, match="not a text file"):
        PdnIndex(tmp_path / "binary.pdn")
    (tmp_path / "empty.pdn").write_bytes(b"\n")
    assert index_of(tmp_path / "empty.pdn").trouble.endswith("no games found")


def test_a_game_that_cannot_be_shown(tmp_path: Path) -> None:
    path = tmp_path / "ten.pdn"
    path.write_text('[GameType "20"]\n\n1. 32-28 19-23 *\n', encoding="utf-8")
    with pytest.raises(RecordError, match="game 1 cannot be shown"):
        index_of(path).load(0)


def test_a_list_has_an_end(tmp_path: Path, limit: Callable[..., None]) -> None:
    limit(pdn, "MOST_GAMES", 3)
    path = tmp_path / "many.pdn"
    path.write_text(written(*(random_game(seed) for seed in range(9))), encoding="utf-8")
    index = index_of(path)
    assert len(index.entries) == 3 and index.complete and "only the first 3 games" in index.trouble
    assert index.load(2).model.plies
