"""The games of a match as a PDN file. It does not depend on the time or the number of processes."""

from __future__ import annotations

import codecs
import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

from evolve.run.files import streamed
from evolve.strength.match import CountedGame
from game.errors import InputError
from game.match import REASON_TEXT
from game.pdn import game as pdn_game
from game.pdn.game import Annotation, Game


@contextlib.contextmanager
def pdn_file(path: Path, event: str) -> Iterator[Callable[[CountedGame], None]]:
    """A function that adds games to a file; the file is there when the context ends without an error.

    Args:
        path: the file; an old one is replaced, if it is one of games.
        event: what is played.

    Raises:
        InputError: the file cannot be made: there is no such folder, or a folder or a device of this name.
        OSError: it cannot be written.
    """
    if not path.parent.is_dir():
        raise InputError(f"--pdn: {path.parent}: there is no such folder")
    if path.is_dir():
        raise InputError(f"--pdn: {path}: is a folder, expected the name of a file")
    if path.exists() and not path.is_file():  # a device or a pipe, which must not be replaced
        raise InputError(f"--pdn: {path}: is no ordinary file")
    if path.exists() and not _may_be_replaced(path):
        raise InputError(f"--pdn: {path}: is there and is no file of games; it would be replaced")
    with streamed(path.resolve()) as file:  # a link stays one
        yield lambda game: pdn_game.write_game(file, _game(game, event))


def _may_be_replaced(path: Path) -> bool:
    with path.open("rb") as file:
        beginning = file.read(4096).removeprefix(codecs.BOM_UTF8).lstrip()
    return beginning[:1] in (b"", b"[", b"%")  # nothing, a tag, or a line that PDN passes over


def _game(game: CountedGame, event: str) -> Game:
    """Round is ``PAIR.GAME``; a comment at the end says why the game ended."""
    record = game.record
    tags = {
        "Event": event,
        "Site": "?",
        "Date": "????.??.??",
        "Round": f"{(game.number + 1) // 2}.{2 - game.number % 2}",
        "Black": game.black,
        "White": game.white,
        "Opening": game.opening.name,
    }
    ending = f"{REASON_TEXT[record.reason]}: {record.failure}" if record.failure else REASON_TEXT[record.reason]
    notes = (Annotation(len(record.moves), "comment", ending),)
    return Game(tuple(tags.items()), record.start, record.moves, record.pdn_result, notes)
