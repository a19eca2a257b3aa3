"""Parts of screens with a game, and their layout: strips of the players, status, evaluation bar, list of moves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from game.ballots import PLAYED
from game.review.judged import Review
from game.rules import BLACK
from game.scores import SearchInfo
from gui.geometry import Rect, Size
from gui.look import shapes
from gui.look.canvas import Canvas, Look
from gui.look.theme import BODY, CONTROL, EDGE, GAP, ROOM, SMALL, TIGHT, TITLE, Colour, Theme
from gui.model.game import GameModel
from gui.model.lines import Ply
from gui.model.table import Thinking
from gui.widgets.base import Command, Label, Ui, Widget
from gui.widgets.board import BoardGeometry
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


@dataclass(frozen=True, kw_only=True)
class EvaluationBar(Widget):
    """The evaluation as a bar with a black and a white part, and between them a part for draws if known.

    Attributes:
        share: Black's expected result, from -1 to 1; None if unknown, which leaves the bar without parts.
        text: the lead, or why it is unknown, in up to three lines.
        certain: whether the result is proved; an icon says so.
        flipped: whether White's side of the board is at the top.
        results: probabilities of a win for Black, a draw, and a win for White; None if unknown.
    """

    share: float | None
    text: str = ""
    certain: bool = False
    flipped: bool = False
    results: tuple[float, float, float] | None = None

    def draw(self, canvas: Canvas, ui: Ui) -> None:
        """Draw the parts with letters, a mark in the middle, and the value on the part of the side that is ahead."""
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
        """Draw the parts between the letters, each with its percentage if there is room."""
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


LEAST_SWITCH = 40
"""Minimum width of a switch that displays its key beside its icon, in pixels of the design."""

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
    text, ballot = opening.title, opening.ballot
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
    first, second = str(line[0].move), f"{line[1].move}{' …' if len(line) > 2 else ''}" if len(line) > 1 else ""
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
                text = f"{model.plies[ply].move}{f' {mark.mark.value}' if mark is not None else ''}"
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


def step_buttons(steps: Sequence[Command], switches: Sequence[Command], rect: Rect, look: Look) -> list[Widget]:
    """Return the buttons that move through the game, and the switches with their keys."""
    narrow = [None] * len(steps) if not switches else [min(look.px(CONTROL), rect.w // 11)] * len(steps)
    places = rect.columns(*narrow, *[None] * len(switches), gap=look.px(TIGHT))
    widgets: list[Widget] = [
        button(step, f"step.{step.id}", place, icon_only=True) for step, place in zip(steps, places, strict=False)
    ]
    for switch, place in zip(switches, places[len(steps) :], strict=True):
        widget = button(switch, f"show.{switch.id}", place, size=SMALL)
        text = switch.key if place.w >= look.px(LEAST_SWITCH) else ""
        widgets.append(replace(widget, text=text, shortcut=""))
    return widgets


def thinking_text(thinking: Thinking) -> str:
    seconds = f"{thinking.seconds:.0f} s" if thinking.seconds >= 1 else ""
    return ", ".join(filter(None, (search_text(thinking.finding), seconds))) or "…"


def search_text(finding: SearchInfo | None) -> str:
    """Return depth and positions of a search; empty if both are unknown."""
    if finding is None:
        return ""
    depth = f"depth {finding.depth}" if finding.depth else ""
    return ", ".join(filter(None, (depth, f"{finding.nodes:,} positions" if finding.nodes else "")))


Px = Callable[[float], int]

STRIP, BAR = 38, 28
PANEL_LEAST, PANEL_MOST = 286, 460
STATUS, ANALYSIS, GRAPH, EXPLORER = 78, 156, 112, 178
LEAST_EXPLORER, MORE_EXPLORER = 108, 112
LIKES, LEAST_LIKES, MORE_LIKES = 200, 184, 120
SEAT, GAIN, MOVES_HEIGHT = 28, 1.03, 138
"""Height of a player's strip in the panel, and two conditions for placing both strips there instead of above and below
the board: the board grows by more than this factor, and the list of moves is at least this high."""

WIDE = 1.12
"""Minimum ratio of width to height of a window that has the panel beside the board, and not below it."""


@dataclass(frozen=True)
class GameLayout:
    """Rectangles of a screen with a game; None for absent parts.

    Attributes:
        above, below: strips of the two players.
        board: the board with its frame.
        bar: the evaluation bar.
        status: the state of the game, in words.
        moves: the list of moves; None if the explorer or the likes of a player are in its place.
        steps: the row of buttons that move through the game, and switches.
        explorer: moves played from the position in other games.
        likes: what a player likes about the position.
        analysis: the analyst, and scores of the moves.
        graph: the evaluation over the game.
        buttons: commands.
        tools: back, help and settings, if the screen has no header for them.
    """

    above: Rect
    board: Rect
    below: Rect
    bar: Rect | None
    status: Rect
    moves: Rect | None
    steps: Rect
    analysis: Rect | None
    graph: Rect | None
    buttons: Rect
    tools: Rect | None = None
    explorer: Rect | None = None
    likes: Rect | None = None

    @property
    def visible(self) -> tuple[bool, ...]:
        """Whether each optional part of the panel is present."""
        parts = (self.moves, self.explorer, self.likes, self.analysis, self.graph)
        return tuple(part is not None for part in parts)


Wanted = tuple[int, bool, bool, bool, bool]
"""The number of rows of buttons, and whether analysis, graph, explorer and likes are wanted."""


def game_layout(
    size: Size,
    px: Px,
    top: int,
    *,
    tools: bool = False,
    rows: int = 2,
    bar: bool = False,
    analysis: bool = False,
    graph: bool = False,
    explorer: bool = False,
    likes: bool = False,
    strips: bool = True,
    panel_height: float = 0,
) -> GameLayout:
    """Divide a window into the parts of a screen with a game.

    Args:
        size: size of the window.
        px: converts lengths of the design to pixels.
        top: height of the header.
        tools: whether there is a row for back, help and settings.
        rows: number of rows of buttons at the bottom of the panel.
        bar, analysis, graph, explorer, likes: whether each optional part is wanted.
        strips: whether the players have strips.
        panel_height: minimum height of a panel below the board, in pixels of the design.
    """
    area = Rect(0, top, size[0], max(size[1] - top, 0)).inset(px(ROOM))
    wanted = (rows, analysis, graph, explorer, likes)
    strip, beside = px(STRIP) if strips else 0, (px(BAR + GAP) if bar else 0)
    if size[0] < (size[1] - top) * WIDE:
        return _tall(area, px, strip, beside, tools, panel_height, wanted)
    default = _wide(area, px, strip, beside, tools, wanted)
    if not strips:
        return default
    larger = _wide(area, px, 0, beside, tools, wanted, seats=px(SEAT))
    moves = px(MOVES_HEIGHT) if larger.moves is None else larger.moves.h
    gains = larger.board.w > default.board.w * GAIN and larger.visible == default.visible and moves >= px(MOVES_HEIGHT)
    return larger if gains else default


def _tall(area: Rect, px: Px, strip: int, beside: int, tools: bool, panel_height: float, wanted: Wanted) -> GameLayout:
    """Return the layout with the panel below the board."""
    above_all = None
    if tools:
        above_all, area = area.rows(px(CONTROL), None, gap=px(GAP))
    tall = min(round(area.h * 0.62), area.h - px(GAP) - (px(panel_height) if panel_height else 0))
    room = Rect(0, 0, max(area.w - beside, 0), max(tall - 2 * strip, 0))
    side = BoardGeometry.within(room, False).outer.w
    column = Rect(area.x + beside + (area.w - beside - side) // 2, area.y, side, side + 2 * strip)
    lower = column.bottom + px(GAP)
    right = Rect(area.x, lower, area.w, max(area.bottom - lower, 0))
    above, board, below = column.rows(strip, None, strip)
    place = Rect(board.x - beside, board.y, px(BAR), board.h) if beside else None
    return GameLayout(above, board, below, place, tools=above_all, **_panel(right, px, *wanted))


def _wide(area: Rect, px: Px, strip: int, beside: int, tools: bool, wanted: Wanted, seats: int = 0) -> GameLayout:
    """Return the layout with the panel beside the board; `seats` is the height of strips in the panel, 0 for none."""
    above_all = None
    room = Rect(0, 0, max(area.w - px(PANEL_LEAST) - px(EDGE) - beside, 0), max(area.h - 2 * strip, 0))
    side = BoardGeometry.within(room, False).outer.w
    panel = max(min(area.w - side - px(EDGE) - beside, px(PANEL_MOST)), 0)
    left = area.x + max((area.w - side - beside - px(EDGE) - panel) // 2, 0)
    column = Rect(left + beside, area.y + max((area.h - side - 2 * strip) // 2, 0), side, side + 2 * strip)
    right = Rect(column.right + px(EDGE), area.y, panel, area.h)
    if tools:
        above_all, right = right.rows(px(CONTROL), None, gap=px(GAP))
    above, board, below = column.rows(strip, None, strip)
    if seats:
        above, right, below = right.rows(seats, None, seats, gap=px(GAP))
    place = Rect(board.x - beside, board.y, px(BAR), board.h) if beside else None
    return GameLayout(above, board, below, place, tools=above_all, **_panel(right, px, *wanted))


def _panel(right: Rect, px: Px, rows: int, analysis: bool, graph: bool, explorer: bool, likes: bool) -> dict[str, Any]:
    """Return the parts of the panel, by their names in `GameLayout`."""
    gap, buttons = px(GAP), rows * px(CONTROL) + (rows - 1) * px(GAP)
    # If room is short, the graph is omitted first, then the scores. The explorer or the likes may replace the moves.
    room, least = right.h - (px(STATUS) + px(CONTROL) + buttons + px(90) + 3 * gap), px(90)
    heights: dict[str, int] = {}
    moves = "moves"
    for name, height, instead, wanted in (
        ("explorer", EXPLORER, LEAST_EXPLORER, explorer),
        ("likes", LIKES, LEAST_LIKES, likes),
        ("analysis", ANALYSIS, 0, analysis),
    ):
        if wanted and room >= px(height) + gap:
            heights[name] = px(height)
            room -= px(height) + gap
        elif wanted and instead and moves == "moves" and px(instead) <= room + least:
            moves = name
            room -= max(px(instead) - least, 0) * (name == "likes")
    if graph and ("analysis" in heights) == analysis and room >= px(GRAPH) + gap:
        heights["graph"] = px(GRAPH)
        room -= px(GRAPH) + gap
    for name, more in (("explorer", MORE_EXPLORER), ("likes", MORE_LIKES)):
        if name in heights:  # a third of the remaining room, for more moves or larger maps
            heights[name] += min(room // 3, px(more))
    names = ("status", moves, "steps", *heights, "buttons")
    places = right.rows(px(STATUS), None, px(CONTROL), *heights.values(), buttons, gap=gap)
    return {"analysis": None, "graph": None, "moves": None, **dict(zip(names, places, strict=True))}
