"""Cards with a picture, a title and a line of text, in columns; only visible ones are computed and drawn."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from game.networks.emblem import Emblem
from gui.events import Press
from gui.geometry import Point, Rect
from gui.look.canvas import Canvas
from gui.look.theme import BODY, CONTROL, GAP, HEADING, ROOM, TIGHT, TITLE
from gui.model.lines import Piece
from gui.widgets.base import Command, ListWidget, Scrolling, Ui, Widget
from gui.widgets.board import BoardWidget, draw_man
from gui.widgets.button import button
from gui.widgets.emblem import SHAPE, draw_emblem

LEAST_BOARD, ROOMY, ICON, MAN, NARROW, NAME = 56, 110, 72, 22, 220, 140
"""Heights of a card: below the first without a board, from the second with larger text; of an icon and a man; the width
of its text below which a figure stands under the line, so that all names have one size; and that for a large name."""
BOTH, LEAST_BESIDE, SHIELD, OTHERS = 340, 84, 104, 168
"""Width and height from which there is a board or a curve beside a shield; the largest shield; and the width of further
ones."""
ACTION, WORDED = 124, 420
"""The width of a button with words, and that of a card from which it has them."""


@dataclass(frozen=True)
class Card:
    """A card.

    Attributes:
        figure: a number at the right of the title.
        pieces: the position on its small board, where there is room; None for none.
        emblem: at the left; without room for both, it takes the place of the board.
        others: further emblems at the right, in place of the board.
        icon: what stands there without an emblem; without both, a plain shield does, or the board if there is no room.
        faint: whether what it shows cannot be used.
        opens: whether a single click activates it.
        sides: the sides that it plays, as men after the title.
        plot: a curve in place of the board.
        action: what a button at the right does; an icon in a narrow card.
    """

    title: str
    line: str
    figure: str = ""
    pieces: Mapping[int, Piece] | None = None
    icon: str = ""
    faint: bool = False
    emblem: Emblem | None = None
    others: tuple[Emblem | None, ...] = ()
    opens: bool = False
    sides: tuple[int, ...] = ()
    plot: Widget | None = None
    action: Command | None = None


@dataclass
class CardScroll(Scrolling):
    """The scroll position of cards.

    Attributes:
        seen: the chosen card that was last scrolled to, and the list that it belongs to.
        actions: the places of buttons on the visible cards, with what they do.
    """

    seen: Hashable = None
    actions: list[tuple[Rect, Command]] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class Cards(ListWidget[CardScroll]):
    kept: ClassVar[type[Any]] = CardScroll
    wheel_rows: ClassVar[float] = 0.5

    card: Callable[[int], Card]
    height: int
    gap: int

    def furthest(self, scroll: CardScroll) -> float:
        return max(self.rows * scroll.row - self.gap - self.rect.h, 0)

    def place(self, number: int, scroll: CardScroll) -> Rect:
        wide = self.rect.w - (scroll.bar + self.gap if self.thumb(scroll) else 0)
        line, column = divmod(number, self.across)
        x, _, w, _ = Rect(self.rect.x, 0, wide, 0).columns(*[None] * self.across, gap=self.gap)[column]
        return Rect(x, self.rect.y + line * scroll.row - int(scroll.top), w, self.height)

    def item_at(self, point: Point, scroll: CardScroll) -> int | None:
        first = int((point[1] - self.rect.y + scroll.top) // scroll.row) * self.across
        cards = range(max(first, 0), min(first + self.across, self.count))
        return next((number for number in cards if self.place(number, scroll).holds(point)), None)

    def press(self, event: Press, scroll: CardScroll) -> None:
        item = self.item_at(event.at, scroll)
        action = next((command for place, command in scroll.actions if place.holds(event.at)), None)
        if action is not None:
            action.run()
        elif item is not None and self.card(item).opens:
            self.activate(item)
        else:
            super().press(event, scroll)

    def draw(self, canvas: Canvas, ui: Ui) -> None:
        scroll = ui.recall(self, CardScroll)
        scroll.row, scroll.bar = self.height + self.gap, canvas.px(10)
        scroll.top = min(scroll.top, self.furthest(scroll))
        if scroll.seen != (self.arranged, self.selected):
            if scroll.seen is None or scroll.seen[0] != self.arranged:  # type: ignore[index]
                scroll.top = 0.0
            scroll.seen = self.arranged, self.selected
            if self.selected >= 0:
                self.show_row(scroll, self.selected // self.across, self.height)
        scroll.actions.clear()
        with canvas.clip(self.rect):
            for number in range(self.count):
                place = self.place(number, scroll)
                if place.meets(self.rect):
                    self._draw_card(number, place, canvas, ui, hot=ui.hot(self) and scroll.hover == number)
            if not self.count:
                canvas.paragraph(self.empty, self.rect.inset(canvas.px(ROOM)), canvas.theme.muted)
        self.draw_bar(scroll, canvas, ui)
        if not self.count or self.selected < 0:
            ui.ring(canvas, self)

    def _draw_card(self, number: int, place: Rect, canvas: Canvas, ui: Ui, *, hot: bool) -> None:
        theme, px, card = canvas.theme, canvas.px, self.card(number)
        chosen = number == self.selected
        fill = theme.selection if chosen else theme.control_hover if hot else theme.panel
        canvas.box(place, fill, theme.accent if chosen else theme.line, 10)
        if chosen and ui.focus_shown and ui.has_focus(self):
            canvas.box(place.inset(px(2)), None, theme.focus, 8, 2)
        roomy = place.h >= px(ROOMY)
        inner = place.inset(px(ROOM if roomy else GAP))
        scroll = ui.recall(self, CardScroll)
        least = self.place(0, scroll).w  # the first column is the narrowest: all cards are arranged as there
        inner = Rect(inner.x, inner.y, inner.w - place.w + least, inner.h)
        if card.action is not None:
            worded = inner.w >= px(WORDED)
            inner, end = inner.columns(None, px(ACTION if worded else CONTROL), gap=px(ROOM))
            end = end.centre_within(end.w, px(CONTROL))
            button(card.action, f"{self.key}.{number}", end, icon_only=not worded).draw(canvas, Ui())
            scroll.actions.append((end, card.action))
        side, drawn, board = min(inner.h, inner.w * 2 // 5), place.h >= px(LEAST_BOARD), None
        beside = inner.w >= px(BOTH) and side >= px(LEAST_BESIDE)
        if card.pieces is not None and beside:
            inner, board = inner.columns(None, side, gap=px(ROOM))
        elif card.others and beside:
            inner, shields = inner.columns(None, px(OTHERS), gap=px(ROOM))
            for at, each in enumerate(shields.columns(*[None] * len(card.others), gap=px(ROOM))):
                draw_emblem(canvas, each, card.others[at])
        elif drawn and card.pieces is not None and card.emblem is None:
            board, inner = inner.columns(side, None, gap=px(ROOM))
            side = 0
        if card.plot is not None and drawn and inner.w >= px(BOTH):
            inner, curve = inner.columns(None, inner.w * 9 // 20, gap=px(ROOM))
            replace(card.plot, rect=curve).draw(canvas, ui)
        side = min(side, px(SHIELD))
        if side and (drawn or card.emblem is not None):
            picture, inner = inner.columns(round(side * SHAPE), None, gap=px(ROOM))
            if card.emblem is None and card.icon:
                canvas.icon(card.icon, picture, theme.muted, ICON if roomy else ICON // 2)
            else:
                draw_emblem(canvas, picture, card.emblem)
        if board is not None and card.pieces is not None:
            BoardWidget(key=f"{self.key}.{number}", rect=board, pieces=card.pieces, numbers=False).draw(canvas, ui)
        colour = theme.muted if card.faint else theme.text
        narrow = inner.w < px(NARROW) or card.plot is not None
        size, small = HEADING if roomy and inner.w >= px(NAME) else TITLE, TITLE if roomy and not narrow else BODY
        foot = canvas.line_height(size) if narrow and card.figure else 0
        lines = max((inner.h - canvas.line_height(size) - foot) // canvas.line_height(small), 1)
        wrapped = canvas.look.fonts.wrap(card.line, inner.w, px(small)) if card.line else []
        high = canvas.line_height(size) + canvas.line_height(small) * min(lines, len(wrapped)) + foot
        text = Rect(inner.x, inner.y + max((inner.h - high) // 2, 0), inner.w, high)
        title, rest, below = text.rows(canvas.line_height(size), None, foot)
        place = below if foot else title
        canvas.text(card.figure, place, theme.muted, size, align="left" if foot else "right", tabular=True)
        if not foot:
            wide = canvas.width(card.figure, size, tabular=True) + px(GAP) if card.figure else 0
            title = Rect(title.x, title.y, title.w - wide, title.h)
        title, men = title.columns(None, (px(MAN) + px(TIGHT)) * len(card.sides))
        name = canvas.text(
            card.title, title, colour, canvas.fitting(card.title, title.w, size, bold=True), bold=True, may_cut=True
        )
        for at, one in enumerate(card.sides, 1):
            x = name.right + at * px(TIGHT) + (at - 1) * px(MAN)
            draw_man(canvas, px(MAN), theme.white if one else theme.black, (x, men.centre[1] - px(MAN) // 2))
        canvas.paragraph(card.line, rest, theme.muted, small, may_cut=True)
