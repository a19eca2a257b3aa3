"""Games in compiled code: the same as one by one, in any batch; each side with its own weights; memory kept."""

from __future__ import annotations

import dataclasses
import itertools
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from game import match, moves
from game.batch import games, kernels
from game.batch.games import BatchPlayers, Outcomes, follow, index_openings, play_all
from game.board import Position
from game.endings import Reason
from game.errors import InputError
from game.generator import SplitMix64
from game.match import GameRecord
from game.networks.named import ANACONDA_5046, BLONDIE_1741, CNN_247
from game.networks.spec import Spec
from game.openings import openings
from game.players.basic import MaterialPlayer, RandomPlayer
from game.players.network import NetworkPlayer
from game.players.player import Choice, Player
from game.rules import MAX_MOVES, WCDF, DrawRules
from game.search.interface import WON, Limits, SearchOptions
from game.search.layout import NO_SCORE, PROVED
from tests.cases import for_each
from tests.game.networks.network_samples import TILES, genomes

START = Position.start()


def networks(
    seed: int, count: int, scale: float = 1.0, spec: Spec = CNN_247, king: float | None = None
) -> list[NetworkPlayer]:
    weights = genomes(spec, seed, count, scale)
    return [NetworkPlayer(f"network-{seed}-{index}", row, 0, spec, king) for index, row in enumerate(weights)]


def searching(
    player: NetworkPlayer | MaterialPlayer, style: SearchOptions, depth: int | None, nodes: int | None
) -> Player:
    return dataclasses.replace(player, limits=Limits(depth, nodes), style=style)


def failing() -> NetworkPlayer:
    (player,) = networks(99, 1)
    player.weights[246] = np.nan
    return player


PLAYERS: list[Player] = [
    RandomPlayer(),
    RandomPlayer("random,seed=7", 7),
    MaterialPlayer(),
    MaterialPlayer("material,seed=0", 0, True),
    MaterialPlayer("material,seed=1", 1, True),
    *networks(1, 3),
    *networks(2, 1, 1e3),
    *networks(2, 1, 0.2, BLONDIE_1741, 1.3),
    *networks(2, 1, 0.2, ANACONDA_5046),
    *networks(2, 1, 1.0, TILES),
    failing(),
]

SMALL = SearchOptions(table_bits=8)
QUIESCENCE = SearchOptions(quiescence=True, table_bits=9)
BLONDIE = SearchOptions(blondie=True, table_bits=8)
SEARCHERS: list[Player] = [
    RandomPlayer(),
    MaterialPlayer(),
    searching(MaterialPlayer(), SMALL, 3, None),
    searching(MaterialPlayer("m", 3, True), QUIESCENCE, 2, None),
    searching(MaterialPlayer(), QUIESCENCE, None, 150),
    searching(networks(1, 1)[0], SMALL, 2, None),
    searching(networks(2, 1)[0], QUIESCENCE, 1, None),
    searching(networks(2, 1, 0.2, BLONDIE_1741, 1.3)[0], BLONDIE, 2, 400),
    searching(networks(2, 1, 0.2, ANACONDA_5046)[0], SMALL, 2, None),
    searching(networks(2, 1, 1.0, TILES)[0], QUIESCENCE, None, 60),
    searching(failing(), SMALL, 2, None),
]

RULE_SETS = {
    "wcdf": WCDF,
    "twofold": DrawRules(repetition=2),
    "fourfold": DrawRules(repetition=4),
    "no repetition": DrawRules(repetition=0),
    "quiet men": DrawRules(repetition=0, quiet_plies=25, men_reset=False),
    "quiet men, twofold": DrawRules(repetition=2, quiet_plies=30, men_reset=False),
    "short": DrawRules(repetition=3, quiet_plies=0, max_plies=40),
    "all": DrawRules(repetition=3, quiet_plies=20, max_plies=90),
}

STARTS = {
    "start": (START, None),
    "two-move ballots": (START, "two-move"),
    "three-move ballots": (START, "three-move"),
    "white begins": (Position.from_fen("W:W32,31,30,29,28,27,26,18,22:B1,2,3,4,5,6,7,15,14"), None),
    "king ending": (Position.from_fen("W:WK15,K23,K30,21:BK1,K10,K26,12"), None),
    "two kings": (Position.from_fen("B:WK32,K27:BK1,K6"), None),
}


