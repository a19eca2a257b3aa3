"""A virtual X server, with a mouse and a keyboard, through the libraries of X alone."""

from __future__ import annotations

import contextlib
import ctypes
import ctypes.util
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from gui.geometry import Point, Size

PAUSE = 0.03
KEYSYMS = {
    "return": 0xFF0D, "escape": 0xFF1B, "delete": 0xFFFF, "ctrl": 0xFFE3, "shift": 0xFFE1, "left": 0xFF51,
    "down": 0xFF54, "home": 0xFF50, "end": 0xFF57, "space": 0x20, "?": 0x3F,
}  # fmt: skip


def missing() -> str:
    """Return what is missing for this on the machine; empty if nothing is."""
    if shutil.which("Xvfb") is None:
        return "there is no Xvfb"
    for library in ("X11", "Xtst"):
        if ctypes.util.find_library(library) is None:
            return f"there is no lib{library}"
    return ""


@contextlib.contextmanager
def virtual_display(size: Size) -> Iterator[str]:
    """Start a server on a free display, which ends with the context; yield the value for DISPLAY."""
    read, write = os.pipe()
    command = ["Xvfb", "-displayfd", str(write), "-screen", "0", f"{size[0]}x{size[1]}x24", "-nolisten", "tcp"]
    with subprocess.Popen(command, pass_fds=(write,), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        os.close(write)
        try:
            with os.fdopen(read) as result:
                number = result.readline().strip()
            assert number, "the X server has not started"
            yield f":{number}"
        finally:
            server.terminate()


@dataclass
class XHands:
    display: str

    def __post_init__(self) -> None:
        self._x: Any = ctypes.CDLL(ctypes.util.find_library("X11"))
        self._test: Any = ctypes.CDLL(ctypes.util.find_library("Xtst"))
        self._x.XOpenDisplay.restype = ctypes.c_void_p
        self._x.XKeysymToKeycode.restype = ctypes.c_ubyte
        self._x.XDefaultRootWindow.restype = ctypes.c_ulong
        self._connection = ctypes.c_void_p(self._x.XOpenDisplay(self.display.encode()))
        assert self._connection.value, f"no connection to {self.display}"

    def windows(self) -> list[int]:
        root = ctypes.c_ulong(self._x.XDefaultRootWindow(self._connection))
        result, parent, count = ctypes.c_ulong(), ctypes.c_ulong(), ctypes.c_uint()
        children = ctypes.POINTER(ctypes.c_ulong)()
        self._x.XQueryTree(
            self._connection,
            root,
            ctypes.byref(result),
            ctypes.byref(parent),
            ctypes.byref(children),
            ctypes.byref(count),
        )
        return [children[index] for index in range(count.value)]

    def move(self, at: Point) -> None:
        self._test.XTestFakeMotionEvent(self._connection, -1, at[0], at[1], 0)
        self._done()

    def button(self, down: bool) -> None:
        self._test.XTestFakeButtonEvent(self._connection, 1, int(down), 0)
        self._done()

    def click(self, at: Point) -> None:
        self.move(at)
        self.button(True)
        self.button(False)

    def drag(self, start: Point, end: Point) -> None:
        self.move(start)
        self.button(True)
        for share in (1, 2, 3, 4):
            self.move((start[0] + (end[0] - start[0]) * share // 4, start[1] + (end[1] - start[1]) * share // 4))
        self.button(False)

    def key(self, name: str) -> None:
        """Press a key, with modifiers as in ``ctrl+q``."""
        *mods, base = name.split("+")
        codes = [self._code(mod) for mod in mods] + [self._code(base)]
        for code in codes:
            self._test.XTestFakeKeyEvent(self._connection, code, 1, 0)
        for code in reversed(codes):
            self._test.XTestFakeKeyEvent(self._connection, code, 0, 0)
        self._done()

    def _code(self, name: str) -> int:
        code = int(self._x.XKeysymToKeycode(self._connection, ctypes.c_ulong(KEYSYMS.get(name, ord(name[0])))))
        assert code, f"no key for {name}"
        return code

    def _done(self) -> None:
        self._x.XSync(self._connection, 0)
        time.sleep(PAUSE)

    def close(self) -> None:
        self._x.XCloseDisplay(self._connection)
