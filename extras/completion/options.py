"""The option ``--print-completion`` of the program."""

from __future__ import annotations

import argparse

TYPE_CHECKING = False  # as in `typing`, whose import takes a tenth of the time of --help
if TYPE_CHECKING:
    from typing import Any, NoReturn


class _PrintCompletion(argparse.Action):
    """Prints a completion script for a shell, with the options of all verbs."""

    def __call__(self, parser: argparse.ArgumentParser, namespace: Any, values: Any, option: Any = None) -> NoReturn:
        from extras.completion import scripts

        print(scripts.script(parser, values))
        parser.exit()


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--print-completion",
        action=_PrintCompletion,
        choices=("bash", "zsh"),
        help="print a completion script and exit",
    )
