"""The verb ``desktop``: menu entry, icons and a file type on the desktops of Linux."""

from __future__ import annotations

import argparse

from evolve.commands.options import add_json, print_result

EXAMPLES = (
    ("install", "add a menu entry, and open PDN files with Crownhead"),
    ("status", "say what is installed, and whether it is up to date"),
    ("remove", "undo all of this"),
)


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = "Add Crownhead to your desktop on Linux (freedesktop.org): menu entry, icons, file type .pdn."
    parser.add_argument("action", choices=("install", "remove", "status"), help="install or update, remove, or report")
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    from extras.desktop import desktop

    here = desktop.desktop()
    if options.action == "status":
        parts = here.parts()
        words = {True: "present", False: "missing or outdated"}
        print_result(
            options, lambda: parts, lambda: "\n".join(f"{words[there]:21}{name}" for name, there in parts.items())
        )
        return 0
    lines = here.install() if options.action == "install" else here.remove()
    print_result(options, lambda: {"done": lines}, lambda: "\n".join(lines))
    return 0
