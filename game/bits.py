"""Bit operations on 64-bit words for compiled code, each one machine instruction or a few."""

from __future__ import annotations

from typing import Any

import numpy as np

from game.bitboard import LAST_BIT
from game.compiled.jit import Int, Word, inlined, intrinsic, ir, types


@intrinsic
def popcount(_context: Any, word: Any) -> Any:
    """Return the number of set bits (int64)."""

    def generate(_target: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.uint64), generate


@intrinsic
def lowest_bit(_context: Any, word: Any) -> Any:
    """Return the index (int64) of the lowest set bit; 64 for an empty word."""

    def generate(_target: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.uint64), generate


@intrinsic
def leading_zeros(_context: Any, word: Any) -> Any:
    """Return the number (int64) of clear bits above the highest set one; 64 for an empty word."""

    def generate(_target: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.ctlz(arguments[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.uint64), generate


@intrinsic
def _reversed(_context: Any, word: Any) -> Any:
    """Return all 64 bits in reverse order (uint64)."""

    def generate(_target: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.bitreverse(arguments[0])

    return types.uint64(types.uint64), generate


_SPARE_BITS = np.uint64(63 - LAST_BIT)


@inlined
def rotate(board: Word) -> Word:
    """Return the board rotated by 180 degrees: square s goes to square 33 - s."""
    return _reversed(board) >> _SPARE_BITS


@inlined
def rotate_for(board: Word, side: Int) -> Word:
    """Return the board as `side` sees it: rotated for White."""
    return board if side == 0 else rotate(board)


@intrinsic
def bits_to_float(_context: Any, word: Any) -> Any:
    """Return the float32 whose bits are those of an int32."""

    def generate(_target: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], ir.FloatType())

    return types.float32(types.int32), generate


@intrinsic
def load_word(_context: Any, address: Any) -> Any:
    """Return the uint64 at a raw address (int64), without bounds check."""

    def generate(_target: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.load(builder.inttoptr(arguments[0], ir.IntType(64).as_pointer()))

    return types.uint64(types.int64), generate


@intrinsic
def load_unaligned(_context: Any, address: Any) -> Any:
    """Return the uint64 at any raw address (int64), without bounds check."""

    def generate(_target: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.load(builder.inttoptr(arguments[0], ir.IntType(64).as_pointer()), align=1)

    return types.uint64(types.int64), generate


@intrinsic
def store_word(_context: Any, address: Any, word: Any) -> Any:
    """Write a uint64 to a raw address (int64), without bounds check."""

    def generate(target: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        builder.store(arguments[1], builder.inttoptr(arguments[0], ir.IntType(64).as_pointer()))
        return target.get_dummy_value()

    return types.void(types.int64, types.uint64), generate


def _loads(width: int, kind: Any, *, signed: bool = True) -> Any:
    """Make a block that returns the number of `width` bits at a raw address, as int64 or float64."""

    @intrinsic
    def block(_context: Any, address: Any) -> Any:
        def generate(_target: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            memory = ir.IntType(width) if kind is types.int64 else ir.DoubleType()
            value = builder.load(builder.inttoptr(arguments[0], memory.as_pointer()))
            if kind is not types.int64:
                return value
            return (builder.sext if signed else builder.zext)(value, ir.IntType(64))

        return kind(types.int64), generate

    return block


def _stores(width: int, kind: Any) -> Any:
    """Make a block that writes a number to a raw address; an int64 is cut to `width` bits."""

    @intrinsic
    def block(_context: Any, address: Any, value: Any) -> Any:
        def generate(target: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            address, value = arguments
            if kind is types.int64:
                value = builder.trunc(value, ir.IntType(width))
            builder.store(value, builder.inttoptr(address, value.type.as_pointer()))
            return target.get_dummy_value()

        return types.void(types.int64, kind), generate

    return block


load_byte, store_byte = _loads(8, types.int64, signed=False), _stores(8, types.int64)
load_short, store_short = _loads(16, types.int64), _stores(16, types.int64)
load_int, store_int = _loads(32, types.int64), _stores(32, types.int64)
load_double, store_double = _loads(64, types.float64), _stores(64, types.float64)


@intrinsic
def float_to_bits(_context: Any, value: Any) -> Any:
    """Return the bits of a float32 as an int32."""

    def generate(_target: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], ir.IntType(32))

    return types.int32(types.float32), generate


@intrinsic
def prefetch(_context: Any, address: Any) -> Any:
    """Prefetch the cache line at a raw address (int64)."""

    def generate(target: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        byte = ir.IntType(8).as_pointer()
        word = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte, word, word, word])
        function = builder.module.declare_intrinsic("llvm.prefetch.p0", (), kind)
        locality = [ir.Constant(word, value) for value in (0, 3, 1)]
        builder.call(function, [builder.inttoptr(arguments[0], byte), *locality])
        return target.get_dummy_value()

    return types.void(types.int64), generate


@intrinsic
def call(_context: Any, address: Any, first: Any, second: Any, third: Any, fourth: Any) -> Any:
    """Call the function of four int64 (a `game.compiled.jit.callback`) at an address and return its int64."""

    def generate(_target: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        word = ir.IntType(64)
        function = builder.inttoptr(arguments[0], ir.FunctionType(word, [word] * 4).as_pointer())
        return builder.call(function, arguments[1:])

    return types.int64(*[types.int64] * 5), generate
