"""The options of ``inspect`` for several runs or a sweep."""

from __future__ import annotations

import argparse

from evolve.commands.options import group
from game.errors import InputError

EXAMPLES = (("mine other", "differences of several runs"),)


def arguments(parser: argparse.ArgumentParser) -> None:
    group(parser, "report").add_argument(
        "--column",
        metavar="NAME",
        action="append",
        default=[],
        help="of several runs: report this column of their logs, may be repeated (default: rating and diversity)",
    )


def run(options: argparse.Namespace) -> None:
    """Refuse what does not go with ``--column``; `extras.sweeps.options` makes the report."""
    others = {
        "--traits": getattr(options, "traits", False),
        "--delete": options.delete,
        "--archive": options.archive is not None,
    }
    for other in (name for name, given in others.items() if options.column and given):
        raise InputError(f"--column: not together with {other}")
    if options.column and not options.targets:
        raise InputError("--column: expected several runs, or a sweep")
