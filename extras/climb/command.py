"""The option ``--climb`` of the verb ``pdn``: your rated games in place of a file of games."""

from __future__ import annotations

import argparse

from evolve.commands.completion import actions_of
from evolve.commands.options import is_given
from extras import formats
from game.errors import InputError
from game.number_text import count_text

EXAMPLES = (("gif --climb -o climb.gif", "your rated games as an animated picture, with the curve of your rating"),)


def arguments(parser: argparse.ArgumentParser) -> None:
    actions = actions_of(parser)
    for action in ("gif", *formats("climb")):
        actions[action].add_argument(
            "--climb", action="store_true", help="instead of FILE: your rated games, with the curve of the rating"
        )


def run(options: argparse.Namespace) -> int | None:
    """Write the climb as a page or an animation; return None without ``--climb``."""
    if not getattr(options, "climb", False):
        return None
    from game.installation import data_folder
    from gui.commands.pdn import check_out, write
    from gui.rating.record import TITLE, read_climb

    check_out(options, f".{options.action}")
    gif = options.action == "gif"
    if gif and options.flip:
        raise InputError("--flip: a climb has no board")
    for option in ("file", "game", "review", "player", "depth"):
        if is_given(options, option):
            name = "FILE" if option == "file" else f"--{option}"
            raise InputError(f"{name}: not with --climb, which shows your rated games and the reviews that you made")
    climb = read_climb(data_folder())
    if gif:
        from extras.climb import animation

        data = animation.gif(climb, options.size, options.delay)
    else:
        data = formats("climb")[options.action].of_climb(TITLE, climb)
    return write(options.out, data, count_text(len(climb.games), "rated game"))
