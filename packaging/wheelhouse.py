"""The target `wheelhouse`: all wheels in one ZIP, from which pip installs without a network."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import interpreter
import wheels


def build(options: argparse.Namespace) -> list[Path]:
    """Build the ZIP, and return its path."""
    with tempfile.TemporaryDirectory(prefix="crownhead-wheels-") as folder:
        files = {path.name: path.read_bytes() for path in wheels.download(Path(folder))}
    path = options.out / f"crownhead-{wheels.version()}-wheels-{interpreter.TAG}-linux-x86_64.zip"
    path.write_bytes(interpreter.zipped(files))
    return [path]
