"""Foreign programs as players: every way to fail loses one game, with the reason, and leaves no process behind."""

from __future__ import annotations

import os
import pickle
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from extras.external import program as programs
from extras.external import protocol
from extras.external.process import Process, ProcessEnded, split_command
from extras.external.program import Contract, ExternalProgram, ProgramFailure
from extras.external.protocol import Info
from extras.external.tests.programs import MATERIAL, START, ScriptedProcess, command, foreign
from game import match, moves
from game.board import Position
from game.endings import Reason
from game.errors import InputError
from game.generator import SplitMix64
from game.players.basic import MaterialPlayer
from game.players.player import Choice
from game.players.registry import player
from game.search.interface import WIN, WON, Limits
from tests.cases import for_each
from tests.processes import gone

pytestmark = pytest.mark.usefixtures("usual_signals")

ROOT = Path(__file__).parents[3]
posix = pytest.mark.skipif(os.name != "posix", reason="by process numbers, as POSIX has them")


@pytest.mark.parametrize("mode", ["good", "no-readyok"])
def test_a_program_plays_whole_games(mode: str, limit: Callable[..., None]) -> None:
    """It plays the last legal move each time, so its games are known."""
    limit(programs, "GREETING_SECONDS", 0.1)

    class Last(MaterialPlayer):
        def choose(self, position: Position, *_: object) -> Choice:  # type: ignore[override]
            return Choice(moves.legal_moves(position)[-1])

    tested = foreign(mode)
    opening = tuple(moves.legal_moves(START)[:1])
    for black, white, expected in (
        (tested, MATERIAL, (Last(), MATERIAL)),
        (MATERIAL, tested, (MATERIAL, Last())),
        (tested, tested, (Last(), Last())),
    ):
        record = match.play(black, white, opening=opening)
        assert record.reason != Reason.FAILURE, record.failure
        assert record.moves == match.play(*expected, opening=opening).moves


def test_information_of_a_program_is_kept() -> None:
    choice = foreign("good").choose(START, (), SplitMix64(0))
    last = moves.legal_moves(START)[-1]
    assert (choice.move, choice.score, choice.depth, choice.nodes, choice.pv) == (last, 0.25, 3, 1, (last,))


def test_forced_move_is_not_requested() -> None:
    tested = foreign("crash-at-start")
    forced = Position.from_fen("B:W15:B11")
    assert str(tested.choose(forced, (), SplitMix64(0)).move) == "11x18"


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ("depth=4", "go depth 4"),
        ("time=0.25", "go movetime 250"),
        ("depth=4,nodes=7,time=2", "go depth 4 nodes 7 movetime 2000"),
        ("start=9", "go movetime 1000"),
        ("time=0.0001", "go movetime 1"),  # the shortest that an engine takes
    ],
)
def test_limits_of_a_player_become_this_line(options: str, line: str) -> None:
    tested = foreign("good", options=options)
    assert protocol.go_line(tested.contract.limits) == line
    assert not tested.deterministic


def test_options_and_defaults() -> None:
    tested = foreign("good", options="start=0.5,timeout=7")
    assert tested.contract == Contract(command("good"), Limits(seconds=1.0), 0.5, 7.0)
    assert pickle.loads(pickle.dumps(tested)) == tested


FAILURES = [
    ("crash-at-start", "", "it ended with code 1: right here"),
    ("crash", "3", "it ended with signal 6"),
    ("hang-at-start", "", "it gave no answer within 1 s of its start"),
    ("hang", "3", "it gave no move within 1 s"),
    ("errors", "", "it gave no move within 1 s; its last error: go: no \\x1b[31mmoves xxx"),
    ("slow-start", "30", "it gave no answer within 1 s of its start"),
    ("flood", "", "it wrote more than 20,000 lines or 4,194,304 bytes about one move"),
    ("illegal", "", "it answered '1-32', which is no legal move of "),
    ("banana", "", "it gave no move within 1 s"),
]
OFTEN = ("crash-at-start", "crash", "hang", "flood", "illegal")
"""The failures that are always tested; the others belong to the check."""


@posix
@pytest.mark.parametrize(
    ("mode", "argument", "reason"),
    [pytest.param(*each, marks=() if each[0] in OFTEN else pytest.mark.check) for each in FAILURES],
)
def test_failure_loses_the_game_with_a_reason(mode: str, argument: str, reason: str) -> None:
    start = 1 if mode in ("hang-at-start", "slow-start") else 60
    timeout = 1 if reason.startswith("it gave no move") else 60  # a busy machine may take seconds for an answer
    tested = foreign(mode, argument, f"start={start},timeout={timeout},depth=1")
    record = match.play(tested, MATERIAL)
    assert (record.result, record.reason) == (-1, Reason.FAILURE)
    assert record.failure.startswith(f"{tested.name}: {reason}")
    assert programs.program(tested.contract).pid is None  # it does not run any more
    assert len(record.failure) < len(tested.name) + 300
    if mode == "crash":
        assert len(record.moves) >= 4
    record = match.play(MATERIAL, tested)
    assert (record.result, record.reason) == (1, Reason.FAILURE)


