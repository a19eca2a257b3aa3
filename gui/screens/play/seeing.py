"""Display of a program's thinking: the line that it expects, its depth, its chances."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from game.board import Position
from game.endgame.verdict import Verdict
from game.finding import SearchInfo
from game.moves import Move
from game.review.chances import Games, count_pieces, find_chances
from game.review.words import percent, result_percents
from gui.model.endings import SIDE_NAME
from gui.model.game import GameModel
from gui.model.table import GameTable
from gui.screens.play.analysis_panel import chances_at

MOST_PLIES = 6
"""Of a line that is drawn on the board."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What somebody thinks about the position on the board, or has thought of the move that led to it.

    Attributes:
        line: the moves that are expected from the position on the board.
        told: in one sentence; `brief` says less.
        chances: how likely a policy finds it that the move ends on a square, as text.
    """

    line: tuple[Move, ...] = ()
    told: str = ""
    brief: str = ""
    chances: Mapping[int, str] = field(default_factory=dict)

    @property
    def paths(self) -> tuple[tuple[int, ...], ...]:
        """Squares of the first moves."""
        return tuple(move.path for move in self.line[:MOST_PLIES])


NOTHING = Seen()


def see(table: GameTable) -> Seen:
    """What a program thinks about its move; else the analyst about the position; else what was thought of the last one.

    A person's move that has begun is not disturbed.
    """
    model = table.model
    thinking, analysis = table.thinking, table.analysis
    if thinking is not None and model.at_end:
        found = thinking.finding
        if found is None:
            return NOTHING
        far = far_text(found.depth, found.nodes, thinking.seconds)
        chance = _chance(model.games, model.last, found.score, found.verdict) or _likely(found)
        seen = _seen("", far, found.pv or (found.move,), "best {}" if far else "{}", chance)
        return replace(seen, chances=chances_at(found))
    if model.turn.path:
        return NOTHING
    if analysis is not None:
        found, position = analysis.finding, model.shown
        chance = _chance(model.games, position, found.score, found.verdict, SIDE_NAME[position.side])
        far = far_text(found.depth, found.nodes)
        return _seen(table.analyst.brief, far, found.pv or (found.move,), "best {}", chance)
    return _after(model)


def _after(model: GameModel) -> Seen:
    """What the program thought that made the move which led to the position on the board."""
    ply = model.shown_ply
    if ply is None or ply.thought is None:
        return NOTHING
    thought, who = ply.thought, model.seats[ply.side].brief or SIDE_NAME[ply.side]
    if not thought.depth:
        told = f"{who} moved without a search."
        return Seen((), told, told)
    line = thought.pv[1:] if thought.pv[:1] == (ply.move,) else ()
    far = far_text(thought.depth, thought.nodes, thought.seconds)
    return _seen(who, far, line, "expects {}", _chance(model.games, ply.before, thought.score, None))


def _seen(who: str, far: str, line: tuple[Move, ...], says: str, chance: str) -> Seen:
    first = says.format(line[0]) if line else ""
    full, brief = (", ".join(filter(None, parts)) for parts in ((far, first, chance), (first, chance)))
    told = [f"{who}: {text}" if who else f"{text[:1].upper()}{text[1:]}" for text in (full, brief) if text]
    return Seen(line, f"{told[0]}.", f"{told[-1]}.") if told else Seen(line)


def far_text(depth: int | None, nodes: int | None, seconds: float | None = None) -> str:
    """How far a search has looked: ``depth 9, 48,210 positions, 2 s``; empty if there was none."""
    parts = [f"depth {depth}" if depth else "", f"{nodes:,} positions" if nodes else ""]
    return ", ".join(filter(None, [*parts, f"{seconds:.0f} s" if seconds is not None and seconds >= 1 else ""]))


def _chance(games: Games, position: Position, score: float | None, verdict: Verdict | None, who: str = "") -> str:
    """Return the chances of the side to move, as reviews of games have them; empty without a score."""
    if score is None:
        return ""
    chances = find_chances(score, count_pieces(position), verdict, games)
    if chances.certain:
        return f"a certain {chances.result.value}{f' for {who}' if who else ''}"
    win, draw, loss = result_percents(chances)
    return f"{who} win {win}, draw {draw}, loss {loss}".lstrip()


def _likely(found: SearchInfo) -> str:
    """How likely a policy finds its move; empty without one."""
    chance = next((line.chance for line in found.lines if line.move == found.move), None)
    return "" if chance is None else f"{percent(chance)} likely"
