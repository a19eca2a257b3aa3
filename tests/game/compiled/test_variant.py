"""A variant of compiled code: a copy with other constants, which calls itself and not what it was copied from."""

from __future__ import annotations

from typing import Any

from game.compiled.jit import Int, compiled, part, variant

STEP = 1


@part
def count_down(left: Int) -> Int:
    """Return STEP for each number from `left` to 1."""
    if left <= 0:
        return 0
    return STEP + count_down(left - 1)


_by_tens: Any = variant(count_down, STEP=10)


@compiled
def both(left: Int) -> Int:
    """Return what both say, told apart by their size."""
    return 1000 * count_down(left) + _by_tens(left)


def test_a_copy_has_its_own_constants_all_the_way_down() -> None:
    assert both(5) == 5050
