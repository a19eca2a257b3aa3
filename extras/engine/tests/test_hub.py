"""A player behind the Hub protocol: answers as the protocol wants them, wrong lines, and games against itself."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

import main
from extras.engine.engine import Engine
from extras.engine.hub import Hub, _limits
from extras.engine.tests.talk import Talk
from extras.external.hub import HubSpeech, _speaks_hub, follow, read_line
from extras.external.protocol import newgame_line, position_line
from game import match, moves
from game.board import Position
from game.generator import SplitMix64
from game.players.basic import MaterialPlayer, RandomPlayer
from game.players.player import Player
from game.rules import WCDF
from game.search.interface import Limits
from tests.cases import for_each

START = "B" + 12 * "b" + 8 * "e" + 12 * "w"
THREE = "pos pos=B" + "".join({11: "b", 15: "w", 22: "w", 32: "w"}.get(n, "e") for n in range(1, 33))
HELLO = ["id name=Crownhead version=", "param name=variant value=english type=enum values=english", "wait"]
MATERIAL = MaterialPlayer("material,quiescence=yes", limits=Limits(depth=3))


def answers(player: Player, *lines: str) -> list[str]:
    """Return all lines that answer some lines, which are sent at once."""
    replies: list[str] = []
    hub = Hub(replies.append, player)
    Engine(player, hub.write).run(hub.lines(lines))
    return replies


def is_done(line: str) -> bool:
    return line.startswith("done")


# Answers --------------------------------------------------------------------------------------------------------------


def test_the_first_lines() -> None:
    first, *rest = answers(MATERIAL, "hub", "set-param name=variant value=american", "init", "ping", "quit")
    assert first.startswith(HELLO[0]) and rest == [*HELLO[1:], "ready", "pong"]


@for_each(
    ("level", "depth"), [("level depth=5", 5), ("", 3), ("level depth=2\nlevel nodes=999999", 0), ("level nodes=1", 1)]
)
def test_a_legal_move_after_information(level: str, depth: int) -> None:
    replies = answers(MATERIAL, f"pos pos={START} moves=11-15", *level.splitlines(), "go think")
    (done,) = filter(is_done, replies)
    _, given = read_line(done)
    position = moves.apply(Position.start(), moves.parse_move(Position.start(), "11-15"))
    assert depth == 1 or len(list(follow(position, [given["move"], given["ponder"]]))) == 2
    infos = [read_line(line)[1] for line in replies[:-1]]
    assert not depth or int(infos[-1]["depth"]) == depth
    for info in infos:
        assert set(info) == {"depth", "score", "nodes", "pv"} and list(follow(position, info["pv"].split()))
    assert infos[-1]["pv"].split()[0] == given["move"]


def test_captures_name_the_captured_pieces() -> None:
    replies = answers(MATERIAL, THREE, "level depth=3", "go think")
    assert replies[-1] == "done move=11x25x15x22 ponder=32-28"
    assert replies[-2].startswith("info depth=3 score=0.50 nodes=") and replies[-2].endswith(
        'pv="11x25x15x22 32-28 25-29"'
    )


def test_proved_results_are_far_from_other_scores() -> None:
    one = "pos pos=B" + "".join({11: "b", 15: "w"}.get(n, "e") for n in range(1, 33))
    assert answers(MATERIAL, one, "level depth=2", "go think")[-2].startswith("info depth=2 score=99.99 ")


def test_a_search_of_a_position_without_moves_is_answered() -> None:
    none = "pos pos=B" + 17 * "e" + "w" + 14 * "e"
    assert answers(RandomPlayer(), none, "go think") == ["done"]


def test_stop_and_ping_are_answered_during_a_search() -> None:
    talk = Talk(MATERIAL, hub=True)
    talk.tell("level infinite", "go analyze")
    talk.wait(lambda line: line.startswith("info depth=7 "))
    talk.tell("ping")
    talk.wait(lambda line: line == "pong")
    assert not any(map(is_done, talk.answers))
    talk.tell("stop")
    talk.wait(is_done)
    talk.tell(f"pos pos={START}", "go analyze", THREE, "level depth=2", "go think")  # stops what goes on
    assert talk.wait(is_done, 3).startswith("done move=11x25x15x22")
    talk.tell("quit")
    talk.end()
    assert not any(line.startswith("error") for line in talk.answers)


def test_pondering_ends_in_a_search_within_the_level() -> None:
    talk = Talk(MATERIAL, hub=True)
    talk.tell(f"pos pos={START} moves=9-13", "level depth=2", "go ponder")
    talk.wait(lambda line: line.startswith("info depth=6 "))
    talk.tell("ponder-hit")
    talk.wait(is_done)
    assert talk.answers[-2].startswith("info depth=2 ")
    talk.tell(f"pos pos={START}", "go ponder", "stop")
    talk.wait(is_done, 2)
    talk.tell("ponder-hit", None)
    talk.end()
    assert sum(map(is_done, talk.answers)) == 2 and not any(line.startswith("error") for line in talk.answers)


@for_each(
    ("level", "words"),
    [
        ("level", ""),
        ("level infinite", "infinite"),
        ("level depth=4 nodes=7", "depth 4 nodes 7"),
        ("level move-time=0.25", "movetime 250"),
        ("level move-time=0", "movetime 1"),
        ("level time=60", "movetime 2000"),
        ("level time=60 moves=10", "movetime 6000"),
        ("level time=61 inc=1", "movetime 3000"),
        ("level time=10 moves=1", "movetime 9000"),
        ("level time=2 inc=5", "movetime 1800"),
    ],
)
def test_levels_are_limits(level: str, words: str) -> None:
    assert _limits(read_line(level)[1]) == words


# Wrong lines ----------------------------------------------------------------------------------------------------------


@for_each(
    ("line", "error"),
    [
        ("set-param name=variant value=normal", "expected variant=english (8x8 squares), got variant=normal"),
        ("set-param", "expected variant=english (8x8 squares), got ="),
        ("hello", "'hello': expected a command of the Hub protocol, version 2"),
        ("=", "'': expected a command of the Hub protocol"),
        ("level depth=x", "go: depth: expected a whole number, got 'x'"),
        ("level depth=65", "depth: expected 1 to 64 plies, got 65"),
        ("level time=nan", "level: expected numbers, got 'time=nan'"),
        ("level time=1 moves=0", "level: expected numbers, got 'time=1 moves=0'"),
        ("level move-time=1e300", "go: movetime: expected a whole"),
        ("pos pos=B" + 50 * "e", "pos: expected W or B and a letter (wbWBe) for each of 32 squares"),
        (f"pos pos={START} moves=11-16x", "'11-16x': a move is written like"),
        (f"pos pos={START} moves=22-18", "22-18: not legal in B:W21,"),
    ],
)
def test_wrong_lines_are_reported(line: str, error: str) -> None:
    first, *rest = answers(MATERIAL, line, "level depth=1", "go think")
    message = read_line(first)[1]["message"]
    assert first.startswith("error message=") and error in message and len(message) < 400
    if line.startswith("pos"):
        assert rest[-2:] == ['error message="go: expected a position first, since the last one was refused"', "done"]
    else:
        assert rest[-1].startswith("done move=9-13")


# Both sides of the protocol -------------------------------------------------------------------------------------------


class Program:
    """The engine as a process: what it says is what its lines are answered by."""

    def __init__(self) -> None:
        self.sent: list[str] = []
        self.answers: list[str] = []

    def send(self, line: str) -> None:
        self.sent.append(line)

    def line(self, seconds: float) -> str | None:
        if not self.answers:
            self.answers, self.sent = answers(MATERIAL, *self.sent), []
        return self.answers.pop(0) if self.answers else None


def test_both_translations_together_change_no_game(monkeypatch: pytest.MonkeyPatch) -> None:
    """Crownhead reads as the one side all that it sends as the other."""
    record = match.play(MATERIAL, MaterialPlayer("weak"), opening=moves.legal_moves(Position.start())[:1])
    history, position = list[Position](), record.start
    monkeypatch.setitem(_speaks_hub, "some", True)
    speech = HubSpeech(Program(), "some")  # type: ignore[arg-type]
    for move in record.moves:
        if len(history) % 2 and len(moves.legal_moves(position)) > 1:
            for line in (newgame_line(WCDF), position_line(position, history), "go depth 3"):
                speech.send(line)
            heard = ""
            while not heard.startswith("bestmove "):
                heard = speech.line(9.0) or ""
            assert heard == f"bestmove {MATERIAL.choose(position, history, SplitMix64(0)).move}"
        history.append(position)
        position = moves.apply(position, move)
    assert len(history) > 20


def test_the_first_line_chooses_the_protocol(typed: Callable[..., None], capsys: pytest.CaptureFixture[str]) -> None:
    typed(b"hub\ninit\nlevel depth=1\ngo think\nquit\n")
    assert main.main(["engine", "material"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(HELLO[0]) and lines[1:4] == [*HELLO[1:], "ready"] and lines[-1].startswith("done move=")
    typed(b"isready\nhub\n")
    assert main.main(["engine", "material"]) == 0
    assert re.fullmatch(r"id name Crownhead material\nsupports .*\nreadyok\nerror 'hub': .*\n", capsys.readouterr().out)
