"""Figures of genomes, layer by layer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from extras.reports.figures import style
from game.networks.first_layer import MOST_PICTURES, Picture, layer_pictures, table_pictures
from game.networks.spec import Part, Spec

KERNELS = (
    "All weights have one scale: blue is positive, orange negative. Boards and kernels have the player's own side at "
    'the bottom. Positive weights favour own pieces there, unless later layers reverse the sign; "their" pieces are '
    "the opponent's. A first diagonal layer is drawn as a square and its neighbours, for own men, own kings, their men "
    "and their kings."
)

Image = NDArray[np.float64]


def kernels(name: str, weights: NDArray[np.float32], spec: Spec) -> Figure:
    """Draw the weights of an individual, layer by layer, on one symmetric scale: orange negative, blue positive.

    - first layer: as for `game.networks.first_layer.first_layer`;
    - later convolutions: one kernel for each pair of an input plane and a filter; other layers: a matrix;
    - tables: one board for men and one for kings.

    Patterns are not drawn.
    """
    parts = [spec.layer_parts(number)[0] for number in range(len(spec.layers))]
    parts += spec.parts[len(spec.parts) - 2 * len(spec.head_layers) :: 2]
    blocks = [_Block(part, _pictures(spec, layer, part, weights)) for layer, part in enumerate(parts)]
    if spec.tables:
        boards = [(each.title, _image(each.rows)) for each in table_pictures(spec, weights)]
        blocks.insert(0, _Block(spec.parts[0], boards))
    drawn = weights[: spec.pattern_part.start] if spec.patterns else weights
    largest = float(np.abs(drawn).max()) or 1.0
    height = sum(block.height for block in blocks) + FOOT
    made = style.figure(height, layout="none")
    top = height
    mesh: Any = None
    for block in blocks:
        made.text(MARGIN / style.WIDE, (top - 0.05) / height, block.heading, fontsize=8, weight="bold", va="top")
        for place, (title, picture) in enumerate(block.pictures):
            row, column = divmod(place, block.across)
            left = MARGIN + column * (block.wide + GAP)
            bottom = top - HEADING - (row + 1) * (block.high + TITLE)
            axes = made.add_axes(
                (left / style.WIDE, bottom / height, block.wide / style.WIDE, block.high / height), frameon=False
            )
            fine = picture.size > 4000  # draw pixels, or the file would have thousands of rectangles
            mesh = axes.pcolormesh(picture, cmap=style.DIVERGING, vmin=-largest, vmax=largest, rasterized=fine)
            axes.set_xticks([])
            axes.set_yticks([])
            narrow = len(block.pictures) == 1 and len(title) * LETTER > block.wide
            axes.set_title(title, fontsize=6, fontweight="normal", loc="left" if narrow else "center", pad=2)
        top -= block.height
    foot = made.add_axes((0.3, (FOOT - 0.25) / height, 0.4, 0.1 / height))
    bar = made.colorbar(mesh, cax=foot, orientation="horizontal", label=f"weights of {name}")
    bar.outline.set_visible(False)
    return made


MARGIN, GAP, HEADING, TITLE, FOOT = 0.1, 0.12, 0.22, 0.16, 0.65
"""Space in inches at the sides of the page, between pictures, for a heading, for a title, and at the bottom."""

LETTER = 0.045
"""Approximate width of a letter of a title, in inches."""

CELL = 0.17
"""Maximum size of the cell of a weight, in inches."""


class _Block:
    """The pictures of one layer, all of one size, and their layout in inches."""

    def __init__(self, part: Part, pictures: list[tuple[str, Image]]) -> None:
        self.heading = f"{part.name.split(' (')[0]}, {' x '.join(map(str, part.shape))}"
        self.pictures = pictures
        rows, columns = pictures[0][1].shape
        room = style.WIDE - 2 * MARGIN
        fewest = min(len(pictures), 8 if len(pictures) > 9 else 9)
        cell = min(CELL, (room / fewest - GAP) / columns)
        self.wide, self.high = cell * columns, max(cell * rows, 0.1)
        self.across = int((room + GAP) / (self.wide + GAP) + 1e-9)
        lines = -(-len(pictures) // self.across)
        self.height = HEADING + lines * (self.high + TITLE) + 0.1


def _pictures(spec: Spec, layer: int, part: Part, weights: NDArray[np.float32]) -> list[tuple[str, Image]]:
    values = part.of(weights).astype(np.float64)
    if layer == 0 and spec.layers:
        first = layer_pictures(spec, weights.astype(np.float64))
        return [(_short_title(each), _image(each.rows)) for each in first]
    if (*spec.layers, *spec.head_layers)[layer].kind == "convolution":
        planes, filters = values.shape[2:]
        if planes * filters <= MOST_PICTURES:
            pairs = [(p, f) for p in range(planes) for f in range(filters)]
            return [(f"{p + 1} to {f + 1}", values[:, :, p, f]) for p, f in pairs]
    return [("inputs across, units up", values.reshape(-1, values.shape[-1]).T)]


def _short_title(picture: Picture) -> str:
    title = f"{picture.line} {picture.column.split()[-1]}" if picture.line else picture.title
    return title.replace("×", "x")


def _image(rows: Sequence[Sequence[float | None]]) -> Image:
    return np.array(rows[::-1], np.float64)
