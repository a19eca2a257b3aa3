"""Parts of screens with a game: strips of the players, status, evaluation bar, list of moves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from game.ballots import PLAYED
from game.number_text import count_text
from game.review.annotations import result_percents
from game.review.chances import Chances
from game.review.judged import Review
from game.rules import BLACK
from game.scores import SearchInfo
from gui.geometry import Rect
from gui.look import shapes
from gui.look.canvas import Align, Canvas, Look
from gui.look.theme import BODY, GAP, ROOM, SMALL, TIGHT, TITLE, Colour, Theme
from gui.model.game import GameModel
from gui.model.lines import Ply
from gui.model.table import Thinking
from gui.widgets.base import Command, Label, Ui, Widget
from gui.widgets.button import button
from gui.widgets.table import Cell, Column, Table

TO_MOVE = "to move"


@dataclass(frozen=True, kw_only=True)
class Strip(Widget):
    """The strip of a player: name, limits, whether it is to move, number of captured pieces.

    Attributes:
        side: the colour.
        name: the player's name.
        limits: depth and time in words; empty for a person.
        to_move: whether it is the player's turn.
        busy: whether the player is thinking.
        taken: number of captured pieces of the other colour.
    """

    side: int
    name: str
    limits: str = ""
    to_move: bool = False
    busy: bool = False
    taken: int = 0

    def draw(self, canvas: Canvas, ui: Ui) -> None:
        """Draw a piece, the name and the limits, and at the right one small captured piece and their number.

        The name is drawn in full if it has up to 24 letters; other texts are drawn only if there is room beside it.
        """
        theme, rect, px = canvas.theme, self.rect, canvas.px
        colours, other = (theme.black, theme.white) if self.side == BLACK else (theme.white, theme.black)
        side = min(rect.h - px(4), px(34))
        canvas.surface.blit(shapes.piece(side, False, colours), (rect.x, rect.y + (rect.h - side) // 2))
        x, right = rect.x + side + px(6), rect.right
        if self.taken:
            small, number = px(15), f"{self.taken}"
            count = Rect(0, rect.y, canvas.width(number, SMALL, tabular=True), rect.h)
            count = count.move(rect.right - count.w, 0)
            canvas.text(number, count, theme.muted, SMALL, tabular=True)
            right = count.x - px(3) - small
            canvas.surface.blit(shapes.piece(small, False, other), (right, rect.y + (rect.h - small) // 2))
            right -= px(6)
        size = canvas.fitting(self.name, right - x, TITLE, bold=True)
        named = canvas.text(self.name, Rect(x, rect.y, right - x, rect.h), size=size, bold=True, may_cut=True)
        x = named.right + px(10)
        beside = px(36) if self.busy else canvas.width(TO_MOVE, SMALL, bold=True) if self.to_move else 0
        parts = self.limits.split(", ")
        while parts and x + canvas.width(", ".join(parts), SMALL) + px(10) + beside > right:
            del parts[0]  # a rating is the last part
        if parts:
            x = canvas.text(", ".join(parts), Rect(x, rect.y, right - x, rect.h), theme.muted, SMALL).right + px(10)
        if x + beside > right:
            return
        if self.busy:
            self._draw_dots(canvas, ui, x)
        elif self.to_move:
            canvas.text(TO_MOVE, Rect(x, rect.y, right - x, rect.h), theme.accent, SMALL, bold=True)

    def _draw_dots(self, canvas: Canvas, ui: Ui, x: int) -> None:
        """Draw three dots, one of them highlighted."""
        theme, px = canvas.theme, canvas.px
        strong = int(ui.now * 3) % 3
        for dot in range(3):
            size = px(6)
            colour: Colour = theme.accent if dot == strong else theme.mix(theme.background, theme.muted, 0.4)
            place = Rect(x + px(4) + dot * px(9), self.rect.y + (self.rect.h - size) // 2, size, size)
            canvas.box(place, colour, None, 3)


@dataclass(frozen=True, kw_only=True)
class StatusText(Widget):
    """The state of the game: a headline and a text below.

    Attributes:
        head, text: the headline and the text.
        icon: the icon before them.
        tone: normal, good or warning; it selects the colour of the icon, and the words say the same.
    """

    head: str
    text: str = ""
    icon: str = ""
    tone: str = "normal"

    def with_text(self, look: Look, *texts: str) -> StatusText:
        """Return a copy with the first of these texts that fits; unchanged if none does."""
        px, fonts = look.px, look.fonts
        inner = self._inner(px)
        most = (inner.h - fonts.height(px(TITLE))) // max(fonts.height(px(BODY)), 1)
        fitting = (text for text in texts if len(fonts.wrap(text, inner.w, px(BODY))) <= most)
        return replace(self, text=next(fitting, self.text))

    def _inner(self, px: Callable[[float], int]) -> Rect:
        inner = self.rect.inset(px(ROOM), px(GAP))
        beside = px(26) + px(8) if self.icon else 0
        return Rect(inner.x + beside, inner.y, inner.w - beside, inner.h)

    def draw(self, canvas: Canvas, ui: Ui) -> None:
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
            rect = Rect(inner.x, top + head, inner.w, below)
            canvas.paragraph(self.text, rect, theme.muted, may_cut=bool(self.hint))


MIDDLE = 0.55
"""Grey level of draws, from 0 (black) to 1 (white); light enough for dark letters."""


ALIGNED: tuple[Align, ...] = ("left", "centre", "right")


def result_colours(theme: Theme) -> tuple[tuple[Colour, Colour], ...]:
    """Return colour and letters of the parts for a win of Black, a draw, and a win of White."""
    black, white = theme.black.face, theme.white.face
    return (black, white), (theme.mix(black, white, MIDDLE), black), (white, black)


def draw_results(shares: Sequence[float], texts: Sequence[str], canvas: Canvas, rect: Rect) -> None:
    """Draw a thin bar in three parts for Black, draws and White, and above it the texts of all three."""
    px = canvas.px
    figures, bar = rect.rows(None, px(6) + 2)
    widths = [canvas.width(text, SMALL, tabular=True) for text in texts]
    wide = max(widths) * len(texts) > figures.w  # "100 %" needs more than a third of a narrow column
    places = figures.columns(widths[0], None, widths[2]) if wide else figures.columns(None, None, None)
    for text, place, align in zip(texts, places, ALIGNED, strict=True):
        canvas.text(text, place, size=SMALL, align=align, tabular=True)
    bar = bar.move(0, -px(3))
    canvas.fill(bar, canvas.theme.control_line)
    inner = bar.inset(1)
    edge, done = inner.x, 0.0
    for share, (colour, _) in zip(shares, result_colours(canvas.theme), strict=True):
        done += share
        right = inner.x + round(inner.w * min(done, 1.0))
        canvas.fill(Rect(edge, inner.y, right - edge, inner.h), colour)
        edge = right


def bar_heights(shares: Sequence[float], length: int, least: int) -> list[int]:
    """Divide a length by shares; a part for which `least` is more gets it at the expense of the largest one."""
    ends = [round(length * min(sum(shares[: at + 1]), 1.0)) for at in range(len(shares))]
    sizes = [max(end - start, least) for start, end in zip([0, *ends], ends, strict=False)]
    sizes[sizes.index(max(sizes))] -= sum(sizes) - length
    return sizes


@dataclass(frozen=True, kw_only=True)
class EvaluationBar(Widget):
    """The chances of Black, of a draw, and of White, as a bar in three parts.

    Attributes:
        chances: Black's chances; None if unknown, which leaves the bar without parts.
        text: a known result, or why nothing is known, in up to three lines.
        flipped: whether White's side of the board is at the top.
    """

    chances: Chances | None = None
    text: str = ""
    flipped: bool = False

    def draw(self, canvas: Canvas, ui: Ui) -> None:
        """Draw a letter at each end, and between them the parts with their percentages, or a known result."""
        theme, px = canvas.theme, canvas.px
        black, white = theme.black.face, theme.white.face
        canvas.fill(self.rect, theme.control_line)
        inner = self.rect.inset(max(px(1), 1))
        cap = min(px(18), inner.h // 4)
        upper, middle, lower = inner.rows(cap, None, cap)
        ends = (upper, "B", black, white), (lower, "W", white, black)
        for place, letter, fill, ink in ends if not self.flipped else ((lower, *ends[0][1:]), (upper, *ends[1][1:])):
            canvas.fill(place, fill)
            canvas.text(letter, place, ink, SMALL, bold=True, align="centre")
        chances, ink = self.chances, theme.text
        if chances is None:
            canvas.fill(middle, theme.control)
        else:
            ink = self._draw_parts(canvas, chances, middle, cap)
        if chances is not None and not chances.certain:
            return
        lines = self.text.splitlines()
        place = middle.centre_within(middle.w, cap).move(0, -cap * len(lines) // 2)
        for text in lines if middle.h >= 5 * cap else ():
            size = canvas.fitting(text, place.w, SMALL)
            canvas.text(text, place, ink, size, align="centre", may_cut=True)
            place = place.move(0, cap)
        if lines and chances is not None and middle.h >= 5 * cap:
            canvas.icon("check", place, ink, 16)

    def _draw_parts(self, canvas: Canvas, chances: Chances, middle: Rect, cap: int) -> Colour:
        """Draw the parts; return the colour of letters on the largest one."""
        shares, line = (chances.win, chances.draw, chances.loss), max(canvas.px(1), 1)
        parts = list(zip(shares, result_percents(chances), result_colours(canvas.theme), strict=True))
        heights = bar_heights(shares, middle.h, 0 if chances.certain else min(cap + 2 * line, middle.h // 3))
        top = middle.y
        for height, (_, text, (fill, ink)) in list(zip(heights, parts, strict=True))[:: -1 if self.flipped else 1]:
            place = Rect(middle.x, top, middle.w, height)
            canvas.fill(place, fill)
            if middle.y < top < middle.bottom:
                canvas.fill(Rect(self.rect.x, top - line, self.rect.w, 2 * line), canvas.theme.control_line)
            if not chances.certain:
                text = text.replace(" ", "")
                canvas.text(text, place, ink, canvas.fitting(text, place.w, SMALL), align="centre")
            top = place.bottom
        return max(parts, key=lambda part: part[0])[2][1]


LEAST_MOVES, OPENING = 88, 20
"""Minimum height of a list of moves with the opening above it, and height of the opening, in pixels of the design."""


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
        model: the game.
        go_to: displays the position after a number of moves.
        look, rect: theme, scale and area.
        review: marks the moves that changed the chances.
        enter: displays a variation of a move, as `GameModel.enter_variation`; None to list no variations.
    """
    opening = model.opening
    if not opening.title or rect.h < look.px(LEAST_MOVES):
        return [moves_list(model, go_to, look.theme, rect, review, enter)]
    line, rest = rect.rows(look.px(OPENING), None, gap=look.px(TIGHT))
    text, ballot = f"Opening: {opening.title}", opening.ballot
    named = f"{opening.named.name} is {opening.named.moves}" if opening.named is not None else ""
    begun = "" if ballot is None else f"The game began with the ballot {ballot.moves}, {PLAYED[ballot.played]}"
    hint = ". ".join(filter(None, (named, begun)))
    title = Label(key="opening", rect=line.inset(look.px(TIGHT), 0), text=text, colour=look.theme.muted, hint=hint,
                  may_cut=True)  # fmt: skip
    return [title, moves_list(model, go_to, look.theme, rest, review, enter)]


