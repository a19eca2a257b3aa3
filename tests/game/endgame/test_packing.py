"""Codes come out of blocks as they went in, read by index or all at once, and nothing around them is touched."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from game.compiled.jit import Array, Int, compiled
from game.endgame import pack_kernels, probe_kernels
from game.endgame import slices as at
from game.endgame.build import Values, build_values

PAD = 64


class Guarded:
    def __init__(self, shape: tuple[int, ...], dtype: Any, canary: int = 0xA5) -> None:
        self.canary = canary
        size = int(np.prod(shape)) * np.dtype(dtype).itemsize
        self.whole = np.full(size + 2 * PAD, canary, np.uint8)
        self.part = self.whole[PAD : PAD + size].view(dtype).reshape(shape)
        self.part[...] = 0

    def check(self) -> None:
        assert (self.whole[:PAD] == self.canary).all() and (self.whole[-PAD:] == self.canary).all()


@compiled
def read_all(record: Int, exact: Int, codes: Array) -> None:
    for index in range(codes.size - 1, -1, -1):
        value = probe_kernels._value_at(record, index)
        if exact != 0 and value != 0:
            value = 2 * probe_kernels._distance_at(record, index) + (value & 1)
        codes[index] = value


def packed(codes: Any, canary: int = 0xA5) -> tuple[Guarded, Guarded, Guarded, Guarded, list[int]]:
    blocks = -(-len(codes) // at.BLOCK)
    source = Guarded(codes.shape, np.uint8, canary)
    source.part[:] = codes
    entries, distance_entries = (Guarded((blocks,), np.uint32, canary) for _ in range(2))
    content = Guarded((blocks * (2 + 2 * at.BITMAP_BYTES) + at.SPARE,), np.uint8, canary)
    distances = Guarded((blocks * 7 * at.BITMAP_BYTES + at.SPARE,), np.uint8, canary)
    sets, counts = Guarded((3, 4), np.uint64, canary), Guarded((2, 3), np.int64, canary)
    size = pack_kernels.pack_values(source.part, entries.part, content.part, sets.part, counts.part)
    distance_size = pack_kernels.pack_distances(source.part, distance_entries.part, distances.part)
    assert not content.part[size:].any() and not distances.part[distance_size:].any()
    for each in (source, entries, distance_entries, content, distances, sets, counts):
        each.check()
    assert np.array_equal(source.part, codes)
    return entries, content, distance_entries, distances, [size, distance_size, *counts.part[0].tolist()]


def naive_values(codes: list[int]) -> tuple[list[int], bytes]:
    entries, content = [], b""
    for first in range(0, len(codes), at.BLOCK):
        block = [0 if code == 0 else 2 - code % 2 for code in codes[first : first + at.BLOCK]]
        block += [0] * (at.BLOCK - len(block))
        places = [[place for place in range(at.BLOCK) if block[place] == value] for value in range(3)]
        common = max(range(3), key=lambda value: (len(places[value]), -value))
        if len(places[common]) == at.BLOCK:
            entries.append(common)
            continue
        second, third = (value for value in range(3) if value != common)
        entries.append(len(content) * 4 + at.PACKED)
        sets = [
            bytes(places[value])
            if len(places[value]) < at.BITMAP_BYTES
            else sum(1 << place for place in places[value]).to_bytes(at.BITMAP_BYTES, "little")
            for value in (second, third)
        ]
        head = len(sets[0]) | len(sets[1]) << 6 | common << 12 | second << 14
        content += head.to_bytes(2, "little") + sets[0] + sets[1]
    return entries, content


def naive_distances(codes: list[int]) -> tuple[list[int], bytes]:
    entries, content = [], b""
    for first in range(0, len(codes), at.BLOCK):
        halves = [code // 2 if code else None for code in codes[first : first + at.BLOCK]]
        known = [half for half in halves if half is not None]
        least = min(known, default=127)
        width = (max(known, default=127) - least).bit_length()
        entries.append((len(content) // at.BITMAP_BYTES << at.LEAST_BITS | least) << at.WIDTH_BITS | width)
        bits = sum((half - least) << (place * width) for place, half in enumerate(halves) if half is not None)
        content += bits.to_bytes(width * at.BITMAP_BYTES, "little")
    return entries, content


def samples() -> dict[str, Any]:
    generator = np.random.default_rng(13)
    result = {
        "few": np.array([3, 0, 2], np.uint8),
        "uniform": np.repeat(np.array([0, 7, 8, 255, 254, 1, 2], np.uint8), at.BLOCK),
        "anything": generator.integers(0, 256, 9 * at.BLOCK + 13, dtype=np.uint8),
        "parity": generator.integers(0, 3, 5 * at.BLOCK + 255, dtype=np.uint8),
    }
    for second in (0, 1, 30, 31, 32, 33, 100):  # lists of all lengths, and bitmaps
        for third in (0, 1, 8, 31, 32, 33, 78):
            for values in ([0, 1, 2], [2, 0, 1], [41, 90, 0]):
                block = np.repeat(np.array(values, np.uint8), [at.BLOCK - second - third, second, third])
                result[f"{second} and {third} of {values}"] = generator.permutation(block)
    return result


@pytest.fixture(scope="module")
def known() -> Values:
    return build_values(3, threads=1)


def test_blocks_are_those_of_the_slow_twin(known: Values) -> None:
    joined = np.concatenate(list(samples().values()))
    for codes in (joined, *samples().values(), *(known.of(each) for each in known.all)):
        entries, content, distance_entries, distances, numbers = packed(codes)
        values = codes.tolist()
        assert (entries.part.tolist(), content.part[: numbers[0]].tobytes()) == naive_values(values)
        assert (distance_entries.part.tolist(), distances.part[: numbers[1]].tobytes()) == naive_distances(values)
        lost = sum(value % 2 for value in values)
        assert numbers[2:] == [values.count(0), lost, len(values) - values.count(0) - lost]


@pytest.mark.parametrize("canary", [0, 0xA5, 0xFF])
def test_packed_codes_are_restored(known: Values, canary: int) -> None:
    for codes in (np.concatenate(list(samples().values())), *samples().values(), *(map(known.of, known.all))):
        entries, content, distance_entries, distances, _ = packed(codes, canary)
        parity = np.where(codes == 0, 0, 2 - (codes & 1))
        record = np.array([each.part.ctypes.data for each in (entries, content, distance_entries, distances)], np.int64)
        out = Guarded(codes.shape, np.uint8, canary)
        read_all(record.ctypes.data, 0, out.part)
        assert np.array_equal(out.part, parity)
        read_all(record.ctypes.data, 1, out.part)
        assert np.array_equal(out.part, codes)
        pack_kernels.unpack_values(entries.part, content.part, out.part)
        assert np.array_equal(out.part, parity)
        pack_kernels.unpack_distances(distance_entries.part, distances.part, out.part)
        assert np.array_equal(out.part, codes)
        out.check()
