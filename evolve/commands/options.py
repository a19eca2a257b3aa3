"""Code that verbs share: options, printing results, signals. Slow imports are avoided to keep ``--help`` fast."""

from __future__ import annotations

import argparse
import contextlib
import json
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evolve.config.preset_files import PUBLISHED, preset_files
from evolve.run.runs import DEFAULT_RUNS
from extras import modules
from game.errors import InputError, printable
from game.installation import INSTALLED
from game.terminal import output_width, wrap_lines

if TYPE_CHECKING:
    from evolve.workers.pool import Machines
    from game.board import Position
    from game.players.player import Player

_RUNS = "folder of runs (default: %(default)s)" if INSTALLED else "folder of runs (default: populations)"


SETTINGS, GAMES, MACHINES, PLAYERS, OUTPUT = "settings", "games", "machines", "players and runs", "output"
"""Titles of groups of options that several verbs have."""


def group(parser: argparse.ArgumentParser, title: str) -> argparse._ArgumentGroup:
    there = (each for each in parser._action_groups if each.title == title)
    return next(there, None) or parser.add_argument_group(title)


def add_session(parser: argparse.ArgumentParser, verb: str, default: str) -> None:
    names = ", ".join(name for name, path in preset_files(verb).items() if path.parent.name != PUBLISHED)
    values = group(parser, SETTINGS)
    text = f"one of {names}{default}, a published system (docs/published.md), or one of your own"
    values.add_argument("--preset", metavar="NAME", help=text)
    values.add_argument("--config", metavar="FILE", type=Path, help="TOML file with values that differ from the preset")
    text = "set one value; may be repeated; all mistakes are reported at once"
    values.add_argument("--set", metavar="KEY=VALUE", action="append", default=[], dest="settings", help=text)
    text = f"{network_names()}, a TOML file, or the network of a run or preset (default: the preset's)"
    values.add_argument("--network", metavar="NAME", help=text)
    text = (
        "Python file with operators of your own (a fitness function, a mutation, a stage and others), may be "
        "repeated; files that a run, a configuration or a preset "
        "lists are executed only if they are named here; a branch may name a corrected file (docs/operators.md)"
    )
    values.add_argument("--plugin", metavar="FILE", type=Path, action="append", default=[], help=text)
    run = group(parser, "the run")
    run.add_argument("--name", help="name of the new run (default: PRESET-1, PRESET-2, ...)")
    run.add_argument("--generations", type=int, metavar="N", help="number of the last generation (the first is 0)")
    text = (
        "end after about M minutes: the last generation is chosen by an estimate, and again when it is near; "
        "methods of learning have no estimate"
    )
    run.add_argument("--minutes", type=float, metavar="M", help=text)
    text = (
        "pause after generation N, until a later number is written to the file control/pause-at of the run, or "
        "until it is asked to resume"
    )
    run.add_argument("--pause-at", type=int, metavar="N", help=text)
    text = "the same seed gives the same run, byte for byte (default: random)"
    run.add_argument("--seed", type=int, metavar="N", help=text)
    run.add_argument("--runs", "--out", metavar="DIR", dest="out", type=Path, default=DEFAULT_RUNS, help=_RUNS)
    earlier = group(parser, "earlier runs")
    text = "continue a run, given by name or by the path of its folder: after a stop, after a crash, or to extend it"
    earlier.add_argument("--resume", metavar="RUN", help=text)
    text = "with --resume: discard all generations after N (-1: all); their files are kept under other names"
    earlier.add_argument("--from", type=int, metavar="N", dest="restart_from", help=text)
    earlier.add_argument(
        "--branch",
        metavar="RUN[@N]",
        help="start a new run from generations 0 to N of another run (default: all of them), with --set or --seed; the "
        "other run is unchanged",
    )
    for module in modules("several"):
        module.add(parser)
    group(parser, MACHINES).add_argument("--workers", type=int, metavar="N", help="processes (default: one per core)")
    add_machines(parser)
    output = group(parser, OUTPUT)
    text = "only estimate time, memory and disk space, and play nothing"
    output.add_argument("--estimate", action="store_true", help=text)
    text = "print a line for each generation, not only for those that are rated or pass a level"
    output.add_argument("--every-generation", action="store_true", help=text)
    add_json(parser)


def add_runs(parser: argparse.ArgumentParser) -> None:
    group(parser, PLAYERS).add_argument("--runs", metavar="DIR", type=Path, default=DEFAULT_RUNS, help=_RUNS)


