"""Traits of games: by hand, mirrored, and against a twin in plain Python."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from game import moves, plain
from game.batch.games import BatchPlayers, index_openings, play_all
from game.bitboard import rotate, squares_of
from game.board import Position
from game.moves import Move
from game.openings import openings
from game.players.basic import MaterialPlayer, RandomPlayer
from game.rules import WCDF
from game.traits import TRAITS, TraitMean, means, measure, measure_moves, sentence

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
