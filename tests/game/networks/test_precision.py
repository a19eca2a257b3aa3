"""How near the compiled networks are to plain float64, for any shape and any size of weights.

What is promised: let every sum behind the first layer be off by `SHARE` of the sum of the absolute values of its terms,
and every activation by `SHARE`; then the score is within what these errors add up to at the output. The first layer's
sums have no error at all. A score that is no finite number needs a sum beyond the range of a float.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from game.batch.games import BatchPlayers, play_all
from game.endings import Reason
from game.networks.evaluator import Evaluator
from game.networks.kinds import KINDS
from game.networks.named import SHIPPED
from game.networks.spec import BY_MOVER, Layer, Spec
from game.rules import BLACK, WHITE, DrawRules
from tests import naive_network
from tests.game.networks.network_samples import SPECS, Floats, genomes, names, positions, slowest_in_check

ROUNDING = [spec for spec in SPECS if not spec.quantised]
"""Networks whose sums are rounded; those of quantised networks are exact."""
SHARE = 1e-6
LARGEST = float(np.finfo(np.float32).max)
BOARDS = positions(61, 200)


def steepest(activation: str, sums: NDArray[np.float64], errors: NDArray[np.float64]) -> NDArray[np.float64]:
    nearest = np.minimum(np.maximum(np.abs(sums) - errors, 0.0), 300.0)
    slopes: dict[str, Callable[[], NDArray[np.float64]]] = {
        "none": lambda: np.ones_like(sums),
        "relu": lambda: (sums + errors > 0).astype(float),
        "sigmoid": lambda: 0.25 / np.cosh(nearest / 2) ** 2,
        "tanh": lambda: 1.0 / np.cosh(nearest) ** 2,
    }
    return slopes[activation]()


@dataclass(frozen=True)
class Twin:
    """What float64 says of a position.

    Attributes:
        score: before the last activation.
        error: that is allowed.
        largest: sum of the absolute values of the terms of any sum.
    """

    score: float
    error: float
    largest: float


def twin_of(spec: Spec, genome: Floats, fen: str, side: str, king: float) -> Twin:
    weights = genome.astype(np.float64)
    view = fen[0] if spec.by_mover else side
    layers = naive_network.layer_sums(spec, genome.tolist(), fen, view, king, rounded=True) if spec.layers else [[0.0]]
    errors = np.zeros(len(layers[0]))
    largest = max(abs(total) for total in layers[0])
    kept = []  # outputs of each layer, and how far they may be off
    for number in range(1, len(spec.layers) + bool(spec.heads)):  # of heads only the value matters
        sums, activation = np.array(layers[number - 1]), spec.layers[number - 1].activation
        inputs = np.array([naive_network.ACTIVATIONS[activation](total) for total in sums.tolist()])
        errors = steepest(activation, sums, errors) * errors + SHARE * (activation in ("sigmoid", "tanh"))
        kept.append((inputs, errors))
        part, bias = spec.layer_parts(number)
        layer, before, after = spec.joint(number)
        index = np.arange(part.start, part.stop).reshape(part.shape)
        connected = KINDS[layer.kind].wiring(index, before, after)
        sizes = np.where(connected < 0, 0.0, np.abs(weights[connected]))
        biases = np.resize(np.abs(bias.of(weights)), math.prod(after))
        earlier, off = kept[number - 2] if layer.residual else (np.zeros(1), np.zeros(1))
        absolute = np.abs(inputs) @ sizes + biases + np.abs(earlier)
        errors = errors @ sizes + off + SHARE * absolute
        largest = max(largest, float(absolute.max()))
    score = naive_network.output(spec, genome.tolist(), fen, side, king, rounded=True)
    # The piece difference is added last: one more rounding, of a sum that may be smaller than its terms.
    error = SHARE * (
        2.0 if spec.heads else abs(score)
    )  # a softmax falls no faster than what it is of; chances add to 1
    if spec.by_mover:  # phases are blended, and tables added to what is left: sums like any other
        tables = naive_network.table_sums(spec, genome.tolist(), fen, view, rounded=True) if spec.tables else [0.0]
        terms = max(map(abs, layers[-1])) + max(map(abs, tables)) + 24 * king * spec.piece_difference
        terms += 9 * float(np.abs(weights[-naive_network.PATTERNS :]).max()) * spec.patterns
        error, largest = SHARE * terms, max(largest, terms)
    return Twin(score, float(errors.max()) + error, largest)


def check(spec: Spec, genome: Floats, king: float, board: int) -> tuple[Twin, float]:
    single = float(np.float32(king))
    for side, letter in ((BLACK, "B"), (WHITE, "W")):
        twin = twin_of(spec, genome, BOARDS[board].fen(), letter, single)
        (score,) = Evaluator(spec, genome, king).scores([BOARDS[board]], side)
        if math.isfinite(score):
            assert abs(score - twin.score) <= twin.error, (spec, king, board, side)
        else:
            assert twin.largest > LARGEST / 2, (spec, king, board, side)
    return twin, score


@pytest.mark.parametrize("scale", [*(pytest.param(scale, marks=pytest.mark.check) for scale in (0.1, 30.0)), 1.0, 1e4])
@pytest.mark.parametrize("spec", slowest_in_check(ROUNDING), ids=names(ROUNDING))
def test_as_near_as_promised(spec: Spec, scale: float) -> None:
    for number, genome in enumerate(genomes(spec, 62, 3, scale)):
        twin, score = check(spec, genome, (1.0, 2.0, 2.71)[number % 3], number)
        assert math.isfinite(score)
        assert twin.error > 0 or len(spec.layers) <= 1


@st.composite
def stacks(draw: st.DrawFn) -> Spec:
    activation = st.sampled_from(("none", "sigmoid", "tanh", "relu"))
    entry = draw(st.sampled_from(("board", "squares", "parts", "planes", "pieces")))
    tables = entry in BY_MOVER and draw(st.booleans())
    phases = draw(st.integers(1, 3)) if entry in BY_MOVER else 1
    layers: list[Layer] = []
    rows = 8
    if entry == "parts":
        layers.append(Layer("subsquares", 91, 0, draw(activation)))
    while entry in ("board", "planes") and rows > 1 and len(layers) < 3 and draw(st.booleans()):
        size = draw(st.integers(2, min(rows, 5)))
        layers.append(Layer("convolution", draw(st.integers(1, 6)), size, draw(activation)))
        rows += 1 - size
    while entry in ("squares", "pieces") and len(layers) < 3 and draw(st.booleans()):
        layers.append(Layer("diagonal", draw(st.sampled_from((3, 16))), 0, draw(activation)))
    for units in draw(st.lists(st.integers(1, 60), max_size=3)):
        layers.append(Layer("dense", units, 0, draw(activation)))
    for number in range(2, len(layers)):
        one, other = layers[number], layers[number - 2]
        if one.kind == other.kind != "convolution" and one.outputs == other.outputs and draw(st.booleans()):
            layers[number] = replace(one, residual=True)
    layers.append(Layer("dense", phases, 0, draw(activation)))
    if tables and draw(st.booleans()):
        layers.clear()
    shown, difference = "squares" if entry == "parts" else entry, draw(st.booleans())
    return Spec("drawn", shown, tuple(layers), piece_difference=difference, tables=tables, phases=phases)


@given(
    spec=stacks() | st.sampled_from(tuple(SHIPPED.values())),
    seed=st.integers(0, 2**32 - 1),
    exponents=st.lists(st.floats(-4, 14), min_size=2, max_size=2),
    king=st.floats(1, 3),
    board=st.integers(0, len(BOARDS) - 1),
)
def test_any_stack_with_any_weights(spec: Spec, seed: int, exponents: list[float], king: float, board: int) -> None:
    drawn = np.random.default_rng(seed)
    sizes = 10.0 ** drawn.uniform(min(exponents), max(exponents), len(spec.parts))
    parts = [size * drawn.uniform(-1, 1, math.prod(part.shape)) for part, size in zip(spec.parts, sizes, strict=True)]
    check(spec, np.concatenate(parts).astype(np.float32), king, board)


@pytest.mark.parametrize("units", [4, 5])
def test_sums_beyond_the_range_of_a_float_are_a_failure_and_never_a_win(units: int) -> None:
    """Activations without limits let infinite sums through. Where a vector has weights that are 0 because nothing is
    connected there (an odd number of taps, lanes of a convolution), 0 times infinite is no number: a failure too."""
    hidden = (Layer("dense", units, 0, "relu"), Layer("dense", units, 0, "none"))
    large = Spec("large", "squares", (*hidden, Layer("dense", 3, 0, "none"), Layer("dense", 1)))
    weights = np.concatenate([genomes(large, 64, 6, 1e18), genomes(large, 64, 2, 1.0)])
    field = BatchPlayers.of_networks(large, weights)
    broken, whole = np.repeat(np.arange(6), 2), np.tile([6, 7], 6)
    for blacks, whites, lost in ((broken, whole, -1), (whole, broken, 1)):
        outcomes = play_all(field, blacks, whites, rules=DrawRules(max_plies=60))
        assert (outcomes.reasons == Reason.FAILURE).all()
        assert (outcomes.results == lost).all()
    board = Spec(
        "board",
        "board",
        (Layer("convolution", units, 3, "relu"), Layer("convolution", 2, 3, "none"), Layer("dense", 1)),
    )
    for spec in (large, board):
        scores = [Evaluator(spec, genome).scores(BOARDS[:20], BLACK) for genome in genomes(spec, 65, 8, 1e25)]
        assert not np.isfinite(scores).any()
