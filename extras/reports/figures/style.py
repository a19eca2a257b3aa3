"""The style of all figures: fonts, colours for any colour vision, and reproducible files."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, cast

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.font_manager import fontManager
from matplotlib.text import Text
from matplotlib.ticker import PercentFormatter

import gui
from game.errors import printable

NamedFigure = tuple[str, str, Callable[[], Figure]]
"""Name and caption of a figure, and a function that draws it."""

WIDE = 7.0
"""Width of a figure in inches, the text width of a page."""

BLUE, ORANGE, GREEN, PURPLE, GREY, LIGHT = "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#666666", "#d9d9d9"
"""Colours that suit any colour vision, from Okabe and Ito, Color universal design (2008)."""

ORIGINS = {"survivor": GREEN, "recombined": BLUE, "mutated": ORANGE, "founder": PURPLE}

LONGEST_LINE = 200
"""Maximum number of characters in a line of text of a figure."""

DIVERGING = LinearSegmentedColormap.from_list("orange-white-blue", [ORANGE, "#ffffff", BLUE])
"""Colours from orange (negative) through white to blue (positive)."""

RC: dict[str, Any] = {
    "text.parse_math": False,  # a name with dollar signs is not a formula
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
    "pdf.fonttype": 42,  # text stays text, not outlines
    "svg.fonttype": "path",  # the same picture on every machine, even without the font
    "svg.hashsalt": "crownhead",
}


@contextlib.contextmanager
def apply_style() -> Iterator[None]:
    """Apply the style within this context; settings are restored afterwards."""
    with mpl.rc_context(cast(Any, RC)):
        yield


def figure(height: float, width: float = WIDE, layout: str = "constrained") -> Figure:
    """Return an empty figure with a size in inches; it has no window and no global state."""
    return Figure(figsize=(width, height), layout=cast(Any, layout))


def percent(whole: float = 1.0) -> PercentFormatter:
    return PercentFormatter(whole, decimals=0, symbol=" %")


def render(made: Figure, kind: str) -> bytes:
    """Return a figure as the bytes of a ``pdf``, ``png`` or ``svg`` file, without a date."""
    undated: dict[str, dict[str, Any]] = {"pdf": {"CreationDate": None}, "svg": {"Date": None}, "png": {}}
    of_page = kind == "svg"
    if of_page and made.get_layout_engine() is not None:  # smaller, so that its letters are larger
        made.set_size_inches(*(0.75 * made.get_size_inches()))
    for text in made.findobj(Text):
        if of_page:
            weight = "semibold" if text.get_fontweight() == "bold" else "normal"
            text.set(family=_family(), weight=weight)
        # Fonts have no glyphs for control characters.
        text.set_text(printable("\n".join(map(_shortened, text.get_text().split("\n")))))
    stream = io.BytesIO()
    made.savefig(stream, format=kind, metadata=undated[kind], transparent=of_page)
    return stream.getvalue()


@cache
def _family() -> str:
    """Return the name of the typeface of pages, which Matplotlib then knows."""
    for weight in ("Regular", "SemiBold"):
        fontManager.addfont(Path(gui.__file__).with_name("fonts") / f"Inter-{weight}.otf")
    return "Inter"


def _shortened(line: str) -> str:
    """Cut a line that would take minutes to draw, such as a very long name."""
    return line if len(line) <= LONGEST_LINE else f"{line[: LONGEST_LINE - 3]}..."


def grid(axes: Axes) -> None:
    axes.grid(axis="y")
