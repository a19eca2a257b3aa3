"""An individual as a C99 header: its weights, and a function that evaluates a position."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from evolve.export.linear import Linear, finite_genome, linear_layers
from game.networks.activations import ACTIVATIONS
from game.networks.kinds import square_place
from game.networks.windows import CELLS, WINDOWS, window_squares

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from game.networks.spec import Spec

_SUMS = """
static inline void NAME_sums(const float *in, float *out, const float *weights, const uint32_t (*taps)[3], int count,
                             int channels, int stride, int filters)
{
    for (int t = 0; t < count; t++)
        for (int c = 0; c < channels; c++)
            for (int f = 0; f < filters; f++)
                out[taps[t][0] + f] += in[taps[t][1] + c * stride] * weights[taps[t][2] + c * filters + f];
}
"""

_WORDS = "uint32_t own_men, uint32_t own_kings, uint32_t other_men, uint32_t other_kings"
_GIVEN = "own_men, own_kings, other_men, other_kings"


def c_header(prefix: str, title: str, network: tuple[Spec, NDArray[np.float32], float | None]) -> str:
    """Return the text of a self-contained header.

    Args:
        prefix: prefix of all names in the header.
        title: name of the individual, for the first line.
        network: specification, genome, and the individual's value of a king; None for the specification's value.

    Raises:
        InputError: a weight is not a finite number, or an activation has no expression in C.
    """
    spec, weights, own_king = network
    genome = finite_genome(title, spec, weights)
    king = spec.king if own_king is None else own_king
    layers = linear_layers(spec, genome)
    unknown = {layer.activation for layer in layers if ACTIVATIONS[layer.activation].c is None}
    if unknown:
        from game.errors import InputError

        raise InputError(f"{title}: activation {', '.join(sorted(unknown))} has no expression in C")
    parts = [_head(title, spec), *_data(spec, genome, layers), _SUMS if layers else "", _outputs(spec, layers, king)]
    if spec.values:
        parts.append(_evaluate(spec, king))
    text = "\n".join(part.strip("\n") + "\n" for part in parts if part) + "\n#endif\n"
    return text.replace("NAME", prefix)


def prefix_of(stem: str) -> str:
    """Convert the stem of a file name to a C identifier."""
    name = re.sub(r"[^0-9A-Za-z]+", "_", stem).strip("_")
    return name if name and not name[0].isdigit() else f"player_{name}".rstrip("_")


def _head(title: str, spec: Spec) -> str:
    heads = ""
    if spec.heads:
        names = [f"value ({spec.heads.value})"] * spec.values + ["policy (steps)"] * (spec.heads.policy != "none")
        heads = f"\n * NAME_outputs(..., outputs) computes all {spec.outputs} outputs: {', '.join(names)}."
    value = ""
    if spec.values:
        scale = "P(win) - P(loss), from -1 to 1" if spec.outputs >= 3 else "before any last activation"
        value = f"\n * NAME_evaluate returns the value of a position for the own side: larger is better, {scale}."
    mover = "the side to move" if spec.by_mover else "the side that searches for a move, whichever side is to move"
    safe = title.replace("*/", "* /").replace("\\", "/")
    return f"""/* {safe}: a network of {spec.weights} weights ({spec.name}), exported by Crownhead.
 *{value}{heads}
 *
 * "own" is {mover}.
 * Square s (1 to 32) is bit s - 1 if the own side is Black, and bit 32 - s if it is White: reverse all four words.
 * C99 with its mathematical library (-lm).
 */
#ifndef NAME_H
#define NAME_H

