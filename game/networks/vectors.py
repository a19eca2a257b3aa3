"""Vectors of 16 floats for compiled code: the building blocks of the network kernels.

Numba has no vector type, so this module adds LLVM's. LLVM turns the same code into one AVX-512, two AVX2 or four NEON
instructions. Every lane is computed on its own and in a fixed order, and multiplications and additions are fused
explicitly or not at all, so results are the same to the bit on every processor. Addresses are raw (int64): bounds are
not checked, and callers own the memory.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from types import FunctionType
from typing import Any

import numpy as np

from game.compiled.jit import Int, inlined, intrinsic, ir, models, register_model, types
from game.networks.activations import ACTIVATIONS, Activation

LANES = 16
BYTES = 4 * LANES

Vector = Any
"""A vector in compiled code."""

_FLOAT = ir.FloatType()
_INT = ir.IntType(32)
_FLOATS = ir.VectorType(_FLOAT, LANES)
_INTS = ir.VectorType(_INT, LANES)


class Floats16(types.Type):
    """Numba's type of a vector."""

    def __init__(self) -> None:
        super().__init__(name="Floats16")


@register_model(Floats16)
class _Floats16Model(models.PrimitiveModel):  # type: ignore[misc]
    """LLVM's view of a vector."""

    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _FLOATS)


_vector = Floats16()


def _pointer(builder: Any, address: Any, kind: Any) -> Any:
    return builder.inttoptr(address, kind.as_pointer())


def _every_lane(builder: Any, scalar: Any) -> Any:
    first = builder.insert_element(ir.Constant(_FLOATS, ir.Undefined), scalar, ir.Constant(_INT, 0))
    return builder.shuffle_vector(first, ir.Constant(_FLOATS, ir.Undefined), ir.Constant(_INTS, [0] * LANES))


def _call(builder: Any, name: str, *arguments: Any) -> Any:
    full = f"llvm.{name}.v{LANES}f32"
    function = builder.module.globals.get(full)
    if function is None:
        function = ir.Function(builder.module, ir.FunctionType(_FLOATS, [_FLOATS] * len(arguments)), full)
    return builder.call(function, arguments)


