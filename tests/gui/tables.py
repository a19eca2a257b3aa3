"""A thinker without a process, which answers when a test tells it to, and tables with it."""

from __future__ import annotations

from typing import Any

from game import plain
from game.board import Position
from game.rules import DrawRules
from game.scores import SearchInfo
from gui.model.game import GameModel
from gui.model.lines import Thought
from gui.model.seats import HUMAN, Seat
from gui.model.table import FIRST_MOVE, GameTable
from gui.thinking.beside import likes_of
from gui.thinking.messages import (
    Answer,
    Compiling,
    Failed,
    Phase,
    Progress,
    Reply,
    SearchRequest,
    SideResult,
    SideWork,
    Started,
)


class FakeThinker:
    """Records requests.

    Attributes:
        present: the ticket and the current request.
        asked: all requests.
        asked_work: all requests for work beside searches.
        done: results of such work, by request.
        dropped, hurried: numbers of calls of `drop` and of `move_now`.
    """

    def __init__(self, phase: Phase = Phase.READY) -> None:
        self.phase = phase
        self.compiling: Compiling | None = None
        self.tables_opened = self.last_ticket = 0
        self.asked: list[SearchRequest] = []
        self.present: tuple[int, SearchRequest] | None = None
        self.dropped = self.hurried = 0
        self.ready: list[Reply] = []
        self.asked_work: list[SideWork] = []
        self.done: dict[SideWork, SideResult] = {}

    def work(self, request: SideWork) -> SideResult | None:
        if not self.asked_work or self.asked_work[-1] != request:
            self.asked_work.append(request)
        return self.done.pop(request, None)

    @property
    def asked_likes(self) -> list[SideWork]:
        return [request for request in self.asked_work if request.function is likes_of]

    def ask(self, request: SearchRequest) -> int:
        self.asked.append(request)
        self.last_ticket += 1
        self.present = self.last_ticket, request
        return self.last_ticket

    def move_now(self) -> None:
        self.hurried += 1

    def drop(self) -> None:
        self.dropped += 1
        self.present = None

    def poll(self, now: float) -> list[Reply]:
        replies, self.ready = self.ready, []
        return replies

    # Replies that a test triggers

    def finding(self, index: int = 0, share: float | None = 0.25) -> SearchInfo:
        assert self.present is not None
        move = plain.legal_moves(self.present[1].position)[index]
        return SearchInfo(move, share, share, 3, 100, 0.1, (move,), "" if share is None else f"{share:+.2f}")

    def progress(self) -> None:
        assert self.present is not None
        self.ready += [Started(self.present[0]), Progress(self.present[0], self.finding())]

    def answer(self, index: int = 0, share: float | None = 0.25) -> None:
        assert self.present is not None
        self.ready.append(Answer(self.present[0], self.finding(index, share)))

    def fail(self, text: str) -> None:
        assert self.present is not None
        self.ready.append(Failed(self.present[0], text))


NETWORK = Seat("cowan-1@15", 4, 2.0)
AGAINST = (HUMAN, NETWORK)
ENDLESS = DrawRules(repetition=0, quiet_plies=1_000)
KINGS = Position.from_fen("B:WK32,K31:BK1,K2")


def begun(seats: tuple[Seat, Seat] = AGAINST, **values: Any) -> tuple[GameTable, FakeThinker]:
    thinker = FakeThinker()
    table = GameTable(thinker, GameModel(seats, seed=7, **values))
    table.least = 0.0
    return table, thinker


def person_moves(table: GameTable) -> None:
    table.model.play(plain.legal_moves(table.model.last)[0])


def late(share: float | None = 0.0, opponent: Seat = NETWORK) -> tuple[GameTable, FakeThinker]:
    """Return a game against a program, at the first move at which it may agree to a draw.

    All its evaluations so far were `share`.
    """
    table, thinker = begun((HUMAN, opponent), start=KINGS)
    table.model.rules = ENDLESS
    play_on(table.model, 2 * (FIRST_MOVE - 1), share)
    return table, thinker


def play_on(model: GameModel, plies: int, share: float | None = 0.0) -> None:
    """Move kings to and fro; `share` is the evaluation that programs report with each move."""
    paths = (1, 6), (32, 27), (6, 10), (27, 24), (10, 6), (24, 27), (6, 1), (27, 32)
    for _ in range(plies):
        path = paths[len(model.plies) % len(paths)]
        (move,) = (move for move in plain.legal_moves(model.last) if move.path == path)
        thought = None if model.seat.human else Thought(share)
        model.play(move, thought)
