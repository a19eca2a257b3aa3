"""A selective search: games depend on their start, players and limits alone; what is pruned proves nothing."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from game import match, moves
from game.batch.games import BatchPlayers, play_all
from game.board import Position
from game.errors import InputError
from game.networks.evaluator import Evaluator, man_value
from game.networks.named import BLONDIE_1741
from game.networks.spec import Spec
from game.players.basic import MaterialPlayer
from game.players.network import NetworkPlayer
from game.players.player import Player
from game.rules import WCDF, DrawRules
from game.search import layout as at
from game.search.interface import FITTED, Limits, SearchOptions, SearchResult, Stop, plies_to_win
from game.search.search import MARGINS, AlphaBeta, float_words
from tests import naive_network
from tests.game.networks.network_samples import CROWNHEAD, genomes
from tests.game.search.search_helpers import EVALUATORS, games

KEEPING = SearchOptions(threats=True, twofold=True, keeps_table=True, table_bits=8)
LESS = dataclasses.replace(KEEPING, reductions=True, pruning=True)
AGEING = dataclasses.replace(LESS, table=FITTED)
LIMITS = Limits(nodes=400)


def players() -> list[Player]:
    results: list[Player] = [MaterialPlayer("m", 3, draws_ties=True, limits=Limits(4), style=KEEPING)]
    for number, spec in enumerate((CROWNHEAD, BLONDIE_1741, CROWNHEAD, BLONDIE_1741)):
        style = (dataclasses.replace(KEEPING, keeps_table=False), KEEPING, LESS, AGEING)[number]
        row = genomes(spec, number % 2, 1, 0.3)[0]
        results.append(NetworkPlayer(str(number), row, 0, spec, None, limits=LIMITS, style=style))
    return results


def test_a_game_is_the_same_in_any_batch_and_order() -> None:
    field = BatchPlayers.of_players(players())
    pairs = np.array([(0, 1), (3, 2), (4, 4), (2, 2), (1, 4), (2, 0), (4, 3), (3, 3)])
    for number, (start, _) in enumerate(games(4, 5, 40)):
        rules = DrawRules(3, 30, True, 100) if number % 2 else DrawRules(0, 0, True, 70)  # in circles to the end
        together = play_all(field, *pairs.T, start=start, rules=rules, seeds=range(8), keep=True)
        backwards = play_all(field, *pairs[::-1].T, start=start, rules=rules, seeds=range(8)[::-1], keep=True)
        for game, (black, white) in enumerate(pairs.tolist()):
            record = together.record(game, start)
            assert backwards.record(len(pairs) - 1 - game, start) == record
            assert match.play(players()[black], players()[white], start=start, rules=rules, seed=game) == record
            assert (
                play_all(field, [black], [white], start=start, rules=rules, seeds=[game], keep=True).record(0, start)
                == record
            )


def facts(result: SearchResult) -> SearchResult:
    return dataclasses.replace(result, seconds=0.0)


def test_only_the_continued_game_keeps_a_table() -> None:
    style = dataclasses.replace(KEEPING, table_bits=16)
    network = Evaluator(CROWNHEAD, genomes(CROWNHEAD, 1, 1, 0.3)[0])
    searcher, alone = AlphaBeta(network, style), AlphaBeta(network, dataclasses.replace(style, keeps_table=False))
    line, many = [Position.start()], Limits(nodes=2000)
    while len(line) < 30:
        line.append(moves.apply(line[-1], alone.search(line[-1], limits=Limits(3)).move))

    def is_alone(length: int, limits: Limits = many, rules: DrawRules = WCDF) -> bool:
        result = facts(searcher.search(line[length], line[:length], limits=limits, rules=rules))
        return result == facts(alone.search(line[length], line[:length], limits=limits, rules=rules))

    assert [is_alone(length) for length in range(6, 12)] == [True, True, False, False, False, False]
    assert not is_alone(14)  # moves between may have been forced
    assert is_alone(8) and is_alone(8)  # taken back; and asked again
    assert not is_alone(10)
    assert is_alone(12, limits=Limits(nodes=1999)) and is_alone(14)
    assert is_alone(16, rules=DrawRules(4)) and is_alone(18)
    assert not is_alone(20)
    stop = Stop()
    stop.set()
    searcher.search(line[24], line[:24], limits=many, stop=stop)
    assert is_alone(26) and not is_alone(28)
    searcher._last.clear()
    assert is_alone(26) and not is_alone(28)
    line[1] = line[0]  # not the game that it was
    assert is_alone(28)


def pruning(evaluator: Evaluator | None, margins: tuple[float, float] | None = None) -> AlphaBeta:
    searcher = AlphaBeta(evaluator, SearchOptions(quiescence=True, pruning=True))
    if margins is not None:
        scores = [round(each) if evaluator is None else float_words((each, each))[0] for each in margins]
        searcher.memory.context[[at.MARGIN_UP, at.MARGIN_DOWN]] = scores
    return searcher


@pytest.mark.parametrize("name", ["material", "crownhead-1", "blondie"])
def test_no_margin_is_pruned_that_is_wide_enough(name: str) -> None:
    evaluator, fewer = EVALUATORS[name], 0
    wide, own = pruning(evaluator, (1e6, 1e6)), pruning(evaluator)
    plain = AlphaBeta(evaluator, SearchOptions(quiescence=True))
    for position, history in games(9, 7, 60):
        expected = facts(plain.search(position, history, limits=Limits(5)))
        result = facts(wide.search(position, history, limits=Limits(5)))
        assert dataclasses.replace(result, evaluations=expected.evaluations) == expected
        fewer += own.search(position, history, limits=Limits(5)).nodes < 0.9 * expected.nodes
    assert fewer >= 3


def test_margins_are_in_men() -> None:
    evaluator = EVALUATORS["crownhead-1"]
    man = man_value(evaluator.program, evaluator.addresses, float(evaluator.king))
    assert man == pytest.approx(NetworkPlayer("n", genomes(CROWNHEAD, 7, 1, 0.3)[0], 0, CROWNHEAD).man_score())
    expected = [float_words((part * man, 0.0))[0] for part in MARGINS]
    assert pruning(evaluator).memory.context[[at.MARGIN_UP, at.MARGIN_DOWN]].tolist() == expected
    nothing = Evaluator(CROWNHEAD, np.full(CROWNHEAD.weights, np.nan, np.float32))
    assert pruning(nothing).memory.context[at.MARGIN_UP] == float_words((np.inf, 0.0))[0]


MARGINED = dataclasses.replace(CROWNHEAD, margins=True)
PATTERNS = Spec(
    "patterns", "pieces", (), 1.5, piece_difference=True, tables=True, patterns=True, phases=2, margins=True
)


@pytest.mark.parametrize("spec", [MARGINED, PATTERNS], ids=lambda spec: spec.name)
def test_margins_are_genes(spec: Spec) -> None:
    genome = genomes(spec, 3, 1, 0.1)[0]
    without = dataclasses.replace(spec, margins=False)
    plain = Evaluator(without, genome[:-2])
    boards = [position for position, _ in games(4, 7, 60)]
    for up, down in ((0.0, 0.0), (0.5, -0.25), (-2.0, 3.0), (1e30, -1e30)):
        genome[-2:] = up, down
        evaluator = Evaluator(spec, genome)
        assert evaluator.scores(boards, 0) == plain.scores(boards, 0)
        assert facts(AlphaBeta(evaluator).search(boards[0], limits=Limits(4))) == facts(
            AlphaBeta(plain).search(boards[0], limits=Limits(4))
        )
        man = man_value(evaluator.program, evaluator.addresses, float(evaluator.king))
        assert man == man_value(plain.program, plain.addresses, float(plain.king))
        expected = [float_words((part * man, 0.0))[0] for part in naive_network.margins(spec, genome.tolist())]
        result = pruning(evaluator)
        assert result.memory.context[[at.MARGIN_UP, at.MARGIN_DOWN]].tolist() == expected
        given = pruning(plain, tuple(part * man for part in naive_network.margins(spec, genome.tolist())))
        for position, history in games(3, 8, 40):
            one, other = (each.search(position, history, limits=Limits(5)) for each in (result, given))
            assert facts(one) == facts(other)


def test_games_of_players_with_margins_of_their_own() -> None:
    style = SearchOptions(quiescence=True, pruning=True)
    rows = np.repeat(genomes(MARGINED, 3, 1, 0.3), 3, axis=0)
    rows[:, -2:] = [[0.0, 0.0], [2.0, 2.0], [-5.0, 1.0]]
    of_networks = BatchPlayers.of_networks(MARGINED, rows, limits=LIMITS, style=style)
    alone = [NetworkPlayer(str(n), row, 0, MARGINED, None, limits=LIMITS, style=style) for n, row in enumerate(rows)]
    of_players = BatchPlayers.of_players(alone)
    pairs = np.array([(0, 0), (1, 1), (2, 2), (0, 1), (1, 2)])
    together, again = (play_all(field, *pairs.T, keep=True) for field in (of_networks, of_players))
    records = [together.record(game, Position.start()) for game in range(len(pairs))]
    assert [again.record(game, Position.start()) for game in range(len(pairs))] == records
    assert records[4] == match.play(alone[1], alone[2], seed=0)
    assert len({str(record.moves) for record in records}) == len(pairs)


def test_proved_wins_are_won() -> None:
    searcher, plain = AlphaBeta(None, dataclasses.replace(LESS, keeps_table=False)), AlphaBeta(None, SearchOptions())
    proved = 0
    for position, history in games(90, 3, 80):
        result = searcher.search(position, history, limits=Limits(8))
        plies = plies_to_win(result.score)
        if plies is not None:
            proved += 1
            expected = plain.search(position, history, limits=Limits(abs(plies) + 1))
            assert abs(expected.score) >= abs(result.score) and expected.score * result.score > 0
    assert proved >= 5


def test_options_that_exclude_each_other() -> None:
    for wrong, result in (
        ({"blondie": True, "threats": True}, "blondie and threats"),
        ({"blondie": True, "keeps_table": True}, "blondie and keeps_table"),
        ({"equal_depth": True, "keeps_table": True}, "equal_depth and keeps_table"),
        ({"equal_depth": True, "threats": True, "pruning": True}, "equal_depth and pruning"),
        ({"blondie": True, "reductions": True}, "blondie and reductions"),
    ):
        with pytest.raises(InputError, match=result):
            SearchOptions(**wrong)
