"""Each block of vectors against a twin that goes lane by lane in numpy; the activations against the math module."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from game.bits import load_int
from game.compiled.jit import Array, Float, Int, compiled
from game.networks import vectors as v
from game.networks.activations import ACTIVATIONS
from game.networks.evaluator import ACTIVATION_NUMBER
from tests.game.networks.network_samples import Floats
from tests.naive_network import ACTIVATIONS as FUNCTIONS

pytestmark = pytest.mark.check
"""These kernels take seconds to compile; every run compares whole networks, which are made of these blocks."""

TINY, HUGE = np.finfo(np.float32).tiny, np.finfo(np.float32).max
SPECIAL = [0.0, -0.0, 1.0, -1.0, 1e-45, -1e-45, TINY, -TINY, HUGE, -HUGE, 0.1, -0.1, 3e38, 1e-30, 2.0**23, -(2.0**24)]
BROKEN = [math.nan, math.inf, -math.inf]
ONE = ("exp_minus", "negate", "constant", *ACTIVATIONS)
TWO = ("add", "subtract", "multiply", "divide", "at_most", "at_least", "scale_by_power")


@compiled
def run_one(block: Int, count: Int, x: Int, out: Int) -> None:
    for at in range(0, count * v.BYTES, v.BYTES):
        a = v.load(x + at)
        if block == 0:
            v.store(out + at, v.exp_minus(a))
        elif block == 1:
            v.store(out + at, v.negate(a))
        elif block == 2:
            v.store(out + at, v.constant(0.1))
        else:
            v.store(out + at, v.activate(a, block - 3))


@compiled
def run_two(block: Int, count: Int, x: Int, y: Int, out: Int) -> None:
    for at in range(0, count * v.BYTES, v.BYTES):
        a, b = v.load(x + at), v.load(y + at)
        if block == 0:
            v.store(out + at, v.add(a, b))
        elif block == 1:
            v.store(out + at, v.subtract(a, b))
        elif block == 2:
            v.store(out + at, v.multiply(a, b))
        elif block == 3:
            v.store(out + at, v.divide(a, b))
        elif block == 4:
            v.store(out + at, v.at_most(a, b))
        elif block == 5:
            v.store(out + at, v.at_least(a, b))
        else:
            v.store(out + at, v.scale_by_power(a, b))


@compiled
def run_fma(count: Int, x: Int, y: Int, z: Int, out: Int) -> None:
    for at in range(0, count * v.BYTES, v.BYTES):
        v.store(out + at, v.fma(v.load(x + at), v.load(y + at), v.load(z + at)))


@compiled
def run_three(activation: Int, count: Int, x: Int, y: Int, z: Int, out: Int) -> None:
    """Apply an activation to three vectors at a time; the results lie behind each other."""
    step = count * v.BYTES
    for at in range(0, step, v.BYTES):
        a, b, c = v.load(x + at), v.load(y + at), v.load(z + at)
        a, b, c = v.activate_three(a, b, c, activation)
        v.store(out + at, a)
        v.store(out + step + at, b)
        v.store(out + 2 * step + at, c)


@compiled
def run_memory(x: Int, indexes: Int, value: Float, out: Int, result: Array) -> None:
    v.store(out, v.load(x))
    v.store(out + v.BYTES, v.broadcast(x + 8))
    v.store(out + 2 * v.BYTES, v.splat(value))
    v.store(out + 3 * v.BYTES, v.zero())
    v.store(out + 4 * v.BYTES, v.one())
    v.store(out + 5 * v.BYTES, v.two())
    v.store(out + 6 * v.BYTES, v.splat(v.load_float(x + 12)))
    v.store_float(out + 7 * v.BYTES, value)
    result[0], result[1] = load_int(indexes), load_int(indexes + 4)


def padded(values: Any) -> Floats:
    flat = np.asarray(values, np.float32).ravel()
    return np.concatenate([flat, np.ones(-len(flat) % v.LANES, np.float32)])


def one(block: int, values: Any) -> Floats:
    x = padded(values)
    out = np.full_like(x, -77)
    run_one(block, len(x) // v.LANES, x.ctypes.data, out.ctypes.data)
    return out[: np.size(values)]


def by_name(name: str, values: Any) -> Floats:
    return one(ONE.index(name), values)


def two(name: str, left: Any, right: Any) -> Floats:
    x, y = padded(left), padded(right)
    out = np.full_like(x, -77)
    run_two(TWO.index(name), len(x) // v.LANES, x.ctypes.data, y.ctypes.data, out.ctypes.data)
    return out[: np.size(left)]


def three(activation: int, a: Any, b: Any, c: Any) -> Floats:
    """Float32 of shape (3, values)."""
    x, y, z = padded(a), padded(b), padded(c)
    out = np.full(3 * len(x), -77, np.float32)
    run_three(activation, len(x) // v.LANES, x.ctypes.data, y.ctypes.data, z.ctypes.data, out.ctypes.data)
    return out.reshape(3, -1)[:, : np.size(a)]


def same_bits(result: Floats, expected: Floats) -> None:
    assert result.dtype == expected.dtype == np.float32
    numbers = ~np.isnan(expected)
    assert (np.isnan(result) == ~numbers).all()
    assert (result.view(np.int32) == expected.view(np.int32))[numbers].all()


def pairs(seed: int) -> tuple[Floats, Floats]:
    special = np.array(SPECIAL + BROKEN, np.float32)
    left, right = np.repeat(special, len(special)), np.tile(special, len(special))
    drawn = np.random.default_rng(seed)
    random = drawn.uniform(-1, 1, (2, 1000)) * 2.0 ** drawn.integers(-40, 40, (2, 1000))
    return np.concatenate([left, random[0]]).astype(np.float32), np.concatenate([right, random[1]]).astype(np.float32)


@pytest.mark.parametrize(
    ("name", "twin"), [("add", np.add), ("subtract", np.subtract), ("multiply", np.multiply), ("divide", np.divide)]
)
def test_arithmetic_to_the_bit(name: str, twin: Callable[[Floats, Floats], Floats]) -> None:
    left, right = pairs(1)
    with np.errstate(all="ignore"):
        same_bits(two(name, left, right), twin(left, right))


@pytest.mark.parametrize("name", ["at_most", "at_least"])
def test_limits_to_the_bit(name: str) -> None:
    limit, x = pairs(2)
    beyond = limit < x if name == "at_most" else limit > x
    same_bits(two(name, limit, x), np.where(beyond, limit, x))


def test_negated_to_the_bit() -> None:
    left, _ = pairs(2)
    same_bits(by_name("negate", left), -left)


def nearest_float32(exact: Fraction) -> np.float32:
    near = np.float32(float(exact))  # at most one step off, because it was rounded twice
    steps = (near, np.nextafter(near, np.float32(-np.inf)), np.nextafter(near, np.float32(np.inf)))
    return min(steps, key=lambda step: (abs(Fraction(float(step)) - exact), int(step.view(np.int32)) & 1))


def test_fma_is_rounded_once() -> None:
    drawn = np.random.default_rng(3)
    a, b = drawn.uniform(-4, 4, (2, 3000)).astype(np.float32)
    c = drawn.uniform(-4, 4, 3000).astype(np.float32)
    c[1000:2000] = -(a * b)[1000:2000]
    c[2000:2500] = (a * b)[2000:2500] * np.float32(2.0**24)
    a[2500:2600], b[2500:2600] = 1 + 2.0**-23, 1 - 2.0**-23
    c[2500:2600] = -1
    # 2**-70 below the middle between two floats: by way of a float64 it would be the middle, and go up to even.
    a[2600], b[2600], c[2600] = (1 + 2.0**-23) * 2.0**-24, 1 - 2.0**-23, 1 + 2.0**-23
    x, y, z, out = padded(a), padded(b), padded(c), np.empty(3008, np.float32)
    run_fma(len(x) // v.LANES, x.ctypes.data, y.ctypes.data, z.ctypes.data, out.ctypes.data)
    expected = np.array(
        [
            nearest_float32(Fraction(float(p)) * Fraction(float(q)) + Fraction(float(r)))
            for p, q, r in zip(a, b, c, strict=True)
        ],
        np.float32,
    )
    assert np.array_equal(out[:3000], expected)
    with np.errstate(all="ignore"):
        assert ((a * b + c) != expected).sum() > 1000  # in two roundings it is something else
    assert out[2500] == -(2.0**-46)
    assert out[2600] == np.float32(1 + 2.0**-23) != np.float32(float(a[2600]) * float(b[2600]) + float(c[2600]))


def test_fma_with_nan() -> None:
    x, y = padded([math.nan, 1, 1, math.inf, math.inf, 0]), padded([1, math.nan, 1, 1, 1, math.inf])
    z, out = padded([1, 1, math.nan, 1, -math.inf, 1]), np.empty(16, np.float32)
    run_fma(1, x.ctypes.data, y.ctypes.data, z.ctypes.data, out.ctypes.data)
    assert np.array_equal(out[:6], [math.nan, math.nan, math.nan, math.inf, math.nan, math.nan], equal_nan=True)
    assert (out[6:] == 2).all()


def test_scaling_by_a_power_of_two() -> None:
    powers = np.arange(-100, 101)
    values = np.random.default_rng(4).uniform(0.5, 2, len(powers)).astype(np.float32)
    shifted = (powers + 1.5 * 2.0**23).astype(np.float32)
    same_bits(two("scale_by_power", values, shifted), np.ldexp(values, powers).astype(np.float32))


def test_vectors_load_and_store_at_any_offset() -> None:
    for offset in range(5):
        x = np.arange(40, dtype=np.float32)
        indexes = np.array([-5, 2**31 - 1], np.int32)
        out, result = np.full(7 * 16 + 1 + 10, -77, np.float32), np.zeros(2, np.int64)
        run_memory(x[offset:].ctypes.data, indexes.ctypes.data, np.float32(0.1), out[offset:].ctypes.data, result)
        expected = [
            np.arange(16) + offset,
            np.full(16, 2 + offset),
            np.full(16, 0.1),
            np.zeros(16),
            np.ones(16),
            np.full(16, 2),
            np.full(16, 3 + offset),
        ]
        assert np.array_equal(out[offset : offset + 112], np.concatenate(expected).astype(np.float32))
        assert out[offset + 112] == np.float32(0.1)
        assert (out[:offset] == -77).all()
        assert (out[offset + 113 :] == -77).all()
        assert result.tolist() == [-5, 2**31 - 1]


EDGE = 28.0
"""Where the exponential's argument is cut off."""

