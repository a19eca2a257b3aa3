"""The sections of docs/commands.md, made from the parsers: ``python -m tests.commands_page`` writes them."""

from __future__ import annotations

import argparse
import importlib
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import extras
import main

PAGE = Path(__file__).parents[1] / "docs" / "commands.md"

LEFT_OUT = (argparse._HelpAction, argparse._SubParsersAction)

BEGIN = "<!-- verbs -->\n"


def declare_all(parser: argparse.ArgumentParser) -> None:
    """Add the options of all verbs below a parser."""
    if hasattr(parser, "declare"):
        parser.declare()
    for below in actions_of(parser).values():
        declare_all(below)


def actions_of(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    kinds = (action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    return next((dict(kind.choices) for kind in kinds), {})


def examples(verb: main.Verb) -> tuple[tuple[str, str], ...]:
    """Return the examples of a verb: their arguments and descriptions."""
    names = [verb.module, *(module for name, module in extras.added("options") if name == verb.name)]
    own = [each for name in names for each in getattr(importlib.import_module(name), "EXAMPLES", ())]
    return (*own, *((words, text) for name, words, text in extras.added("examples") if name == verb.name))


def verb_parsers() -> dict[str, argparse.ArgumentParser]:
    parser = main.build_parser()
    declare_all(parser)
    return actions_of(parser)


def _linked(text: str) -> str:
    """Return a text in which names of other pages are links."""
    text = re.sub(r"\bdocs/([\w-]+)\.md", r"[\1](\1.md)", " ".join(text.split()))
    return re.sub(r"\b(extras/\w+/([\w-]+)\.md)", r"[\2](../\1)", text)


def _rows(parser: argparse.ArgumentParser, action: str = "", known: Sequence[str] = ()) -> Iterator[str]:
    """Yield a row for each option of a verb, below the titles of their groups, or of one of its actions.

    Args:
        parser: of the verb or action.
        action: its name.
        known: options of the verb, which its actions repeat.
    """
    formatter = parser._get_formatter()
    for group in parser._action_groups:
        options = [option for option in group._group_actions if not isinstance(option, LEFT_OUT)]
        options = [option for option in options if not set(option.option_strings) & set(known)]
        if options and not action and group.title not in ("positional arguments", "options"):
            yield f"| *{group.title}* | |"
        for option in options:
            names = ", ".join(option.option_strings) or option.metavar or option.dest
            if option.option_strings and option.nargs != 0:
                names += f" {formatter._format_args(option, option.dest.upper())}"
            text = _linked(formatter._expand_help(option)).replace("|", r"\|").replace("*", r"\*")
            yield f"| {f'`{action}` ' if action else ''}`{names}` | {text} |"


def section(verb: main.Verb, parser: argparse.ArgumentParser) -> str:
    """Return the section of a verb: its description, its examples and its options."""
    actions = actions_of(parser)
    parts = [f"### {verb.name}", _linked(parser.description or "")]
    if commands := [f"# {words}\npython main.py {verb.name} {line}".rstrip() for line, words in examples(verb)]:
        parts.append("\n".join(["```sh", *commands, "```"]))
    rows = [
        *_rows(parser),
        *(row for name, each in actions.items() for row in _rows(each, name, [*parser._option_string_actions])),
    ]
    parts.append("\n".join(["| option | |", "|---|---|", *rows]))
    return "\n\n".join(parts) + "\n"


def page() -> str:
    before = os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = "80"
    parsers, parts, purpose = verb_parsers(), [f"{PAGE.read_text(encoding='utf-8').partition(BEGIN)[0]}{BEGIN}"], ""
    for verb in main.VERBS:
        if verb.purpose != purpose:
            purpose = verb.purpose
            parts.append(f"## {purpose}\n")
        parts.append(section(verb, parsers[verb.name]))
    os.environ.pop("COLUMNS") if before is None else os.environ.update(COLUMNS=before)
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
