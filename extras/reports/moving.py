"""The part of a run's page that moves: a slider over generations, champions to play against, curves.

The page stays one file without links. A champion is played on the page of `extras.export.player_page`, in a frame of
its own; the engine is there once, for all champions.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from evolve.config.anchors import SHOWN_ZERO, shown_above
from evolve.inspection.phrases import interval_text, rating_text
from evolve.names.registration import register
from evolve.run.log import spaced
from evolve.strength.levels import KNOWN
from extras.export.player_page import about, player_data, template
from extras.export.template import as_script, escaped, source
from game.errors import InputError, capital, printable, sentence
from game.players.registry import player

if TYPE_CHECKING:
    from evolve.report.overview import RunOverview

FOLDER = Path(__file__).with_name("page")
"""The folder of the page's files."""

PLAYED = 8
"""Maximum number of generations whose champions can be played against."""

MOST_BYTES = 2_000_000
"""Maximum size of all players of a page; later generations come first."""

CURVES = (
    ("rating", "Rating of champions"),
    ("best_points", "Points of the best in its own tournament"),
    ("mean_points", "Mean points in the tournament"),
    ("draws", "Drawn games"),
    ("diversity", "Diversity: distance between two individuals"),
)
"""Columns of the log and titles of their curves; runs that learn have curves of their own, too."""

POLICY = (
    "default-src 'none'; img-src data:; font-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline' blob:; "
    "worker-src blob:; frame-src 'self'"
)
"""Permissions of a page: it runs its own scripts and loads nothing."""


LEVELS = [{"text": capital(name), "value": rating + SHOWN_ZERO} for rating, name in KNOWN.items()]
"""The lines of a chart of ratings."""


def curves_part(curves: list[dict[str, Any]], caption: str) -> str:
    """Return curves of several runs as HTML, with the scripts that draw them."""
    scripts = "".join([*map(source, ("common.js", "chart.js")), source("curves.js", FOLDER)])
    return (
        f'<div class="pictures" id="curves"></div>\n<p class="faint">{escaped(caption)}</p>\n'
        f'<script type="application/json" id="runs">{as_script(curves)}</script>\n<script>\n{scripts}</script>'
    )


def moving_part(run: RunOverview) -> str:
    """Return the part of the page as HTML, with its scripts; ``{{FIRST}}`` and ``{{WARNINGS}}`` stand for others."""
    data = _data(run)
    verdict = run.verdict if not data["players"] else None  # the page of the champion says it
    return "".join(
        (
            f"<p>{escaped(sentence(verdict))}</p>\n" if verdict else "",
            source("moving.html", FOLDER),
            f'<script type="application/json" id="run">{as_script(data)}</script>\n',
            "<script>\n",
            *map(source, ("common.js", "chart.js")),
            source("moving.js", FOLDER),
            "</script>",
        )
    )


def _data(run: RunOverview) -> dict[str, Any]:
    players, why = _players(run)
    ratings = {at: f"{each['rating']}, measured after the run" for at, each in players.items() if each["rating"]}
    return {
        "newest": run.newest,
        "players": players,
        "unplayable": why,
        "page": template() if players else "",
        "curves": _curves(run, ratings),
        "levels": LEVELS,
    }


def _rating_of(run: RunOverview, generation: int) -> str:
    interval = run.history.interval("rating")
    if interval is None:
        return ""
    value, low, high = (float(column[generation]) for column in interval)
    return f"{rating_text(value)} ({interval_text(low, high)})" if math.isfinite(value) else ""


def _players(run: RunOverview) -> tuple[dict[int, dict[str, Any]], str]:
    runs = run.run.path.parent
    register(runs)
    players: dict[int, dict[str, Any]] = {}
    size, why = 0, ""
    for generation in reversed(spaced(run.newest, PLAYED)):
        try:
            champion = player(f"{run.run.player_name}@{generation}")
            data = player_data(champion)
        except InputError as error:
            why = f"You cannot play {run.run.name} here: {str(error).split(': ', 1)[-1]}."
            continue
        data |= about(champion, runs) | {"name": f"Generation {generation:,}"}
        size += len(json.dumps(data))
        if size > MOST_BYTES:
            why = f"The champions of {run.run.name} are too large for this page; export --html writes one alone."
            break
        players[generation] = data
    return players, "The first champion on this page comes later." if players else printable(why)


def _curves(run: RunOverview, ratings: dict[int, str]) -> list[dict[str, Any]]:
    """Return the curves that change, with the text of each value; `ratings`: those that the champions' boards say."""
    curves: list[dict[str, Any]] = []
    for column, title in CURVES:
        above = shown_above(column)
        values = _finite(np.asarray(run.history.numbers.get(column, ())) + above)
        if len({value for value in values if value is not None}) < 2:
            continue
        curve: dict[str, Any] = {"title": title, "values": values, "texts": list(map(_number, values))}
        interval = run.history.interval(column)
        if interval is not None:  # only ratings have intervals
            texts = [_rating_of(run, number) or ratings.get(number, "") for number in range(len(values))]
            curve |= {"low": _finite(interval[1] + above), "high": _finite(interval[2] + above), "texts": texts}
        curves.append(curve)
    for drawn in run.curves:
        for line in drawn.lines:
            title = drawn.title if len(drawn.lines) == 1 else f"{drawn.title}: {line.name}"
            known = [math.isfinite(value) for value in line.values]
            texts = [drawn.write_sure(line, generation) if here else "" for generation, here in enumerate(known)]
            curves.append({"title": capital(title), "values": _finite(line.values), "texts": texts})
    return curves


def _finite(values: Any) -> list[float | None]:
    return [float(f"{value:.6g}") if math.isfinite(value) else None for value in map(float, values)]


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
