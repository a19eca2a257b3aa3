"""Vectors of integers for compiled code: the building blocks of `game.networks.integer_kernels`.

Sums of the first layer are vectors of 32 signed 16-bit numbers; sums of other layers are vectors of 16 signed 32-bit
numbers, to each of which four products of bytes are added at a time. Integer sums are the same in any order, so results
are the same on every processor. `DOT` names the instructions for products of bytes; without them nothing here may be
compiled.
"""

from __future__ import annotations

from typing import Any

from game.compiled.jit import DOT, intrinsic, ir, models, register_model, types

BYTES = 64
"""Size of a vector."""

_BYTE, _SHORT, _INT = ir.IntType(8), ir.IntType(16), ir.IntType(32)
_SHORTS, _INTS = ir.VectorType(_SHORT, 32), ir.VectorType(_INT, 16)
_HALF = ir.VectorType(_INT, 8)
_FLOATS = ir.VectorType(ir.FloatType(), 16)


class Shorts32(types.Type):
    """Numba's type of a vector of 16-bit numbers."""

    def __init__(self) -> None:
        super().__init__(name="Shorts32")


class Ints16(types.Type):
    """Numba's type of a vector of 32-bit numbers."""

    def __init__(self) -> None:
        super().__init__(name="Ints16")


@register_model(Shorts32)
class _Shorts32Model(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _SHORTS)


@register_model(Ints16)
class _Ints16Model(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _INTS)


_shorts, _ints = Shorts32(), Ints16()


def _load(builder: Any, address: Any, kind: Any) -> Any:
    value = builder.load(builder.inttoptr(address, kind.as_pointer()))
    value.align = 1
    return value


def _store(builder: Any, address: Any, value: Any) -> None:
    builder.store(value, builder.inttoptr(address, value.type.as_pointer())).align = 1


def _call(builder: Any, name: str, result: Any, *arguments: Any) -> Any:
    kind = ir.FunctionType(result, [argument.type for argument in arguments])
    function = builder.module.globals.get(name) or ir.Function(builder.module, kind, name)
    return builder.call(function, arguments)


def _everywhere(builder: Any, value: Any) -> Any:
    undefined = ir.Constant(_INTS, ir.Undefined)
    first = builder.insert_element(undefined, value, ir.Constant(_INT, 0))
    return builder.shuffle_vector(first, undefined, ir.Constant(_INTS, [0] * 16))


def _limited(builder: Any, values: Any, largest: int) -> Any:
    for limit, comparison in ((0, "<"), (largest, ">")):
        bound = ir.Constant(values.type, [limit] * values.type.count)
        values = builder.select(builder.icmp_signed(comparison, values, bound), bound, values)
    return values


def _rounded_shift(builder: Any, values: Any, bits: int) -> Any:
    """Divide each lane by 2**bits, rounded to the nearest number, halves up."""
    half, shift = ([number] * values.type.count for number in (1 << bits - 1, bits))
    return builder.ashr(builder.add(values, ir.Constant(values.type, half)), ir.Constant(values.type, shift))


# Sums of the first layer; named as in `game.networks.vectors`, so that `sum_kernels` works with both ------------------


