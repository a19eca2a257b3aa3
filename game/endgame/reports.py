"""Reports on tablebases: on a position, on the tables in a folder, and on recorded games compared with tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from game.board import LEGEND, Position, diagram, mover
from game.endgame import table_file
from game.endgame.slices import MOST_BUILT
from game.endgame.table_file import FileInfo, TableError
from game.endgame.tables import OWN_PIECES, Tables
from game.endgame.verdict import Verdict
from game.errors import InputError
from game.installation import COMMAND
from game.moves import Move, apply, decode
from game.number_text import plies_text, size_text
from game.pdn.game import RawGame
from game.rules import BLACK
from game.terminal import fit_columns

VALUES = {1: "win", 0: "draw", -1: "loss"}
PLIES = "Plies are counted until the loser has no legal move, the next move being the first."
NO_PLIES = "Tables for this many pieces do not give the number of plies."


def build_command(pieces: int) -> str:
    return f"{COMMAND} tablebase build --pieces {pieces}"


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
"""Maximum number of damaged files, and of games of each kind, that a text report lists."""

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
"""Columns that are omitted on a narrow terminal, in this order."""
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
    def counts(self) -> dict[str, int]:
        return _counts(self.files)


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
            "bytes": sum(each.counts["bytes"] for each in self.groups),
            "damaged": [each.fault for each in self.damaged],
            "build": self.command,
            "tables": [_group_as_json(each) for each in self.groups],
        }

    def text(self, width: int | None = None) -> str:
        """Return the inventory as lines of text, at most `width` characters wide."""
        if self.folder is None:
            return _NO_FOLDER
        widths = {name: len(form.format("")) for name, form in _COLUMNS.items()}
        names = fit_columns(widths, width, _LESSER)
        lines = [f"folder  {self.folder}", "", "".join(_COLUMNS[name].format(name) for name in names).rstrip()]
        lines += [_group_line(each, names) for each in self.groups]
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


def _group_as_json(group: TableGroup) -> dict[str, Any]:
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


def _group_line(group: TableGroup, names: list[str]) -> str:
    if not group.complete:
        sound = sum(not info.fault for info in group.files)
        damaged = sum(info.fault not in ("", MISSING) for info in group.files)
        parts = [f"{sound:,} of {len(group.files):,} files exist"] + [f"{damaged:,} damaged"] * bool(damaged)
        return f"{group.pieces:>6}  {', '.join(parts) if sound or damaged else 'missing'}"
    counts = group.counts
    cells = {name: f"{counts[name]:,}" for name in ("positions", "win", "loss", "draw")} | {
        "pieces": str(group.pieces),
        "longest": "-" if group.longest is None else str(group.longest),
        "on disk": size_text(counts["bytes"]),
        "a position": f"{counts['bytes'] / counts['positions']:.2f} B",
    }
    return "".join(_COLUMNS[name].format(cells[name]) for name in names)


MOST_LISTED = 10_000

_RESULTS = {"1-0": 1, "1/2-1/2": 0, "0-1": -1}
_JUMPS = (6, 15)  # shift and mask of the number of captured pieces in the code of a move (`game.kernels`)


@dataclass(frozen=True, slots=True)
class ThrownAway:
    """The first move of a game that made the value worse for the side that moved.

    Attributes:
        ply: number of the ply, from 1.
        before, after: values to the side that moved, "win", "draw" or "loss".
    """

    game: int
    line: int
    ply: int
    move: str
    fen: str
    before: str
    after: str
    result: str

    def __str__(self) -> str:
        gone = f"throws the {self.before} away" if self.after == "draw" else f"turns the {self.before} into a loss"
        return f"{self.line}: game {self.game}, ply {self.ply}: {self.move} {gone}: {self.fen}"


@dataclass(frozen=True, slots=True)
class Against:
    """A game in which nothing was thrown away, but whose result is not the value of its last position.

    Attributes:
        value: its value to the side to move, "win", "draw" or "loss".
        plies: number of plies to the end of the game; None if unknown.
    """

    game: int
    line: int
    fen: str
    value: str
    plies: int | None
    result: str

    def __str__(self) -> str:
        value = self.value if self.plies is None else f"{self.value} in {plies_text(self.plies)}"
        return f"{self.line}: game {self.game}: {self.result}, but the last position is a {value}: {self.fen}"


@dataclass(slots=True)
class Comparison:
    """Totals over the games of a file; each game counts in exactly one of `agreeing` to `faulty`.

    Attributes:
        agreeing: games whose result is the value of every covered position.
        thrown_away: games with a move that made the value worse for the side that moved.
        against: games without such a move, but with a result that is not the value of the last position.
        agreed: games `against` that were recorded as draws; in the others, a side resigned needlessly.
        mistakes: number of moves that made the value worse for the side that moved.
        changes: number of mistakes by the values before and after, such as ``win to draw``.
    """

    pieces: int
    agreeing: int = 0
    thrown_away: int = 0
    against: int = 0
    not_covered: int = 0
    without_result: int = 0
    faulty: int = 0
    agreed: int = 0
    positions: int = 0
    moves: int = 0
    mistakes: int = 0
    changes: dict[str, int] = field(
        default_factory=lambda: dict.fromkeys(("win to draw", "win to loss", "draw to loss"), 0)
    )
    thrown: list[ThrownAway] = field(default_factory=list)
    differing: list[Against] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    def text(self, source: str) -> str:
        rows = {
            "agreeing": self.agreeing,
            "thrown away": self.thrown_away,
            "against": self.against,
            "not covered": self.not_covered,
            "no result": self.without_result,
            "faulty": self.faulty,
        }
        notes = {
            "agreeing": "the result of perfect play from the first covered position on",
            "thrown away": "a move gave away a win or a draw",
            "against": f"no mistakes, but {self.agreed:,} agreed draws and {self.against - self.agreed:,} resignations",
        }
        lines = [f"games compared with tables of up to {self.pieces} pieces"]
        lines += [f"{name:<12} {value:>15,}  {notes.get(name, '')}".rstrip() for name, value in rows.items()]
        changes = ", ".join(f"{count:,} {change}" for change, count in self.changes.items())
        lines.append(f"{'mistakes':<12} {self.mistakes:>15,}  in {self.moves:,} moves: {changes}")
        for listed, total in ((self.thrown, self.thrown_away), (self.differing, self.against)):
            lines += [f"{source}:{each}" for each in listed[:SHOWN]]
            lines += [f"... and {total - SHOWN:,} more"] if total > SHOWN else []
        return "\n".join(lines)


class GameComparer:
    """Compares games with tables while they are read; a listener of `game.pdn.check.check`."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self.result = Comparison(tables.pieces)

    def on_game(self, raw: RawGame, codes: list[int], position_after: Callable[[int], Position]) -> None:
        if not raw.sound or raw.start is None:
            self.result.faulty += 1
        elif raw.result not in _RESULTS:
            self.result.without_result += 1
        elif (first := self._first_covered(raw.start, codes)) is None:
            self.result.not_covered += 1
        else:
            self._compare(raw, codes, first, position_after(first))

    def _first_covered(self, start: Position, codes: list[int]) -> int | None:
        """Return the number of plies before the first position that tables cover; None if there is none."""
        shift, mask = _JUMPS
        pieces = (start.black | start.white).bit_count()
        for ply, code in enumerate(codes):
            if pieces <= self._tables.pieces:
                return ply
            pieces -= code >> shift & mask
        return len(codes) if pieces <= self._tables.pieces else None

    def _compare(self, raw: RawGame, codes: list[int], first: int, position: Position) -> None:
        result = self.result
        thrown: ThrownAway | None = None
        verdict = self._tables.probe(position)
        assert verdict is not None, "a position with few pieces is covered"
        for ply in range(first, len(codes)):
            move = decode(codes[ply], position.side)
            after = apply(position, move)
            following = self._tables.probe(after)
            assert following is not None, "pieces only become fewer"
            result.positions += 1
            result.moves += 1
            if -following.value < verdict.value:
                before, now = VALUES[verdict.value], VALUES[-following.value]
                result.mistakes += 1
                result.changes[f"{before} to {now}"] += 1
                thrown = thrown or ThrownAway(
                    raw.number, raw.line, ply + 1, str(move), position.fen(), before, now, raw.result
                )
            position, verdict = after, following
        result.positions += 1
        if thrown is not None:
            result.thrown_away += 1
            result.thrown += [thrown] if result.thrown_away <= MOST_LISTED else []
        elif _RESULTS[raw.result] == (verdict.value if position.side == BLACK else -verdict.value):
            result.agreeing += 1
        else:
            result.against += 1
            result.agreed += raw.result == "1/2-1/2"
            against = Against(raw.number, raw.line, position.fen(), VALUES[verdict.value], verdict.plies, raw.result)
            result.differing += [against] if result.against <= MOST_LISTED else []
