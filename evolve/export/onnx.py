"""An individual as an ONNX model, written without any package: IR version 7, operators of version 13.

The input is what the network sees, float32 of shape (positions, ...) as `game.networks.spec.INPUTS` has it; its page,
docs/export.md, says what stands where. Outputs are float32: `score` (positions, 1), as the kernel has it before the
last activation, of networks that value positions; `results` (positions, 3), the chances of win, draw and loss; `policy`
(positions, 128).

Source: onnx/onnx.proto3 for the messages, docs/Operators.md of ONNX for the operators.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from evolve.export.linear import Linear, finite_genome, linear_layers
from evolve.export.protobuf import data_field, whole_field
from game.errors import InputError
from game.networks.kinds import square_place
from game.networks.spec import INPUTS, POLICIES, VALUES
from game.networks.windows import CELLS, WINDOWS, window_squares

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from game.networks.spec import Spec

IR_VERSION = 7
OPSET = 13

FLOAT, INT64 = 1, 7
"""Types of elements."""
_ACTIVATIONS = {"sigmoid": "Sigmoid", "tanh": "Tanh", "relu": "Relu"}
"""Operators of those that change something."""


def onnx_model(title: str, network: tuple[Spec, NDArray[np.float32], float | None]) -> bytes:
    """The bytes of a model.

    Args:
        title: of the individual.
        network: specification, genome, and the individual's own value of a king if it has one.

    Raises:
        InputError: a weight is no finite number, or an activation has no operator.
    """
    spec, weights, own_king = network
    genome = finite_genome(title, spec, weights)
    king = spec.king if own_king is None else own_king
    graph = _Graph()
    layers = linear_layers(spec, genome)
    unknown = {layer.activation for layer in layers} - {*_ACTIVATIONS, "none"}
    if unknown:
        raise InputError(f"{title}: activation {', '.join(sorted(unknown))} has no operator in ONNX")
    flat = graph.add("Flatten", [spec.input], axis=1)
    kept = [flat]
    for layer in layers[: len(spec.layers)]:
        now = graph.layer(kept[-1], layer)
        if layer.residual:
            now = graph.add("Add", [now, kept[-2]])
        if layer.activation != "none":
            now = graph.add(_ACTIVATIONS[layer.activation], [now])
        kept.append(now)
    heads = [graph.layer(kept[-1], layer) for layer in layers[len(spec.layers) :]]
    outputs: dict[str, tuple[str, int]] = {}
    if spec.heads:
        if spec.heads.value == "wdl":
            chances = graph.add("Softmax", [heads[0]], axis=1)
            difference = graph.constant(np.array([[1], [0], [-1]], np.float32))
            outputs |= {"score": (graph.add("MatMul", [chances, difference]), 1), "results": (chances, 3)}
        elif VALUES[spec.heads.value]:
            outputs["score"] = heads[0], 1
        if POLICIES[spec.heads.policy]:
            outputs["policy"] = heads[-1], POLICIES[spec.heads.policy]
    else:
        outputs["score"] = _score(graph, spec, genome, flat, kept[-1] if spec.layers else "", king), 1
    for name, (made, _) in outputs.items():
        graph.add("Identity", [made], output=name)
    shape: list[int | str] = ["positions", *INPUTS[spec.input]]
    body = graph.message(
        [_value_info(spec.input, shape)],
        [_value_info(name, ["positions", size]) for name, (_, size) in outputs.items()],
    )
    notes = {
        "network": spec.name,
        "king": f"{np.float32(king)!s}",
        "own": f"{spec.own:+}",
        "view": "the side to move" if spec.by_mover else "the side that looks for a move",
    }
    return (
        whole_field(1, IR_VERSION)
        + data_field(2, "crownhead")
        + data_field(6, title)
        + data_field(7, body)
        + data_field(8, data_field(1, "") + whole_field(2, OPSET))
        + b"".join(data_field(14, data_field(1, key) + data_field(2, value)) for key, value in notes.items())
    )


def _score(graph: _Graph, spec: Spec, genome: NDArray[np.float32], flat: str, last: str, king: float) -> str:
    """What stands beside the layers of a network without heads, added to their outputs."""
    size = int(np.prod(INPUTS[spec.input]))
    terms = [last] * bool(last)
    if spec.tables:
        table = spec.parts[0].of(genome).reshape(spec.phases, 2, 32)
        by_kind = np.concatenate([table, -table[:, :, ::-1]], axis=1)
        linear = graph.constant(_by_input(spec, by_kind.reshape(spec.phases, 4, 32)))
        terms.append(graph.add("Gemm", [flat, linear, graph.constant(spec.parts[1].of(genome))]))
    if spec.patterns:
        terms.append(_patterns(graph, spec, genome, flat))
    value = terms[0]
    for term in terms[1:]:
        value = graph.add("Add", [value, term])
    if spec.phases > 1:
        value = _blended(graph, spec, flat, value)
    if spec.piece_difference:
        worth = np.full((size, 1), spec.own, np.float32)
        if spec.by_mover:
            worth = _by_input(spec, np.repeat(np.array([[1, king, -1, -king]], np.float32)[..., None], 32, axis=2))
        value = graph.add("Add", [value, graph.add("MatMul", [flat, graph.constant(worth)])])
    return value


def _by_input(spec: Spec, values: NDArray[Any]) -> NDArray[np.float32]:
    """Values of shape (outputs, 4 kinds, 32 squares) as a matrix behind the flat input, of pieces or of planes."""
    if spec.input == "pieces":
        return np.ascontiguousarray(values.reshape(len(values), 128).T, np.float32)
    board = np.zeros((8, 8, 4, len(values)), np.float32)
    for square in range(32):
        board[square_place(square)] = values[:, :, square].T
    return board.reshape(256, len(values))


def _patterns(graph: _Graph, spec: Spec, genome: NDArray[np.float32], flat: str) -> str:
    """The digits of each window by a product, its value by a look-up, their sum."""
    digits = np.zeros((WINDOWS, 4, 32), np.float32)
    for window, squares in enumerate(window_squares()):
        for place, square in enumerate(squares):
            digits[window, 0, square], digits[window, 2, square] = 3**place, 2 * 3**place
    begins = graph.constant((np.arange(WINDOWS) * CELLS).astype(np.float32))
    cells = graph.add("Gemm", [flat, graph.constant(_by_input(spec, digits)), begins])
    table = spec.pattern_part.of(genome).reshape(spec.phases, WINDOWS * CELLS).T
    places = graph.add("Cast", [graph.add("Round", [cells])], to=INT64)
    found = graph.add("Gather", [graph.constant(np.ascontiguousarray(table)), places], axis=0)
    axes = graph.constant(np.array([1], np.int64))
    return graph.add("ReduceSum", [found, axes], keepdims=0)


def _blended(graph: _Graph, spec: Spec, flat: str, outputs: str) -> str:
    """Each phase counts the more the nearer it is: max(0, 1 - its distance), which is 1 between two neighbours."""
    last = spec.phases - 1
    size = int(np.prod(INPUTS[spec.input]))
    scale = graph.constant(np.full((size, spec.phases), -last / 24, np.float32))
    distance = graph.add("Gemm", [flat, scale, graph.constant(last - np.arange(spec.phases, dtype=np.float32))])
    one = graph.constant(np.ones(1, np.float32))
    shares = graph.add("Relu", [graph.add("Sub", [one, graph.add("Abs", [distance])])])
    axes = graph.constant(np.array([1], np.int64))
    return graph.add("ReduceSum", [graph.add("Mul", [outputs, shares]), axes], keepdims=1)


class _Graph:
    """Nodes and constants, with names as they come."""

    def __init__(self) -> None:
        self._nodes, self._constants = list[bytes](), list[bytes]()

    def add(self, operator: str, inputs: Iterable[str], output: str = "", **attributes: int) -> str:
        """Add a node; returns the name of its output."""
        output = output or f"x{len(self._nodes)}"
        message = b"".join(data_field(1, name) for name in inputs) + data_field(2, output)
        message += data_field(3, output) + data_field(4, operator)
        for name, value in attributes.items():
            message += data_field(5, data_field(1, name) + whole_field(3, value) + whole_field(20, 2))  # an INT
        self._nodes.append(message)
        return output

    def constant(self, values: NDArray[Any]) -> str:
        """Add a constant of float32 or int64; returns its name."""
        name = f"c{len(self._constants)}"
        kind = INT64 if values.dtype == np.int64 else FLOAT
        message = b"".join(whole_field(1, size) for size in values.shape) + whole_field(2, kind)
        data = np.ascontiguousarray(values, "<i8" if kind == INT64 else "<f4").tobytes()
        self._constants.append(message + data_field(8, name) + data_field(9, data))
        return name

    def layer(self, before: str, layer: Linear) -> str:
        """Add a layer without what follows it: a product with one matrix, or with shared blocks of gathered inputs."""
        biases = self.constant(np.resize(layer.biases, layer.outputs))
        block = layer.channels * layer.filters
        out, first, at = layer.taps.T
        places, kernels = layer.outputs // layer.filters, len(layer.weights) // block
        shared = places * kernels * layer.channels + kernels * block
        if shared >= layer.inputs * layer.outputs or kernels == 1:
            matrix = np.zeros((layer.inputs, layer.outputs), np.float32)
            for channel in range(layer.channels):
                for filter_ in range(layer.filters):
                    weights = layer.weights[at + channel * layer.filters + filter_]
                    matrix[first + channel * layer.stride, out + filter_] = weights
            return self.add("Gemm", [before, self.constant(matrix), biases])
        index = np.full((places, kernels, layer.channels), layer.inputs, np.int64)  # the zero behind the inputs
        index[out // layer.filters, at // block] = first[:, None] + layer.stride * np.arange(layer.channels)
        padded = self.add("Pad", [before, self.constant(np.array([0, 0, 0, 1], np.int64))])
        gathered = self.add("Gather", [padded, self.constant(index.reshape(places, -1))], axis=1)
        sums = self.add("MatMul", [gathered, self.constant(layer.weights.reshape(-1, layer.filters))])
        shape = self.constant(np.array([-1, layer.outputs], np.int64))
        return self.add("Add", [self.add("Reshape", [sums, shape]), biases])

    def message(self, inputs: Iterable[bytes], outputs: Iterable[bytes]) -> bytes:
        """The graph."""
        found = b"".join(data_field(1, node) for node in self._nodes) + data_field(2, "network")
        found += b"".join(data_field(5, constant) for constant in self._constants)
        found += b"".join(data_field(11, each) for each in inputs)
        return found + b"".join(data_field(12, each) for each in outputs)


def _value_info(name: str, shape: Iterable[int | str]) -> bytes:
    """Name and shape of an input or output of float32; text stands for a size that is not fixed."""
    sizes = (data_field(2, size) if isinstance(size, str) else whole_field(1, size) for size in shape)
    dimensions = b"".join(data_field(1, each) for each in sizes)
    tensor = whole_field(1, FLOAT) + data_field(2, dimensions)
    return data_field(1, name) + data_field(2, data_field(1, tensor))
