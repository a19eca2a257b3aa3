"""The verb ``tablebase``: what perfect play makes of positions with few pieces, and the tables that know it."""

from __future__ import annotations

import argparse

from evolve.commands.options import add_json, position, print_result
from game.terminal import output_width


def arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    probe = actions.add_parser("probe", help="who wins a position, in how many plies, and what each move is worth")
    probe.add_argument("--fen", metavar="FEN", required=True, help="the position")
    add_json(probe)
    info = actions.add_parser("info", help="which tables are there, what they hold, what is damaged or missing")
    add_json(info)


def run(options: argparse.Namespace) -> int:
    """Do what the action says."""
    actions = {"probe": _probe, "info": _info}
    return actions[options.action](options)


def _probe(options: argparse.Namespace) -> int:
    from game.endgame import probe_report
    from game.endgame.tables import open_tables

    wanted = position(options.fen)
    found = probe_report.probe(open_tables(), wanted)
    print_result(options, lambda: probe_report.as_json(found), lambda: probe_report.text(wanted, found))
    return 0


def _info(options: argparse.Namespace) -> int:
    from evolve.session.reporters import CountingLine
    from game.endgame.inventory import take_inventory
    from game.endgame.table_file import tablebase_folder

    line = CountingLine(quiet=options.json)
    try:
        found = take_inventory(tablebase_folder(), lambda name: line.count(f"reading {name}"))
    finally:
        line.count()
    print_result(options, found.as_json, lambda: found.text(output_width()))
    return 2 if found.damaged else 0
