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


class VectorType(types.Type):
    """Numba's type of a vector, with LLVM's type of it as `kind`."""

    def __init__(self, kind: Any) -> None:
        super().__init__(name=str(kind))
        self.kind = kind


@register_model(VectorType)
class _VectorModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, kind.kind)


_vector = VectorType(_FLOATS)


def _pointer(builder: Any, address: Any, kind: Any) -> Any:
    return builder.inttoptr(address, kind.as_pointer())


def every_lane(builder: Any, scalar: Any) -> Any:
    """Return a scalar in all 16 lanes of a vector."""
    undefined = ir.Constant(ir.VectorType(scalar.type, LANES), ir.Undefined)
    first = builder.insert_element(undefined, scalar, ir.Constant(_INT, 0))
    return builder.shuffle_vector(first, undefined, ir.Constant(_INTS, [0] * LANES))


def call_named(builder: Any, name: str, result: Any, *arguments: Any) -> Any:
    kind = ir.FunctionType(result, [argument.type for argument in arguments])
    return builder.call(builder.module.globals.get(name) or ir.Function(builder.module, kind, name), arguments)


def lane_by_lane(operation: str, kind: Any) -> Any:
    """Make a block that combines two vectors by an instruction of LLVM's builder."""

    @intrinsic(kind(kind, kind))
    def block(builder: Any, left: Any, right: Any) -> Any:
        return getattr(builder, operation)(left, right)

    return block


@intrinsic(_vector(types.int64))
def load(builder: Any, address: Any) -> Any:
    """Return 16 floats from memory, which need only the alignment of a single float."""
    return builder.load(_pointer(builder, address, _FLOATS), align=4)


@intrinsic(types.void(types.int64, _vector))
def store(builder: Any, address: Any, vector: Any) -> None:
    builder.store(vector, _pointer(builder, address, _FLOATS), align=4)


@intrinsic(types.float32(types.int64))
def load_float(builder: Any, address: Any) -> Any:
    return builder.load(_pointer(builder, address, _FLOAT))


@intrinsic(types.void(types.int64, types.float32))
def store_float(builder: Any, address: Any, value: Any) -> None:
    builder.store(value, _pointer(builder, address, _FLOAT))


@intrinsic(_vector(types.int64))
def broadcast(builder: Any, address: Any) -> Any:
    return every_lane(builder, builder.load(_pointer(builder, address, _FLOAT)))


@intrinsic(_vector(types.float32))
def splat(builder: Any, value: Any) -> Any:
    return every_lane(builder, value)


def _limit(comparison: str) -> Any:
    """Make a block that returns `limit` where the comparison with x holds, else x, so that NaN passes through."""

    @intrinsic(_vector(_vector, _vector))
    def block(builder: Any, limit: Any, x: Any) -> Any:
        return builder.select(builder.fcmp_ordered(comparison, limit, x), limit, x)

    return block


add = lane_by_lane("fadd", _vector)
subtract = lane_by_lane("fsub", _vector)
multiply = lane_by_lane("fmul", _vector)
divide = lane_by_lane("fdiv", _vector)
at_most: Any = _limit("<")
at_least: Any = _limit(">")


@intrinsic(_vector(_vector))
def negate(builder: Any, x: Any) -> Any:
    return builder.fneg(x)


@intrinsic(_vector(_vector, _vector, _vector))
def fma(builder: Any, left: Any, right: Any, addend: Any) -> Any:
    """Return left * right + addend, rounded once."""
    return call_named(builder, "llvm.fma.v16f32", _FLOATS, left, right, addend)


@intrinsic(_vector(_vector))
def floor(builder: Any, x: Any) -> Any:
    """Return the largest whole number that is not above x."""
    return call_named(builder, "llvm.floor.v16f32", _FLOATS, x)


@intrinsic(_vector(_vector, _vector))
def scale_by_power(builder: Any, vector: Any, shifted: Any) -> Any:
    """Return vector * 2**n, where `shifted` is n + 1.5 * 2**23: its low bits are those of the integer n."""
    bits = builder.bitcast(vector, _INTS)
    exponent = builder.shl(builder.bitcast(shifted, _INTS), ir.Constant(_INTS, [23] * LANES))
    return builder.bitcast(builder.add(bits, exponent), _FLOATS)


def _constant(value: float) -> Any:
    exact = float(np.float32(value))

    @intrinsic(_vector())
    def block(_builder: Any) -> Any:
        return ir.Constant(_FLOATS, [exact] * LANES)

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
