"""Descriptions of networks as text and JSON: layers, the meaning of each weight, and the strongest patterns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from game.errors import capital
from game.networks.spec import KING_RANGE, VALUES, Layer, Part, Spec
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


def as_json(spec: Spec) -> dict[str, Any]:
    """Return a network as plain values; `stop` of a part is exclusive."""
    return {
        "name": spec.name,
        "input": spec.input,
        "input_shape": list(spec.shapes[0]),
        "weights": spec.weights,
        "king": spec.king,
        "evolving_king": spec.evolving_king,
        "piece_difference": spec.piece_difference,
        "own": spec.own,
        "tables": spec.tables,
        "patterns": spec.patterns,
        "phases": spec.phases,
        "margins": spec.margins,
        "quantised": spec.quantised,
        "layers": [
            {"kind": layer.kind, "size": layer.size, "outputs": list(shape), "activation": layer.activation}
            | ({"residual": True} if layer.residual else {})
            for layer, shape in zip(spec.layers, spec.shapes[1:], strict=True)
        ],
        **({"heads": {"value": spec.heads.value, "policy": spec.heads.policy}} if spec.heads else {}),
        "genome": [
            {"name": part.name, "start": part.start, "stop": part.stop, "shape": list(part.shape)}
            for part in spec.parts
        ],
    }


def text(spec: Spec) -> str:
    """Return a network as lines of text."""
    low, high = KING_RANGE
    king = f"{spec.king:g}" + (f" at first; each individual has its own, from {low:g} to {high:g}" * spec.evolving_king)
    signs = f"own man 1, own king {king}, the opponent's negative"
    if spec.own < 0:
        signs = f"the opponent's man 1, its king {king}, own ones negative"
    before = "the 8x8 board" if spec.input in ("board", "planes") else "the 32 dark squares"
    added = f", {'plus' if spec.own > 0 else 'less'} the sum of all inputs" * spec.piece_difference
    if spec.by_mover:
        signs = "own men, own kings, the opponent's men and kings separately, as the side to move sees them"
        added = ", plus tables and tempo" * spec.tables + ", plus patterns" * spec.patterns
        added += f", plus the piece difference, a king {king}" * spec.piece_difference
    output = f"the last layer{added}" if spec.layers else added.removeprefix(", plus ")
    if spec.heads:
        value = {"score": "its value", "wdl": "win, draw and loss"}.get(spec.heads.value, "")
        policy = "a score for each first step of a turn" * (spec.heads.policy != "none")
        output = " and ".join(filter(None, (value, policy)))
    output += "; for the side to move" * spec.by_mover
    output += "; moves are compared before its activation" * (bool(spec.layers) and not spec.heads)
    lines = [
        f"network  {spec.name}",
        f"input    {before}: {signs}",
        f"output   {output}",
        f"weights  {spec.weights:,}",
    ]
    if spec.phases > 1:
        lines.insert(3, f"phases   {spec.phases}, blended by the number of pieces, from 24 to none")
    if spec.layers:
        lines += ["", f"{'layer':<28} {'outputs':>12}   activation"]
    for number, (layer, shape) in enumerate(zip(spec.layers, spec.shapes[1:], strict=True)):
        added = f", after adding the output of layers.{number - 2}" * layer.residual
        lines.append(f"layers.{number} {_kind(layer):<19} {_times(shape):>12}   {layer.activation}{added}")
    for number, layer in enumerate(spec.head_layers, len(spec.layers)):
        name = "heads.value" if layer.outputs in VALUES.values() else "heads.policy"
        lines.append(f"{name:<12} {layer.kind:<15} {_times(spec.joint(number)[2]):>12}   none")
    lines += ["", f"{'columns':<17} {'weights':>9}   {'shape':<16} what"]
    lines += [
        f"{_columns(part):<17} {part.stop - part.start:>9,}   {_times(part.shape):<16} {part.name}"
        for part in spec.parts
    ]
    return "\n".join(lines)


def _kind(layer: Layer) -> str:
    return f"{layer.kind} {layer.size}x{layer.size}" if layer.size else layer.kind


def _times(shape: tuple[int, ...]) -> str:
    return " x ".join(map(str, shape))


def _columns(part: Part) -> str:
    last = part.stop - 1
    return f"w{part.start}" if last == part.start else f"w{part.start}..w{last}"


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
        """The pattern as a part of a sentence."""
        sides = ("own men", self.own), ("their men", self.theirs)
        men = " and ".join(f"{name} on {squares_text(squares)}" for name, squares in sides if squares)
        return f"{men} ({signed_text(self.value, 2)} at {self.pieces:.3g} pieces)"


def squares_text(squares: tuple[int, ...]) -> str:
    """Return squares separated by commas."""
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
