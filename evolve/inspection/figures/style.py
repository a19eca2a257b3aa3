"""How all figures look: type, colours that every kind of colour vision tells apart, and exact files."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator
from typing import Any, cast

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.ticker import PercentFormatter

from game.errors import printable

WIDE = 7.0
"""Inches: the width of a page's text."""

BLUE, ORANGE, GREEN, PURPLE, GREY, LIGHT = "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#666666", "#d9d9d9"
"""Okabe and Ito, Color universal design (2008)."""

ORIGINS = {"survivor": GREEN, "recombined": BLUE, "mutated": ORANGE, "candidate": ORANGE, "founder": PURPLE}
MARKERS = {"survivor": "D", "recombined": "s", "mutated": "o", "candidate": "o", "founder": "^"}

LONGEST_LINE = 200
"""Characters of a line of text in a figure."""

DIVERGING = LinearSegmentedColormap.from_list("orange-white-blue", [ORANGE, "#ffffff", BLUE])
"""Below, at and above the middle: orange, white, blue."""

RC: dict[str, Any] = {
    "text.parse_math": False,  # a name with dollars is no formula
    "font.size": 8,
    "axes.titlesize": 8.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.labelsize": 8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.6,
    "axes.axisbelow": True,
    "grid.color": LIGHT,
    "grid.linewidth": 0.4,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "legend.fontsize": 7,
    "legend.frameon": False,
    "lines.linewidth": 1.2,
    "savefig.dpi": 300,
    "pdf.fonttype": 42,  # letters stay letters
    "svg.fonttype": "path",  # the same on every machine, whatever fonts it has
    "svg.hashsalt": "crownhead",
}


@contextlib.contextmanager
def apply_style() -> Iterator[None]:
    """Within this context figures are made and written in our style; nothing stays set afterwards."""
    with mpl.rc_context(cast(Any, RC)):
        yield


def figure(height: float, width: float = WIDE, layout: str = "constrained") -> Figure:
    """An empty figure, in inches; no window, no global state."""
    return Figure(figsize=(width, height), layout=cast(Any, layout))


def percent(whole: float = 1.0) -> PercentFormatter:
    """For axes of shares, from 0 to 1 or to another number that is all."""
    return PercentFormatter(whole, decimals=0, symbol=" %")


def render(made: Figure, kind: str) -> bytes:
    """A figure as the bytes of a file: ``pdf``, ``png`` or ``svg``, without a date in it."""
    undated: dict[str, dict[str, Any]] = {"pdf": {"CreationDate": None}, "svg": {"Date": None}, "png": {}}
    for text in made.findobj(Text):
        text.set_text(
            printable("\n".join(map(_shortened, text.get_text().split("\n"))))
        )  # fonts have no signs for what commands a terminal
    stream = io.BytesIO()
    made.savefig(stream, format=kind, metadata=undated[kind])
    return stream.getvalue()


def _shortened(line: str) -> str:
    """Cut a line that would take minutes to draw, such as a name that a stranger has written."""
    return line if len(line) <= LONGEST_LINE else f"{line[: LONGEST_LINE - 3]}..."


def grid(axes: Axes) -> None:
    """Horizontal lines that help the eye along."""
    axes.grid(axis="y")
