"""Networks, genomes and positions that the tests of networks share; run alone, it prints the golden hashes."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from game.board import Position
from game.generator import SplitMix64
from game.networks.evaluator import Evaluator
from game.networks.named import CHECKERSAI_247, SHIPPED, to_toml
from game.networks.spec import Heads, Layer, Spec
from game.rules import BLACK, WHITE
from tests import naive

Floats = NDArray[np.float32]


def layers(text: str) -> tuple[Layer, ...]:
    """Return layers as tests write them: kind, outputs, size if the kind has one, activation, and + if residual."""
    made = []
    for kind, outputs, *more in map(str.split, text.split(",")):
        size = next((int(word) for word in more if word.isdigit()), 0)
        activation = next(filter(str.isalpha, more), Layer.activation)
        made.append(Layer(kind, int(outputs), size, activation, "+" in more))
    return tuple(made)


TILES = Spec(
    "tiles-of-three",  # 17 inputs to 4 vectors of outputs (3 + 1), these to 7 (3 + 3 + 1); taps odd, even, even
    "squares",
    layers("dense 17 tanh, dense 64 sigmoid, dense 100 relu, dense 1 none"),
    king=3.0,
    piece_difference=True,
)
CROWNHEAD = Spec("crownhead-33", "squares", layers("dense 1 none"), king=1.5, evolving_king=True, piece_difference=True)
"""Of the preset ``crownhead-1``."""

SIGNED = (
    Spec("one-dense", "squares", layers("dense 1 tanh")),
    Spec("one-dense-board", "board", layers("dense 1"), king=1.0, piece_difference=True),
    Spec("one-look", "board", layers("convolution 1 8 none")),
    Spec("convolutions-only", "board", layers("convolution 3 4 tanh, convolution 2 3 relu, convolution 1 3 none")),
    Spec("many-filters", "board", layers("convolution 20 5 relu, convolution 18 3 sigmoid, dense 5 tanh, dense 1"),
         piece_difference=True),
    Spec("odd-taps", "squares", layers("dense 7 none, dense 5 relu, dense 3 tanh, dense 1"), evolving_king=True),
    TILES,
    Spec("parts-only", "squares", layers("subsquares 91 relu, dense 1 none")),
    CHECKERSAI_247,
    replace(CROWNHEAD, name="own-negative", own=-1),
)  # fmt: skip
BY_MOVER = (
    Spec("tables-65", "pieces", (), king=1.5, piece_difference=True, tables=True),
    Spec("tables-586", "pieces", layers("dense 4 relu, dense 1 none"), tables=True),
    Spec("planes-and-phases", "planes", layers("convolution 3 4 relu, dense 3"), evolving_king=True,
         piece_difference=True, tables=True, phases=3),
    Spec("pieces-alone", "pieces", layers("dense 20 tanh, dense 2 tanh"), phases=2),  # two vectors of sums in each half
    Spec("patterns", "pieces", (), tables=True, patterns=True, phases=2),
    Spec("tables-and-margins", "pieces", (), king=1.5, piece_difference=True, tables=True, margins=True),
)  # fmt: skip
"""Networks that see the board as the side to move does, with all that may stand beside their layers."""

RESIDUAL = (
    Spec("diagonals", "squares",  # of 12 outputs: squares have lanes in several vectors
         layers("diagonal 12 tanh, diagonal 12 relu, diagonal 12 tanh +, dense 1 none"), piece_difference=True),
    Spec("residual-tiles", "squares",  # tiles of three vectors and of one, with lanes that are no outputs
         layers("dense 60 tanh, dense 51 sigmoid, dense 60 sigmoid +, dense 51 none +, dense 1 none")),
    Spec("diagonals-by-mover", "pieces",
         layers("diagonal 4 relu, diagonal 48 tanh, diagonal 4 sigmoid +, diagonal 48 relu +, dense 2"),
         tables=True, phases=2),
)  # fmt: skip
"""Networks whose layers add what stood two layers before, and those of dark squares with their neighbours."""

HEADED = (
    Spec("both-heads", "pieces", layers("diagonal 8 relu, diagonal 20 tanh, diagonal 8 relu +"),
         heads=Heads("wdl", "steps")),
    Spec("signed-heads", "squares", layers("dense 30 tanh"), heads=Heads("score", "steps")),
    Spec("chances", "board", layers("convolution 5 4, dense 9"), heads=Heads("wdl")),
)  # fmt: skip
"""Networks with heads, one of which is a value."""

POLICIES = (
    Spec("policy-alone", "pieces", layers("dense 128 none, diagonal 8 relu, diagonal 12 tanh"),
         heads=Heads("none", "steps")),
    Spec("dense-policy", "planes", layers("convolution 3 3 relu"), heads=Heads("none", "steps")),
)  # fmt: skip
"""Networks that say which moves are good, and not what a position is worth."""

QUANTISED = Spec(
    "quantised", "pieces", layers("dense 64 clipped, dense 32 clipped"), heads=Heads("wdl", "steps"), quantised=True
)
ODD = (*SIGNED, *BY_MOVER, *RESIDUAL, *HEADED, QUANTISED)
"""Networks that go through every corner of the compiled program."""

SPECS = (*SHIPPED.values(), *ODD)


SLOWEST = ("diagonals-by-mover", "both-heads")
"""To the plain twins; other samples have each of their parts."""


def slowest_in_check(specs: Any, slowest: Sequence[str] = SLOWEST) -> list[Any]:
    return [pytest.param(spec, marks=pytest.mark.check if spec.name in slowest else ()) for spec in specs]


def names(specs: Any) -> list[str]:
    return [spec.name for spec in specs]


def genomes(spec: Spec, seed: int, count: int, scale: float = 1.0) -> Floats:
    """Weights drawn evenly from -scale to scale; float32 of shape (count, weights)."""
    return np.random.default_rng(seed).uniform(-scale, scale, (count, spec.weights)).astype(np.float32)


def tame(spec: Spec, seed: int) -> Floats:
    """A genome whose sums stay near 1 in all layers, so that 1e-6 is a fair demand of 24 bits."""
    genome = genomes(spec, seed, 1)[0]
    for part in spec.parts[2 * spec.tables :: 2]:
        inputs = math.prod(part.shape[:-1]) if len(part.shape) > 1 else 9
        genome[part.start : part.stop] *= min(1.0, 2 / math.sqrt(inputs))
    return genome


def positions(seed: int, count: int) -> list[Position]:
    return [Position.from_fen(board.fen()) for board in naive.random_boards(Random(seed), count)]


def write_player(folder: Path, name: str, spec: Spec, weights: np.ndarray[tuple[int], np.dtype[np.float32]]) -> None:
    """Write an individual and its network to the files ``name.csv`` and ``name.toml``."""
    columns = ",".join(["names", *(f"w{index}" for index in range(spec.weights))])
    (folder / f"{name}.csv").write_text(f"{columns}\nAnn,{','.join(map(repr, weights.tolist()))}\n", encoding="utf-8")
    (folder / f"{name}.toml").write_text(to_toml(spec), encoding="utf-8")


def words(position: Position, side: int) -> tuple[np.uint64, np.uint64, np.uint64]:
    own, opponent = (position.black, position.white) if side == BLACK else (position.white, position.black)
    return np.uint64(own), np.uint64(opponent), np.uint64(position.kings)


GOLDEN_FENS = """
B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12
B:WK3,K14,K24,K27,K30:BK1,K2,K4,K17,K18,K19,K29,K31
W:WK3,K5,K8,K14,K15,K17,K20,K22,K27:BK10,K12,K13,K16,K21,K24,K28
B:WK7,9,K10,14,17,K18,23,K27:BK1,K24
B:WK6,K9,10,K14,15,K16,K17,18,22,23,25,27:BK11,K13,K29
W:WK13,K29:BK8,9,K10,11,15,K18,19,K22,23,K25,26
W:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,11,12,14
W:W21,22,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,11,12,23
"""


def golden(specs: tuple[Spec, ...] = (*SHIPPED.values(), TILES)) -> str:
    """SHA-256 (hexadecimal) over the scores of fixed genomes and positions, float32 in little-endian bytes."""
    boards = [Position.from_fen(fen) for fen in GOLDEN_FENS.split()]
    digest = hashlib.sha256()
    for spec in specs:
        draws = SplitMix64(spec.weights)
        for scale, king in ((0.2, None), (1.0, 1.7), (30.0, 3.0)):
            drawn = [scale * (draws.below(2**20) / 2**19 - 1) for _ in range(spec.weights)]
            evaluator = Evaluator(spec, drawn, king)
            for side in (BLACK, WHITE):
                digest.update(np.array(evaluator.scores(boards, side), "<f4").tobytes())
    return digest.hexdigest()


if __name__ == "__main__":
    from game.networks import kernels

    result, by_mover = golden(), golden(BY_MOVER)
    code = "".join(kernels.score_positions.inspect_asm().values())  # type: ignore[attr-defined]
    print(result, by_mover, *(f"{word}={word in code}" for word in ("zmm", "ymm", "vfmadd")))
