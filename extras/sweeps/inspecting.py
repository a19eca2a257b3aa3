"""The options of ``inspect`` for several runs or a sweep."""

from __future__ import annotations

import argparse

from evolve.commands.options import group, is_given
from game.errors import InputError

EXAMPLES = (("mine other", "differences of several runs"),)


def arguments(parser: argparse.ArgumentParser) -> None:
    text = "of several runs: report this column of their logs, may be repeated (default: rating and diversity)"
    group(parser, "report").add_argument("--column", metavar="NAME", action="append", default=[], help=text)


def run(options: argparse.Namespace) -> None:
    """Refuse what does not go with ``--column``; `extras.sweeps.options` makes the report."""
    if options.column and is_given(options, "traits"):
        raise InputError("--column: not together with --traits")
    if options.column and not options.targets:
        raise InputError("--column: expected several runs, or a sweep")