@pytest.mark.parametrize(
    ("lines", "failure"),
    [
        ([(29, "readyok"), (29 + 14, "bestmove 9-13")], ""),
        ([(29, "readyok"), (29 + 16, "bestmove 9-13")], "it gave no move within 15 s"),
        ([(31, "readyok"), (32, "bestmove 9-13")], "it gave no answer within 30 s of its start"),
        ([(29, "bestmove 9-13")], ""),
        ([(31, "bestmove 9-13")], "it gave no answer within 30 s of its start"),
        ([(20, "info depth 3"), (30, "readyok"), (36, "bestmove 9-13")], "it gave no move within 15 s"),
        ([(1, "hello"), (2, "info string loading"), (29, "readyok"), (43, "bestmove 9-13")], ""),
        ([(1, "error what?")], "it gave no answer within 30 s of its start; its last error: what\\?"),
        ([(1, "readyok"), (2, "error"), (20, "error late")], "it gave no move within 15 s"),
        ([(1, "readyok"), (2, "error what?"), (3, "bestmove 9-13")], ""),
    ],
)
def test_the_times_of_the_first_move(
    lines: list[tuple[float, str]], failure: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`start` until the first answer, then `time` and `timeout`; the same for the second move without `start`."""
    result = ScriptedProcess([*lines, (1000, "bestmove 9-13")])
    monkeypatch.setattr(programs, "Process", lambda command: result)
    monkeypatch.setattr(programs, "time", result)
    one = ExternalProgram(Contract("anything", Limits(seconds=5.0), 30.0, 10.0))
    if failure:
        with pytest.raises(ProgramFailure, match=f"^{failure}$"):
            one.choose(START)
        return
    assert str(one.choose(START).move) == "9-13"
    result.clock = 985
    assert str(one.choose(START).move) == "9-13"
    result.lines, result.clock = [(2016, "bestmove 9-13")], 2000
    with pytest.raises(ProgramFailure, match=r"^it gave no move within 15 s$"):
        one.choose(START)


def test_a_closed_output_is_an_end() -> None:
    record = match.play(foreign("close", "2", "start=20,timeout=20,depth=1"), MATERIAL)
    assert record.failure.endswith("it closed its output")


def test_program_restarts_for_the_next_game() -> None:
    tested = foreign("crash", "2")
    lengths = [len(match.play(tested, MATERIAL).moves) for _ in range(3)]
    assert lengths[0] == lengths[1] == lengths[2] > 0


def test_endless_errors_do_not_block() -> None:
    """Unread output fills the pipe, and the program waits for ever."""
    record = match.play(foreign("flood-errors", "", "start=20,timeout=1,depth=1"), MATERIAL)
    assert record.failure.endswith("it gave no move within 1 s")


def test_program_that_does_not_read_does_not_block() -> None:
    process = Process(shlex.join([sys.executable, "-c", "import time; time.sleep(600)"]))
    began = time.monotonic()
    for _ in range(100):
        process.send("x" * 100_000)
    assert process.line(0.05) is None
    process.close()
    process.close()
    assert time.monotonic() - began < 30


def test_an_interrupted_question_ends_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise the answer would be taken for that to the next question."""
    one = ExternalProgram(Contract(command("good"), Limits(depth=1)))
    assert one.choose(START).move == moves.legal_moves(START)[-1]
    assert one.pid is not None

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(Process, "line", interrupted)
        one.choose(START)
    assert one.pid is None
    assert one.choose(START).move == moves.legal_moves(START)[-1]
    one.close()


@posix
@pytest.mark.parametrize("mode", ["children", "children-crash"])
def test_its_children_end_with_it(mode: str, tmp_path: Path) -> None:
    marker = tmp_path / "pids"
    tested = foreign(mode, str(marker))
    record = match.play(tested, MATERIAL, opening=tuple(moves.legal_moves(START)[:1]))
    assert (record.reason == Reason.FAILURE) == (mode == "children-crash")
    programs.close_all()
    assert gone([int(word) for word in marker.read_text().split()])


LEAVES = """
import subprocess, sys
print(subprocess.Popen(["sleep", "60"], start_new_session=True).pid, flush=True)
sys.exit(3)
"""


@posix
def test_an_end_is_noticed_although_a_process_outside_its_group_has_its_output() -> None:
    process = Process(shlex.join([sys.executable, "-c", LEAVES]))
    left = int(process.line(20.0) or 0)
    try:
        with pytest.raises(ProcessEnded, match="ended with code 3"):
            process.line(10.0)
        process.close()
    finally:
        os.kill(left, signal.SIGKILL)


PLAYS = """
import sys
from game.board import Position
from game.generator import SplitMix64
from game.players.registry import player
player(sys.argv[1]).choose(Position.start(), (), SplitMix64(0))
"""


@posix
def test_programs_end_with_us(tmp_path: Path) -> None:
    marker = tmp_path / "pids"
    text = command("children", str(marker)).replace("'", '"')
    subprocess.run([sys.executable, "-c", PLAYS, f"external:'{text}',depth=1"], cwd=ROOT, check=True)
    assert gone([int(word) for word in marker.read_text().split()])


@posix
def test_a_killed_program_is_started_again(tmp_path: Path) -> None:
    one = ExternalProgram(Contract(command("good"), Limits(depth=1)))
    one.choose(START)
    assert one.pid is not None
    os.kill(one.pid, signal.SIGKILL)
    with pytest.raises(ProgramFailure, match="it ended with signal 9"):
        one.choose(START)
    one.choose(START)
    one.close()


@posix
def test_a_forked_process_starts_its_own(tmp_path: Path) -> None:
    tested = foreign("good")
    assert tested.choose(START, (), SplitMix64(0)).nodes == 1
    child = os.fork()
    if child == 0:
        try:
            code = tested.choose(START, (), SplitMix64(0)).nodes  # 1 again: another program
            programs.close_all()
            os._exit(code)
        finally:
            os._exit(99)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1
    assert tested.choose(START, (), SplitMix64(0)).nodes == 2


@posix
@pytest.mark.parametrize(
    ("text", "words"), [("sh -c 'a b'", ["sh", "-c", "a b"]), ('sh "x, y:z"', ["sh", "x, y:z"]), ("  sh  ", ["sh"])]
)
def test_commands_are_split_as_a_shell_does(text: str, words: list[str]) -> None:
    assert split_command(text) == words


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("", "expected a command after the colon"),
        ("   ", "expected a command after the colon"),
        ("no-such-program-here x", "external program 'no-such-program-here': there is no such program"),
        ("/no/such/program", "external program '/no/such/program': there is no such program"),
    ],
)
def test_empty_commands_are_refused(text: str, error: str) -> None:
    with pytest.raises(InputError, match=error):
        split_command(text)


