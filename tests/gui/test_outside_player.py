"""A player from outside the program, with its own search, in the window: chosen, played, and asked for a hint."""

from __future__ import annotations

from pathlib import Path

import pytest

from game import plain
from game.board import Position
from game.players import names, registry
from game.players.names import PlayerName
from gui.screens.play.play import Play
from gui.thinking.messages import Answer, Progress, Purpose, SearchRequest
from gui.thinking.thinker import Thinker
from tests import outside_player
from tests.gui.chooser_helpers import choose, titles
from tests.gui.hands import Opened
from tests.gui.thinker_helpers import ended, last, until


@pytest.fixture(autouse=True)
def _known(monkeypatch: pytest.MonkeyPatch) -> None:
    for table in (registry.KINDS, names.OPTIONS_OF):
        monkeypatch.setitem(table, "plodder", None)  # so that it is removed afterwards
    registry.register_player(outside_player.KIND)


def test_it_is_in_the_list_and_can_be_played(opened: Opened) -> None:
    hands = opened()
    hands.key("n")
    assert choose(hands, "plodder").title == "plain minimax"
    hands.key("/")
    hands.type("minimax")
    assert titles(hands) == ["plain minimax"]
    hands.key("return")
    assert "Looks at every line there is." in hands.widget("details").text
    hands.key("<colour>", "<less-time>")
    hands.click("play")
    play = hands.app.screen
    assert isinstance(play, Play) and "plodder" in [seat.player for seat in play.model.seats]
    assert str(hands.thinker.asked[-1].player) == "plodder"


def test_outside_player_works_and_stops_in_the_thinking_process(tmp_path: Path) -> None:
    thinker = Thinker(tmp_path)
    try:
        for purpose in (Purpose.MOVE, Purpose.ANALYSIS):
            ticket = thinker.ask(SearchRequest(purpose, 1, PlayerName.of("plodder"), Position.start(), depth=3))
            replies = until(thinker, ended(ticket))
            messages = [reply.finding for reply in replies if isinstance(reply, Progress)]
            assert [finding.depth for finding in messages] == [1, 2, 3]
            answer = last(replies)
            assert isinstance(answer, Answer) and answer.finding.share == 0.0
            assert {line.move for line in answer.finding.lines} == set(plain.legal_moves(Position.start()))
            assert answer.finding.pv[0] == answer.finding.move
        request = SearchRequest(Purpose.MOVE, 1, PlayerName.of("plodder"), Position.start(), depth=12, seconds=0.5)
        answer = last(until(thinker, ended(thinker.ask(request))))
        assert isinstance(answer, Answer) and answer.finding.depth is not None and answer.finding.depth < 12
    finally:
        thinker.close()
