"""The emblem of an individual, drawn as a shield: the same wherever an individual appears."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from game.networks.emblem import LEVELS, Emblem
from gui.geometry import Rect, Size
from gui.look.canvas import Canvas
from gui.look.shapes import Place, smooth
from gui.look.theme import METALS, TINCTURES, Colour, mix
from gui.toolkit import pygame
from gui.widgets.base import Ui, Widget

SHAPE = 7 / 8
"""Width of a shield, relative to its height."""
STRAIGHT = 0.42
"""The share of its height in which a shield has straight sides."""
BORDER = 16
"""Height of a shield, in widths of its border."""


@dataclass(frozen=True, kw_only=True)
class EmblemWidget(Widget):
    """An emblem on a screen; a plain shield until it is known."""

    emblem: Emblem | None

    def draw(self, canvas: Canvas, ui: Ui) -> None:
        draw_emblem(canvas, self.rect, self.emblem)


def draw_emblem(canvas: Canvas, rect: Rect, emblem: Emblem | None) -> None:
    """Draw an emblem as large as fits, in the middle of a rectangle; without one, a plain shield."""
    high = min(rect.h, int(rect.w / SHAPE))
    size = round(high * SHAPE), high
    if min(size) > 1:
        (x, y), theme = rect.centre, canvas.theme
        dark = light = theme.line
        if emblem is not None:
            dark, light = TINCTURES[emblem.tincture], METALS[emblem.metal]
        fields = ((0,),) if emblem is None else emblem.fields
        # On a dark ground the border is brighter than the darkest fields, or else the shield would have no shape.
        border = mix(dark, light, 0.45) if theme.background < theme.text else dark
        canvas.surface.blit(_shield(fields, size, dark, light, border), (x - size[0] // 2, y - size[1] // 2))


@lru_cache(maxsize=512)
def _shield(fields: tuple[tuple[int, ...], ...], size: Size, dark: Colour, light: Colour, border: Colour) -> Any:
    def paint(large: Any, finer: int) -> None:
        wide, high = large.get_size()
        around, mask = (pygame.Surface((wide, high), pygame.SRCALPHA, 32) for _ in range(2))
        for y, row in enumerate(fields):
            top, bottom = (high * at // len(fields) for at in (y, y + 1))
            for x, shade in enumerate(row):
                left, right = (wide * at // len(row) for at in (x, x + 1))
                large.fill(mix(dark, light, shade / (LEVELS - 1)), (left, top, right - left, bottom - top))
        around.fill(border)  # also where it is transparent, so that scaling does not darken the edge
        pygame.draw.polygon(around, (0, 0, 0, 0), _outline((wide, high), max(high // BORDER, finer)))
        large.blit(around, (0, 0))
        mask.fill((255, 255, 255, 0))
        pygame.draw.polygon(mask, (255, 255, 255), _outline((wide, high), 0))
        large.blit(mask, (0, 0), special_flags=pygame.BLEND_RGBA_MULT)

    return smooth(size, border, paint)


def _outline(size: Size, inset: int) -> list[Place]:
    """Return the corners of a shield: straight at the top, and round below."""
    wide, high = size[0] - 2 * inset, size[1] - 2 * inset
    low = high * (1 - STRAIGHT)
    arc = [
        (wide / 2 * (1 + math.cos(turn * math.pi / 32)), high - low + low * math.sin(turn * math.pi / 32))
        for turn in range(33)
    ]
    return [(inset + x, inset + y) for x, y in ((0.0, 0.0), (wide, 0.0), *arc)]
