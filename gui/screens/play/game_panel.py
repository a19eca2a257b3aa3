"""The panel beside the board: the list of moves, the way through the game, how far thinking is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from game.ballots import PLAYED
from game.finding import SearchInfo
from game.review.judged import Review
from gui.geometry import Rect
from gui.look.canvas import Look
from gui.look.measures import CONTROL, SMALL, TIGHT
from gui.look.theme import Theme
from gui.model.game import GameModel
from gui.model.table import Thinking
from gui.widgets.base import Label, Widget
from gui.widgets.button import button
from gui.widgets.commands import Command
from gui.widgets.table import Cell, Column, Table

LEAST_SWITCH = 40
"""Width of a switch that has room for its key beside its icon, in pixels of the design."""

LEAST_MOVES, OPENING = 88, 20
"""Height of a list of moves that leaves room for the opening, and of its line, in pixels of the design."""


def moves_panel(
    model: GameModel, go_to: Callable[[int], object], look: Look, rect: Rect, review: Review | None = None
) -> list[Widget]:
    """The moves of the game, below the name of their opening; a review marks those that changed the chances."""
    ballot = model.ballot
    if ballot is None or rect.h < look.px(LEAST_MOVES):
        return [moves_list(model, go_to, look.theme, rect, review)]
    line, rest = rect.rows(look.px(OPENING), None, gap=look.px(TIGHT))
    text = f"Ballot {ballot.title}, {ballot.moves}"
    hint = f"The game began with the ballot {ballot.moves}, {PLAYED[ballot.played]}"
    told = Label(key="opening", rect=line.inset(look.px(TIGHT), 0), text=text, colour=look.theme.muted, hint=hint,
                 may_cut=True)  # fmt: skip
    return [told, moves_list(model, go_to, look.theme, rest, review)]


def moves_list(
    model: GameModel, go_to: Callable[[int], object], theme: Theme, rect: Rect, review: Review | None = None
) -> Table:
    """The moves of the game; the one that led to the position that is shown is marked."""
    marks = {mark.ply - 1: mark for mark in review.marks} if review is not None else {}
    rows, here = model.rows(), model.cursor - 1
    chosen = next((number for number, row in enumerate(rows) if here >= 0 and here in row[1:]), -1)

    def cells(number: int) -> Sequence[str | Cell]:
        move, black, white = rows[number]
        shown = [Cell(f"{move}.", theme.muted)]
        for ply in (black, white):
            if ply is None:
                shown.append(Cell("…" if number == 0 and ply == black else ""))
            else:
                at, mark = ply == here, marks.get(ply)
                text = f"{model.plies[ply].move}{f' {mark.mark.value}' if mark is not None else ''}"
                colour = theme.accent if at else theme.warning if mark is not None and mark.mistake else None
                shown.append(Cell(text, colour, "next" if at else "", at or (mark is not None and mark.mistake)))
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


def step_buttons(steps: Sequence[Command], switches: Sequence[Command], rect: Rect, look: Look) -> list[Widget]:
    """First, previous, next, last; then switches of what is shown, with their keys."""
    narrow = [None] * len(steps) if not switches else [min(look.px(CONTROL), rect.w // 11)] * len(steps)
    places = rect.columns(*narrow, *[None] * len(switches), gap=look.px(TIGHT))
    shown = [button(step, f"step.{step.id}", place, icon_only=True) for step, place in zip(steps, places, strict=False)]
    for switch, place in zip(switches, places[len(steps) :], strict=True):
        made = button(switch, f"show.{switch.id}", place, size=SMALL)
        text = switch.key if place.w >= look.px(LEAST_SWITCH) else ""
        shown.append(replace(made, text=text, shortcut=""))
    return list(shown)


def thinking_text(thinking: Thinking) -> str:
    """How far a program's thinking is."""
    parts = [search_text(thinking.finding)] if search_text(thinking.finding) else []
    if thinking.seconds >= 1:
        parts.append(f"{thinking.seconds:.0f} s")
    return ", ".join(parts) if parts else "…"


def search_text(finding: SearchInfo | None) -> str:
    """Depth and positions of a search; empty if nothing is known."""
    if finding is None:
        return ""
    depth = f"depth {finding.depth}" if finding.depth else ""
    return ", ".join(filter(None, (depth, f"{finding.nodes:,} positions" if finding.nodes else "")))
