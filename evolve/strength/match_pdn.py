"""The games of a match as a PDN file. It does not depend on the time or the number of processes."""

from __future__ import annotations

import codecs
import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

from evolve.run.files import streamed
from evolve.strength.match import CountedGame
from game.errors import InputError
from game.match import REASON_TEXT
from game.pdn import game as pdn_game
from game.pdn.game import NO_DATE, Annotation, Game


@contextlib.contextmanager
def games_file(path: Path, option: str) -> Iterator[IO[str]]:
    """A stream to a file of games; the file is there when the context ends without an error.

    Args:
        path: the file; an old one is replaced, if it is one of games.
        option: what asks for it, for error messages.

    Raises:
        InputError: the file cannot be made: there is no such folder, or a folder or a device of this name.
        OSError: it cannot be written.
    """
    check_games_file(path, option)
    with streamed(path.resolve()) as file:  # a link stays one
        yield file


def check_games_file(path: Path, option: str) -> None:
    """Check that a file of games can be made, or may be replaced.

    Raises:
        InputError: there is no such folder, or a folder, a device or another file of this name.
    """
    if not path.parent.is_dir():
        raise InputError(f"{option}: {path.parent}: there is no such folder")
    if path.is_dir():
        raise InputError(f"{option}: {path}: is a folder, expected the name of a file")
    if path.exists() and not path.is_file():  # a device or a pipe, which must not be replaced
        raise InputError(f"{option}: {path}: is no ordinary file")
    if path.exists() and not _may_be_replaced(path):
        raise InputError(f"{option}: {path}: is there and is no file of games; it would be replaced")


@contextlib.contextmanager
def pdn_file(path: Path, event: str) -> Iterator[Callable[[CountedGame], None]]:
    """A function that adds games of a match to a file, as `games_file` makes it.

    Args:
        path: the file.
        event: what is played.
    """
    with games_file(path, "--pdn") as file:
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
        "Date": NO_DATE,
        "Round": f"{(game.number + 1) // 2}.{2 - game.number % 2}",
        "Black": game.black,
        "White": game.white,
        "BlackType": "program",
        "WhiteType": "program",
        "Opening": game.opening.name,
    }
    ending = f"{REASON_TEXT[record.reason]}: {record.failure}" if record.failure else REASON_TEXT[record.reason]
    notes = (Annotation(len(record.moves), "comment", ending),)
    return Game(tuple(tags.items()), record.start, record.moves, record.pdn_result, notes)
