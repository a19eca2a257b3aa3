"""The verb ``train``: a session, new or resumed, in which one network learns."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING

from evolve.commands.options import PRESETS, add_session, run_session

if TYPE_CHECKING:
    from evolve.session.frame import Session


def arguments(parser: argparse.ArgumentParser) -> None:
    add_session(parser, PRESETS / "learning", "")
    parser.add_argument("--games", metavar="FILE", help="recorded games to learn from, PDN (learning.games)")


def run(options: argparse.Namespace) -> int:
    """Train, and print what was learnt."""
    from evolve.learning.extra import check_extra

    check_extra()
    if options.games is not None:
        options.settings.append(f"learning.games={os.path.abspath(options.games)}")
    return run_session(options, _session)


def _session() -> type[Session]:
    from evolve.learning.session import LearningSession

    return LearningSession
