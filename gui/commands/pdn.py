"""The verb ``pdn``: check recorded games (exit code 2 if they have faults), guess who played, write GIFs and pages."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from evolve.commands.options import add_json, add_runs, piece_count, print_result, print_text
from game.errors import InputError, printable
from game.number_text import plies_text

if TYPE_CHECKING:
    from game.endgame.reports import GameComparer
    from game.pdn.check import Source

EXAMPLES = (
    ("check games.pdn", "replay recorded games with their variations, and report each error with its line"),
    ("check games.pdn --tablebase", "also report games that did not end as perfect play would"),
    ("check games.pdn --openings", "also count the games by opening: Cross, Kelso, Old Fourteenth and so on"),
    ("who games.pdn --cast mine", "the members of a run that probably played each game"),
    ("gif games.pdn --game 1 -o game.gif", "an animated picture of a game"),
    ("html games.pdn --game 1 -o game.html", "a game as a page for any browser, with its notes and mistakes"),
)


def arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION", title="actions", required=True)
    check = actions.add_parser(
        "check", help="replay every game of a file with its variations, and print counts and each fault with its line"
    )
    check.add_argument("file", metavar="FILE", help="PDN file, or - for standard input")
    check.add_argument(
        "--tablebase",
        type=piece_count,
        nargs="?",
        const=0,
        metavar="N",
        help="compare results with perfect play, from the first position with at most N pieces (default: as many as "
        "the tables cover); must come after FILE",
    )
    check.add_argument("--openings", action="store_true", help="also count the games by the names of their openings")
    add_json(check)
    who = actions.add_parser(
        "who", help="name the members of a run that probably played each side of each game, with their shares"
    )
    who.add_argument("file", metavar="FILE", help="PDN file, or - for standard input")
    who.add_argument(
        "--cast", metavar="RUN", required=True, help="the run; its members are the individuals of its newest generation"
    )
    who.add_argument(
        "--games",
        type=int,
        metavar="N",
        help="games of each member against others, from which the program learns how it plays: a multiple of 4 "
        "(default: 48)",
    )
    add_runs(who)
    add_json(who)
    gif = actions.add_parser("gif", help="draw a game as an animated picture (needs the extra figures)")
    gif.add_argument("file", metavar="FILE", help="PDN file, or - for standard input")
    gif.add_argument("-o", "--out", metavar="FILE", type=Path, required=True, help="write the picture to this file")
    gif.add_argument("--game", type=int, default=1, metavar="N", help="number of the game in the file (default: 1)")
    gif.add_argument("--size", type=int, default=400, metavar="PIXELS", help="width (default: 400)")
    gif.add_argument(
        "--delay",
        type=float,
        default=0.8,
        metavar="SECONDS",
        help="time of each position (default: 0.8); the last one stays four times as long",
    )
    gif.add_argument("--flip", action="store_true", help="show the board with White at the top")
    page = actions.add_parser("html", help="write a game as a page for any browser, with its notes and mistakes")
    page.add_argument("file", metavar="FILE", help="PDN file, or - for standard input; analyse --pdn marks mistakes")
    page.add_argument("-o", "--out", metavar="FILE", type=Path, required=True, help="write the page to this file")
    page.add_argument("--game", type=int, default=1, metavar="N", help="number of the game in the file (default: 1)")


def run(options: argparse.Namespace) -> int:
    if options.file == "-" and sys.stdin is None:
        raise InputError("FILE: - is standard input, which is closed")
    source = sys.stdin.buffer if options.file == "-" else options.file
    actions = {"check": _check, "who": _who, "gif": _gif, "html": _page}
    return actions[options.action](options, source)


def _who(options: argparse.Namespace, source: Source) -> int:
    """Print the members of a run that probably played the games; return 2 if the file has faults."""
    from evolve.inspection import recognition
    from evolve.run.folder import Run

    games = recognition.GAMES if options.games is None else recognition.checked_games(options.games, "--games: ")
    report = recognition.who_played(source, Run.open(options.cast, options.runs), games, quiet=options.json)
    report.print(as_json=options.json)
    for fault in report.faults:
        print(printable(fault), file=sys.stderr)
    return 2 if report.faults else 0


def _gif(options: argparse.Namespace, source: Source) -> int:
    from evolve.run.files import write_atomically
    from game.pdn.check import load_game
    from gui import animation

    if options.out.suffix.lower() != ".gif":
        raise InputError(f"{options.out}: expected a name that ends in .gif")
    game = load_game(source, options.game)
    data = animation.gif(game, options.size, options.delay, flip=options.flip)
    write_atomically(options.out, data, durable=False)
    print_text(f"{options.out}: {plies_text(len(game.moves))}, {len(data):,} bytes")
    return 0


def _page(options: argparse.Namespace, source: Source) -> int:
    from evolve.run.files import write_atomically
    from game.pages.game_page import game_page
    from game.pdn.check import load_game

    if options.out.suffix.lower() != ".html":
        raise InputError(f"{options.out}: expected a name that ends in .html")
    game = load_game(source, options.game)
    data = game_page(game).encode()
    write_atomically(options.out, data, durable=False)
    print_text(f"{options.out}: {plies_text(len(game.moves))}, {len(data):,} bytes")
    return 0


def _check(options: argparse.Namespace, source: Source) -> int:
    from game.pdn import check
    from gui.model.pdn import VariationChecker

    comparing = None if options.tablebase is None else _comparing(options.tablebase)
    counter = check.OpeningCounter() if options.openings else None
    listeners: list[check.Listener] = [each for each in (comparing, counter) if each is not None]
    report = check.check(source, VariationChecker(), *listeners, notes=True)
    name = check.source_name(source)
    values, texts = report.as_json(), [report.text(name)]
    if comparing is not None:
        values["tablebase"] = comparing.result.as_json()
        texts.append(comparing.result.text(name))
    if counter is not None:
        values["openings"] = counter.as_json()
        texts.append(counter.text())
    print_result(options, lambda: values, lambda: "\n\n".join(texts))
    return 2 if report.errors else 0


def _comparing(pieces: int) -> GameComparer:
    """Return an object that compares games with tables of up to `pieces` pieces; 0 for all tables.

    Raises:
        InputError: there are no such tables.
    """
    from game.endgame.reports import GameComparer, build_command
    from game.endgame.tables import open_tables

    tables = open_tables(pieces or None)
    if tables.pieces < pieces:
        there = f"--tablebase {pieces}: there are only tables of up to {tables.pieces} pieces"
        raise InputError(f"{there}; {build_command(pieces)} builds more")
    return GameComparer(tables)
