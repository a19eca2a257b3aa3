"""The thinking process: answers, stopping, deaths, and the order in which it loads code."""

from __future__ import annotations

import math
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from evolve.names.registration import register
from evolve.run.folder import Run
from evolve.run.runs import SHIPPED_RUNS
from evolve.strength.levels import LEVELS
from game import plain
from game.board import Position
from game.compiled import compiling
from game.endgame.verdict import Verdict
from game.likes import likes
from game.networks.named import CNN_247
from game.players.basic import MaterialPlayer
from game.players.names import parse_name
from game.players.network import NetworkPlayer
from game.players.player import SearchingPlayer
from game.players.registry import player
from game.rules import DrawRules
from game.search.interface import Limits
from gui.model.game import GameModel
from gui.model.seats import HUMAN, Seat
from gui.model.table import GameTable, Over, Remark
from gui.thinking import thinker as module
from gui.thinking import thoughts
from gui.thinking.beside import likes_of
from gui.thinking.messages import (
    Answer,
    Failed,
    Phase,
    ProcessNotice,
    Progress,
    Purpose,
    SearchRequest,
    SideResult,
    SideWork,
    Started,
    Think,
)
from gui.thinking.process import _Desk
from gui.thinking.thinker import Thinker
from gui.thinking.thoughts import CASUAL, WarmUp, plain_scores
from tests.gui import strange_processes
from tests.gui.thinker_helpers import PATIENCE, ended, last, thinker, until
from tests.processes import children, gone, running

__all__ = ["thinker"]  # fixtures

ROOT = Path(__file__).parents[2]
KING_FIGHT = Position.from_fen("B:WK32,K31,K26:BK1,K2,K6")


def ask(name: str = "material", depth: int = 1, position: Position | None = None, **values: Any) -> SearchRequest:
    request = {"purpose": Purpose.MOVE, "game": 1} | values
    return SearchRequest(player=parse_name(name), depth=depth, position=position or Position.start(), **request)


def test_a_move_of_one_ply_is_that_of_a_match(thinker: Thinker) -> None:
    from game.generator import SplitMix64

    position = Position.from_fen("B:W14,18,21,30:B5,9,10,11")
    ticket = thinker.ask(ask(position=position))
    finding = last(until(thinker, ended(ticket))).finding
    assert finding.move == player("material").choose(position, (), SplitMix64(0)).move


def test_search_reports_each_depth(thinker: Thinker) -> None:
    ticket = thinker.ask(ask(depth=5))
    replies = until(thinker, ended(ticket))
    messages = [reply for reply in replies if isinstance(reply, Progress)]
    assert [reply.finding.depth for reply in messages] == [1, 2, 3, 4, 5]
    assert isinstance(replies[-1], Answer) and replies[-1].finding.depth == 5
    assert replies[-1].finding.pv[0] == replies[-1].finding.move
    assert [type(reply) for reply in replies][:1] == [Started]


def test_an_analysis_has_an_exact_score_of_every_move(thinker: Thinker) -> None:
    position = Position.from_fen("B:W14,18,21,30:B5,9,10,11")
    ticket = thinker.ask(ask("material", 4, position, purpose=Purpose.ANALYSIS))
    finding = last(until(thinker, ended(ticket))).finding
    assert {line.move for line in finding.lines} == set(plain.legal_moves(position))
    assert all(line.exact and -1 <= line.share <= 1 for line in finding.lines)
    assert finding.lines[0].move == finding.move
    scores = [line.score for line in finding.lines]
    assert scores == sorted(scores, reverse=True)


def test_a_won_game_is_a_share_of_one(thinker: Thinker) -> None:
    ticket = thinker.ask(ask("material", 3, Position.from_fen("B:W18:B14,22"), purpose=Purpose.ANALYSIS))
    finding = last(until(thinker, ended(ticket))).finding
    assert (finding.share, finding.text[:7]) == (1.0, "win in ")


def test_tablebases_are_opened_beside_the_answers(thinker: Thinker) -> None:
    won = Position.from_fen("W:WK15,20:BK28,12")
    request = ask(depth=2, position=won, purpose=Purpose.ANALYSIS)
    ticket = thinker.ask(request)
    until(thinker, lambda replies: ended(ticket)(replies) and thinker.tables_opened)
    ticket = thinker.ask(request)
    replies = until(thinker, ended(ticket))
    results = [reply.finding for reply in replies if isinstance(reply, Progress | Answer)]
    assert len(results) == 3 and {each.verdict for each in results} == {Verdict(1, 81)}
    assert (str(results[-1].move), results[-1].depth) == ("15-19", 2)