def compare(record: GameRecord, other: GameRecord) -> None:
    assert [str(move) for move in record.moves] == [str(move) for move in other.moves]
    assert record == other


GAMES_A_SETTING = 12
LEAST: dict[str, set[Reason]] = {
    "twofold": {Reason.REPETITION, Reason.NO_MOVE, Reason.FAILURE},
    "no repetition": {Reason.QUIET, Reason.NO_MOVE, Reason.FAILURE},
    "quiet men": {Reason.QUIET, Reason.FAILURE},
    "short": {Reason.LENGTH, Reason.FAILURE},
    "all": {Reason.QUIET, Reason.REPETITION, Reason.NO_MOVE, Reason.FAILURE},
}


@pytest.mark.parametrize("name", RULE_SETS)
def test_batches_and_single_games_are_the_same(name: str) -> None:
    reasons = compare_batches(PLAYERS, RULE_SETS[name], list(RULE_SETS).index(name), GAMES_A_SETTING)
    assert LEAST.get(name, set()) <= set(reasons)


@pytest.mark.parametrize("games", [4, pytest.param(12, marks=pytest.mark.check)])
@pytest.mark.parametrize("name", RULE_SETS)
def test_searching_players_play_the_same_in_batches(name: str, games: int) -> None:
    """A search gives the same in Python's loop over depths and in compiled games, with whatever it shares memory."""
    compare_batches(SEARCHERS, RULE_SETS[name], 100 + list(RULE_SETS).index(name), games)


def compare_batches(players: list[Player], rules: DrawRules, seed: int, games_a_start: int) -> Counter[Reason]:
    """Play games from every start in batches and one by one; the reasons why they ended."""
    generator = np.random.default_rng(seed)
    field = BatchPlayers.of_players(players)
    reasons: Counter[Reason] = Counter()
    used: set[int] = set()
    for start, kind in STARTS.values():
        blacks, whites = generator.integers(len(players), size=(2, games_a_start))
        seeds = [int(seed) for seed in generator.integers(2**63, size=games_a_start)]
        ballots = [opening.moves for opening in openings(kind)] if kind else [()]
        rows = generator.integers(len(ballots), size=games_a_start)
        outcomes = play_all(
            field, blacks, whites, start=start, openings=index_openings(ballots, start), opening_of=rows, rules=rules,
            seeds=seeds, keep=True,
        )  # fmt: skip
        for game, (black, white, row, own_seed) in enumerate(zip(blacks, whites, rows, seeds, strict=True)):
            single = match.play(
                players[black], players[white], start=start, opening=ballots[row], rules=rules, seed=own_seed
            )
            compare(outcomes.record(game, start), single)
            assert outcomes.plies[game] == len(single.moves)
            reasons[single.reason] += 1
        used |= {*blacks.tolist(), *whites.tolist()}
    assert used == set(range(len(players)))
    assert reasons.total() == len(STARTS) * games_a_start
    return reasons


def all_pairings(seed: int) -> tuple[BatchPlayers, Any, Any, Any, list[int]]:
    field = BatchPlayers.of_players(PLAYERS)
    blacks, whites = np.array(list(itertools.product(range(len(PLAYERS)), repeat=2))).T
    rows = np.random.default_rng(seed).integers(47, size=len(blacks))
    return field, blacks, whites, rows, [1000 * seed + game for game in range(len(blacks))]


def played(field: BatchPlayers, blacks: Any, whites: Any, rows: Any, seeds: list[int], **more: Any) -> Outcomes:
    table = index_openings([opening.moves for opening in openings("two-move")], START)
    return play_all(field, blacks, whites, openings=table, opening_of=rows, seeds=seeds, keep=True, **more)


def fields(outcomes: Outcomes, game: int) -> tuple[Any, ...]:
    assert outcomes.codes is not None
    columns = (outcomes.results, outcomes.reasons, outcomes.plies, outcomes.evaluations)
    return (*(int(column[game]) for column in columns), outcomes.codes[game].tolist())


