"""What players like: values of pieces beside a slow twin, and examples computed by hand."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evolve.names.registration import register
from game.board import Position
from game.likes import likes, piece_values
from game.networks.named import CNN_247
from game.networks.spec import Spec
from game.players.basic import MaterialPlayer
from game.players.network import NetworkPlayer
from game.players.player import PlayerFailure
from game.players.registry import player
from tests import naive_network
from tests.game.networks import network_samples

FENS = ("B:W18,24,K10:B12,K22,5", "W:W27,28,K3,14:B9,K29,2", "W:W21:B")
VALUED = [spec for spec in network_samples.SPECS if spec.values]


def twin(spec: Spec, genome: Any, fen: str, king: float, man: float) -> dict[int, float]:
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
        expected = twin(spec, genome.tolist(), fen, spec.king, man)
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
    assert values is not None
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