def add_network(parser: argparse.ArgumentParser) -> None:
    text = f"network of players from CSV files: {network_names()} or a TOML file"
    group(parser, PLAYERS).add_argument("--network", metavar="NAME", help=text)


def network_names() -> str:
    from game.networks.named import NAMED

    return ", ".join(NAMED)


def is_given(options: argparse.Namespace, name: str) -> bool:
    """Return whether an option was given; the number 0 counts, too. That of an absent extra was not."""
    value = getattr(options, name, None)
    return value is not None and value is not False and value != []


def add_json(parser: argparse.ArgumentParser) -> None:
    group(parser, OUTPUT).add_argument("--json", action="store_true", help="print one JSON object")


def add_player(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("player", metavar="PLAYER", help="as for match")


def add_position(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--fen", metavar="FEN", help="the position (default: the start of a game)")


def add_lots_seed(parser: argparse.ArgumentParser) -> None:
    text = "seed of players that choose at random (default: random)"
    group(parser, GAMES).add_argument("--seed", type=int, metavar="N", help=text)


def add_proved(parser: argparse.ArgumentParser) -> None:
    group(parser, GAMES).add_argument(
        "--proved",
        action="store_true",
        help="also count moves that throw away a result proved by tablebases or by searches that reach them; takes "
        "one or two seconds of processor time a game",
    )


def add_workers(parser: argparse.ArgumentParser) -> None:
    text = "processes (default: one per core, unless the work is short)"
    group(parser, MACHINES).add_argument("--workers", type=int, metavar="N", help=text)


def add_machines(parser: argparse.ArgumentParser) -> None:
    """Add the options of verbs that can play their games on other machines, if an extra has any."""
    for module in modules("machines"):
        module.add(group(parser, MACHINES))


def compile_shared_code() -> None:
    from evolve.workers.processes import choose_start_method
    from game import shared_code

    shared_code.compile_all(choose_start_method("auto"))


def machines(options: argparse.Namespace) -> Machines | None:
    chosen = (module.chosen(options) for module in modules("machines"))
    return next(filter(None, chosen), None)


def seed(given: int | None) -> int:
    """Return the given seed, or a random one of 32 bits."""
    if given is None:
        import secrets  # not at the top: it takes a tenth of the time of --help

        return secrets.randbits(32)
    if not 0 <= given < 2**63:
        raise InputError(f"--seed: expected a whole number from 0 to 2**63 - 1, got {given}")
    return given


def players(options: argparse.Namespace, *names: str) -> list[Player]:
    """Return the players with these names, looked up in the runs and with the network of the options."""
    from evolve.names.registration import register
    from game.networks.named import find_network
    from game.players.registry import player

    register(options.runs, None if options.network is None else find_network(options.network))
    return [player(name) for name in names]


def position(fen: str | None) -> Position:
    """Return the position of a FEN, or the start position for None."""
    from game.board import Position

    return Position.start() if fen is None else Position.from_fen(fen)


def print_result(options: argparse.Namespace, as_json: Callable[[], Any], text: Callable[[], object]) -> None:
    """Print the result of a verb: one JSON object with ``--json``, otherwise text."""
    if options.json:
        print(json.dumps(as_json()))
    else:
        print_text(str(text()))


def print_text(text: str) -> None:
    width = output_width()
    print(printable(text) if width is None else wrap_lines(printable(text), width), flush=True)


@contextlib.contextmanager
def exit_at_signals() -> Iterator[None]:
    """Turn SIGTERM and SIGHUP into SystemExit with code 143 or 129, so that cleanup code runs.

    A closing terminal often sends SIGHUP twice; the second one must not interrupt the cleanup.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    hangup: int | None = getattr(signal, "SIGHUP", None)
    handled: list[int] = [signal.SIGTERM]
    if hangup is not None and signal.getsignal(hangup) != signal.SIG_IGN:  # nohup
        handled.append(hangup)

    def stop(number: int, frame: object) -> None:
        if number == hangup:
            signal.signal(number, signal.SIG_IGN)
        sys.exit(128 + number)

    before = {number: signal.signal(number, stop) for number in handled}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def end_at_ctrl_c() -> Iterator[None]:
    """Let Ctrl-C end the process at once: compiled code may run for minutes and does not check for signals."""
    before = signal.getsignal(signal.SIGINT)
    if before is not signal.default_int_handler:
        yield
        return
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
