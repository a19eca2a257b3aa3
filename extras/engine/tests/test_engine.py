"""A player behind the protocol: answers, stopping, nonsense, and the examples of docs/engine.md."""

from __future__ import annotations

import contextlib
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import main
from extras.engine.engine import MAX_LINE, WAITING_LINES, Engine
from extras.external import protocol
from game import moves
from game.board import Position
from game.errors import InputError
from game.generator import SplitMix64
from game.networks.named import CNN_247
from game.players.basic import MaterialPlayer, RandomPlayer
from game.players.network import NetworkPlayer
from game.players.player import Choice, Player
from game.players.registry import player
from game.rules import WCDF, DrawRules
from game.search.interface import WIN, Limits
from tests.cases import for_each


class Talk:
    """An engine in a thread, to which lines are sent one by one."""

    def __init__(self, player: Player) -> None:
        self.answers: list[str] = []
        self._lines: list[str | None] = []
        self._more = threading.Condition()
        self.engine = Engine(player, self._hear)
        self._thread = threading.Thread(target=self.engine.run, args=(self._sent(),), daemon=True)
        self._thread.start()

    def _hear(self, line: str) -> None:
        with self._more:
            self.answers.append(line)
            self._more.notify_all()

    def _sent(self) -> Iterator[str]:
        while True:
            with self._more:
                self._more.wait_for(lambda: self._lines)
                line = self._lines.pop(0)
            if line is None:
                return
            yield line

    def tell(self, *lines: str | None) -> None:
        with self._more:
            self._lines += lines
            self._more.notify_all()

    def wait(self, right: Callable[[str], bool], count: int = 1) -> str:
        """Return the line for which something is right, when so many have come."""

        def results() -> list[str]:
            return [line for line in self.answers if right(line)]

        with self._more:
            assert self._more.wait_for(lambda: len(results()) >= count, 60), self.answers
            return results()[count - 1]

    def bestmove(self, count: int = 1) -> str:
        return self.wait(lambda line: line.startswith("bestmove "), count).split()[1]

    def end(self) -> None:
        self._thread.join(60)
        assert not self._thread.is_alive()


ROOT = Path(__file__).parents[3]
MATERIAL = MaterialPlayer("material,quiescence=yes", limits=Limits(depth=1))
LOST = "B:W18:B"
SUPPORTS = "supports depth nodes movetime newgame"


def answers(player: Player, *lines: str) -> list[str]:
    messages: list[str] = []
    Engine(player, messages.append).run([*lines])
    assert messages[:2] == [f"id name Crownhead {player.name}", SUPPORTS]
    return messages[2:]


def timeless(line: str) -> str:
    return re.sub(r"nodes \d+ nps \d+", "nodes N nps N", line)


def test_the_examples_of_the_documentation() -> None:
    """Told line by line, as a person would; the counts of positions may change with the search."""
    text = (ROOT / "docs" / "engine.md").read_text(encoding="utf-8")
    (example,) = [block for block in re.findall(r"```\w*\n(.*?)```", text, re.DOTALL) if block.startswith("< id name ")]
    name = example.splitlines()[0].removeprefix("< id name Crownhead ")
    messages: list[str] = []
    engine = Engine(player(name), lambda line: messages.append(f"< {line}"))

    def lines() -> Iterator[str]:
        for line in example.splitlines():
            if line.startswith("> "):
                while engine._busy:  # whoever reads an answer waits for it
                    time.sleep(0.001)
                messages.append(line)
                yield line[2:]

    engine.run(lines())
    assert [timeless(line) for line in messages] == [timeless(line) for line in example.splitlines()]


