"""Formatting of finished ladders, as text and as plain values for JSON, and of the tables of an arena.

An arena consists of a ladder for each search limit, and the costs of each player.
"""

from __future__ import annotations

import math
import statistics
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from evolve.config.anchors import SHOWN_ZERO, shown_text
from evolve.run.folder import Run
from evolve.run.log import read_history
from evolve.run.runs import Runs
from evolve.strength import effort, match_report
from evolve.strength.effort import text as nodes_text
from evolve.strength.elo import RatingEstimate
from evolve.strength.ladder import Ladder, Standing, round_robin
from game import match, moves, openings
from game.board import Position
from game.errors import FailureKind, InputError
from game.generator import SplitMix64
from game.networks.spec import Spec
from game.number_text import count_text, finite_or_none, signed_text
from game.players.basic import RandomPlayer
from game.players.names import PlayerName, parse_name
from game.players.player import Player
from game.players.registry import player
from game.rules import WCDF
from game.terminal import fit_columns


def as_json(ladder: Ladder, *, by_rating: bool = True) -> dict[str, Any]:
    """Return the ladder as plain values for JSON; an infinite rating or bound becomes None."""
    order = ladder.ranked
    return {
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
LESSER = ("score", "games", NODES, "rank")
"""Columns that a narrow terminal leaves out, in this order."""


def report(ladder: Ladder, *, by_rating: bool = True, width: int | None = None) -> str:
    """Format the ladder as a table with explanations, for a terminal of `width` columns; None for any width."""
    order = ladder.ranked
    standings = order if by_rating else ladder.standings
    text = rating_format(ladder)
    rows: list[tuple[str, ...]] = [("rank", "player", "rating", "95 % interval", "games", "score")]
    rows += [(str(order.index(standing) + 1), *_cells(standing, text)) for standing in standings]
    if any(standing.nodes for standing in standings):
        nodes_cells = [NODES, *(effort.text(standing.nodes) for standing in standings)]
        rows = [(*row[:4], nodes, *row[4:]) for row, nodes in zip(rows, nodes_cells, strict=True)]
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
    games = sum(pairing.result.games for pairing in ladder.pairings)
    if ladder.stopped:
        lines[:0] = [f"Stopped after {count_text(games, 'game')}; the ratings are based on these.", ""]
    lines += [
        "",
        f"{_scale(ladder)}; +100 is an expected score of 64 %.",
        "Intervals are 95 % confidence intervals of the difference from that player; a draw is half a point.",
        *(["Nodes a move: positions visited, averaged over a few games without forced moves."] * (NODES in kept)),
        f"{_matches(len(ladder.pairings))} of {ladder.games:,} games in pairs with colours swapped, {_from(ladder)}: "
        f"{games:,} games in {ladder.seconds:.1f} s",
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


def _matches(number: int) -> str:
    return "1 match" if number == 1 else f"{number:,} matches"


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


def rating_format(ladder: Ladder) -> Callable[[float], str]:
    """Return the function that formats ratings of a ladder: with a sign if they are not on the scale of ratings."""
    return shown_text if ladder.on_scale else signed_text


def _scale(ladder: Ladder) -> str:
    """Describe the zero of a ladder."""
    zero = ladder.standings[ladder.zero].name
    return f"{zero} has {SHOWN_ZERO}" if ladder.on_scale else f"Elo above {zero}, not on the scale of ratings"


def _cells(standing: Standing, text: Callable[[float], str]) -> tuple[str, str, str, str, str]:
    rating = standing.rating
    return standing.name, value_text(rating, text), interval_text(rating, text), f"{standing.games:,}", _score(standing)


def _score(standing: Standing) -> str:
    return f"{100 * standing.score:.1f} %" if standing.games else ""


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


def _from(ladder: Ladder) -> str:
    return "from the start of the game" if ladder.openings == "start" else f"on random {ladder.openings} openings"


TIMED_GAMES, TIMED_EVERY = 8, 5
"""Number of random games from which the timed positions are taken, and number of plies between positions."""


@dataclass(frozen=True)
class LimitedLadder:
    """A ladder on which all searches have the same limit.

    Attributes:
        limit: the limit as an option of a player, such as ``nodes=1000``.
        ladder: the ladder.
        milliseconds: median processor time of a move, by the player's name on the ladder.
    """

    limit: str
    ladder: Ladder
    milliseconds: dict[str, float]


def limited(name: str, limit: str) -> Player:
    """Return a player with a limit added to the options in its name.

    A player that does not search, or whose name already has a limit, is returned unchanged.

    Raises:
        InputError: there is no such player, or the limit is not valid.
    """
    meant, plain = parse_name(name), player(name)
    if plain.searching is None or has_limit(name):
        return plain.with_name(plain.canonical_name)
    more = parse_name(f"material,{limit}").options
    made = player(PlayerName.of(meant.target, meant.member, {**meant.options, **more}))
    return made.with_name(made.canonical_name)


def has_limit(name: str) -> bool:
    return bool({"depth", "nodes", "time"} & set(parse_name(name).options))


def check_limit(limit: str) -> None:
    """Check a limit of searches.

    Raises:
        InputError: the limit is not a valid option of a player.
    """
    try:
        player(f"material,{limit}")
    except InputError as error:
        raise InputError(f"--limit {limit or repr('')}: {str(error).partition(': ')[2]}") from None


@lru_cache(1)
def _timed_positions() -> tuple[tuple[Position, tuple[Position, ...]], ...]:
    """Return positions of random games where several moves are legal, each with the positions before it."""
    timed: list[tuple[Position, tuple[Position, ...]]] = []
    for seed, ballot in enumerate(openings.openings("three-move")[:TIMED_GAMES]):
        game = match.play(RandomPlayer(), RandomPlayer(), opening=ballot.moves, seed=seed)
        position, history = game.start, tuple[Position, ...]()
        for ply, move in enumerate(game.moves):
            if ply % TIMED_EVERY == TIMED_EVERY - 1 and len(moves.legal_moves(position)) > 1:
                timed.append((position, history))
            position, history = dict(moves.successors(position))[move], (*history, position)
    return tuple(timed)


def milliseconds_a_move(player: Player) -> float:
    """Measure the median processor time of a move in milliseconds, without forced moves."""
    taken = []
    player.begin_game(WCDF, 1)
    for position, history in _timed_positions():
        began = time.thread_time()
        player.choose(position, history, SplitMix64(1))
        taken.append(1000.0 * (time.thread_time() - began))
    return statistics.median(taken)


def multiplications(player: Player) -> int | None:
    """Return the number of multiplications in one evaluation; None without a network."""
    spec: Spec | None = getattr(player, "spec", None)
    return None if spec is None else sum(spec.multiplications())


def training_seconds(runs: Path, name: str) -> float | None:
    """Return the duration of a player's run in seconds, from its log; None without a run."""
    run = Run.find(runs, Runs(runs).split_generation(parse_name(name).target)[0])
    if run is None:
        return None
    history = read_history(run, run.manifest())
    return history.total("seconds") if len(history) else None


def table(names: Sequence[str], columns: Sequence[LimitedLadder], runs: Path) -> str:
    """Format the results as tables in Markdown: costs of all players, then a ladder for each limit."""
    lines = ["| player | multiplications an evaluation | training, hours |", "|---|---:|---:|"]
    for name in names:
        count, seconds = multiplications(player(name)), training_seconds(runs, name)
        hours = "–" if seconds is None else f"{seconds / 3600:.2f}"
        lines.append(f"| `{name}` | {'–' if count is None else f'{count:,}'} | {hours} |")
    for column in columns:
        lines += ["", f"{_heading(names, column)}:", ""]
        zero = column.ladder.standings[column.ladder.zero].name
        rating = "rating" if column.ladder.on_scale else f"Elo above `{zero}`"
        lines += [
            f"| player | {rating} | 95 % | won, drawn, lost | nodes a move | CPU ms a move |",
            "|---|---:|---|---|---:|---:|",
        ]
        for standing in column.ladder.ranked:
            lines.append(_row(standing, column.milliseconds.get(standing.name), rating_format(column.ladder)))
    return "\n".join(lines)


def _heading(names: Sequence[str], column: LimitedLadder) -> str:
    ladder, own = column.ladder, [f"`{name}`" for name in names if has_limit(name)]
    limit = f"With `{column.limit}`" + (f" ({', '.join(own)} as its name says)" if own else "")
    if not ladder.stopped:
        return f"{limit}, {ladder.games:,} games between each two players"
    pairs = len(round_robin(len(ladder.standings)))
    played = sum(pairing.result.games for pairing in ladder.pairings)
    return f"Stopped after {played:,} of {pairs * ladder.games:,} games, so the ratings are not final. {limit}"


def _row(standing: Standing, milliseconds: float | None, text: Callable[[float], str]) -> str:
    rating = standing.rating
    cost = "–" if milliseconds is None else f"{milliseconds:.3g}"
    results = f"{standing.wins:,}, {standing.draws:,}, {standing.losses:,}"
    known = f"{value_text(rating, text)} | {interval_text(rating, text)}"
    return f"| `{standing.name}` | {known} | {results} | {nodes_text(standing.nodes)} | {cost} |"
