"""Features of networks in words: names of their tables, what they evaluate, and their strongest patterns."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from game.errors import capital
from game.networks.spec import Spec
from game.networks.windows import CELLS, WINDOWS, window_squares
from game.number_text import signed_text

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

SEEN = ("men", "kings", "their men", "their kings")
"""Names of the kinds of pieces in titles of pictures, in the order of inputs by kind."""


def table_names(spec: Spec) -> list[str]:
    """Return the names of the tables in the order of the genome: men and kings for each phase."""
    phases = [""]
    if spec.phases == 2:
        phases = [" in the opening", " in the endgame"]
    elif spec.phases > 2:
        phases = [f", {24 * (1 - phase / (spec.phases - 1)):.3g} pieces" for phase in range(spec.phases)]
    return [f"{kind}{phase}" for phase in phases for kind in ("men", "kings")]


def basis(spec: Spec) -> str:
    """Describe the features that a network evaluates, in one line."""
    parts = ["pieces"] * spec.piece_difference + ["their squares" if spec.piece_difference else "squares"] * spec.tables
    parts += ["formations of men"] * spec.patterns
    if spec.layers:
        first, behind = spec.layers[0], len(spec.layers) - 1
        what = {
            "convolution": f"{first.outputs} filters of {first.size} × {first.size} squares",
            "diagonal": f"{first.outputs} filters of a square and its neighbours",
            "subsquares": f"{first.outputs} parts of the board",
            "dense": f"{first.outputs} units that see all squares" if first.outputs > 1 else "each square by itself",
        }.get(first.kind, f"{first.outputs} units")
        parts.append(what + f", then {behind} layer{'s' * (behind > 1)}" * bool(behind))
    says = "" if spec.values else "A policy, which rates moves: "
    text = (
        f"{says}judges by {' and '.join(filter(None, (', '.join(parts[:-1]), *parts[-1:])))}; {spec.weights:,} weights"
    )
    return capital(text)


class Pattern(NamedTuple):
    """An arrangement of men on a window, and its value.

    Attributes:
        value: value to the side to move, in men.
        own: squares of own men, numbered from 1 to 32 as Black sees them.
    """

    value: float
    pieces: float
    own: tuple[int, ...]
    theirs: tuple[int, ...]
    empty: tuple[int, ...]

    @property
    def text(self) -> str:
        sides = ("own men", self.own), ("their men", self.theirs)
        men = " and ".join(f"{name} on {squares_text(squares)}" for name, squares in sides if squares)
        return f"{men} ({signed_text(self.value, 2)} at {self.pieces:.3g} pieces)"


def squares_text(squares: tuple[int, ...]) -> str:
    return ", ".join(map(str, squares))


def count_used(spec: Spec, weights: ArrayLike) -> tuple[int, int]:
    """Return the number of patterns whose value is not 0, and the number of all patterns."""
    import numpy as np

    values = spec.pattern_part.of(np.asarray(weights))
    return int(np.count_nonzero(values)), values.size


def find_strongest(spec: Spec, weights: ArrayLike, count: int) -> list[Pattern]:
    """Return the patterns with the largest absolute values, largest first; omit values of 0 and empty windows."""
    import numpy as np

    values = np.array(spec.pattern_part.of(np.asarray(weights)), np.float64).reshape(-1)
    values[::CELLS] = 0.0  # empty windows
    order = np.argsort(-np.abs(values), kind="stable")[:count]
    return [_pattern(spec, at, float(values[at])) for at in order.tolist() if values[at]]


def _pattern(spec: Spec, at: int, value: float) -> Pattern:
    rest, cell = divmod(at, CELLS)
    phase, window = divmod(rest, WINDOWS)
    squares: tuple[list[int], list[int], list[int]] = [], [], []
    for number, square in enumerate(window_squares()[window]):
        squares[cell // 3**number % 3].append(square + 1)
    empty, own, theirs = map(tuple, squares)
    pieces = 24 * (1 - phase / (spec.phases - 1)) if spec.phases > 1 else 24
    return Pattern(value, pieces, own, theirs, empty)
