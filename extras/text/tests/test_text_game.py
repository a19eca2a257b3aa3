"""Games in words: sentences for moves and positions, reasons for refusals, and the end of input."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import pytest

import main
from extras.text.text_game import HELP, GameKeeper, TextGame, play
from game import plain
from game.board import Position
from game.players.player import PlayerFailure
from game.scores import SearchInfo
from gui.model.game import GameModel
from gui.model.seats import HUMAN, Seat
from gui.storage.kept_games import KeptGames
from gui.thinking.messages import Purpose
from tests.gui.hands import PATIENCE

pytestmark = pytest.mark.usefixtures("usual_signals")

ADVISER = Seat("material", title="Adviser")


def first_move(model: GameModel, seat: Seat, purpose: Purpose) -> SearchInfo:
    return SearchInfo(plain.legal_moves(model.last)[0], score=0.0)


def game(fen: str | None = None, *, white: bool = False) -> TextGame:
    start = Position.start() if fen is None else Position.from_fen(fen)
    seats = (Seat("random"), HUMAN) if white else (HUMAN, Seat("random"))
    return TextGame(GameModel(seats, start), first_move, ADVISER)


def spoken(game: TextGame, *lines: str) -> str:
    return "\n".join(sentence for line in lines for sentence in game.answer(line))


def test_a_move_is_answered_by_the_programs_move_and_whose_turn_it_is() -> None:
    assert spoken(game(), "11-15") == (
        "You move 11 to 15.\nWhite moves 24 to 20.\nIt is your move, as Black."
    )  # fmt: skip
    assert list(game(white=True).begin())[1:] == ["Black moves 9 to 13.", "It is your move, as White."]


def test_jumps_name_captures_and_crowning() -> None:
    double = game("B:W6,K15,32:B1,2")
    assert spoken(double, "") == "It is your move, as Black, and you must jump with the piece on 1 or 2."
    assert spoken(double, "1x19").splitlines()[:2] == [
        "You jump 1 to 10 to 19, and take the man on 6 and the king on 15.",
        "White moves 32 to 28.",
    ]
    assert spoken(game("B:W21:B26,3"), "26-30").splitlines()[0] == "You move 26 to 30; the man becomes a king."


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("11-18", "11-18: There is nothing to jump over."),
        ("24-20", "24-20: The piece on square 24 belongs to the other side."),
        ("99-3", "99-3: This move is not legal here."),
        ("15-19", "15-19: There is no piece on square 15."),
        ("fly", "There is no word 'fly'. Type help"),
        ("33", "33: squares are numbered 1 to 32."),
        ("undo", "There is no move of yours to take back."),
    ],
)
def test_wrong_lines_are_refused_in_one_line(line: str, reason: str) -> None:
    here = game()
    answer = spoken(here, line)
    assert answer.startswith(reason)
    assert "\n" not in answer
    assert here.model.plies == []


def test_typed_words_are_answered() -> None:
    here = game()
    assert spoken(here, "HELP") == "\n".join(HELP)
    assert [word for word in here._words if word not in " ".join(HELP)] == ["help", "?"]
    assert spoken(here, "moves") == "7 moves: 9-13, 9-14, 10-14, 10-15, 11-15, 11-16, 12-16."
    assert spoken(here, "11") == "11 has a black man; its moves: 11-15, 11-16."
    assert spoken(here, "1") == "1 has a black man, which cannot move now."
    assert spoken(here, "24") == "24 has a white man."
    assert spoken(here, "15") == "15 is empty."
    assert spoken(here, "last") == "No move yet."
    assert spoken(here, "board").splitlines() == [
        "Black has 12 men on 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 12.",
        "White has 12 men on 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31 and 32.",
        "Black to move.",
    ]
    assert spoken(here, "hint").startswith("Adviser would play 9 to 13. Your chances: win ")
    spoken(here, "11-15")
    assert spoken(here, "game") == "1. 11-15, 24-20\nIt is your move, as Black."
    assert spoken(here, "undo") == "Taken back: 2 moves.\nIt is your move, as Black."
    assert spoken(here, "redo").startswith("Black moves 11 to 15.\nWhite moves 24 to 20.")
    assert spoken(here, "resign").startswith("You lost. You resigned.")
    assert spoken(here, "hint") == spoken(here, "moves") == spoken(here, "resign")
    assert spoken(here, "11-15") == "11-15: The game is over."
    assert spoken(here, "new").startswith("You play Black against Random moves")
    assert here.model.plies == []


def test_end_names_the_winner_and_a_failing_program_loses() -> None:
    assert "You won. White has no pieces left." in spoken(game("B:W18:B14,1"), "14-23")

    def fail(model: GameModel, seat: Seat, purpose: Purpose) -> SearchInfo:
        raise PlayerFailure("no\nanswer")

    here = TextGame(GameModel((HUMAN, Seat("random"))), fail, ADVISER)
    assert spoken(here, "11-15").splitlines()[1].startswith("You won. White failed. (no answer)")


ENDED = "--text: expected quit as the last line, but the input ended before it"


@pytest.fixture
def program(typed: Callable[[bytes], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    monkeypatch.setenv("CROWNHEAD_DATA_DIR", str(tmp_path))

    def with_lines(text: str, *arguments: str) -> int:
        typed(text.encode())
        return main.main(["play", "random", "--colour=black", f"--runs={tmp_path}", *arguments])

    return with_lines


@pytest.mark.parametrize(("end", "code"), [("quit\n9-13\n", 0), ("Quit\n", 0), ("", 2), ("moves", 2)])
def test_quit_and_the_end_of_input_end_the_game(
    end: str, code: int, program: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert program(f"11-15\n{end}", "--text") == code
    output, error = capsys.readouterr()
    assert error == ("" if not code else f"main.py: {ENDED}\n")
    assert output.startswith("You play Black against Random moves.\nIt is your move, as Black.\nType help")
    assert "You move 11 to 15.\nWhite moves " in output
    assert "9 to 13" not in output
    assert output.endswith("This game is kept: the window lists it under All games.\n")
    (kept,) = KeptGames(tmp_path).read_all()
    assert (kept.plies, kept.players, kept.over) == (2, "Black against Random moves", False)


def test_a_level_or_a_run_is_an_opponent_by_its_name(
    typed: Callable[[bytes], None], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CROWNHEAD_DATA_DIR", str(tmp_path))
    without = "Generation 8 of search-free (first choice).\n"  # it has neither depth nor time
    for name, words in (("Club", "Club (depth 3"), ("casual", "Casual (depth 1"), ("search-free", without)):
        typed(b"quit\n")
        assert main.main(["play", name, "--text", "--colour=black"]) == 0
        assert capsys.readouterr().out.startswith(f"You play Black against {words}")


def test_each_game_with_moves_is_kept(
    program: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert program("11-15\nresign\nnew\n9-13\nnew\nquit\n", "--text") == 0
    assert capsys.readouterr().out.count("This game is kept") == 2
    assert sorted(kept.over for kept in KeptGames(tmp_path).read_all()) == [False, True]


def test_wrong_options_are_refused_before_a_game(
    program: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    for arguments, line in (
        (("--text", "--open=a.pdn"), "--text: not together with --open or --evolving; RUN --text plays its champion"),
        (("--text", "--evolving"), "--evolving: not together with PLAYER"),
        (("--text", "--fen=B:W1:B1"), "W1: "),
    ):
        assert program("11-15\n", *arguments) == 2
        output = capsys.readouterr()
        assert output.out == ""
        assert line in output.err
        assert output.err.count("\n") == 1


TERMINAL = """
import os, pty, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))
"""
"""A program that runs another one on a terminal of its own, and types there what it reads. Ctrl+C works there, even if
the tests run in the background of a shell, which ignores it."""


@contextmanager
def playing(folder: Path, text: bytes) -> Iterator[tuple[subprocess.Popen[bytes], IO[bytes], IO[bytes]]]:
    """Yield a terminal in which a text game has begun, its input, where the text is typed at once, and its output."""
    game = [sys.executable, main.__file__, "play", "random", "--text", "--colour=black", "--fen=B:W18:B14,1"]
    command = [sys.executable, "-c", TERMINAL, *game, f"--runs={folder}"]
    environment = {**os.environ, "CROWNHEAD_DATA_DIR": str(folder)}
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment) as terminal:
        assert terminal.stdin is not None and terminal.stdout is not None
        patience = threading.Timer(PATIENCE, terminal.kill)
        patience.start()
        terminal.stdin.write(text)
        terminal.stdin.flush()
        yield terminal, terminal.stdin, terminal.stdout
    patience.cancel()


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
@pytest.mark.parametrize(("end", "code"), [(b"\x03", 130), (b"\x04", 2)], ids=["Ctrl+C", "Ctrl+D"])
def test_a_game_at_a_terminal_is_a_transcript_of_sentences(end: bytes, code: int, tmp_path: Path) -> None:
    with playing(tmp_path, b"14-18\nhello\n\xff\n14x23\n") as (terminal, typing, output):
        lines: list[str] = []
        for line in output:
            lines.append(line.decode(errors="replace").strip())
            if lines[-1].startswith("You won"):
                typing.write(end)
                typing.flush()
    typed = {"14-18", "hello", "\ufffd", "14x23", "^C", ""}
    messages = [line.removeprefix("^D\b\b") for line in lines if line not in typed]
    assert messages[1] == "It is your move, as Black, and you must jump with the piece on 14."
    assert messages[3:8] == [
        "14-18: There is a piece on square 18.",
        "There is no word 'hello'. Type help for all words, or a move such as 11-15.",
        "There is no word '\\udcff'. Type help for all words, or a move such as 11-15.",
        "You jump 14 to 23, and take the man on 18.",
        "You won. White has no pieces left. Type new for another game, undo to take a move back, or quit.",
    ]
    kept = "This game is kept: the window lists it under All games."
    assert messages[8:] == (["Interrupted.", kept] if code == 130 else [kept, f"main.py: {ENDED}"])
    assert terminal.returncode == code
    assert [game.plies for game in KeptGames(tmp_path).read_all()] == [1]


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_a_game_is_finished_when_its_terminal_closes(tmp_path: Path) -> None:
    with playing(tmp_path, b"14x23\n") as (terminal, _, output):
        assert any(line.startswith(b"You won") for line in output)
        terminal.kill()
    end = time.monotonic() + PATIENCE
    while list((tmp_path / "games").glob("*.lock")):  # which the game releases last
        assert time.monotonic() < end, "the game has not ended"
        time.sleep(0.01)
    assert [(game.plies, game.over) for game in KeptGames(tmp_path).read_all()] == [(1, True)]


def test_a_game_is_saved_after_each_answer(tmp_path: Path) -> None:
    lines, kept = iter(["moves\n", "11-15\n", "undo\n", "new\n", "9-13\n", "new\n", "quit\n"]), []

    def read() -> str:
        kept.append(sorted(game.plies for game in KeptGames(tmp_path).read_all()))
        return next(lines)

    messages: list[str] = []
    model = GameModel((HUMAN, Seat("random")))
    assert play(TextGame(model, first_move, ADVISER), read, messages.append, GameKeeper(tmp_path))
    assert kept == [[], [], [2], [0], [0], [0, 2], [0, 2]]
    assert sum("This game is kept" in text for text in messages) == 2
