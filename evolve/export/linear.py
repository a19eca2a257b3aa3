"""The layers of a network in a form for other programs: blocks of weights, with the inputs and outputs of each."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from game.errors import InputError
from game.networks.evaluator import check_weights
from game.networks.kinds import KINDS
from game.networks.quantised import rounded

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from game.networks.spec import Spec


@dataclass(frozen=True)
class Linear:
    """A layer, or a head, before its activation.

    The weights are consecutive blocks of shape (channels, filters). A tap (out, in, at) applies the block that begins
    at weight `at` to the inputs in, in + stride, ..., and adds the results to the outputs out, out + 1, ....

    Attributes:
        inputs, outputs: numbers of inputs and outputs, flattened with the last axis fastest.
        weights: float32, one dimension.
        biases: float32; output i has the bias with index i modulo their number.
        taps: int64 of shape (taps, 3).
        channels, stride, filters: as above.
        activation: name of the activation; ``none`` if the output is the value of the network.
        residual: whether the input of the previous layer is added to the output.
    """

    inputs: int
    outputs: int
    weights: NDArray[np.float32]
    biases: NDArray[np.float32]
    taps: NDArray[np.int64]
    channels: int
    stride: int
    filters: int
    activation: str
    residual: bool


def finite_genome(name: str, spec: Spec, weights: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return a genome of a network as other programs use it, after checking that all weights are finite.

    Weights of quantised networks are rounded.

    Raises:
        InputError: a weight is not finite, so other programs might compute different results.
    """
    genome = check_weights(spec, weights)
    if not np.isfinite(genome).all():
        raise InputError(f"{name}: has weights that are not finite numbers, so it cannot be exported")
    used: NDArray[np.float32] = rounded(spec, genome)
    return used


def linear_layers(spec: Spec, genome: NDArray[np.float32]) -> list[Linear]:
    """Return all layers of a network, followed by its heads, which all read the last layer."""
    return [_linear(spec, genome, number) for number in range(len(spec.layers) + len(spec.head_layers))]


def _linear(spec: Spec, genome: NDArray[np.float32], number: int) -> Linear:
    layer, before, after = spec.joint(number)
    part, bias = spec.layer_parts(number)
    index = np.arange(part.stop - part.start).reshape(part.shape)
    wiring = KINDS[layer.kind].wiring(index, before, after)
    filters = after[-1] if _in_steps(wiring.reshape(len(wiring), -1, after[-1]).swapaxes(0, 2), 1) else 1
    starts = wiring[:, ::filters]
    # Try blocks of inputs from large to small: all inputs, the inputs of one place, the four kinds of piece on a square
    # (which are one stride apart), and single inputs.
    together = [(len(wiring), 1), (before[-1], 1), (4, len(wiring) // 4), (1, 1)]
    channels, stride = next(
        (channels, stride)
        for channels, stride in together[: None if len(wiring) % 4 == 0 else 2] + together[-1:]
        if _in_steps(starts.reshape(-1, channels, stride, starts.shape[1]).swapaxes(0, 1), filters)
    )
    first = np.arange(len(wiring)).reshape(-1, channels, stride)[:, 0].reshape(-1)
    rows, places = np.nonzero(starts[first] >= 0)
    taps = np.stack([places * filters, first[rows], starts[first][rows, places]], axis=1)
    valued = number == len(spec.layers) - 1 and not spec.heads
    return Linear(
        math.prod(before),
        math.prod(after),
        part.of(genome).reshape(-1),
        bias.of(genome),
        taps[np.lexsort(taps.T[::-1])],
        channels,
        stride,
        filters,
        "none" if valued or number >= len(spec.layers) else layer.activation,
        layer.residual,
    )


def _in_steps(wiring: NDArray[np.int64], step: int) -> bool:
    """Return whether indexes grow by `step` along the first axis wherever there is a connection."""
    along = np.arange(len(wiring)).reshape(-1, *[1] * (wiring.ndim - 1)) * step
    return bool((wiring == np.where(wiring[:1] < 0, -1, wiring[:1] + along)).all())
