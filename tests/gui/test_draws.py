"""Draw offers to programs, which accept only from some move on and only if they were not ahead for several moves."""

from __future__ import annotations

from game.board import Position
from gui.model.seats import HUMAN, Seat
from gui.model.table import FIRST_MOVE, TURNS, Moved, Over, Said
from gui.thinking.messages import Purpose
from tests.gui.long_games import ENDLESS, KINGS, play_on
from tests.gui.tables import begun, late, person_moves


def test_a_program_judges_an_offer_by_its_evaluation() -> None:
    for share, accepted in ((0.3, True), (0.0, True), (-0.3, False)):  # from the side of the person, who is to move
        table, thinker = late()
        assert table.offer_draw() and not table.may_offer_draw()
        table.update(0.0)
        assert thinker.asked[-1].purpose is Purpose.JUDGEMENT and str(thinker.asked[-1].player) == "cowan-1@15"
        thinker.answer(share=share)
        events = table.update(0.1)
        assert isinstance(events[0], Said) and ("accepts" in events[0].text) == accepted
        assert table.model.over == accepted and table.offer is None
        assert not table.offer_draw()
        if not accepted:
            person_moves(table)
            assert table.may_offer_draw()


def test_no_program_agrees_to_a_draw_at_the_beginning_and_none_need_think_for_that() -> None:
    for plies in (0, 2, 2 * FIRST_MOVE - 4):
        table, thinker = begun(start=KINGS)
        table.model.rules = ENDLESS
        play_on(table.model, plies, -0.5)
        assert table.offer_draw() and table.offer is None and not table.may_offer_draw()
        (event,) = table.update(0.0)
        assert event == Said("White declines the draw: programs accept no draw before move 20.")
        assert not table.model.over and thinker.asked == []


def test_a_draw_takes_several_turns_without_being_ahead() -> None:
    for turns, accepted in ((TURNS, True), (TURNS - 1, False)):
        table, thinker = late(0.3)
        play_on(table.model, 2 * turns, -0.1)
        table.offer_draw()
        table.update(0.0)
        thinker.answer(share=0.0)
        assert ("accepts" in str(table.update(0.1))) == accepted


def test_an_offer_while_the_program_thinks_is_answered_with_its_move() -> None:
    for share, accepted in ((-0.3, True), (0.3, False)):  # from the side of the program, which is to move
        table, thinker = late()
        person_moves(table)
        plies = len(table.model.plies)
        table.update(0.0)
        assert table.offer_draw()
        thinker.answer(share=share)
        events = table.update(0.1)
        assert ("accepts" in str(events[0])) == accepted
        assert isinstance(events[-1], Over if accepted else Moved)
        assert len(table.model.plies) == (plies if accepted else plies + 1)


def test_a_player_without_opinions_counts_pieces() -> None:
    for fen, accepted in (("B:WK32,K31:BK1,K2,5", True), ("B:WK32,K31,28:BK1,K2", False), ("B:WK32,K31:BK1,K2", True)):
        table, thinker = begun((HUMAN, Seat("random")), start=Position.from_fen(fen))
        table.model.rules = ENDLESS
        play_on(table.model, 2 * (FIRST_MOVE - 1), None)
        table.offer_draw()
        table.update(0.0)
        thinker.answer(share=None)
        table.update(0.1)
        assert table.model.over == accepted
