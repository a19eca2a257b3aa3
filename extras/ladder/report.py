"""Formatting of finished ladders, as text and as plain values for JSON."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from evolve.config.anchors import SHOWN_ZERO, shown_text
from evolve.strength import effort, match_report
from evolve.strength.elo import RatingEstimate
from extras.ladder.costs import Cost
from extras.ladder.ladder import Ladder
from game.errors import FailureKind
from game.number_text import count_text, finite_or_none, signed_text
from game.terminal import fit_columns


def as_json(ladder: Ladder) -> dict[str, Any]:
    """Return the ladder as plain values for JSON; an infinite rating or bound becomes None."""
    return {
        "limit": ladder.limit or None,
        "zero": ladder.standings[ladder.zero].name,
        "scale": f"{ladder.standings[ladder.zero].name} = 0",
        "known": list(ladder.known),
        "games": ladder.games,
        "openings": ladder.openings,
        "seed": ladder.seed,
        "seconds": ladder.seconds,
        "renamed": dict(ladder.renamed),
        "stopped": ladder.stopped,
        "players": [
            {
                "rank": rank,
                "player": standing.name,
                "rating": finite_or_none(standing.rating.value),
                "low": finite_or_none(standing.rating.low),
                "high": finite_or_none(standing.rating.high),
                "games": standing.games,
                "wins": standing.wins,
                "draws": standing.draws,
                "losses": standing.losses,
                "score": finite_or_none(standing.score),
                "nodes": standing.nodes,
                "tablebase": standing.tablebase,
                "proved": None if standing.proved is None else asdict(standing.proved),
                "cost": None if standing.cost is None else asdict(standing.cost),
            }
            for rank, standing in enumerate(ladder.ranked, 1)
        ],
        "pairings": [
            {
                "a": ladder.standings[pairing.a].name,
                "b": ladder.standings[pairing.b].name,
                "wins": pairing.result.wins,
                "draws": pairing.result.draws,
                "losses": pairing.result.losses,
                "pentanomial": list(pairing.result.pentanomial),
                "distinct_games": pairing.result.distinct_games,
                "failures": match_report.failures_as_json(pairing.result),
            }
            for pairing in ladder.pairings
        ],
    }


NODES = "nodes a move"
PROVED = "thrown away"
COSTS = ("CPU ms a move", "multiplications", "hours of training")
LESSER = ("score", "games", *reversed(COSTS), NODES, "rank", PROVED)
"""Columns that a narrow terminal leaves out, in this order."""


def report(ladder: Ladder, width: int | None = None) -> str:
    """Format the ladder as a table with explanations, for a terminal of `width` columns; None for any width."""
    standings = ladder.ranked
    text = shown_text if ladder.on_scale else signed_text
    proved = any(each.proved for each in standings)
    columns = {
        "rank": [str(rank) for rank in range(1, len(standings) + 1)],
        "player": [each.name for each in standings],
        "rating": [value_text(each.rating, text) for each in standings],
        "95 % interval": [interval_text(each.rating, text) for each in standings],
        NODES: [effort.text(each.nodes) for each in standings] if any(each.nodes for each in standings) else [],
        **dict(zip(COSTS, zip(*(_costs(each.cost) for each in standings if each.cost), strict=True), strict=False)),
        PROVED: [each.proved.text if each.proved else "" for each in standings] if proved else [],
        "games": [f"{each.games:,}" for each in standings],
        "score": [f"{100 * each.score:.1f} %" if each.games else "" for each in standings],
    }
    widths = {name: max(map(len, (name, *cells))) for name, cells in columns.items() if cells}
    kept = fit_columns({name: size + 2 for name, size in widths.items()}, width, LESSER)
    sides = [("<" if name in ("player", "95 % interval") else ">", widths[name]) for name in kept]
    lines = [
        "  ".join(f"{cell:{side}{size}}" for cell, (side, size) in zip(row, sides, strict=True)).rstrip()
        for row in (kept, *zip(*(columns[name] for name in kept), strict=True))
    ]
    games = sum(pairing.result.games for pairing in ladder.pairings)
    if ladder.limit:
        lines[:0] = [f"With {ladder.limit}, except for anchors and players whose names have a limit", ""]
    if ladder.stopped:
        lines[:0] = [f"Stopped after {count_text(games, 'game')}; the ratings are based on these.", ""]
    lines += [
        "",
        f"{_scale(ladder)}; +100 is an expected score of 64 %.",
        "Intervals are 95 % confidence intervals of the difference from that player; a draw is half a point.",
        *(["Nodes a move: positions visited, averaged over a few games without forced moves."] * (NODES in kept)),
        *match_report.proved_lines("Thrown away: of the results proved by {}.", [] if PROVED in kept else None),
        *(["Multiplications are those of one evaluation."] * (COSTS[1] in kept)),
        f"{count_text(len(ladder.pairings), 'meeting')} of {ladder.games:,} games in pairs with colours swapped, "
        f"{match_report.openings_text(ladder.openings)}: {games:,} games in {ladder.seconds:.1f} s",
        match_report.again(ladder.seed, repeatable=ladder.repeatable),
    ]
    lines += [
        f"{standing.name} looked up positions of up to {standing.tablebase} pieces in tablebases"
        for standing in standings
        if standing.tablebase
    ]
    if ladder.known:
        lines.append("The anchors keep their published ratings, taken as exact; only the other players are rated.")
    lines += [f"{given} is listed as {name}, the same player" for given, name in ladder.renamed]
    lines += _failures(ladder)
    return "\n".join(lines)


def _failures(ladder: Ladder) -> list[str]:
    counts: Counter[tuple[str, FailureKind]] = Counter()
    first: dict[tuple[str, FailureKind], str] = {}
    for pairing in ladder.pairings:
        for failures in pairing.result.failures:
            key = ladder.standings[(pairing.a, pairing.b)[failures.player]].name, failures.kind
            counts[key] += failures.games
            first.setdefault(key, failures.first)
    return [
        f"{name} {match_report.FAILED[kind]} in {count_text(games, 'game')}, which it lost; "
        f"the first time {first[name, kind]}"
        for (name, kind), games in counts.most_common()
    ]


def _scale(ladder: Ladder) -> str:
    zero = ladder.standings[ladder.zero].name
    return f"{zero} has {SHOWN_ZERO}" if ladder.on_scale else f"Elo above {zero}, not on the scale of ratings"


def _costs(cost: Cost) -> tuple[str, str, str]:
    multiplications = "" if cost.multiplications is None else f"{cost.multiplications:,}"
    training = "" if cost.training_seconds is None else f"{cost.training_seconds / 3600:.2f}"
    return f"{cost.milliseconds:.3g}", multiplications, training


def value_text(rating: RatingEstimate, text: Callable[[float], str]) -> str:
    """Format a rating: ``above`` or ``below`` if it is infinite, ``?`` if it is unknown; `text` formats a number."""
    if math.isnan(rating.value):
        return "?"
    if math.isinf(rating.value):
        return "above" if rating.value > 0 else "below"
    return text(rating.value)


def interval_text(rating: RatingEstimate, text: Callable[[float], str]) -> str:
    """Format the interval of a rating; empty for the zero of a ladder."""
    low, high = math.isfinite(rating.low), math.isfinite(rating.high)
    if not low and not high:
        return "no chain of matches to it" if math.isnan(rating.value) else "nothing bounds it"
    if math.isinf(rating.value):
        return text(rating.low if low else rating.high)
    if not low or not high:
        return f"above {text(rating.low)}" if low else f"below {text(rating.high)}"
    return f"{text(rating.low)} to {text(rating.high)}" if rating.low < rating.high else ""
