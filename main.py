"""The command line of Crownhead: the list of verbs, exit codes and error lines.

A verb is a module with ``arguments(parser)``, which declares its options, ``run(options)``, which returns the exit
code, and optionally ``EXAMPLES``, pairs of arguments and words. The module is imported only when its verb is used, and
imports slow packages inside `run`, so ``--help`` is quick.

Exit codes: 0 done, 2 a mistake of the user, 69 the cluster is gone, 70 a fault of the program, 74 disk, 75 busy, 130
and 143 interrupted, 129 the terminal of a session was closed.
"""

from __future__ import annotations

import argparse
import codecs
import contextlib
import errno
import functools
import importlib
import io
import os
import re
import sys
import warnings
from collections.abc import Iterator, Sequence

if __name__ == "__main__" and (_HERE := os.path.dirname(os.path.abspath(__file__))) not in sys.path:
    sys.path.insert(0, _HERE)  # Python leaves it out with -P, -I or PYTHONSAFEPATH

from extras import BrokenExtraError, Verb, added, missing
from game import terminal
from game.errors import InputWarning, describe, limit_remedy, one_line, spell_out
from game.installation import COMMAND, PROGRAM, VERSION, environment_problem, module_name
from game.removed import removed
from game.terminal import terminal_width

TYPE_CHECKING = False  # as in `typing`, whose import takes a tenth of the time of --help
if TYPE_CHECKING:
    from typing import Any, NoReturn

DONE, MISTAKE, FAULT, DISK, BUSY, INTERRUPTED = 0, 2, 70, 74, 75, 130


LONGEST_LINE = 2000
"""Maximum length of an error line; messages with paths or lists of keys are shorter."""

_NO_MEMORY = f"{PROGRAM}: out of memory: raise the limit (ulimit -v), or use fewer workers or individuals\n".encode()

HOME = module_name("gui.commands.home")
"""The module that runs without a verb."""

FILES = (".pdn", ".csv", ".tsv", ".txt")
"""Endings of files that the program opens in the window if one is its first argument."""

PURPOSES = PLAY, EVOLVE, MEASURE, INSPECT, CONNECT = "Play", "Evolve", "Measure", "Inspect", "Connect"

CORE = (
    Verb("play", "gui.commands.play", "play in the window", PLAY, window=True),
    Verb("watch", "gui.commands.watch", "watch two players in the window", PLAY, window=True),
    Verb("move", "evolve.commands.move", "print the move of a player in a position, for scripts", PLAY),
    Verb("evolve", "evolve.commands.evolve", "evolve a population, or continue a run", EVOLVE),
    Verb("match", "evolve.commands.match", "play many games between two players: score and Elo", MEASURE),
    Verb("inspect", "evolve.commands.inspect", "report on runs, generations, individuals and CSV files", INSPECT),
)
try:
    VERBS = tuple(sorted((*CORE, *added("verbs")), key=lambda verb: PURPOSES.index(verb.purpose)))
except BrokenExtraError as broken:
    print(f"{PROGRAM}: {one_line(str(broken))}", file=sys.stderr)
    sys.exit(FAULT)


