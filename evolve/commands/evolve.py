"""The verb ``evolve``: a new or resumed session in which a population evolves; and sessions of any verb."""

from __future__ import annotations

import argparse
import logging
import os
import sys

from evolve.commands.options import add_session, machines, print_result
from extras import modules
from game.errors import describe
from game.terminal import lose

THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")

EXAMPLES = (
    ("--seed 7 --name mine", "evolve with the default preset"),
    ("--preset blondie24 --name blondie", "as Blondie24 evolved: 840 generations with a 4-ply search"),
    ("--preset cowan-ballots --set population.mutants=7", "a published system (docs/published.md), with fewer mutants"),
    ("--network docs/examples/larger-cnn.toml --name larger", "a network of your own"),
    ("--resume mine --generations 30", "continue a run"),
    ("--branch mine@10 --seed 8 --name other", "start from generations 0 to 10 of another run"),
    *(example for module in modules("several") for example in module.EXAMPLES),
    ("--preset blondie24 --minutes 30", "as many generations as this machine plays in half an hour"),
    ("--estimate --preset blondie24", "how long this run would take here, without playing it"),
)


def arguments(parser: argparse.ArgumentParser) -> None:
    add_session(parser, "evolve", " (default: first)")


def run(options: argparse.Namespace) -> int:
    for name in THREAD_VARIABLES:  # one thread per worker; read when numpy and numba are imported
        os.environ.setdefault(name, "1")
    from evolve.session import command

    logging.raiseExceptions = False  # a log that cannot be written must not fill the terminal
    command.check_times(options)
    several = next((module for module in modules("several") if module.are_meant(options)), None)
    if options.estimate:
        estimate = command.foresee(options)
        print_result(options, lambda: estimate, lambda: "\n".join(estimate["words"]))
        return 0
    where = machines(options)
    if several is not None:
        return int(several.run(options, where))
    summary = command.play(options, terminal=sys.stderr.isatty() and not options.json, cluster=where)
    try:
        print_result(options, lambda: command.as_json(summary), lambda: command.report(summary))
        sys.stdout.flush()
    except OSError as error:  # a full disk or a closed pipe: the results are in the run folder
        lose(sys.stdout)
        if not summary.finished and summary.signal is None:
            raise OSError(f"the report could not be written: {describe(error)}") from error
    return 0 if summary.signal is None else 128 + summary.signal
