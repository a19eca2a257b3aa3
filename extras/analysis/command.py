"""The verb ``analyse``: the moves of a position with their scores; or annotated games."""

from __future__ import annotations

import argparse
import contextlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evolve.commands import options as shared
from evolve.run.runs import CHAMPION_RUN
from game.errors import InputError

if TYPE_CHECKING:
    from game.search.proof import Prover

EXAMPLES = (
    ("crownhead --fen W:W18,24,K10:B12,K22 --depth 8", "the score of each move, and the line expected after it"),
    ("--people --fen W:W18,24,K10:B12,K22", "also how many tournament players make each move"),
    ("--pdn games.pdn --out reviewed.pdn", "mark the mistakes of recorded games, with better moves"),
    ("--proved --pdn games.pdn --out proved.pdn", "mark only moves that threw away a proved result, and count them"),
)


GAMES = "games instead of a position"
"""The heading of the options for games."""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("player", metavar="PLAYER", nargs="?", help=f"as for match (default for games: {CHAMPION_RUN})")
    search = shared.group(parser, "search")
    text = "depth in plies (default: the limits of the player; 12 for games)"
    search.add_argument("--depth", type=int, metavar="N", help=text)
    search.add_argument("--nodes", type=int, metavar="N", help="positions to visit")
    search.add_argument("--time", type=float, metavar="SECONDS", help="time to search")
    shared.add_position(parser)
    text = f"also show how often tournament players make each move or err, by the run people (PLAYER: {CHAMPION_RUN})"
    parser.add_argument("--people", action="store_true", help=text)
    parser.add_argument(
        "--proved",
        action="store_true",
        help="prove results by tablebases and by searches that reach them (--nodes for each position, default "
        "100,000), without PLAYER; of games, mark and count the moves that threw a proved result away",
    )
    text = "as --proved, but begin with what earlier calls with --resume settled, and keep what this one settles"
    parser.add_argument("--resume", action="store_true", help=text)
    review = shared.group(parser, GAMES)
    review.add_argument(
        "--pdn",
        metavar="FILE",
        help="review the games of this file, or of standard input (-): mark each move that changed the chances, with a "
        "better move, and print the annotated games; also report games lost gradually without a single mistake",
    )
    text = "write the annotated games to this file instead of printing them"
    review.add_argument("--out", type=Path, metavar="FILE", help=text)
    text = "with --pdn: only these games, such as 7, 1-5 or 1-900/3 (every third)"
    review.add_argument("--games", metavar="NUMBERS", help=text)
    shared.add_network(parser)
    shared.add_runs(parser)
    shared.add_json(parser)


def run(options: argparse.Namespace) -> int:
    options.proved |= options.resume
    if options.pdn is not None:
        return _review(options)
    for option in ("out", "games"):
        if getattr(options, option):
            raise InputError(for_games(option))
    if options.player is None and not options.people and not options.proved:
        raise InputError("expected PLAYER, as in analyse crownhead, or games, as in analyse --pdn FILE")
    from extras.analysis import position as reports
    from game import analysis
    from game.search.interface import Limits

    if options.proved:
        with contextlib.closing(_prover(options)) as prover:
            proved = reports.what_is_proved(prover, shared.position(options.fen))
            shared.print_result(options, lambda: proved, lambda: reports.proved_report(proved))
        return 0
    given = (options.depth, options.nodes, options.time)
    limits = None if given == (None, None, None) else Limits(*given)
    (player,) = shared.players(options, options.player or CHAMPION_RUN)
    position = shared.position(options.fen)
    likely = reports.shares_of_people(position) if options.people else reports.likelihoods(player, position)
    if player.searching is None and likely:
        if options.people:
            raise InputError(f"{player.name}: --people: it {player.describe()} and does not score moves")
        if limits is not None:
            raise InputError(f"{player.name}: --depth, --nodes, --time: it {player.describe()} and does not search")
        shared.print_result(
            options,
            lambda: reports.likelihoods_as_json(position, likely),
            lambda: reports.likelihoods_report(player, position, likely),
        )
        return 0
    analysed = analysis.analyse(player, position, limits)
    results = reports.result_chances(player, position, analysed.pv)
    errors = reports.error_chances(player, position, analysed, likely or ()) if options.people else None
    shared.print_result(
        options,
        lambda: (
            reports.as_json(position, analysed, likely, results)
            | {"tablebase": player.tablebase}
            | ({} if errors is None else {"errors": errors})
        ),
        lambda: reports.report(player, position, analysed, likely, results, errors=errors),
    )
    return 0


def for_games(option: str) -> str:
    """Return an error message about an option that is only for games."""
    return f"--{option} is for games: expected their file, as --pdn FILE"


def source_of(options: argparse.Namespace) -> Any:
    if options.pdn != "-":
        return options.pdn
    if sys.stdin is None:
        raise InputError("--pdn: - is standard input, which is closed")
    return sys.stdin.buffer


def _review(options: argparse.Namespace) -> int:
    from extras.analysis.games import ALL, GameReviewer, numbers_of
    from extras.recorded.analyst import open_analyst, review_depth
    from game.review.proved import ProvedReviews

    alone = {"--fen": options.fen, "--nodes": options.nodes, "--time": options.time, "--people": options.people or None}
    if options.proved:
        del alone["--nodes"]
    for option, given in alone.items():
        if given is not None:
            raise InputError(f"{option} is for one position; the games of --pdn are reviewed with PLAYER and --depth")
    numbers = ALL if options.games is None else numbers_of(options.games)
    source = source_of(options)
    if options.proved:
        with contextlib.closing(_prover(options)) as prover:
            reviewer = GameReviewer(ProvedReviews(prover), 0, source, as_json=options.json, numbers=numbers)
            return reviewer.review(options.out)
    depth, analyst = review_depth(options.depth), open_analyst(options.player, options.runs, options.network)
    return GameReviewer(analyst, depth, source, as_json=options.json, numbers=numbers).review(options.out)


def _prover(options: argparse.Namespace) -> Prover:
    from game.endgame.table_file import tablebase_folder
    from game.search.proof import NODES, Prover

    alone = {"PLAYER": options.player, "--depth": options.depth, "--time": options.time, "--people": options.people}
    for option, given in alone.items():
        if given:
            raise InputError(f"{option}: not with --proved, which has tablebases and --nodes alone")
    folder = tablebase_folder() if options.resume else None
    return Prover(nodes=NODES if options.nodes is None else options.nodes, file=folder and folder.with_name("proofs"))