@pytest.mark.parametrize(
    "go", ["go depth 5", "go nodes 3000", "go depth 5 nodes 999999", "go", "go movetime 50", "go nodes 1"]
)
def test_a_legal_move_after_info_lines(go: str) -> None:
    position = "position startpos moves 11-15 22-17"
    result = answers(MaterialPlayer("m", limits=Limits(depth=4)), position, go)
    *infos, best = result
    assert infos
    assert best.startswith("bestmove ")
    board = protocol.read_position(position.split()[1:])[-1]
    move = moves.parse_move(board, best.split()[1])
    for depth, line in enumerate(infos, 1):
        assert re.fullmatch(r"info depth \d+ nodes \d+ nps \d+ score \S+( \d+)? pv .+", line)
        info = protocol.read_info(line.split()[1:])
        assert info.depth == depth
        assert [str(each) for each in protocol.read_line(board, info.pv)] == list(info.pv)
    if "nodes" not in go and "movetime" not in go:
        assert len(infos) == (5 if "5" in go else 4)
        assert str(move) == info.pv[0]


def test_the_move_is_that_of_the_player() -> None:
    weights = np.random.default_rng(3).uniform(-1, 1, CNN_247.weights).astype(np.float32)
    for tested in (MaterialPlayer("m", limits=Limits(depth=5)), NetworkPlayer("n", weights, limits=Limits(depth=3))):
        position, history = Position.start(), list[Position]()
        for _ in range(12):
            choice = tested.choose(position, history, SplitMix64(0))
            result = answers(tested, protocol.position_line(position, history), "go")
            assert result[-1] == f"bestmove {choice.move}"
            history.append(position)
            position = moves.apply(position, choice.move)


def test_proved_results_are_reported_in_plies() -> None:
    *_, won, best = answers(MATERIAL, "position fen B:W15:B11", "go depth 2")
    assert " score win 1 pv 11x18" in won
    assert best == "bestmove 11x18"
    assert protocol.read_info(won.split()[1:]).score == WIN - 1
    *_, lost, _ = answers(MATERIAL, "position fen W:W15,32:B7,K24", "go depth 8")
    assert " score loss 6 pv " in lost
    assert protocol.read_info(lost.split()[1:]).score == 6 - WIN


def test_missing_move_is_reported() -> None:
    assert answers(MATERIAL, f"position fen {LOST}", "go depth 3") == ["bestmove none"]
    assert answers(RandomPlayer(), f"position fen {LOST}", "go") == ["bestmove none"]


def test_players_that_do_not_search() -> None:
    (best,) = answers(RandomPlayer(), "go depth 3")
    assert best.split()[1] in {str(move) for move in moves.legal_moves(Position.start())}
    assert {answers(RandomPlayer(), "go")[0] for _ in range(3)} == {best}  # one seed, one answer
    messages: list[str] = []
    Engine(RandomPlayer(), messages.append, seed=1).run(["go", "go", "go", "go", "go", "go", "go", "go"])
    assert len(set(messages)) > 2


def test_network_without_values_is_reported() -> None:
    broken = NetworkPlayer("broken", np.full(CNN_247.weights, np.nan, np.float32))
    assert answers(broken, "isready", "go depth 2") == [
        "readyok",
        "error broken: the network gives a value that is not a finite number",
        "bestmove none",
    ]


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (ValueError("a bug"), "error a fault of the program: ValueError: a bug (test_engine.py:"),
        (OSError(5, "Input/output error"), "error Input/output error"),
    ],
)
def test_failures_are_answered(error: Exception, text: str) -> None:
    class Broken(RandomPlayer):
        def choose(
            self, position: Position, history: Sequence[Position], generator: SplitMix64, rules: DrawRules = WCDF
        ) -> Choice:
            raise error

    result = answers(Broken(), "go")
    assert result[0].startswith(text)
    assert result[1] == "bestmove none"


def test_stop_ends_a_search_but_not_the_engine() -> None:
    talk = Talk(MATERIAL)
    for count in (1, 2, 3):
        talk.tell("go infinite")
        talk.wait(lambda line: line.startswith("info depth 9 "), count)
        talk.tell("stop", "position startpos")
        talk.bestmove(count)
    talk.tell("go depth 2")
    talk.bestmove(4)
    talk.tell("quit")
    talk.end()
    assert not any(line.startswith("error") for line in talk.answers)


def test_infinite_waits_for_stop_even_when_all_is_known() -> None:
    talk = Talk(MATERIAL)
    talk.tell("position fen B:W15:B11", "go infinite")
    talk.wait(lambda line: " score win 1 " in line)
    time.sleep(0.1)
    assert not any(line.startswith("bestmove") for line in talk.answers)
    talk.tell("stop")
    assert talk.bestmove() == "11x18"
    talk.tell(None)
    talk.end()


