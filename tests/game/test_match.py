"""Games: matches of two players, and a board on which a game is played."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest

from game import match, moves
from game.board import Position
from game.endings import Reason, draw_reason, is_king_move
from game.errors import InputError
from game.generator import SplitMix64, derive_seed
from game.match import GameRecord
from game.moves import Move, parse_move
from game.networks.named import CNN_247
from game.players.basic import MaterialPlayer, RandomPlayer
from game.players.network import NetworkPlayer
from game.players.player import Choice, Player, PlayerFailure
from game.rules import BLACK, WCDF, WHITE, DrawRules
from tests import naive
from tests.cases import for_each

RANDOM, MATERIAL = RandomPlayer(), MaterialPlayer()
KINGS = Position.from_fen("B:WK15,K23:BK1,K10")
CROWD = Position.from_fen("W:WK15,K23,K30,21,32:BK1,K10,K26,5,6")

RULE_SETS = [
    WCDF,
    DrawRules(repetition=2),
    DrawRules(repetition=4),
    DrawRules(repetition=0),
    DrawRules(repetition=0, quiet_plies=7, men_reset=False),
    DrawRules(repetition=0, quiet_plies=11),
    DrawRules(repetition=3, quiet_plies=0, max_plies=60),
    DrawRules(repetition=0, quiet_plies=0, max_plies=1),
    DrawRules(repetition=3, quiet_plies=80, max_plies=100),
]
NAMES = {"no move": Reason.NO_MOVE, "repetition": Reason.REPETITION, "quiet": Reason.QUIET, "length": Reason.LENGTH}


def network(seed: int, name: str = "network") -> NetworkPlayer:
    weights = np.random.default_rng(seed).uniform(-1, 1, CNN_247.weights).astype(np.float32)
    return NetworkPlayer(name, weights)


@dataclass(frozen=True)
class Scripted(Player):
    """Plays given moves, then the first legal one; notes what it is told."""

    script: tuple[str, ...] = ()
    name: str = "scripted"
    seed: int = 0
    deterministic: bool = True
    seen: list[tuple[Position, tuple[Position, ...]]] = field(default_factory=list)

    def choose(
        self, position: Position, history: Sequence[Position], generator: SplitMix64, rules: DrawRules = WCDF
    ) -> Choice:
        turn = len(self.seen)
        self.seen.append((position, tuple(history)))
        if turn < len(self.script):
            return Choice(parse_move(position, self.script[turn]))
        return Choice(moves.legal_moves(position)[0])


def check_by_twin(record: GameRecord, rules: DrawRules) -> None:
    game = naive.Game(naive.Board.from_fen(record.start.fen()))
    limits = (rules.repetition, rules.quiet_plies, rules.men_reset, rules.max_plies)
    for move in record.moves:
        assert game.ended(*limits) is None
        (turn,) = [turn for turn in naive.turns(game.boards[-1]) if turn.path == move.path]
        assert turn.captured == move.captured
        game.play(turn)
    reason = game.ended(*limits)
    assert reason is not None
    assert NAMES[reason] == record.reason
    loser = game.boards[-1].side
    assert record.result == ({"B": -1, "W": 1}[loser] if reason == "no move" else 0)


@for_each("rules", RULE_SETS)
def test_games_end_like_those_of_the_naive_twin(rules: DrawRules) -> None:
    ends: Counter[Reason] = Counter()
    for start in (Position.start(), KINGS, CROWD):
        for number, (black, white) in enumerate([(RANDOM, RANDOM), (MATERIAL, RANDOM), (network(1), network(2))]):
            record = match.play(black, white, start=start, rules=rules, seed=number)
            check_by_twin(record, rules)
            ends[record.reason] += 1
    if rules.repetition == 2:
        assert ends[Reason.REPETITION]
    if rules.repetition == 0:
        assert ends[Reason.LENGTH if rules.max_plies else Reason.QUIET]


def test_repetition_counts_the_start_and_ends_at_the_limit() -> None:
    shuttle = ("1-6", "6-1") * 10
    other = ("32-27", "27-32") * 10
    start = Position.from_fen("B:WK32:BK1")
    for limit, plies in ((2, 4), (3, 8), (4, 12), (5, 16)):
        record = match.play(Scripted(shuttle), Scripted(other), start=start, rules=DrawRules(repetition=limit))
        assert (len(record.moves), record.reason, record.result) == (plies, Reason.REPETITION, 0)
    record = match.play(Scripted(shuttle), Scripted(other), start=start, rules=DrawRules(0, 13))
    assert (len(record.moves), record.reason) == (13, Reason.QUIET)


def test_no_legal_move_comes_before_every_draw_rule() -> None:
    blocked = Position.from_fen("B:W25,30:B21")
    record = match.play(RANDOM, RANDOM, start=blocked, rules=DrawRules(2, 1, max_plies=1))
    assert (record.result, record.reason, record.moves) == (-1, Reason.NO_MOVE, ())
    record = match.play(RANDOM, RANDOM, start=blocked.mirror())
    assert (record.result, record.reason) == (1, Reason.NO_MOVE)


def test_the_first_rule_that_applies_gives_the_reason() -> None:
    board = Position.from_fen("B:WK32:BK1")
    assert draw_reason([board] * 3, 80, 100, DrawRules(3, 80, max_plies=100)) == Reason.REPETITION
    assert draw_reason([board] * 2, 80, 100, DrawRules(3, 80, max_plies=100)) == Reason.QUIET
    assert draw_reason([board] * 2, 79, 100, DrawRules(3, 80, max_plies=100)) == Reason.LENGTH
    assert draw_reason([board] * 2, 79, 99, DrawRules(3, 80, max_plies=100)) is None
    assert draw_reason([board] * 9, 999, 999, DrawRules(0, 0, max_plies=1000)) is None


def test_a_king_that_comes_back_to_its_square_was_no_man() -> None:
    """The king captures four men in a round trip; a man in its place would have moved for good."""
    before = Position.from_fen("B:W6,7,14,15:BK2")
    after = moves.apply(before, parse_move(before, "2x9x18x11x2"))
    assert after.black == before.black
    assert is_king_move(before, after)
    before = Position.from_fen("B:W32:B1,K5")
    assert not is_king_move(before, moves.apply(before, parse_move(before, "1-6")))
    assert is_king_move(before, moves.apply(before, parse_move(before, "5-9")))
    crowned = Position.from_fen("W:W5,K7:BK32")
    assert not is_king_move(crowned, moves.apply(crowned, parse_move(crowned, "5-1")))


@pytest.mark.parametrize(("result", "text"), [(1, "1-0"), (-1, "0-1"), (0, "1/2-1/2")])
def test_result_as_pdn_writes_it(result: int, text: str) -> None:
    assert GameRecord(Position.start(), (), result, Reason.NO_MOVE).pdn_result == text


def test_players_receive_position_and_history() -> None:
    black, white = Scripted(("11-15", "8-11")), Scripted(("23-19",))
    record = match.play(black, white, rules=DrawRules(max_plies=4))
    boards = [record.start]
    for move in record.moves:
        boards.append(moves.apply(boards[-1], move))
    assert [str(move) for move in record.moves[:2]] == ["11-15", "23-19"]
    for one, side in ((black, BLACK), (white, WHITE)):
        for turn, (position, history) in enumerate(one.seen):
            ply = 2 * turn + side
            assert position == boards[ply]
            assert position.side == side
            assert history == tuple(boards[:ply])


@dataclass(frozen=True)
class Failing(Player):
    """Fails at its third move, or answers with a move that is not legal."""

    illegal: bool
    name: str = "failing"
    seed: int = 0
    deterministic: bool = True
    turns: list[int] = field(default_factory=list)

    def choose(
        self, position: Position, history: Sequence[Position], generator: SplitMix64, rules: DrawRules = WCDF
    ) -> Choice:
        self.turns.append(1)
        if len(self.turns) < 3:
            return Choice(moves.legal_moves(position)[0], evaluations=10)
        if self.illegal:
            return Choice(Move((1, 32)))
        raise PlayerFailure("no more ideas")


@pytest.mark.parametrize("illegal", [True, False])
def test_failing_player_loses(illegal: bool) -> None:
    record = match.play(Failing(illegal), RANDOM)
    assert (record.result, record.reason, len(record.moves), record.evaluations) == (-1, Reason.FAILURE, 4, 20)
    record = match.play(RANDOM, Failing(illegal))
    assert (record.result, record.reason, len(record.moves)) == (1, Reason.FAILURE, 5)


def test_a_failure_of_another_kind_is_not_hidden() -> None:
    class Broken(Scripted):
        def choose(
            self, position: Position, history: Sequence[Position], generator: SplitMix64, rules: DrawRules = WCDF
        ) -> Choice:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        match.play(Broken(), RANDOM)


def played(*texts: str) -> tuple[Move, ...]:
    position, result = Position.start(), []
    for text in texts:
        result.append(parse_move(position, text))
        position = moves.apply(position, result[-1])
    return tuple(result)


def test_an_opening_is_played_first_and_counts_for_the_rules() -> None:
    opening = played("9-13", "21-17", "5-9")
    black, white = Scripted(), Scripted()
    record = match.play(black, white, opening=opening, rules=DrawRules(max_plies=5))
    assert record.moves[:3] == opening
    assert (len(record.moves), record.reason) == (5, Reason.LENGTH)
    assert (len(black.seen), len(white.seen)) == (1, 1)
    assert len(white.seen[0][1]) == 3  # the opening is part of the history


def test_an_opening_that_cannot_be_played() -> None:
    with pytest.raises(InputError, match="opening: 21-17 is not legal"):
        match.play(RANDOM, RANDOM, opening=played("9-13", "21-17")[1:])
    with pytest.raises(InputError, match="before 5-9"):
        match.play(RANDOM, RANDOM, opening=played("9-13", "21-17", "5-9"), rules=DrawRules(max_plies=2))


def test_games_depend_on_the_seed_alone() -> None:
    games = [match.play(RANDOM, RANDOM, seed=seed).moves for seed in range(20)]
    assert len(set(games)) == 20
    np.random.seed(1)  # on purpose: nobody may look there
    assert [match.play(RANDOM, RANDOM, seed=seed).moves for seed in range(20)] == games
    assert match.play(RandomPlayer(seed=1), RANDOM, seed=0).moves != games[0]
    assert match.play(RANDOM, RandomPlayer(seed=1), seed=0).moves != games[0]


def test_each_colour_draws_from_a_stream_of_its_own() -> None:
    seeds = {derive_seed(game, colour, seed) for game in range(9) for colour in (0, 1) for seed in range(9)}
    assert len(seeds) == 9 * 2 * 9


def test_forced_move_draws_no_lot() -> None:
    record = match.play(RANDOM, MATERIAL, seed=5)
    stream = SplitMix64(derive_seed(5, BLACK, 0))
    position = record.start
    for move in record.moves:
        legal = moves.legal_moves(position)
        if position.side == BLACK:
            assert move == (legal[0] if len(legal) == 1 else legal[stream.below(len(legal))])
        position = moves.apply(position, move)


def test_splitmix64_as_published() -> None:
    stream = SplitMix64(1234567)
    assert [stream.next() for _ in range(5)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]
