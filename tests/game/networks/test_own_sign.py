"""Networks whose input has own pieces negative: the same to the bit as the first layer's weights negated."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from game.batch.games import BatchPlayers, Outcomes, play_all
from game.networks import named
from game.networks.evaluator import Evaluator
from game.networks.named import ANACONDA_5046, BLONDIE_1741, CHECKERSAI_247, CNN_247, NAMED, by_width
from game.networks.spec import NetworkError, Spec
from game.players.network import NetworkPlayer
from game.rules import BLACK, WHITE
from game.search.interface import Limits, SearchOptions
from tests.cases import for_each
from tests.game.networks.network_samples import CROWNHEAD, TILES, Floats, genomes, names, positions

PLAIN = (CNN_247, BLONDIE_1741, ANACONDA_5046, CROWNHEAD, TILES)
"""With piece difference and without, with evolving kings and without."""


def negated(spec: Spec, weights: Floats) -> Floats:
    """Genomes with all weights of the first layer negated, its biases not: w0..w74 of ``cnn-247``."""
    return np.concatenate([-weights[..., : spec.parts[0].stop], weights[..., spec.parts[0].stop :]], axis=-1)


def test_which_weights_these_are() -> None:
    assert CNN_247.parts[0].stop == 75
    assert (CHECKERSAI_247.own, replace(CHECKERSAI_247, name="cnn-247", own=1)) == (-1, CNN_247)
    assert by_width(247) == CNN_247
    assert NAMED["checkersai-247"] == named.find_network("checkersai-247") == CHECKERSAI_247


@pytest.mark.parametrize("spec", PLAIN, ids=names(PLAIN))
def test_scores_are_the_same_bits(spec: Spec) -> None:
    boards = positions(5, 60)
    for weights in genomes(spec, 4, 3):
        for king in (None, 1.3):
            signed = Evaluator(replace(spec, own=-1), weights, king)
            plain, other = Evaluator(spec, negated(spec, weights), king), Evaluator(spec, weights, king)
            for side in (BLACK, WHITE):
                result = signed.scores(boards, side)
                assert result == plain.scores(boards, side) != other.scores(boards, side)


def test_the_genome_of_a_caller_stays_as_it_was() -> None:
    weights = genomes(CNN_247, 1, 2)
    before = weights.tobytes()
    Evaluator(CHECKERSAI_247, weights[0])
    play_all(BatchPlayers.of_networks(CHECKERSAI_247, weights), [0], [1])
    assert weights.tobytes() == before


def played(field: BatchPlayers | None) -> tuple[list[int], list[bytes]]:
    assert field is not None
    outcomes: Outcomes = play_all(field, [0, 1], [1, 0], keep=True)
    assert outcomes.codes is not None
    return outcomes.evaluations.tolist(), [codes.tobytes() for codes in outcomes.codes]


@for_each("spec", PLAIN)
def test_games_from_kept_sums_are_the_same(spec: Spec) -> None:
    """Of a population, of players, and of players that search; from sums that are updated move by move."""
    weights = genomes(spec, 7, 2, 0.5)
    signed, other = replace(spec, own=-1), negated(spec, weights)
    assert played(BatchPlayers.of_networks(signed, weights)) == played(BatchPlayers.of_networks(spec, other))
    assert played(BatchPlayers.of_networks(signed, weights)) != played(BatchPlayers.of_networks(spec, weights))
    for limits, style in ((Limits(1), SearchOptions()), (Limits(3), SearchOptions(quiescence=True))):

        def players(of: Spec, rows: Floats, how: tuple[Limits, SearchOptions] = (limits, style)) -> BatchPlayers | None:
            return BatchPlayers.of_players([NetworkPlayer("one", row, 0, of, 1.4, *how) for row in rows])

        assert played(players(signed, weights)) == played(players(spec, other))


def test_file_sets_the_own_sign() -> None:
    spec = replace(TILES, own=-1)
    text = named.to_toml(spec)
    assert text.endswith("own = -1\n")
    assert "own" not in named.to_toml(TILES)
    values = {"name": "mine", "input": "squares", "layers": [{"kind": "dense", "units": 1}], "extras": {"own": -1}}
    assert named.from_values(values).own == -1
    for wrong in (0, 2, -1.0, True, "-1"):
        values["extras"] = {"own": wrong}
        with pytest.raises(NetworkError, match=r"extras\.own: expected "):
            named.from_values(values)
