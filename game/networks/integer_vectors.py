"""Vectors of integers for compiled code: the building blocks of `game.networks.integer_kernels`.

Sums of the first layer are vectors of 32 signed 16-bit numbers; sums of other layers are vectors of 16 signed 32-bit
numbers, to each of which four products of bytes are added at a time. Integer sums are the same in any order, so results
are the same on every processor. `DOT` names the instructions for products of bytes; without them nothing here may be
compiled.
"""

from __future__ import annotations

from typing import Any

from game.compiled.jit import DOT, intrinsic, ir, types
from game.networks.vectors import VectorType, call_named, every_lane, lane_by_lane

BYTES = 64
"""Size of a vector."""

_BYTE, _SHORT, _INT = ir.IntType(8), ir.IntType(16), ir.IntType(32)
_SHORTS, _INTS = ir.VectorType(_SHORT, 32), ir.VectorType(_INT, 16)
_HALF = ir.VectorType(_INT, 8)
_FLOATS = ir.VectorType(ir.FloatType(), 16)


_shorts, _ints = VectorType(_SHORTS), VectorType(_INTS)


def _load(builder: Any, address: Any, kind: Any) -> Any:
    return builder.load(builder.inttoptr(address, kind.as_pointer()), align=1)


def _store(builder: Any, address: Any, value: Any) -> None:
    builder.store(value, builder.inttoptr(address, value.type.as_pointer()), align=1)


def _limited(builder: Any, values: Any, largest: int) -> Any:
    for limit, comparison in ((0, "<"), (largest, ">")):
        bound = ir.Constant(values.type, [limit] * values.type.count)
        values = builder.select(builder.icmp_signed(comparison, values, bound), bound, values)
    return values


def _rounded_shift(builder: Any, values: Any, bits: int) -> Any:
    """Divide each lane by 2**bits, rounded to the nearest number, halves up."""
    half, shift = ([number] * values.type.count for number in (1 << bits - 1, bits))
    return builder.ashr(builder.add(values, ir.Constant(values.type, half)), ir.Constant(values.type, shift))


@intrinsic(_shorts(types.int64))
def load(builder: Any, address: Any) -> Any:
    return _load(builder, address, _SHORTS)


@intrinsic(types.void(types.int64, _shorts))
def store(builder: Any, address: Any, vector: Any) -> None:
    _store(builder, address, vector)


add, subtract = lane_by_lane("add", _shorts), lane_by_lane("sub", _shorts)
"""Sums and differences; only the final sum of several terms has to fit into 16 bits."""


@intrinsic(types.void(types.int64, _shorts))
def store_clipped_shorts(builder: Any, address: Any, sums: Any) -> None:
    """Apply the activation `clipped` to 32 sums in steps of 1/1024, and write 32 bytes in steps of 1/128."""
    steps = _limited(builder, _rounded_shift(builder, sums, 3), 127)
    _store(builder, address, builder.trunc(steps, ir.VectorType(_BYTE, 32)))


@intrinsic(_ints(types.int64))
def load_ints(builder: Any, address: Any) -> Any:
    return _load(builder, address, _INTS)


add_ints = lane_by_lane("add", _ints)


@intrinsic(_ints())
def zero_ints(_builder: Any) -> Any:
    return ir.Constant(_INTS, [0] * 16)


@intrinsic(types.int64(types.int64, types.int64, types.int64, types.int64))
def list_active(builder: Any, groups: Any, counted: Any, first: Any, entries: Any) -> Any:
    """Write the places of groups of four bytes that are not all 0, in order, as 32-bit numbers from `entries` on.

    `groups` is the address of 16 groups, of which only those with a bit in `counted` are listed, and `first` is the
    place of the first one. 64 bytes from `entries` on may be overwritten. Returns the address after the last number.
    """
    lanes, none = ir.VectorType(ir.IntType(1), 16), ir.Constant(_INTS, [0] * 16)
    active = builder.icmp_unsigned("!=", _load(builder, groups, _INTS), none)
    active = builder.and_(active, builder.bitcast(builder.trunc(counted, _SHORT), lanes))
    start = every_lane(builder, builder.trunc(first, _INT))
    places = builder.add(start, ir.Constant(_INTS, list(range(0, 64, 4))))
    if DOT == "avx512vnni":
        listed = call_named(builder, "llvm.x86.avx512.mask.compress.v16i32", _INTS, places, none, active)
        _store(builder, entries, listed)
    else:
        target = builder.inttoptr(entries, _INT.as_pointer())
        call_named(builder, "llvm.masked.compressstore.v16i32", ir.VoidType(), places, target, active)
    count = builder.zext(builder.ctpop(builder.bitcast(active, _SHORT)), entries.type)
    return builder.add(entries, builder.shl(count, ir.Constant(entries.type, 2)))


@intrinsic(_ints(types.int64))
def broadcast(builder: Any, address: Any) -> Any:
    """Return four bytes from memory in every lane."""
    return every_lane(builder, _load(builder, address, _INT))


def _assembly(builder: Any, text: str, constraints: str, *arguments: Any) -> Any:
    kind = ir.FunctionType(arguments[0].type, [argument.type for argument in arguments])
    return builder.call(ir.InlineAsm(kind, text, constraints), arguments)


@intrinsic(_ints(_ints, _ints, types.int64))
def add_products(builder: Any, sums: Any, inputs: Any, address: Any) -> Any:
    """Return the sums with four products added to each, of bytes of `inputs` with bytes at the address of weights.

    Inputs are 0 to 127, so two products fit into 16 bits.
    """
    weights = _load(builder, address, _INTS)
    if DOT == "avx512vnni":
        return _assembly(builder, "vpdpbusd $3, $2, $0", "=v,0,v,v", sums, inputs, weights)
    ones = ir.Constant(_HALF, [0x0001_0001] * 8)
    halves = []
    for start in (0, 8):
        lanes = ir.Constant(_HALF, list(range(start, start + 8)))
        parts = (builder.shuffle_vector(vector, vector, lanes) for vector in (inputs, weights))
        pairs = _assembly(builder, "vpmaddubsw $2, $1, $0", "=x,x,x", *parts)
        halves.append(_assembly(builder, "vpmaddwd $2, $1, $0", "=x,x,x", pairs, ones))
    whole = builder.shuffle_vector(*halves, ir.Constant(_INTS, list(range(16))))
    return builder.add(sums, whole)


@intrinsic(types.void(types.int64, _ints))
def store_clipped(builder: Any, address: Any, sums: Any) -> None:
    """Apply the activation `clipped` to 16 sums in steps of 1/8192, and write 16 bytes in steps of 1/128."""
    steps = _limited(builder, _rounded_shift(builder, sums, 6), 127)
    _store(builder, address, builder.trunc(steps, ir.VectorType(_BYTE, 16)))


@intrinsic(types.void(types.int64, _ints))
def store_outputs(builder: Any, address: Any, sums: Any) -> None:
    """Write 16 sums in steps of 1/8192 as floats."""
    step = ir.Constant(_FLOATS, [1 / 8192] * 16)
    _store(builder, address, builder.fmul(builder.sitofp(sums, _FLOATS), step))
