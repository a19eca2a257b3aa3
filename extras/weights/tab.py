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
from gui.look.theme import ROOM, SMALL, TIGHT
from gui.screens.entries import TabEntry
from gui.widgets.base import Label, Widget

if TYPE_CHECKING:
    from gui.runs.live_run import LiveRun
    from gui.screens.sessions.session import SessionScreen

NARROWEST = 128
"""Minimum width of the pictures of a generation."""

LINE = 22
MOST = 5
MOST_KEPT = 64
"""Maximum number of generations whose pictures stay in memory."""

LEGEND = "Blue helps, orange hurts"
MEANINGS = {
    "filter": "Patterns that it looks for all over the board: own pieces on blue squares raise them, on orange ones "
    "lower them.",
    "unit": "The board as one part of the network sees it: own pieces on blue squares raise its value, on orange ones "
    "lower it.",
    "men": "What a piece is worth to it on each square: blue is good, orange is bad.",
}
"""Meanings of pictures, by the first word of their titles."""

OTHER = "The numbers of which the network is made: blue is positive, orange is negative."


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
    """Return the pictures of the champions of some generations up to one, below what their colours mean."""
    px = look.px
    most = min(rect.w // px(NARROWEST), MOST, max(-(-rect.w // max(rect.h, 1)), 2))  # few, and therefore large
    numbers = steps(generation, most) if generation >= 0 else []
    shown = [(number, pictures) for number in numbers if (pictures := pictures_of(run, number)[0])]
    if len({len(pictures) for _, pictures in shown}) > 1 or (shown and len(shown[-1][1]) * 16 > rect.w // len(shown)):
        shown = shown[-1:]
    trouble = pictures_of(run, generation)[1]
    if trouble or not shown:
        empty = trouble or "The champion's weights appear here."
        return [WeightMap(key="kernels", rect=rect, pictures=(), empty=empty)]
    head, body = rect.rows(px(20), None, gap=px(TIGHT))
    # Rounded up to one of twenty steps for each power of ten, so that old pictures stay as they are for a while.
    scale = 10 ** (math.ceil(20 * math.log10(scale_of(*(pictures for _, pictures in shown)))) / 20)
    widgets: list[Widget] = [
        Label(key="layer", rect=head, text=LEGEND, hint=meaning(shown[-1][1]), size=SMALL, may_cut=True,
              colour=look.theme.muted)
    ]  # fmt: skip
    for (number, pictures), place in zip(shown, body.columns(*[None] * len(shown), gap=px(ROOM)), strict=True):
        line, below = place.rows(px(LINE), None, gap=px(TIGHT))
        last = number == shown[-1][0]
        name = f"Generation {number:,}"
        if look.wide(name, SMALL, bold=True) > line.w - px(ROOM):
            name = f"{number:,}"
        widgets += [
            Label(key=f"weights.{number}", rect=line, text=name, size=SMALL, align="left", bold=last, may_cut=True),
            WeightMap(key="kernels" if last else f"weights.{number}.map", rect=below, pictures=pictures, scale=scale,
                      hint=f"First layer of generation {number:,}. All generations share one scale"),
        ]  # fmt: skip
    return widgets


def meaning(pictures: Sequence[Picture]) -> str:
    """Return what the pictures of a network mean, in words for people who know no network."""
    return MEANINGS.get(pictures[0].title.partition(" ")[0].strip(","), OTHER)


def steps(generation: int, most: int) -> list[int]:
    """Return at most this many generations up to one, which is the last; all but the last stay while it grows."""
    step = 1
    while -(-generation // step) + 1 > max(most, 1) and step <= generation:
        step *= 2
    return [*(range(0, generation, step) if most > 1 else ()), generation]
