"""The options ``--traits`` and ``--against`` of the verb ``inspect``."""

from __future__ import annotations

import argparse

from evolve.commands.options import exit_at_signals, group, is_given, players
from game.errors import InputError

EXAMPLES = (("crownhead cowan-deep --traits", "the styles of two players: traits that a person can see on the board"),)


def arguments(parser: argparse.ArgumentParser) -> None:
    report = group(parser, "report")
    report.add_argument(
        "--traits",
        action="store_true",
        help="of any players, named as for match: report their traits, such as the men that they keep on the back row "
        "(docs/traits.md), from games (default: 200) against each opponent",
    )
    text = "with --traits: an opponent, may be repeated (default: crownhead-1 and material, both at 3 plies)"
    report.add_argument("--against", metavar="PLAYER", action="append", default=[], help=text)


def run(options: argparse.Namespace) -> int | None:
    if not options.traits:
        if options.against:
            raise InputError("--against: only together with --traits")
        return None
    from evolve.session.reporters import CountingLine
    from evolve.strength.match import check
    from evolve.workers.pool import Pool, worker_count
    from extras.traits import report as traits

    if not options.targets:
        raise InputError("--traits: expected one or more players, as in inspect crownhead --traits")
    if is_given(options, "earlier"):
        raise InputError("--earlier: not with --traits")
    games = traits.GAMES if options.games is None else options.games
    check(games, "three-move")
    workers = worker_count(options.workers)
    names = options.against or traits.FIELD
    chosen = players(options, *options.targets, *names)
    line = CountingLine(quiet=options.json)
    with exit_at_signals(), Pool(workers) as pool:
        count = len(options.targets)
        report = traits.of_players(chosen[:count], chosen[count:], games, pool=pool, show=line.count)
        line.count()
    report.print(as_json=options.json)
    return 0
