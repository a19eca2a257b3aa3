"""Recorded games beside tables: whose result perfect play would have brought, and which move threw a game away."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

from game.board import Position
from game.endgame.probe_report import VALUES
from game.endgame.tables import Tables
from game.moves import apply, decode
from game.number_text import plies_text
from game.pdn.text import RawGame
from game.rules import BLACK

MOST_LISTED = 10_000
SHOWN = 10
"""Number of games of a kind in the report for people."""

_RESULTS = {"1-0": 1, "1/2-1/2": 0, "0-1": -1}
_JUMPS = (6, 15)  # where the code of a move (game.kernels) has the number of captured pieces


@dataclass(frozen=True, slots=True)
class ThrownAway:
    """The first move of a game after which the value is worse for the side that made it.

    Attributes:
        game, line: number of the game in the file, and of its first line, both from 1.
        ply: number of the ply, from 1.
        move, fen: the move and the position before it.
        before, after: value to the side that moved, "win", "draw" or "loss".
        result: as recorded.
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
    """A game without such a move whose result is not that of perfect play from its last position.

    Attributes:
        game, line: as in `ThrownAway`.
        fen: the last position.
        value: what it is worth to the side to move, "win", "draw" or "loss".
        plies: to the end, None if that is not known.
        result: as recorded.
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
    """Totals over the games of a file, each of which is counted once, from `agreeing` to `faulty`.

    Attributes:
        pieces: of the largest tables.
        agreeing: the result is that of each position that tables cover.
        thrown_away: somebody made a move after which the value was worse for them.
        against: nobody did, but another result was recorded.
        not_covered: no position has so few pieces.
        without_result: the result is not known.
        faulty: the moves cannot be replayed to the end.
        agreed: those `against` that were recorded as draws; the others were given up in vain.
        positions: positions that tables cover.
        moves: moves from one of them.
        mistakes: those of them after which the value was worse for the side that moved.
        changes: mistakes by what became of what, such as ``win to draw``.
        thrown, differing: the games thrown away and against the tables, the first `MOST_LISTED` of each.
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
        """All of it as plain values."""
        return asdict(self)

    def text(self, source: str) -> str:
        """All of it for people; `source` is the name of what was read."""
        rows = {
            "agreeing": self.agreeing,
            "thrown away": self.thrown_away,
            "against": self.against,
            "not covered": self.not_covered,
            "no result": self.without_result,
            "faulty": self.faulty,
        }
        notes = {
            "agreeing": "the result that perfect play brings from the first covered position on",
            "thrown away": "a move gave away a win or a draw",
            "against": f"nobody erred, but {self.agreed:,} agreed to a draw and {self.against - self.agreed:,} gave up",
        }
        lines = [f"games beside tables of up to {self.pieces} pieces"]
        lines += [f"{name:<12} {value:>15,}  {notes.get(name, '')}".rstrip() for name, value in rows.items()]
        changes = ", ".join(f"{count:,} {change}" for change, count in self.changes.items())
        lines.append(f"{'mistakes':<12} {self.mistakes:>15,}  in {self.moves:,} moves: {changes}")
        for listed, total in ((self.thrown, self.thrown_away), (self.differing, self.against)):
            lines += [f"{source}:{each}" for each in listed[:SHOWN]]
            lines += [f"... and {total - SHOWN:,} more"] if total > SHOWN else []
        return "\n".join(lines)


class Comparing:
    """Compares games with tables as they are read; a listener of `game.pdn.check.check`."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self.result = Comparison(tables.pieces)

    def on_game(self, raw: RawGame, codes: list[int], position_after: Callable[[int], Position]) -> None:
        """Take a game in: as it was written, the codes of its moves, and its position after some of them."""
        if not raw.sound or raw.start is None:
            self.result.faulty += 1
        elif raw.result not in _RESULTS:
            self.result.without_result += 1
        elif (first := self._first_covered(raw.start, codes)) is None:
            self.result.not_covered += 1
        else:
            self._compare(raw, codes, first, position_after(first))

    def _first_covered(self, start: Position, codes: list[int]) -> int | None:
        """Number of plies before the first position with few enough pieces."""
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
