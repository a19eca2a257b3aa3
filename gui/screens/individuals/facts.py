"""Facts about players in sentences: where they come from, their rating and results."""

from __future__ import annotations

from collections.abc import Sequence

from evolve.config.anchors import shown_interval, shown_text
from evolve.strength.levels import LEVELS
from game.number_text import results_text
from gui.geometry import Rect
from gui.individuals.individual import ListedPlayer
from gui.look.canvas import Look
from gui.look.theme import BODY
from gui.model.seats import several


def facts_of(individual: ListedPlayer) -> list[str]:
    lines, origin = [], individual.origin
    parents = several(individual.parents)
    if individual.is_mean:
        count = len(individual.parents)
        lines.append(f"The mean of {count} parents. It comes first in its generation, whatever its results.")
    elif origin == "learnt":
        lines.append(f"Continued learning from {parents}." if parents else "Learnt from scratch.")
    elif origin:
        lines.append(origin.capitalize() + (f" from {parents}" if parents else ""))
    if individual.rating is not None:
        lines.append(rating_of(individual))
    results = individual.results
    if results and not individual.is_mean and (results[0] or origin not in ("learnt", "founder")):
        lines.append(results_text(results))
    return lines


def rating_of(individual: ListedPlayer) -> str:
    if individual.rating is None:
        return ""
    value, low, high = individual.rating
    of_level = (each for each in LEVELS if (each.player, each.interval) == (individual.player, individual.rating))
    level = next(of_level, None)
    depth = "" if level is None else f" at depth {level.depth}"
    return f"Rating {shown_text(value)} ({shown_interval(low, high)}){depth}, from games against fixed opponents."


def fitting_lines(lines: Sequence[str], rect: Rect, look: Look) -> tuple[str, str]:
    """Return the first lines, as many as fit into a place, and all of them as a hint; no hint if all fit."""
    px, room = look.px, rect.h // look.fonts.height(look.px(BODY))
    shown = list(lines)
    while len(shown) > 1 and len(look.fonts.wrap("\n".join(shown), rect.w, px(BODY))) > room:
        del shown[-1]
    first, semicolon, _ = "".join(shown[:1]).partition(";")
    if semicolon and len(look.fonts.wrap("\n".join(shown), rect.w, px(BODY))) > room:
        shown = [f"{first}."]
    return "\n".join(shown), "" if shown == list(lines) else "\n".join(lines)