def test_individuals_of_a_file(thinker: Thinker, tmp_path: Path) -> None:
    weights = np.random.default_rng(1).normal(size=(2, CNN_247.weights)).astype(np.float32)
    header = "names," + ",".join(f"w{index}" for index in range(CNN_247.weights))
    rows = [f"Ann {at}," + ",".join(map(repr, row.tolist())) for at, row in enumerate(weights)]
    file = tmp_path / "two, players.csv"
    file.write_text("\n".join([header, *rows, ""]), encoding="utf-8")
    ticket = thinker.ask(ask(f'"{file}":"Ann 1"', 3))
    assert isinstance(last(until(thinker, ended(ticket))), Answer)
    # Read again for another game, since it may have changed.
    file.write_text("nothing", encoding="utf-8")
    ticket = thinker.ask(ask(f'"{file}":"Ann 1"', 3))
    assert isinstance(last(until(thinker, ended(ticket))), Answer)
    ticket = thinker.ask(ask(f'"{file}":"Ann 1"', 3, game=2))
    failed = last(until(thinker, ended(ticket)))
    assert isinstance(failed, Failed) and str(file) in failed.text


@pytest.mark.parametrize("name", ["nobody", "material,quiescence=", "none.csv", "random:Ann"])
def test_players_that_are_not_there(thinker: Thinker, name: str) -> None:
    ticket = thinker.ask(ask(name))
    failed = last(until(thinker, ended(ticket)))
    assert isinstance(failed, Failed) and failed.text and "fault of the program" not in failed.text
    assert thinker.ready


def test_the_same_question_has_the_same_answer_even_by_chance(thinker: Thinker) -> None:
    moves = set()
    for game in (1, 2, 3):
        ticket = thinker.ask(ask("random", game=game, seed=5))
        moves.add(last(until(thinker, ended(ticket))).finding.move)
    assert len(moves) == 1
    others = set()
    for seed in range(8):
        ticket = thinker.ask(ask("random", seed=seed))
        others.add(last(until(thinker, ended(ticket))).finding.move)
    assert len(others) > 1


def test_move_now_answers_with_the_best_so_far(thinker: Thinker) -> None:
    ticket = thinker.ask(ask(depth=60, position=KING_FIGHT))
    until(thinker, lambda replies: any(isinstance(reply, Progress) for reply in replies))
    thinker.move_now()
    answer = last(until(thinker, ended(ticket)))
    assert isinstance(answer, Answer) and answer.finding.depth < 60


def test_only_the_newest_request_is_answered(thinker: Thinker) -> None:
    tickets = [thinker.ask(ask(depth=60, position=KING_FIGHT)) for _ in range(20)]
    tickets.append(thinker.ask(ask(depth=1)))
    replies = until(thinker, ended(tickets[-1]))
    assert {reply.ticket for reply in replies if not isinstance(reply, Phase | ProcessNotice)} == {tickets[-1]}
    assert not any(isinstance(reply, ProcessNotice) for reply in replies)


def test_a_limit_of_time(thinker: Thinker) -> None:
    ticket = thinker.ask(ask(depth=60, position=KING_FIGHT, seconds=0.2))
    answer = last(until(thinker, ended(ticket)))
    assert isinstance(answer, Answer) and answer.finding.depth < 60


def killed(pid: int | None) -> None:
    assert pid is not None
    os.kill(pid, signal.SIGTERM if os.name == "nt" else signal.SIGKILL)


