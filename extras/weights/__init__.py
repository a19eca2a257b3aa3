"""Weights: what each of a network means (the verb ``network``), those of an individual (``inspect``), and pictures."""

from extras import Extra, Verb

EXTRA = Extra(
    verbs=(Verb("network", "extras.weights.network", "describe a network: its layers, and each weight", "Inspect"),),
    entries=(("session", "extras.weights.tab:WeightsTab"),),
    parts=("extras.weights.part",),
)
