"""The tab of a run with the weights of its champions as pictures, on one scale, and what they mean."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from extras.weights.weight_map import WeightMap
from game.errors import InputError
from game.networks.first_layer import Picture, first_layer, scale_of
from gui.geometry import Rect
from gui.look.canvas import Look
from gui.look.theme import GAP, ROOM, SMALL, TIGHT
from gui.screens.entries import TabEntry
from gui.widgets.base import Label, Widget

if TYPE_CHECKING:
    from gui.runs.live_run import LiveRun
    from gui.screens.sessions.session import SessionScreen

LINE = 22
MOST_KEPT = 64
"""Maximum number of generations whose pictures stay in memory."""

LEGEND = "Own side below"
SCALE, END = 230, 60
"""Widths of the scale and of a number at its end."""
MEANINGS = {
    "filter": "Patterns that it looks for everywhere: own men on blue squares raise them, on orange ones lower them.",
    "unit": "What a part of the network sees: own men on blue squares raise its value, on orange ones lower it.",
    "men": "What a piece is worth to it on each square.",
}
"""Meanings of pictures, by the first word of their titles."""


class WeightsTab(TabEntry):
    screen: SessionScreen
    name = "Weights"

    def view(self, rect: Rect, look: Look) -> list[Widget]:
        return weights_panel(self.screen.run, self.screen.generation, rect, look)


def pictures_of(run: LiveRun, generation: int) -> tuple[list[Picture], str]:
    """Return the first layer of a champion as pictures, and why there are none."""
    known: dict[int, tuple[list[Picture], str]] = run.kept("pictures", dict)
    if generation not in known and 0 <= generation < len(run.hall):
        if len(known) > MOST_KEPT:
            known.clear()
        from evolve.run.folder import Run

        try:
            weights = run.hall.champion(generation).weights.tolist()
            known[generation] = _of_men(first_layer(weights, run.kept("network", Run(run.path).network))), ""
        except InputError as error:
            if run.read():  # the session may have gone back since the last look
                return [], ""
            known[generation] = [], f"{error}."
    return known.get(generation, ([], ""))


def _of_men(pictures: list[Picture]) -> list[Picture]:
    """Return only the pictures of own men, if there is one for each filter or unit."""
    return [each for each in pictures if each.line in (pictures[0].line, "") or " " not in each.column]


def weights_panel(run: LiveRun, generation: int, rect: Rect, look: Look) -> list[Widget]:
    """Return the pictures of the champions of generation 0 and of another one, below what their colours mean."""
    px = look.px
    numbers = [*[0] * (generation > 0), generation]
    shown = [(number, pictures) for number in numbers if (pictures := pictures_of(run, number)[0])]
    if len({len(pictures) for _, pictures in shown}) > 1 or (shown and len(shown[-1][1]) * 16 > rect.w // len(shown)):
        shown = shown[-1:]
    trouble = pictures_of(run, generation)[1]
    if trouble or not shown:
        empty = trouble or "The champion's weights appear here."
        return [WeightMap(key="kernels", rect=rect, pictures=(), empty=empty)]
    head, body = rect.rows(px(20), None, gap=px(TIGHT))
    head, bar = head.columns(None, min(px(SCALE), head.w * 3 // 5), gap=px(ROOM))
    # Rounded up to one of twenty steps for each power of ten, so that old pictures stay as they are for a while.
    scale = 10 ** (math.ceil(20 * math.log10(scale_of(*(pictures for _, pictures in shown)))) / 20)
    least, colours, most_at = bar.columns(px(END), None, px(END), gap=px(GAP))
    colours = colours.centre_within(colours.w, colours.w // 11)
    widgets: list[Widget] = [
        Label(key="layer", rect=head, text=LEGEND, hint=meaning(shown[-1][1]), size=SMALL, may_cut=True,
              colour=look.theme.muted),
        WeightMap(key="scale", rect=colours, pictures=[Picture("", (tuple(n / 5 for n in range(-5, 6)),))], scale=1.0),
        *(Label(key=f"scale.{side}", rect=place, text=f"{sign}{scale:.2g}", size=SMALL, align=side, may_cut=True)
          for sign, side, place in (("−", "right", least), ("+", "left", most_at))),
    ]  # fmt: skip
    for (number, pictures), place in zip(shown, body.columns(*[None] * len(shown), gap=px(ROOM)), strict=True):
        line, below = place.rows(px(LINE), None, gap=px(TIGHT))
        last = number == shown[-1][0]
        name = look.first_fitting([f"Generation {number:,}", f"{number:,}"], line.w - px(ROOM))
        widgets += [
            Label(key=f"weights.{number}", rect=line, text=name, size=SMALL, align="left", bold=last, may_cut=True),
            WeightMap(key="kernels" if last else f"weights.{number}.map", rect=below, pictures=pictures, scale=scale,
                      hint=f"First layer of generation {number:,}. All generations share one scale"),
        ]  # fmt: skip
    return widgets


def meaning(pictures: Sequence[Picture]) -> str:
    """Return what the pictures of a network mean, in words for people who know no network."""
    return MEANINGS.get(pictures[0].title.partition(" ")[0].strip(","), "The numbers of which the network is made.")
