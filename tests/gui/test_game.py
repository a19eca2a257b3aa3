"""A game: cursor, undo and redo, and results, tested as invariants over random games."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from game import plain
from game.board import Position
from game.match import play as play_match
from game.moves import IllegalMoveError, Move
from game.players.basic import RandomPlayer
from game.rules import BLACK, WHITE, DrawRules
from gui.model.ending import Cause
from gui.model.game import GameModel
from gui.model.seats import HUMAN, Seat, SeatError
from gui.model.turn import Refusal, Refused
from tests.cases import for_each

MATERIAL = Seat("material")
AGAINST_WHITE = (HUMAN, MATERIAL)


def played(model: GameModel, seed: int, plies: int) -> GameModel:
    random = Random(seed)
    for _ in range(plies):
        if model.over:
            break
        model.play(random.choice(plain.legal_moves(model.last)))
    return model


def state(model: GameModel) -> tuple[object, ...]:
    return tuple(model.plies), model.cursor, model.ending, model.last


@for_each("seed", range(12))
def test_games_end_as_in_a_match(seed: int) -> None:
    rules = DrawRules(repetition=3, quiet_plies=20, max_plies=160) if seed % 2 else DrawRules(2, 12)
    record = play_match(RandomPlayer(), RandomPlayer(), seed=seed, rules=rules)
    model = GameModel(rules=rules)
    for index, move in enumerate(record.moves):
        assert model.ending is None, index
        model.play(move)
    assert model.ending is not None
    assert model.ending.result == record.result
    causes = {0: {Cause.NO_MOVE, Cause.NO_PIECES}, 1: {Cause.REPETITION}, 2: {Cause.QUIET}, 3: {Cause.LENGTH}}
    assert model.ending.cause in causes[record.reason]
    with pytest.raises(IllegalMoveError, match="over"):
        model.play(record.moves[-1])


def test_lack_of_pieces_and_lack_of_moves_differ() -> None:
    taken = GameModel(start=Position.from_fen("B:W18:B14"))
    taken.play(Move((14, 23), (18,)))
    assert taken.ending is not None
    assert (taken.ending.headline, taken.ending.reason()) == ("Black wins", "White has no pieces left.")
    stuck = GameModel(start=Position.from_fen("W:W5:B1"))
    assert stuck.ending is not None
    assert (stuck.ending.headline, stuck.ending.reason()) == ("Black wins", "White has no legal move.")
    assert stuck.ending.pdn_result == "1-0"


def test_touches_that_no_turn_allows() -> None:
    model = GameModel(AGAINST_WHITE)
    model.touch(11)
    model.touch(15)
    assert model.touch(22) == Refused(Refusal.NOT_YOUR_TURN, 22)
    model.go_to(0)
    assert model.touch(11) == Refused(Refusal.LOOKING_BACK, 11)
    model.go_to(1)
    model.resign(BLACK)
    assert model.touch(11) == Refused(Refusal.GAME_OVER, 11)
    assert model.drag(11) == Refused(Refusal.GAME_OVER, 11)


def test_touching_a_man_crowned_by_a_jump_is_explained() -> None:
    model = GameModel(AGAINST_WHITE, Position.from_fen("B:W25,26,18:B21"))
    model.touch(21)
    model.touch(30)
    assert model.plies[-1].crowned
    assert model.touch(30) == Refused(Refusal.CROWNED, 30)


@given(st.integers(0, 9), st.integers(0, 60), st.lists(st.integers(-5, 70), max_size=8))
def test_cursor_shows_positions_without_changes(seed: int, plies: int, visits: list[int]) -> None:
    model = played(GameModel(), seed, plies)
    stamp, moves = model.stamp, list(model.plies)
    for wanted in visits:
        model.go_to(wanted)
        at = min(max(wanted, 0), len(moves))
        assert model.cursor == at
        assert model.shown == (moves[at - 1].after if at else model.start)
        assert model.shown_ply == (moves[at - 1] if at else None)
        assert model.at_end == (at == len(moves))
    assert (model.stamp, model.plies) == (stamp, moves)


def test_a_move_of_a_program_leaves_a_reader_where_he_is() -> None:
    model = played(GameModel(AGAINST_WHITE), 1, 3)
    model.go_to(1)
    model.play(plain.legal_moves(model.last)[0])
    assert model.cursor == 1
    model.go_to(99)
    assert model.cursor == 4


def test_going_elsewhere_drops_the_hops() -> None:
    model = GameModel(start=Position.from_fen("B:W6,14,22:B1"))
    model.touch(1)
    model.touch(10)
    assert model.turn.hopping
    assert 6 not in model.pieces() and model.pieces()[10].side == BLACK
    model.go_to(0)
    assert model.turn.path == ()
    assert set(model.pieces()) == {1, 6, 14, 22}


def test_rows_of_the_move_list() -> None:
    model = played(GameModel(), 0, 3)
    assert model.rows() == [(1, 0, 1), (2, 2, None)]
    model = GameModel(start=Position.from_fen("W:W21-32:B1-12"))
    assert model.rows() == [] and model.place == "Before the first move"
    assert played(model, 0, 2).rows() == [(1, None, 0), (2, 1, None)] and model.place == "Move 2 of 2, Black"


@given(
    st.sampled_from([(HUMAN, HUMAN), AGAINST_WHITE, (MATERIAL, HUMAN), (MATERIAL, MATERIAL)]),
    st.integers(0, 9),
    st.integers(0, 120),
    st.integers(1, 6),
)
def test_redo_brings_back_undone_moves(seats: tuple[Seat, Seat], seed: int, plies: int, times: int) -> None:
    model = played(GameModel(seats), seed, plies)
    before = [state(model)]
    for _ in range(times):
        could = model.can_undo
        assert model.undo() == could
        if not could:
            assert state(model) == before[-1]
            break
        assert not model.over
        assert len(model.plies) < len(before[-1][0])  # type: ignore[arg-type]
        if seats[BLACK].human != seats[WHITE].human:
            assert model.person_to_move
        before.append(state(model))
    for earlier in reversed(before[:-1]):
        assert model.redo()
        assert state(model) == earlier
    assert not model.redo()


def test_a_new_move_forgets_undone_moves() -> None:
    model = played(GameModel(), 3, 4)
    model.undo()
    model.play(plain.legal_moves(model.last)[0])
    assert not model.can_redo


def test_undo_removes_messages() -> None:
    model = played(GameModel(AGAINST_WHITE), 3, 4)
    model.resign(BLACK)
    assert model.ending is not None and model.ending.reason() == "Black resigned."
    assert model.undo()
    assert not model.over and len(model.plies) == 4
    assert model.redo()
    assert model.over
    model.undo()
    model.agree_draw()
    assert model.ending is not None and (model.ending.headline, model.ending.winner) == ("Draw", None)
    model.undo()
    model.fail(WHITE, "its network gives no number")
    assert model.ending is not None
    assert model.ending.reason() == "White failed. (its network gives no number)"


@given(st.integers(0, 5), st.lists(st.sampled_from(["play", "undo", "redo", "go", "end", "on"]), max_size=30))
def test_any_mixture_keeps_the_game_whole(seed: int, deeds: list[str]) -> None:
    random = Random(seed)
    model = GameModel(AGAINST_WHITE)
    stamp = model.stamp
    for deed in deeds:
        moves_before = list(model.plies)
        if deed == "play" and not model.over:
            model.play(random.choice(plain.legal_moves(model.last)))
        elif deed == "undo":
            model.undo()
        elif deed == "redo":
            model.redo()
        elif deed == "go":
            model.go_to(random.randrange(-1, 20))
        elif deed == "end":
            model.resign(random.choice((BLACK, WHITE)))
        elif deed == "on":
            model.play_on_from_here()
        assert 0 <= model.cursor <= len(model.plies)
        position = model.start
        for ply in model.plies:
            assert ply.before == position
            position = plain.apply(position, ply.move)
            assert ply.after == position
        assert model.turn.position == position
        assert (model.plies == moves_before) or model.stamp > stamp
        stamp = model.stamp


def test_a_side_offers_a_draw_once_a_move() -> None:
    model = played(GameModel(), 2, 2)
    assert model.may_offer(BLACK)
    model.note_offer(BLACK)
    assert not model.may_offer(BLACK) and model.may_offer(WHITE)
    played(model, 1, 1)
    assert model.may_offer(BLACK)


def test_a_rematch_swaps_colours_and_draws_a_seed() -> None:
    start = Position.from_fen("W:W21-32:B1-12")
    model = played(GameModel(AGAINST_WHITE, start), 1, 5)
    again, swapped = model.rematch(), model.rematch(swap=True)
    assert again.seats == AGAINST_WHITE and swapped.seats == AGAINST_WHITE[::-1]
    assert again.start == swapped.start == start
    assert again.plies == [] and len({model.number, again.number, swapped.number}) == 3
    assert model.seed == 0 and len({model.seed, again.seed, swapped.seed}) == 3
    assert GameModel((AGAINST_WHITE[0],) * 2).rematch().seed == 0  # of a game between two programs, or two people


@pytest.mark.parametrize("values", [{"depth": 0}, {"depth": 13}, {"seconds": 0.0}, {"seconds": float("nan")}])
def test_seats_that_cannot_be(values: dict[str, float]) -> None:
    with pytest.raises(SeatError, match="expected"):
        Seat("material", **values)  # type: ignore[arg-type]
