"""The verb ``evolve``: a session, new or resumed."""

from __future__ import annotations

import argparse
import logging
import os
import sys
from pathlib import Path

from evolve.commands.options import RUNS, add_json, network_names, print_result
from game.errors import describe
from game.output import lose

PRESETS = ", ".join(sorted(path.stem for path in Path(__file__).parents[1].glob("config/presets/*.toml")))
THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--preset", metavar="NAME", help=f"one of {PRESETS} (default: cowan)")
    parser.add_argument("--config", metavar="FILE", type=Path, help="TOML file with values that differ from the preset")
    parser.add_argument(
        "--set", metavar="KEY=VALUE", action="append", default=[], dest="settings", help="one value, may be repeated"
    )
    parser.add_argument("--name", help="name of the new run (default: PRESET-1, PRESET-2, ...)")
    parser.add_argument("--generations", type=int, metavar="N", help="number of the last generation (the first is 0)")
    parser.add_argument("--seed", type=int, metavar="N", help="same seed, same run to the byte (default: random)")
    parser.add_argument("--workers", type=int, metavar="N", help="processes (default: one per core)")
    text = f"{network_names()} or a TOML file (default: the preset's)"
    parser.add_argument("--network", metavar="NAME", help=text)
    parser.add_argument("--resume", metavar="RUN", help="go on with a run: a name, or the path of its folder")
    parser.add_argument(
        "--from",
        type=int,
        metavar="N",
        dest="restart_from",
        help="with --resume: give up what came after generation N (-1: everything); its files stay under other names",
    )
    parser.add_argument("--tensorboard", action="store_true", help="write event files into the run folder, too")
    parser.add_argument("--out", metavar="DIR", type=Path, default=RUNS, help="folder of runs (default: populations)")
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Evolve, and print what was done."""
    for name in THREAD_VARIABLES:  # one thread a worker; read when numpy and numba are imported
        os.environ.setdefault(name, "1")
    from evolve.session import command

    logging.raiseExceptions = False  # a log that cannot be written must not fill the screen
    summary = command.evolve(options, terminal=sys.stderr.isatty() and not options.json)
    try:
        print_result(options, lambda: command.as_json(summary), lambda: command.report(summary))
        sys.stdout.flush()
    except OSError as error:  # a full disk, or a pipe that nobody reads: what counts is in the run folder
        lose(sys.stdout)
        if not summary.finished and summary.signal is None:
            raise OSError(f"the report could not be written: {describe(error)}") from error
    return 0 if summary.signal is None else 128 + summary.signal
