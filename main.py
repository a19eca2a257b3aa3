"""The command line of Crownhead: the list of verbs, exit codes and error lines.

A verb is a module with ``arguments(parser)``, which declares its options, and ``run(options)``, which returns the exit
code. It is imported only when its verb is asked for, and loads what is heavy inside `run`: so ``--help`` is quick.

Progress goes to standard error, results to standard output. Exit codes: 0 done, 2 the user's mistake, 69 a cluster is
gone, 70 a fault of ours, 74 disk, 75 busy, 130 / 143 interrupted, 129 (a session) its terminal closed.
"""

from __future__ import annotations

import argparse
import codecs
import contextlib
import importlib
import io
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from game import output
from game.compiled import compiling
from game.errors import describe, one_line, spell_out
from game.installation import PROGRAM

DONE, MISTAKE, FAULT, DISK, BUSY, INTERRUPTED = 0, 2, 70, 74, 75, 130


class Verb(NamedTuple):
    """A verb: its name, its module, and what it does in one line."""

    name: str
    module: str
    help: str


LONGEST_LINE = 2000
"""Letters of an error line; paths and lists of keys have fewer."""

HOME = "gui.commands.home"
"""The module of no verb."""

VERBS = (
    Verb("play", "gui.commands.play", "play in the window"),
    Verb("watch", "gui.commands.watch", "watch two players in the window"),
    Verb("perft", "evolve.commands.perft", "count move sequences, to prove the move generator"),
    Verb("evolve", "evolve.commands.evolve", "evolve a population, or go on with a run"),
    Verb("train", "evolve.commands.train", "teach one network, or go on with a run that learns"),
    Verb("match", "evolve.commands.match", "many games between two players: score and Elo, with how sure they are"),
    Verb("ladder", "evolve.commands.ladder", "ratings of several players on one scale, with fixed opponents"),
    Verb("arena", "evolve.commands.arena", "players side by side under equal limits, with what they cost"),
    Verb("move", "evolve.commands.move", "the move of a player in a position, for scripts"),
    Verb("analyse", "evolve.commands.analyse", "what a player thinks of every move in a position, for people"),
    Verb("engine", "evolve.commands.engine", "a player that other programs ask over standard input (docs/engine.md)"),
    Verb("progress", "evolve.commands.progress", "whether a run got stronger: its last champion against earlier ones"),
    Verb("inspect", "evolve.commands.inspect", "what a run, a generation, an individual or a CSV file is like"),
    Verb("export", "evolve.commands.export", "a run for TensorBoard, a network as an ONNX model or as C"),
    Verb("pdn", "evolve.commands.pdn", "files of recorded games"),
    Verb("tablebase", "evolve.commands.tablebase", "perfect play with few pieces: what positions are worth"),
    Verb("network", "evolve.commands.network", "what a network is: layers, and what each weight of a genome does"),
    Verb("cluster", "evolve.commands.cluster", "more machines: how a cluster is started that plays the games"),
    Verb("bench", "evolve.commands.bench", "how fast this machine plays and evolves, beside the goals"),
)


class _Parser(argparse.ArgumentParser):
    """A parser that reports an error in one line, without the usage text.

    The parser of a verb gets its options from the verb's module when it parses.
    """

    module = ""

    def error(self, message: str) -> NoReturn:
        self.exit(MISTAKE, f"{self.prog}: {_shortened(one_line(message))} (see {self.prog} --help)\n")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        self.declare()
        options, unknown = super().parse_known_args(args, namespace)
        if unknown:  # argparse would report them as the program's, and name a help text without the verb's options
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return options, unknown

    def declare(self) -> None:
        """Add the options of the verb, once."""
        if self.module:
            verb = importlib.import_module(self.module)
            self.module = ""
            verb.arguments(self)
            self.set_defaults(run=verb.run)