def test_killed_process_is_replaced_during_a_game(tmp_path: Path) -> None:
    thinker = Thinker(tmp_path)
    table = GameTable(thinker, GameModel((Seat("material", 12, 0.3), Seat("material", 12, 0.3)), KING_FIGHT))
    table.least = 0.0
    events: list[Any] = []

    def frames(done: Callable[[], object]) -> None:
        end = time.monotonic() + PATIENCE
        while not done():
            assert time.monotonic() < end
            events.extend(table.update(time.monotonic()))
            time.sleep(0.002)

    try:
        frames(lambda: table.thinking is not None and table.thinking.finding is not None)
        before = thinker.pid
        killed(before)
        frames(lambda: any(isinstance(event, Remark) for event in events))
        plies = len(table.model.plies)
        frames(lambda: len(table.model.plies) >= plies + 2)
        assert thinker.pid not in (None, before)
        messages = [event.text for event in events if isinstance(event, Remark)]
        assert messages == ["The thinking process ended unexpectedly; a new one was started."]
        assert not table.model.over
    finally:
        thinker.close()
    assert thinker.pid is None


@pytest.fixture
def strange(tmp_path: Path) -> Iterator[Callable[[str], Thinker]]:
    made = []

    def make(name: str) -> Thinker:
        made.append(Thinker(tmp_path, getattr(strange_processes, name)))
        return made[-1]

    yield make
    for each in made:
        each.close()


def test_fatal_request_is_repeated_once(strange: Callable[[str], Thinker]) -> None:
    thinker = strange("dies_the_first_time")
    ticket = thinker.ask(ask())
    replies = until(thinker, ended(ticket))
    assert isinstance(last(replies), Answer)
    assert sum(isinstance(reply, ProcessNotice) for reply in replies) == 1


def test_a_request_that_kills_every_process_is_given_up(strange: Callable[[str], Thinker]) -> None:
    thinker = strange("dies_when_asked")
    ticket = thinker.ask(ask())
    replies = until(thinker, ended(ticket))
    assert isinstance(last(replies), Failed)
    assert sum(isinstance(reply, ProcessNotice) for reply in replies) == 2
    until(thinker, lambda _: thinker.ready)
    table = GameTable(thinker, GameModel((HUMAN, Seat("material"))))
    table.model.play(plain.legal_moves(table.model.last)[0])
    end = time.monotonic() + PATIENCE
    while not table.model.over and time.monotonic() < end:
        table.update(time.monotonic())
        time.sleep(0.002)
    assert table.model.ending is not None and "thinking process ended" in table.model.ending.reason()
    assert table.undo() and not table.model.over


def test_a_process_that_cannot_start_is_not_tried_for_ever(strange: Callable[[str], Thinker]) -> None:
    thinker = strange("dies_at_once")
    ticket = thinker.ask(ask())
    replies = until(thinker, lambda replies: any("cannot be started" in getattr(r, "text", "") for r in replies))
    assert isinstance(last(replies), Failed) and last(replies).ticket == ticket
    for _ in range(20):
        assert thinker.poll(time.monotonic()) == []
    assert thinker.pid is None
    ticket = thinker.ask(ask())  # but the person may try again
    assert isinstance(last(until(thinker, ended(ticket))), Failed)


def test_a_process_that_thinks_for_ever_is_ended_when_it_must_answer(
    strange: Callable[[str], Thinker], limit: Callable[..., None]
) -> None:
    limit(module, "GRACE", 0.3)
    thinker = strange("never_answers")
    ticket = thinker.ask(ask())
    until(thinker, lambda replies: any(isinstance(reply, Started) for reply in replies))
    before = thinker.pid
    thinker.move_now()
    replies = until(thinker, ended(ticket))
    assert isinstance(last(replies), Failed)
    assert any("did not respond" in reply.text for reply in replies if isinstance(reply, ProcessNotice))
    until(thinker, lambda _: thinker.ready)
    assert thinker.pid not in (None, before)


def test_a_program_that_takes_far_longer_than_its_time_loses(
    strange: Callable[[str], Thinker], limit: Callable[..., None]
) -> None:
    limit(module, "GRACE", 0.2)
    limit(module, "SLACK", 0.2)
    thinker = strange("never_answers")
    table = GameTable(thinker, GameModel((Seat("material", 3, 0.1), HUMAN)))
    events: list[Any] = []
    end = time.monotonic() + PATIENCE
    while not table.model.over and time.monotonic() < end:
        events += table.update(time.monotonic())
        time.sleep(0.002)
    assert any(isinstance(event, Over) for event in events)
    assert table.model.ending is not None and table.model.ending.cause == "failed"