@pytest.mark.parametrize("room", [1, 7, 100, 1000])
def test_a_record_that_is_too_small_grows(room: int, limit: Callable[..., None]) -> None:
    field, blacks, whites, rows, seeds = all_pairings(3)
    whole = played(field, blacks, whites, rows, seeds)
    assert whole.plies.max() > 100
    limit(games, "RECORD_PLIES", room)
    tight = played(field, blacks, whites, rows, seeds)
    assert [fields(tight, game) for game in range(len(blacks))] == [fields(whole, game) for game in range(len(blacks))]


def test_no_games_and_unknown_players() -> None:
    assert BatchPlayers.of_players([RandomPlayer(), Foreign()]) is None
    field = BatchPlayers.of_players(PLAYERS)
    outcomes = play_all(field, [], [], keep=True)
    assert (len(outcomes.results), outcomes.codes) == (0, [])


@dataclasses.dataclass(frozen=True)
class Recorder(NetworkPlayer):
    """A player that keeps the score of each of its choices, by the plies played before it."""

    scores: dict[int, float | None] = dataclasses.field(default_factory=dict, compare=False)

    def choose(
        self, position: Position, history: Sequence[Position], generator: SplitMix64, rules: DrawRules = WCDF
    ) -> Choice:
        choice = super().choose(position, history, generator, rules)
        self.scores[len(history)] = choice.score
        return choice


@pytest.mark.parametrize("rules", [WCDF, DrawRules(repetition=0, quiet_plies=0, max_plies=120)], ids=["wcdf", "length"])
@pytest.mark.parametrize(
    "options", [SearchOptions(), SearchOptions(quiescence=True, keeps_table=True)], ids=["plain", "kept"]
)
def test_scores_are_those_of_the_searches(rules: DrawRules, options: SearchOptions) -> None:
    one = Recorder("one", genomes(CNN_247, 3, 1)[0], spec=CNN_247, limits=Limits(depth=3, nodes=300), style=options)
    players = BatchPlayers.of_players([one])
    assert players is not None
    seen = Counter[str]()
    for start in [*(start for start, _ in STARTS.values()), Position.from_fen("W:WK22,K30:B21")]:  # the last is won
        one.scores.clear()
        game = match.play(one, one, start=start, rules=rules)
        outcomes = play_all(players, [0], [0], start=start, rules=rules, keep=True)
        assert outcomes.scores is not None and len(outcomes.scores[0]) == len(game.moves)
        assert outcomes.select(np.array([0, 0])).scores == [outcomes.scores[0]] * 2
        for ply, score in enumerate(outcomes.scores[0].tolist()):
            known = one.scores[ply]
            if known is None:
                assert score == NO_SCORE
                seen["none"] += 1
            elif abs(known) > WON:
                assert abs(score) >= PROVED and (score > 0) == (known > 0)
                seen["proved"] += 1
            else:
                assert np.array(abs(score), np.int32).view(np.float32) == abs(known) and (score < 0) == (known < 0)
                seen["evaluated"] += 1
    assert seen.keys() == {"none", "proved", "evaluated"}


WORD, SINGLE, CODE = np.uint64(0xDEADBEEFDEADBEEF), np.float32(-123456.789), np.uint32(0xDEADBEEF)
PAD = 64


def guarded(size: int) -> tuple[Any, int]:
    whole = np.full(size + 2 * PAD, SINGLE)
    return whole, whole[PAD:].ctypes.data


