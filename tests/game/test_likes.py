"""What players like: values of pieces and maps of networks beside slow twins, and examples computed by hand."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evolve.names.registration import register
from game import bitboard, moves
from game.board import Position
from game.generator import SplitMix64
from game.likes import Rows, choice_shifts, likes, network_maps, piece_values, take_away
from game.moves import Move
from game.networks.named import CHECKERSAI_247, CNN_247
from game.networks.quantised import rounded
from game.networks.spec import Spec
from game.players.basic import MaterialPlayer
from game.players.network import NetworkPlayer
from game.players.player import Choice, Player, PlayerFailure
from game.players.policy import PolicyPlayer
from game.players.registry import player
from game.rules import BLACK, WCDF, WHITE, DrawRules
from tests import naive_network
from tests.cases import for_each
from tests.game.networks import network_samples
from tests.naive import PLACES

FENS = ("B:W18,24,K10:B12,K22,5", "W:W27,28,K3,14:B9,K29,2", "W:W21:B")
VALUED = [spec for spec in network_samples.SPECS if spec.values]


def twin(spec: Spec, genome: Any, fen: str, king: float, man: float) -> dict[int, float]:
    """Values of pieces by nested loops: pieces are taken out of the text of the position."""

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
    for fen in FENS[::2]:
        result = piece_values(one, Position.from_fen(fen))
        expected = twin(spec, genome.tolist(), fen, spec.king, man)
        assert result is not None and set(result) == set(expected)
        whole = max(1.0, abs(naive_network.output(spec, genome.tolist(), fen, "B", spec.king)))
        for square, value in expected.items():
            assert result[square] == pytest.approx(value, abs=2e-3 * whole / min(man, 1.0)), (fen, square)


def test_piece_counter_values_pieces_alike_everywhere() -> None:
    position = Position.from_fen("W:W18,24,K10:B12,K22")
    assert piece_values(MaterialPlayer(), position) == {12: 1.0, 22: 1.5, 18: -1.0, 24: -1.0, 10: -1.5}
    result = likes(MaterialPlayer(), position, WHITE)
    assert (result.policy, result.maps, result.about) == (False, (), "")
    assert result.basis == "Counts pieces: a man 1, a king 1.5, wherever they stand"


def test_network_without_value_of_men_is_not_called_a_counter(own_names: None) -> None:
    register(Path(__file__).parents[2] / "populations")
    genome = network_samples.genomes(CNN_247, 3, 1)[0]
    position = Position.from_fen("W:W18,24,K10:B12,K22")
    champion, faint = player("crownhead-2"), NetworkPlayer("faint", genome)
    assert champion.counts_men and likes(champion, position, WHITE).men
    values = piece_values(faint, position)
    assert values is not None
    result = likes(faint, position, WHITE)
    assert not faint.counts_men and not result.men
    assert max(map(abs, result.values.values())) == 1.0
    ratio = {square: value / result.values[square] for square, value in values.items() if result.values[square]}
    assert max(ratio.values()) == pytest.approx(min(ratio.values()))


# Policies ---------------------------------------------------------------------------------------------------------


class Likelier(Player):
    """Finds a move twice as likely as the one behind it."""

    name, seed = "likelier", 0

    def choose(
        self, position: Position, history: Sequence[Position], generator: SplitMix64, rules: DrawRules = WCDF
    ) -> Choice:
        return Choice(moves.legal_moves(position)[0])

    def likelihoods(self, position: Position) -> list[tuple[Move, float]]:
        legal = moves.legal_moves(position)
        total = 2 ** len(legal) - 1
        return [(move, 2**at / total) for at, move in enumerate(reversed(legal))]


def test_of_a_policy_the_share_of_its_choice_counts_that_changes() -> None:
    position = Position.from_fen("B:W30:B1,12")  # 1-5, 1-6, 12-16: 4, 2 and 1 sevenths in some order
    before = dict(Likelier().likelihoods(position))
    assert {str(move) for move in before} == {"1-5", "1-6", "12-16"}
    named = {str(move): chance for move, chance in before.items()}
    shifts = choice_shifts(Likelier(), position)
    assert shifts[30] == 0.0
    assert shifts[1] == pytest.approx(1 - named["12-16"])  # what is left is certain
    left = dict(Likelier().likelihoods(take_away(position, 12)))
    expected = (named["12-16"] + sum(abs(before[move] - chance) for move, chance in left.items())) / 2
    assert shifts[12] == pytest.approx(expected)
    result = likes(Likelier(), position, BLACK)
    assert result.policy and result.values == shifts


def test_choice_without_moves_is_empty() -> None:
    assert choice_shifts(Likelier(), Position.from_fen("B:W30:B1")) == {1: 1.0, 30: 0.0}
    assert choice_shifts(Likelier(), Position.from_fen("B:W30:B")) == {}


# Maps of networks -------------------------------------------------------------------------------------------------


def flat(rows: Rows, seen: int) -> list[float]:
    """All numbers of a map, the own back row first."""
    values = [value for row in rows for value in row if value is not None]
    return values if seen == BLACK else values[::-1]


FIRST = [spec for spec in (*network_samples.SPECS, *network_samples.POLICIES, CHECKERSAI_247) if spec.layers]


@for_each("spec", FIRST)
@for_each("fen", FENS[:2])
@for_each("side", [BLACK, WHITE])
def test_maps_of_the_first_layer_are_its_sums(spec: Spec, fen: str, side: int) -> None:
    genome, position = network_samples.genomes(spec, 5, 1)[0], Position.from_fen(fen)
    one = NetworkPlayer("one", genome, spec=spec) if spec.values else PolicyPlayer("one", genome, spec)
    about, maps = network_maps(one, position, side)
    seen = position.side if spec.by_mover else side
    assert about.endswith("seen by Black" if seen == BLACK else "seen by White")
    sums = naive_network.layer_sums(spec, genome.tolist(), fen, "BW"[seen], spec.king)[0]
    layer = spec.layers[0]
    assert len({(len(each.rows), len(each.rows[0])) for each in maps}) == 1
    for each in maps:
        number = int(each.title.split()[1]) - 1 if layer.kind != "subsquares" else 0
        values = flat(each.rows, seen)
        if layer.kind in ("convolution", "diagonal"):
            assert values == pytest.approx(sums[number :: layer.outputs], abs=1e-5)
        elif each.title.startswith("plane"):
            assert values == pytest.approx(sums[32 * number : 32 * number + 32], abs=1e-5)
        elif layer.kind == "dense":
            bias = float(spec.layer_parts(0)[1].of(rounded(spec, genome))[number])
            assert sum(values) + bias == pytest.approx(sums[number], abs=1e-5)
            empty = [square for square in range(1, 33) if square not in pieces(position)]
            assert all(at(each.rows, square) == 0.0 for square in empty)
    if layer.kind == "subsquares":
        parts = naive_network.subsquares()
        assert [each.title[0] for each in maps] == list("345678")
        corner = [sums[part] for part in range(36) if 13 in parts[part]]  # the parts of 3x3 that hold a square
        row, column = PLACES[14] if seen == BLACK else tuple(7 - place for place in PLACES[14])
        assert maps[0].rows[row][column] == pytest.approx(sum(corner) / len(corner), abs=1e-5)
        assert flat(maps[5].rows, seen) == pytest.approx([sums[-1]] * 32, abs=1e-5)


def pieces(position: Position) -> set[int]:
    return set(bitboard.squares_of(position.black | position.white))


def at(rows: Rows, square: int) -> float | None:
    row, column = PLACES[square]
    return rows[row][column]


def test_maps_of_tables_are_blended_by_pieces_and_in_men() -> None:
    spec = Spec("patterns", "pieces", (), piece_difference=True, tables=True, patterns=True, phases=2)
    genome = np.zeros(spec.weights, np.float32)
    table = spec.parts[0].of(genome)
    table[0, 0, 4], table[1, 0, 4] = 0.1, 0.3  # a man on square 5, with 24 pieces and with none
    table[:, 1, 31] = 0.5  # a king on square 32
    cells = spec.pattern_part.of(genome)
    cells[:, 0, 3**4 * 1] = 0.9  # the first window, rows 0 to 3 and columns 0 to 3: a man on its fifth square, 9
    one = NetworkPlayer("one", genome, spec=spec)
    man = one.man_score()
    about, maps = network_maps(one, Position.from_fen("B:WK32,K31,K30,K29,K28,K27:B9"), WHITE)
    assert about == "Its tables, in men, seen by Black"
    men, kings, formations = (each.rows for each in maps)
    assert at(men, 5) == pytest.approx((0.1 * 7 + 0.3 * 17) / 24 / man, rel=1e-5)
    assert (at(men, 6), at(men, 32), at(kings, 32)) == (0.0, None, pytest.approx(0.5 / man))
    assert at(formations, 1) == pytest.approx(0.9 / man)  # in no other window
    assert at(formations, 2) == pytest.approx(0.45 / man)  # in the second one, too
    assert at(formations, 32) == 0.0
    about, turned = network_maps(one, Position.from_fen("W:W24:BK1,K2,K3,K4,K5,K6"), BLACK)
    assert about.endswith("seen by White")
    for mine, other in zip(maps, turned, strict=True):
        assert flat(mine.rows, BLACK) == pytest.approx(flat(other.rows, WHITE))


def test_a_value_that_is_no_number_is_a_failure() -> None:
    weights = np.full(CNN_247.weights, np.nan, np.float32)
    with pytest.raises(PlayerFailure, match="not a finite number"):
        likes(NetworkPlayer("one", weights), Position.start(), BLACK)


# All players ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "basis", "maps", "policy"),
    [
        ("crownhead-2", "Judges by pieces, their squares and formations of men; 118,230 weights", 3, False),
        ("crownhead-1", "Judges by pieces and each square by itself; 33 weights", 1, False),
        ("cowan-deep", "Judges by pieces and 8 filters of 5 × 5 squares, then 1 layer; 937 weights", 8, False),
        ("policy", "A policy, which rates moves: judges by 128 units that see all squares, then 7", 4, True),
        ("q-learning", "Judges by 64 units that see all squares, then 4 layers; 4,865 weights", 8, False),
        ("material,depth=4", "Counts pieces", 0, False),
        ("random", "Chooses at random", 0, True),
    ],
)  # fmt: skip
def test_shipped_players_have_descriptions(name: str, basis: str, maps: int, policy: bool, own_names: None) -> None:
    register(Path(__file__).parents[2] / "populations")
    one = player(name)
    result = likes(one, Position.start(), BLACK)
    assert result.basis.startswith(basis)
    assert (len(result.maps), result.policy) == (maps, policy)
    assert len(result.values) == (0 if name == "random" else 24)
    if not policy:
        assert all((result.values[square] > 0) == (square < 13) for square in result.values)
        if one.network is None or not one.network[0].by_mover:  # who moves makes no difference
            assert result.values[1] == pytest.approx(-result.values[32], abs=1e-3)
