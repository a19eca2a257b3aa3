"""Values and functions of `test_bench` that other tests use, too."""

from __future__ import annotations

SIGNATURE = 191988021778529631
"""What the program does. A commit that changes it says `Bench: N` in its message; see the module."""
