"""The verb ``pdn``: check recorded games (exit code 2 for faults), write pages and pictures."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from evolve.commands.options import add_json, add_runs, print_result, print_text
from evolve.run.runs import CHAMPION_RUN, SHIPPED_RUNS
from extras import formats
from game.errors import InputError, printable
from game.number_text import plies_text

if TYPE_CHECKING:
    from extras.recorded.check import Source
    from game.board import Position
    from game.pdn.game import Game
    from game.review.judged import Review

EXAMPLES = (
    ("check games.pdn", "replay recorded games with their variations, and report each error with its line"),
    ("check games.pdn --losses", "also what a move costs in opening, middle game and endgame"),
    *(example for each in formats("game").values() for example in getattr(each, "EXAMPLES", ())),
    ("picture games.pdn --ply 10 -o board.svg", "the position after ten plies as a picture, also PNG"),
)

SIZES = (120, 1600)
"""Minimum and maximum width of a picture in pixels."""


def arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION", title="actions", required=True)
    check = actions.add_parser(
        "check", help="replay every game of a file with its variations, and print counts and each fault with its line"
    )
    check.add_argument("file", metavar="FILE", help="PDN file, or - for standard input")
    text = "also search each position, and print what moves cost in each phase"
    check.add_argument("--losses", action="store_true", help=text)
    add_json(check)
    for name, each in formats("game").items():
        _add_page(actions.add_parser(name, help=each.TEXTS["game"]))
    picture = actions.add_parser("picture", help="draw a position as a picture: PNG or SVG, by the name of the file")
    _add_game(picture, "picture, .png or .svg,")
    picture.add_argument("--fen", metavar="FEN", help="instead of FILE: this position")
    picture.add_argument("--ply", type=int, metavar="N", help="number of moves before the position (default: all)")
    picture.add_argument("--size", type=int, default=400, metavar="PIXELS", help="width (default: 400)")
    picture.add_argument("--flip", action="store_true", help="show the board with White at the top")


def _add_game(parser: argparse.ArgumentParser, what: str) -> None:
    parser.add_argument("file", metavar="FILE", nargs="?", help="PDN file, or - for standard input")
    parser.add_argument("-o", "--out", metavar="FILE", type=Path, required=True, help=f"write the {what} to this file")
    parser.add_argument("--game", type=int, metavar="N", help="number of the game in the file (default: 1)")


def _add_page(parser: argparse.ArgumentParser) -> None:
    _add_game(parser, "page")
    parser.add_argument("--review", action="store_true", help="look for mistakes, and show what was better")
    text = f"with --review: the analyst, as for match (default: {CHAMPION_RUN})"
    parser.add_argument("--player", metavar="PLAYER", help=text)
    text = "with --review: plies that the analyst looks ahead (default: 12)"
    parser.add_argument("--depth", type=int, metavar="N", help=text)
    add_runs(parser)


def run(options: argparse.Namespace) -> int:
    if options.file == "-" and sys.stdin is None:
        raise InputError("FILE: - is standard input, which is closed")
    source = sys.stdin.buffer if options.file == "-" else options.file
    actions = {"check": _check, "picture": _picture}
    return actions.get(options.action, _page)(options, source)


def _page(options: argparse.Namespace, source: Source) -> int:
    page = formats("game")[options.action]
    check_out(options, f".{options.action}")
    game, review = _game(options, source)
    game = _titled(game, options.file)
    return write(options.out, page.of_game(game, review), plies_text(len(game.moves)))


def _titled(game: Game, file: str) -> Game:
    """Return a game with its players named as in the window, if a run recorded it."""
    from gui.runs.live_run import titles_of

    title, event = titles_of(Path(file)), game.tag("Event") or ""
    tags = [(name, title(text, event) if name in ("Black", "White") else text) for name, text in game.tags]
    return replace(game, tags=tuple(tags))


def _picture(options: argparse.Namespace, source: Source) -> int:
    from game.board import Position
    from gui import pictures

    others = {f".{name}": each for name, each in formats("position").items()}
    check_out(options, ".png", *others)
    if options.fen is not None:
        for option in ("file", "game", "ply"):
            if getattr(options, option) is not None:
                raise InputError(f"{'FILE' if option == 'file' else f'--{option}'}: not with --fen")
        position = Position.from_fen(options.fen)
    else:
        position = _position(options, source)
    if not SIZES[0] <= options.size <= SIZES[1]:
        raise InputError(f"--size: expected {SIZES[0]} to {SIZES[1]} pixels, got {options.size}")
    other = others.get(options.out.suffix.lower())
    make = pictures.png if other is None else other.of_position
    return write(options.out, make(position, options.size, options.flip), position.fen())


def _position(options: argparse.Namespace, source: Source) -> Position:
    from itertools import accumulate

    from game import plain

    if options.file is None:
        raise InputError("expected FILE, a PDN file, or --fen with a position")
    game = _load(source, options.game)
    plies = len(game.moves)
    if options.ply is not None and not 0 <= options.ply <= plies:
        raise InputError(f"--ply: expected 0 to {plies}, got {options.ply}")
    return list(accumulate(game.moves, plain.apply, initial=game.start))[-1 if options.ply is None else options.ply]


def _load(source: Source, number: int | None) -> Game:
    """Return a game of a file; faults that do not keep its moves from being read are printed."""
    from extras.recorded.check import load_record, source_name

    record = load_record(source, 1 if number is None else number)
    for fault in record.faults:
        print(printable(f"{source_name(source)}:{fault}"), file=sys.stderr)
    assert record.game is not None, "a whole game"
    return record.game


def check_out(options: argparse.Namespace, *suffixes: str) -> None:
    """Check the file to write before the work begins: its ending, its folder, and that it is not the file to read."""
    from evolve.run.files import check_target

    path: Path = options.out
    if path.suffix.lower() not in suffixes:
        raise InputError(f"{path}: expected a name that ends in {' or '.join(suffixes)}")
    check_target(path)
    given = None if options.file in (None, "-") else Path(options.file)
    if given is not None and given.exists() and path.exists() and path.samefile(given):
        raise InputError(f"{path}: is the file to read, choose another name")


def write(path: Path, data: bytes, what: str) -> int:
    """Write a file, print what it has, and return the exit code."""
    from evolve.run.files import write_atomically

    write_atomically(path, data, durable=False)
    print_text(f"{path}: {what}, {len(data):,} bytes")
    return 0


def _game(options: argparse.Namespace, source: Source) -> tuple[Game, Review | None]:
    if options.file is None:
        raise InputError("expected FILE, a PDN file")
    for option in ("player", "depth"):
        if getattr(options, option) is not None and not options.review:
            raise InputError(f"--{option}: only together with --review")
    if not options.review:
        return _load(source, options.game), None
    from evolve.session.reporters import CountingLine
    from extras.recorded.analyst import open_analyst, review_depth

    depth = review_depth(options.depth)
    game = _load(source, options.game)
    analyst, line = open_analyst(options.player, options.runs), CountingLine()
    try:
        review = analyst.review(game, depth, lambda done, moves: line.count(f"move {max(done - 1, 0)} of {moves}"))
    finally:
        line.count()
    return game, review


def _check(options: argparse.Namespace, source: Source) -> int:
    from evolve.session.reporters import CountingLine
    from extras.recorded import check
    from extras.recorded.analyst import PhaseLosses, open_analyst

    line = CountingLine(quiet=options.json)
    losses = PhaseLosses(open_analyst(None, SHIPPED_RUNS)) if options.losses else None
    listeners = [check.find_broken_variations] + ([losses.on_game] if losses else [])
    try:
        report = check.check(source, *listeners, notes=True, progress=lambda games: line.count(f"game {games:,}"))
    finally:
        line.count()
    values, text = report.as_json(), report.text(check.source_name(source))
    if losses is not None:
        values, text = values | {"losses": losses.known}, f"{text}\n\n{losses.text()}"
    print_result(options, lambda: values, lambda: text)
    return 2 if report.errors else 0
