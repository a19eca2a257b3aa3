"""``python -m tests.faults``: inflict every fault that Crownhead promises to survive, and print what held."""

from __future__ import annotations

import argparse
import logging
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tests.faults import asked, crews, damage, disks, kills, powercut, saves
from tests.faults.harness import MEMORY, Bench, processes_ended
from tests.faults.report import HEADING, Report

TRIALS: tuple[tuple[tuple[str, ...], Callable[[Report, Bench], None]], ...] = (
    (("F1", "F2"), kills.workers_killed),
    (("F3",), kills.main_killed),
    (("F4",), saves.saves),
    (("F4",), powercut.power_cuts),
    (("F5",), disks.full_disks),
    (("F6",), damage.damaged_files),
    (("F8",), kills.parent_killed),
    (("F9",), asked.signals),
    (("F9",), asked.second_signals),
    (("F9",), asked.while_compiling),
    (("F11",), crews.crews),
    (("F12",), crews.lost_loggers),
)


def main() -> int:
    """Run the trials that were asked for; 1 if anything did not hold."""
    known = list(dict.fromkeys(fault for faults, _ in TRIALS for fault in faults))
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("--only", metavar="F3,F9", help=f"some of {', '.join(known)}")
    parser.add_argument("--quick", action="store_true", help="fewer repetitions")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of all that is drawn (default: 1)")
    parser.add_argument("--keep", action="store_true", help="leave the runs where they were played")
    options = parser.parse_args()
    wanted = known if options.only is None else options.only.replace(" ", "").split(",")
    if unknown := [fault for fault in wanted if fault not in known]:
        parser.error(f"--only {','.join(unknown)}: expected some of {', '.join(known)}")
    logging.getLogger("evolve").addHandler(logging.NullHandler())  # what goes wrong here goes wrong on purpose
    began = time.monotonic()
    report = Report()
    work = Path(tempfile.mkdtemp(prefix="crownhead-faults-"))
    fast = Path(tempfile.mkdtemp(prefix="crownhead-faults-", dir=MEMORY))
    bench = Bench(work, fast, options.seed, options.quick)
    print(HEADING, flush=True)
    try:
        with processes_ended():
            for faults, trial in TRIALS:
                if set(faults) & set(wanted):
                    trial(report, bench)
    finally:
        shutil.rmtree(fast, ignore_errors=True)
        if options.keep:
            print(f"runs are in {work}", file=sys.stderr)
        else:
            shutil.rmtree(work, ignore_errors=True)
    return report.finish(time.monotonic() - began)


if __name__ == "__main__":
    sys.exit(main())
