"""External programs in games, matches and the window: their commands, names, positions and failures."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import main
from evolve.strength.match import CountedGame, Failures, play_match
from evolve.strength.match_report import as_json, pdn_file, report
from evolve.workers.pool import Pool
from extras.external import program as programs
from extras.external import protocol
from extras.external.player import ExternalPlayer
from extras.external.program import Contract, ExternalProgram
from extras.external.protocol import info_line, read_info, read_position
from extras.external.tests.programs import FOREIGN, MATERIAL, START, ScriptedProcess, command, foreign
from game import match, moves
from game.endings import Reason
from game.errors import FailureKind, InputError
from game.generator import SplitMix64, derive_seed
from game.moves import Move
from game.players.player import Player
from game.players.registry import player
from game.rules import WCDF, DrawRules
from game.search.interface import TABLEBASE_WON, Limits
from gui.screens.dialogs.dialog import Prompt
from tests.cases import for_each
from tests.game.pdn.test_meaning import OPEN
from tests.gui.chooser_helpers import listed, titles
from tests.gui.hands import Opened
from tests.processes import gone


def test_memory_of_a_program_ends_with_its_game() -> None:
    """Games in another order, and by a program that has played others before, are the same games."""
    openings = [tuple(moves.legal_moves(START)[index : index + 1]) for index in range(3)]

    def games(tested: Player, order: list[int]) -> dict[int, tuple[Move, ...]]:
        result = {index: match.play(tested, MATERIAL, opening=openings[index]).moves for index in order}
        programs.close_all()
        return result

    keeps, leaks = foreign("remembers"), foreign("leaks")
    assert games(keeps, [0, 1, 2]) == games(keeps, [2, 1, 0])
    assert games(leaks, [0, 1, 2]) != games(leaks, [2, 1, 0])  # which is what the line is for
    record = match.play(keeps, keeps, opening=openings[0])
    assert record.reason != Reason.FAILURE


def test_program_receives_games_and_their_rules(tmp_path: Path) -> None:
    """Also by a caller that announces no game: a position that does not go on from the last is of another one."""
    notes = tmp_path / "notes"
    tested = foreign("notes", str(notes))
    rules = DrawRules(0, 30, False, 150)
    for seed in (1, 2):
        record = match.play(tested, MATERIAL, rules=rules, seed=seed)
        assert record.reason != Reason.FAILURE
    lines = notes.read_text().splitlines()
    text = "newgame repetition 0 quiet_plies 30 men_reset 0 max_plies 150"
    first, second = (f"{text} seed {derive_seed(seed, 0, 0)}" for seed in (1, 2))
    assert lines[:4] == ["isready", first, "position startpos", "go depth 1"]
    assert [line for line in lines if line.startswith("newgame")] == [first, second]
    place = lines.index(second)
    assert lines[place - 1].startswith("go")
    assert lines[place + 1] == "position startpos"

    programs.close_all()
    notes.unlink()
    history, position = [START], moves.apply(START, moves.legal_moves(START)[0])
    further = moves.apply(position, moves.legal_moves(position)[0])
    usual, other = protocol.newgame_line(WCDF), protocol.newgame_line(rules)
    for game, given in (([], WCDF), (history, WCDF), ([*history, position], rules), ([], rules), ([], rules)):
        where = {0: START, 1: position, 2: further}[len(game)]
        tested.choose(where, game, SplitMix64(0), given)
    begun = [line for line in notes.read_text().splitlines() if line.startswith("newgame")]
    assert begun == [usual, other, other]


@pytest.mark.parametrize(
    ("line", "options", "error"),
    [
        ("movetime newgame", "depth=3", "it does not support depth, only movetime"),
        ("depth", "depth=3,nodes=5,time=1", "it does not support nodes and movetime, only depth"),
        ("newgame", "", "it does not support movetime, nor any other limit"),
        ("depth nodes ponder", "depth=3,nodes=5", ""),
        ("movetime", "", ""),
    ],
)
def test_a_limit_that_a_program_lacks_is_refused(
    line: str, options: str, error: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """At once, by every verb, in one line; not ignored, and not found out after hours."""
    text = command("supports", line).replace("'", '"')
    name = f"external:'{text}',start=20" + (f",{options}" if options else "")
    tested = player(name)
    assert isinstance(tested, ExternalPlayer)
    if not error:
        tested.begin_game(WCDF, 1)
        assert tested.choose(START, (), SplitMix64(0)).move
        message = "another program" if "newgame" in line else "another program, which may remember earlier games"
        assert tested.describe() == message
        return
    with pytest.raises(InputError, match=f"{error}$"):
        tested.choose(START, (), SplitMix64(0))
    few = ["--games=2", "--workers=1"]
    for verb in (["match", "random", name, *few], ["ladder", "random", "material", name, *few, "--anchors=none"]):
        programs.close_all()
        programs._supported.clear()
        assert main.main(verb) == 2
        out, err = capsys.readouterr()
        assert (out, err.count("\n")) == ("", 1)
        assert err.endswith(f"{error}\n")


def test_information_of_old_programs_may_be_missing() -> None:
    tested = foreign("good", options="start=20,timeout=20,depth=1")
    assert tested.describe() == "another program"
    tested.begin_game(WCDF, 1)
    assert tested.describe() == "another program, which does not say what it supports"
    assert tested.choose(START, (), SplitMix64(0)).nodes == 1


def test_a_program_that_is_silent_is_waited_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    result = ScriptedProcess([])
    monkeypatch.setattr(programs, "Process", lambda command: result)
    monkeypatch.setattr(programs, "time", result)
    one = ExternalProgram(Contract("anything silent", Limits(seconds=5.0), 30.0, 10.0))
    one.begin_game(WCDF, 1)
    assert result.clock == programs.GREETING_SECONDS
    one.begin_game(WCDF, 2)
    assert result.clock == programs.GREETING_SECONDS


def test_record_has_the_effort_of_players() -> None:
    record = match.play(foreign("good"), MATERIAL)
    assert record.used is not None
    black, white = record.used
    choices = len(record.moves) // 2
    assert choices / 2 < black.moves <= choices + 1
    assert (black.nodes_moves, black.depth, black.depth_moves) == (black.moves, 3 * black.moves, black.moves)
    assert black.nodes == sum(range(black.moves + 1))  # it counts how often it was asked
    assert white.nodes_moves == white.moves <= choices + 1


def test_another_program_is_added(opened: Opened) -> None:
    hands = opened()
    hands.key("n")
    listed(hands)
    hands.key("<add-program>")
    assert isinstance(hands.app.screen, Prompt)
    hands.key("return")
    assert hands.widget("wrong").text
    hands.type("my-engine --fast")
    hands.key("return")
    assert "my-engine --fast" in titles(hands)
    chosen = listed(hands).chosen
    assert chosen is not None and chosen.name == "my-engine --fast"


def test_a_program_is_added_by_the_mouse_too(opened: Opened) -> None:
    hands = opened()
    hands.key("n", "2")
    hands.key("<add-program>")
    assert isinstance(hands.app.screen, Prompt)


@for_each(
    ("line", "fen"),
    [
        ("startpos moves c3-d4 b6-c5 d4xb6 a7xc5", "B:W19,21,22,23,25,26,27,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,12"),
        ("startpos moves f6-e5 c3-d4 e5xc3", "W:W21,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,12,22"),
        ("startpos moves 11–15 22−18 15×22", "W:W21,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,12,22"),
        (f"fen {OPEN} moves 10x28 15-11", "B:W7,11:BK28"),
        (f"fen {OPEN} moves 10x28 14-10", "B:W7,10,22,23:BK28"),
        ("fen B:W14,15,22,23,30:BK10 moves 10x10", "W:W30:BK10"),
        ("fen W:Wc3,e3:Bb6,Kd8", "W:W10,11:B24,K31"),
        ("fen W:Wc3,e3:Bb6,Kd8 moves c3-d4", "B:W18,23:BK2,9"),
        ("fen B:B:W21–23:BK1", "B:W21,22,23:BK1"),
    ],
)
def test_the_engine_protocol_accepts_positions_in_other_forms(line: str, fen: str) -> None:
    assert read_position(line.split())[-1].fen() == fen


def test_a_line_of_the_protocol_that_continues_an_earlier_one_is_read_alike() -> None:
    words = ["startpos", "moves", "f6-e5", "c3-d4", "e5xc3"]
    known = read_position(words)
    assert read_position([*words, "b2xd4"], words, known) == read_position([*words, "b2xd4"])


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (f"fen {OPEN} moves 10x28", "10x28: ambiguous, could be 10x17x26x19x28, 10x19x28"),
        ("startpos moves c3-d4 c3-d4", "expected letters as seen from one side"),
        ("startpos moves c3-e5", "c3-e5: not legal"),
        ("startpos moves c9-d4", "a move is written like"),
    ],
)
def test_lines_of_the_protocol_that_are_refused(line: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_position(line.split())


def test_a_result_of_tablebases_without_a_distance_is_written_and_read() -> None:
    line = info_line(3, 100, 0.1, 5 - TABLEBASE_WON, ())
    assert " score lost " in line
    assert read_info(line.split()[1:]).score == -TABLEBASE_WON


def external(mode: str, argument: str) -> Player:
    return player(f"external:'{sys.executable} -S {FOREIGN} {mode} {argument}',depth=1,start=20,timeout=20")


@pytest.mark.usefixtures("usual_signals")
def test_programs_play_in_all_processes(tmp_path: Path) -> None:
    """Each process has one of its own, and none is left when the match is over."""
    marker = tmp_path / "pids"
    with Pool(2, warmup=0.0) as pool:
        result = play_match(external("children", str(marker)), MATERIAL, 20, pool=pool)
    programs.close_all()
    pids = [int(line.split()[0]) for line in marker.read_text().splitlines()]
    assert 2 <= len(pids) <= 3
    assert gone(pids)
    assert (result.games, result.failures) == (20, ())


@pytest.mark.usefixtures("usual_signals")
def test_crashed_program_loses_only_its_games(tmp_path: Path) -> None:
    tested = external("crash", "3")
    messages: list[CountedGame] = []
    with pdn_file(tmp_path / "games.pdn", "x") as add:

        def both(game: CountedGame) -> None:
            messages.append(game)
            add(game)

        result = play_match(tested, MATERIAL, 6, on_game=both)
    assert result.losses == 6
    assert result.failures == (Failures(0, FailureKind.CRASH, 6, "it ended with signal 6"),)
    failure = {"player": "a", "kind": "crash", "games": 6, "first": "it ended with signal 6"}
    assert as_json(result)["failures"] == [failure]
    assert "Failed A crashed in 6 games; the first time it ended with signal 6\n" in report(result, tested, MATERIAL)
    assert all(len(game.record.moves) >= 7 for game in messages)
    assert " ".join((tmp_path / "games.pdn").read_text().split()).count("it ended with signal 6") == 6
    programs.close_all()


@pytest.mark.usefixtures("usual_signals")
@pytest.mark.parametrize(
    ("mode", "argument", "kind", "words"),
    [
        ("crash-at-start", "", "crash", "A crashed in 2 games; the first time it ended with code 1"),
        ("hang", "2", "timeout", "A took too long in 2 games; the first time it gave no move within 0.2 s"),
        ("flood", "", "flood", "A wrote without end in 2 games; the first time it wrote more than 20,000 lines"),
        ("illegal", "", "illegal", "A gave no legal move in 2 games; the first time it answered"),
    ],
)
def test_failures_are_reported_by_kind_and_player(mode: str, argument: str, kind: str, words: str) -> None:
    timeout = "0.2" if mode == "hang" else "20"
    tested = player(external(mode, argument).name.replace("timeout=20", f"timeout={timeout}"))
    result = play_match(tested, MATERIAL, 2, seed=1)
    (failure,) = as_json(result)["failures"]
    assert (failure["player"], failure["kind"], failure["games"]) == ("a", kind, 2)
    text = report(result, tested, MATERIAL)
    assert f"Failed {words}" in text
    assert "Ends   2 by a failure" in text
    assert all(len(line) <= 120 for line in text.splitlines() if not line.startswith("A  external"))
    programs.close_all()
