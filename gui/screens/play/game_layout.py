"""The layout of screens with a game: pure functions of the size."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gui.geometry import Rect, Size
from gui.look.theme import CONTROL, EDGE, GAP, ROOM
from gui.widgets.board import BoardGeometry

Px = Callable[[float], int]

STRIP, BAR = 38, 28
PANEL_LEAST, PANEL_MOST = 286, 460
STATUS, ANALYSIS, GRAPH, EXPLORER = 78, 156, 112, 178
LEAST_EXPLORER, MORE_EXPLORER = 108, 112
LIKES, LEAST_LIKES, MORE_LIKES = 200, 184, 120
SEAT, GAIN, LEAST_MOVES = 28, 1.03, 138
"""Height of a player's strip in the panel; it stands there if the board grows so many times, nothing has to go for it,
and the list of moves stays so high."""

WIDE = 1.12
"""A window at least this many times as wide as high has the panel beside the board, else below."""


@dataclass(frozen=True)
class GameLayout:
    """Rectangles of a screen with a game; those that are not shown are None.

    Attributes:
        above, below: strips of the two players.
        board: the board with its frame.
        bar: the evaluation bar.
        status: what goes on, in words.
        moves: the list of moves; None where the explorer, or what a player likes, takes its place.
        steps: the row of buttons that move through the game and show what follows.
        explorer: what was played from the position.
        likes: what a player likes about it.
        analysis: who says how the game stands, and scores of the moves.
        graph: the evaluation over the game.
        buttons: what can be done.
        tools: the way back, help and settings, if the screen has no header for them.
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
    def shown(self) -> tuple[bool, ...]:
        """Which parts of the panel are there."""
        parts = (self.moves, self.explorer, self.likes, self.analysis, self.graph)
        return tuple(part is not None for part in parts)


Wanted = tuple[int, bool, bool, bool, bool]
"""Rows of buttons; whether analysis, graph, explorer and likes are to be shown."""


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
    """Divide a window.

    Args:
        size: of the window.
        px: from lengths of the design to pixels.
        top: height of the header.
        tools: whether there is a row for the way back, help and settings.
        rows: rows of buttons at the bottom of the panel.
        bar, analysis, graph, explorer, likes: what is shown beside the rest.
        strips: whether there are strips of the players.
        panel_height: what the panel needs below the board, in pixels of the design.
    """
    area = Rect(0, top, size[0], max(size[1] - top, 0)).inset(px(ROOM))
    wanted = (rows, analysis, graph, explorer, likes)
    strip, beside = px(STRIP) if strips else 0, (px(BAR + GAP) if bar else 0)
    if size[0] < (size[1] - top) * WIDE:
        return _tall(area, px, strip, beside, tools, panel_height, wanted)
    usual = _wide(area, px, strip, beside, tools, wanted)
    if not strips:
        return usual
    larger = _wide(area, px, 0, beside, tools, wanted, seats=px(SEAT))
    moves = px(LEAST_MOVES) if larger.moves is None else larger.moves.h
    gains = larger.board.w > usual.board.w * GAIN and larger.shown == usual.shown and moves >= px(LEAST_MOVES)
    return larger if gains else usual


def _tall(area: Rect, px: Px, strip: int, beside: int, tools: bool, panel_height: float, wanted: Wanted) -> GameLayout:
    """The panel below the board."""
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
    """The panel beside the board; with `seats` the players are in it, so that the board has their room."""
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
    """The parts of the panel, by their names in `GameLayout`."""
    gap, buttons = px(GAP), rows * px(CONTROL) + (rows - 1) * px(GAP)
    # What has no room is left away: first the graph, then the scores. The explorer takes the place of the moves, or
    # else what a player likes does.
    room, least = right.h - (px(STATUS) + px(CONTROL) + buttons + px(90) + 3 * gap), px(90)
    shown: dict[str, int] = {}
    moves = "moves"
    for name, height, instead, wanted in (
        ("explorer", EXPLORER, LEAST_EXPLORER, explorer),
        ("likes", LIKES, LEAST_LIKES, likes),
        ("analysis", ANALYSIS, 0, analysis),
    ):
        if wanted and room >= px(height) + gap:
            shown[name] = px(height)
            room -= px(height) + gap
        elif wanted and instead and moves == "moves" and px(instead) <= room + least:
            moves = name
            room -= max(px(instead) - least, 0) * (name == "likes")
    if graph and ("analysis" in shown) == analysis and room >= px(GRAPH) + gap:
        shown["graph"] = px(GRAPH)
        room -= px(GRAPH) + gap
    for name, more in (("explorer", MORE_EXPLORER), ("likes", MORE_LIKES)):
        if name in shown:  # a third of what is left, for more moves, or larger maps
            shown[name] += min(room // 3, px(more))
    names = ("status", moves, "steps", *shown, "buttons")
    places = right.rows(px(STATUS), None, px(CONTROL), *shown.values(), buttons, gap=gap)
    return {"analysis": None, "graph": None, "moves": None, **dict(zip(names, places, strict=True))}
