"""A finished ladder in words and as plain values."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

from evolve.strength import effort, match_report
from evolve.strength.elo import RatingEstimate
from evolve.strength.ladder import Ladder, Standing
from game.errors import FailureKind
from game.number_text import count_text, finite_or_none, signed_text
from game.terminal import fit_columns


def as_json(ladder: Ladder, *, by_rating: bool = True) -> dict[str, Any]:
    """The ladder as plain values for JSON; None where a rating or an end of an interval is not bounded."""
    order = ladder.ranked
    return {
        "zero": ladder.standings[ladder.zero].name,
        "known": list(ladder.known),
        "games": ladder.games,
        "openings": ladder.openings,
        "seed": ladder.seed,
        "seconds": ladder.seconds,
        "renamed": dict(ladder.renamed),
        "stopped": ladder.stopped,
        "players": [
            {
                "rank": order.index(standing) + 1,
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
            }
            for standing in (order if by_rating else ladder.standings)
        ],
        "pairings": [
            {
                "a": ladder.standings[each.a].name,
                "b": ladder.standings[each.b].name,
                "wins": each.result.wins,
                "draws": each.result.draws,
                "losses": each.result.losses,
                "pentanomial": list(each.result.pentanomial),
                "distinct_games": each.result.distinct_games,
                "failures": match_report.failures_as_json(each.result),
            }
            for each in ladder.pairings
        ],
    }


NODES = "nodes a move"
LESSER = ("score", "games", NODES, "rank")
"""What a narrow terminal has no room for, the first of them first."""


def report(ladder: Ladder, *, by_rating: bool = True, width: int | None = None) -> str:
    """The ladder for people: a table, on a terminal of `width` columns without what does not fit, and what it means."""
    order = ladder.ranked
    shown = order if by_rating else ladder.standings
    rows: list[tuple[str, ...]] = [("rank", "player", "rating", "95 % interval", "games", "score")]
    rows += [(str(order.index(standing) + 1), *_cells(standing)) for standing in shown]
    if any(standing.nodes for standing in shown):
        told = [NODES, *(effort.text(standing.nodes) for standing in shown)]
        rows = [(*row[:4], nodes, *row[4:]) for row, nodes in zip(rows, told, strict=True)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    kept = fit_columns({name: size + 2 for name, size in zip(rows[0], widths, strict=True)}, width, LESSER)
    left = ("player", "95 % interval")
    lines = [
        "  ".join(
            cell.ljust(size) if name in left else cell.rjust(size)
            for name, cell, size in zip(rows[0], row, widths, strict=True)
            if name in kept
        ).rstrip()
        for row in rows
    ]
    zero = ladder.standings[ladder.zero].name
    games = sum(each.result.games for each in ladder.pairings)
    if ladder.stopped:
        lines[:0] = [f"Stopped after {count_text(games, 'game')}; these are the ratings that they show.", ""]
    lines += [
        "",
        f"Elo above {zero}; +100 is an expected score of 64 %.",
        "The intervals are those of the difference to that player, with 95 % confidence; a draw is half a point.",
        *(
            ["Nodes a move are positions that a player looked at, in a few games; forced moves do not count."]
            * (NODES in kept)
        ),
        f"{_matches(len(ladder.pairings))} of {ladder.games:,} games in pairs with colours swapped, {_from(ladder)}: "
        f"{games:,} games in {ladder.seconds:.1f} s",
        match_report.again(ladder.seed, repeatable=ladder.repeatable),
    ]
    lines += [
        f"{each.name} looked up positions of up to {each.tablebase} pieces in tablebases"
        for each in shown
        if each.tablebase
    ]
    if ladder.known:
        lines.append("The anchors keep their published ratings, taken as exact; only the other players are rated.")
    lines += [f"{given} is listed as {name}, the same player" for given, name in ladder.renamed]
    lines += _failures(ladder)
    return "\n".join(lines)


def _matches(number: int) -> str:
    return "1 match" if number == 1 else f"{number:,} matches"


def _failures(ladder: Ladder) -> list[str]:
    """Players that lost games by failures, with the kind of failure, the most frequent first."""
    counts: Counter[tuple[str, FailureKind]] = Counter()
    first: dict[tuple[str, FailureKind], str] = {}
    for each in ladder.pairings:
        for failures in each.result.failures:
            who = ladder.standings[(each.a, each.b)[failures.player]].name, failures.kind
            counts[who] += failures.games
            first.setdefault(who, failures.first)
    return [
        f"{name} {match_report.FAILED[kind]} in {match_report.games_text(games)}, which it lost; "
        f"the first time {first[name, kind]}"
        for (name, kind), games in counts.most_common()
    ]


def _cells(standing: Standing) -> tuple[str, str, str, str, str]:
    rating = standing.rating
    return standing.name, value_text(rating), interval_text(rating), f"{standing.games:,}", _score(standing)


def _score(standing: Standing) -> str:
    return f"{100 * standing.score:.1f} %" if standing.games else ""


def value_text(rating: RatingEstimate) -> str:
    """A rating, or the side on which nothing bounds it."""
    if math.isnan(rating.value):
        return "?"
    if math.isinf(rating.value):
        return "above" if rating.value > 0 else "below"
    return signed_text(rating.value)


def interval_text(rating: RatingEstimate) -> str:
    """The interval of a rating; nothing for the zero of a ladder."""
    low, high = math.isfinite(rating.low), math.isfinite(rating.high)
    if not low and not high:
        return "met nobody who leads to 0" if math.isnan(rating.value) else "nothing bounds it"
    if math.isinf(rating.value):
        return signed_text(rating.low if low else rating.high)
    if not low or not high:
        return f"above {signed_text(rating.low)}" if low else f"below {signed_text(rating.high)}"
    return f"{signed_text(rating.low)} to {signed_text(rating.high)}" if rating.low < rating.high else ""


def _from(ladder: Ladder) -> str:
    return "from the start of the game" if ladder.openings == "start" else f"on random {ladder.openings} openings"
