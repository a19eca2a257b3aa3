"""Bit operations on 64-bit words for compiled code, each one machine instruction or a few."""

from __future__ import annotations

from typing import Any

import numpy as np

from game import generator
from game.bitboard import LAST_BIT
from game.compiled.jit import Int, Word, inlined, intrinsic, ir, types


@intrinsic(types.int64(types.uint64))
def popcount(builder: Any, word: Any) -> Any:
    """Return the number of set bits (int64)."""
    return builder.ctpop(word)


@intrinsic(types.int64(types.uint64))
def lowest_bit(builder: Any, word: Any) -> Any:
    """Return the index (int64) of the lowest set bit; 64 for an empty word."""
    return builder.cttz(word, ir.Constant(ir.IntType(1), 0))


@intrinsic(types.int64(types.uint64))
def leading_zeros(builder: Any, word: Any) -> Any:
    """Return the number (int64) of clear bits above the highest set one; 64 for an empty word."""
    return builder.ctlz(word, ir.Constant(ir.IntType(1), 0))


@intrinsic(types.uint64(types.uint64))
def _reversed(builder: Any, word: Any) -> Any:
    """Return all 64 bits in reverse order (uint64)."""
    return builder.bitreverse(word)


_SPARE_BITS = np.uint64(63 - LAST_BIT)
_ROW_BITS = np.uint64(0xF)
_27, _30, _31 = np.uint64(27), np.uint64(30), np.uint64(31)
_MIX_1, _MIX_2 = np.uint64(generator.MIX_1), np.uint64(generator.MIX_2)


@inlined
def rotate(board: Word) -> Word:
    """Return the board rotated by 180 degrees: square s goes to square 33 - s."""
    return _reversed(board) >> _SPARE_BITS


@inlined
def rotate_for(board: Word, side: Int) -> Word:
    """Return the board as `side` sees it: rotated for White."""
    return board if side == 0 else rotate(board)


@inlined
def rows_ahead(men: Word) -> Int:
    """Return the total number of rows between men and their own back row, where side 0 has it."""
    total: Int = np.int64(0)
    for row in range(8):
        first = np.uint64(4 * row + row // 2)
        total += row * popcount((men >> first) & _ROW_BITS)
    return total


@inlined
def mix(state: Word) -> Word:
    """Return the output of SplitMix64 for a state, as `game.generator.mix` does."""
    word = (state ^ (state >> _30)) * _MIX_1
    word = (word ^ (word >> _27)) * _MIX_2
    return word ^ (word >> _31)


@intrinsic(types.float32(types.int32))
def bits_to_float(builder: Any, word: Any) -> Any:
    """Return the float32 whose bits are those of an int32."""
    return builder.bitcast(word, ir.FloatType())


@intrinsic(types.uint64(types.int64))
def load_word(builder: Any, address: Any) -> Any:
    """Return the uint64 at a raw address (int64), without bounds check."""
    return builder.load(builder.inttoptr(address, ir.IntType(64).as_pointer()))


@intrinsic(types.uint64(types.int64))
def load_unaligned(builder: Any, address: Any) -> Any:
    """Return the uint64 at any raw address (int64), without bounds check."""
    return builder.load(builder.inttoptr(address, ir.IntType(64).as_pointer()), align=1)


@intrinsic(types.void(types.int64, types.uint64))
def store_word(builder: Any, address: Any, word: Any) -> None:
    """Write a uint64 to a raw address (int64), without bounds check."""
    builder.store(word, builder.inttoptr(address, ir.IntType(64).as_pointer()))


def _loads(width: int, kind: Any, *, signed: bool = True) -> Any:
    """Make a block that returns the number of `width` bits at a raw address, as int64 or float64."""

    @intrinsic(kind(types.int64))
    def block(builder: Any, address: Any) -> Any:
        memory = ir.IntType(width) if kind is types.int64 else ir.DoubleType()
        value = builder.load(builder.inttoptr(address, memory.as_pointer()))
        if kind is not types.int64:
            return value
        return (builder.sext if signed else builder.zext)(value, ir.IntType(64))

    return block


def _stores(width: int, kind: Any) -> Any:
    """Make a block that writes a number to a raw address; an int64 is cut to `width` bits."""

    @intrinsic(types.void(types.int64, kind))
    def block(builder: Any, address: Any, value: Any) -> None:
        if kind is types.int64:
            value = builder.trunc(value, ir.IntType(width))
        builder.store(value, builder.inttoptr(address, value.type.as_pointer()))

    return block


load_byte, store_byte = _loads(8, types.int64, signed=False), _stores(8, types.int64)
load_short, store_short = _loads(16, types.int64), _stores(16, types.int64)
load_int, store_int = _loads(32, types.int64), _stores(32, types.int64)
load_double, store_double = _loads(64, types.float64), _stores(64, types.float64)


@intrinsic(types.int32(types.float32))
def float_to_bits(builder: Any, value: Any) -> Any:
    """Return the bits of a float32 as an int32."""
    return builder.bitcast(value, ir.IntType(32))


@intrinsic(types.void(types.int64))
def prefetch(builder: Any, address: Any) -> None:
    """Prefetch the cache line at a raw address (int64)."""
    byte = ir.IntType(8).as_pointer()
    word = ir.IntType(32)
    kind = ir.FunctionType(ir.VoidType(), [byte, word, word, word])
    function = builder.module.declare_intrinsic("llvm.prefetch.p0", (), kind)
    locality = [ir.Constant(word, value) for value in (0, 3, 1)]
    builder.call(function, [builder.inttoptr(address, byte), *locality])


@intrinsic(types.int64(*[types.int64] * 5))
def call(builder: Any, address: Any, first: Any, second: Any, third: Any, fourth: Any) -> Any:
    """Call the function of four int64 (a `game.compiled.jit.callback`) at an address and return its int64."""
    word = ir.IntType(64)
    function = builder.inttoptr(address, ir.FunctionType(word, [word] * 4).as_pointer())
    return builder.call(function, [first, second, third, fourth])
