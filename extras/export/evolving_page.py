"""A run of the preset `first` as one HTML file, which evolves in any browser while a person plays against it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from evolve.config import toml
from evolve.config.anchors import RATINGS, SHOWN_ZERO
from evolve.strength.levels import KNOWN
from evolve.tournament.arena import openings_of
from extras.export.opened import FORMAT
from extras.export.player_page import ENGINE, options_of, packed
from extras.export.template import as_script, fill_template, source, style
from game.networks.evaluator import program_of
from game.networks.named import to_values

PRESET = "first"

EVOLVING_ENGINE = (*ENGINE, "random.js", "games.js", "evolution.js")
"""The files of the engine of the page."""

DEPTH, RATED_DEPTH = 6, 4
"""The depth of the champion against a person, and in the games that estimate its rating, in plies."""

RANGE = (0, 2500)
"""The axis of ratings."""

_ANCHORS = {"random": 0} | {f"material,depth={depth},quiescence=yes": depth for depth in (1, 2, 4)}


def evolving_page(seed: int) -> str:
    return fill_template(
        source("evolving.html"),
        STYLE=style(),
        PLAYER=as_script(page_data()),
        RUN=as_script({"run": {"seed": str(seed)}}),
        ENGINE="".join(map(source, EVOLVING_ENGINE)),
        PAGE="".join(map(source, ("common.js", "board.js", "chart.js", "crew.js", "evolving.js"))),
    )


def page_data() -> dict[str, Any]:
    """Return what the page needs to play a run of the preset: network, rules and sizes."""
    config = toml.load(PRESET)
    program = program_of(config.network)
    ballots = openings_of(config)
    population, search, games, founders = config.population, config.search, config.games, config.founders
    style = search.style()
    optimiser: Any = config.optimiser.kind
    return {
        "format": FORMAT,
        "spec": to_values(config.network),
        "network": {
            "plan": program.plan.tolist(),
            "taps": packed(program.taps, "<i4"),
            "places": packed(program.places, "<u4"),
            "params": program.params,
            "weights": config.network.weights,
            "linear": program.linear,
            "king": config.network.king,
        },
        "ballots": packed(ballots, "<i1"),
        "ballot_count": len(ballots),
        "widths": packed(normal_widths(), "<f8"),
        "options": options_of(style, search.limits(0)),
        "depth": search.depth,
        "limits": {"depth": DEPTH, "nodes": None},
        "rated_depth": RATED_DEPTH,
        "anchors": [{"depth": depth, "rating": RATINGS[name]} for name, depth in _ANCHORS.items()],
        "levels": [{"name": name, "rating": rating} for rating, name in KNOWN.items()],
        "zero": SHOWN_ZERO,
        "range": RANGE,
        "rules": {"repetition": games.repetition, "quietPlies": games.quiet_plies},
        "founders": {"low": founders.low, "high": founders.high, "step": optimiser.step},
        "population": {
            "mutants": population.mutants,
            "parents": population.parents,
            "stride": population.stride,
            "rate": optimiser.rate,
        },
    }


def normal_widths() -> NDArray[np.float64]:
    """Return the 256 widths by which numpy multiplies random bits for normally distributed numbers.

    The page draws the same numbers. Of 64 bits, the lower 8 choose the width; the others here make half of a step,
    which is never rejected.
    """
    generator = np.random.Generator(np.random.Philox(0))
    state: Any = generator.bit_generator.state
    widths = []
    for layer in range(256):
        state["buffer"], state["buffer_pos"] = np.array([layer | 1 << 60, 0, 0, 0], np.uint64), 0
        generator.bit_generator.state = state
        widths.append(generator.standard_normal() * 2.0**-51)
    return np.array(widths)
