"""Games at a table: moves, draws, analysis, and what a program is asked."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from game import plain
from game.board import Position
from game.rules import BLACK, WHITE
from game.scores import SearchInfo
from gui.model.analyses import ANALYST
from gui.model.ending import Cause
from gui.model.game import GameModel
from gui.model.seats import HUMAN, Seat
from gui.model.table import FIRST_MOVE, SPEEDS, TURNS, GameTable, Moved, Over, Remark, Watch
from gui.thinking.messages import Answer, Compiling, Phase, ProcessNotice, Purpose
from tests.gui.tables import AGAINST, ENDLESS, KINGS, NETWORK, FakeThinker, begun, late, person_moves, play_on


def test_program_to_move_is_asked_and_its_answer_played() -> None:
    table, thinker = begun()
    assert table.update(0.0) == [] and thinker.asked == []
    table.model.touch(11)
    table.model.touch(15)
    table.update(1.0)
    (request,) = thinker.asked
    assert (request.purpose, str(request.player), request.depth, request.seconds) == (
        Purpose.MOVE,
        "cowan-1@15",
        4,
        2.0,
    )
    assert (request.position, request.history) == (table.model.last, (Position.start(),))
    assert (request.game, request.seed) == (table.model.number, 7)
    assert table.thinking is not None and (table.thinking.side, table.thinking.finding) == (WHITE, None)
    thinker.progress()
    assert table.update(1.5) == []
    assert table.thinking is not None
    assert table.thinking.finding is not None and table.thinking.seconds == 0.5
    thinker.answer()
    (event,) = table.update(2.0)
    assert isinstance(event, Moved) and event.ply == table.model.plies[-1]
    assert event.ply.thought is not None and (event.ply.thought.text, event.ply.thought.depth) == ("+0.25", 3)
    assert table.thinking is None
    assert table.update(3.0) == [] and len(thinker.asked) == 1


def test_an_answer_waits_for_the_least_time_and_for_animations() -> None:
    table, thinker = begun((NETWORK, HUMAN))
    table.least, table.hold = 0.4, True
    table.update(10.0)
    thinker.answer()
    assert table.update(10.1) == []
    assert table.update(11.0) == []
    table.hold = False
    assert len(table.update(11.1)) == 1
    table.undo()
    again, thinker = begun((NETWORK, HUMAN))
    again.least = 0.4
    again.update(10.0)
    thinker.answer()
    assert again.update(10.3) == [] and len(again.update(10.4)) == 1


def test_a_stale_answer_is_dropped() -> None:
    table, thinker = begun()
    person_moves(table)
    table.update(0.0)
    ticket, _ = thinker.present or (0, None)
    stale = Answer(ticket, thinker.finding())
    table.undo()
    table.update(0.1)
    assert thinker.dropped == 1 and table.thinking is None
    thinker.ready.append(stale)
    assert table.update(0.2) == []
    assert table.model.plies == []
    person_moves(table)
    table.update(0.3)
    thinker.ready.append(stale)
    assert table.update(0.4) == [] and len(table.model.plies) == 1


def test_an_answer_that_comes_with_the_undo_is_dropped_too() -> None:
    table, thinker = begun()
    person_moves(table)
    table.update(0.0)
    thinker.answer()
    table.hold = True
    table.update(0.1)  # received, but held back
    table.undo()
    table.hold = False
    assert table.update(0.2) == []
    assert table.model.plies == []


def test_another_game_drops_requests_of_the_first() -> None:
    table, thinker = begun()
    person_moves(table)
    table.update(0.0)
    thinker.answer()
    table.begin(table.model.rematch(swap=True))
    assert table.update(0.1) == []
    assert table.model.plies == []
    assert thinker.asked[-1].game == table.model.number and table.thinking is not None


def test_end_of_a_game_is_announced_once() -> None:
    table, thinker = begun((HUMAN, NETWORK), start=Position.from_fen("B:W18:B14"))
    table.model.touch(14)
    table.model.touch(23)
    (event,) = table.update(0.0)
    assert isinstance(event, Over) and event.ending.cause is Cause.NO_PIECES
    assert table.update(0.1) == [] and thinker.asked == []
    table.undo()
    assert table.update(0.2) == []
    table.resign()
    assert [type(event) for event in table.update(0.3)] == [Over]


def test_move_now_and_messages_to_a_person() -> None:
    table, thinker = begun()
    table.move_now()
    assert thinker.hurried == 0
    person_moves(table)
    table.update(0.0)
    table.move_now()
    assert thinker.hurried == 1
    thinker.ready.append(ProcessNotice("A new one was started."))
    assert table.update(0.1) == [Remark("A new one was started.")]
    assert table.status == ""
    thinker.phase = Phase.COMPILING
    assert "Compiling" in table.status
    thinker.compiling = Compiling(2, 4)
    assert table.status == "Compiling the engine, 2 of 4 (only the first time)…"
    thinker.answer()
    table.update(0.2)
    assert table.status == ""


def test_an_offer_is_withdrawn_by_undo() -> None:
    table, _ = late()
    person_moves(table)
    table.update(0.0)
    table.offer_draw()
    assert table.offer is not None  # the program answers it with its move
    table.undo()
    assert table.offer is None


def test_side_that_resigns_is_recorded() -> None:
    for seats, plies, loser in (((HUMAN, HUMAN), 1, WHITE), (AGAINST, 1, BLACK), ((NETWORK, HUMAN), 2, WHITE)):
        table, _ = begun(seats)
        for _ in range(plies):
            person_moves(table)
        table.resign()
        assert table.model.ending is not None and table.model.ending.winner == 1 - loser


def test_analysis_follows_the_shown_position_and_yields_to_moves() -> None:
    table, thinker = begun()
    table.analyse(True)
    table.update(0.0)
    request = thinker.asked[-1]
    assert (request.purpose, str(request.player)) == (Purpose.ANALYSIS, "material")
    assert (request.depth, request.seconds) == (ANALYST.depth, ANALYST.seconds)
    thinker.progress()
    table.update(0.1)
    assert table.analysis is not None and not table.analysis.final
    assert (table.analysis.side, table.analysis.black_score) == (BLACK, 0.25)
    thinker.answer()
    table.update(0.2)
    assert table.analysis is not None and table.analysis.final
    table.update(0.3)
    assert len(thinker.asked) == 1
    person_moves(table)
    table.update(0.4)
    assert table.analysis is None and thinker.asked[-1].purpose is Purpose.MOVE
    thinker.answer()
    table.update(0.5)
    table.update(0.6)
    assert thinker.asked[-1].purpose is Purpose.ANALYSIS
    table.model.go_to(1)
    table.update(0.7)
    assert thinker.asked[-1].position == table.model.shown
    assert thinker.asked[-1].history == (Position.start(),)
    thinker.progress()
    table.update(0.8)
    assert table.analysis is not None and table.analysis.black_score == -0.25
    table.analyse(False)
    table.update(0.9)
    assert table.analysis is None and thinker.present is None


def test_a_hint_is_for_one_position() -> None:
    table, thinker = begun()
    table.hint()
    table.update(0.0)
    thinker.answer()
    table.update(0.1)
    assert table.analysis is not None
    table.model.touch(11)
    table.model.touch(15)
    table.update(0.2)
    thinker.answer()
    table.update(0.3)
    table.update(0.4)
    assert table.analysis is None and len(thinker.asked) == 2


def test_one_analyst_judges_all_players() -> None:
    for seats in ((HUMAN, HUMAN), (HUMAN, NETWORK), (NETWORK, Seat("random"))):
        table, thinker = begun(seats)
        table.paused = True
        table.analyst = Seat("crownhead", 6)
        table.analyse(True)
        table.update(0.0)
        assert (str(thinker.asked[-1].player), thinker.asked[-1].depth) == ("crownhead", 6)
        thinker.answer()
        table.update(0.1)
        assert table.analysis is not None
        table.analyst = Seat("material", 6)  # the other player's report is gone
        assert table.analysis is None
        table.update(0.2)
        assert str(thinker.asked[-1].player) == "material"
        table.analyst = Seat("crownhead", 6)
        table.update(0.3)
        assert str(thinker.asked[-1].player) == "crownhead"
        thinker.fail("no such run")
        assert "cannot be analysed" in str(table.update(0.4))
        table.update(0.5)
        assert table.analysis is None and len(thinker.asked) == 3


def test_result_of_a_deeper_search_stays() -> None:
    table, thinker = begun((HUMAN, HUMAN))
    table.analyse(True)
    table.update(0.0)
    thinker.answer()
    table.update(0.1)
    known = table.analysis
    person_moves(table)
    table.update(0.2)
    assert table.analysis is None
    table.model.go_to(0)
    table.update(0.3)
    assert table.analysis == known and not table.analysing


def test_the_position_is_analysed_while_an_answer_waits_for_its_time() -> None:
    table, thinker = begun((NETWORK, NETWORK))
    table.least = 1.0
    table.analyse(True)
    table.update(0.0)
    assert thinker.asked[-1].purpose is Purpose.MOVE
    thinker.answer()
    table.update(0.1)
    assert thinker.asked[-1].purpose is Purpose.ANALYSIS and table.thinking is not None
    assert table.thinking.finding is not None
    thinker.progress()
    assert table.update(0.9) == []
    assert isinstance(table.update(1.1)[0], Moved)
    table.update(1.2)
    assert thinker.asked[-1].purpose is Purpose.MOVE and thinker.asked[-1].position == table.model.last
    assert table.find_analysis(0) is not None


def test_finished_game_can_be_analysed_where_moves_exist() -> None:
    table, thinker = begun((HUMAN, NETWORK), start=Position.from_fen("B:W18:B14"))
    person_moves(table)
    table.analyse(True)
    table.update(0.0)
    assert thinker.asked == []
    table.model.go_to(0)
    table.update(0.1)
    assert thinker.asked[-1].position == table.model.start


def test_a_watched_game_plays_pauses_and_steps() -> None:
    thinker = FakeThinker()
    watch = Watch(GameTable(thinker, GameModel((NETWORK, Seat("random")))))
    now = 0.0

    def frames(count: int) -> int:
        nonlocal now
        before = len(watch.table.model.plies)
        for _ in range(count):
            now += 0.1
            watch.update(now)
            if thinker.present is not None and not thinker.ready:
                thinker.answer()
        return len(watch.table.model.plies) - before

    watch.speed = len(SPEEDS) - 1
    watch.faster()
    assert watch.seconds == 0.0
    assert frames(10) >= 4
    watch.slower()
    assert watch.seconds == SPEEDS[-2]
    watch.toggle()
    assert frames(10) == 0
    watch.step()
    assert frames(10) == 1 and not watch.playing
    watch.table.undo()
    length = len(watch.table.model.plies)
    watch.step()
    assert len(watch.table.model.plies) == length + 1  # restored, not computed again
    watch.playing = True
    watch.speed = 0
    watch.slower()
    assert frames(20) == 0 and frames(40) == 1


DEEDS = ["move", "undo", "redo", "answer", "fail", "go", "resign", "offer", "analyse", "hint", "rematch", "now"]


@given(st.integers(0, 9), st.lists(st.sampled_from(DEEDS), max_size=40))
def test_only_needed_positions_are_thought_about(seed: int, deeds: list[str]) -> None:
    random = Random(seed)
    table, thinker = begun(random.choice([AGAINST, AGAINST[::-1], (HUMAN, HUMAN), (NETWORK, Seat("random"))]))
    for now, deed in enumerate(deeds):
        model = table.model
        if deed == "move" and model.person_to_move:
            model.play(random.choice(plain.legal_moves(model.last)))
        elif deed in ("undo", "redo", "resign"):
            getattr(table, deed)()
        elif deed == "answer" and thinker.present:
            thinker.answer(random.randrange(len(plain.legal_moves(thinker.present[1].position))), random.uniform(-1, 1))
        elif deed == "fail" and thinker.present:
            thinker.fail("it broke")
        elif deed == "go":
            model.go_to(random.randrange(12))
        elif deed == "offer":
            table.offer_draw()
        elif deed == "analyse":
            table.analyse(random.random() < 0.5)
        elif deed == "hint":
            table.hint()
        elif deed == "rematch":
            table.begin(model.rematch())
        elif deed == "now":
            table.move_now()
        plies, number = len(table.model.plies), table.model.number
        events = table.update(float(now))
        assert len(table.model.plies) - plies == sum(isinstance(event, Moved) for event in events)
        assert table.model.number == number
        if table.thinking is not None:
            assert table.model.program_to_move
        if table.model.program_to_move and not any(isinstance(event, Moved) for event in events):
            assert thinker.present is not None and thinker.present[1].position == table.model.last
        assert isinstance(table.analysis.finding, SearchInfo) if table.analysis else True


def test_a_program_answers_an_offer_by_the_evaluation_of_its_last_move() -> None:
    for share, accepted in ((-0.3, True), (0.0, True), (0.3, False)):  # from the side of the program
        table, thinker = late()
        play_on(table.model, 2, share)
        assert table.offer_draw()
        (event, *_) = table.update(0.0)
        assert isinstance(event, Remark) and ("accepts" in event.text) == accepted
        assert table.model.over == accepted and table.offer is None and not table.may_offer_draw()
        assert thinker.asked == []
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
        assert event == Remark("White declines the draw: programs accept no draw before move 20.")
        assert not table.model.over and thinker.asked == []


def test_a_draw_takes_several_turns_without_being_ahead() -> None:
    for turns, accepted in ((TURNS, True), (TURNS - 1, False)):
        table = late(0.3)[0]
        play_on(table.model, 2 * turns, -0.1)
        table.offer_draw()
        assert ("accepts" in str(table.update(0.0))) == accepted


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
        table = begun((HUMAN, Seat("random")), start=Position.from_fen(fen))[0]
        table.model.rules = ENDLESS
        play_on(table.model, 2 * (FIRST_MOVE - 1), None)
        table.offer_draw()
        assert table.model.over == accepted
