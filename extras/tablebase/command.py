"""The verb ``tablebase``: results of perfect play in positions with few pieces, and the tables that hold them."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from evolve.commands.options import add_json, exit_at_signals, position, print_result
from game.errors import InputError
from game.installation import COMMAND, PROGRAM
from game.number_text import clock_text, size_text

if TYPE_CHECKING:
    from game.endgame.build import BuildProgress, Report

SECONDS_A_LINE = 5.0
"""Time between two lines of progress that do not go to a terminal."""

EXAMPLES = (
    ("probe --fen W:WK15,20:BK28,12", "the result, its distance, and the value of each move"),
    ("build --pieces 6", "build more tables; those of two to four pieces are built automatically (docs/tablebases.md)"),
    ("build --pieces 7 --sides 4,3", "build the part of the tables of seven pieces with 4 pieces against 3"),
)


def arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION", title="actions", required=True)
    probe = actions.add_parser("probe", help="print who wins a position, in how many plies, and the value of each move")
    probe.add_argument("--fen", metavar="FEN", required=True, help="the position")
    info = actions.add_parser("info", help="list the tables: their contents, and what is damaged or missing")
    example = f"example: {COMMAND} tablebase build --pieces 7 --sides 4,3"
    build = actions.add_parser("build", help="build the missing tables; continues an earlier build", epilog=example)
    text = "build all tables up to N pieces, 2 to 6, or 7 with --sides"
    build.add_argument("--pieces", type=piece_count, metavar="N", required=True, help=text)
    build.add_argument("--sides", metavar="4,3", help="with --pieces 7: build only tables of 4 pieces against 3")
    for each in (probe, info, build):
        add_json(each)


def run(options: argparse.Namespace) -> int:
    actions = {"probe": _probe, "info": _info, "build": _build}
    return actions[options.action](options)


def _probe(options: argparse.Namespace) -> int:
    from extras.tablebase import reports
    from game.endgame.tables import open_tables

    probed = position(options.fen)
    result = reports.probe(open_tables(), probed)
    print_result(options, lambda: reports.probe_json(result), lambda: reports.probe_text(probed, result))
    return 0


def _info(options: argparse.Namespace) -> int:
    from evolve.session.reporters import CountingLine
    from extras.tablebase.reports import take_inventory
    from game.endgame.table_file import tablebase_folder

    line = CountingLine(quiet=options.json)
    try:
        inventory = take_inventory(tablebase_folder(), lambda name: line.count(f"reading {name}"))
    finally:
        line.count()
    print_result(options, inventory.as_json, inventory.text)
    return 2 if inventory.damaged else 0


def _build(options: argparse.Namespace) -> int:
    from extras.tablebase import sides
    from extras.tablebase.reports import take_inventory
    from game.endgame import build
    from game.endgame.slices import slices_up_to, slices_with
    from game.endgame.table_file import survey

    chosen = _sides(options.pieces, options.sides)
    folder = _folder()
    needs = sides.estimate(folder, chosen) if chosen else build.needs(options.pieces, folder)
    if not options.json:
        memory, disk = size_text(needs.memory), size_text(needs.disk)
        which = sides.text_of(chosen) if chosen else f"up to {options.pieces} pieces"
        print(f"tables of {which} in {folder}: at most {memory} of memory and {disk} of disk", file=sys.stderr)
        if chosen:
            minutes = needs.positions / sides.POSITIONS_A_SECOND / 60
            print(f"{needs.positions:,} positions, about {minutes:,.0f} CPU minutes", file=sys.stderr)
            print("values are in memory while half of what is free holds them, else in a file there", file=sys.stderr)
        print("Ctrl-C stops it; the same command continues it", file=sys.stderr, flush=True)
    began = time.monotonic()
    try:
        with show_progress(quiet=options.json) as report:
            if chosen:
                sides.build_sides(folder, chosen, report)
            else:
                build.build_tables(folder, options.pieces, report=report)
    except (KeyboardInterrupt, SystemExit):  # by Ctrl-C, by SIGTERM
        wanted = {*slices_up_to(sum(chosen) - 1), *slices_with(chosen)} if chosen else {*slices_up_to(options.pieces)}
        whole = [not file.fault for file in survey(folder) if file.slice in wanted]
        kept = f"{sum(whole)} of {len(whole)} files are complete"
        print(f"{PROGRAM}: stopped; {kept}; the same command continues the build", file=sys.stderr)
        raise
    seconds, inventory = time.monotonic() - began, take_inventory(folder)
    print_result(
        options,
        lambda: inventory.as_json() | {"seconds": seconds},
        lambda: f"ready after {clock_text(seconds)}\n\n{inventory.text()}",
    )
    return 0


def _folder() -> Path:
    from game.endgame.table_file import tablebase_folder

    folder = tablebase_folder()
    if folder is None:
        raise InputError("there is no folder for tables: set CROWNHEAD_CACHE_DIR to one")
    return folder


@contextmanager
def show_progress(*, quiet: bool) -> Iterator[Report]:
    """Show the progress of a build: one line that is overwritten on a terminal, otherwise a line every few seconds."""
    from evolve.session.reporters import CountingLine

    line, last = CountingLine(quiet=quiet), time.monotonic()

    def report(progress: BuildProgress) -> None:
        nonlocal last
        share = progress.done / max(progress.total, 1)
        parts = [f"{100 * share:.1f} %", progress.task]
        if progress.seconds_left is not None and share >= 0.01:  # earlier estimates are mostly loading time
            parts.insert(1, f"{clock_text(progress.seconds_left)} left")
        line.count(*parts)
        if time.monotonic() >= last + SECONDS_A_LINE:
            last = time.monotonic()
            line.step(", ".join(parts))

    try:
        with exit_at_signals():
            yield report
    finally:
        line.count()


def piece_count(text: str) -> int:
    """Parse a number of pieces for which tables can be built, as the type of an option."""
    from game.endgame.slices import LEAST_PIECES, MOST_BUILT, MOST_PIECES

    if len(text) == 1 and text.isascii() and text.isdigit() and LEAST_PIECES <= int(text) <= MOST_PIECES:
        return int(text)
    known = f"{LEAST_PIECES} to {MOST_BUILT} (or {MOST_PIECES} with --sides)"
    raise argparse.ArgumentTypeError(f"expected a number of pieces from {known}, got {text!r}")


def _sides(pieces: int, text: str | None) -> tuple[int, int] | None:
    """Return the numbers of pieces of both sides whose tables are to be built; None for all tables."""
    from extras.tablebase.sides import SIDES
    from game.endgame.slices import MOST_BUILT

    known = ",".join(map(str, SIDES))
    if text is None:
        if pieces > MOST_BUILT:
            raise InputError(f"--pieces {pieces}: needs --sides {known}, the only part of these tables that is built")
        return None
    if text.replace(" ", "") != known:
        raise InputError(f"--sides: expected {known}, got {text!r}")
    if pieces != sum(SIDES):
        raise InputError(f"--sides {known}: expected --pieces {sum(SIDES)}, got {pieces}")
    return SIDES
