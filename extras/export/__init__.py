"""Exports: pages for browsers, ONNX and TensorBoard (``export``, ``pdn html``)."""

import os

from extras import Extra, Verb

_TEXT = "export runs (TensorBoard) and players (HTML, ONNX)"
_FORMATS = sorted(name for name in os.listdir(os.path.join(os.path.dirname(__file__), "formats")) if name[0] != "_")

EXTRA = Extra(
    verbs=(Verb("export", "extras.export.command", _TEXT, "Inspect"),),
    entries=(("session", "extras.export.champion:ChampionEntry"), ("player", "extras.export.champion:share_command")),
    formats=[f"extras.export.formats.{name.partition('.')[0]}" for name in _FORMATS],
    files=("extras.export.opened",),
)
