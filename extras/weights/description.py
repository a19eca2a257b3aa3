"""Descriptions of networks as text and JSON: layers, and the meaning of each weight."""

from __future__ import annotations

from typing import Any

from game.networks.spec import KING_RANGE, VALUES, Layer, Part, Spec


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
    lines = [f"network  {spec.name}", f"input    {before}: {signs}", f"output   {output}", f"weights  {spec.weights:,}"]
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
