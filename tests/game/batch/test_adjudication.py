"""Games that end where tablebases know their result: compiled, one by one, and as a slow twin says."""

from __future__ import annotations

import ast
import inspect
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from game import match, moves
from game.batch import kernels
from game.batch.games import BatchPlayers, Outcomes, index_openings, play_all
from game.board import Position
from game.endgame import tables
from game.endings import Reason
from game.errors import InputError
from game.match import GameRecord
from game.openings import openings
from game.players.basic import MaterialPlayer, RandomPlayer
from game.players.network import NetworkPlayer
from game.players.player import Player
from game.rules import BLACK, WCDF, WHITE, DrawRules
from game.search.interface import Limits, SearchOptions
from tests.game.networks.network_samples import CROWNHEAD, genomes

LOOKING = {"limits": Limits(3), "style": SearchOptions(quiescence=True, table_bits=8)}
PLAYERS: list[Player] = [
    RandomPlayer("random,seed=7", 7),
    MaterialPlayer("material,seed=1", 1, True),
    replace(MaterialPlayer(), **LOOKING),
    *(NetworkPlayer(f"{index}", row, 0, CROWNHEAD) for index, row in enumerate(genomes(CROWNHEAD, 1, 2, 0.3))),
    NetworkPlayer("looking", genomes(CROWNHEAD, 2, 1, 0.3)[0], 0, CROWNHEAD, **LOOKING),
]
STARTS = {
    "three-move ballots": (Position.start(), "three-move"),
    "white begins": (Position.from_fen("W:WK15,K23,K30,21:BK1,K10,K26,12"), None),
    "black begins": (Position.from_fen("B:W18,22,25,31:B5,10,K30"), None),
}
RULES = {"wcdf": WCDF, "no repetition": DrawRules(0, 0, max_plies=90)}
GAMES = 10


def play(
    start: Position, kind: str | None, rules: DrawRules, seed: int, adjudicate: int
) -> tuple[Outcomes, list[GameRecord]]:
    generator = np.random.default_rng(seed)
    blacks, whites = generator.integers(len(PLAYERS), size=(2, GAMES))
    seeds = [int(each) for each in generator.integers(2**63, size=GAMES)]
    ballots = [opening.moves for opening in openings(kind)] if kind else [()]
    rows = generator.integers(len(ballots), size=GAMES)
    field = BatchPlayers.of_players(PLAYERS)
    known = index_openings(ballots, start)
    outcomes = play_all(
        field, blacks, whites, start=start, openings=known, opening_of=rows, rules=rules, seeds=seeds, keep=True,
        adjudicate=adjudicate,
    )  # fmt: skip
    records = [
        match.play(
            PLAYERS[black], PLAYERS[white], start=start, opening=ballots[row], rules=rules, seed=own,
            adjudicate=adjudicate,
        )
        for black, white, row, own in zip(blacks, whites, rows, seeds, strict=True)
    ]  # fmt: skip
    return outcomes, records


def positions(record: GameRecord) -> list[Position]:
    results = [record.start]
    for move in record.moves:
        results.append(moves.apply(results[-1], move))
    return results


def pieces(position: Position) -> int:
    return (position.own | position.opponent).bit_count()


@pytest.mark.parametrize("rules", ["wcdf", pytest.param("no repetition", marks=pytest.mark.check)])
def test_games_end_at_results_of_tables(rules: str) -> None:
    reasons = {adjudicate: Counter[Reason]() for adjudicate in (2, 3, 4)}
    for start in STARTS.values():
        without = play(*start, RULES[rules], 5, 0)[1]
        for adjudicate, counted in reasons.items():
            outcomes, records = play(*start, RULES[rules], 5, adjudicate)
            for game, (record, whole) in enumerate(zip(records, without, strict=True)):
                assert outcomes.record(game, record.start) == record
                assert outcomes.plies[game] == len(record.moves)
                check(record, whole, adjudicate)
                counted[record.reason] += 1
    two, three, four = (reasons[pieces][Reason.TABLEBASE] for pieces in (2, 3, 4))
    assert two <= three < four and three > 0


def check(record: GameRecord, whole: GameRecord, adjudicate: int) -> None:
    passed = positions(whole)
    first = next((ply for ply, each in enumerate(passed) if pieces(each) <= adjudicate), len(passed))
    if first >= len(whole.moves):  # it never came to that, or the rules of the game ended it there
        assert (record.moves, record.result, record.reason) == (whole.moves, whole.result, whole.reason)
        return
    verdict = tables.open_tables(4).probe(passed[first])
    assert (record.moves, record.reason) == (whole.moves[:first], Reason.TABLEBASE)
    assert record.result == (verdict.value if passed[first].side == BLACK else -verdict.value)


