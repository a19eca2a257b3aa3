"""A finished match in words and as plain values."""

from __future__ import annotations

import math
from typing import Any

from evolve.contest import Contest
from evolve.ratings import Estimate
from game.match import REASON_TEXT, Reason
from game.players import MaterialPlayer, NetworkPlayer, Player, RandomPlayer


def as_json(result: Contest) -> dict[str, Any]:
    """The result as plain values for JSON; None where an Elo difference is not bounded."""
    estimate = result.estimate
    return {
        "games": result.games,
        "distinct_games": result.distinct_games,
        "wins": result.wins,
        "draws": result.draws,
        "losses": result.losses,
        "score": estimate.score,
        "elo": _bounded(estimate.elo),
        "elo_low": _bounded(estimate.elo_low),
        "elo_high": _bounded(estimate.elo_high),
        "seconds": result.seconds,
        "openings": result.openings,
        "seed": result.seed,
        "pentanomial": list(result.pentanomial),
        "reasons": {reason.name.lower(): result.reasons[reason] for reason in Reason},
    }


def _bounded(number: float) -> float | None:
    return number if math.isfinite(number) else None


def report(result: Contest, a: Player, b: Player) -> str:
    """The result for somebody who sees one for the first time: a few lines of plain text."""
    width = max(len(a.name), len(b.name))
    estimate = result.estimate
    low, high = 100 * estimate.low, 100 * estimate.high
    lines = [
        f"A  {a.name:{width}}  {_described(a)}",
        f"B  {b.name:{width}}  {_described(b)}",
        "",
        f"{result.games:,} games in pairs with colours swapped, {_openings_text(result)}",
        f"{_different_text(result)}",
        "",
        "               won    drawn     lost   A's score",
        _row("A as Black", *result.black),
        _row("A as White", *result.white),
        _row("together", result.wins, result.draws, result.losses),
        "",
        f"Score  {100 * estimate.score:.1f} %, with 95 % confidence between {low:.1f} % and {high:.1f} %",
        f"Elo    {_elo_text(estimate)}",
        f"       {_verdict(estimate)}",
        "",
        f"Ends   {', '.join(_ends(result))}",
        f"Time   {_time_text(result)}",
        f"Seed   {result.seed} (--seed {result.seed} plays the same games again)",
    ]
    return "\n".join(lines)


def _described(player: Player) -> str:
    if isinstance(player, RandomPlayer):
        return "plays any legal move"
    if isinstance(player, MaterialPlayer):
        ties = "draws lots among equal moves" if player.draws_ties else "takes the first of equal moves"
        return f"counts pieces after its own move, {ties}"
    if isinstance(player, NetworkPlayer):
        return f"a network of {len(player.weights)} weights judges the board after its own move"
    return "deterministic" if player.deterministic else "draws lots"


def _openings_text(result: Contest) -> str:
    return "from the start of the game" if result.openings == "start" else f"from {result.openings} ballots"


def _different_text(result: Contest) -> str:
    text = f"{result.distinct_games:,} different game{'s' if result.distinct_games != 1 else ''}"
    if result.lengthened:
        text += f"; {result.lengthened:,} pairs start with more random moves, so that no opening is played twice"
    return text


def _row(name: str, won: int, drawn: int, lost: int) -> str:
    percent = 100 * (won + drawn / 2) / (won + drawn + lost)
    return f"{name:10} {won:7,}  {drawn:7,}  {lost:7,} {percent:9.1f} %"


def _elo_text(estimate: Estimate) -> str:
    low, high = _signed(estimate.elo_low), _signed(estimate.elo_high)
    if estimate.score == 1.0:
        return f"above {low}, with 95 % confidence (A won every game, so nothing bounds it from above)"
    if estimate.score == 0.0:
        return f"below {high}, with 95 % confidence (A lost every game, so nothing bounds it from below)"
    return f"{_signed(estimate.elo)}, with 95 % confidence between {low} and {high} (+100 is a score of 64 %)"


def _signed(elo: float) -> str:
    return f"{elo:+.0f}" if abs(elo) >= 0.5 else "0"


def _verdict(estimate: Estimate) -> str:
    if estimate.low > 0.5:
        return "A is the stronger player: the whole interval lies above 0."
    if estimate.high < 0.5:
        return "B is the stronger player: the whole interval lies below 0."
    return "Not decided: 0 lies within the interval; more games make it narrower."


def _ends(result: Contest) -> list[str]:
    """Why the games ended, the most frequent first."""
    order = sorted(Reason, key=lambda reason: -result.reasons[reason])
    return [f"{result.reasons[reason]:,} {REASON_TEXT[reason]}" for reason in order if result.reasons[reason]]


def _time_text(result: Contest) -> str:
    text = f"{result.seconds:.2f} s, {result.games / max(result.seconds, 1e-9):,.0f} games a second"
    return text + (f", {result.evaluations:,} boards judged by networks" if result.evaluations else "")