@dataclass(frozen=True, slots=True)
class _Row:
    """A row of the list of moves: two moves of the game, or the first two moves of a variation.

    Attributes:
        head: the number of the move; empty for a variation.
        plies: indexes of the moves of Black and White; None for none, and for variations.
        texts: the moves of a variation.
        go: displays the row's position, given the column that was clicked.
    """

    head: str
    plies: tuple[int | None, int | None] = (None, None)
    texts: tuple[str, str] = ("", "")
    go: Callable[[int], object] = lambda column: None


def _rows(model: GameModel, go_to: Callable[[int], object], enter: Callable[[int, int], object] | None) -> list[_Row]:
    """Return the rows of the list, each variation below the move that it replaces."""

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
                colour = theme.accent if at else theme.warning if mark is not None and mark.mistake else None
                shown.append(Cell(text, colour, "next" if at else "", at or (mark is not None and mark.mistake)))
        return shown

    return Table(
        key="moves",
        rect=rect,
        columns=(Column("", 48, "right"), Column("Black"), Column("White")),
        count=len(rows),
        cells=cells,
        selected=chosen,
        choose=lambda number, column: rows[number].go(column),
        keys=False,
        empty="No moves yet.",
        follows=True,
    )


def title_area(buttons: Sequence[Widget], tools: Rect, look: Look) -> Rect:
    """Return the area between the button back and the other buttons of `Screen.header_buttons`."""
    place = {widget.key: widget.rect for widget in buttons}
    left, right = place["back"].right + look.px(8), place["header.sounds"].x - look.px(4)
    return Rect(left, tools.y, right - left, tools.h)


BESIDE_KEY = 44
"""Width of icon and margins of a switch that also displays its key, in pixels of the design."""


def step_buttons(steps: Sequence[Command], switches: Sequence[Command], rect: Rect, look: Look) -> list[Widget]:
    """Return the buttons that move through the game, and the switches of marks on the board with their keys."""
    places = rect.columns(*[None] * (len(steps) + len(switches)), gap=look.px(TIGHT))
    widgets: list[Widget] = [
        button(step, f"step.{step.id}", place, icon_only=True) for step, place in zip(steps, places, strict=False)
    ]
    for switch, place in zip(switches, places[len(steps) :], strict=True):
        widget = button(switch, f"show.{switch.id}", place, size=SMALL)
        wide = look.fonts.size(switch.key, look.px(SMALL))[0] + look.px(BESIDE_KEY)
        widgets.append(replace(widget, text=switch.key if wide <= place.w else "", shortcut=""))
    return widgets


def tab_buttons(tabs: Sequence[Command], rect: Rect, look: Look) -> list[Widget]:
    places = rect.columns(*[None] * len(tabs), gap=look.px(TIGHT))
    return [
        replace(button(tab, f"show.{tab.id}", place), icon="", shortcut="")
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
