"""Messages of protocol buffers, written by hand: a message is a row of fields, each with its number.

Source: https://protobuf.dev/programming-guides/encoding/.
"""

from __future__ import annotations

import struct


def data_field(number: int, data: bytes | str) -> bytes:
    """A field of bytes, text or a message."""
    data = data.encode() if isinstance(data, str) else data
    return varint(number << 3 | 2) + varint(len(data)) + data


def whole_field(number: int, value: int) -> bytes:
    """A field of a whole number, a truth or an enumeration."""
    return varint(number << 3) + varint(value)


def float_field(number: int, value: float) -> bytes:
    """A field of 32 bits."""
    return varint(number << 3 | 5) + struct.pack("<f", value)


def double_field(number: int, value: float) -> bytes:
    """A field of 64 bits."""
    return varint(number << 3 | 1) + struct.pack("<d", value)


def varint(value: int) -> bytes:
    """A whole number from 0 on, seven bits a byte, the lowest first."""
    found = bytearray()
    while value > 127:
        found.append(value & 127 | 128)
        value >>= 7
    found.append(value)
    return bytes(found)
