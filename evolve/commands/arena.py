"""The verb ``arena``: a ladder of players for each limit of their searches, printed as one table in Markdown."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from evolve.commands import options as shared

if TYPE_CHECKING:
    from evolve.strength.ladder_report import LimitedLadder
    from evolve.workers.pool import Interruption

LIMITS = ("depth=1", "nodes=1000", "time=0.05")

EXAMPLES = (
    ("crownhead cowan-deep blondie24-840", "players of any kind under three limits, with the cost of each"),
    ("crownhead cowan-deep --limit nodes=5000 --games 400", "under one limit, with narrower intervals"),
)


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("players", metavar="PLAYER", nargs="+", help="as for match")
    games = shared.group(parser, shared.GAMES)
    games.add_argument(
        "--games", type=int, default=200, metavar="N", help="games between each two players (default: 200)"
    )
    games.add_argument(
        "--limit",
        action="append",
        dest="limits",
        metavar="OPTIONS",
        help=f"limit of their searches, may be repeated (default: {', then '.join(LIMITS)})",
    )
    games.add_argument(
        "--anchors",
        default="chain",
        metavar="LIST",
        help="fixed opponents in each ladder, as for ladder (default: chain)",
    )
    shared.add_openings(parser)
    shared.add_games_seed(parser)
    shared.add_workers(parser)
    shared.add_cluster(parser)
    shared.add_network(parser)
    shared.add_runs(parser)


def run(options: argparse.Namespace) -> int:
    from evolve.strength.ladder_report import table
    from evolve.workers.pool import Interruption

    with Interruption() as wish:
        columns = _columns(options, wish)
    shared.print_text(table(options.players, columns, options.runs))
    return wish.exit_code if columns[-1].ladder.stopped else 0


def _columns(options: argparse.Namespace, wish: Interruption) -> list[LimitedLadder]:
    from evolve.config import anchors
    from evolve.names.players import anchor_players
    from evolve.session.reporters import CountingLine
    from evolve.strength.ladder import play, round_robin, unique_entrants
    from evolve.strength.ladder_report import LimitedLadder, check_limit, limited, milliseconds_a_move
    from evolve.strength.match_games import loader_for
    from evolve.workers.pool import Pool, worker_count

    seed, workers = shared.seed(options.seed), worker_count(options.workers)
    cluster = shared.cluster(options)
    shared.players(options)  # from here on, names are looked up in the given runs
    fixed = anchor_players(anchors.parse_anchors(options.anchors))
    limits = options.limits or LIMITS
    for limit in limits:  # checked even if no player takes a limit
        check_limit(limit)
    entered = [[limited(name, limit) for name in options.players] for limit in limits]
    line, columns = CountingLine(), []
    for limit, asked in zip(limits, entered, strict=True):
        players = unique_entrants(asked, fixed).players
        meetings = round_robin(len(players))
        names = [player.name for player in players]

        def show(meeting: int, done: int, total: int, limit: str = limit, games: int = len(meetings)) -> None:
            line.count(f"{limit}: {total:,} of {games * options.games:,} games")
            if done == options.games:
                line.step(f"{limit}: {meeting + 1} of {games} matches")

        zero = names.index(anchors.ZERO) if anchors.ZERO in names else 0
        try:
            with Pool(workers, interruption=wish, cluster=cluster, load=loader_for(players)) as pool:
                ladder = play(
                    players,
                    meetings,
                    options.games,
                    zero=zero,
                    kind=options.openings,
                    seed=seed,
                    pool=pool,
                    progress=show,
                )
        finally:
            line.count("")
        milliseconds = {player.name: milliseconds_a_move(player) for player in players}
        columns.append(LimitedLadder(limit, ladder, milliseconds))
        if ladder.stopped:
            break
    return columns
