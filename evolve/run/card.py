"""HTML cards of runs for notebooks: name, facts and a curve of the champions' ratings."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from evolve.config.anchors import shown_text
from evolve.run.log import read_history
from evolve.run.manifest import rereads

if TYPE_CHECKING:
    from evolve.run.folder import Run

WIDTH, HEIGHT, EDGE = 360, 120, 8
"""Size of the curve in pixels, and the space around it."""
LINE = "#1f6f54"
"""The colour of the first line of a plot in the window."""


@rereads
def card_html(run: Run) -> str:
    """Return the card of a run as HTML; the errors are those of reading its manifest and log."""
    facts, ratings = _facts(run)
    curve = rating_svg(ratings)
    lines = "".join(f"<div>{escape(fact)}</div>" for fact in facts)
    style = "display:inline-block;padding:12px;border:1px solid #ddd7cc;border-radius:6px;font-family:sans-serif"
    return f'<div style="{style}"><strong>{escape(run.name)}</strong>{lines}{curve}</div>'


@rereads
def card_text(run: Run) -> str:
    """Return the facts of a run and its newest rating in a line; the errors are those of reading manifest and log."""
    facts, ratings = _facts(run)
    rated = np.flatnonzero(np.isfinite(ratings))
    newest = [f"rating {shown_text(ratings[rated[-1]])} in generation {rated[-1]}"] if len(rated) else []
    return ", ".join([*facts, *newest])


def _facts(run: Run) -> tuple[list[str], NDArray[np.float64]]:
    """Return what a run is, and the rating of each generation, not finite if there is none."""
    known = run.manifest()
    if not known.entries:
        return ["no generation is complete yet"], np.zeros(0)
    history = read_history(run, known)
    facts = [f"{run.state()[0]}, generation {known.newest}", f"champion {history.champions[-1]}"]
    rated = history.interval("rating")
    ratings = np.zeros(0) if rated is None else np.asarray(rated[0], np.float64)
    return [*facts, f"digest {known.digest()[:16]}"], ratings


def rating_svg(ratings: NDArray[np.float64]) -> str:
    """Return the ratings as an SVG line with a caption below; empty if there are fewer than two ratings."""
    generations = np.flatnonzero(np.isfinite(ratings))
    if len(generations) < 2:
        return ""
    values = ratings[generations]
    across = EDGE + (WIDTH - 2 * EDGE) * generations / generations[-1]
    down = EDGE + (HEIGHT - 2 * EDGE) * (values.max() - values) / max(float(np.ptp(values)), 1.0)
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in zip(across, down, strict=True))
    first, last = map(shown_text, (values[0], values[-1]))
    words = f"rating {first} to {last}, generation {generations[0]} to {generations[-1]}"
    line = f'<polyline points="{points}" fill="none" stroke="{LINE}" stroke-width="2"/>'
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}"><title>{words}</title>{line}</svg>'
    )
    return f"{svg}<div>{words}</div>"
