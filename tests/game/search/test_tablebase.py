"""Searches with tablebases: against plain minimax with a plain table, and play that wins what is won."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np
import pytest

from game import match, moves
from game.batch.games import BatchPlayers, play_all
from game.board import Position
from game.endgame import slices
from game.endgame.tables import Tables, open_tables
from game.errors import InputError
from game.players.registry import player
from game.rules import WCDF, DrawRules
from game.search import layout as at
from game.search.interface import (
    DRAWN,
    TABLEBASE_WON,
    WIN,
    WON,
    Limits,
    SearchOptions,
    plies_to_win,
    reported_score,
    score_text,
)
from game.search.search import AlphaBeta
from tests.game.search.search_helpers import EVALUATORS, STYLES, endings, value_of
from tests.naive_search import Minimax, tree_of

STRONG = SearchOptions(tablebase=6)
ENDLESS = DrawRules(repetition=0, quiet_plies=0, max_plies=400)


@pytest.fixture(scope="module")
def tables() -> Tables:
    return open_tables(4)


def with_tables(style: SearchOptions, pieces: int = 4) -> SearchOptions:
    return dataclasses.replace(style, tablebase=pieces)


def known_to(tables: Tables, pieces: int, below: int = 64) -> Callable[[Position], int | None]:
    def value(position: Position) -> int | None:
        board = position.own | position.opponent
        count = board.bit_count()
        if not (position.own and position.opponent) or count > pieces:
            return None
        verdict = tables.probe(position) if count + (board & ~position.kings).bit_count() < below else None
        return None if verdict is None else verdict.value

    return value


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("name", ["material", "cnn"])
def test_values_are_those_of_plain_minimax_with_a_plain_table(tables: Tables, name: str, style: str) -> None:
    how, evaluator, hits = STYLES[style], EVALUATORS[name], 0
    searcher = AlphaBeta(evaluator, with_tables(how))
    twin = Minimax(value_of(evaluator), WCDF, **tree_of(how), known=known_to(tables, 4))
    for number, position in enumerate(endings(12, (5, 6), 31)):
        for every in (False, True):
            result = searcher.search(position, limits=Limits(1 + number % 4), all_scores=every)
            expected = dict(twin.root(position, (), result.depth))
            best = max(expected.values())
            assert (result.score, result.verdict) == (best, None), position.fen()
            assert result.move == next(move for move, value in expected.items() if value == best)
            for each in result.root:
                value = expected[each.move]
                assert each.score == value if each.exact else each.score >= value, (position.fen(), str(each.move))
            hits += result.tablebase_hits
    assert hits > 25


@pytest.mark.parametrize("style", STYLES)
def test_a_drawn_root_is_searched_among_the_moves_that_draw(tables: Tables, style: str) -> None:
    how, seen = STYLES[style], 0
    searcher = AlphaBeta(None, with_tables(how))
    for number, position in enumerate(endings(40, (4,), 32)):
        verdict = tables.probe(position)
        result = searcher.search(position, limits=Limits(1 + number % 5))
        assert result.verdict == verdict.value
        if verdict.value:
            continue
        after = {move: None if each is None else each.value for move, each in tables.moves(position)}
        board = position.own | position.opponent
        below = board.bit_count() + (board & ~position.kings).bit_count()
        twin = Minimax(value_of(None), WCDF, **tree_of(how), known=known_to(tables, 4, below))
        expected = {move: value for move, value in twin.root(position, (), result.depth) if after[move] == 0}
        best = max(expected.values())
        assert (result.move, result.score, result.reported) == (
            next(move for move, value in expected.items() if value == best),
            best,
            0.0,
        )
        lost = [each for each in result.root if after[each.move]]
        assert all(each.exact and each.depth == 0 and each.score < -WON for each in lost)
        seen += 1
    assert seen >= 5


def test_a_decided_root_is_played_by_its_distance(tables: Tables) -> None:
    searcher = AlphaBeta(None, with_tables(SearchOptions(quiescence=True)))
    for position in endings(60, (2, 3, 4), 33):
        outcome = searcher.search(position, limits=Limits(nodes=1000), all_scores=True)
        verdict = tables.probe(position)
        assert verdict is not None and outcome.verdict == verdict.value
        if not verdict.value:
            continue
        assert verdict.plies is not None
        assert plies_to_win(outcome.score) == verdict.plies * verdict.value
        assert outcome.reported == outcome.score == verdict.value * (WIN - verdict.plies)
        assert len(outcome.pv) == outcome.depth == 1 and outcome.pv[0] == outcome.move == outcome.root[0].move
        result = {
            move: 0.0 if each is None or each.plies is None else each.value * (WIN - each.plies)
            for move, each in tables.moves(position)
        }
        assert {each.move: each.score for each in outcome.root} == result


class Nearer(Tables):
    """Tables as if they held distances of up to so many pieces only."""

    def __init__(self, tables: Tables, distances: int) -> None:
        self.__dict__ |= tables.__dict__
        self.distances, self._directory = distances, tables._directory.copy()
        self._directory[slices.DISTANCES] = distances
        self.address = int(self._directory.ctypes.data)


@pytest.fixture
def no_distances(tables: Tables, monkeypatch: pytest.MonkeyPatch) -> Tables:
    known = Nearer(tables, 0)
    monkeypatch.setattr("game.search.memory.open_for", lambda pieces: known)
    return known


@pytest.mark.parametrize("style", STYLES)
def test_without_distances_moves_that_keep_the_result_are_searched(no_distances: Tables, style: str) -> None:
    how, values = STYLES[style], list[int]()
    searcher = AlphaBeta(None, with_tables(how))
    for number, position in enumerate(endings(40, (4,), 35)):
        verdict, board = no_distances.probe(position), position.own | position.opponent
        assert verdict is not None and verdict.plies is None
        result = searcher.search(position, limits=Limits(1 + number % 5))
        after = {move: each.value for move, each in no_distances.moves(position) if each is not None}
        if plies_to_win(result.score) == 1:  # the last piece is captured
            assert not moves.apply(position, result.move).own
            continue
        below = board.bit_count() + (board & ~position.kings).bit_count()
        # Who has won takes a position that occurs again for a draw.
        rules = dataclasses.replace(WCDF, repetition=2) if verdict.value > 0 else WCDF
        known, drawn = known_to(no_distances, 4, below), -verdict.value * DRAWN
        twin = Minimax(value_of(None), rules, **tree_of(how), known=known, drawn=drawn)
        twice = twin.root(position, (), result.depth)
        expected = {move: value for move, value in twice if after[move] == verdict.value}
        best = max(expected.values())
        assert (result.verdict, result.score) == (verdict.value, best), position.fen()
        assert result.move == next(move for move, value in expected.items() if value == best)
        assert result.reported == (best if abs(best) > WON else verdict.value * TABLEBASE_WON)
        values.append(verdict.value)
    assert min(values.count(value) for value in (-1, 0, 1)) >= 3


def test_a_draw_by_the_rules_outweighs_evaluations_of_decided_roots(no_distances: Tables) -> None:
    rules, searcher = (
        DrawRules(repetition=2, quiet_plies=80),
        AlphaBeta(EVALUATORS["cnn"], with_tables(SearchOptions())),
    )
    seen = {1: 0, -1: 0}
    for fen in ("W:WK9,K14,K22:BK32", "B:WK9,K14,K22:BK32", "W:WK2,K7,K18:BK28", "B:WK2,K7,K18:BK28"):
        root = Position.from_fen(fen)
        value = {move: each.value for move, each in no_distances.moves(root) if each is not None}
        best = max(value.values())
        for move in (each for each, kept in value.items() if kept == best and list(value.values()).count(best) > 1):
            after = moves.apply(root, move)
            for reply, there in moves.successors(after):
                back, again = moves.Move(move.path[::-1]), moves.Move(reply.path[::-1])
                if reply.captured or back not in moves.legal_moves(there):
                    continue
                before = moves.apply(there, back)
                if again not in moves.legal_moves(before):
                    continue
                outcome = searcher.search(root, [root, after, there, before], limits=Limits(2), rules=rules)
                assert (outcome.move == move) == (best < 0), (fen, str(move))
                assert best > 0 or (outcome.reported == 0.0 and score_text(outcome.score) == "draw by the rules")
                result = {str(each.move): reported_score(each.score) for each in outcome.root}
                drawn = [str(each.move) for each in outcome.root if abs(each.score) == DRAWN]
                assert str(move) in drawn and {result[each] for each in drawn} == {0.0}
                seen[best] += 1
                break
    assert min(seen.values()) > 2, seen


@pytest.mark.parametrize("fen", ["B:W11,16:BK7,27", "W:W13,K31:B6,12", "B:W16,23:BK2,20", "W:W11,K18:B1,15"])
def test_a_win_of_unknown_length_is_not_lost_by_repetition(
    tables: Tables, monkeypatch: pytest.MonkeyPatch, fen: str
) -> None:
    monkeypatch.setattr("game.search.memory.open_for", lambda pieces: Nearer(tables, 3))
    searcher, position = AlphaBeta(None, with_tables(SearchOptions(quiescence=True))), Position.from_fen(fen)
    winner, history = position.side, list[Position]()
    while moves.legal_moves(position):
        history.append(position)
        assert history.count(position) < WCDF.repetition
        if position.side == winner:
            move = searcher.search(position, history[:-1], limits=Limits(4)).move
        else:
            move, _ = max(tables.moves(position), key=lambda each: each[1].merit if each[1] else (0, 0))
        position = moves.apply(position, move)
    assert position.side != winner


@pytest.mark.parametrize(("fen", "plies"), [("W:WK15,20:BK28,12", 81), ("W:W6,11:B3,K25", 93)])
def test_classics_are_won_in_as_many_plies_as_they_take(fen: str, plies: int) -> None:
    tested = player("material,tablebase=4")
    game = match.play(tested, tested, start=Position.from_fen(fen), rules=ENDLESS)
    assert (len(game.moves), game.reason, game.result) == (plies, match.Reason.NO_MOVE, -1)


@pytest.mark.parametrize("rules", [WCDF, DrawRules(0, 0, True, 60)])
def test_compiled_games_are_those_of_match(rules: DrawRules) -> None:
    names = (
        "material,depth=3,quiescence=yes,tablebase=4", "material,nodes=200,tablebase=3", "material,depth=2,blondie=yes",
        "material,depth=2,blondie=yes,tablebase=yes", "material,depth=1,seed=3,tablebase=yes",
    )  # fmt: skip
    players = [player(name) for name in names]
    kept = dataclasses.replace(players[3], style=SearchOptions(blondie=True, equal_depth=True, tablebase=4))
    players.append(kept)
    field = BatchPlayers.of_players(players)
    pairs = [(a, (a + step) % len(players)) for a in range(len(players)) for step in (1, 2)]
    for number, position in enumerate(endings(3, (4, 5, 6, 8), 34)):
        seeds = [100 * number + game for game in range(len(pairs))]
        blacks, whites = np.array(pairs).T.copy()
        outcomes = play_all(field, blacks, whites, start=position, rules=rules, seeds=seeds, keep=True)
        for game, (black, white) in enumerate(pairs):
            expected = match.play(players[black], players[white], start=position, rules=rules, seed=seeds[game])
            assert outcomes.record(game, position) == expected


def test_tables_that_are_not_there_are_named(open_instead: Callable[..., None]) -> None:
    open_instead(lambda pieces: open_tables(min(pieces or 4, 4)))
    for refused in (lambda: player("material,tablebase=6").begin_game(WCDF, 0), lambda: AlphaBeta(None, STRONG)):
        with pytest.raises(InputError, match=r"^tablebase=6: the tablebases of up to 6 .* build --pieces 6$"):
            refused()


def test_proved_win_has_the_distance_of_the_tables(tables: Tables) -> None:
    searcher, depth, proved = AlphaBeta(None, STYLES["plain"]), 10, 0
    for position in endings(300, (2, 3, 4), 7):
        verdict = tables.probe(position)
        if verdict is not None and verdict.plies is not None and 0 < verdict.plies < depth:
            result = searcher.search(position, limits=Limits(depth), rules=ENDLESS)
            assert result.score == verdict.value * (WIN - verdict.plies), position.fen()
            proved += 1
    assert proved > 20


@pytest.mark.parametrize("fen", ["W:W21,22,K32:BK17,28", "W:W28,K29,K30:BK24,25", "B:WK4,K7,8:BK2,K3"])
def test_move_without_reply_wins_immediately_in_tables(fen: str, no_distances: Tables) -> None:
    result = AlphaBeta(None, with_tables(STYLES["plain"])).search(Position.from_fen(fen), limits=Limits(3))
    assert result.score == WIN - 1


def test_bands_lie_apart() -> None:
    assert at.PROVED < at.TABLEBASE_WIN - 2 * at.MAX_PLY < at.TABLEBASE_WIN < at.WIN - 1000
    assert WON < TABLEBASE_WON - 2 * at.MAX_PLY < TABLEBASE_WON < WIN - 1000
    assert score_text(TABLEBASE_WON - 3) == "won (tablebase)"
    assert score_text(3 - TABLEBASE_WON) == "lost (tablebase)"
    assert plies_to_win(TABLEBASE_WON) is None
