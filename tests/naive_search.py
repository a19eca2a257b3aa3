"""Plain minimax, written from the rules of `docs/search.md`: no bounds, no table, no move ordering, nothing cached.

It takes positions and legal moves from the Python side of the program, and evaluates every leaf separately.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from game import moves
from game.board import Position
from game.endings import draw_reason, is_king_move
from game.moves import Move
from game.rules import DrawRules
from game.search.interface import SearchOptions

WIN = 1_000_000.0
TABLEBASE_WON = 950_000.0
Value = Callable[[Position, int], float]


@dataclass(frozen=True)
class Line:
    """A position, and the part of the game before it that counts for draws."""

    position: Position
    reversible: tuple[Position, ...]
    quiet: int
    plies: int

    def after(self, position: Position, rules: DrawRules) -> Line:
        before = self.position
        captured = pieces(before, 1 - before.side) != pieces(position, 1 - before.side)
        man_moved = not is_king_move(before, position)
        kept = () if captured or man_moved else self.reversible
        quiet = 0 if captured or (man_moved and rules.men_reset) else self.quiet + 1
        return Line(position, (*kept, position), quiet, self.plies + 1)


def tree_of(style: SearchOptions) -> dict[str, bool]:
    """Return the options of a style that decide which positions are searched, as arguments of `Minimax`."""
    return {name: getattr(style, name) for name in ("quiescence", "blondie", "threats", "twofold")}


def pieces(position: Position, side: int) -> int:
    return position.black if side == 0 else position.white


def line_of(position: Position, history: Sequence[Position], rules: DrawRules) -> Line:
    """Return the line of a game that went through `history` to a position."""
    first, *others = (*history, position)
    line = Line(first, (first,), 0, 0)
    for each in others:
        line = line.after(each, rules)
    return line


@dataclass(frozen=True)
class Minimax:
    """The search of one player.

    Attributes:
        value: returns the value of a position to a side.
        rules: the draw rules.
        side: the searching side.
        quiescence, blondie, threats, twofold: as in `game.search.interface.SearchOptions`.
        known: returns the result of a position for the side to move, 1, 0 or -1, or None if it is not looked up.
        drawn: the value of a draw by the rules to the searching side.
    """

    value: Value
    rules: DrawRules
    side: int = 0
    quiescence: bool = False
    blondie: bool = False
    threats: bool = False
    twofold: bool = False
    known: Callable[[Position], int | None] = lambda position: None
    drawn: float = 0.0

    def root(self, position: Position, history: Sequence[Position], depth: int) -> list[tuple[Move, float]]:
        me = replace(self, side=position.side)
        line = line_of(position, history, self.rules)
        after = moves.successors(position)
        behind = depth if self.blondie and len(after) == 1 else depth - 1
        return [(move, me.minimax(line.after(board, self.rules), behind, 1)) for move, board in after]

    def minimax(self, line: Line, depth: int, ply: int, threats: int = 0) -> float:
        """Return the value to the searching side; `threats` counts the threats answered after the last ply."""
        position = line.position
        after = moves.successors(position)
        pending = bool(after) and bool(after[0][0].captured)
        value = self.known(position)
        if value is not None and after:
            score = value * (TABLEBASE_WON - ply)
            return score if position.side == self.side else -score
        leaf = depth <= 0 and value is None  # below 0 if captures went on after the last ply
        if (self.quiescence or self.blondie or self.threats) and pending:
            leaf = False
        if self.blondie and depth % 2 == 1:
            leaf = False
        if not leaf:
            return self.expanded(line, depth, ply, threats)
        score = self.value(position, self.side)
        again = moves.legal_moves(replace(position, side=1 - position.side)) if self.threats else []
        if threats > 0 or ply < 2 or not again or not again[0].captured:
            return score
        behind = self.expanded(line, depth, ply, 1)
        return min(score, behind) if position.side == self.side else max(score, behind)

    def expanded(self, line: Line, depth: int, ply: int, threats: int) -> float:
        position = line.position
        after = moves.successors(position)
        if not after:
            return ply - WIN if position.side == self.side else WIN - ply
        if draw_reason(line.reversible, line.quiet, line.plies, self.rules) is not None:
            return self.drawn
        if self.twofold and self.rules.repetition and position in line.reversible[-1 - ply : -1]:
            return self.drawn
        behind = depth if self.blondie and len(after) == 1 else depth - 1
        values = [self.minimax(line.after(board, self.rules), behind, ply + 1, threats) for _, board in after]
        return max(values) if position.side == self.side else min(values)
