"""A thinker without a process, which answers when a test tells it to."""

from __future__ import annotations

from game import plain
from game.scores import SearchInfo
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