class _Parser(argparse.ArgumentParser):
    """A parser that reports an error in one line, without the usage text."""

    module = ""

    def error(self, message: str) -> NoReturn:
        self.exit(MISTAKE, f"{self.prog}: {_shortened(one_line(message))} (see {self.prog} --help)\n")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        self.declare()
        self._refuse_removed(sys.argv[1:] if args is None else args)
        options, unknown = super().parse_known_args(args, namespace)
        if unknown:  # argparse would report them as the program's, and name a help text without the verb's options
            self._refuse_missing(unknown)
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return options, unknown

    def _refuse_removed(self, words: Sequence[str]) -> None:
        """Report a verb, action or option that an earlier version had, or a verb or action of an absent extra."""
        verb = self.prog.split()[1:]
        first, *others = words or [""]
        line = removed(*verb, first.partition("=")[0])
        own = others if self._subparsers is None else ()  # behind an action are options of the action
        options = (word.partition("=")[0] for word in own if word.startswith("--"))
        line = line or next(filter(None, (removed(*verb, name) for name in options)), None)
        if line:
            self.exit(MISTAKE, f"{PROGRAM}: {line}\n")
        if self._subparsers is not None:
            self._refuse_missing([first])

    def _refuse_missing(self, words: Sequence[str]) -> None:
        """Report a verb, action or option of an extra that is not here."""
        line = next(filter(None, (missing(word.partition("=")[0]) for word in words)), None)
        if line:
            self.exit(MISTAKE, f"{PROGRAM}: {line}\n")

    def _print_message(self, message: str, file: Any = None) -> None:
        if file is sys.stdout and file is not None:
            file.write(message)  # argparse would ignore errors
        else:
            super()._print_message(message, file)

    def declare(self) -> None:
        if self.module:
            verb = importlib.import_module(self.module)
            self.module = ""
            name = self.prog.split()[-1]
            more = [importlib.import_module(module_name(part)) for other, part in added("options") if other == name]
            for part in (verb, *more):
                part.arguments(self)
            self.set_defaults(run=functools.partial(_run, (*more, verb)))
            examples = [each for part in (verb, *more) for each in getattr(part, "EXAMPLES", ())]
            self.epilog = _in_words([*examples, *(each for other, *each in added("examples") if other == name)], name)


def _run(parts: Sequence[Any], options: Any) -> Any:
    """Return the exit code of the first part that does what the options ask for: the verb itself is the last one."""
    return next(code for part in parts if (code := part.run(options)) is not None)


def _in_words(examples: Sequence[tuple[str, str]], verb: str) -> str | None:
    lines = [f"  {COMMAND} {verb} {arguments}".rstrip() + f"\n      {words}" for arguments, words in examples]
    return "\n".join(["examples:", *lines]) if lines else None


class _Help(argparse.HelpFormatter):
    """A formatter that keeps the lines of examples and lists verbs by purpose.

    It asks for the width of the terminal itself; argparse would import shutil and all its compressors for that.
    """

    def __init__(self, prog: str, column: int = 0) -> None:
        super().__init__(prog, max_help_position=column or 24, width=terminal_width(sys.stdout) - 2)
        self._action_max_length = max(column - 2, 0)  # argparse does not count the indent of verbs below a purpose

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        if not text.startswith("examples:"):
            return super()._fill_text(text, width, indent)
        return text  # a command that is longer than a line can still be copied

    def _format_action(self, action: argparse.Action) -> str:
        text = super()._format_action(action)
        if isinstance(action, argparse._SubParsersAction) and not action.help:
            text = text.partition("\n")[2].lstrip("\n")  # without the line that has only the metavar
        return f"\n  {action.heading}\n{text}" if hasattr(action, "heading") else text


def build_parser(verbs: Sequence[Verb] = VERBS) -> argparse.ArgumentParser:
    text = "Evolve checkers players, watch them improve, play them. Without a verb, the window opens."
    after_verbs = functools.partial(_Help, column=6 + max(len(verb.name) for verb in VERBS))
    end = f"{COMMAND} VERB --help describes a verb, with examples."
    parser = _Parser(prog=PROGRAM, description=text, epilog=end, formatter_class=after_verbs)
    version = f"crownhead {VERSION}"
    parser.add_argument("--version", action="version", version=version, help="print the version and exit")
    actions = parser.add_subparsers(dest="verb", metavar="VERB", title="verbs", parser_class=_Parser)
    headings = set()
    for verb in verbs:
        sentence = f"{verb.text[0].upper()}{verb.text[1:]}."
        parser_of_verb = actions.add_parser(verb.name, help=verb.text, description=sentence, formatter_class=_Help)
        parser_of_verb.module = module_name(verb.module)
        if verb.purpose not in headings:
            headings.add(verb.purpose)
            actions._choices_actions[-1].heading = verb.purpose  # type: ignore[attr-defined]
    return parser


