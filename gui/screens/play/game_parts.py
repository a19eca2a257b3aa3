"""The panel beside a board: the list of moves, the way through the game, status, strips of the players."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from game.ballots import PLAYED
from game.finding import SearchInfo
from game.review.judged import Review
from game.rules import BLACK, WHITE
from gui.geometry import Rect
from gui.look import shapes
from gui.look.canvas import Canvas, Look
from gui.look.theme import BODY, CONTROL, EDGE, GAP, HEADING, ROOM, SMALL, TIGHT, TITLE, Colour, Theme
from gui.model.game import GameModel
from gui.model.table import Thinking
from gui.widgets.base import Command, Label, Ui, Widget
from gui.widgets.button import button
from gui.widgets.table import Cell, Column, Table


@dataclass(frozen=True, kw_only=True)
class Strip(Widget):
    """Who plays a colour: name, limits, whether it is to move, what it has captured.

    Attributes:
        side: the colour.
        name: who plays it.
        limits: depth and time in words; empty for a person.
        to_move: whether it is its turn.
        busy: whether it thinks.
        taken: captured pieces of the other colour.
    """

    side: int
    name: str
    limits: str = ""
    to_move: bool = False
    busy: bool = False
    taken: int = 0

    def draw(self, canvas: Canvas, ui: Ui) -> None:
        """A piece, the name, the limits; at the right a row of small captured pieces."""
        theme, rect, px = canvas.theme, self.rect, canvas.px
        colours, other = (theme.black, theme.white) if self.side == BLACK else (theme.white, theme.black)
        side = min(rect.h - px(4), px(34))
        canvas.surface.blit(shapes.piece(side, False, colours), (rect.x, rect.y + (rect.h - side) // 2))
        x = rect.x + side + px(6)
        small = px(15)
        step = max(small * 5 // 8, 1)
        taken = min(self.taken, 12)
        right = rect.right - (taken * step + small if taken else 0)
        for number in range(taken):
            place = (rect.right - small - (taken - 1 - number) * step, rect.y + (rect.h - small) // 2)
            canvas.surface.blit(shapes.piece(small, False, other), place)
        limits = self.limits
        wide = canvas.width(limits, SMALL) + px(10) if limits else 0
        room = Rect(x, rect.y, max(right - x - px(64), 0), rect.h)
        if wide > room.w // 2:
            limits, wide = "", 0
        named = canvas.text(self.name, Rect(x, rect.y, room.w - wide, rect.h), size=TITLE, bold=True, may_cut=True)
        x = named.right + px(10)
        if limits:
            canvas.text(limits, Rect(x, rect.y, wide, rect.h), theme.muted, SMALL)
            x += wide
        if self.busy:
            self._draw_dots(canvas, ui, x)
        elif self.to_move:
            room = Rect(x, rect.y, max(right - x, 0), rect.h)
            canvas.text("to move", room, theme.accent, SMALL, bold=True, may_cut=True)

    def _draw_dots(self, canvas: Canvas, ui: Ui, x: int) -> None:
        """Three dots, one of which is strong."""
        theme, px = canvas.theme, canvas.px
        strong = int(ui.now * 3) % 3
        for dot in range(3):
            size = px(6)
            colour: Colour = theme.accent if dot == strong else theme.mix(theme.background, theme.muted, 0.4)
            place = Rect(x + px(4) + dot * px(9), self.rect.y + (self.rect.h - size) // 2, size, size)
            canvas.box(place, colour, None, 3)


@dataclass(frozen=True, kw_only=True)
class StatusText(Widget):
    """What goes on: a headline and a line below.

    Attributes:
        head, text: the words.
        icon: a sign in front.
        tone: normal, good, warning: colours the sign and the edge; the words say the same.
    """

    head: str
    text: str = ""
    icon: str = ""
    tone: str = "normal"

    def with_text(self, look: Look, *texts: str) -> StatusText:
        """With the first of these texts that has room as a whole; if none has, as it is."""
        px, fonts = look.px, look.fonts
        inner = self._inner(px)
        most = (inner.h - fonts.height(px(TITLE))) // max(fonts.height(px(BODY)), 1)
        fitting = (text for text in texts if len(fonts.wrap(text, inner.w, px(BODY))) <= most)
        return replace(self, text=next(fitting, self.text))

    def _inner(self, px: Callable[[float], int]) -> Rect:
        """Return the area of the text."""
        inner = self.rect.inset(px(ROOM), px(GAP))
        beside = px(26) + px(8) if self.icon else 0
        return Rect(inner.x + beside, inner.y, inner.w - beside, inner.h)

    def draw(self, canvas: Canvas, ui: Ui) -> None:
        """A card."""
        theme, rect, px = canvas.theme, self.rect, canvas.px
        tone = {"good": theme.good, "warning": theme.warning}.get(self.tone, theme.muted)
        canvas.box(rect, theme.panel, theme.line, 10)
        inner = self._inner(px)
        if self.icon:
            canvas.icon(self.icon, Rect(rect.x + px(12), inner.y, px(26), inner.h), tone, 22)
        head = canvas.line_height(TITLE)
        used = head
        lines = canvas.look.fonts.wrap(self.text, inner.w, px(BODY)) if self.text else []
        below = min(len(lines) * canvas.look.fonts.height(px(BODY)), inner.h - used)
        top = inner.y + max((inner.h - used - below) // 2, 0)
        canvas.text(self.head, Rect(inner.x, top, inner.w, head), size=TITLE, bold=True, may_cut=True)
        if lines:
            canvas.paragraph(self.text, Rect(inner.x, top + head, inner.w, below), theme.muted)


@dataclass(frozen=True, kw_only=True)
class EvaluationBar(Widget):
    """How the game stands: the share of the bar that is white is White's; where draws are told apart, between them.

    Attributes:
        share: how Black stands, from -1 to 1; None if it is not known: then the bar has no parts.
        text: by how much the side is ahead that is, or why that is not known; in one line or two.
        certain: whether this is known, and no opinion; a sign says so.
        flipped: whether White's side of the board is at the top.
        results: how likely Black wins, the game is drawn, and White wins, which then are its parts; None without.
    """

    share: float | None
    text: str = ""
    certain: bool = False
    flipped: bool = False
    results: tuple[float, float, float] | None = None

    def draw(self, canvas: Canvas, ui: Ui) -> None:
        """Parts with the letter of their side, a mark at the middle, the value where the side ahead is."""
        theme, rect, px = canvas.theme, self.rect, canvas.px
        black, white = theme.black.face, theme.white.face
        line = max(px(1), 1)
        canvas.fill(rect, theme.control_line)
        inner = rect.inset(line)
        cap = min(px(18), inner.h // 4)
        middle = inner.inset(0, cap)
        at_top = not self.flipped  # Black's side of the board is at the top
        canvas.fill(inner, white)
        part = 0.0 if self.share is None else (1 + max(min(self.share, 1.0), -1.0)) / 2
        length = cap + round(middle.h * part)
        canvas.fill(Rect(inner.x, inner.y if at_top else inner.bottom - length, inner.w, length), black)
        if self.share is None:
            canvas.fill(middle, theme.control)
        else:
            edge = inner.y + length if at_top else inner.bottom - length
            canvas.fill(Rect(rect.x, edge - line, rect.w, 2 * line), theme.control_line)
            for x in (rect.x, rect.right - px(5)):
                canvas.fill(Rect(x, rect.centre[1] - line, px(5), 2 * line), theme.must)
        upper, lower = Rect(inner.x, inner.y, inner.w, cap), Rect(inner.x, inner.bottom - cap, inner.w, cap)
        for place, is_black in ((upper, at_top), (lower, not at_top)):
            letter, colour = ("B", white) if is_black else ("W", black)
            canvas.text(letter, place, colour, SMALL, bold=True, align="centre")
        if self.results is not None:
            self._draw_results(canvas, self.results, middle, cap)
            return
        if inner.h < 6 * cap:
            return
        is_black = self.share is not None and self.share > 0
        step = cap if is_black == at_top or self.share is None else -cap
        place, colour = (upper if step > 0 else lower), white if is_black else black
        if self.share is None:
            place, colour = middle.centre_within(middle.w, cap).move(0, -2 * cap), theme.text
        for text in self.text.splitlines()[:: 1 if step > 0 else -1]:
            place = place.move(0, step)
            canvas.text(text, place, colour, canvas.fitting(text, place.w, SMALL), align="centre", may_cut=True)
        if self.certain:
            canvas.icon("check", place.move(0, step), colour, 16)

    def _draw_results(self, canvas: Canvas, results: tuple[float, float, float], middle: Rect, cap: int) -> None:
        """The parts between the letters, each with its percentage where that has room."""
        theme, line = canvas.theme, max(canvas.px(1), 1)
        black, white = theme.black.face, theme.white.face
        looks = [(black, white), (theme.square_dark, theme.number), (white, black)]
        parts = list(zip(results, looks, strict=True))[:: -1 if self.flipped else 1]
        top, before = middle.y, 0.0
        for part, (fill, colour) in parts:
            before += part
            bottom = middle.y + round(middle.h * min(before, 1.0))
            place = Rect(middle.x, top, middle.w, bottom - top)
            canvas.fill(place, fill)
            if top > middle.y:
                canvas.fill(Rect(self.rect.x, top - line, self.rect.w, 2 * line), theme.control_line)
            if place.h >= cap + 2 * line:
                text = f"{100 * part:.0f}%"
                canvas.text(text, place, colour, canvas.fitting(text, place.w, SMALL), align="centre", may_cut=True)
            top = bottom


@dataclass(frozen=True, kw_only=True)
class Banner(Widget):
    """The result of a game, over the board.

    Attributes:
        head, text: who won, and by which rule.
        winner: the side that won; None for a draw.
    """

    head: str
    text: str
    winner: int | None

    def draw(self, canvas: Canvas, ui: Ui) -> None:
        """A card with the winner's king."""
        theme, rect, px = canvas.theme, self.rect, canvas.px
        shapes.shadow(canvas.surface, rect, px(12), px(20), 130)
        canvas.box(rect, theme.panel, theme.line, 12)
        inner = rect.inset(px(EDGE), px(EDGE))
        side = px(64)
        kings = [self.winner] if self.winner is not None else [BLACK, WHITE]
        for number, king in enumerate(kings):
            size = side if len(kings) == 1 else side * 3 // 4
            colours = theme.black if king == BLACK else theme.white
            place = (inner.x + number * side * 3 // 8, inner.y + (side - size) // 2)
            canvas.surface.blit(shapes.piece(size, self.winner is not None, colours), place)
        x = inner.x + side + px(16)
        text = Rect(x, inner.y, inner.right - x - px(14), px(30))
        canvas.text(self.head, text, size=HEADING, bold=True)
        top = text.bottom + px(4)
        canvas.paragraph(self.text, Rect(x, top, inner.right - x, inner.bottom - px(48) - top), theme.muted)


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
    """Return the progress of a program's thinking."""
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