def test_a_process_that_does_not_listen_is_noticed_by_its_silence(
    strange: Callable[[str], Thinker], limit: Callable[..., None]
) -> None:
    thinker = strange("never_listens")
    thinker.warm_up()
    until(thinker, lambda _: thinker.ready)
    before = thinker.pid
    limit(module, "SILENCE", 0.5)
    replies = until(thinker, lambda replies: any(isinstance(reply, ProcessNotice) for reply in replies))
    assert any("did not respond" in reply.text for reply in replies if isinstance(reply, ProcessNotice))
    assert thinker.pid != before


def test_a_clock_that_leapt_is_no_silence(strange: Callable[[str], Thinker]) -> None:
    thinker = strange("never_answers")
    thinker.warm_up()
    until(thinker, lambda _: thinker.ready)
    before = thinker.pid
    now = time.monotonic() + 100_000
    for _ in range(100):
        thinker.poll(now)
        time.sleep(0.002)
    assert thinker.pid == before


def test_late_and_doubled_answers_come_out_once(strange: Callable[[str], Thinker]) -> None:
    thinker = strange("answers_late")
    thinker.ask(ask())
    until(thinker, lambda replies: any(isinstance(reply, Started) for reply in replies))
    second = thinker.ask(ask())
    replies = until(thinker, ended(second))
    time.sleep(0.2)
    replies += thinker.poll(time.monotonic())
    assert [reply.ticket for reply in replies if isinstance(reply, Answer)] == [second]


def worked(thinker: Thinker, request: SideWork) -> SideResult:
    results = list[SideResult]()
    until(thinker, lambda _: results.extend(filter(None, [thinker.work(request)])) or results)
    return results[0]


def liked(thinker: Thinker, game: int, name: str, position: Position) -> SideResult:
    return worked(thinker, SideWork(likes_of, (game, parse_name(name), position)))


def test_values_arrive_during_a_search(thinker: Thinker, tmp_path: Path) -> None:
    ticket = thinker.ask(ask("material", depth=12, position=KING_FIGHT, seconds=100.0))
    until(thinker, lambda replies: any(isinstance(reply, Started) for reply in replies))
    assert liked(thinker, 1, "material", KING_FIGHT).value == likes(MaterialPlayer(), KING_FIGHT)
    path = tmp_path / "one.csv"
    weights = np.random.default_rng(1).normal(size=CNN_247.weights)
    path.write_text(f"name,{','.join(f'w{at}' for at in range(247))}\nOne,{','.join(map(repr, weights.tolist()))}\n")
    result = liked(thinker, 1, str(path), Position.start()).value
    assert result is not None and len(result.values) == 24
    assert result == likes(NetworkPlayer("One", weights.astype(np.float32)), Position.start())
    trouble = liked(thinker, 1, "nowhere.csv", Position.start())
    assert trouble.value is None and "nowhere.csv" in trouble.trouble
    thinker.drop()
    assert thinker.last_ticket == ticket


def test_other_work_is_done_during_a_search(thinker: Thinker) -> None:
    ticket = thinker.ask(ask("material", depth=12, position=KING_FIGHT, seconds=100.0))
    until(thinker, lambda replies: any(isinstance(reply, Started) for reply in replies))
    request = SideWork(math.isqrt, (50,))
    assert worked(thinker, request) == SideResult(request, 7)
    assert worked(thinker, request).value == 7  # a result is returned once, then it is asked for again
    assert worked(thinker, SideWork(math.isqrt, (-1,))).trouble.startswith("a fault of the program: ValueError")
    assert "nowhere" in worked(thinker, SideWork(Run.open, ("nowhere",))).trouble
    thinker.drop()
    assert thinker.last_ticket == ticket


def test_new_process_repeats_requests_for_values(thinker: Thinker) -> None:
    assert thinker.work(SideWork(likes_of, (2, parse_name("material"), Position.start()))) is None
    assert thinker.pid is not None
    os.kill(thinker.pid, signal.SIGKILL)
    assert liked(thinker, 2, "material", Position.start()).value is not None


