"""Weights: what each of a network means (the verb ``network``), and those of an individual (``inspect``)."""

from extras import Extra, Verb

EXTRA = Extra(
    verbs=(Verb("network", "extras.weights.network", "describe a network: its layers, and each weight", "Inspect"),),
    parts=("extras.weights.part",),
)
