"""A table that is kept from move to move: games depend on their start, players and limits alone."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from game import match, moves
from game.batch.games import BatchPlayers, play_all
from game.board import Position
from game.errors import InputError
from game.networks.evaluator import Evaluator
from game.networks.shipped import BLONDIE_1741
from game.players.material import MaterialPlayer
from game.players.network import NetworkPlayer
from game.players.protocol import Player
from game.rules import WCDF, DrawRules
from game.search.limits import Limits, SearchOptions
from game.search.protocol import Stop
from game.search.result import SearchResult
from game.search.search import AlphaBeta
from tests.game.networks.network_samples import CROWNHEAD, genomes
from tests.game.search.test_search import games

KEEPING = SearchOptions(threats=True, twofold=True, keeps_table=True, table_bits=8)
LIMITS = Limits(nodes=400)


def players() -> list[Player]:
    """Some that keep their table and one that does not, among them two with one and the same network."""
    found: list[Player] = [MaterialPlayer("m", 3, draws_ties=True, limits=Limits(4), style=KEEPING)]
    for number, spec in enumerate((CROWNHEAD, BLONDIE_1741, CROWNHEAD)):
        style = KEEPING if number else dataclasses.replace(KEEPING, keeps_table=False)
        row = genomes(spec, number % 2, 1, 0.3)[0]
        found.append(NetworkPlayer(str(number), row, 0, spec, None, limits=LIMITS, style=style))
    return found


def test_a_game_is_the_same_in_any_batch_and_order() -> None:
    """Each alone, all together, backwards, and one by one in Python; who plays itself has a table for each side."""
    field = BatchPlayers.of_players(players())
    assert field is not None
    pairs = np.array([(0, 1), (3, 2), (2, 2), (1, 3), (2, 0), (3, 3)])
    for number, (start, _) in enumerate(games(4, 5, 40)):
        rules = DrawRules(3, 30, True, 100) if number % 2 else DrawRules(0, 0, True, 70)  # in circles to the end
        together = play_all(field, *pairs.T, start=start, rules=rules, seeds=range(6), keep=True)
        backwards = play_all(field, *pairs[::-1].T, start=start, rules=rules, seeds=range(6)[::-1], keep=True)
        for game, (black, white) in enumerate(pairs.tolist()):
            record = together.record(game, start)
            assert backwards.record(len(pairs) - 1 - game, start) == record
            assert match.play(players()[black], players()[white], start=start, rules=rules, seed=game) == record
            assert (
                play_all(field, [black], [white], start=start, rules=rules, seeds=[game], keep=True).record(0, start)
                == record
            )


def facts(result: SearchResult) -> SearchResult:
    """All of a result but the time."""
    return dataclasses.replace(result, seconds=0.0)


def test_only_the_game_that_goes_on_has_a_table() -> None:
    """After a move taken back, in another game, under other limits or after a stop a search begins with none."""
    style = dataclasses.replace(KEEPING, table_bits=16)
    network = Evaluator(CROWNHEAD, genomes(CROWNHEAD, 1, 1, 0.3)[0])
    searcher, alone = AlphaBeta(network, style), AlphaBeta(network, dataclasses.replace(style, keeps_table=False))
    line, many = [Position.start()], Limits(nodes=2000)
    while len(line) < 30:
        line.append(moves.apply(line[-1], alone.search(line[-1], limits=Limits(3)).move))

    def is_alone(length: int, limits: Limits = many, rules: DrawRules = WCDF) -> bool:
        """Whether the search after so many moves is one with an empty table."""
        found = facts(searcher.search(line[length], line[:length], limits=limits, rules=rules))
        return found == facts(alone.search(line[length], line[:length], limits=limits, rules=rules))

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
    searcher.forget()
    assert is_alone(26) and not is_alone(28)
    line[1] = line[0]  # not the game that it was
    assert is_alone(28)


def test_options_that_exclude_each_other() -> None:
    for wrong, said in (
        ({"blondie": True, "threats": True}, "blondie and threats"),
        ({"blondie": True, "keeps_table": True}, "blondie and keeps_table"),
        ({"equal_depth": True, "keeps_table": True}, "equal_depth and keeps_table"),
    ):
        with pytest.raises(InputError, match=said):
            SearchOptions(**wrong)
