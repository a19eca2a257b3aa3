"""The command line of Crownhead: the list of verbs, exit codes and error lines.

A verb is a module with ``arguments(parser)``, which declares its options, and ``run(options)``, which returns the exit
code. The module is imported only when its verb is used, and imports slow packages inside `run`, so ``--help`` is quick.

Progress goes to standard error, results to standard output. Exit codes: 0 done, 2 a mistake of the user, 69 the cluster
is gone, 70 a fault of the program, 74 disk, 75 busy, 130 and 143 interrupted, 129 the terminal of a session was closed.
"""

from __future__ import annotations

import argparse
import codecs
import contextlib
import functools
import importlib
import io
import re
import sys
from collections.abc import Sequence

from game import terminal
from game.errors import describe, one_line, spell_out
from game.installation import PROGRAM
from game.terminal import terminal_width

TYPE_CHECKING = False  # as in `typing`, whose import takes a tenth of the time of --help
if TYPE_CHECKING:
    from typing import Any, NoReturn

DONE, MISTAKE, FAULT, DISK, BUSY, INTERRUPTED = 0, 2, 70, 74, 75, 130


class Verb:
    """A verb: its name, its module and its help text."""

    def __init__(self, name: str, module: str, text: str) -> None:
        self.name, self.module, self.text = name, module, text


LONGEST_LINE = 2000
"""Maximum length of an error line; messages with paths or lists of keys are shorter."""

HOME = "gui.commands.home"
"""The module that runs without a verb."""

VERBS = (
    Verb("play", "gui.commands.play", "play in the window"),
    Verb("watch", "gui.commands.watch", "watch two players in the window"),
    Verb("perft", "evolve.commands.perft", "count move sequences, to test the move generator"),
    Verb("evolve", "evolve.commands.evolve", "evolve a population, or continue a run"),
    Verb("train", "evolve.commands.train", "train one network, or continue such a run"),
    Verb("match", "evolve.commands.match", "play many games between two players: score and Elo with intervals"),
    Verb("ladder", "evolve.commands.ladder", "rate several players on one scale, with fixed opponents"),
    Verb("arena", "evolve.commands.arena", "compare players under equal limits, and their cost"),
    Verb("move", "evolve.commands.move", "print the move of a player in a position, for scripts"),
    Verb("analyse", "evolve.commands.analyse", "show how a player evaluates every move of a position"),
    Verb("engine", "evolve.commands.engine", "run a player for other programs, over standard input (docs/engine.md)"),
    Verb(
        "progress",
        "evolve.commands.progress",
        "test whether a run got stronger: its last champion against earlier ones",
    ),
    Verb("inspect", "evolve.commands.inspect", "report on a run, a generation, an individual or a CSV file"),
    Verb("export", "evolve.commands.export", "export a run for TensorBoard, or a network as an ONNX model or in C"),
    Verb("pdn", "evolve.commands.pdn", "check files of recorded games"),
    Verb("tablebase", "evolve.commands.tablebase", "look up and build tables of perfect play with few pieces"),
    Verb("network", "evolve.commands.network", "describe a network: its layers, and each weight of a genome"),
    Verb("cluster", "evolve.commands.cluster", "start a cluster that plays games on several machines"),
    Verb("bench", "evolve.commands.bench", "measure how fast this machine plays and evolves, against goals"),
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
    from pathlib import Path

    if isinstance(parser, _Parser):
        parser.declare()
    for action in parser._actions:
        if action.type is Path:
            action.complete = files  # type: ignore[attr-defined]
        if isinstance(action, argparse._SubParsersAction):
            for verb in action.choices.values():
                _declare_all(verb, files)


class _Help(argparse.HelpFormatter):
    """A formatter that knows the width of the terminal; argparse would import shutil and all its compressors for it."""

    def __init__(self, prog: str, column: int = 24) -> None:
        super().__init__(prog, max_help_position=column, width=terminal_width(sys.stdout) - 2)


def build_parser(verbs: Sequence[Verb] = VERBS) -> argparse.ArgumentParser:
    """Return a parser of all verbs. The module of a verb is imported when its parser is used."""
    text = "Evolve checkers players, watch them improve, play them."
    after_verbs = functools.partial(_Help, column=6 + max(len(verb.name) for verb in VERBS))
    parser = _Parser(prog=PROGRAM, description=text, formatter_class=after_verbs)
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
        actions.add_parser(verb.name, help=verb.text, formatter_class=_Help).module = verb.module
    return parser


def main(arguments: Sequence[str] | None = None, verbs: Sequence[Verb] = VERBS) -> int:
    """Run one verb and return the exit code; an error is printed as one line to standard error."""
    terminal.open_missing()
    try:
        options = build_parser(verbs).parse_args(_joined(sys.argv[1:] if arguments is None else arguments))
        live = sys.stderr.isatty() and not getattr(options, "json", False)
        run = importlib.import_module(HOME).run if options.verb is None else options.run
        from game.compiled import compiling

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
        terminal.settle(sys.stdout, sys.stderr)


def _joined(arguments: Sequence[str]) -> list[str]:
    """Return the arguments with ``--sprt -5,5`` as one word, since argparse takes ``-5,5`` for an option."""
    joined: list[str] = []
    for argument in arguments:
        if joined and joined[-1].startswith("--") and re.match(r"-[\d.]+,", argument):
            joined[-1] += f"={argument}"
        else:
            joined.append(argument)
    return joined


def _shortened(line: str) -> str:
    """Return an error line without its middle if it is too long, such as a whole text given as a name."""
    if len(line) <= LONGEST_LINE:
        return line
    return f"{line[: LONGEST_LINE // 2]} ... {line[-LONGEST_LINE // 2 :]}"


def _report(error: Exception, verbs: Sequence[Verb]) -> int:
    lines = getattr(error, "lines", (describe(error),))
    if getattr(error, "needs_display", False):
        others = [verb.name for verb in verbs if not verb.module.startswith("gui.")]
        lines = (f"{lines[0]}; these need none: {', '.join(others)}",)
    for line in lines:
        with contextlib.suppress(OSError):  # such as a full disk; the exit code remains
            print(f"{PROGRAM}: {_shortened(one_line(line))}", file=sys.stderr, flush=True)
    return int(getattr(error, "exit_code", DISK if isinstance(error, OSError) else FAULT))


def console() -> NoReturn:
    """Run the program as a script: ``python main.py``, or ``crownhead`` if installed."""
    codecs.register_error("spell-out", spell_out)
    for stream in (sys.stdout, sys.stderr):  # names may have characters that the encoding lacks
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="spell-out")
    sys.exit(main())


if __name__ == "__main__":
    console()
