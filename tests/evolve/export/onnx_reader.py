"""ONNX models read and run with numpy alone: as much of protocol buffers and of the operators as exports use.

The field numbers are those of onnx/onnx.proto3, the operators as docs/Operators.md of ONNX defines them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Fields = dict[int, list[Any]]


def fields(data: bytes) -> Fields:
    """The fields of a message by number: whole numbers, or bytes."""
    found: Fields = {}
    at = 0

    def varint() -> int:
        nonlocal at
        value = shift = 0
        while True:
            value |= (data[at] & 127) << shift
            shift, at = shift + 7, at + 1
            if data[at - 1] < 128:
                return value

    while at < len(data):
        key = varint()
        if key & 7 == 0:
            value: Any = varint()
        else:
            assert key & 7 == 2
            size = varint()
            value, at = data[at : at + size], at + size
        found.setdefault(key >> 3, []).append(value)
    return found


def _gemm(a: Any, b: Any, c: Any) -> Any:
    return a @ b + c


def _pad(values: Any, pads: Any) -> Any:
    return np.pad(values, np.array(pads).reshape(2, -1).T)


def _softmax(values: Any, axis: int) -> Any:
    powers = np.exp(values - values.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


OPERATORS: dict[str, Callable[..., Any]] = {
    "Flatten": lambda x, axis: x.reshape(int(np.prod(x.shape[:axis])), -1),
    "Gemm": _gemm,
    "MatMul": np.matmul,
    "Add": np.add,
    "Sub": np.subtract,
    "Mul": np.multiply,
    "Abs": np.abs,
    "Round": np.round,
    "Relu": lambda x: np.maximum(x, 0),
    "Tanh": np.tanh,
    "Sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "Softmax": _softmax,
    "Cast": lambda x, to: x.astype({1: np.float32, 7: np.int64}[to]),
    "Gather": np.take,
    "Pad": _pad,
    "Reshape": lambda x, shape: x.reshape(shape),
    "ReduceSum": lambda x, axes, keepdims: x.sum(axis=tuple(axes), keepdims=bool(keepdims)),
    "Identity": lambda x: x,
}


def constants(graph: Fields) -> dict[str, Any]:
    found = {}
    for each in map(fields, graph.get(5, [])):
        kind = {1: "<f4", 7: "<i8"}[each[2][0]]
        found[each[8][0].decode()] = np.frombuffer(each[9][0], kind).reshape(each[1])
    return found


def run(model: bytes, values: Any) -> dict[str, Any]:
    """The outputs of a model by name; each has the type and the shape that the model says."""
    whole = fields(model)
    (operators,) = map(fields, whole[8])
    assert (whole[1], operators[2]) == ([7], [13])
    graph = fields(whole[7][0])
    (name, shape), *_ = map(_value_info, graph[11])
    assert list(values.shape[1:]) == shape[1:]
    known = constants(graph) | {name: values}
    for node in map(fields, graph[1]):
        attributes = {each[1][0].decode(): each[3][0] for each in map(fields, node.get(5, []))}
        inputs = [known[each.decode()] for each in node[1]]
        (output,) = node[2]
        known[output.decode()] = OPERATORS[node[4][0].decode()](*inputs, **attributes)
    found = {}
    for name, shape in map(_value_info, graph[12]):
        assert known[name].dtype == np.float32 and known[name].shape == (len(values), *shape[1:])
        found[name] = known[name]
    return found


def _value_info(data: bytes) -> tuple[str, list[Any]]:
    info = fields(data)
    tensor = fields(fields(info[2][0])[1][0])
    assert tensor[1] == [1]  # float32
    sizes = [fields(each) for each in fields(tensor[2][0])[1]]
    return info[1][0].decode(), [each[1][0] if 1 in each else each[2][0].decode() for each in sizes]
