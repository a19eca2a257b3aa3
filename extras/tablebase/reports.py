"""Reports on tablebases: on a position, and on the tables in a folder."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from game.board import LEGEND, Position, diagram, mover
from game.endgame import table_file
from game.endgame.slices import MOST_BUILT
from game.endgame.table_file import FileInfo, TableError
from game.endgame.tables import OWN_PIECES, Tables, build_command
from game.endgame.verdict import Verdict
from game.errors import InputError
from game.moves import Move
from game.number_text import size_text

VALUES = {1: "win", 0: "draw", -1: "loss"}
PLIES = "Plies are counted until the loser has no legal move, the next move being the first."
NO_PLIES = "Tables for this many pieces do not give the number of plies."


def probe(tables: Tables, position: Position) -> tuple[Verdict, list[tuple[Move, Verdict]]]:
    """Return the verdict on a position, and every legal move with its verdict for the side that makes it, best first.

    Faster wins and slower losses are better; equal moves keep the order of moves.

    Raises:
        InputError: the position has too many pieces.
    """
    verdict = tables.probe(position)
    if verdict is None:
        raise InputError(too_many(position, tables.pieces))
    known = [(move, after) for move, after in tables.moves(position) if after is not None]
    return verdict, sorted(known, key=lambda each: each[1].merit, reverse=True)


def too_many(position: Position, covered: int) -> str:
    """Return an error message about a position with more pieces than tables cover, with a remedy."""
    pieces = (position.black | position.white).bit_count()
    text = f"{position.fen()}: {pieces} pieces, but there are only tables of up to {covered}"
    if pieces > MOST_BUILT:
        return f"{text}; they can be built for up to {MOST_BUILT}"
    return f"{text}; {build_command(pieces)} builds more"


def probe_json(probed: tuple[Verdict, list[tuple[Move, Verdict]]]) -> dict[str, Any]:
    verdict, moves = probed
    return _plain(verdict) | {"moves": [{"move": str(move)} | _plain(after) for move, after in moves]}


def probe_text(position: Position, probed: tuple[Verdict, list[tuple[Move, Verdict]]]) -> str:
    verdict, moves = probed
    side = mover(position).split()[0]
    lines = [diagram(position), "", f"{mover(position)} ({LEGEND})", position.fen(), ""]
    if not moves:
        return "\n".join([*lines, f"{side} has no legal move and has lost."])
    lines += [f"{verdict.text}, with perfect play by both sides"]
    verdicts = [verdict, *(after for _, after in moves)]
    lines += [PLIES] if any(known.plies is not None for known in verdicts) else []
    lines += [NO_PLIES] if any(known.value != 0 and known.plies is None for known in verdicts) else []
    width = max(len("move"), *(len(str(move)) for move, _ in moves))
    lines += ["", f"{'move':{width}}  result for {side}"]
    return "\n".join([*lines, *(f"{move!s:{width}}  {after.text}" for move, after in moves)])


def _plain(verdict: Verdict) -> dict[str, Any]:
    return {"value": VALUES[verdict.value], "plies": verdict.plies}


MISSING = "missing"
"""The fault of a file that does not exist, as `table_file.survey` reports it."""
SHOWN = 10
"""Maximum number of damaged files that a text report lists."""

_COLUMNS = "{:>6} {:>14} {:>8} {:>9}"
_NO_FOLDER = (
    "There is no folder for tables (set CROWNHEAD_CACHE_DIR), so tables of 2 to 4 pieces are built at each start."
)


@dataclass(frozen=True, slots=True)
class TableGroup:
    """The files of all slices with the same number of pieces."""

    pieces: int
    files: tuple[FileInfo, ...]

    @property
    def complete(self) -> bool:
        return not any(each.fault for each in self.files)

    @property
    def distances(self) -> bool:
        return self.complete and all(each.distances for each in self.files)

    @property
    def longest(self) -> int | None:
        """The plies of the longest win or loss; None without distances."""
        return max(each.longest or 0 for each in self.files) if self.distances else None

    @property
    def positions(self) -> int:
        return sum(each.positions for each in self.files)

    @property
    def bytes(self) -> int:
        return sum(each.bytes for each in self.files)

    def as_json(self) -> dict[str, Any]:
        names = ("pieces", "complete", "distances", "positions", "longest", "bytes")
        return {name: getattr(self, name) for name in names}

    @property
    def line(self) -> str:
        if self.complete:
            longest = "-" if self.longest is None else str(self.longest)
            return _COLUMNS.format(self.pieces, f"{self.positions:,}", longest, size_text(self.bytes))
        sound = sum(not each.fault for each in self.files)
        damaged = sum(each.fault not in ("", MISSING) for each in self.files)
        parts = [f"{sound:,} of {len(self.files):,} files exist"] + [f"{damaged:,} damaged"] * bool(damaged)
        return f"{self.pieces:>6}  {', '.join(parts) if sound or damaged else 'missing'}"


@dataclass(frozen=True, slots=True)
class Inventory:
    """All tables in a folder.

    Attributes:
        groups: by number of pieces; with more than `MOST_BUILT` pieces only if a file exists.
    """

    folder: Path | None
    groups: tuple[TableGroup, ...]

    def pieces(self, counts: Callable[[TableGroup], bool] = lambda each: each.complete) -> int:
        """Return the number of pieces up to which all groups satisfy a condition (by default: complete); 0 for none."""
        largest = 0
        for group in self.groups:
            if not counts(group):
                break
            largest = group.pieces
        return largest

    @property
    def distances(self) -> int:
        return self.pieces(lambda each: each.distances)

    @property
    def damaged(self) -> list[FileInfo]:
        return [each for group in self.groups for each in group.files if each.fault not in ("", MISSING)]

    @property
    def command(self) -> str | None:
        """The command that builds the smallest missing or damaged tables; None if all are sound."""
        pieces = self.pieces()
        return build_command(max(pieces + 1, OWN_PIECES)) if pieces < MOST_BUILT else None

    def as_json(self) -> dict[str, Any]:
        return {
            "folder": None if self.folder is None else str(self.folder),
            "pieces": self.pieces(),
            "distances": self.distances,
            "bytes": sum(each.bytes for each in self.groups),
            "damaged": [each.fault for each in self.damaged],
            "build": self.command,
            "tables": [each.as_json() for each in self.groups],
        }

    def text(self) -> str:
        if self.folder is None:
            return _NO_FOLDER
        lines = [f"folder  {self.folder}", "", _COLUMNS.format("pieces", "positions", "longest", "on disk")]
        lines += [each.line for each in self.groups]
        if self.distances < self.pieces():
            lines += ["", f"Plies are known for up to {self.distances} pieces."]
        damaged = self.damaged
        if damaged:
            lines += ["", *(each.fault for each in damaged[:SHOWN])]
            lines += [f"... and {len(damaged) - SHOWN:,} more"] if len(damaged) > SHOWN else []
        if self.command is not None:
            first_player = "; so does the first player that uses tables" if self.pieces() < OWN_PIECES else ""
            lines += ["", f"{self.command} builds the missing tables{first_player}."]
        return "\n".join(lines)


def take_inventory(folder: Path | None, report: Callable[[str], None] = lambda text: None) -> Inventory:
    """Read all tables in a folder, and check them.

    Args:
        report: called with the name of each file before it is read.
    """
    by_pieces: dict[int, list[FileInfo]] = {}
    for each in table_file.survey(folder) if folder is not None else ():
        if not each.fault:
            report(each.path.name)
            try:
                table_file.open_table(each.path)
            except TableError as error:
                each = replace(each, fault=str(error))
        by_pieces.setdefault(each.slice.pieces, []).append(each)
    groups = tuple(TableGroup(pieces, tuple(files)) for pieces, files in sorted(by_pieces.items()))
    return Inventory(
        folder,
        tuple(
            each for each in groups if each.pieces <= MOST_BUILT or any(file.fault != MISSING for file in each.files)
        ),
    )
