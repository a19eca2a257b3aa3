"""The list of the moves of a game, with variations and marks, below the name of its opening."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from game.ballots import PLAYED
from game.review.judged import Review
from game.rules import BLACK
from gui.geometry import Rect
from gui.look.canvas import Look
from gui.look.theme import TIGHT, Theme
from gui.model.game import GameModel
from gui.model.lines import Ply
from gui.widgets.base import Label, Widget
from gui.widgets.table import Cell, Column, Table

LEAST_MOVES, OPENING = 88, 20
"""Minimum height of a list of moves with the opening above it, and height of the opening."""


def moves_panel(
    model: GameModel,
    go_to: Callable[[int], object],
    look: Look,
    rect: Rect,
    review: Review | None = None,
    enter: Callable[[int, int], object] | None = None,
) -> list[Widget]:
    """Return the name of the opening above the list of moves.

    Args:
        enter: displays a variation of a move, as `GameModel.enter_variation`; None to list no variations.
    """
    opening = model.opening
    if not opening.title or rect.h < look.px(LEAST_MOVES):
        return [moves_list(model, go_to, look.theme, rect, review, enter)]
    line, rest = rect.rows(look.px(OPENING), None, gap=look.px(TIGHT))
    ballot = opening.ballot
    named = f"{opening.named.name} is {opening.named.moves}" if opening.named is not None else ""
    begun = "" if ballot is None else f"The game began with the ballot {ballot.moves}, {PLAYED[ballot.played]}"
    hint = ". ".join(filter(None, (named, begun)))
    title = Label(key="opening", rect=line.inset(look.px(TIGHT), 0), text=opening.title, hint=hint, may_cut=True,
                  colour=look.theme.muted)  # fmt: skip
    return [title, moves_list(model, go_to, look.theme, rest, review, enter)]


@dataclass(frozen=True, slots=True)
class _Row:
    """A row of the list of moves: two moves of the game, or the first two moves of a variation.

    Attributes:
        plies: indexes of the moves of Black and White; None for none, and for variations.
    """

    head: str
    plies: tuple[int | None, int | None] = (None, None)
    texts: tuple[str, str] = ("", "")
    go: Callable[[int], object] = lambda column: None


def _rows(model: GameModel, go_to: Callable[[int], object], enter: Callable[[int, int], object] | None) -> list[_Row]:
    def click(black: int | None, white: int | None, column: int) -> None:
        ply = (black, white)[column - 1] if column else None
        ply = ply if ply is not None else white if white is not None else black
        if ply is not None:
            go_to(ply + 1)

    rows = []
    for number, black, white in model.rows():
        rows.append(_Row(f"{number}.", (black, white), go=partial(click, black, white)))
        for ply in (black, white) if enter is not None else ():
            if ply is None or enter is None:
                continue
            for branch in model.branches:
                if branch.index == ply:
                    rows.append(_Row("", texts=_texts(branch.rest), go=partial(_go, go_to, ply)))
            for note, line in model.variations(ply):
                rows.append(_Row("", texts=_texts(line), go=partial(_go, partial(enter, ply), note)))
    return rows


def _go(there: Callable[[int], object], place: int, column: int) -> None:
    there(place)


def _texts(line: Sequence[Ply]) -> tuple[str, str]:
    """Return the first two moves of a line in the columns of Black and White."""
    moves = [" ".join([str(ply.move), *(text for kind, text in ply.notes if kind == "mark")]) for ply in line[:2]]
    first, second = moves[0], f"{moves[1]}{' …' if len(line) > 2 else ''}" if len(line) > 1 else ""
    return (first, second) if line[0].side == BLACK else ("…", f"{first}{' …' if second else ''}")


def moves_list(
    model: GameModel,
    go_to: Callable[[int], object],
    theme: Theme,
    rect: Rect,
    review: Review | None = None,
    enter: Callable[[int, int], object] | None = None,
) -> Table:
    """Return the list of moves, in which the move that led to the visible position is marked."""
    marks = {mark.ply - 1: mark for mark in review.marks} if review is not None else {}
    rows, here = _rows(model, go_to, enter), model.cursor - 1
    chosen = next((number for number, row in enumerate(rows) if here >= 0 and here in row.plies), -1)

    def cells(number: int) -> Sequence[str | Cell]:
        row = rows[number]
        if not row.head:
            return [Cell("", theme.muted, "tree"), *(Cell(text, theme.muted) for text in row.texts)]
        shown = [Cell(row.head, theme.muted)]
        for ply in row.plies:
            if ply is None:
                shown.append(Cell("…" if number == 0 and ply == row.plies[0] else ""))
            else:
                at, mark = ply == here, marks.get(ply)
                written = "".join(text for kind, text in model.plies[ply].notes if kind == "mark")
                sign = mark.mark.value if mark is not None else written
                text = f"{model.plies[ply].move} {sign}".rstrip()
                colour = theme.warning if mark is not None and mark.mistake else theme.accent if at else None
                shown.append(Cell(text, colour, "", at or (mark is not None and mark.mistake)))
        return shown

    begun = "x".join(map(str, model.turn.path)) if model.turn.hopping else ""
    return Table(
        key="moves", rect=rect, columns=(Column("", 48, "right"), Column("Black"), Column("White")), count=len(rows),
        cells=cells, selected=chosen, choose=lambda number, column: rows[number].go(column), keys=False,
        empty=f"{begun}…" if begun else "No moves yet.", follows=True,
    )  # fmt: skip