@posix
def test_a_program_that_cannot_be_run(tmp_path: Path) -> None:
    """It is there and may be executed, but is none."""
    path = tmp_path / "none"
    path.write_bytes(b"\x7fELF nonsense")
    path.chmod(0o755)
    record = match.play(player(f"external:{path},start=5"), MATERIAL)
    assert "Exec format error" in record.failure


def test_position_lines_come_back() -> None:
    history, position = [], START
    for _ in range(30):
        assert protocol.read_position(protocol.position_line(position, history).split()[1:]) == [*history, position]
        history.append(position)
        position = moves.successors(position)[len(history) % 2 - 1][1]
    other = Position.from_fen("W:W18,24,K10:B12,K22")
    assert protocol.position_line(other) == f"position fen {other.fen()}"
    assert protocol.position_line(START) == "position startpos"


@for_each(
    ("text", "info"),
    [
        ("depth 5 nodes 77 nps 3 score 0.5 pv 11-15 22x18", Info(5, 77, 0.5, ("11-15", "22x18"))),
        ("score win 23", Info(score=WIN - 23)),
        ("score loss 8", Info(score=8 - WIN)),
        ("score cp -35 depth 2", Info(depth=2, score=-0.35)),
        ("score mate 3", Info(score=WIN - 6)),
        ("score mate -3", Info(score=6 - WIN)),
        ("score 5000000", Info(score=WON)),
        ("score win 2000000", Info()),
        ("string anything depth", Info()),
        ("depth x nodes -3 score", Info()),
        ("score nan depth 1e400", Info()),
        ("", Info()),
    ],
)
def test_information_of_engines_is_parsed(text: str, info: Info) -> None:
    assert protocol.read_info(text.split()) == info


@pytest.mark.parametrize("score", [0.0, 0.53, -12.25, 150.0, WIN - 23, 8 - WIN])
def test_info_lines_come_back(score: float) -> None:
    pv = tuple(moves.legal_moves(START)[:2])
    line = protocol.info_line(5, 1000, 0.5, score, pv)
    assert protocol.read_info(line.split()[1:]) == Info(5, 1000, score, tuple(map(str, pv)))
    assert " nps 2000 " in line
