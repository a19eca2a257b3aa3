"""The verb ``ladder``: ratings from a round robin."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import TYPE_CHECKING

from evolve.commands import options as shared
from game.errors import InputError
from game.terminal import output_width

if TYPE_CHECKING:
    from evolve.workers.pool import Interruption
    from extras.ladder.ladder import Ladder

EXAMPLES = (
    ("mine crownhead --games 200", "ratings from `random` to a piece count that searches eight plies"),
    ("crownhead cowan-deep blondie24-840 --limit nodes=1000", "under one limit, with the cost of each player"),
)


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("players", metavar="PLAYER", nargs="+", help="as for match")
    games = shared.group(parser, shared.GAMES)
    text = "games between each two players (default: 200)"
    games.add_argument("--games", type=int, default=200, metavar="N", help=text)
    text = (
        "fixed opponents: chain (six), strong (four), built-in (eleven), all (thirteen), none, or names separated "
        "by semicolons (default: chain)"
    )
    games.add_argument("--anchors", default="chain", metavar="LIST", help=text)
    games.add_argument(
        "--limit",
        metavar="OPTIONS",
        help="limit of the searches of players whose names have none, such as depth=1, nodes=1000 or time=0.05; also "
        "report the cost of each player",
    )
    text = "keep the published ratings of the anchors, which then do not play each other; rate the other players"
    games.add_argument("--fixed", action="store_true", help=text)
    games.add_argument("--openings", default="three-move", metavar="KIND", help="as for match (default: three-move)")
    text = "the same seed gives the same games (default: 1)"
    games.add_argument("--seed", type=int, default=1, metavar="N", help=text)
    shared.add_proved(parser)
    shared.add_workers(parser)
    shared.add_machines(parser)
    shared.add_network(parser)
    shared.add_runs(parser)
    shared.add_json(parser)


def run(options: argparse.Namespace) -> int:
    from evolve.workers.pool import Interruption
    from extras.ladder import report
    from extras.ladder.ladder import check_limit, limited

    shared.players(options)  # from here on, names are looked up in the given runs
    if options.limit is not None:  # before the first game, and also if no player takes a limit
        check_limit(options.limit)
        for name in options.players:
            limited(name, options.limit)
    with Interruption() as wish:
        result = _ladder(options, wish)
    shared.print_result(options, lambda: report.as_json(result), lambda: report.report(result, width=output_width()))
    return wish.exit_code if result.stopped else 0


def _ladder(options: argparse.Namespace, wish: Interruption) -> Ladder:
    from evolve.config import anchors
    from evolve.session.reporters import CountingLine
    from evolve.strength.match_games import loader_for
    from evolve.workers.pool import Pool, worker_count
    from extras.ladder.costs import Cost
    from extras.ladder.ladder import anchor_players, limited, play, round_robin, unique_entrants

    seed, workers, limit = shared.seed(options.seed), worker_count(options.workers), options.limit or ""
    cluster = shared.machines(options)
    own = anchors.parse_anchors(options.anchors)
    given = shared.players(options, *options.players)
    if limit:
        given = [limited(name, limit) for name in options.players]
    players, renamed = unique_entrants(given, anchor_players(own))
    entrants = [player.name for player in players]
    if options.fixed and anchors.ZERO not in own:
        raise InputError(f"--fixed: expected {anchors.ZERO} among the anchors")
    known = {entrants.index(name): anchors.RATINGS[name] for name in own} if options.fixed else {}
    if known and len(known) == len(players):
        raise InputError("--fixed: expected a player that is not an anchor")
    zero = entrants.index(anchors.ZERO) if anchors.ZERO in entrants else 0
    # A match between two players with known ratings would change no rating.
    meetings = [pair for pair in round_robin(len(players)) if not known.keys() >= set(pair)]
    line = CountingLine(quiet=options.json)

    def show(meeting: int, done: int, total: int) -> None:
        one, other = (entrants[index] for index in meetings[meeting])
        all_games = len(meetings) * options.games
        parts = (f"{total:,} of {all_games:,} games", f"{one} and {other}") if total < all_games else ("",)
        line.count(*parts)
        if done == options.games:
            line.step(f"{meeting + 1} of {len(meetings)}: {one} and {other}")

    try:
        with Pool(workers, interruption=wish, machines=cluster, load=loader_for(players)) as pool:
            result = play(
                players, meetings, options.games, zero=zero, known=known, kind=options.openings, seed=seed, pool=pool,
                progress=show, proved=options.proved,
            )  # fmt: skip
    finally:
        line.count("")
    standings = result.standings
    if limit:
        costs = [Cost.of(player, options.runs) for player in players]
        standings = tuple(replace(each, cost=cost) for each, cost in zip(standings, costs, strict=True))
    return replace(result, renamed=renamed, limit=limit, standings=standings)
