"""The verb ``evolve``: a new or resumed session in which a population evolves."""

from __future__ import annotations

import argparse

from evolve.commands.options import PRESETS, add_session
from evolve.commands.sessions import run_session


def arguments(parser: argparse.ArgumentParser) -> None:
    add_session(parser, PRESETS, " (default: cowan)")


def run(options: argparse.Namespace) -> int:
    """Evolve, and print a summary."""
    return run_session(options)