@for_each("rules", RULE_SETS.values())
@for_each("room", [150, 100_000])
def test_writes_only_to_its_scratch(rules: DrawRules, room: int) -> None:
    field = BatchPlayers.of_players(PLAYERS[:-1])
    blacks, whites = np.array(list(itertools.product(range(len(PLAYERS) - 1), repeat=2))).T.astype(np.int64).copy()
    count, longest = len(blacks), max(rules.quiet_plies, rules.max_plies) + 2
    brains = games._Networks(field, blacks, whites)
    programs = [judge.program for judge in field.evaluators.values()]
    sums, scratch = max(program.sums for program in programs), max(program.scratch for program in programs)
    buffers = [guarded(size) for size in (sums, sums, scratch)]
    rows, seen = np.full((MAX_MOVES + 2, 4), WORD), np.full((4, 3), WORD)
    scores = np.full(MAX_MOVES + 2 * PAD, SINGLE)
    history, answers = np.full((longest + 2, 3), WORD), np.full((longest + 2, 4), -77)
    record = np.full((room + 2, 2), CODE)
    states = np.full((count + 2, 2), WORD)
    states[1:-1] = np.arange(2 * count).reshape(count, 2)
    outcomes = np.full((count + 2, 4), -77)
    start = STARTS["king ending"][0]
    words = np.array([start.black, start.white, start.kings, start.side], np.uint64)
    limits = np.array([rules.repetition, rules.quiet_plies, rules.men_reset, rules.max_plies], np.int64)
    others = (rows[1:].ctypes.data, scores[PAD:].ctypes.data, 0, 0, history[1:].ctypes.data, 0, 0, 0)
    memory = np.array([*(address for _, address in buffers), *others], np.int64)
    searches = np.zeros((len(field.kinds), 11), np.int64)
    inputs = (field.kinds, field.seeded, brains.programs, brains.king_values, searches, blacks, whites, words)
    constant = [*inputs, limits, memory, *(judge.params for judge in field.evaluators.values())]
    before = [array.copy() for array in constant]
    done = kernels.play_games(
        *inputs, np.full((1, 0), -1, np.int16), np.zeros(count, np.int64), states[1:-1], limits, 0, memory,
        scores[PAD:-PAD], seen[1:-1], rows[1:-1], history[1:-1], answers[1:-1], record[1:-1], True,
        outcomes[1:-1],
    )  # fmt: skip
    for whole in (*(whole for whole, _ in buffers), scores):
        assert (whole[:PAD] == SINGLE).all()
        assert (whole[-PAD:] == SINGLE).all()
        assert (whole == SINGLE).all() == (room == 150)  # which ends before the first network plays
    for buffer in (rows, seen, history, states):
        assert (buffer[[0, -1]] == WORD).all()
    assert (record[[0, -1]] == CODE).all()
    for buffer in (outcomes, answers):
        assert (buffer[[0, -1]] == -77).all()
    assert (outcomes[done + 1 + (done < count) :] == -77).all()  # games that were not begun
    assert (record[int(outcomes[1 : done + 1, 2].sum()) + 200 :] == CODE).all() or room == 150
    assert all(array.tobytes() == copy.tobytes() for array, copy in zip(constant, before, strict=True))
    assert done == count if room > 1000 else 0 < done < count


class Foreign(Player):
    """A player that compiled code does not know."""

    name, deterministic, seed = "foreign", True, 0

    def choose(self, *_: Any) -> Choice:
        raise NotImplementedError


@for_each(
    ("arguments", "name"),
    [
        ({"blacks": [0, 3], "whites": [0, 0]}, "blacks"),
        ({"blacks": [0, 0], "whites": [0]}, "whites"),
        ({"blacks": [0, 0], "whites": [0, 0], "opening_of": [1, 0]}, "opening_of"),
        ({"blacks": [0, 0], "whites": [0, 0], "opening_of": [0]}, "opening_of"),
        ({"blacks": [[0, 0]], "whites": [0, 0]}, r"blacks: expected shape \(2,\), got \(1, 2\)"),
        ({"blacks": [0, 1.9], "whites": [0, 0]}, "blacks: expected whole numbers, got float64"),
        ({"blacks": [True, False], "whites": [0, 0]}, "blacks: expected whole numbers, got bool"),
        ({"blacks": np.array([2**63, 0], np.uint64), "whites": [0, 0]}, "blacks: expected indexes from 0 to 2"),
        ({"blacks": [0, 0], "whites": [0, 0], "opening_of": [0.0, 0.5]}, "opening_of: expected whole numbers"),
        ({"blacks": [0, 0], "whites": [0, 0], "seeds": [1]}, "seeds: expected 2, one a game, got 1"),
        ({"blacks": [0], "whites": [0], "openings": np.zeros((1, 2))}, "openings: expected whole numbers in rows"),
        ({"blacks": [0], "whites": [0], "openings": [[0, -2]]}, "openings: expected indexes of moves"),
        ({"blacks": [0], "whites": [0], "openings": [[0, -(2**15) - 1]]}, "openings: expected indexes of moves"),
    ],
)
def test_wrong_batches_are_refused(arguments: dict[str, Any], name: str) -> None:
    field = BatchPlayers.of_networks(CNN_247, np.zeros((3, 247), np.float32))
    with pytest.raises(InputError, match=name):
        play_all(field, **arguments)


