"""Completion scripts for shells, with the options of all verbs: bash and zsh by shtab, which does not know fish."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator

from evolve.commands.parsers import actions_of, declare_all

FILES = ("FILE", "DIR", "TARGET", "PLAYER", "A", "B")
"""Metavars of arguments that may be paths."""


def script(parser: argparse.ArgumentParser, shell: str) -> str:
    if shell == "fish":
        declare_all(parser)
        return "\n".join(_fish(parser))
    import shtab

    declare_all(parser, shtab.FILE)
    return str(shtab.complete(parser, shell))


def _fish(parser: argparse.ArgumentParser) -> Iterator[str]:
    program = parser.prog
    seen = f"__{re.sub(r'[^a-z]', '_', program)}_in"
    yield f"# fish completion of {program}"
    yield f"function {seen} # VERB [ACTION]"
    yield "    set -l words (commandline -opc)"
    yield '    test (count $words) -gt 1; and test "$words[2]" = "$argv[1]"'
    yield "    and begin; test (count $argv) -eq 1; or contains -- $argv[2] $words; end"
    yield "end"
    begin = f"complete -c {program}"
    yield f"{begin} -f"
    first = "test (count (commandline -opc)) -eq 1; or string match -q -- '--*' (commandline -opc)[2]"
    for line in _completions(parser, first):
        yield f"{begin} {line}"
    for verb, below in actions_of(parser).items():
        actions = actions_of(below)
        outside = "".join(f"; and not {seen} {verb} {action}" for action in actions)
        for line in _completions(below, f"{seen} {verb}{outside}"):
            yield f"{begin} {line}"
        for action, deepest in actions.items():
            for line in _completions(deepest, f"{seen} {verb} {action}"):
                yield f"{begin} {line}"


def _completions(parser: argparse.ArgumentParser, condition: str) -> Iterator[str]:
    """Yield the arguments of ``complete`` for the options, arguments and actions of one parser."""
    formatter, when = parser._get_formatter(), f"-n {_quoted(condition)}"
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for choice in action._choices_actions:
                yield f"{when} -a {choice.dest} -d {_quoted(_brief(choice.help or ''))}"
            continue
        values = f"-x -a {_quoted(' '.join(map(str, action.choices)))}" if action.choices else "-x"
        if not action.choices and str(action.metavar) in FILES:
            values = "-r -F"
        if not action.option_strings:
            if action.choices or values != "-x":
                yield f"{when} {values.removeprefix('-x ').removeprefix('-r ')}"
            continue
        names = (f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in action.option_strings)
        text = _quoted(_brief(formatter._expand_help(action))) if action.help else "''"
        yield " ".join([when, *names, *([values] if action.nargs != 0 else []), "-d", text])


def _brief(text: str) -> str:
    return re.split(r"[;(]", " ".join(text.split()))[0].strip()


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
