"""The option ``--earlier`` of the verb ``inspect``."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING

from evolve.commands.options import group
from game.errors import InputError

if TYPE_CHECKING:
    from evolve.report.overview import Subject
    from evolve.workers.pool import Pool
    from extras.progress.earlier import EarlierPart

EXAMPLES = (("mine --earlier 0,5,10", "also games of the newest champion against the best 16 of these generations"),)


def arguments(parser: argparse.ArgumentParser) -> None:
    group(parser, "report").add_argument(
        "--earlier",
        metavar="LIST",
        help="of a run: also let its newest champion play earlier generations, such as 0,5,10: the best 16 of each, or "
        "in a run around a mean their means, with 16 times as many games",
    )


def run(options: argparse.Namespace) -> None:
    """Refuse what does not go with ``--earlier``; the verb asks for its part of the report."""
    if options.earlier is not None and not options.targets:
        raise InputError("--earlier: expected a TARGET: a run")
    if options.earlier is not None and options.games == 0:
        raise InputError("--earlier: needs games, got --games 0")


def part(subject: Subject, options: argparse.Namespace, show: Callable[[str], None], pool: Pool) -> EarlierPart | None:
    """Play the games that ``--earlier`` asks for; None without it."""
    if options.earlier is None:
        return None
    from evolve.report.overview import RunOverview
    from extras.progress import earlier

    if not isinstance(subject, RunOverview):
        raise InputError(f"--earlier: only for a whole run, {options.targets[0]} is not one")
    played = earlier.earlier(subject, _generations(options.earlier), options.games, show, pool=pool)
    return earlier.EarlierPart(subject, played)


def _generations(given: str) -> list[int]:
    words = [word.strip() for word in given.split(",")]
    if not all(word.isascii() and word.isdigit() and len(word) < 10 for word in words):
        raise InputError(f"--earlier: expected numbers such as 0,5,10, got {given!r}")
    return [int(word) for word in words]
