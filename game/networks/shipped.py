"""The published networks, by name and by number of weights."""

from __future__ import annotations

from dataclasses import replace

from game.networks.spec import Layer, NetworkError, Spec

CNN_247 = Spec(
    "cnn-247",
    "board",
    (
        Layer("convolution", 3, 5),
        Layer("convolution", 3, 3),
        Layer("dense", 6),
        Layer("dense", 1),
    ),
)
"""David Cowan, CheckersAI (2022)."""

BLONDIE_1741 = Spec(
    "blondie-1741",
    "squares",
    (
        Layer("dense", 40, activation="tanh"),
        Layer("dense", 10, activation="tanh"),
        Layer("dense", 1, activation="tanh"),
    ),
    evolving_king=True,
    piece_difference=True,
)
"""Chellapilla and Fogel (1999)."""

ANACONDA_5046 = Spec(
    "anaconda-5046",
    "squares",
    (
        Layer("subsquares", 91, activation="tanh"),
        Layer("dense", 40, activation="tanh"),
        Layer("dense", 10, activation="tanh"),
        Layer("dense", 1, activation="tanh"),
    ),
    evolving_king=True,
    piece_difference=True,
)
"""Chellapilla and Fogel (2001), the network of Blondie24."""

CHECKERSAI_247 = replace(CNN_247, name="checkersai-247", own=-1)
"""The same with own pieces negative, as in CheckersAI's own program: for genomes that evolved there."""

SHIPPED = {spec.name: spec for spec in (CNN_247, BLONDIE_1741, ANACONDA_5046)}
"""Networks that are recognised by their number of weights."""

NAMED = SHIPPED | {CHECKERSAI_247.name: CHECKERSAI_247}
"""Networks that have a name."""


def by_width(weights: int) -> Spec:
    """Return the shipped network with this many weights.

    Raises:
        NetworkError: there is none.
    """
    for spec in SHIPPED.values():
        if spec.weights == weights:
            return spec
    known = ", ".join(f"{spec.weights} ({spec.name})" for spec in SHIPPED.values())
    raise NetworkError(f"{weights} weights: no shipped network has this number, only {known}")