@intrinsic
def load(_context: Any, address: Any) -> Any:
    """Return 16 floats from memory, which need only the alignment of a single float."""

    def generate(_target: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        value = builder.load(_pointer(builder, arguments[0], _FLOATS))
        value.align = 4
        return value

    return _vector(types.int64), generate


@intrinsic
def store(_context: Any, address: Any, vector: Any) -> Any:
    """Write 16 floats to memory."""

    def generate(target: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        written = builder.store(arguments[1], _pointer(builder, arguments[0], _FLOATS))
        written.align = 4
        return target.get_dummy_value()

    return types.void(types.int64, _vector), generate


@intrinsic
def load_float(_context: Any, address: Any) -> Any:
    """Return one float from memory."""

    def generate(_target: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.load(_pointer(builder, arguments[0], _FLOAT))

    return types.float32(types.int64), generate


@intrinsic
def store_float(_context: Any, address: Any, value: Any) -> Any:
    """Write one float to memory."""

    def generate(target: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        builder.store(arguments[1], _pointer(builder, arguments[0], _FLOAT))
        return target.get_dummy_value()

    return types.void(types.int64, types.float32), generate


@intrinsic
def load_index(_context: Any, address: Any) -> Any:
    """Return one int32 from memory, as int64."""

    def generate(_target: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.sext(builder.load(_pointer(builder, arguments[0], _INT)), ir.IntType(64))

    return types.int64(types.int64), generate


@intrinsic
def broadcast(_context: Any, address: Any) -> Any:
    """Return one float from memory in every lane."""

    def generate(_target: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return _every_lane(builder, builder.load(_pointer(builder, arguments[0], _FLOAT)))

    return _vector(types.int64), generate


@intrinsic
def splat(_context: Any, value: Any) -> Any:
    """Return a float in every lane."""

    def generate(_target: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return _every_lane(builder, arguments[0])

    return _vector(types.float32), generate


def _lane_by_lane(operation: str) -> Any:
    @intrinsic
    def block(_context: Any, left: Any, right: Any) -> Any:
        def generate(_target: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            return getattr(builder, operation)(*arguments)

        return _vector(_vector, _vector), generate

    return block


def _limit(comparison: str) -> Any:
    """Make a block that returns `limit` where the comparison with x holds, else x, so that NaN passes through."""

    @intrinsic
    def block(_context: Any, limit: Any, x: Any) -> Any:
        def generate(_target: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            return builder.select(builder.fcmp_ordered(comparison, *arguments), *arguments)

        return _vector(_vector, _vector), generate

    return block


add = _lane_by_lane("fadd")
subtract = _lane_by_lane("fsub")
multiply = _lane_by_lane("fmul")
divide = _lane_by_lane("fdiv")
at_most: Any = _limit("<")
at_least: Any = _limit(">")


@intrinsic
def negate(_context: Any, x: Any) -> Any:
    """Return -x."""

    def generate(_target: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.fneg(arguments[0])

    return _vector(_vector), generate


@intrinsic
def fma(_context: Any, left: Any, right: Any, addend: Any) -> Any:
    """Return left * right + addend, rounded once."""

    def generate(_target: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return _call(builder, "fma", *arguments)

    return _vector(_vector, _vector, _vector), generate


@intrinsic
def floor(_context: Any, x: Any) -> Any:
    """Return the largest whole number that is not above x."""

    def generate(_target: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return _call(builder, "floor", *arguments)

    return _vector(_vector), generate


@intrinsic
def scale_by_power(_context: Any, vector: Any, shifted: Any) -> Any:
    """Return vector * 2**n, where `shifted` is n + 1.5 * 2**23: its low bits are those of the integer n."""

    def generate(_target: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        bits = builder.bitcast(arguments[0], _INTS)
        exponent = builder.shl(builder.bitcast(arguments[1], _INTS), ir.Constant(_INTS, [23] * LANES))
        return builder.bitcast(builder.add(bits, exponent), _FLOATS)

    return _vector(_vector, _vector), generate


def _constant(value: float) -> Any:
    """Make a block that returns a constant in every lane."""
    exact = float(np.float32(value))

    @intrinsic
    def block(_context: Any) -> Any:
        def generate(_target: Any, _builder: Any, _signature: Any, _arguments: Any) -> Any:
            return ir.Constant(_FLOATS, [exact] * LANES)

        return _vector(), generate

    return block


zero: Any = _constant(0.0)
one = _constant(1.0)
two = _constant(2.0)
minus_one = _constant(-1.0)
_largest = _constant(28.0)
_smallest = _constant(-28.0)
_minus_log2_e = _constant(-1.4426950408889634)
_round = _constant(12582912.0)  # 1.5 * 2**23: adding it leaves an integer in the low bits
_minus_ln2_high = _constant(-0.693359375)  # 9 bits, so its product with an exponent is exact
_minus_ln2_low = _constant(2.12194440054690583e-4)
_c6 = _constant(1 / 720)
_c5 = _constant(1 / 120)
_c4 = _constant(1 / 24)
_c3 = _constant(1 / 6)
_c2 = _constant(1 / 2)


@inlined
def exp_minus(x: Vector) -> Vector:
    """Return e**-x with x clamped to [-28, 28]; the relative error is below 3e-7, and NaN stays NaN.

    -x = n ln 2 + r with |r| <= ln 2 / 2; Taylor series to r**6, whose first omitted term is 1.2e-7 at the ends.
    """
    clamped = at_least(_smallest(), at_most(_largest(), x))
    shifted = fma(clamped, _minus_log2_e(), _round())
    n = subtract(shifted, _round())
    r = fma(n, _minus_ln2_low(), fma(n, _minus_ln2_high(), negate(clamped)))
    series = fma(_c6(), r, _c5())
    series = fma(series, r, _c4())
    series = fma(series, r, _c3())
    series = fma(series, r, _c2())
    series = fma(series, r, one())
    series = fma(series, r, one())
    return scale_by_power(series, shifted)


@inlined
def constant(value: float) -> Vector:
    """Return a number in every lane."""
    return splat(np.float32(value))


@inlined
def reciprocals(a: Vector, b: Vector, c: Vector) -> tuple[Vector, Vector, Vector]:
    """Return 1/a, 1/b, 1/c with a single division, since divisions are slow; the product a*b*c must not overflow."""
    ab = multiply(a, b)
    inverse = divide(one(), multiply(ab, c))
    inverse_ab = multiply(inverse, c)
    return multiply(inverse_ab, b), multiply(inverse_ab, a), multiply(inverse, ab)


def activation_functions(activations: Mapping[str, Activation]) -> tuple[Any, Any]:
    """Compile activations as two functions that choose one by its index in the mapping.

    Returns:
        ``activate(x, number)``, lane by lane, and ``activate_three(a, b, c, number)`` for three vectors of one
        position. Each result of the latter may depend on all three vectors, by a few units of rounding, because they
        may share a division. So vectors of different positions never go through it together.
    """
    numbered = list(enumerate(activations.items()))
    default = _compiled_form(numbered[0][1][1].block, numbered[0][1][0])

    @inlined
    def activate(x: Vector, number: Int) -> Vector:
        return default(x)

    # A chain of comparisons: each function calls the next one unless the number is its own. LLVM inlines all of them.
    for number, (name, activation) in reversed(numbered[1:]):
        activate = _choice(number, _compiled_form(activation.block, name), activate)

    @inlined
    def activate_three(a: Vector, b: Vector, c: Vector, number: Int) -> tuple[Vector, Vector, Vector]:
        return activate(a, number), activate(b, number), activate(c, number)

    for number, (name, activation) in reversed(numbered):
        if activation.three is not None:
            form = _compiled_form(activation.three, f"{name}_three")
            activate_three = _choice_for_three(number, form, activate_three)
    return activate, activate_three


def _compiled_form(form: Any, name: str) -> Any:
    """Compile a form of an activation, in which `v` is this module."""
    function = FunctionType(form.__code__, {"v": sys.modules[__name__]}, name)
    function.__qualname__ = name
    return inlined(function)


def _choice(own: int, form: Any, following: Any) -> Any:
    @inlined
    def activate(x: Vector, number: Int) -> Vector:
        if number == own:
            return form(x)
        return following(x, number)

    return activate


def _choice_for_three(own: int, form: Any, following: Any) -> Any:
    @inlined
    def activate_three(a: Vector, b: Vector, c: Vector, number: Int) -> Any:
        if number == own:
            return form(a, b, c)
        return following(a, b, c, number)

    return activate_three


activate, activate_three = activation_functions(ACTIVATIONS)
