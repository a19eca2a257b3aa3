"""The layout of screens with a game: board, strips of the players and panel, as a function of the window's size."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from gui.geometry import Rect, Size
from gui.look.theme import CONTROL, EDGE, GAP, ROOM, TIGHT
from gui.widgets.board_parts import BoardGeometry

Px = Callable[[float], int]

STRIP, BAR = 38, 28
PANEL_LEAST, PANEL_MOST = 286, 460
STATUS = 78
ROWS = 3
"""Number of rows of buttons for which the board leaves room."""
GAIN, LEAST_BODY = 1.03, 216
"""Two conditions for placing the strips of the players in the panel instead of above and below the board: the board
grows by more than this factor, and the visible part of the panel is at least this high."""

BESIDE, LEAST_LIST = 560, 100
"""Minimum width of a panel that has tabs and steps in one row, and minimum height of its visible part if it is below
the board."""

GRAPH, LEAST_GRAPH = 112, 72
"""Largest and smallest height of a graph."""

WIDE = 1.12
"""Minimum ratio of width to height of a window that has the panel beside the board, and not below it."""


@dataclass(frozen=True)
class GameLayout:
    """Rectangles of a screen with a game; None for absent parts.

    Attributes:
        bar: the place of the evaluation bar, which is kept free while the bar is switched off.
        tools: back, help and settings, if the screen has no header for them.
        steps: the buttons that go through the moves, if there are any.
    """

    above: Rect
    board: Rect
    below: Rect
    bar: Rect | None
    status: Rect
    tabs: Rect | None
    body: Rect
    steps: Rect | None
    buttons: Rect
    tools: Rect | None = None

    @property
    def panel(self) -> Rect:
        return self.status.around(self.buttons)


@lru_cache(maxsize=16)
def game_layout(
    size: Size,
    px: Px,
    *,
    rows: int = 3,
    tabs: bool = False,
    steps: bool = True,
    header: int = 0,
    panel_height: float = 0,
) -> GameLayout:
    """Divide a window into the parts of a screen with a game.

    Nothing here depends on what is switched on, so the board never moves; without a header it has the same place with
    and without tabs and whatever the buttons: on the first screen, in games, and in reviews.

    Args:
        px: converts lengths of the design to pixels.
        header: height in pixels of the header, in whose place other screens have tools, strips and the evaluation bar.
        panel_height: minimum height of a panel below the board.
    """
    game = not header
    wanted = _Wanted(
        area=Rect(0, header, size[0], max(size[1] - header, 0)).inset(px(ROOM)),
        px=px,
        strip=px(STRIP) if game else 0,
        beside=px(BAR + TIGHT) if game else 0,
        game=game,
    )
    if size[0] < (size[1] - header) * WIDE:
        layout = _tall(wanted, panel_height)
    else:
        layout = _wide(wanted)
        larger = _wide(replace(wanted, strip=0, seats=px(STRIP)))
        if game and larger.board.w > layout.board.w * GAIN and larger.body.h >= px(LEAST_BODY):
            layout = larger
    tools = layout.tools.move(0, -px(TIGHT)) if layout.tools else None  # as high as the header of other screens
    return replace(layout, tools=tools, **_panel(layout.panel, px, rows, tabs, steps=steps))


@dataclass(frozen=True, kw_only=True)
class _Wanted:
    area: Rect
    px: Px
    strip: int
    beside: int
    game: bool
    seats: int = 0


def _tall(wanted: _Wanted, panel_height: float) -> GameLayout:
    area, px, strip, beside = wanted.area, wanted.px, wanted.strip, wanted.beside
    above_all = None
    if wanted.game:
        above_all, area = area.rows(px(CONTROL), None, gap=px(GAP))
        panel_height = max(panel_height, STATUS + LEAST_LIST + (ROWS + 1) * CONTROL + (ROWS + 2) * GAP)
    tall = min(round(area.h * 0.62), area.h - px(GAP) - (px(panel_height) if panel_height else 0))
    room = Rect(0, 0, max(area.w - beside, 0), max(tall - 2 * strip, 0))
    side = BoardGeometry.within(room, False).outer.w
    column = Rect(area.x + beside + (area.w - beside - side) // 2, area.y, side, side + 2 * strip)
    lower = column.bottom + px(GAP)
    right = Rect(area.x, lower, area.w, max(area.bottom - lower, 0))
    above, board, below = column.rows(strip, None, strip)
    place = Rect(board.x - beside, board.y, px(BAR), board.h) if beside else None
    return GameLayout(above, board, below, place, tools=above_all, **_panel(right, px, ROWS, wanted.game))


def _wide(wanted: _Wanted) -> GameLayout:
    area, px, strip, beside = wanted.area, wanted.px, wanted.strip, wanted.beside
    above_all = None
    room = Rect(0, 0, max(area.w - px(PANEL_LEAST) - px(EDGE) - beside, 0), max(area.h - 2 * strip, 0))
    side = BoardGeometry.within(room, False).outer.w
    panel = max(min(area.w - side - px(EDGE) - beside, px(PANEL_MOST)), 0)
    left = area.x + max((area.w - side - beside - px(EDGE) - panel) // 2, 0)
    column = Rect(left + beside, area.y + max((area.h - side - 2 * strip) // 2, 0), side, side + 2 * strip)
    right = Rect(column.right + px(EDGE), area.y, panel, area.h)
    if wanted.game:
        above_all, right = right.rows(px(CONTROL), None, gap=px(GAP))
    above, board, below = column.rows(strip, None, strip)
    if wanted.seats:
        above, right, below = right.rows(wanted.seats, None, wanted.seats, gap=px(GAP))
    place = Rect(board.x - beside, board.y, px(BAR), board.h) if beside else None
    return GameLayout(above, board, below, place, tools=above_all, **_panel(right, px, ROWS, wanted.game))


def _panel(right: Rect, px: Px, rows: int, tabs: bool, *, steps: bool = True) -> dict[str, Any]:
    gap, buttons = px(GAP), rows * px(CONTROL) + (rows - 1) * px(GAP)
    beside = tabs and steps and right.w >= px(BESIDE)
    shown = {"status": True, "tabs": tabs, "body": True, "steps": steps and not beside, "buttons": True}
    heights = {"status": px(STATUS), "tabs": px(CONTROL), "body": None, "steps": px(CONTROL), "buttons": buttons}
    names = [name for name, is_shown in shown.items() if is_shown]
    places = dict(zip(names, right.rows(*(heights[name] for name in names), gap=gap), strict=True))
    if beside:
        places["tabs"], places["steps"] = places["tabs"].columns(None, None, gap=gap)
    return {"tabs": None, "steps": None} | places


def with_graph(body: Rect, px: Px, least: float) -> tuple[Rect, Rect | None]:
    """Divide a part of the panel into a list, of this height in pixels of the design or more, and a graph below it.

    Without room for both, there is no graph.
    """
    room = body.h - px(least) - px(GAP)
    if room < px(LEAST_GRAPH):
        return body, None
    upper, lower = body.rows(None, min(room, px(GRAPH)), gap=px(GAP))
    return upper, lower
