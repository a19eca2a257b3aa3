"""The order in which the thinking process loads code, and compiling in another process at the first start."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random

import pytest

from evolve.names.registration import register
from evolve.run.runs import SHIPPED_RUNS
from evolve.strength.levels import LEVELS
from game import plain
from game.board import Position
from game.compiled import compiling
from game.players.names import parse_name
from game.players.player import SearchingPlayer
from game.players.registry import player
from game.rules import DrawRules
from game.search.interface import Limits
from gui.thinking import thoughts
from gui.thinking.messages import Answer, Purpose, SearchRequest, Started, Think
from gui.thinking.process import _Desk
from gui.thinking.thoughts import CASUAL, WarmUp, plain_scores
from tests.processes import children


def _cold_start(connection: Connection) -> None:
    """Pretend that nothing is compiled, in a process that must not have child processes."""
    compiling.is_there = lambda load: False  # type: ignore[assignment]
    messages: list[str] = []
    warm_up = WarmUp(lambda: messages.append("waits"))
    for stage in warm_up.stages:
        before = len(messages)
        stage()
        connection.send((warm_up.compiles_beside, len(children(os.getpid())) > 0, len(messages) > before))


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
def test_plain_code_scores_like_casual(seed: int) -> None:
    register(SHIPPED_RUNS)
    random, level = Random(seed), player(f"{CASUAL.player},depth={CASUAL.depth}")
    assert isinstance(level, SearchingPlayer)
    position, seen = Position.start(), 0
    while seen < 60:
        moves = plain.legal_moves(position)
        if not moves or seen % 60 == 50:
            position = Position.start()
            moves = plain.legal_moves(position)
        result = level.searcher().search(position, (), limits=Limits(depth=1), all_scores=True)
        assert dict(plain_scores(position)) == {scored.move: scored.score for scored in result.root}, position.fen()
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
