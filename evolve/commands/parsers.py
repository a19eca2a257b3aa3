"""Parsers of the command line below a parser: its verbs and their actions."""

from __future__ import annotations

import argparse


def declare_all(parser: argparse.ArgumentParser) -> None:
    """Add the options of all verbs below a parser."""
    if hasattr(parser, "declare"):
        parser.declare()
    for below in actions_of(parser).values():
        declare_all(below)


def actions_of(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    kinds = (action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    return next((dict(kind.choices) for kind in kinds), {})
