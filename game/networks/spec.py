"""Specifications of networks: input, layers, activations and extras, which determine the meaning of each weight.

A specification is data. Some are shipped (`game.networks.named`); others are written in TOML (docs/networks.md).
"""

from __future__ import annotations

import math
from ctypes import c_float
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

from game.errors import InputError
from game.networks.activations import ACTIVATIONS
from game.networks.kinds import KINDS, Shape
from game.networks.windows import CELLS, WINDOWS

if TYPE_CHECKING:
    from numpy.typing import NDArray

INPUTS: dict[str, tuple[int, ...]] = {"board": (8, 8, 1), "squares": (32,), "planes": (8, 8, 4), "pieces": (128,)}
"""Shapes of the inputs."""
VALUES = {"none": 0, "score": 1, "wdl": 3}
"""Number of outputs of each kind of value head: a number, or win, draw and loss before the softmax."""
POLICIES = {"none": 0, "steps": 128, "people": 128}
"""Number of outputs of each kind of policy head; steps are 4 x square + direction, see
`game.players.policy.first_step`. Those of people depend on a strength, too (`game.players.people`)."""
BY_MOVER = ("planes", "pieces")
"""Inputs seen by the side to move."""
MAX_PHASES = 8
MAX_WEIGHTS = 1_000_000
MAX_CONNECTIONS = 2**22
MAX_LAYERS = 16
MAX_OUTPUTS = 4096
MAX_KING = 100.0
QUANTISED = "clipped"
"""The activation of hidden layers in quantised networks."""
MOST_UNITS = 512
"""Maximum number of units of a layer in a quantised network: more could make sums too large for exact float32."""
KING_RANGE = (1.0, 3.0)
"""Bounds of evolving king values (Chellapilla and Fogel, 2001)."""


class NetworkError(InputError):
    """An invalid specification; the message names the place and the allowed values."""


@dataclass(frozen=True)
class Layer:
    """One layer.

    Attributes:
        outputs: filters of a convolution, units of a dense layer, 91 for subsquares.
        size: rows and columns of a convolution's kernels; 0 for others.
        residual: whether the output of the layer two before this one, which has the same shape, is added to its sums.
    """

    kind: str
    outputs: int
    size: int = 0
    activation: str = "sigmoid"
    residual: bool = False


@dataclass(frozen=True)
class Heads:
    """The heads that read a trunk of layers: a value, then a policy."""

    value: str = "none"
    policy: str = "none"


@dataclass(frozen=True)
class Part:
    """A named section of the genome.

    Attributes:
        shape: array shape; the last axis runs fastest.
    """

    name: str
    start: int
    shape: tuple[int, ...]

    @property
    def stop(self) -> int:
        return self.start + math.prod(self.shape)

    @property
    def is_bias(self) -> bool:
        """True if the weights do not depend on the board: biases, and tempo."""
        return self.name.endswith("biases") or self.name.startswith("tempo")

    def of(self, weights: NDArray[Any]) -> NDArray[Any]:
        """Return the section of a genome, as a view in `shape`."""
        return weights[self.start : self.stop].reshape(self.shape)


