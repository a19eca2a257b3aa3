"""Features of networks in words: names of their tables, and what they evaluate."""

from __future__ import annotations

from game.errors import capital
from game.networks.spec import Spec

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