@intrinsic
def load(_context: Any, address: Any) -> Any:
    """Return 32 numbers of 16 bits from memory."""

    def generate(_target: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return _load(builder, arguments[0], _SHORTS)

    return _shorts(types.int64), generate


@intrinsic
def store(_context: Any, address: Any, vector: Any) -> Any:
    """Write 32 numbers of 16 bits to memory."""

    def generate(target: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        _store(builder, *arguments)
        return target.get_dummy_value()

    return types.void(types.int64, _shorts), generate


@intrinsic
def add(_context: Any, left: Any, right: Any) -> Any:
    """Return left + right; only the final sum of several terms has to fit into 16 bits."""

    def generate(_target: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.add(*arguments)

    return _shorts(_shorts, _shorts), generate


@intrinsic
def subtract(_context: Any, left: Any, right: Any) -> Any:
    """Return left - right."""

    def generate(_target: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.sub(*arguments)

    return _shorts(_shorts, _shorts), generate


@intrinsic
def store_clipped_shorts(_context: Any, address: Any, sums: Any) -> Any:
    """Apply the activation `clipped` to 32 sums in steps of 1/1024, and write 32 bytes in steps of 1/128."""

    def generate(target: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        steps = _limited(builder, _rounded_shift(builder, arguments[1], 3), 127)
        _store(builder, arguments[0], builder.trunc(steps, ir.VectorType(_BYTE, 32)))
        return target.get_dummy_value()

    return types.void(types.int64, _shorts), generate


# Sums of other layers -----------------------------------------------------------------------------------------------


@intrinsic
def load_ints(_context: Any, address: Any) -> Any:
    """Return 16 numbers of 32 bits from memory."""

    def generate(_target: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return _load(builder, arguments[0], _INTS)

    return _ints(types.int64), generate


@intrinsic
def add_ints(_context: Any, left: Any, right: Any) -> Any:
    """Return left + right."""

    def generate(_target: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.add(*arguments)

    return _ints(_ints, _ints), generate


@intrinsic
def zero_ints(_context: Any) -> Any:
    """Return 16 zeros."""

    def generate(_target: Any, _builder: Any, _signature: Any, _arguments: Any) -> Any:
        return ir.Constant(_INTS, [0] * 16)

    return _ints(), generate


@intrinsic
def list_active(_context: Any, groups: Any, counted: Any, first: Any, entries: Any) -> Any:
    """Write the places of groups of four bytes that are not all 0, in order, as 32-bit numbers from `entries` on.

    `groups` is the address of 16 groups, of which only those with a bit in `counted` are listed, and `first` is the
    place of the first one. 64 bytes from `entries` on may be overwritten. Returns the address after the last number.
    """

    def generate(_target: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        address, counted, first, entries = arguments
        lanes, none = ir.VectorType(ir.IntType(1), 16), ir.Constant(_INTS, [0] * 16)
        active = builder.icmp_unsigned("!=", _load(builder, address, _INTS), none)
        active = builder.and_(active, builder.bitcast(builder.trunc(counted, _SHORT), lanes))
        start = _everywhere(builder, builder.trunc(first, _INT))
        places = builder.add(start, ir.Constant(_INTS, list(range(0, 64, 4))))
        if DOT == "avx512vnni":
            listed = _call(builder, "llvm.x86.avx512.mask.compress.v16i32", _INTS, places, none, active)
            _store(builder, entries, listed)
        else:
            target = builder.inttoptr(entries, _INT.as_pointer())
            _call(builder, "llvm.masked.compressstore.v16i32", ir.VoidType(), places, target, active)
        count = builder.zext(builder.ctpop(builder.bitcast(active, _SHORT)), entries.type)
        return builder.add(entries, builder.shl(count, ir.Constant(entries.type, 2)))

    return types.int64(types.int64, types.int64, types.int64, types.int64), generate


@intrinsic
def broadcast(_context: Any, address: Any) -> Any:
    """Return four bytes from memory in every lane."""

    def generate(_target: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return _everywhere(builder, _load(builder, arguments[0], _INT))

    return _ints(types.int64), generate


def _assembly(builder: Any, text: str, constraints: str, *arguments: Any) -> Any:
    kind = ir.FunctionType(arguments[0].type, [argument.type for argument in arguments])
    return builder.call(ir.InlineAsm(kind, text, constraints), arguments)


def _add_products(builder: Any, sums: Any, inputs: Any, weights: Any) -> Any:
    """Add products of four pairs of bytes to each sum; inputs are 0 to 127, so two products fit into 16 bits."""
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


@intrinsic
def add_products(_context: Any, sums: Any, inputs: Any, weights: Any) -> Any:
    """Return the sums with four products added to each, of bytes of `inputs` with bytes at the address `weights`."""

    def generate(_target: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        vector = _load(builder, arguments[2], _INTS)
        return _add_products(builder, arguments[0], arguments[1], vector)

    return _ints(_ints, _ints, types.int64), generate


@intrinsic
def store_clipped(_context: Any, address: Any, sums: Any) -> Any:
    """Apply the activation `clipped` to 16 sums in steps of 1/8192, and write 16 bytes in steps of 1/128."""

    def generate(target: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        steps = _limited(builder, _rounded_shift(builder, arguments[1], 6), 127)
        _store(builder, arguments[0], builder.trunc(steps, ir.VectorType(_BYTE, 16)))
        return target.get_dummy_value()

    return types.void(types.int64, _ints), generate


@intrinsic
def store_outputs(_context: Any, address: Any, sums: Any) -> Any:
    """Write 16 sums in steps of 1/8192 as floats."""

    def generate(target: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        step = ir.Constant(_FLOATS, [1 / 8192] * 16)
        _store(builder, arguments[0], builder.fmul(builder.sitofp(arguments[1], _FLOATS), step))
        return target.get_dummy_value()

    return types.void(types.int64, _ints), generate
