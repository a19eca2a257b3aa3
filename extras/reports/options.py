"""The options ``--html`` and ``--plots`` of the verb ``inspect``."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from evolve.commands.inspect import show_report
from evolve.commands.options import OUTPUT, group, is_given
from game.errors import InputError
from game.installation import check_extra

if TYPE_CHECKING:
    from collections.abc import Callable

    from evolve.inspection.results import Report

EXAMPLES = (("mine --games 0 --html mine.html", "a page with a slider over generations and champions to play against"),)


_NEEDS = "needs the packages of figures: pip install '.[figures]'"


def arguments(parser: argparse.ArgumentParser) -> None:
    output = group(parser, OUTPUT)
    text = (
        "write one page with everything, figures included; of a run: with a slider over generations, champions to "
        f"play against, and values of curves at the pointer ({_NEEDS})"
    )
    output.add_argument("--html", metavar="FILE", type=Path, help=text)
    output.add_argument("--plots", metavar="DIR", type=Path, help=f"write figures into this folder ({_NEEDS})")


def run(options: argparse.Namespace) -> int | None:
    """Report as the verb does, and write a page or figures, if the options ask for them."""
    if options.html is None and options.plots is None:
        return None
    option = "--html" if options.plots is None else "--plots"
    if is_given(options, "traits"):
        raise InputError(f"{option}: not together with --traits")
    if not options.targets:
        raise InputError(f"{option}: expected a TARGET: a run, a generation, an individual or a file")
    _check(options, option)

    def write(report: Report, show: Callable[[str], None]) -> Report:
        from extras.reports import output  # Matplotlib takes half a second

        return output.write(report, options.plots, options.html, show)

    return show_report(options, write)


def _check(options: argparse.Namespace, option: str) -> None:
    from evolve.run.files import check_folder, check_target

    check_extra(f"{option} needs Matplotlib", "figures", ("matplotlib",))
    if options.html is not None:
        check_target(options.html)
    if options.plots is not None:
        check_folder(options.plots)
