"""The option ``--tensorboard`` of sessions, and its switch in the window's forms."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from game.errors import sentence
from game.installation import check_extra, has_extra, missing_extra

if TYPE_CHECKING:
    from evolve.run.folder import Run
    from evolve.session.reporters import Reporter

NAME = "tensorboard"
TEXT = "Event files for TensorBoard"
HINT = "TensorBoard then shows the curves of this run"
PACKAGES = ("tensorboardX",)


def add(output: argparse._ArgumentGroup) -> None:
    """Add the option to a group of a verb."""
    output.add_argument(
        f"--{NAME}", action="store_true", help="also write event files for TensorBoard into the run folder"
    )


def check(verb: str) -> None:
    """Check that a verb can use the option.

    Raises:
        MissingExtraError: a package is not installed.
    """
    check_extra(f"{verb} --{NAME} needs tensorboardX", "export", PACKAGES)


def problem() -> str:
    """Return why a session cannot use the option, in a sentence; empty if it can."""
    return "" if has_extra(PACKAGES) else sentence(missing_extra("Event files need tensorboardX", "export"))


def reporter(run: Run, shown: Reporter) -> Reporter:
    """Return a reporter that also writes event files, given the one that displays the session."""
    from extras.export.tensorboard import TensorBoard

    return TensorBoard(run, shown)
