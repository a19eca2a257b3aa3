"""Where things are on the screens with a game: pure functions of the size. No pygame."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gui.geometry import Rect, Size
from gui.widgets.board_geometry import BoardGeometry

Px = Callable[[float], int]

EDGE, GAP, STRIP, BAR = 12, 10, 38, 28
PANEL_LEAST, PANEL_MOST = 286, 460
STATUS, BUTTON, ANALYSIS, GRAPH, TOOLS, EXPLORER = 70, 36, 162, 112, 36, 178
LEAST_EXPLORER, MORE_EXPLORER = 108, 112
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
        moves: the list of moves; None where the explorer takes its place.
        steps: the row of buttons that move through the game and show what follows.
        explorer: what was played from the position.
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
        bar, analysis, graph, explorer: what is shown beside the rest.
        strips: whether there are strips of the players.
        panel_height: what the panel needs below the board, in pixels of the design.
    """
    area = Rect(0, top, size[0], max(size[1] - top, 0)).inset(px(EDGE))
    strip, beside = px(STRIP) if strips else 0, (px(BAR + GAP) if bar else 0)
    wide, above_all = size[0] >= (size[1] - top) * WIDE, None
    if tools and not wide:
        above_all, area = area.rows(px(TOOLS), None, gap=px(6))
    if wide:
        room = Rect(0, 0, max(area.w - px(PANEL_LEAST) - px(GAP + 6) - beside, 0), max(area.h - 2 * strip, 0))
        side = BoardGeometry.within(room, False).outer.w
        panel = max(min(area.w - side - px(GAP + 6) - beside, px(PANEL_MOST)), 0)
        left = area.x + max((area.w - side - beside - px(GAP + 6) - panel) // 2, 0)
        column = Rect(left + beside, area.y + max((area.h - side - 2 * strip) // 2, 0), side, side + 2 * strip)
        right = Rect(column.right + px(GAP + 6), area.y, panel, area.h)
        if tools:
            above_all, right = right.rows(px(TOOLS), None, gap=px(6))
    else:
        tall = min(round(area.h * 0.62), area.h - px(GAP) - (px(panel_height) if panel_height else 0))
        room = Rect(0, 0, max(area.w - beside, 0), max(tall - 2 * strip, 0))
        side = BoardGeometry.within(room, False).outer.w
        column = Rect(area.x + beside + (area.w - beside - side) // 2, area.y, side, side + 2 * strip)
        lower = column.bottom + px(GAP)
        right = Rect(area.x, lower, area.w, max(area.bottom - lower, 0))
    above, board, below = column.rows(strip, None, strip)
    place = Rect(board.x - beside, board.y, px(BAR), board.h) if bar else None
    parts = _panel(right, px, rows, analysis, graph, explorer)
    return GameLayout(above, board, below, place, tools=above_all, **parts)


def _panel(right: Rect, px: Px, rows: int, analysis: bool, graph: bool, explorer: bool) -> dict[str, Any]:
    """The parts of the panel, by their names in `GameLayout`."""
    gap, buttons = px(GAP), rows * px(BUTTON) + (rows - 1) * px(6)
    # What has no room is left away: first the graph, then the scores. The explorer takes the place of the moves.
    room = right.h - (px(STATUS) + px(BUTTON) + buttons + px(90) + 3 * gap)
    instead = explorer and px(LEAST_EXPLORER) <= room + px(90) < px(EXPLORER) + gap + px(90)
    shown: dict[str, int] = {}
    for name, height, wanted in (("explorer", EXPLORER, explorer and not instead), ("analysis", ANALYSIS, analysis)):
        if wanted and room >= px(height) + gap:
            shown[name] = px(height)
            room -= px(height) + gap
    if graph and ("analysis" in shown) == analysis and room >= px(GRAPH) + gap:
        shown["graph"] = px(GRAPH)
        room -= px(GRAPH) + gap
    if "explorer" in shown:  # a third of what is left, for more moves
        shown["explorer"] += min(room // 3, px(MORE_EXPLORER))
    names = ("status", "explorer" if instead else "moves", "steps", *shown, "buttons")
    places = right.rows(px(STATUS), None, px(BUTTON), *shown.values(), buttons, gap=gap)
    return {"analysis": None, "graph": None, "moves": None, **dict(zip(names, places, strict=True))}
