"""Programs that speak the Hub protocol: they are recognised, play whole games, and lose those in which they fail."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from extras.external import hub
from extras.external import program as programs
from extras.external.hub import HubSpeech, read_line, read_move, read_position, write_line, write_move
from extras.external.tests.programs import MATERIAL, START, ScriptedProcess
from game import match, moves
from game.board import Position
from game.endings import Reason
from game.errors import InputError
from game.generator import SplitMix64
from game.players.basic import MaterialPlayer
from game.players.player import Choice, Player
from game.players.registry import player
from tests.called import call_program
from tests.cases import for_each

pytestmark = pytest.mark.usefixtures("usual_signals")
posix = pytest.mark.skipif(os.name != "posix", reason="by commands as POSIX has them")

PROGRAM = Path(__file__).with_name("hub_program.py")


def command(mode: str, notes: str = "") -> str:
    return shlex.join([sys.executable, "-S", str(PROGRAM), mode, *([notes] if notes else [])])


def draughts(mode: str, options: str = "start=20,timeout=20,depth=1", notes: str = "") -> Player:
    return player(f"external:'{command(mode, notes)}',{options}")


class Last(MaterialPlayer):
    def choose(self, position: Position, *_: object) -> Choice:  # type: ignore[override]
        return Choice(moves.legal_moves(position)[-1])


# Programs that play ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["good", "silent", "american"])
def test_a_draughts_program_plays_whole_games(mode: str, limit: Callable[..., None]) -> None:
    """One that does not answer unknown lines is recognised, too, by its silence."""
    limit(hub, "PATIENCE", 0.5)
    opening = tuple(moves.legal_moves(START)[:1])
    for colours in ((draughts(mode), MATERIAL), (MATERIAL, draughts(mode))):
        record = match.play(*colours, opening=opening)
        assert record.reason != Reason.FAILURE, record.failure
        expected = [MATERIAL if each is MATERIAL else Last() for each in colours]
        assert record.moves == match.play(expected[0], expected[1], opening=opening).moves


def test_information_of_a_draughts_program_is_kept() -> None:
    choice = draughts("good").choose(START, (), SplitMix64(0))
    last = moves.legal_moves(START)[-1]
    assert (choice.move, choice.score, choice.depth, choice.nodes, choice.pv) == (last, 0.25, 3, 17, (last,))


def test_a_draughts_program_receives_these_lines(tmp_path: Path) -> None:
    tested = draughts("good", "depth=4,nodes=7,time=0.25,timeout=20", str(tmp_path / "notes"))
    line = [START, moves.apply(START, moves.legal_moves(START)[0])]
    tested.choose(line[1], line[:1], SplitMix64(0))
    start = "B" + 12 * "b" + 8 * "e" + 12 * "w"
    assert (tmp_path / "notes").read_text().splitlines() == [
        "isready",
        "hub",
        "set-param name=variant value=english",
        "init",
        "new-game",
        f"pos pos={start} moves=9-13",
        "level depth=4",
        "level nodes=7",
        "level move-time=0.25",
        "go think",
    ]
    programs.close_all()  # once it is known, it is not asked for the other protocol
    tested.choose(line[1], line[:1], SplitMix64(0))
    assert (tmp_path / "notes").read_text().splitlines()[10:12] == ["hub", "set-param name=variant value=english"]


# Programs that fail ---------------------------------------------------------------------------------------------------


@posix
@pytest.mark.parametrize(
    ("mode", "times", "reason"),
    [
        ("illegal", "start=60,timeout=60", "it answered '1-32', which is no legal move of "),
        ("nothing", "start=60,timeout=60", "it answered '', which is no legal move of "),
        ("garbage", "start=60,timeout=1", "it gave no move within 1 s"),
        ("hang", "start=60,timeout=1", "it gave no move within 1 s; its last error: it hurts"),
        ("hang-at-init", "start=3,timeout=60", "it gave no answer within 3 s of its start"),
    ],
)
def test_a_draughts_program_that_fails_loses(mode: str, times: str, reason: str) -> None:
    tested = draughts(mode, f"{times},depth=1")
    record = match.play(tested, MATERIAL)
    assert (record.result, record.reason) == (-1, Reason.FAILURE)
    assert record.failure.startswith(f"{tested.name}: {reason}")


@pytest.mark.parametrize(("mode", "offered"), [("other", "normal, frisian"), ("no-variant", "none")])
def test_other_variants_are_refused(mode: str, offered: str, capfd: pytest.CaptureFixture[str]) -> None:
    done = call_program(capfd, "match", f"external:'{command(mode)}'", "material", "--games=2", "--workers=1")
    assert (done.code, done.err.count("\n")) == (2, 1)
    expected = "expected a variant with 8x8 squares (english, american, checkers), it offers"
    assert done.err.endswith(f"hub_program.py {mode}': {expected} {offered}\n")


def test_a_program_of_the_other_protocol_is_asked_once_and_then_spoken_to(limit: Callable[..., None]) -> None:
    limit(hub, "PATIENCE", 2.0)
    limit(hub, "ANSWER_SECONDS", 2.0)
    process = ScriptedProcess([(9.0, "info depth 1"), (10.0, "bestmove 9-13")])
    sent: list[str] = []
    process.send = sent.append  # type: ignore[method-assign]
    speech = HubSpeech(process, "some")  # type: ignore[arg-type]
    for line in ("position startpos", "go depth 1"):
        speech.send(line)
    assert (sent, speech.line(1.0)) == (["isready"], None)
    assert (speech.line(2.5), sent) == ("", ["isready", "hub"])
    assert (speech.line(2.0), sent) == (None, ["isready", "hub", "position startpos", "go depth 1"])
    assert (speech.line(10.0), speech.line(10.0)) == ("info depth 1", "bestmove 9-13")


# Lines ----------------------------------------------------------------------------------------------------------------


@for_each(
    ("line", "command", "given"),
    [
        ("wait", "wait", {}),
        ("  level move-time=1.5  infinite", "level", {"move-time": "1.5", "infinite": ""}),
        ('pos pos=Be moves="1-2 3x4x5"', "pos", {"pos": "Be", "moves": "1-2 3x4x5"}),
        ('error message = "a = b" x=""', "error", {"message": "a = b", "x": ""}),
        ('done move="', "done", {"move": ""}),
        ("", "", {}),
        ('= = "', "", {}),
    ],
)
def test_lines_are_read(line: str, command: str, given: dict[str, str]) -> None:
    assert read_line(line) == (command, given)


def test_values_with_spaces_are_quoted() -> None:
    assert write_line("a", b_c="d", e='f "g"', h="") == 'a b-c=d e="f \'g\'" h=""'


def games(count: int) -> Sequence[Position]:
    positions, position = [START], START
    for number in range(count):
        legal = moves.legal_moves(position)
        position = moves.apply(position, legal[number * number % len(legal)]) if legal else START
        positions.append(position)
    return positions


def test_positions_and_moves_come_back() -> None:
    for position in (*games(150), Position.from_fen("W:W18,24,K10:B12,K22"), Position.from_fen("B:W14,15,22,23:BK10")):
        assert read_position(hub.write_position(position)) == position
        for move in moves.legal_moves(position):
            assert moves.apply(position, read_move(position, write_move(move))) == moves.apply(position, move)
            assert read_move(position, str(move)).path == move.path or len(move.captured) > 1


@pytest.mark.parametrize(
    "text", ["", "B" + 50 * "e", "X" + 32 * "e", "B" + 32 * "b", "B" + 31 * "e" + "b", "B" + 32 * "\u0660"]
)
def test_wrong_positions_are_refused(text: str) -> None:
    with pytest.raises(InputError):
        read_position(text)


def test_unknown_lines_have_no_meaning() -> None:
    begin = ["error", "param name=variant value=english", "wait"]
    unknown = ["", "hello", "info", "pong", "param name=variant", "\x00", "info pv=1-32 depth=", "= ="]
    speech = HubSpeech(ScriptedProcess([(0.0, line) for line in (*begin, *unknown)]), "some")  # type: ignore[arg-type]
    heard = [speech.line(1.0) for _ in range(len(begin) + len(unknown))]
    assert heard[:3] == ["error", "", "supports depth nodes movetime newgame"]
    assert heard[3:] == ["", "", "info pv", "", "", "", "info pv", ""]
