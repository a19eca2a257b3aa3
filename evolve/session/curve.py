"""The curve of a run's ratings as text for a terminal, with lines at the levels that it passes."""

from __future__ import annotations

import math
from collections.abc import Mapping

from evolve.config.anchors import shown_text
from evolve.strength.levels import KNOWN

ROWS, COLUMNS = 12, 48
"""Size of a curve without its labels, in characters."""
_LABEL = 5


def rating_curve(ratings: Mapping[int, float], last: int, rows: int = ROWS, columns: int = COLUMNS) -> list[str]:
    """Return the lines of a chart: ratings by generation, with a dotted line at each level in their range."""
    heights = [rating for rating in ratings.values() if math.isfinite(rating)]
    generations = [generation for generation, rating in ratings.items() if math.isfinite(rating)]
    if len(heights) < 2:
        return []
    low, high = min(heights), max(heights)
    scale = (rows - 1) / max(high - low, 1.0)

    def row_of(rating: float) -> int:
        return round((high - rating) * scale)

    labels = {row_of(rating): shown_text(rating, brief=True) for rating in (high, low)}
    names = {row_of(rating): name for rating, name in KNOWN.items()}
    chart = [["·" if row in names else " "] * columns for row in range(rows)]
    places = [round(generation * (columns - 1) / max(last, 1)) for generation in generations]
    for (left, start), (right, end) in zip(
        zip(places, heights, strict=True), zip(places[1:], heights[1:], strict=True), strict=False
    ):
        for place in range(left + 1, right):
            chart[row_of(start + (end - start) * (place - left) / (right - left))][place] = "∙"
    for place, height in zip(places, heights, strict=True):
        chart[row_of(height)][place] = "●"
    lines = [
        f"{labels.get(row, ''):>{_LABEL}} │{''.join(cells)}{' ' + names[row] if row in names else ''}".rstrip()
        for row, cells in enumerate(chart)
    ]
    foot = f"generation {generations[0]}"
    return [*lines, f"{'':>{_LABEL}} └{foot:─<{columns - len(str(last)) - 1}} {last}"]
