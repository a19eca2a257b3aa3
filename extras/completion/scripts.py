"""Completion scripts for shells, with the options of all verbs, by shtab."""

from __future__ import annotations

import argparse

from evolve.commands.parsers import declare_all


def script(parser: argparse.ArgumentParser, shell: str) -> str:
    import shtab

    declare_all(parser, shtab.FILE)
    return str(shtab.complete(parser, shell))
