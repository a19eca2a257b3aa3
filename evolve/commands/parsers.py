"""Parsers of the command line below a parser: its verbs and their actions."""

from __future__ import annotations

import argparse
from pathlib import Path


def declare_all(parser: argparse.ArgumentParser, files: object = None) -> None:
    """Add the options of all verbs below a parser, and complete arguments of type `Path` by `files`."""
    if hasattr(parser, "declare"):
        parser.declare()
    for action in parser._actions:
        if action.type is Path:
            action.complete = files  # type: ignore[attr-defined]
    for below in actions_of(parser).values():
        declare_all(below, files)


def actions_of(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    kinds = (action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    return next((dict(kind.choices) for kind in kinds), {})
