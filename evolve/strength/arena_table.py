"""Players of any kind side by side: a ladder for each limit of their searches, and what each of them costs."""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from evolve.run.folder import Run
from evolve.run.log import read_history
from evolve.run.runs import Runs
from evolve.strength.effort import text as nodes_text
from evolve.strength.ladder import Ladder, Standing, round_robin
from evolve.strength.ladder_report import interval_text, value_text
from game import match, moves, openings
from game.board import Position
from game.errors import InputError
from game.generator import SplitMix64
from game.networks.spec import Spec
from game.players.names import PlayerName, parse_name
from game.players.protocol import Player
from game.players.random import RandomPlayer
from game.players.registry import player
from game.rules import WCDF

TIMED_GAMES, TIMED_EVERY = 8, 5
"""Random games in which players are timed, in every so manieth position."""


@dataclass(frozen=True)
class Column:
    """A ladder under one limit.

    Attributes:
        limit: as it is written behind names, such as ``nodes=1000``.
        ladder: who stands where.
        milliseconds: of processor time a move, the median, by name on the ladder.
    """

    limit: str
    ladder: Ladder
    milliseconds: dict[str, float]


def limited(name: str, limit: str) -> Player:
    """A player under a limit, with all other options of its name.

    One whose name says how far it looks, or that cannot search, stays as it is.

    Raises:
        InputError: nobody has this name, or the limit is none.
    """
    meant, plain = parse_name(name), player(name)
    if plain.searching is None or has_limit(name):
        return plain.with_name(plain.canonical_name)
    more = parse_name(f"material,{limit}").options
    found = player(PlayerName.of(meant.target, meant.member, {**meant.options, **more}))
    return found.with_name(found.canonical_name)


def has_limit(name: str) -> bool:
    """Return whether a name has limits of search of its own."""
    return bool({"depth", "nodes", "time"} & set(parse_name(name).options))


def check_limit(limit: str) -> None:
    """Refuse what limits no search.

    Raises:
        InputError: it is no list of options, or not of their values.
    """
    try:
        player(f"material,{limit}")
    except InputError as error:
        raise InputError(f"--limit {limit or repr('')}: {str(error).partition(': ')[2]}") from None


@lru_cache(1)
def _timed_positions() -> tuple[tuple[Position, tuple[Position, ...]], ...]:
    """Positions with a choice from random games, and those before them."""
    found: list[tuple[Position, tuple[Position, ...]]] = []
    for seed, ballot in enumerate(openings.openings("three-move")[:TIMED_GAMES]):
        game = match.play(RandomPlayer(), RandomPlayer(), opening=ballot.moves, seed=seed)
        position, history = game.start, tuple[Position, ...]()
        for ply, move in enumerate(game.moves):
            if ply % TIMED_EVERY == TIMED_EVERY - 1 and len(moves.legal_moves(position)) > 1:
                found.append((position, history))
            position, history = dict(moves.successors(position))[move], (*history, position)
    return tuple(found)


def milliseconds_a_move(who: Player) -> float:
    """Median processor time of a move, forced moves left out."""
    taken = []
    who.begin_game(WCDF, 1)
    for position, history in _timed_positions():
        began = time.thread_time()
        who.choose(position, history, SplitMix64(1))
        taken.append(1000.0 * (time.thread_time() - began))
    return statistics.median(taken)


def multiplications(who: Player) -> int | None:
    """Of one evaluation; None where no network judges."""
    spec: Spec | None = getattr(who, "spec", None)
    return None if spec is None else sum(spec.multiplications())


def training_seconds(runs: Path, name: str) -> float | None:
    """Seconds that the run of a player took, by its log; None where there is no run."""
    run = Run.find(runs, Runs(runs).split_generation(parse_name(name).target)[0])
    if run is None:
        return None
    history = read_history(run, run.manifest())
    return history.total("seconds") if len(history) else None


def table(names: Sequence[str], columns: Sequence[Column], runs: Path) -> str:
    """What was found, as tables in Markdown: costs of all players, then a ladder for each limit."""
    lines = ["| player | multiplications an evaluation | training, hours |", "|---|---:|---:|"]
    for name in names:
        count, seconds = multiplications(player(name)), training_seconds(runs, name)
        hours = "–" if seconds is None else f"{seconds / 3600:.2f}"
        lines.append(f"| `{name}` | {'–' if count is None else f'{count:,}'} | {hours} |")
    for column in columns:
        lines += ["", f"{_heading(names, column)}:", ""]
        lines += [
            "| player | rating | 95 % | won, drawn, lost | nodes a move | CPU ms a move |",
            "|---|---:|---|---|---:|---:|",
        ]
        for standing in column.ladder.ranked:
            lines.append(_row(standing, column.milliseconds.get(standing.name)))
    return "\n".join(lines)


def _heading(names: Sequence[str], column: Column) -> str:
    """The conditions of a table, and whether it is complete."""
    ladder, own = column.ladder, [f"`{name}`" for name in names if has_limit(name)]
    limit = f"With `{column.limit}`" + (f" ({', '.join(own)} as its name says)" if own else "")
    if not ladder.stopped:
        return f"{limit}, {ladder.games:,} games of each two players"
    pairs = len(round_robin(len(ladder.standings)))
    played = sum(each.result.games for each in ladder.pairings)
    return f"Stopped after {played:,} of {pairs * ladder.games:,} games, these are not final. {limit}"


def _row(standing: Standing, milliseconds: float | None) -> str:
    rating = standing.rating
    cost = "–" if milliseconds is None else f"{milliseconds:.3g}"
    results = f"{standing.wins:,}, {standing.draws:,}, {standing.losses:,}"
    known = f"{value_text(rating)} | {interval_text(rating)}"
    return f"| `{standing.name}` | {known} | {results} | {nodes_text(standing.nodes)} | {cost} |"
