"""Values and functions of `test_golden` that other tests use, too."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[2]


KILLED = """
import os, signal, sys
import main
from evolve.run import folder, manifest
from game import regular_files

point, number = sys.argv[1], int(sys.argv[2])
calls = 0

def killed(function, torn):
    def call(path, data, **options):
        global calls
        calls += 1
        if calls == number:
            torn(path, data[: len(data) // 2])
            os.kill(os.getpid(), signal.SIGKILL)
        return function(path, data, **options)
    return call

def nothing(path, data):
    pass

def temporary(path, data):
    regular_files.temporary_path(path).write_bytes(data)

def half(path, data):
    with open(path, "ab") as file:
        file.write(data)

if point == "file":
    folder.write_atomically = killed(folder.write_atomically, temporary)
elif point == "addition":
    folder.append_durably = killed(folder.append_durably, half)
elif point == "manifest":
    manifest.write_atomically = killed(manifest.write_atomically, nothing)
main.main(sys.argv[3:])
"""


SIGNATURE = 191988021778529631
"""What the program does. A commit that changes it says `Bench: N` in its message; see the module."""
