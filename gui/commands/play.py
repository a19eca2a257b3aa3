"""The verb ``play``: a game in the window, or in words on a terminal."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from evolve.commands.options import add_runs, exit_at_signals
from game.errors import InputError, printable
from game.installation import data_folder

EXAMPLES = (
    ("crownhead,depth=6 --colour white", "a game against a shipped player"),
    ("Champion", "a game against a level: Beginner, Casual, Club, Strong, Expert or Champion"),
    ("cast:back-row=4,centre=1", "a game against a character, the best one in these cells (extras/cast/cast.md)"),
    ("mine", "a game against the champion of your own run"),
    ("--pdn games.pdn", "look at recorded games"),
    ("crownhead@0 --text", "play in words on the terminal, with typed moves such as 11-15"),
)


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "player", metavar="PLAYER", nargs="?", help="your opponent, also a level such as Expert (default: the last one)"
    )
    parser.add_argument("--colour", choices=("black", "white", "random"), help="your colour (default: the last one)")
    parser.add_argument("--fen", metavar="FEN", help="begin from this position")
    parser.add_argument(
        "--open",
        metavar="FILE",
        nargs="?",
        const="",
        help="open this file in the window, as if dropped there: games, a position, or players (CSV)",
    )
    parser.add_argument("--pdn", metavar="FILE", type=Path, help="show the games of this file instead")
    parser.add_argument(
        "--text",
        action="store_true",
        help="play in this terminal, in sentences that a screen reader reads: type moves, or help for all words",
    )
    parser.add_argument("--speak", action="store_true", help="with --text: speak through the system's synthesiser")
    add_runs(parser)


def run(options: argparse.Namespace) -> int:
    if options.text:
        return _text(options)
    if options.speak:
        raise InputError("--speak: only together with --text")
    from gui import entry_points

    if options.open is not None:
        others = (options.player, options.colour, options.fen, options.pdn)
        if others != (None, None, None, None):
            raise InputError("--open: not together with PLAYER, --colour, --fen or --pdn")
        entry_points.open_file(options.runs, options.open)
        return 0
    entry_points.play(options.runs, options.player, options.colour, options.fen, options.pdn)
    return 0


def _text(options: argparse.Namespace) -> int:
    if options.open is not None or options.pdn is not None:
        raise InputError("--text: not together with --open or --pdn")
    if sys.stdin is None:
        raise InputError("--text: moves are read from standard input, which is closed")
    from gui import text_game
    from gui.speech import Speech

    model = text_game.new_game(options.runs, options.player, options.colour, options.fen)
    speech = Speech() if options.speak else None

    def say(text: str) -> None:
        print(printable(text), flush=True)  # one line for each sentence: a screen reader reads line by line
        if speech is not None:
            speech.say(text)

    with exit_at_signals():
        ended = text_game.play(
            model,
            text_game.thinking(options.runs),
            text_game.adviser(options.runs),
            sys.stdin.readline,
            say,
            text_game.GameKeeper(data_folder()),
        )
    if speech is not None:
        speech.finish()
    if not ended:
        raise InputError("--text: expected quit as the last line, but the input ended before it")
    return 0
