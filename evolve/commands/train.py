"""The verb ``train``: a session, new or resumed, in which one network learns."""

from __future__ import annotations

import argparse
import os

from evolve.commands.options import PRESETS, add_session
from evolve.commands.sessions import run_session


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "One network learns by generations: with --preset policy from the recorded games of --games FILE, "
        "with --preset q-learning from games against itself (q-learning-published: that system as it was published). "
        "It needs jax and optax (requirements-learning.txt); what was learnt plays without them (docs/learning.md)."
    )
    add_session(parser, PRESETS / "train", "")
    parser.add_argument("--games", metavar="FILE", help="recorded games to learn from, PDN (learning.games)")


def run(options: argparse.Namespace) -> int:
    """Train, and print what was learnt."""
    from evolve.learning.kind import check_extra

    check_extra()
    if options.games is not None:
        options.settings.append(f"learning.games={os.path.abspath(options.games)}")
    from evolve.config.toml import ConfigError

    try:
        return run_session(options)
    except ConfigError as error:
        # Where games are played, learning.games is their number.
        wrong = "learning.games: expected a whole number"
        if options.games is None or not any(line.startswith(wrong) for line in error.lines):
            raise
        lines = ["--games: only for the method policy" if line.startswith(wrong) else line for line in error.lines]
        raise ConfigError(lines) from None
