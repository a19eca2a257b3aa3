"""All measurements: those of the verb ``bench``, and of kernels and sessions.

    python -m tests.measurements [--quick] [--only NAME,...] [--json]

They take some minutes on an idle machine.
"""

from __future__ import annotations

import argparse
import json
import sys

import main as program
from evolve.session.reporters import CountingLine
from extras.bench import speed
from extras.bench.figures import names
from game.errors import InputError
from tests.measurements import goals, kernels, proofs, sessions

SOURCES = (speed.probes, sessions.probes, kernels.probes, proofs.probes)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.measurements")
    parser.add_argument("--quick", action="store_true", help="take tiny samples, to check that everything runs")
    parser.add_argument("--only", metavar="NAME,...", help="figures or groups of figures")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args(arguments)
    line = CountingLine(quiet=options.json)
    try:
        result = goals.measure(SOURCES, quick=options.quick, only=names(options.only), show=line.count)
    except InputError as error:
        parser.exit(program.MISTAKE, f"{parser.prog}: {error}\n")
    print(json.dumps(result) if options.json else goals.text(result))
    return program.DONE


if __name__ == "__main__":
    sys.exit(main())