def test_commands_during_a_search_are_handled() -> None:
    talk = Talk(MATERIAL)
    talk.tell("isready", "go infinite")
    talk.wait(lambda line: line.startswith("info depth 5 "))
    talk.tell("isready", "position startpos", "go depth 1", "nonsense", "stop", "stop")
    talk.bestmove()
    talk.tell("quit")
    talk.end()
    others = [line for line in talk.answers[2:] if not line.startswith("info")]
    assert others[:2] == ["readyok", "readyok"]
    assert others[2:4] == [
        "error position: a search is going on; stop it first",
        "error go: a search is going on; stop it first",
    ]
    assert len(others) == 6


def test_continued_game_is_read_like_a_whole_one() -> None:
    engine = Engine(MATERIAL, lambda line: None)
    fen, begun = "fen B:W15,22,32:B11", "startpos moves 11-15 22-18"
    whole = f"{begun} 15x22 25x18 8-11"
    messages = [
        begun, whole, f"{whole} 1-2", begun, whole, "startpos moves", begun, fen, f"{fen} moves 11x18x25", whole,
    ]  # fmt: skip
    for words in map(str.split, messages):
        with contextlib.suppress(InputError):
            engine._obey("position", words)
        assert engine._game == protocol.read_position(words if "1-2" not in words else whole.split()), words
    engine._obey("newgame", [])
    engine._obey("position", ["startpos", "moves", "9-13"])
    assert engine._game == protocol.read_position(["startpos", "moves", "9-13"])


@pytest.mark.parametrize("refused", ["position fen B:W99:B1", "position startpos moves 1-2", "position", "position x"])
def test_after_a_refused_position_there_is_no_move_until_one_is_set(refused: str) -> None:
    messages: list[str] = []
    engine = Engine(MATERIAL, messages.append)
    engine.run(
        [refused, "go depth 1", "go", "position startpos moves 11-15", "go depth 1", refused, "newgame", "go depth 1"]
    )
    answers = [line for line in messages if line.startswith(("bestmove", "error go"))]
    none = ["error go: expected a position first, since the last one was refused", "bestmove none"]
    assert answers[:4] == none * 2
    assert len(answers) == 6
    assert all(re.fullmatch(r"bestmove \d+-\d+", answer) for answer in answers[4:])
    assert answers[4] != answers[5]  # White's move, then Black's


def test_lines_behind_a_search_wait_for_its_end() -> None:
    """Told all at once: each `go` is of the position before it, and answers come in order."""
    lines = [
        "go depth 5",
        "position fen B:W15,22,32:B11",
        "go depth 3",
        "go away",
        "newgame",
        "nonsense",
        "position startpos moves 11-15",
        "go depth 4",
    ]
    one_by_one = [answers(MATERIAL, lines[0]), answers(MATERIAL, *lines[1:3]), answers(MATERIAL, *lines[6:])]
    messages = [line for line in answers(MATERIAL, *lines) if not line.startswith("info")]
    assert [messages[0], messages[1], messages[4]] == [each[-1] for each in one_by_one]
    assert messages[2].startswith("error go: 'away'")
    assert messages[3].startswith("error 'nonsense'")
    assert len(messages) == 5


def test_stop_and_quit_act_immediately() -> None:
    talk = Talk(MATERIAL)
    talk.tell("go depth 64", "position fen B:W15,22,32:B11", "go depth 3", "isready")
    talk.wait(lambda line: line == "readyok")  # which does not wait
    talk.tell("stop")
    assert talk.bestmove(2) == "11x18x25"
    talk.tell("position startpos", "go depth 64", "go infinite", "go depth 2", "stop", "stop", "stop")
    for _ in range(100):  # each of them ends what goes on, or what goes on next
        if sum(line.startswith("bestmove") for line in talk.answers) >= 5:
            break
        talk.tell("stop")
        time.sleep(0.02)
    talk.bestmove(5)
    talk.tell("go depth 64", "go depth 64", "quit")
    talk.end()
    assert sum(line.startswith("bestmove") for line in talk.answers) == 6
    assert not any(line.startswith("error") for line in talk.answers)


