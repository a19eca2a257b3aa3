"""Games of champions on a small board: the players, when the next game begins, and requests to the thinker."""

from __future__ import annotations

import pytest

from gui.model.seats import Seat
from gui.sessions.boards import END_SECONDS, FIRST, MOVE_SECONDS, SETTLE_SECONDS, LiveGames
from gui.thinking.messages import Phase
from tests.gui.fake_thinker import FakeThinker


class Board:
    """A live board with a clock."""

    def __init__(self) -> None:
        self.thinker = FakeThinker()
        self.live = LiveGames(self.thinker, lambda number: Seat(f"run@{number}", title=f"Gen{number}"))
        self.now = 0.0

    def wait(self, seconds: float, *, answered: bool = True) -> None:
        """Let time pass; every player asked for a move plays its first one."""
        for _ in range(round(seconds / 0.1)):
            self.now += 0.1
            if answered and self.thinker.present is not None and not self.thinker.ready:
                self.thinker.answer()
            self.live.tick(self.now)


@pytest.fixture
def board() -> Board:
    return Board()


def test_a_champion_plays_the_one_before_it(board: Board) -> None:
    board.live.show(7, board.now)
    assert board.live.caption == "Gen7 – Gen6"
    board.live.show(0, board.now)
    assert board.live.model is not None
    assert [seat.player for seat in board.live.model.seats] == ["run@0", FIRST.player]


def test_games_differ_and_are_the_same_again(board: Board) -> None:
    def opening(generation: int) -> str:
        board.live.show(generation, board.now)
        assert board.live.model is not None
        return str(board.live.model.last)

    results = [opening(generation) for generation in range(6)]
    assert len(set(results)) > 3
    assert opening(0) == results[0]


def test_two_moves_a_second_without_looking_ahead(board: Board) -> None:
    board.live.show(2, board.now)
    board.wait(SETTLE_SECONDS + 20 * MOVE_SECONDS)
    assert board.live.model is not None
    assert 15 <= len(board.live.model.plies) - 3 <= 20
    assert {request.depth for request in board.thinker.asked} == {1}
    assert {str(request.player) for request in board.thinker.asked} == {"run@2", "run@1"}


def test_dragged_slider_reads_no_files(board: Board) -> None:
    for generation in range(40):
        board.live.show(generation, board.now)
        board.wait(0.1)
    assert board.thinker.asked == []
    board.wait(1.0)
    assert str(board.thinker.asked[0].player) in ("run@39", "run@38")


def test_another_game_follows_the_end_of_one(board: Board) -> None:
    board.live.show(5, board.now)
    board.wait(1.0)
    assert board.live.model is not None
    board.live.model.resign(0)
    assert board.live.caption == "Gen5 – Gen4: White wins"
    board.wait(END_SECONDS + 0.5)
    assert board.live.caption == "Gen4 – Gen5"
    assert not board.live.model.over


def test_pending_work_is_shown(board: Board) -> None:
    board.thinker.phase = Phase.LOADING
    board.live.show(1, board.now)
    board.wait(1.0, answered=False)
    assert board.live.caption == "Loading the engine…"
    board.thinker.phase = Phase.READY
    assert board.live.caption == "Gen1 – Gen0"
    board.live.show(-1, board.now)
    assert (board.live.caption, dict(board.live.pieces)) == ("", {})
