"""The option ``--text`` of the verb ``play``: a game in words on a terminal."""

from __future__ import annotations

import argparse
import sys

from evolve.commands.options import exit_at_signals
from game.errors import InputError, printable
from game.installation import data_folder

EXAMPLES = (("crownhead@0 --text", "play in words on the terminal, with typed moves such as 11-15"),)


def arguments(parser: argparse.ArgumentParser) -> None:
    text = "play in this terminal, in sentences that a screen reader reads: type moves, or help for all words"
    parser.add_argument("--text", action="store_true", help=text)


def run(options: argparse.Namespace) -> int | None:
    """Play in words, from standard input to standard output, until ``quit``; return None without ``--text``."""
    if not options.text:
        return None
    from gui.evolving.opponent import Beginning

    if options.open is not None or Beginning.of_options(options) is not None:
        raise InputError("--text: not together with --open or --evolving; RUN --text plays its champion")
    if sys.stdin is None:
        raise InputError("--text: moves are read from standard input, which is closed")
    from extras.text import text_game

    game = text_game.new_game(options.runs, options.player, options.colour, options.fen)

    def say(text: str) -> None:
        print(printable(text), flush=True)  # one line for each sentence: a screen reader reads line by line

    with exit_at_signals():
        ended = text_game.play(game, sys.stdin.readline, say, text_game.GameKeeper(data_folder()))
    if not ended:
        raise InputError("--text: expected quit as the last line, but the input ended before it")
    return 0