def test_only_so_many_lines_wait() -> None:
    talk = Talk(MATERIAL)
    talk.tell("go depth 64", *["position startpos"] * (WAITING_LINES + 1), "quit")
    talk.end()
    errors = [line for line in talk.answers if line.startswith("error")]
    assert errors == ["error position: more than 1,000 lines wait for the end of a search"]


def test_a_new_game_forgets_the_one_before() -> None:
    class Remembering(RandomPlayer):
        """Plays by the number of moves since the game began, whose rules and seed it notes."""

        def begin_game(self, rules: DrawRules, seed: int) -> None:
            games.append((rules, seed))
            self.asked = 0

        def choose(
            self, position: Position, history: Sequence[Position], generator: SplitMix64, rules: DrawRules = WCDF
        ) -> Choice:
            self.asked += 1
            messages.append((rules, generator.below(10**9)))
            return Choice(moves.legal_moves(position)[self.asked])

    games: list[tuple[DrawRules, int]] = []
    messages: list[tuple[DrawRules, int]] = []
    rules = DrawRules(0, 30, False, 150)
    line = protocol.newgame_line(rules, 2**64 - 1)
    assert line == "newgame repetition 0 quiet_plies 30 men_reset 0 max_plies 150 seed 18446744073709551615"
    result = answers(Remembering(), line, "go", "go", line, "go", "newgame", "go")
    assert result[0] == result[2] == result[3] != result[1]
    assert games == [(rules, 2**64 - 1), (rules, 2**64 - 1), (WCDF, 0)]
    assert [each for each, _ in messages] == [rules, rules, rules, WCDF]
    assert messages[0] == messages[2] != messages[1]
    assert protocol.read_newgame([]) == (WCDF, None)


def test_quit_and_the_end_of_input() -> None:
    talk = Talk(MATERIAL)
    talk.tell("go depth 64", "quit", "go depth 1")
    talk.end()
    assert [line for line in talk.answers if line.startswith("bestmove")] == [talk.answers[-1]]
    # At the end of the input a search with an end of its own is finished, others are stopped.
    assert answers(MATERIAL, "go depth 7")[-2].startswith("info depth 7 ")
    assert answers(MATERIAL, "go infinite")[-1].startswith("bestmove ")


def test_engine_without_a_reader_ends() -> None:
    def deaf(line: str) -> None:
        if line.startswith("info depth 4"):
            raise BrokenPipeError

    Engine(MATERIAL, deaf).run(["go infinite", "isready", "go infinite"])
    Engine(MATERIAL, deaf).run(["go depth 64"])


def test_an_error_of_the_input_ends_the_search() -> None:
    def lines() -> Iterator[str]:
        yield "go infinite"
        raise KeyboardInterrupt

    messages: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        Engine(MATERIAL, messages.append).run(lines())
    assert messages[-1].startswith("bestmove ")


