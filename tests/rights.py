"""File permissions of an ordinary user, for tests that run as root."""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
from collections.abc import Iterator

_VERSION = 0x20080522  # of capset(2), with two words for each set
_READS_AND_WRITES_ALL = 1 << 1 | 1 << 2  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _Sets(ctypes.Structure):
    _fields_ = (("effective", ctypes.c_uint32), ("permitted", ctypes.c_uint32), ("inheritable", ctypes.c_uint32))


def can_be_had() -> bool:
    """Return whether file permissions can be applied to this process."""
    return hasattr(os, "geteuid") and (os.geteuid() != 0 or sys.platform == "linux")


@contextlib.contextmanager
def ordinary() -> Iterator[None]:
    """Apply file permissions to this thread, and to threads that it starts, within the context."""
    if os.geteuid() != 0:
        yield
        return
    libc = ctypes.CDLL(None, use_errno=True)
    header, sets = _Header(_VERSION, 0), (_Sets * 2)()
    if libc.capget(ctypes.byref(header), sets) != 0:
        raise OSError(ctypes.get_errno(), "capget")
    before = sets[0].effective

    def change(effective: int) -> None:
        sets[0].effective = effective
        if libc.capset(ctypes.byref(header), sets) != 0:
            raise OSError(ctypes.get_errno(), "capset")

    change(before & ~_READS_AND_WRITES_ALL)
    try:
        yield
    finally:
        change(before)
