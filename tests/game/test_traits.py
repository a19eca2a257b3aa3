"""Traits of games and values of pieces: by hand, mirrored, and against twins in plain Python."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from evolve.names.registration import register
from game import moves, plain
from game.batch.games import BatchPlayers, index_openings, play_all
from game.bitboard import rotate, squares_of
from game.board import Position
from game.likes import likes, piece_values
from game.moves import Move
from game.networks.named import CNN_247
from game.networks.spec import Spec
from game.openings import openings
from game.players.basic import MaterialPlayer, RandomPlayer
from game.players.network import NetworkPlayer
from game.players.player import PlayerFailure
from game.players.registry import player
from game.rules import WCDF
from game.traits import TRAITS, TraitMean, means, measure, measure_moves, sentence
from tests import naive_network
from tests.game.networks import network_samples

NAMES = [trait.name for trait in TRAITS]
UNKNOWN = math.nan


def played(start: Position, texts: Sequence[str]) -> list[Move]:
    line = []
    for text in texts:
        line.append(moves.parse_move(start, text))
        start = moves.apply(start, line[-1])
    return line


def mirrored(position: Position) -> Position:
    return Position(rotate(position.white), rotate(position.black), rotate(position.kings), 1 - position.side)


def turned(line: Sequence[Move]) -> list[Move]:
    return [
        Move(tuple(33 - square for square in move.path), tuple(33 - square for square in move.captured))
        for move in line
    ]


SHUFFLE = Position.from_fen("B:W25,30,K32:B1,3,K14")
SHUFFLES = ["14-10", "32-27", "10-14", "27-32"] * 10

BACK, CENTRE, RIM = {1, 2, 3, 4}, {14, 15, 18, 19}, {4, 5, 12, 13, 20, 21, 28, 29}
FIRST, LAST = 7, 20


def squares(word: int) -> set[int]:
    return set(squares_of(word))


def twin(start: Position, line: Sequence[Move]) -> NDArray[np.float64]:
    """Measure the traits of a game position by position, with sets of squares."""
    terms: list[list[list[float]]] = [[[] for _ in TRAITS] for _ in range(2)]
    position, numbers, king = start, [0, 0], None
    for move in line:
        side = position.side
        numbers[side] += 1
        seen = position if side == 0 else mirrored(position)
        own, kings = squares(seen.black), squares(seen.kings)
        men = own - kings
        after = plain.apply(position, move)
        total = sum(1 for ply in range(len(line)) if (start.side + ply) % 2 == side)
        if FIRST <= numbers[side] <= LAST <= total:
            mine = terms[side]
            mine[0].append(len(men & BACK))
            mine[1] += [(square - 1) // 4 for square in men]
            mine[2].append(len(squares(position.black | position.white)))
            mine[3].append(len(own & CENTRE))
            mine[4].append(sum(1 if (square - 1) % 4 > 1 else -1 for square in own))
            mine[6].append(len(men & RIM))
            if not move.captured:
                offered = [
                    any(reply.captured for reply in plain.legal_moves(plain.apply(position, other)))
                    for other in plain.legal_moves(position)
                ]
                if any(offered) and not all(offered):
                    mine[5].append(100 * any(reply.captured for reply in plain.legal_moves(after)))
        made = len(squares(after.kings & (after.black, after.white)[side]))
        if king is None and made > len(squares(position.kings & (position.black, position.white)[side])):
            king = side
        position = after
    for side in range(2):
        if king is not None:
            terms[side][7].append(100 * (king == side))
        if numbers[side]:
            terms[side][8].append(numbers[side])
    return np.array([[sum(each) / len(each) if each else math.nan for each in one] for one in terms])


def sample(count: int) -> list[NDArray[np.uint32]]:
    ballots = [opening.moves for opening in openings("three-move")]
    players = BatchPlayers.of_players([RandomPlayer("random", 0), MaterialPlayer("material,seed=1", 1, True)])
    assert players is not None
    numbers = np.random.Generator(np.random.Philox(3))
    sides = numbers.integers(2, size=(2, count))
    rows = numbers.integers(len(ballots), size=count)
    outcomes = play_all(
        players,
        sides[0],
        sides[1],
        openings=index_openings(ballots, Position.start()),
        opening_of=rows,
        rules=WCDF,
        seeds=list(range(count)),
        keep=True,
    )
    assert outcomes.codes is not None
    return outcomes.codes


def line_of(codes: NDArray[np.uint32]) -> list[Move]:
    return [moves.decode(int(code), ply % 2) for ply, code in enumerate(codes)]


@pytest.mark.parametrize("games", [60, pytest.param(200, marks=pytest.mark.check)])
def test_the_kernel_equals_the_twin_and_mirrored_games_are_the_same(games: int) -> None:
    known = np.zeros((2, len(TRAITS)), np.int64)
    for codes in sample(games):
        line = line_of(codes)
        measured = measure(codes)
        np.testing.assert_allclose(measured, twin(Position.start(), line), rtol=1e-12)
        rotated = measure_moves(turned(line), mirrored(Position.start()))
        np.testing.assert_array_equal(rotated, measured[::-1])
        known += np.isfinite(measured)
    assert (known > 30).all(), known  # every trait was compared, for both colours


def test_codes_of_moves() -> None:
    for codes in sample(20):
        assert [moves.encode(move, ply % 2) for ply, move in enumerate(line_of(codes))] == codes.tolist()


def test_games_that_are_too_short_do_not_count() -> None:
    full, short = played(SHUFFLE, SHUFFLES), played(SHUFFLE, SHUFFLES[:38])
    trait = NAMES.index("back-row")
    games = [measure_moves(line, SHUFFLE)[0] for line in (full, full, short)]
    assert means(games)[trait] == TraitMean(2.0, 0.0, 2)
    assert math.isnan(means(games[2:])[trait].value)
    assert means(games)[NAMES.index("length")].games == 3


def test_the_standard_error_of_a_mean() -> None:
    mean = TraitMean.of([1.0, math.nan, 2.0, 3.0])
    assert (mean.value, mean.games) == (2.0, 3)
    assert mean.error == pytest.approx(1 / math.sqrt(3))


def means_of(*, games: int = 20, **values: float) -> list[TraitMean]:
    """Return means in the middle of their ranges, except those given by name, with ``_`` for a hyphen."""
    known = {name.replace("_", "-"): value for name, value in values.items()}
    return [TraitMean(known.get(one.name, (one.low + one.high) / 2), math.nan, games) for one in TRAITS]


def test_a_sentence_names_the_traits_that_stand_out() -> None:
    assert sentence(means_of()) == "Has no trait that stands out."
    some = means_of(back_row=3.4, exchanges=5, wing=2.2)
    assert sentence(some) == "Holds its back row, avoids exchanges, plays on the left wing."
    assert sentence(means_of(wing=-1)) == "Plays on the right wing."
    most = means_of(back_row=3.4, exchanges=5, wing=2.2, centre=0.1, rim=0)  # the furthest three
    assert sentence(most) == "Stays off the edges, holds its back row, avoids exchanges."
    inner, ends = "Has no trait that stands out.", ("Leaves its back row.", "Holds its back row.")
    for value, text in ((1.69, ends[0]), (1.71, inner), (2.59, inner), (2.61, ends[1])):
        assert sentence(means_of(back_row=value)) == text


def test_a_sentence_omits_traits_with_few_games() -> None:
    some = means_of(back_row=3.4, rim=0)
    some[0] = TraitMean(3.4, math.nan, 7)
    assert sentence(some) == "Stays off the edges."
    assert sentence(means_of(games=7)) == ""
    unknown = [TraitMean(math.nan, math.nan, 0)] * len(TRAITS)
    assert sentence(unknown) == ""
    assert len({phrase for trait in TRAITS for phrase in (trait.little, trait.much)}) == 2 * len(TRAITS)


FENS = ("B:W18,24,K10:B12,K22,5", "W:W27,28,K3,14:B9,K29,2", "W:W21:B")
VALUED = [spec for spec in network_samples.SPECS if spec.values]


def worth_twin(spec: Spec, genome: Any, fen: str, king: float, man: float) -> dict[int, float]:
    def black_men(text: str) -> float:
        black, white = (naive_network.output(spec, genome, text, side, king) for side in "BW")
        return (black - white) / 2 / man

    results = {}
    for token in re.findall(r"K?\d+", fen):
        side, *fields = fen.split(":")
        rest = [field[0] + ",".join(each for each in field[1:].split(",") if each != token) for field in fields]
        results[int(token.removeprefix("K"))] = black_men(fen) - black_men(":".join([side, *rest]))
    return results


@pytest.mark.parametrize("spec", network_samples.slowest_in_check(VALUED), ids=network_samples.names(VALUED))
def test_a_piece_is_worth_the_change_of_the_score_without_it(spec: Spec) -> None:
    genome = network_samples.genomes(spec, 7, 1)[0]
    one = NetworkPlayer("one", genome, spec=spec)
    man = one.man_score()
    for fen in FENS[::4]:
        result = piece_values(one, Position.from_fen(fen))
        expected = worth_twin(spec, genome.tolist(), fen, spec.king, man)
        assert result is not None and set(result) == set(expected)
        whole = max(1.0, abs(naive_network.output(spec, genome.tolist(), fen, "B", spec.king)))
        for square, value in expected.items():
            assert result[square] == pytest.approx(value, abs=2e-3 * whole / min(man, 1.0)), (fen, square)


def test_piece_counter_values_pieces_alike_everywhere() -> None:
    position = Position.from_fen("W:W18,24,K10:B12,K22")
    assert piece_values(MaterialPlayer(), position) == {12: 1.0, 22: 1.5, 18: -1.0, 24: -1.0, 10: -1.5}
    result = likes(MaterialPlayer(), position)
    assert result.basis == "Counts pieces: a man 1, a king 1.5, wherever they stand"


def test_network_without_value_of_men_is_not_called_a_counter(own_names: None) -> None:
    register(Path(__file__).parents[2] / "populations")
    genome = network_samples.genomes(CNN_247, 3, 1)[0]
    position = Position.from_fen("W:W18,24,K10:B12,K22")
    champion, faint = player("crownhead-2"), NetworkPlayer("faint", genome)
    assert champion.counts_men and likes(champion, position).men
    values = piece_values(faint, position)
    result = likes(faint, position)
    assert not faint.counts_men and not result.men
    assert max(map(abs, result.values.values())) == 1.0
    ratio = {square: value / result.values[square] for square, value in values.items() if result.values[square]}
    assert max(ratio.values()) == pytest.approx(min(ratio.values()))


def test_a_value_that_is_no_number_is_a_failure() -> None:
    weights = np.full(CNN_247.weights, np.nan, np.float32)
    with pytest.raises(PlayerFailure, match="not a finite number"):
        likes(NetworkPlayer("one", weights), Position.start())


@pytest.mark.parametrize(
    ("name", "basis", "valued"),
    [
        ("crownhead-2", "Judges by pieces, their squares and formations of men; 118,230 weights", True),
        ("crownhead-1", "Judges by pieces and each square by itself; 33 weights", True),
        ("cowan-deep", "Judges by pieces and 8 filters of 5 × 5 squares, then 1 layer; 937 weights", True),
        ("policy", "A policy, which rates moves: judges by 128 units that see all squares, then 7", False),
        ("q-learning", "Judges by 64 units that see all squares, then 4 layers; 4,865 weights", True),
        ("material,depth=4", "Counts pieces", True),
        ("random", "Chooses at random", False),
    ],
)  # fmt: skip
def test_shipped_players_have_descriptions(name: str, basis: str, valued: bool, own_names: None) -> None:
    register(Path(__file__).parents[2] / "populations")
    one = player(name)
    result = likes(one, Position.start())
    assert result.basis.startswith(basis)
    assert len(result.values) == (24 if valued else 0)
    if valued:
        assert all((result.values[square] > 0) == (square < 13) for square in result.values)
        if one.network is None or not one.network[0].by_mover:  # who moves makes no difference
            assert result.values[1] == pytest.approx(-result.values[32], abs=1e-3)