def test_the_process_ends_with_its_window() -> None:
    code = """
import sys, time
from pathlib import Path
from game.players.basic import MaterialPlayer
from game.players.names import parse_name
from game.players.network import NetworkPlayer
from gui.thinking.thinker import Thinker
if __name__ == "__main__":
    thinker = Thinker(Path("nowhere"))
    thinker.warm_up()
    end = time.monotonic() + 100
    while not thinker.ready and time.monotonic() < end:
        thinker.poll(time.monotonic())
        time.sleep(0.01)
    print(thinker.pid, flush=True)
    time.sleep(600)
"""
    with running([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True) as window:
        assert window.stdout is not None
        pid = int(window.stdout.readline())
        window.kill()
        window.wait()
        assert gone([pid])


def test_closing_leaves_no_process(tmp_path: Path) -> None:
    thinker = Thinker(tmp_path)
    thinker.warm_up()
    pid = thinker.pid
    thinker.poll(time.monotonic())
    thinker.close()
    assert pid is not None and gone([pid])
    thinker.close()


def _cold_start(connection: Connection) -> None:
    """Pretend that nothing is compiled, in a process that must not have child processes."""
    compiling.is_there = lambda load: False  # type: ignore[assignment]
    messages: list[str] = []
    warm_up = WarmUp(lambda: messages.append("waits"))
    for stage in warm_up.stages:
        before = len(messages)
        stage()
        connection.send((warm_up.compiles_beside, len(children(os.getpid())) > 0, len(messages) > before))


@pytest.mark.check
def test_another_process_compiles_the_search_at_a_first_start() -> None:
    """The process is a daemon and cannot be forked, as when the window starts it."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_cold_start, args=(theirs,), daemon=True)
    process.start()
    stages = [ours.recv() for _ in range(5)]
    process.join()
    assert [beside for beside, _, _ in stages] == [True, True, True, False, False]
    assert stages[0][1]  # it is there
    assert [waits for _, _, waits in stages] == [False, False, False, True, False]


@pytest.mark.parametrize("cold", [False, True])
def test_unneeded_warm_up_starts_no_process(
    cold: bool, compiled_in: Callable[[Path | None], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object, **__: object) -> None:
        raise AssertionError("a process was started")

    monkeypatch.setattr(thoughts, "CompileProcess", refused)
    if cold:  # and no place for what it would compile
        compiled_in(None)
    is_there: Callable[[Callable[[], object]], bool] = compiling.is_there
    monkeypatch.setattr(compiling, "is_there", lambda load: is_there(load) and not cold)
    for stage in WarmUp().stages:
        stage()


@pytest.mark.parametrize("seed", range(3))
def test_plain_code_counts_pieces(seed: int) -> None:
    register(SHIPPED_RUNS)
    random, level = Random(seed), player("material,depth=1,quiescence=yes")
    assert isinstance(level, SearchingPlayer)
    position, seen = Position.start(), 0
    while seen < 60:
        moves = plain.legal_moves(position)
        if not moves or seen % 60 == 50:
            position = Position.start()
            moves = plain.legal_moves(position)
        result = level.searcher().search(position, (), limits=Limits(depth=1), all_scores=True)
        assert dict(plain_scores(position)) == {scored.move: scored.score / 100 for scored in result.root}, (
            position.fen()
        )
        position, seen = plain.apply(position, random.choice(moves)), seen + 1


class Sent(list[object]):
    """A connection that only keeps what is sent."""

    def send(self, message: object) -> None:
        self.append(message)


def test_casual_answers_before_anything_is_compiled() -> None:
    sent = Sent()
    desk = _Desk(sent)  # type: ignore[arg-type]

    def request(name: str, depth: int, purpose: Purpose = Purpose.MOVE) -> SearchRequest:
        return SearchRequest(purpose, 1, parse_name(name), Position.start(), (), depth, 5.0, 7, DrawRules())

    champion = LEVELS[-1]
    asked = (request(CASUAL.player, 1), request(champion.player, champion.depth),
             request(CASUAL.player, 1, Purpose.ANALYSIS))  # fmt: skip
    for ticket, each in enumerate(asked):
        desk._waiting.put(Think(ticket, each))
    desk.answer_plainly(True)
    started, answer = sent
    assert started == Started(0) and isinstance(answer, Answer) and answer.ticket == 0
    assert answer.finding.move in plain.legal_moves(Position.start()) and answer.finding.score == 0.0
    assert [desk._waiting.get().ticket for _ in range(2)] == [1, 2]  # type: ignore[union-attr]
    desk.answer_plainly(False)
    assert not desk._answered_plainly(Think(3, asked[0]))
