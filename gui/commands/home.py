"""The program without a verb: the first screen of the window."""

from __future__ import annotations

import argparse

from evolve.run.runs import DEFAULT_RUNS


def run(options: argparse.Namespace) -> int:
    from gui.display import show_at_once

    show_at_once()
    from gui import window

    window.run(DEFAULT_RUNS)
    return 0