@dataclass(frozen=True)
class Spec:
    """A network.

    Attributes:
        input: one of `INPUTS`. ``board`` and ``squares`` have a signed number for each square, as the searching side
            sees the board. ``planes`` and ``pieces`` have a 1 for each own man, own king, opponent's man and opponent's
            king, as the side to move sees the board, and the output is the value to this side.
        layers: at least one, or none with `tables`; without heads the last has `phases` outputs.
        king: value of a king in the input.
        evolving_king: whether each individual has its own king value, initially `king`.
        piece_difference: whether own pieces less the opponent's, at their values in the input, are added to the output.
        own: sign of own pieces in the input, 1 or -1; the opponent's pieces have the opposite sign.
        tables: whether the values of men and kings on their squares (own less the opponent's on the mirrored squares)
            and a value for the side to move are added to the output: 65 weights, the first in the genome.
        patterns: whether the value of the men on each of nine windows (`game.networks.windows`) is added to the output:
            59,049 weights, after the weights of the layers.
        phases: number of sets of outputs, tables and patterns, from one for 24 pieces on the board to one for none;
            in between, the values of the two nearest phases are blended.
        margins: whether the last two weights of the genome are the margins of pruning, up and down, which do not affect
            values of positions (`game.search.search.margins_in_men`).
        quantised: whether weights are rounded to multiples of a fixed step (`game.networks.quantised`).
        heads: the heads that read the last layer; None if its output is the value. Heads exclude all extras that add to
            the value.

    Raises:
        NetworkError: the specification is invalid.
    """

    name: str
    input: str
    layers: tuple[Layer, ...]
    king: float = 2.0
    evolving_king: bool = False
    piece_difference: bool = False
    own: int = 1
    tables: bool = False
    patterns: bool = False
    phases: int = 1
    margins: bool = False
    quantised: bool = False
    heads: Heads | None = None
    shapes: tuple[tuple[int, ...], ...] = field(init=False, repr=False, compare=False)
    parts: tuple[Part, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self.name or not all(c.isascii() and (c.isalnum() or c == "-") for c in self.name):
            raise NetworkError(f"name: expected letters, digits and dashes, got {self.name!r}")
        if self.input not in INPUTS:
            raise NetworkError(f"input: expected {', '.join(INPUTS)}, got {self.input!r}")
        if not int(not self.tables) <= len(self.layers) <= MAX_LAYERS:
            without = "" if self.layers else "; none only with extras.tables"
            raise NetworkError(f"layers: expected 1 to {MAX_LAYERS}, got {len(self.layers)}{without}")
        for name in ("tables", "patterns"):
            if getattr(self, name) and not self.by_mover:
                raise NetworkError(f"extras.{name}: only with input {' or '.join(BY_MOVER)}, not {self.input}")
        if self.phases != 1 and not self.by_mover:
            only = f"more only with input {' or '.join(BY_MOVER)}"
            raise NetworkError(f"extras.phases: expected 1, {only}; got {self.phases}")
        if not 1 <= self.phases <= MAX_PHASES:
            raise NetworkError(f"extras.phases: expected 1 to {MAX_PHASES}, got {self.phases}")
        if not 0.0 < c_float(self.king).value <= MAX_KING:
            raise NetworkError(f"extras.king: expected a number above 0 and at most {MAX_KING:g}, got {self.king!r}")
        if self.evolving_king and not KING_RANGE[0] <= self.king <= KING_RANGE[1]:
            low, high = KING_RANGE
            raise NetworkError(f"extras.king: expected {low:g} to {high:g} if it evolves, got {self.king!r}")
        if self.own not in (1, -1):
            raise NetworkError(f"extras.own: expected 1 or -1, got {self.own!r}")
        if self.by_mover and self.own != 1:
            raise NetworkError(f"extras.own: expected 1 with input {self.input}, got {self.own}")
        if self.heads:
            _check_heads(self, self.heads)
        # Rounded to float32 as in files, because a resumed run must continue from the same bits.
        object.__setattr__(self, "king", c_float(self.king).value)
        shapes, parts = _shapes_and_parts(self)
        object.__setattr__(self, "shapes", shapes)
        object.__setattr__(self, "parts", (*parts, *_head_parts(self, parts)))
        if self.quantised:
            _check_quantised(self)
        elif any(layer.activation == QUANTISED for layer in self.layers):
            raise NetworkError(f"extras.quantised: expected true, because a layer has the activation {QUANTISED}")
        if self.weights > MAX_WEIGHTS:
            raise NetworkError(f"{self.name}: {self.weights:,} weights, at most {MAX_WEIGHTS:,}")

    @property
    def activation(self) -> str:
        return self.layers[-1].activation if self.layers and not self.heads else "none"

    @property
    def values(self) -> bool:
        """True if the network evaluates positions; False if it has only a policy."""
        return self.heads is None or self.heads.value != "none"

    @property
    def rates_moves(self) -> bool:
        return self.heads is not None and self.heads.policy != "none"

    @property
    def head_layers(self) -> tuple[Layer, ...]:
        """The heads as layers, value then policy; both read the last layer."""
        if self.heads is None:
            return ()
        value, policy = VALUES[self.heads.value], POLICIES[self.heads.policy]
        steps = Layer("diagonal", policy // 32) if len(self.shapes[len(self.layers)]) == 2 else Layer("dense", policy)
        return (Layer("dense", value),) * bool(value) + (steps,) * bool(policy)

    @property
    def outputs(self) -> int:
        return 1 if self.heads is None else VALUES[self.heads.value] + POLICIES[self.heads.policy]

    @property
    def by_mover(self) -> bool:
        """True if the network sees the board as the side to move, not as the searching side."""
        return self.input in BY_MOVER

    def layer_parts(self, number: int) -> tuple[Part, Part]:
        """Return the sections of the genome with the weights and biases of a layer; heads are numbered after layers."""
        first = 2 * self.tables + 2 * number
        return self.parts[first], self.parts[first + 1]

    def joint(self, number: int) -> tuple[Layer, Shape, Shape]:
        """Return a layer, or a head, with the shapes of its inputs and outputs; heads are numbered after layers."""
        layer = (*self.layers, *self.head_layers)[number]
        before = self.shapes[min(number, len(self.layers))]
        return layer, before, KINDS[layer.kind].shape(layer.outputs, layer.size, before)

    def widens(self, other: Spec) -> bool:
        """Return whether this network is another one, of dense layers, with more units in some of them."""
        others = (each.name for each in fields(self) if each.compare and each.name not in ("name", "layers"))
        if any(getattr(self, name) != getattr(other, name) for name in others) or len(self.layers) != len(other.layers):
            return False
        return all(
            wide.kind == "dense" and wide.outputs >= narrow.outputs and replace(wide, outputs=narrow.outputs) == narrow
            for wide, narrow in zip(self.layers, other.layers, strict=True)
        )

    @property
    def valued(self) -> int:
        """The number of weights, from the first on, that affect values: all except the margins and the policy."""
        return self.parts[-2].start if len(self.head_layers) > 1 else self.weights - 2 * self.margins

    @property
    def pattern_part(self) -> Part:
        return self.parts[-1 - self.margins]

    @property
    def linear(self) -> int:
        """The number of weights, from the first on, in tables and the first layer."""
        return self.parts[2 * self.tables + 2 * bool(self.layers) - 1].stop

    @property
    def weights(self) -> int:
        return self.parts[-1].stop

    def multiplications(self) -> tuple[int, ...]:
        """Return the number of multiplications in each layer and head in a forward pass."""
        import numpy as np

        counts = []
        for number in range(len(self.layers) + len(self.head_layers)):
            layer, before, after = self.joint(number)
            index = np.zeros(self.layer_parts(number)[0].shape, np.int64)
            connected = KINDS[layer.kind].wiring(index, before, after)
            counts.append(int((connected >= 0).sum()))
        return tuple(counts)


def _shapes_and_parts(spec: Spec) -> tuple[tuple[tuple[int, ...], ...], tuple[Part, ...]]:
    shapes = [INPUTS[spec.input]]
    parts: list[Part] = []
    if spec.tables:
        several = (spec.phases,) if spec.phases > 1 else ()
        names = ("(phase, men and kings, square)", "(phase)") if several else ("(men and kings, square)", "")
        parts.append(Part(f"tables {names[0]}", 0, (*several, 2, 32)))
        parts.append(Part(f"tempo {names[1]}".rstrip(), parts[-1].stop, (spec.phases,)))
    for number, layer in enumerate(spec.layers):
        place, before = f"layers.{number}", shapes[-1]
        _check_layer(layer, place, before, first=number == 0)
        kind = KINDS[layer.kind]
        after = kind.shape(layer.outputs, layer.size, before)
        _check_size(place, math.prod(before), math.prod(after))
        if layer.residual and (number < 2 or shapes[number - 1] != after):
            earlier = f"layers.{number - 2} has {shapes[number - 1]}" if number > 1 else "there is none"
            raise NetworkError(
                f"{place}.residual: the layer two before this one must have the same output shape, {after}; {earlier}"
            )
        name, shape = kind.weights(layer.outputs, layer.size, before)
        parts.append(Part(f"{place} {name}", parts[-1].stop if parts else 0, shape))
        parts.append(Part(f"{place} biases", parts[-1].stop, (layer.outputs,)))
        shapes.append(after)
    if spec.patterns:
        start = parts[-1].stop if parts else 0
        several = (spec.phases,) if spec.phases > 1 else ()
        parts.append(Part(f"patterns ({'phase, ' * bool(several)}window, men)", start, (*several, WINDOWS, CELLS)))
    if spec.margins and parts:
        parts.append(Part("margins (up, down)", parts[-1].stop, (2,)))
    if spec.layers and not spec.heads and math.prod(shapes[-1]) != spec.phases:
        wanted = "one output" if spec.phases == 1 else f"{spec.phases} outputs (extras.phases)"
        raise NetworkError(f"layers.{len(spec.layers) - 1}: the last layer must have {wanted}, this has {shapes[-1]}")
    return tuple(shapes), tuple(parts)


def _head_parts(spec: Spec, parts: tuple[Part, ...]) -> list[Part]:
    before, heads = spec.shapes[-1], list[Part]()
    for layer in spec.head_layers:
        place = f"heads.{'value' if layer.outputs in VALUES.values() else 'policy'}"
        name, shape = KINDS[layer.kind].weights(layer.outputs, 0, before)
        _check_size(place, math.prod(before), math.prod(KINDS[layer.kind].shape(layer.outputs, 0, before)))
        heads.append(Part(f"{place} {name}", (heads or parts)[-1].stop, shape))
        heads.append(Part(f"{place} biases", heads[-1].stop, (layer.outputs,)))
    return heads


def _check_heads(spec: Spec, heads: Heads) -> None:
    for name, known in (("value", VALUES), ("policy", POLICIES)):
        if getattr(heads, name) not in known:
            raise NetworkError(f"heads.{name}: expected {', '.join(known)}, got {getattr(heads, name)!r}")
    if heads == Heads():
        raise NetworkError("heads: expected a value, a policy or both; without this table the last layer is the value")
    if heads.policy == "people" and (spec.input != "pieces" or spec.layers[0].kind != "dense"):
        raise NetworkError("heads.policy: people needs input pieces and a dense first layer")
    extras = ("piece_difference", "tables", "patterns", "margins")
    for name in (*(extra for extra in extras if getattr(spec, extra)), *["phases"] * (spec.phases != 1)):
        raise NetworkError(f"extras.{name}: not allowed with heads")


def _check_quantised(spec: Spec) -> None:
    if not spec.by_mover:
        raise NetworkError(f"extras.quantised: only with input {' or '.join(BY_MOVER)}, not {spec.input}")
    for name in ("piece_difference", "tables", "patterns", "margins"):
        if getattr(spec, name):
            raise NetworkError(f"extras.{name}: not allowed with extras.quantised")
    if spec.heads is None:
        raise NetworkError("extras.quantised: needs a table [heads]")
    for number, layer in enumerate(spec.layers):
        place = f"layers.{number}"
        if layer.kind != "dense" or layer.residual:
            raise NetworkError(f"{place}: extras.quantised allows only dense layers without residual")
        if layer.activation != QUANTISED:
            wanted = f"{QUANTISED} with extras.quantised"
            raise NetworkError(f"{place}.activation: expected {wanted}, got {layer.activation!r}")
        if layer.outputs % 32 or layer.outputs > MOST_UNITS:
            wanted = f"a multiple of 32 up to {MOST_UNITS}"
            raise NetworkError(f"{place}.units: expected {wanted} with extras.quantised, got {layer.outputs}")


def _check_size(place: str, inputs: int, outputs: int) -> None:
    """Check the size of a layer's wiring, which is stored with its outputs padded to vectors of 16."""
    if inputs * -(-outputs // 16) * 16 > MAX_CONNECTIONS:
        raise NetworkError(
            f"{place}: {inputs:,} inputs by {outputs:,} outputs, at most {MAX_CONNECTIONS:,} connections"
        )


def _check_layer(layer: Layer, place: str, before: tuple[int, ...], *, first: bool) -> None:
    if layer.kind not in KINDS:
        raise NetworkError(f"{place}.kind: expected {', '.join(KINDS)}, got {layer.kind!r}")
    if layer.activation not in ACTIVATIONS:
        raise NetworkError(f"{place}.activation: expected {', '.join(ACTIVATIONS)}, got {layer.activation!r}")
    if not 1 <= layer.outputs <= MAX_OUTPUTS:
        raise NetworkError(f"{place}: expected 1 to {MAX_OUTPUTS} outputs, got {layer.outputs}")
    kind = KINDS[layer.kind]
    if layer.size and "size" not in kind.keys.values():
        raise NetworkError(f"{place}.size: layers of kind {layer.kind} have no size")
    problem = kind.problem(layer.outputs, layer.size, before, first=first)
    if problem:
        raise NetworkError(f"{place}.{problem}")
