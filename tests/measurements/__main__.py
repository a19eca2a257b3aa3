"""All measurements: those of the verb ``bench``, and of kernels, the window, large runs, a cluster and other programs.

    python -m tests.measurements [--quick] [--only NAME,...] [--json]

They take ten minutes on an idle machine.
"""

from __future__ import annotations

import argparse
import json
import sys

import main as program
from evolve.bench import figures, sessions, speed
from evolve.session.reporters import CountingLine
from tests.measurements import cluster, kernels, peers, reports, window

SOURCES = (speed.probes, sessions.probes, kernels.probes, cluster.probes, reports.probes, window.probes, peers.probes)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.measurements")
    parser.add_argument("--quick", action="store_true", help="take tiny samples, to check that everything runs")
    parser.add_argument("--only", metavar="NAME,...", help="figures or groups of figures")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args(arguments)
    line = CountingLine(quiet=options.json)
    only = None if options.only is None else [name.strip() for name in options.only.split(",") if name.strip()]
    result = figures.measure(SOURCES, quick=options.quick, only=only, show=line.count)
    print(json.dumps(result) if options.json else figures.text(result))
    return program.DONE


if __name__ == "__main__":
    sys.exit(main())
