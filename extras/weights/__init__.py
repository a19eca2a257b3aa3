"""Weights: what each of a network means (the verb ``network``), and their pictures on the page of a run."""

from extras import Extra, Verb

EXTRA = Extra(
    verbs=(Verb("network", "extras.weights.network", "describe a network: its layers, and each weight", "Inspect"),),
    entries=(("session", "extras.weights.tab:WeightsTab"),),
)
