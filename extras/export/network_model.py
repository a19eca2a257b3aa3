"""An individual as an ONNX model: IR version 7, operator set 13.

The input is float32 of shape (positions, ...), where the dots stand for the shape of the network's input
(`game.networks.spec.INPUTS`; see export.md). Outputs are float32: `score` (positions, 1), if
the network evaluates positions, is the value that the kernel computes before the last activation; `results`
(positions, 3) are the probabilities of win, draw and loss; `policy` has the shape (positions, 128).

Source: docs/Operators.md of ONNX.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from game.errors import InputError
from game.networks.activations import ACTIVATIONS
from game.networks.evaluator import check_weights
from game.networks.kinds import KINDS, square_place
from game.networks.quantised import rounded
from game.networks.spec import INPUTS, POLICIES, VALUES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from game.networks.spec import Spec

IR_VERSION = 7
OPSET = 13


def onnx_model(title: str, network: tuple[Spec, NDArray[np.float32], float | None]) -> bytes:
    """Return the bytes of a model.

    Args:
        network: specification, genome, and the individual's value of a king; None for the specification's value.

    Raises:
        InputError: a weight is not a finite number, or an activation has no operator.
    """
    spec, weights, own_king = network
    if not np.isfinite(check_weights(spec, weights)).all():
        raise InputError(f"{title}: has weights that are not finite numbers, so it cannot be exported")
    genome: NDArray[np.float32] = rounded(spec, check_weights(spec, weights))
    king = spec.king if own_king is None else own_king
    graph = _Graph()
    last = None if spec.heads else len(spec.layers) - 1  # its output is the value, before its activation
    activations = ["none" if number == last else layer.activation for number, layer in enumerate(spec.layers)]
    unknown = {name for name in activations if ACTIVATIONS[name].onnx is None}
    if unknown:
        raise InputError(f"{title}: activation {', '.join(sorted(unknown))} has no operator in ONNX")
    if spec.patterns or spec.phases > 1:
        raise InputError(f"{title}: has patterns or phases, which are not written as ONNX")
    flat = graph.add("Flatten", [spec.input], axis=1)
    values = [flat]
    for number, (layer, activation) in enumerate(zip(spec.layers, activations, strict=True)):
        value = _linear(graph, spec, genome, number, values[-1])
        if layer.residual:
            value = graph.add("Add", [value, values[-2]])
        for step in filter(None, (ACTIVATIONS[activation].onnx or "").split("; ")):
            operator, _, operand = step.partition(" ")
            others = [graph.constant(np.array(float(operand), np.float32))] if operand else []
            value = graph.add(operator, [value, *others])
        values.append(value)
    count = len(spec.layers)
    heads = [_linear(graph, spec, genome, count + head, values[-1]) for head in range(len(spec.head_layers))]
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
        outputs["score"] = _score(graph, spec, genome, flat, values[-1] if spec.layers else "", king), 1
    for name, (computed, _) in outputs.items():
        graph.add("Identity", [computed], output=name)
    body = helper.make_graph(
        graph.nodes,
        "network",
        [helper.make_tensor_value_info(spec.input, TensorProto.FLOAT, ["positions", *INPUTS[spec.input]])],
        [
            helper.make_tensor_value_info(name, TensorProto.FLOAT, ["positions", size])
            for name, (_, size) in outputs.items()
        ],
        graph.constants,
    )
    model = helper.make_model(
        body, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION, producer_name="crownhead"
    )
    model.doc_string = title
    notes = {
        "network": spec.name,
        "king": f"{np.float32(king)!s}",
        "own": f"{spec.own:+}",
        "view": "the side to move" if spec.by_mover else "the side that looks for a move",
    }
    helper.set_model_props(model, notes)
    return bytes(model.SerializeToString())


def _linear(graph: _Graph, spec: Spec, genome: NDArray[np.float32], number: int, before: str) -> str:
    """Add a layer or a head without its activation; return the name of its output.

    A layer with shared weights applies one matrix of its weights to the inputs of each place. It is stored once and
    multiplied by gathered inputs, unless a matrix of all inputs and outputs would be smaller.
    """
    layer, shape, after = spec.joint(number)
    part, bias = spec.layer_parts(number)
    weights, inputs, outputs = part.of(genome).reshape(-1), math.prod(shape), math.prod(after)
    wiring = KINDS[layer.kind].wiring(np.arange(len(weights)).reshape(part.shape), shape, after)
    biases = graph.constant(np.resize(bias.of(genome), outputs))
    filters = after[-1]
    by_place = wiring.reshape(inputs, -1, filters)
    in_rows = np.where(by_place[..., :1] < 0, -1, by_place[..., :1] + np.arange(filters))
    places, rows = outputs // filters, len(weights) // filters
    if not np.array_equal(by_place, in_rows) or rows * (places + filters) >= inputs * outputs:
        matrix = np.where(wiring < 0, 0, weights[wiring]).astype(np.float32)
        return graph.add("Gemm", [before, graph.constant(matrix), biases])
    # Index `inputs` is the zero that Pad appends to the inputs; it is used for rows that a place does not use.
    index = np.full((places, rows), inputs, np.int64)
    used, place = np.nonzero(by_place[..., 0] >= 0)
    index[place, by_place[used, place, 0] // filters] = used
    padded = graph.add("Pad", [before, graph.constant(np.array([0, 0, 0, 1], np.int64))])
    gathered = graph.add("Gather", [padded, graph.constant(index)], axis=1)
    sums = graph.add("MatMul", [gathered, graph.constant(weights.reshape(rows, filters))])
    flat = graph.constant(np.array([-1, outputs], np.int64))
    return graph.add("Add", [graph.add("Reshape", [sums, flat]), biases])


def _score(graph: _Graph, spec: Spec, genome: NDArray[np.float32], flat: str, last: str, king: float) -> str:
    """Add nodes for the tables and the piece difference of a network without heads; return the name of the score."""
    value = last
    if spec.tables:
        table = spec.parts[0].of(genome).reshape(2, 32)
        linear = graph.constant(_by_input(spec, np.concatenate([table, -table[:, ::-1]])))
        value = graph.add("Gemm", [flat, linear, graph.constant(spec.parts[1].of(genome))])
        value = graph.add("Add", [last, value]) if last else value
    if spec.piece_difference:
        worth = np.full((int(np.prod(INPUTS[spec.input])), 1), spec.own, np.float32)
        if spec.by_mover:
            worth = _by_input(spec, np.repeat([[1], [king], [-1], [-king]], 32, axis=1))
        value = graph.add("Add", [value, graph.add("MatMul", [flat, graph.constant(worth)])])
    return value


def _by_input(spec: Spec, values: NDArray[Any]) -> NDArray[np.float32]:
    """Return values of shape (4 kinds, 32 squares) as a column with one for each input, for pieces or planes."""
    if spec.input == "pieces":
        return np.ascontiguousarray(values.reshape(128, 1), np.float32)
    board = np.zeros((8, 8, 4), np.float32)
    for square in range(32):
        board[square_place(square)] = values[:, square]
    return board.reshape(256, 1)


class _Graph:
    """Nodes and constants, named by their numbers."""

    def __init__(self) -> None:
        self.nodes, self.constants = list[Any](), list[Any]()

    def add(self, operator: str, inputs: Iterable[str], output: str = "", **attributes: Any) -> str:
        output = output or f"x{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, list(inputs), [output], name=output, **attributes))
        return output

    def constant(self, values: NDArray[Any]) -> str:
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(values, name))
        return name
