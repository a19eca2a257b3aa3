"""Which tables are there, what they hold, and what is wrong with them, as plain values and in words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from game.endgame import table_file
from game.endgame.probe_report import build_command
from game.endgame.slices import MOST_BUILT
from game.endgame.table_file import FileInfo, TableError
from game.endgame.tables import OWN_PIECES
from game.number_text import size_text
from game.terminal import fit_columns

MISSING = "missing"
"""The fault of a file that is not there, as `table_file.survey` tells it."""
SHOWN = 10
"""Number of damaged files in the report for people."""

_COLUMNS = {
    "pieces": "{:>6}",
    "positions": " {:>14}",
    "win": " {:>14}",
    "loss": " {:>12}",
    "draw": " {:>12}",
    "longest": " {:>8}",
    "on disk": " {:>9}",
    "a position": " {:>11}",
}
_LESSER = ("a position", "draw", "loss", "win", "on disk")
"""What a narrow terminal has no room for, the first of them first."""
_NO_FOLDER = (
    "There is no folder for tables (CROWNHEAD_CACHE_DIR chooses one): those of 2 to 4 pieces are built anew each time."
)


@dataclass(frozen=True, slots=True)
class Group:
    """The files of all slices of so many pieces.

    Attributes:
        pieces: how many.
        files: one a slice.
    """

    pieces: int
    files: tuple[FileInfo, ...]

    @property
    def complete(self) -> bool:
        """Whether all files are there and sound."""
        return not any(each.fault for each in self.files)

    @property
    def distances(self) -> bool:
        """Whether all of them are, and have distances."""
        return self.complete and all(each.distances for each in self.files)

    @property
    def longest(self) -> int | None:
        """Plies of the longest win or loss; None where distances are not known."""
        return max(each.longest or 0 for each in self.files) if self.distances else None

    @property
    def counts(self) -> dict[str, int]:
        """Positions, wins, losses, draws and bytes of all of them."""
        return _counts(self.files)


@dataclass(frozen=True, slots=True)
class Inventory:
    """All tables in a folder.

    Attributes:
        folder: where; None if tables cannot be kept.
        groups: by number of pieces; those of more than `MOST_BUILT` only where a file is there.
    """

    folder: Path | None
    groups: tuple[Group, ...]

    def pieces(self, counts: Callable[[Group], bool] = lambda each: each.complete) -> int:
        """The number of pieces up to which all groups are complete, or what `counts` says; 0 for none."""
        largest = 0
        for each in self.groups:
            if not counts(each):
                break
            largest = each.pieces
        return largest

    @property
    def distances(self) -> int:
        """The same of groups with distances."""
        return self.pieces(lambda each: each.distances)

    @property
    def damaged(self) -> list[FileInfo]:
        """Files that are there and cannot be believed."""
        return [each for group in self.groups for each in group.files if each.fault not in ("", MISSING)]

    @property
    def command(self) -> str | None:
        """What builds the first tables that are missing or damaged; None if there are none."""
        pieces = self.pieces()
        return build_command(max(pieces + 1, OWN_PIECES)) if pieces < MOST_BUILT else None

    def as_json(self) -> dict[str, Any]:
        """All of it as plain values."""
        return {
            "folder": None if self.folder is None else str(self.folder),
            "pieces": self.pieces(),
            "distances": self.distances,
            "bytes": sum(each.counts["bytes"] for each in self.groups),
            "damaged": [each.fault for each in self.damaged],
            "build": self.command,
            "tables": [_group_as_json(each) for each in self.groups],
        }

    def text(self, width: int | None = None) -> str:
        """All of it for people, in lines of a width; None for any."""
        if self.folder is None:
            return _NO_FOLDER
        widths = {name: len(form.format("")) for name, form in _COLUMNS.items()}
        names = fit_columns(widths, width, _LESSER)
        lines = [f"folder  {self.folder}", "", "".join(_COLUMNS[name].format(name) for name in names).rstrip()]
        lines += [_group_line(each, names) for each in self.groups]
        if self.distances < self.pieces():
            lines += ["", f"Plies are known of up to {self.distances} pieces."]
        damaged = self.damaged
        if damaged:
            lines += ["", *(each.fault for each in damaged[:SHOWN])]
            lines += [f"... and {len(damaged) - SHOWN:,} more"] if len(damaged) > SHOWN else []
        if self.command is not None:
            by_themselves = ", or the first player that uses tables" if self.pieces() < OWN_PIECES else ""
            lines += ["", f"What is missing is built by {self.command}{by_themselves}."]
        return "\n".join(lines)


def take_inventory(folder: Path | None, report: Callable[[str], None] = lambda text: None) -> Inventory:
    """Read all tables in a folder, and see what is there and sound.

    Args:
        folder: as from `table_file.tablebase_folder`.
        report: is told the name of each file before it is read.
    """
    by_pieces: dict[int, list[FileInfo]] = {}
    for each in table_file.survey(folder) if folder is not None else ():
        if not each.fault:
            report(each.path.name)
            try:
                table_file.check_file(each.path)
            except TableError as error:
                each = replace(each, fault=str(error))
        by_pieces.setdefault(each.slice.pieces, []).append(each)
    groups = tuple(Group(pieces, tuple(files)) for pieces, files in sorted(by_pieces.items()))
    return Inventory(
        folder,
        tuple(
            each for each in groups if each.pieces <= MOST_BUILT or any(file.fault != MISSING for file in each.files)
        ),
    )


def _group_as_json(group: Group) -> dict[str, Any]:
    return {
        "pieces": group.pieces,
        "complete": group.complete,
        "distances": group.distances,
        **group.counts,
        "longest": group.longest,
        "slices": [
            {
                "slice": each.slice.name,
                **_counts([each]),
                "longest": each.longest,
                "fault": each.fault,
            }
            for each in group.files
        ],
    }


def _counts(files: Sequence[FileInfo]) -> dict[str, int]:
    names = {"positions": "positions", "win": "wins", "loss": "losses", "draw": "draws", "bytes": "bytes"}
    return {name: sum(getattr(each, attribute) for each in files) for name, attribute in names.items()}


def _group_line(group: Group, names: list[str]) -> str:
    if not group.complete:
        there = sum(not each.fault for each in group.files)
        damaged = sum(each.fault not in ("", MISSING) for each in group.files)
        parts = [f"{there:,} of {len(group.files):,} files are there"] + [f"{damaged:,} damaged"] * bool(damaged)
        return f"{group.pieces:>6}  {', '.join(parts) if there or damaged else 'not there'}"
    counts = group.counts
    cells = {name: f"{counts[name]:,}" for name in ("positions", "win", "loss", "draw")} | {
        "pieces": str(group.pieces),
        "longest": "-" if group.longest is None else str(group.longest),
        "on disk": size_text(counts["bytes"]),
        "a position": f"{counts['bytes'] / counts['positions']:.2f} B",
    }
    return "".join(_COLUMNS[name].format(cells[name]) for name in names)
