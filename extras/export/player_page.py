"""A player as one HTML file, which plays in any browser without a network connection.

The page is made of the files in `extras/export/page`, as they are: rules, network and search in JavaScript, and the
board.
"""

from __future__ import annotations

import base64
import math
import zlib
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from evolve.config.anchors import SHOWN_ZERO, shown_interval, shown_text
from evolve.run.folder import Run
from evolve.run.log import read_history
from evolve.run.runs import SHIPPED, Runs
from evolve.strength.levels import LEVELS, Level, level_of
from extras.export.opened import FORMAT, MOST_ENTRIES
from extras.export.template import as_script, emblem_url, escaped, fill_template, source, style
from game.errors import InputError, one_line
from game.networks.emblem import TINCTURES, Emblem, emblem_of
from game.networks.evaluator import Evaluator, check_weights
from game.networks.first_layer import first_layer
from game.networks.named import to_values
from game.networks.quantised import rounded
from game.players.names import parse_name
from game.search.interface import ENTRIES_A_MEGABYTE, Limits, SearchOptions
from gui.individuals.personas import Persona, Personas, beaten_by, family

if TYPE_CHECKING:
    from evolve.run.generation_csv import Generation
    from game.players.player import Player

MOST_BYTES = 3_000_000
"""Maximum size of a page."""

MOST_SUM = 1e30
"""Largest sum of a network's layers; beyond this a value might not be finite, as float32 goes up to 3e38."""

DEPTH = 6
"""The depth of a page, in plies, if the player has only a time limit."""

ENGINE = ("rules.js", "network.js", "table.js", "search.js", "player.js")
"""The files of the engine, in the order in which they are loaded."""

_ACTIVATIONS = ("none", "sigmoid", "tanh", "relu", "clipped")
"""The activations that network.js has, by their numbers."""


def page_of(player: Player, runs: Path) -> str:
    """Return the page of a player.

    Args:
        runs: folder of runs, in which its rating and its parents are looked up.

    Raises:
        InputError: the player has no such network, or the page cannot play exactly as the program does.
    """
    data = player_data(player)
    data |= about(player, runs)
    page = _page(escaped(f"{data['name']} plays checkers"), style(), as_script(data))
    if len(page.encode()) > MOST_BYTES:
        raise InputError(
            f"{player.name}: its network is too large for a page, which may have {MOST_BYTES / 1e6:.0f} MB; "
            f"it would have {len(page.encode()) / 1e6:.1f} MB"
        )
    return page


def template() -> str:
    """Return the page without a player, for pages that contain it and have its style.

    ``{{STYLE}}`` stands for the style, and ``{{PLAYER}}`` for the data as JSON.
    """
    return _page("A champion plays checkers", "{{STYLE}}", "{{PLAYER}}")


def _page(title: str, sheet: str, data: str) -> str:
    return fill_template(
        source("page.html"),
        TITLE=title,
        STYLE=sheet,
        PLAYER=data,
        ENGINE="".join(source(name) for name in ENGINE),
        PAGE="".join(map(source, ("common.js", "board.js", "page.js"))),
    )


def player_data(player: Player) -> dict[str, Any]:
    """Return what the engine of the page needs to play as a player: its network, limits and search options.

    The page itself has no tablebases; `spec`, `weights` and `king` are for programs that open it as a player.

    Raises:
        InputError: see `page_of`.
    """
    if player.network is None:
        raise InputError(f"{player.name}: has no network to export")
    if player.alphabeta is None:
        raise InputError(f"{player.name}: pages search with alpha-beta, and this player does not")
    spec, weights, king = player.network
    unknown = {layer.activation for layer in spec.layers} - set(_ACTIVATIONS)
    if unknown:
        raise InputError(f"{player.name}: a page cannot compute the activation {', '.join(sorted(unknown))}")
    limits, style = player.alphabeta
    if style.book:
        raise InputError(f"{player.name}: a page has no book: use book=no")
    played = Limits(limits.depth or (None if limits.nodes else DEPTH), limits.nodes)
    options = options_of(style, played)
    if options["entries"] > MOST_ENTRIES:
        raise InputError(
            f"{player.name}: expected a table of at most {MOST_ENTRIES // ENTRIES_A_MEGABYTE} MB for a page, got "
            f"{options['entries'] // ENTRIES_A_MEGABYTE:,} MB: choose one in the name, such as table=4"
        )
    evaluator = Evaluator(spec, weights, king)
    program = evaluator.program
    params = evaluator.params[: len(program.source)]  # without the integers of quantised networks: values are the same
    _check_sums(player.name, spec, params, float(evaluator.king))
    return {
        "format": FORMAT,
        "name": player.name,
        "spec": to_values(spec),
        "weights": packed(rounded(spec, check_weights(spec, weights)), "<f4"),
        "king": king,
        "network": {
            "plan": program.plan.tolist(),
            "taps": packed(program.taps, "<i4"),
            "params": packed(params, "<f4"),
            "king": float(evaluator.king),
        },
        "margins": _margins(evaluator) if style.pruning else [0.0, 0.0],
        "man": float(player.man_score()),
        "counts_men": player.counts_men,
        "options": options,
        "limits": {"depth": played.depth, "nodes": played.nodes},
    }


def options_of(style: SearchOptions, limits: Limits) -> dict[str, Any]:
    """Return the options of a page's search, with what they mean for its table under the limits of the page."""
    options, style = {name: getattr(style, name) for name in style.__slots__}, style.fitted(limits)
    fitted = {name: getattr(style, name) for name in ("entries", "ages", "positions_an_entry")}
    return options | fitted | {"corrects": style.corrections}