class _PrintCompletion(argparse.Action):
    """Prints a completion script for a shell, with the options of all verbs."""

    def __call__(self, parser: argparse.ArgumentParser, namespace: Any, values: Any, option: Any = None) -> NoReturn:
        import shtab

        _declare_all(parser, shtab.FILE)
        print(shtab.complete(parser, values))
        parser.exit()


def _declare_all(parser: argparse.ArgumentParser, files: object) -> None:
    """Add the options of all verbs below a parser, and complete paths by `files`."""
    if isinstance(parser, _Parser):
        parser.declare()
    for action in parser._actions:
        if action.type is Path:
            action.complete = files  # type: ignore[attr-defined]
        if isinstance(action, argparse._SubParsersAction):
            for verb in action.choices.values():
                _declare_all(verb, files)


class _Help(argparse.HelpFormatter):
    """A formatter whose column of texts begins right behind the longest verb."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=6 + max(len(verb.name) for verb in VERBS))


def build_parser(verbs: Sequence[Verb] = VERBS) -> argparse.ArgumentParser:
    """A parser of all verbs; their modules are imported when one of them parses."""
    text = "Evolve checkers players, watch them improve, play them."
    parser = _Parser(prog=PROGRAM, description=text, formatter_class=_Help)
    parser.add_argument(
        "--print-completion",
        action=_PrintCompletion,
        choices=("bash", "zsh"),
        help="print a completion script and exit",
    )
    actions = parser.add_subparsers(
        dest="verb", metavar="VERB", help="without one the window opens", parser_class=_Parser
    )
    for verb in verbs:
        actions.add_parser(verb.name, help=verb.help).module = verb.module
    return parser


def main(arguments: Sequence[str] | None = None, verbs: Sequence[Verb] = VERBS) -> int:
    """Run one verb and return the exit code; each error is one line on standard error."""
    output.open_missing()
    try:
        options = build_parser(verbs).parse_args(_joined(sys.argv[1:] if arguments is None else arguments))
        live = sys.stderr.isatty() and not getattr(options, "json", False)
        run = importlib.import_module(HOME).run if options.verb is None else options.run
        with compiling.notify(compiling.Notice(sys.stderr, live=live)):
            code = int(run(options))
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # as of `inspect RUN | head`
        return DONE
    except Exception as error:
        return _report(error, verbs)
    finally:
        output.settle(sys.stdout, sys.stderr)


def _joined(arguments: Sequence[str]) -> list[str]:
    """The arguments with ``--sprt -5,5`` as one word, since argparse would take the second for an option."""
    joined: list[str] = []
    for argument in arguments:
        if joined and joined[-1].startswith("--") and re.match(r"-[\d.]+,", argument):
            joined[-1] += f"={argument}"
        else:
            joined.append(argument)
    return joined


def _shortened(line: str) -> str:
    """An error line without the middle of what is too long for a screen, such as a text given for a name."""
    if len(line) <= LONGEST_LINE:
        return line
    return f"{line[: LONGEST_LINE // 2]} ... {line[-LONGEST_LINE // 2 :]}"


def _report(error: Exception, verbs: Sequence[Verb]) -> int:
    lines = getattr(error, "lines", (describe(error),))
    if getattr(error, "needs_display", False):
        others = [verb.name for verb in verbs if not verb.module.startswith("gui.")]
        lines = (f"{lines[0]}; these need none: {', '.join(others)}",)
    for line in lines:
        with contextlib.suppress(OSError):  # a full disk, for one: the exit code still tells
            print(f"{PROGRAM}: {_shortened(one_line(line))}", file=sys.stderr, flush=True)
    return int(getattr(error, "exit_code", DISK if isinstance(error, OSError) else FAULT))


def console() -> NoReturn:
    """The program as it is started by a person, `python main.py` or the script of an installed one."""
    codecs.register_error("spell-out", spell_out)
    for stream in (sys.stdout, sys.stderr):  # names that a narrow encoding lacks are no reason to fail
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="spell-out")
    sys.exit(main())


if __name__ == "__main__":
    console()