#include <math.h>
#include <stdint.h>
"""


def _data(spec: Spec, genome: Any, layers: list[Linear]) -> Iterable[str]:
    if spec.input in ("board", "planes"):
        yield _array("uint8_t NAME_place[32]", (8 * row + column for row, column in map(square_place, range(32))))
    if spec.tables:
        tables, tempo = (part.of(genome) for part in spec.parts[:2])
        yield _array(f"float NAME_tables[{tables.size}]", _floats(tables))
        yield _array(f"float NAME_tempo[{tempo.size}]", _floats(tempo))
    for number, layer in enumerate(layers):
        taps = (f"{{{', '.join(map(str, tap))}}}" for tap in layer.taps.tolist())
        yield _array(f"float NAME_weights_{number}[{layer.weights.size}]", _floats(layer.weights))
        yield _array(f"float NAME_biases_{number}[{layer.biases.size}]", _floats(layer.biases))
        yield _array(f"uint32_t NAME_taps_{number}[{len(layer.taps)}][3]", taps)
    if spec.patterns:
        patterns = spec.pattern_part.of(genome)
        yield _array(f"float NAME_patterns[{patterns.size}]", _floats(patterns))
        squares = (square for window in window_squares() for square in window)
        yield _array(f"uint8_t NAME_windows[{8 * WINDOWS}]", squares)


def _array(declaration: str, values: Iterable[object]) -> str:
    lines, line = [], "   "
    for value in map(str, values):
        if len(line) + len(value) > 116:
            lines.append(line)
            line = "   "
        line += f" {value},"
    return "\n".join([f"static const {declaration} = {{", *lines, line, "};"])


def _floats(values: NDArray[np.float32]) -> Iterable[str]:
    """Yield the shortest decimals that parse to the same floats."""
    return (f"{value!s}f" if value else "0" for value in values.reshape(-1))


def _outputs(spec: Spec, layers: list[Linear], king: float) -> str:
    """Return the C function that computes the outputs of the heads, or one output for each phase."""
    count = spec.outputs if spec.heads else spec.phases
    lines = [f"static inline void NAME_outputs({_WORDS}, float outputs[{count}])", "{"]
    lines += [f"    const uint32_t words[4] = {{{_GIVEN}}};", "    int i;"]
    trunk = layers[: len(spec.layers)]
    if trunk:
        lines += [f"    float x0[{trunk[0].inputs}] = {{0}};", "    for (i = 0; i < 128; i++) {"]
        lines += ["        const float there = (float)(words[i / 32] >> i % 32 & 1);", f"        {_seen(spec, king)}"]
        lines += ["    }"]
    for number, layer in enumerate(trunk):
        lines += [f"    float x{number + 1}[{layer.outputs}];"]
        lines += _layer(number, layer, f"x{number}", f"x{number + 1}", f"x{number - 1}")
    last = f"x{len(trunk)}"
    at = 0
    for number, layer in enumerate(layers[len(trunk) :], len(trunk)):
        lines += _layer(number, layer, last, f"(outputs + {at})", "")
        at += layer.outputs
    if not spec.heads:
        lines += [f"    for (i = 0; i < {count}; i++)", f"        outputs[i] = {f'{last}[i]' if trunk else '0'};"]
    if spec.tables:
        lines += [
            "    for (int p = 0; p < PHASES; p++) {",
            "        outputs[p] += NAME_tempo[p];",
            "        for (i = 0; i < 64; i++) {",
            "            outputs[p] += (float)(words[i / 32] >> i % 32 & 1) * NAME_tables[64 * p + i];",
            "            outputs[p] -= (float)(words[2 + i / 32] >> (31 - i % 32) & 1) * NAME_tables[64 * p + i];",
            "        }",
            "    }",
        ]
    if spec.patterns:
        lines += [
            f"    for (int window = 0; window < {WINDOWS}; window++) {{",
            "        int cell = 0;",
            "        for (i = 7; i >= 0; i--) {",
            "            const int square = NAME_windows[8 * window + i];",
            "            cell = 3 * cell + (int)(own_men >> square & 1) + 2 * (int)(other_men >> square & 1);",
            "        }",
            "        for (int p = 0; p < PHASES; p++)",
            f"            outputs[p] += NAME_patterns[({WINDOWS} * p + window) * {CELLS} + cell];",
            "    }",
        ]
    if not trunk and not spec.tables:
        lines += ["    (void)words;"]
    return "\n".join([*lines, "}"]).replace("PHASES", str(spec.phases))


def _seen(spec: Spec, king: float) -> str:
    """Return the C statement that adds a piece to the input, where i is 32 x kind + square."""
    if spec.by_mover:
        return "x0[i] = there;" if spec.input == "pieces" else "x0[4 * NAME_place[i % 32] + i / 32] = there;"
    place = "NAME_place[i % 32]" if spec.input == "board" else "i % 32"
    sign = "<" if spec.own == 1 else ">="
    value = f"(i / 32 % 2 ? {_floats_of(king)} : 1)"
    return f"x0[{place}] += (i {sign} 64 ? there : -there) * {value};"


def _floats_of(value: float) -> str:
    import numpy as np

    return f"{np.float32(value)!s}f"


def _layer(number: int, layer: Linear, before: str, after: str, earlier: str) -> list[str]:
    start = f"NAME_biases_{number}[i % {layer.biases.size}]" + (f" + {earlier}[i]" if layer.residual else "")
    lines = [
        f"    for (i = 0; i < {layer.outputs}; i++)",
        f"        {after}[i] = {start};",
        f"    NAME_sums({before}, {after}, NAME_weights_{number}, NAME_taps_{number}, {len(layer.taps)}, "
        f"{layer.channels}, {layer.stride}, {layer.filters});",
    ]
    if expression := ACTIVATIONS[layer.activation].c:
        change = expression.format(x=f"{after}[i]")
        lines += [f"    for (i = 0; i < {layer.outputs}; i++)", f"        {after}[i] = {change};"]
    return lines


def _evaluate(spec: Spec, king: float) -> str:
    count = spec.outputs if spec.heads else spec.phases
    lines = [f"static inline float NAME_evaluate({_WORDS})", "{"]
    lines += [f"    float outputs[{count}];", f"    NAME_outputs({_GIVEN}, outputs);"]
    if spec.heads:
        if spec.heads.value == "wdl":
            lines += [
                "    const float most = fmaxf(outputs[0], fmaxf(outputs[1], outputs[2]));",
                "    const float win = expf(outputs[0] - most), loss = expf(outputs[2] - most);",
                "    return (win - loss) / (win + expf(outputs[1] - most) + loss);",
            ]
        return "\n".join([*lines, *["    return outputs[0];"] * (spec.heads.value != "wdl"), "}"])
    lines += ["    float value = outputs[0];"]
    if spec.phases > 1 or spec.piece_difference:
        lines += [
            f"    const uint32_t words[4] = {{{_GIVEN}}};",
            "    int counts[4] = {0};",
            "    for (int i = 0; i < 128; i++)",
            "        counts[i / 32] += (int)(words[i / 32] >> i % 32 & 1);",
        ]
    if spec.phases > 1:
        last = spec.phases - 1
        lines += [
            "    const int pieces = counts[0] + counts[1] + counts[2] + counts[3];",
            f"    float phase = (1 - (float)pieces / 24) * {last};",
            "    phase = phase > 0 ? phase : 0;",
            f"    const int low = phase < {last} ? (int)phase : {last - 1};",
            "    value = outputs[low] + (phase - (float)low) * (outputs[low + 1] - outputs[low]);",
        ]
    if spec.piece_difference:
        lines += [f"    value += (float)(counts[0] - counts[2]) + {_floats_of(king)} * (float)(counts[1] - counts[3]);"]
    return "\n".join([*lines, "    return value;", "}"])