def two_pieces() -> list[Position]:
    results = []
    for side in (BLACK, WHITE):
        for squares in combinations(range(1, 33), 2):
            for black, white in (squares, squares[::-1]):
                for kings in ((), (black,), (white,), (black, white)):
                    if (black > 28 and black not in kings) or (white < 5 and white not in kings):
                        continue
                    name = lambda square: f"K{square}" if square in kings else f"{square}"  # noqa: B023, E731
                    results.append(Position.from_fen(f"{'BW'[side]}:W{name(white)}:B{name(black)}"))
    return results


def results_of(known: list[Position]) -> dict[Position, int]:
    after = {each: [position for _, position in moves.successors(each)] for each in known}
    won: dict[Position, int] = {}
    changed = True
    while changed:
        changed = False
        for each, children in after.items():
            if each in won:
                continue
            mine = 1 if each.side == BLACK else -1
            values = [mine if not child.own else won.get(child, 0) for child in children]
            if mine in values or all(value == -mine for value in values):
                won[each] = mine if mine in values else -mine
                changed = True
    return {each: won.get(each, 0) for each in known}


def test_positions_of_two_pieces_have_the_result_of_a_slow_twin() -> None:
    twin = results_of(two_pieces())
    field = BatchPlayers.of_players(PLAYERS[:1])
    assert Counter(twin.values())[1] == Counter(twin.values())[-1] > 500
    for number, (position, result) in enumerate(list(twin.items())[::3]):
        outcome = play_all(field, [0], [0], start=position, adjudicate=2)
        stuck = not moves.legal_moves(position)
        expected = (result, Reason.NO_MOVE if stuck else Reason.TABLEBASE, 0)
        assert (outcome.results[0], outcome.reasons[0], outcome.plies[0]) == expected, position.fen()
        if number % 50 == 0:
            record = match.play(PLAYERS[0], PLAYERS[0], start=position, adjudicate=2)
            assert (record.result, record.reason, len(record.moves)) == expected


def both(fen: str, **options: int | DrawRules) -> GameRecord:
    start, field = Position.from_fen(fen), BatchPlayers.of_players(PLAYERS[:1])
    record = match.play(PLAYERS[0], PLAYERS[0], start=start, **options)  # type: ignore[arg-type]
    outcomes = play_all(field, [0], [0], start=start, keep=True, seeds=[0], **options)  # type: ignore[arg-type]
    assert outcomes.record(0, start) == record
    return record


def test_the_rules_of_the_game_come_first() -> None:
    """A side that cannot move has lost, and a draw by rule is one, whatever tables say of the position."""
    assert both("W:W5:B1", adjudicate=4).reason == Reason.NO_MOVE
    won = "W:WK15,K14:BK1"
    assert both(won, adjudicate=4).result == -1
    record = both(won, adjudicate=4, rules=DrawRules(0, 0, max_plies=1))
    assert (record.reason, record.result, len(record.moves)) == (Reason.TABLEBASE, -1, 0)
    capture = "W:WK15,K14,K32:BK1,K18"  # after it there are four pieces, and the game is as long as it may be
    record = both(capture, adjudicate=4, rules=DrawRules(0, 0, max_plies=1))
    assert (record.reason, record.result, len(record.moves)) == (Reason.LENGTH, 0, 1)
    assert both(capture, adjudicate=4).reason == Reason.TABLEBASE


def test_an_opponent_without_pieces_has_lost() -> None:
    record = both("W:W15:B", adjudicate=2)
    assert (record.reason, record.result) == (Reason.TABLEBASE, -1)


def test_opening_beyond_the_end_is_refused() -> None:
    start = Position.from_fen("W:WK15,K14:BK1")
    move = moves.legal_moves(start)[0]
    field = BatchPlayers.of_players(PLAYERS[:1])
    with pytest.raises(InputError, match=r"the game ends \(adjudicated by tablebase\)"):
        play_all(field, [0], [0], start=start, openings=index_openings([[move]], start), adjudicate=3)
    with pytest.raises(InputError, match=r"the game ends \(adjudicated by tablebase\)"):
        match.play(PLAYERS[0], PLAYERS[0], start=start, opening=[move], adjudicate=3)


@pytest.mark.parametrize("pieces", [-1, 1, 7])
def test_numbers_of_pieces_that_are_none(pieces: int) -> None:
    with pytest.raises(InputError, match=f"adjudicate: expected 0 .off. or 2 to 6 pieces, got {pieces}"):
        match.play(PLAYERS[0], PLAYERS[0], adjudicate=pieces)


def test_missing_tables_are_named_with_the_command_that_builds_them(open_instead: Callable[..., None]) -> None:
    fewer = tables.open_tables(4)
    open_instead(lambda pieces: fewer)
    with pytest.raises(InputError, match=r"python main\.py tablebase build --pieces 6$"):
        match.play(PLAYERS[0], PLAYERS[0], adjudicate=6)


def test_games_are_compiled_without_tables() -> None:
    """They are called by address, so that sessions without them compile nothing of them."""
    for node in ast.walk(ast.parse(inspect.getsource(kernels))):
        if isinstance(node, ast.ImportFrom):
            assert "endgame" not in f"{node.module}"
            assert "tablebase_kernels" not in f"{node.module}"