GRID = np.concatenate(
    [np.linspace(-EDGE, EDGE, 60_001), np.linspace(-1, 1, 20_001), np.geomspace(1e-38, 1, 500)]
).astype(np.float32)
WIDE = np.concatenate([GRID, -GRID, np.linspace(-100, 100, 20_001), [1e3, -1e3, 1e30, -1e30, HUGE, -HUGE, 0.0]]).astype(
    np.float32
)


def exact(function: Callable[[float], float], values: Floats) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.array([function(float(x)) for x in values])


def test_exp_minus_on_a_dense_grid() -> None:
    result = by_name("exp_minus", GRID).astype(np.float64)
    assert np.max(np.abs(result / exact(lambda x: math.exp(-x), GRID) - 1)) < 3e-7  # what its docstring says


def test_exp_minus_beyond_its_range_stays_at_the_border() -> None:
    beyond = [EDGE + 0.01, 87.5, 1e3, 1e30, HUGE, math.inf]
    assert (by_name("exp_minus", beyond) == by_name("exp_minus", [EDGE])).all()
    assert (by_name("exp_minus", np.negative(beyond)) == by_name("exp_minus", [-EDGE])).all()
    assert by_name("exp_minus", [0.0, -0.0]).tolist() == [1, 1]
    assert by_name("exp_minus", [-EDGE]).astype(np.float64) ** 3 < HUGE  # three of them are multiplied
    assert np.isnan(by_name("exp_minus", [math.nan]))


