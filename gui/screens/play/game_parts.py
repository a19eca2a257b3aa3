"""Parts of screens with a game: strips of the players, status, rows of buttons, and words about searches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from game.networks.emblem import Emblem
from game.number_text import count_text
from game.rules import BLACK
from game.scores import SearchInfo
from gui.geometry import Rect
from gui.look import shapes
from gui.look.canvas import Canvas, Look
from gui.look.theme import BODY, DISPLAY, EDGE, GAP, HEADING, ROOM, SMALL, TIGHT, TITLE, PieceColours
from gui.model.game import GameModel
from gui.model.table import Thinking
from gui.widgets.base import Command, Ui, Widget, draw_share
from gui.widgets.board import draw_man
from gui.widgets.button import button
from gui.widgets.emblem import draw_emblem

TO_MOVE = "to move"

WON, KING = 24, 54
"""Size of the headline of a won game, where it has room, and width of the king beside it."""
LARGE_FIGURE = 320
"""Minimum width for a large figure beside the ladder."""


@dataclass(frozen=True, kw_only=True)
class Strip(Widget):
    """The strip of a player: its emblem, name and rating, a line about it, whether it is to move, and captured pieces.

    Attributes:
        emblem: None for a player without one.
        rating: as text; empty if unknown.
        line: what it does, or how it plays; empty for nothing.
        taken: the number of pieces that it has captured.
    """

    side: int
    name: str
    emblem: Emblem | None = None
    rating: str = ""
    line: str = ""
    to_move: bool = False
    taken: int = 0

    def draw(self, canvas: Canvas, ui: Ui) -> None:
        """Draw a piece, the emblem and two lines of text, or one, and the captured pieces at the right.

        The name is drawn in full if it has up to 24 letters; other texts are drawn only if there is room.
        """
        theme, rect, px = canvas.theme, self.rect, canvas.px
        colours, other = (theme.black, theme.white) if self.side == BLACK else (theme.white, theme.black)
        side = min(rect.h - px(4), px(34))
        draw_man(canvas, side, colours, (rect.x, rect.y + (rect.h - side) // 2))
        x, right = rect.x + side + px(6), rect.right
        if self.emblem is not None:
            place = Rect(x, rect.y, px(24), rect.h)
            draw_emblem(canvas, place.inset(0, px(4)), self.emblem)
            x = place.right + px(6)
        line = self.line if canvas.width(self.name, TITLE, bold=True) <= right - x else ""
        _, upper, lower, _ = rect.rows(px(2), None, px(16), px(2)) if line else [rect] * 4
        right = self._draw_taken(canvas, upper, x, other)
        size = canvas.fitting(self.name, right - x, TITLE, bold=True)
        named = canvas.text(self.name, Rect(x, upper.y, right - x, upper.h), size=size, bold=True, may_cut=True)
        if line:
            canvas.text(line, Rect(x, lower.y, rect.right - x, lower.h), theme.muted, SMALL, may_cut=True)
        x = named.right + px(10)
        beside = canvas.width(TO_MOVE, SMALL, bold=True) if self.to_move else 0
        if self.rating and x + canvas.width(self.rating, BODY, tabular=True) + px(10) + beside <= right:
            place = Rect(x, upper.y, right - x, upper.h)
            x = canvas.text(self.rating, place, theme.muted, BODY, tabular=True).right + px(10)
        if self.to_move and x + beside <= right:
            canvas.text(TO_MOVE, Rect(x, upper.y, right - x, upper.h), theme.accent, SMALL, bold=True)

    def _draw_taken(self, canvas: Canvas, rect: Rect, left: int, colours: PieceColours) -> int:
        """Draw the captured pieces, or one and their number if the name needs the room; return their left end."""
        px, small = canvas.px, canvas.px(18)
        step, room = px(8), rect.right - left - canvas.width(self.name, TITLE, bold=True) - px(EDGE)
        if self.taken < 2 or small + step * (self.taken - 1) <= room:
            places = [rect.right - small - step * at for at in reversed(range(self.taken))]
        else:
            number = f"{self.taken}"
            count = Rect(0, rect.y, canvas.width(number, SMALL, tabular=True), rect.h)
            count = count.move(rect.right - count.w, 0)
            canvas.text(number, count, canvas.theme.muted, SMALL, tabular=True)
            places = [count.x - px(3) - small]
        for x in places:
            draw_man(canvas, small, colours, (x, rect.y + (rect.h - small) // 2))
        return places[0] - px(6) if places else rect.right


@dataclass(frozen=True, kw_only=True)
class StatusText(Widget):
    """The state of the game: a headline and a text below.

    Attributes:
        tone: normal, good, warning or won; it selects the colour of the icon, and the words say the same. What is won
            has larger words, on the colour of what is chosen.
        share: how much of the work is done, from 0 to 1, as a bar; None for no bar.
        king: the side whose king stands in place of the icon; None for the icon.
    """

    head: str
    text: str = ""
    icon: str = ""
    tone: str = "normal"
    share: float | None = None
    king: int | None = None

    def with_text(self, look: Look, *texts: str) -> StatusText:
        """Return a copy with the first of these texts that fits; unchanged if none does."""
        px, fonts = look.px, look.fonts
        inner = self._inner(px)
        most = (inner.h - fonts.height(px(TITLE))) // max(fonts.height(px(BODY)), 1)
        fitting = (text for text in texts if len(fonts.wrap(text, inner.w, px(BODY))) <= most)
        return replace(self, text=next(fitting, self.text))

    def _inner(self, px: Callable[[float], int]) -> Rect:
        inner = self.rect.inset(px(ROOM), px(GAP))
        beside = px(KING) if self.king is not None else px(26) + px(8) if self.icon else 0
        return Rect(inner.x + beside, inner.y, inner.w - beside, inner.h)

    def draw(self, canvas: Canvas, ui: Ui) -> None:
        theme, rect, px = canvas.theme, self.rect, canvas.px
        won = self.tone == "won"
        tone = {"good": theme.good, "warning": theme.warning, "won": theme.accent}.get(self.tone, theme.muted)
        fill, edge = (theme.selection, theme.accent) if won else (theme.panel, theme.line)
        canvas.box(rect, fill, edge, 10)
        inner = self._inner(px)
        if self.king is not None:
            side, colours = min(inner.h, px(KING - GAP)), (theme.black, theme.white)[self.king]
            canvas.surface.blit(shapes.piece(side, True, colours), (rect.x + px(12), inner.y + (inner.h - side) // 2))
        elif self.icon:
            canvas.icon(self.icon, Rect(rect.x + px(12), inner.y, px(26), inner.h), tone, 22)
        lines = canvas.look.fonts.wrap(self.text, inner.w, px(BODY)) if self.text else []
        below = len(lines) * canvas.look.fonts.height(px(BODY))
        size = WON if self.king is not None and canvas.line_height(WON) + below <= inner.h else TITLE
        head = canvas.line_height(size)
        below = min(below, inner.h - head)
        top = inner.y + max((inner.h - head - below) // 2, 0)
        canvas.text(self.head, Rect(inner.x, top, inner.w, head), size=size, bold=True, may_cut=True)
        if lines:
            rect = Rect(inner.x, top + head, inner.w, below)
            canvas.paragraph(self.text, rect, theme.muted, may_cut=bool(self.hint))
        draw_share(canvas, self.rect, self.share)


@dataclass(frozen=True, kw_only=True)
class Climbed(Widget):
    """A ladder on which the person's piece goes up one rung, and the rating that it has then.

    Attributes:
        rungs: names, from weak to strong.
        start: the index of the climbed rung.
        share: how much of the way is done, from 0 to 1; on arrival the piece is crowned.
        figure, change: the rating, and what the game added to it.
        side: whose piece it is.
    """

    rungs: Sequence[str]
    start: int
    share: float
    figure: str
    change: str
    side: int

    def draw(self, canvas: Canvas, ui: Ui) -> None:
        theme, px = canvas.theme, canvas.px
        canvas.box(self.rect, theme.panel, theme.line, 10)
        inner = self.rect.inset(px(ROOM), px(GAP))
        step = min(inner.h / len(self.rungs), px(60))
        bottom = inner.y + (inner.h + step * len(self.rungs)) / 2
        wide, rail = px(58), theme.mix(theme.background, theme.muted, 0.6)
        for x in (inner.x, inner.x + wide):
            top = bottom - step * len(self.rungs)
            shapes.lines(canvas.surface, rail, ((x, top), (x, bottom)), px(3))
        size = DISPLAY if inner.w >= px(LARGE_FIGURE) else HEADING
        beyond = canvas.width(self.figure, size, bold=True, tabular=True) + px(GAP)
        for at, name in enumerate(self.rungs):
            y, reached = bottom - step * (at + 0.2), at <= self.start
            shapes.lines(canvas.surface, theme.accent if reached else rail, ((inner.x, y), (inner.x + wide, y)), px(3))
            x = inner.x + wide + px(ROOM)
            place = Rect(x, round(y - step * 0.8), inner.right - beyond - x, round(step))
            canvas.text(
                name, place, theme.text if at == self._goal else theme.muted, bold=at == self._goal, may_cut=True
            )
        self._draw_piece(canvas, inner.x + wide / 2, bottom - step * 0.2, step)
        place = Rect(inner.right - beyond, inner.y, beyond, inner.h)
        above, below = place.centre_within(beyond, px(size + 22)).rows(None, px(16))
        canvas.text(self.figure, above, size=size, bold=True, align="right", tabular=True)
        canvas.text(self.change, below, theme.muted, SMALL, align="right", tabular=True)

    @property
    def _goal(self) -> int:
        return min(self.start + 1, len(self.rungs) - 1)

    def _draw_piece(self, canvas: Canvas, x: float, bottom: float, step: float) -> None:
        """Draw the piece on its way: it waits, jumps in an arc, and has its crown on arrival."""
        side, colours = round(step * 0.86), canvas.theme.black if self.side == BLACK else canvas.theme.white
        way = min(max(self.share * 2 - 0.5, 0.0), 1.0)
        eased = way * way * (3 - 2 * way)
        at = self.start + (self._goal - self.start) * eased
        y = bottom - step * (at + 0.5 * 4 * way * (1 - way)) - side
        canvas.surface.blit(shapes.piece(side, way >= 1, colours), (round(x - side / 2), round(y)))


def title_area(buttons: Sequence[Widget], tools: Rect, look: Look) -> Rect:
    """Return the area between the button back and the other buttons of `Screen.header_buttons`."""
    place = {widget.key: widget.rect for widget in buttons}
    left, right = place["back"].right + look.px(8), place["header.settings"].x - look.px(4)
    return Rect(left, tools.y, right - left, tools.h)


THROUGH = "Through the game"


def step_commands(
    model: GameModel | None, go_to: Callable[[int], object], ends: Sequence[str] = ("home", "end")
) -> list[Command]:
    """Return the commands that go through a game; `ends` are the keys of its start and its end."""
    cursor, length, over = (model.cursor, len(model.plies), model.over) if model is not None else (0, 0, False)
    back, on = "This is the start of the game.", f"This is the {'end of the game' if over else 'latest position'}."
    steps = (
        ("First", ends[0], 0, "Go to the start of the game", back),
        ("Previous", "left", cursor - 1, "Go back one move", back),
        ("Next", "right", cursor + 1, "Go forward one move", on),
        ("Last", ends[1], length, "Go to the end of the game", on),
    )
    return [
        Command(id=name.lower(), name=name, keys=(key,) if "+" in key else (key, f"ctrl+{key}"), run=partial(go_to, to),
                about=about, icon=name.lower(), enabled=0 <= to <= length and to != cursor, group=THROUGH, why=why)
        for name, key, to, about, why in steps
    ]  # fmt: skip


def step_buttons(steps: Sequence[Command], rect: Rect | None, look: Look) -> list[Widget]:
    """Return the buttons of the previous and the next move; none without a place, or if no step can do anything."""
    if rect is None or not any(step.enabled for step in steps):
        return []
    steps = steps[1:3]  # the first and the last position have keys
    places = rect.columns(*[None] * len(steps), gap=look.px(TIGHT))
    return [button(step, f"step.{step.id}", place, icon_only=True) for step, place in zip(steps, places, strict=True)]


def tab_buttons(tabs: Sequence[Command], rect: Rect, look: Look) -> list[Widget]:
    places = rect.columns(*[None] * len(tabs), gap=look.px(TIGHT))
    return [  # only its key leaves the chosen one
        button(tab, f"show.{tab.id}", place, icon="", shortcut="", enabled=tab.enabled and not tab.chosen)
        for tab, place in zip(tabs, places, strict=True)
    ]


def thinking_text(thinking: Thinking) -> str:
    seconds = f"{thinking.seconds:.0f} s" if thinking.seconds >= 1 else ""
    return ", ".join(filter(None, (search_text(thinking.finding), seconds))) or "…"


def search_text(finding: SearchInfo | None) -> str:
    """Return depth and positions of a search; empty if both are unknown."""
    if finding is None:
        return ""
    depth = f"depth {finding.depth}" if finding.depth else ""
    return ", ".join(filter(None, (depth, count_text(finding.nodes, "position") if finding.nodes else "")))