def _place_of(player: Player, runs: Path) -> tuple[Run, int, Generation, int] | None:
    source = getattr(player, "source", None)
    if source is None:
        return None
    where, number = Runs(runs).split_generation(source.target)
    run = Run.find(runs, where)
    if run is None:
        return None
    generation = run.manifest().newest if number is None else int(number)
    rows = run.read_generation(generation, thinned=True)
    return run, generation, rows, rows.row_of(source.member)


def origin_of(player: Player, runs: Path) -> list[tuple[str, str]]:
    """Return generation and parents of an individual of a run, as names and texts; empty for other players."""
    place = _place_of(player, runs)
    if place is None:
        return []
    run, generation, rows, row = place
    facts = [("individual", f"{rows.names[row]}, generation {generation:,} of {run.name}")]
    if rows.origins is not None and rows.parents is not None and rows.origins[row]:
        first, others = list(rows.parents[row][:2]), len(rows.parents[row]) - 2
        parents = f"{first[0]} and {others + 1} others" if others > 0 else " and ".join(first)
        facts.append(("lineage", f"{rows.origins[row]}{f' from {parents}' if parents else ''}"))
    return facts


def about(player: Player, runs: Path) -> dict[str, Any]:
    """Return what a page says of a player: its name, a sentence, its emblem and rating, and facts, which are folded."""
    known = Personas(runs).persona(player.name)
    sentence, short = known.sentence, ""
    depth = player.alphabeta[0].depth if player.alphabeta is not None else None
    rated = rating_of(player, runs)
    if known.rating is not None and known.depth in (None, depth):
        rated = known.rating, None
    facts = [*origin_of(player, runs), ("method", player.basis)]
    if rated is not None:
        interval, level = rated
        short = f"{shown_text(interval[0])} Elo"
        text = f"{short} ({shown_interval(*interval[1:])})"
        if level is not None:
            sentence = f"{level.style}. The level {level.name} of Crownhead."
            text += f", as the level {level.name}, with tablebases of 4 pieces"
        elif not sentence:
            sentence = beaten_by(runs, player.name)
        facts = [("rating", f"{text}; {ANCHOR}"), *facts]
    level = None if rated is None else rated[1]
    if level is not None:  # levels that share a network differ in colour
        known = replace(known, name=level.name, tincture=LEVELS.index(level))
    emblem = _emblem_of(player, known)
    return {
        "name": SHIPPED.get(player.name, (known.name or player.name,))[0],
        "sentence": sentence,
        "emblem": "" if emblem is None else emblem_url(emblem),
        "rating": short,
        "facts": facts,
    }


def _emblem_of(player: Player, known: Persona) -> Emblem | None:
    assert player.network is not None
    spec, weights, _ = player.network
    source = getattr(player, "source", None)
    emblem = emblem_of(first_layer(weights, spec), one_line(player.name) if source is None else family(source))
    return emblem if emblem is None or known.tincture is None else replace(emblem, tincture=known.tincture % TINCTURES)


def rating_of(player: Player, runs: Path) -> tuple[tuple[float, float, float], Level | None] | None:
    """Return the rating of a level, or of another individual of a run in its session, with its interval."""
    place = _place_of(player, runs)
    if place is None:
        return None
    limits = player.alphabeta[0] if player.alphabeta is not None else Limits()
    name = parse_name(player.name).with_options(depth=None, tablebase=None).text
    level = level_of(name, limits.depth or 0) if limits.nodes is None else -1
    if level >= 0:
        return LEVELS[level].interval, LEVELS[level]  # measured as docs/ratings.md says
    run, generation, rows, row = place
    rated = read_history(run, run.manifest()).interval("rating")
    if rated is not None and row == rows.row_of(None):
        value, low, high = (float(column[generation]) for column in rated)
        if math.isfinite(value):
            return (value, low, high), None
    return None


ANCHOR = f"a piece counter that looks eight plies ahead has {SHOWN_ZERO}"
"""The meaning of a rating, for people who know only the page."""


def _check_sums(name: str, spec: Any, params: Any, king: float) -> None:
    """Refuse networks whose sums might not be finite: in a kernel, these also change outputs that they do not reach."""
    sizes, largest = [max(1.0, abs(king))], float(np.abs(params).max())
    if not np.isfinite(largest):
        raise InputError(f"{name}: has weights that are not finite numbers, so it cannot be exported")
    for number, layer in enumerate((*spec.layers, *spec.head_layers[:1])):
        inputs = float(np.prod(spec.shapes[min(number, len(spec.layers))]))
        sums = largest * (1.0 + sizes[-1] * inputs) + (sizes[-2] if layer.residual else 0.0)
        sizes.append(1.0 if layer.activation in ("sigmoid", "tanh", "clipped") else sums)
    if not max(24 * largest, *sizes) < MOST_SUM:
        raise InputError(f"{name}: its weights are so large that its values might not be finite, so it has no page")


def _margins(evaluator: Evaluator) -> list[float | None]:
    """Return the margins of pruning, upwards and downwards; None for an infinite one."""
    from game.networks.evaluator import man_value
    from game.search.search import margins_in_men

    program, addresses, king = evaluator.program, evaluator.addresses, float(evaluator.king)
    man = man_value(program, addresses, king)
    margins = [float(np.float32(part * man)) for part in margins_in_men(program, addresses[2])]
    return [margin if 0.0 <= margin < 1e38 else None for margin in margins]


def packed(array: Any, kind: str) -> str:
    """Return an array as base64 of zlib's format. Programs of networks repeat themselves and have many zeros."""
    return base64.b64encode(zlib.compress(np.ascontiguousarray(array, kind).tobytes(), 9)).decode()