@for_each(
    ("line", "error"),
    [
        ("hello", "'hello': expected one of uci, isready, newgame, position, go, stop, quit"),
        ("quit now", "quit: expected nothing after it"),
        ("position", "position: expected startpos or fen FEN, optionally followed by moves MOVE ..."),
        ("position fen B:W33:B1", "squares are numbered 1 to 32"),
        ("position startpos moves 11-15 11-15", "11-15: not legal in W:"),
        ("position startpos moves banana", "'banana': a move is written like"),
        ("go fast", "go: 'fast': expected depth D, nodes N, movetime MS or infinite"),
        ("go depth x", "go: depth: expected a whole number, got 'x'"),
        ("go depth 0", "depth: expected 1 to 64 plies, got 0"),
        ("go depth 65", "depth: expected 1 to 64 plies, got 65"),
        ("go depth 3 depth 4", "go: 'depth': expected"),
        ("go movetime 0", "error go: movetime: expected 1 to 1,000,000,000 milliseconds, got 0"),
        ("go depth 3 movetime 99999999999999999", "movetime: expected 1 to 1,000,000,000 milliseconds, got 9"),
        ("position startpos moves 11-\x0015", r"'11-\x0015': a move is written like"),
        ("position fen B:W\x1b[31m32:B1", r"\x1b"),
        ("newgame quick 3", "newgame: 'quick': expected repetition, quiet_plies, men_reset, max_plies, seed, each"),
        ("newgame repetition", "newgame: repetition: expected a whole number, got ''"),
        ("newgame repetition 1", "newgame: repetition: expected 0 (off) or at least 2, got 1"),
        ("newgame quiet_plies 0", "newgame: a game could last for ever: set quiet_plies or max_plies above 0"),
        ("go nodes 0", "nodes: expected 1 or more, got 0"),
        ("x" * (MAX_LINE + 1), "a line of more than 1,048,576 characters"),
    ],
)
def test_unknown_commands_are_reported_without_effect(line: str, error: str) -> None:
    result = answers(MATERIAL, "position fen B:W15,22,32:B11", line, "", "   ", "go depth 1")
    assert len(result) == 3
    assert result[0].startswith("error ")
    assert error in result[0]
    assert len(result[0]) < 1000
    assert result[0].isprintable()
    assert result[-1] == ("bestmove none" if line.startswith("position") else "bestmove 11x18x25")


WORDS = st.one_of(
    st.sampled_from(["position", "startpos", "fen", "moves", "go", "depth", "nodes", "1", "2", "11-15", "B:W18:B1"]),
    st.text(max_size=8),
)


@given(st.lists(st.lists(WORDS, max_size=8).map(" ".join), max_size=6))
@settings(max_examples=60)
def test_random_lines_do_not_end_the_engine(lines: list[str]) -> None:
    harmless = [line for line in lines if "depth" not in line and "quit" not in line]
    result = answers(MATERIAL, *harmless, "position startpos", "go depth 1")
    assert result[-1] == "bestmove 9-13"
    assert all(line.isprintable() for line in result)


def test_name_on_two_lines_is_sent_in_one() -> None:
    strange = player("material,\ndepth=1")
    messages: list[str] = []
    Engine(strange, messages.append).run(["uci"])
    assert messages == ["id name Crownhead material, depth=1", SUPPORTS] * 2 + ["uciok"]


def test_the_command_answers_on_standard_output() -> None:
    command = [sys.executable, "main.py", "engine", "material,quiescence=yes"]
    lines = b"isready\n\xff\xfe\n\nposition fen B:W15,22,32:B11\r\ngo depth 3\n"
    done = subprocess.run(command, cwd=ROOT, input=lines, capture_output=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    lines = done.stdout.decode().splitlines()
    assert lines[:3] == ["id name Crownhead material,quiescence=yes", SUPPORTS, "readyok"]
    assert lines[3].startswith("error ")
    assert lines[-1] == "bestmove 11x18x25"


def test_the_rest_of_a_line_that_is_too_long_is_no_command(
    typed: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    for filling in (MAX_LINE, MAX_LINE + 1, MAX_LINE + 2, 3 * MAX_LINE):
        typed(b"x" * filling + b"quit\nuci\n")
        assert main.main(["engine", "random"]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert lines[2] == f"error a line of more than {MAX_LINE:,} characters"
        assert (len(lines), lines[-1]) == (6, "uciok")


def test_missing_input_is_reported(typed: Callable[..., None], capsys: pytest.CaptureFixture[str]) -> None:
    typed(None)
    assert main.main(["engine", "material"]) == 2
    assert capsys.readouterr().err == "main.py: standard input is closed, but commands are read from it\n"


def test_tablebases_are_reported_and_used() -> None:
    lines: list[str] = []
    engine = Engine(player("material,tablebase=4"), lines.append)
    engine.run(["isready", "position fen W:WK15,20:BK28,12", "go depth 5", "quit"])
    assert "info string tablebases of up to 4 pieces" in lines
    assert any(" score win 81 pv 15-19" in line for line in lines)
    assert lines[-1] == "bestmove 15-19"
