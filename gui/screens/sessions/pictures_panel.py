"""Pictures of the first layers of the champions of rated generations, side by side on one scale."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

from evolve.config.anchors import shown_text
from game.networks.first_layer import scale_of
from gui.geometry import Rect
from gui.look.canvas import Look
from gui.look.theme import BODY, CONTROL, GAP, ROOM, SMALL
from gui.widgets.base import Label, Widget
from gui.widgets.button import Button
from gui.widgets.weight_map import WeightMap

if TYPE_CHECKING:
    from gui.runs.live_run import LiveRun
    from gui.screens.sessions.session import SessionScreen

NARROWEST = 96
"""Minimum width of the pictures of a generation, in pixels of the design."""


def pictures_panel(screen: SessionScreen, rect: Rect, look: Look) -> list[Widget]:
    run, px = screen.run, look.px
    most = max((rect.w + px(ROOM)) // px(NARROWEST + ROOM), 2)
    shown = [(number, pictures) for number in spread(rated(run), most) if (pictures := run.pictures(number))]
    if not shown:
        text = "Pictures of the champions' weights appear here."
        return [Label(key="pictures.none", rect=rect, text=text, size=BODY, colour=look.theme.muted, wrap=True)]
    scale = scale_of(*(pictures for _, pictures in shown))
    ratings = run.interval("rating")
    widgets: list[Widget] = []
    for (number, pictures), place in zip(shown, rect.columns(*[None] * len(shown), gap=px(ROOM)), strict=True):
        head, line, body = place.rows(px(CONTROL), px(18), None, gap=px(GAP) // 2)
        rating = math.nan if ratings is None else ratings[0][number]
        widgets += [
            Button(
                key=f"pictures.{number}", rect=head, run=partial(screen.pick, number), text=f"Gen. {number:,}",
                chosen=number == screen.generation, size=SMALL,
                hint=f"Show generation {number:,} on every part of the screen",
            ),
            Label(
                key=f"pictures.{number}.rating", rect=line, size=SMALL, colour=look.theme.muted, may_cut=True,
                text="" if math.isnan(rating) else shown_text(rating), align="centre", hint="Rating",
            ),
            WeightMap(
                key=f"pictures.{number}.map", rect=body, pictures=pictures, scale=scale, legend=False,
                hint=f"First layer of generation {number:,}. All generations share one scale",
            ),
        ]  # fmt: skip
    return widgets


def rated(run: LiveRun) -> list[int]:
    ratings = run.interval("rating")
    every = range(run.newest + 1)
    return [number for number in every if ratings is None or not math.isnan(ratings[0][number])]


def spread(numbers: list[int], most: int) -> list[int]:
    """Return at most this many of the numbers, evenly spread, including the first and the last."""
    if len(numbers) <= most:
        return numbers
    return [numbers[round(at * (len(numbers) - 1) / (most - 1))] for at in range(most)]