@pytest.mark.parametrize("name", ["sigmoid", "tanh"])
def test_activations_on_a_dense_grid(name: str) -> None:
    result = one(3 + ACTIVATION_NUMBER[name], WIDE).astype(np.float64)
    error = np.abs(result - exact(FUNCTIONS[name], WIDE))
    assert np.max(error) < 1e-6
    assert np.max(error) < 3e-7
    lower = {"sigmoid": 0, "tanh": -1}[name]
    assert (result.min() >= lower, result.max()) == (True, 1)
    in_order = one(3 + ACTIVATION_NUMBER[name], np.linspace(-100, 100, 20_001))
    assert np.diff(in_order.astype(np.float64)).min() > -3e-7
    assert one(3 + ACTIVATION_NUMBER[name], [0.0, -0.0]).tolist() == [0.5 if name == "sigmoid" else 0] * 2


@pytest.mark.parametrize(("name", "low"), [("sigmoid", 0), ("tanh", -1), ("relu", 0)])
def test_infinite_sums_end_where_large_ones_do(name: str, low: float) -> None:
    block = 3 + ACTIVATION_NUMBER[name]
    result = one(block, [math.inf, -math.inf])
    assert result[0] == (math.inf if name == "relu" else 1)
    assert result[1] == pytest.approx(low, abs=1e-6)
    same_bits(result[1:], one(block, [-1e30]))


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_an_activation_is_its_definition(name: str) -> None:
    block = ACTIVATION_NUMBER[name]
    plain = exact(FUNCTIONS[name], WIDE)
    room = 5e-7 * np.maximum(1, np.abs(plain))
    assert np.allclose(ACTIVATIONS[name].values(WIDE.astype(np.float64)), plain, rtol=1e-12, atol=1e-12)
    assert (np.abs(one(3 + block, WIDE) - plain) <= room).all()
    assert (np.abs(three(block, WIDE, WIDE[::-1], WIDE)[0] - plain) <= room).all()
    assert np.isnan(ACTIVATIONS[name].values(np.array([math.nan])))
    assert np.isnan(one(3 + block, [math.nan]))


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_three_vectors_with_one_division(name: str) -> None:
    drawn = np.random.default_rng(6)
    columns = np.array([drawn.permutation(WIDE) for _ in range(3)])
    ends = np.array(np.meshgrid(*[[-HUGE, -30.0, 0.0, 30.0, HUGE]] * 3)).reshape(3, -1)
    columns = np.concatenate([columns, ends], axis=1).astype(np.float32)
    result = three(ACTIVATION_NUMBER[name], *columns)
    for row, values in zip(result, columns, strict=True):
        if name in ("none", "relu"):
            same_bits(row, one(3 + ACTIVATION_NUMBER[name], values))
        else:
            assert np.max(np.abs(row.astype(np.float64) - exact(FUNCTIONS[name], values))) < 5e-7


def test_a_value_does_not_depend_on_its_lane() -> None:
    for block in range(len(ONE)):
        for value in (-20.0, -0.3, 1e-3, 5.0):
            assert len(set(one(block, np.full(16, value)).tolist())) == 1
            moved = [one(block, np.roll([value] + [0.7] * 15, lane))[lane] for lane in range(16)]
            assert len(set(moved)) == 1