def main(arguments: Sequence[str] | None = None, verbs: Sequence[Verb] = VERBS) -> int:
    """Run one verb and return the exit code; an error is printed as one line to standard error."""
    terminal.open_missing()
    try:
        given = sys.argv[1:] if arguments is None else arguments
        if given and given[0].lower().endswith(FILES):
            given = ["play", "--open", *given]
        options = _parsed(_joined(given), verbs)
        live = sys.stderr.isatty() and not getattr(options, "json", False)
        run = importlib.import_module(HOME).run if options.verb is None else options.run
        from game.compiled import compiling

        with compiling.notify(compiling.Notice(sys.stderr, live=live)), notes_shown():
            code = int(run(options))
        _flush_output()
        return code
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # as in `inspect RUN | head`
        return DONE
    except Exception as error:
        try:
            return MISTAKE if _print_lack_of_memory(error) else _report(error, verbs)
        except MemoryError as lack:
            _print_lack_of_memory(lack)
            return MISTAKE
    finally:
        terminal.settle(sys.stdout, sys.stderr)


@contextlib.contextmanager
def notes_shown() -> Iterator[None]:
    with warnings.catch_warnings():
        show = warnings.showwarning

        def print_note(message: Warning | str, category: type[Warning], *place: Any, **options: Any) -> None:
            if issubclass(category, InputWarning):
                _print_line(str(message))
            else:  # without the traceback that Numba appends to a warning about a variable
                show(str(message).partition("\n")[0], category, *place, **options)

        warnings.simplefilter("default", InputWarning)
        warnings.showwarning = print_note
        yield


def _parsed(arguments: Sequence[str], verbs: Sequence[Verb]) -> Any:
    try:
        return build_parser(verbs).parse_args(arguments)
    except SystemExit:
        _flush_output()  # of --help or --version
        raise


def _flush_output() -> None:
    try:
        sys.stdout.flush()
    except OSError as error:
        raise type(error)(error.errno, error.strerror, "standard output") from error


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
    code = getattr(error, "exit_code", DISK if isinstance(error, OSError) else FAULT)
    if limit_remedy(error) and getattr(error, "errno", None) != errno.EFBIG:  # that one is about the disk
        code = MISTAKE
    if code == FAULT and not hasattr(error, "exit_code") and (why := environment_problem(error)):
        cause = "" if isinstance(error, ModuleNotFoundError) else f" (it led to {type(error).__name__}: {error})"
        lines = (why + cause,)
        code = MISTAKE
    if getattr(error, "needs_display", False):
        others = [verb.name for verb in verbs if not verb.window]
        lines = (f"{lines[0]}; these need none: {', '.join(others)}",)
    for line in lines:
        _print_line(line)
    return int(code)


def _print_lack_of_memory(error: Exception) -> bool:
    """Report that memory cannot be had, without using any more of it; return False if this is not the error."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, MemoryError):
        if "failed to map segment" in str(cause) or "Cannot allocate memory" in str(cause):  # of a library
            break
        cause = cause.__cause__ or cause.__context__
    if cause is None:
        return False
    with contextlib.suppress(OSError):
        os.write(2, _NO_MEMORY)
    return True


def _print_line(line: str) -> None:
    with contextlib.suppress(OSError):  # such as a full disk; the exit code remains
        print(f"{PROGRAM}: {_shortened(one_line(line))}", file=sys.stderr, flush=True)


def console() -> NoReturn:
    codecs.register_error("spell-out", spell_out)
    for stream in (sys.stdout, sys.stderr):  # names may have characters that the encoding lacks
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="spell-out")
    sys.exit(main())


if __name__ == "__main__":
    console()
