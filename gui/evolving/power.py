"""The power supply of the computer, as far as the system tells about it."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path

SUPPLIES = Path("/sys/class/power_supply")
IOKIT, UNLIMITED = "/System/Library/Frameworks/IOKit.framework/IOKit", -2.0
"""The library of macOS that knows the power source, and its answer while that is not a battery."""


def on_battery(supplies: Path = SUPPLIES) -> bool:
    """Return whether the computer runs on its battery; False where the system does not say.

    Args:
        supplies: the folder in which Linux lists the power supplies.
    """
    if sys.platform == "win32":
        import ctypes

        status = (ctypes.c_ubyte * 12)()  # SYSTEM_POWER_STATUS; its first byte is 0 on battery, 1 on mains, else 255
        return bool(ctypes.windll.kernel32.GetSystemPowerStatus(ctypes.byref(status))) and status[0] == 0
    if sys.platform == "darwin":
        import ctypes

        with contextlib.suppress(OSError, AttributeError):
            remaining = ctypes.CDLL(IOKIT).IOPSGetTimeRemainingEstimate  # seconds, or negative numbers with a meaning
            remaining.restype = ctypes.c_double
            return bool(remaining() != UNLIMITED)
    mains, batteries = [], 0
    with contextlib.suppress(OSError):
        for supply in supplies.iterdir():
            kind = (supply / "type").read_text(encoding="ascii").strip()
            batteries += kind == "Battery"
            if kind in ("Mains", "USB"):
                mains.append((supply / "online").read_text(encoding="ascii").strip() == "1")
    return batteries > 0 and bool(mains) and not any(mains)
