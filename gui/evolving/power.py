"""The power supply of the computer, as far as the system tells about it."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path

SUPPLIES = Path("/sys/class/power_supply")


def on_battery(supplies: Path = SUPPLIES) -> bool:
    """Return whether the computer runs on its battery; False where the system does not say.

    Args:
        supplies: the folder in which Linux lists the power supplies.
    """
    if sys.platform == "win32":
        import ctypes

        status = (ctypes.c_ubyte * 12)()  # SYSTEM_POWER_STATUS; its first byte is 0 on battery, 1 on mains, else 255
        return bool(ctypes.windll.kernel32.GetSystemPowerStatus(ctypes.byref(status))) and status[0] == 0
    mains, batteries = [], 0
    with contextlib.suppress(OSError):
        for supply in supplies.iterdir():
            kind = (supply / "type").read_text(encoding="ascii").strip()
            batteries += kind == "Battery"
            if kind in ("Mains", "USB"):
                mains.append((supply / "online").read_text(encoding="ascii").strip() == "1")
    return batteries > 0 and bool(mains) and not any(mains)
