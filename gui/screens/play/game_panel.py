"""The panel beside the board: the list of moves, the way through the game, scores, the graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gui.geometry import Rect
from gui.look.canvas import Look
from gui.look.theme import Theme
from gui.model.game import GameModel
from gui.model.table import Analysis, Thinking
from gui.widgets.base import Widget
from gui.widgets.button import button
from gui.widgets.commands import Command
from gui.widgets.plot import Curve, Plot
from gui.widgets.table import Cell, Column, Table


def moves_list(model: GameModel, go_to: Callable[[int], object], theme: Theme, rect: Rect) -> Table:
    """The moves of the game; the one that led to the position that is shown is marked."""
    rows, here = model.rows(), model.cursor - 1
    chosen = next((number for number, row in enumerate(rows) if here >= 0 and here in row[1:]), -1)

    def cells(number: int) -> Sequence[str | Cell]:
        move, black, white = rows[number]
        shown = [Cell(f"{move}.", theme.muted)]
        for ply in (black, white):
            if ply is None:
                shown.append(Cell("…" if number == 0 and ply == black else ""))
            else:
                at = ply == here
                shown.append(Cell(str(model.plies[ply].move), theme.accent if at else None, "next" if at else "", at))
        return shown

    def choose(number: int, column: int) -> None:
        ply = rows[number][column] if column else None
        if ply is None:
            ply = rows[number][2] if rows[number][2] is not None else rows[number][1]
        if ply is not None:
            go_to(ply + 1)

    return Table(
        key="moves",
        rect=rect,
        columns=(Column("", 48, "right"), Column("Black"), Column("White")),
        count=len(rows),
        cells=cells,
        selected=chosen,
        choose=choose,
        keys=False,
        empty="No moves yet.",
        follows=True,
    )


def step_buttons(steps: Sequence[Command], rect: Rect, look: Look) -> list[Widget]:
    """First, previous, next, last."""
    places = rect.columns(None, None, None, None, gap=look.px(6))
    return [
        button(command, f"step.{command.id}", place, icon_only=True)
        for command, place in zip(steps, places, strict=True)
    ]


def scores(analysis: Analysis | None, ended: bool, theme: Theme, rect: Rect) -> Table:
    """What each move of the position that is shown is worth, best first, and how the best one goes on."""
    finding = analysis.finding if analysis else None
    lines = finding.lines if finding else ()
    depth = f"Depth {finding.depth}" if finding and finding.depth else "Score"

    def cells(number: int) -> Sequence[str | Cell]:
        line, best = lines[number], number == 0
        sign = "" if line.exact else "≤ "
        follows = " ".join(str(move) for move in finding.pv[1:6]) if best and finding else ""
        return [Cell(str(line.move), bold=best), Cell(sign + line.text, bold=best), Cell(follows, theme.muted)]

    return Table(
        key="scores",
        rect=rect,
        columns=(Column("Move", 84), Column(depth, 84, "right"), Column("Then")),
        count=len(lines),
        cells=cells,
        keys=False,
        empty="The game is over." if ended else "Thinking…",
        size=13,
    )


def graph(model: GameModel, go_to: Callable[[int], object], rect: Rect) -> Plot:
    """The evaluation over the game, as the programs saw it; it stays as it was where nobody said anything."""
    shares: list[float | None] = [None]
    for share in model.shares():
        shares.append(shares[-1] if share is None else share)
    return Plot(
        key="graph",
        rect=rect,
        curves=(Curve("Black", shares),),
        low=-1.0,
        high=1.0,
        mark=model.cursor,
        pick=go_to,
        axes=False,
        zero=True,
        least=12,
        title="Evaluation (above the line: Black is ahead)",
        empty="Nothing to show yet",
    )


def thinking_text(thinking: Thinking) -> str:
    """How far a program's thinking is."""
    finding, parts = thinking.finding, []
    if finding is not None and finding.depth:
        parts.append(f"depth {finding.depth}")
    if finding is not None and finding.nodes:
        parts.append(f"{finding.nodes:,} positions")
    if thinking.seconds >= 1:
        parts.append(f"{thinking.seconds:.0f} s")
    return ", ".join(parts) if parts else "…"
