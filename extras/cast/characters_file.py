"""The file ``characters.csv`` of a cast: name, sentence, rating and a game of each member (``inspect --characters``).

The window asks it for the persona of every opponent, so reading it imports nothing slow.
"""

from __future__ import annotations

import contextlib
import csv
import functools
import math
from collections.abc import Callable
from dataclasses import astuple, dataclass, fields
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evolve.run.runs import Runs
from game.errors import InputError
from game.players.names import PlayerName
from game.regular_files import read_regular

if TYPE_CHECKING:
    from gui.individuals.individual import ListedPlayer
    from gui.individuals.personas import Persona

NAME = "characters.csv"


@dataclass(frozen=True)
class CharacterRow:
    """A member.

    Attributes:
        cell: as in the rows of the run, such as ``back-row=4 pieces=3 centre=2``.
        sentence: what it does, as people read it.
        tincture: number of the colour of its emblem, which members with the same main trait share.
        rating: of all its games against the anchors of its run, at `depth`; NaN if they give none.
        colour: ``black`` or ``white``, in the game.
        game: the moves of one of these games, in which it does what its sentence says.
    """

    member: str
    cell: str
    name: str
    sentence: str
    tincture: int
    depth: int
    rating: float
    rating_low: float
    rating_high: float
    games: int
    wins: int
    draws: int
    losses: int
    colour: str
    game: str

    @property
    def interval(self) -> tuple[float, float, float] | None:
        return None if math.isnan(self.rating) else (self.rating, self.rating_low, self.rating_high)

    @property
    def pdn(self) -> str:
        white = self.colour == "white"
        tags = ("Event", NAME), ("White" if white else "Black", self.name)
        return "\n".join([*(f'[{tag} "{value}"]' for tag, value in tags), "", f"{self.game} *", ""])

    def player(self, run: Path, target: str) -> ListedPlayer:
        """Return the member in lists of players.

        Args:
            target: the name of its run as a player.
        """
        from gui.individuals.individual import ListedPlayer

        name = PlayerName.of(target, self.member).text
        return ListedPlayer(run, None, self.name, player=name, source=run.name, rating=self.interval)

    def persona(self) -> Persona:
        from gui.individuals.personas import Persona

        return Persona(self.name, self.sentence, self.interval, self.depth, tincture=self.tincture)


COLUMNS = tuple(field.name for field in fields(CharacterRow))
KINDS: dict[str, Callable[[str], Any]] = {"str": str, "int": int, "float": float}


def as_csv(rows: list[CharacterRow]) -> bytes:
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in rows:
        writer.writerow(f"{value:.0f}" if isinstance(value, float) else value for value in astuple(row))
    return text.getvalue().encode()


def read_characters(run: Path) -> tuple[CharacterRow, ...]:
    """Return the members in the file of a run, the best of the run first; none without a file, or a damaged one."""
    with contextlib.suppress(OSError):
        path = run / NAME
        return _read(path, path.stat().st_mtime_ns)
    return ()


@functools.lru_cache(maxsize=8)
def _read(path: Path, changed: int) -> tuple[CharacterRow, ...]:
    with contextlib.suppress(OSError, ValueError, TypeError, UnicodeDecodeError, csv.Error):
        header, *lines = csv.reader(StringIO(read_regular(path).decode()))
        if tuple(header) == COLUMNS:
            return tuple(map(_row, lines))
    return ()


def _row(line: list[str]) -> CharacterRow:
    pairs = zip(fields(CharacterRow), line, strict=True)
    return CharacterRow(*(KINDS[str(field.type)](text) for field, text in pairs))


def persona(runs: Path, name: PlayerName) -> Persona | None:
    """Return how a member of a cast is shown; None for other players."""
    row = find_row(runs, name)
    return None if row is None else row.persona()


def find_row(runs: Path, name: PlayerName) -> CharacterRow | None:
    """Return the member that a player's name means, also without a member or by its cells; None if there is none."""
    target, number = Runs(runs).split_generation(name.target)
    run = Runs(runs).find(target)
    rows = () if run is None else read_characters(run)
    if not rows or (number is not None and rows[0].member.partition("_")[0] != f"Gen{int(number):02d}"):
        return None
    if name.member is None:
        return rows[0]
    if "=" in name.member:
        from evolve.run import cells

        with contextlib.suppress(InputError):
            return rows[cells.row_of([row.cell for row in rows], name.member)]
    return next((row for row in rows if row.member == name.member), None)