@pytest.mark.parametrize(
    ("opening", "rules", "text"),
    [
        ([7, -1, -1], WCDF, "openings: row 1 has move 7 at ply 0, where there are fewer moves"),
        ([0, 0, 50], WCDF, "openings: row 1 has move 50 at ply 2"),
        ([0, 0, 0], DrawRules(max_plies=2), r"the game ends \(maximum length reached\) before ply 2 of row 1"),
        ([0, 0, 0], DrawRules(quiet_plies=1, men_reset=False), r"openings: the game ends \(no capture and"),
    ],
)
def test_unplayable_opening_is_no_failure_of_a_player(opening: list[int], rules: DrawRules, text: str) -> None:
    field = BatchPlayers.of_networks(CNN_247, genomes(CNN_247, 9, 2))
    table = np.array([[0, -1, -1], opening], np.int16)
    assert len(play_all(field, [0, 1], [1, 0], openings=table, rules=rules).results) == 2
    with pytest.raises(InputError, match=text):
        play_all(field, [0, 1, 0], [1, 0, 1], openings=table, opening_of=[0, 0, 1], rules=rules)


@pytest.fixture(scope="module")
def random_games() -> list[np.ndarray]:
    field = BatchPlayers.of_players([RandomPlayer()])
    none = np.zeros(6, np.int64)
    outcomes = play_all(field, none, none, rules=DrawRules(max_plies=90), seeds=list(range(6)), keep=True)
    assert outcomes.codes is not None
    return outcomes.codes


def test_positions_are_those_of_the_moves(random_games: list[np.ndarray]) -> None:
    for codes in random_games:
        rows, indexes = follow(codes, Position.start())
        position = Position.start()
        for ply, (row, index) in enumerate(zip(rows.tolist(), indexes.tolist(), strict=True)):
            seen = position if position.side == 0 else position.mirror()
            assert row[:3] == [seen.black, seen.white, seen.kings]
            after = moves.successors(position)
            assert row[3] == bool(after[0][0].captured)
            assert after[index][0] == moves.decode(int(codes[ply]), position.side)
            position = after[index][1]


def test_codes_of_other_games_are_refused(random_games: list[np.ndarray]) -> None:
    with pytest.raises(InputError, match="at ply 1 is not the code of a legal move"):
        follow(np.array([random_games[0][0], 63], np.uint32), Position.start())
    rows, indexes = follow(random_games[0][:0], Position.start())
    assert (rows.shape, indexes.shape) == ((0, 4), (0,))


def test_lots_among_the_moves_of_openings() -> None:
    generator = np.random.default_rng(5)
    numbers = generator.integers(0, games.LOTS, (40, 30))
    table = np.where(generator.random((40, 30)) < 0.3, games.lots(numbers), -1).astype(np.int16)
    table[:, 0] = generator.integers(0, 7, 40)
    field = BatchPlayers.of_players([MaterialPlayer()])
    outcomes = play_all(field, [0] * 40, [0] * 40, openings=table, opening_of=range(40), keep=True)
    for row, number, codes in zip(table.tolist(), numbers.tolist(), outcomes.codes or (), strict=True):
        position = START
        for entry, lot, code in zip(row, number, codes.tolist(), strict=False):
            legal = moves.successors(position)
            index = next(place for place, (move, _) in enumerate(legal) if move == moves.decode(code, position.side))
            if entry >= 0:
                assert index == entry
            elif entry != -1:
                assert index == lot * len(legal) // games.LOTS
            else:
                assert legal[index][0] == MaterialPlayer().choose(position, (), SplitMix64(0)).move
            position = legal[index][1]
    every = np.array([np.arange(games.LOTS) * 7 // games.LOTS])
    assert np.bincount(every[0]).max() - np.bincount(every[0]).min() <= 1
