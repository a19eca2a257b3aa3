"""The verb ``tablebase``: what perfect play makes of positions with few pieces, and the tables that know it."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from evolve.commands.interruption import exit_at_sigterm
from evolve.commands.options import add_json, piece_count, position, print_result
from game.errors import InputError
from game.installation import PROGRAM
from game.number_text import clock_text, size_text
from game.terminal import output_width

if TYPE_CHECKING:
    from game.endgame.build import Progress, Report

SECONDS_A_LINE = 5.0
"""Between two lines of progress where there is no terminal."""


def arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    probe = actions.add_parser("probe", help="who wins a position, in how many plies, and what each move is worth")
    probe.add_argument("--fen", metavar="FEN", required=True, help="the position")
    info = actions.add_parser("info", help="which tables are there, what they hold, what is damaged or missing")
    build = actions.add_parser("build", help="build the tables that are missing; what was begun goes on")
    build.add_argument(
        "--pieces", type=piece_count, metavar="N", required=True, help="all tables up to so many pieces, 2 to 6"
    )
    verify = actions.add_parser("verify", help="compare positions of tables with those that their moves lead to")
    verify.add_argument("--pieces", type=piece_count, metavar="N", help="up to so many (default: all that are there)")
    verify.add_argument("--all", action="store_true", help="every position, not ten million of each number of pieces")
    for each in (probe, info, build, verify):
        add_json(each)


def run(options: argparse.Namespace) -> int:
    """Do what the action says."""
    actions = {"probe": _probe, "info": _info, "build": _build, "verify": _verify}
    return actions[options.action](options)


def _probe(options: argparse.Namespace) -> int:
    from game.endgame import reports
    from game.endgame.tables import open_tables

    wanted = position(options.fen)
    found = reports.probe(open_tables(), wanted)
    print_result(options, lambda: reports.probe_json(found), lambda: reports.probe_text(wanted, found))
    return 0


def _info(options: argparse.Namespace) -> int:
    from evolve.session.reporters import CountingLine
    from game.endgame.reports import take_inventory
    from game.endgame.table_file import tablebase_folder

    line = CountingLine(quiet=options.json)
    try:
        found = take_inventory(tablebase_folder(), lambda name: line.count(f"reading {name}"))
    finally:
        line.count()
    print_result(options, found.as_json, lambda: found.text(output_width()))
    return 2 if found.damaged else 0


def _build(options: argparse.Namespace) -> int:
    from game.endgame import build
    from game.endgame.reports import take_inventory
    from game.endgame.table_file import survey

    folder = _folder()
    wanted = build.needs(options.pieces, folder)
    if not options.json:
        memory, disk = size_text(wanted.memory), size_text(wanted.disk)
        print(
            f"tables of up to {options.pieces} pieces in {folder}: at most {memory} of memory and {disk} of disk\n"
            "Ctrl-C ends it; the same command goes on",
            file=sys.stderr,
            flush=True,
        )
    began = time.monotonic()
    try:
        with show_progress(quiet=options.json) as report:
            build.build_tables(folder, options.pieces, report=report)
    except (KeyboardInterrupt, SystemExit):  # by Ctrl-C, by SIGTERM
        there = [not each.fault for each in survey(folder) if each.slice.pieces <= options.pieces]
        kept = f"{sum(there)} of {len(there)} files are kept"
        print(f"{PROGRAM}: stopped; {kept}, the same command goes on", file=sys.stderr)
        raise
    seconds, found = time.monotonic() - began, take_inventory(folder)
    print_result(
        options,
        lambda: found.as_json() | {"seconds": seconds},
        lambda: f"ready after {clock_text(seconds)}\n\n{found.text(output_width())}",
    )
    return 0


def _verify(options: argparse.Namespace) -> int:
    from game.endgame import build
    from game.endgame.reports import build_command, take_inventory
    from game.endgame.slices import MOST_BUILT

    folder = _folder()
    found = take_inventory(folder)
    complete = found.pieces()
    damaged = [each for each in found.damaged if each.slice.pieces <= (options.pieces or MOST_BUILT)]
    if damaged:
        raise InputError(f"{damaged[0].fault}; {build_command(damaged[0].slice.pieces)} builds it anew")
    pieces = options.pieces or complete
    if not complete:
        raise InputError(f"{folder}: there are no tables; {build_command(4)} builds them")
    if pieces > complete:
        raise InputError(f"{folder}: tables of up to {complete} pieces are there; {build_command(pieces)} builds more")
    samples = None if options.all else build.SAMPLES
    with show_progress(quiet=options.json) as report:
        build.verify_tables(folder, pieces, samples=samples, report=report)
    print_result(
        options,
        lambda: {"folder": str(folder), "pieces": pieces, "samples": samples},
        lambda: (
            f"Tables of up to {pieces} pieces agree with the rules: "
            + ("all positions." if samples is None else f"{samples:,} positions of each number of pieces, or all.")
        ),
    )
    return 0


def _folder() -> Path:
    from game.endgame.table_file import tablebase_folder

    folder = tablebase_folder()
    if folder is None:
        raise InputError("there is no folder where tables can be kept: let CROWNHEAD_CACHE_DIR name one")
    return folder


@contextmanager
def show_progress(*, quiet: bool) -> Iterator[Report]:
    """What shows how far a build is: one line that is written over, or elsewhere a line every few seconds."""
    from evolve.session.reporters import CountingLine

    line, told = CountingLine(quiet=quiet), time.monotonic()

    def report(progress: Progress) -> None:
        nonlocal told
        share = progress.done / max(progress.total, 1)
        parts = [f"{100 * share:.1f} %", progress.task]
        if progress.seconds_left is not None and share >= 0.01:  # before, it is mostly the time of loading
            parts.insert(1, f"{clock_text(progress.seconds_left)} left")
        line.count(*parts)
        if time.monotonic() >= told + SECONDS_A_LINE:
            told = time.monotonic()
            line.step(", ".join(parts))

    try:
        with exit_at_sigterm():
            yield report
    finally:
        line.count()
