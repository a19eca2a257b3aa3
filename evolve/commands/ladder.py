"""The verb ``ladder``: a round robin, or a run's champions against anchors, and the ratings that fit."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from evolve.commands import options as shared
from game.errors import InputError
from game.terminal import output_width

if TYPE_CHECKING:
    from evolve.strength.ladder import Ladder
    from evolve.workers.interruption import Interruption
    from game.players.player import Player


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("players", metavar="PLAYER", nargs="+", help="as for match; with --every one run")
    parser.add_argument("--games", type=int, default=200, metavar="N", help="of each two players (default: 200)")
    parser.add_argument("--every", type=int, metavar="N", help="the champion of every N-th generation of a run")
    parser.add_argument(
        "--anchors",
        default="chain",
        metavar="LIST",
        help="fixed opponents that play along: chain (six of them), strong (four), built-in (eleven), all "
        "(thirteen), none, or names with semicolons between them (default: chain)",
    )
    parser.add_argument(
        "--fixed", action="store_true", help="anchors keep their published ratings, and only the others are rated"
    )
    parser.add_argument(
        "--zero",
        metavar="PLAYER",
        help="whose rating is 0 (default: material,depth=8,quiescence=yes, or without it the first player)",
    )
    shared.add_openings(parser)
    shared.add_games_seed(parser)
    shared.add_workers(parser)
    shared.add_cluster(parser)
    shared.add_network(parser)
    shared.add_runs(parser)
    shared.add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Play the ladder and print its ratings."""
    from evolve.strength import ladder_report
    from evolve.workers.interruption import Interruption

    with Interruption() as wish:
        result, ranked = _ladder(options, wish), options.every is None
    shared.print_result(
        options,
        lambda: ladder_report.as_json(result, by_rating=ranked),
        lambda: ladder_report.report(result, by_rating=ranked, width=output_width()),
    )
    return wish.exit_code if result.stopped else 0


def _ladder(options: argparse.Namespace, wish: Interruption) -> Ladder:
    """Play the ladder that the options describe.

    Raises:
        Interrupted: somebody ended it before one pair was whole.
        InputError: they cannot be used.
    """
    from evolve.config import anchors
    from evolve.names.players import anchor_players
    from evolve.session.reporters import CountingLine
    from evolve.strength.ladder import champions, over_generations, play, round_robin, unique_entrants
    from evolve.strength.match_games import loader_for
    from evolve.workers.pool import Pool, worker_count

    seed, workers = shared.seed(options.seed), worker_count(options.workers)
    cluster = shared.cluster(options)
    names = list[str](options.players)
    if options.every is not None:
        if len(names) != 1:
            raise InputError(f"--every: expected one run, got {len(names)} players")
        names = champions(options.runs, names[0], options.every)
    own = anchors.parse_anchors(options.anchors)
    given, fixed = shared.players(options, *names), anchor_players(own)
    found, renamed = (*given, *fixed), tuple[tuple[str, str], ...]()
    whole = options.every is None
    if whole:
        entry = unique_entrants(given, fixed)
        found, renamed = entry.players, entry.renamed
    everybody = [player.name for player in found]
    if options.fixed and (anchors.ZERO not in own or options.zero is not None):
        raise InputError(f"--fixed: expected {anchors.ZERO} among the anchors, and no --zero")
    known = {everybody.index(name): anchors.RATINGS[name] for name in own} if options.fixed else {}
    if known and len(known) == len(found):
        raise InputError("--fixed: expected a player that is no anchor")
    zero = _zero(options, found)
    meetings = round_robin(len(found)) if whole else over_generations(len(names), len(own))
    line = CountingLine(quiet=options.json)

    def show(meeting: int, done: int, total: int) -> None:
        one, other = (everybody[index] for index in meetings[meeting])
        all_games = len(meetings) * options.games
        parts = (f"{total:,} of {all_games:,} games", f"{one} and {other}") if total < all_games else ("",)
        line.count(*parts)
        if done == options.games:
            line.step(f"{meeting + 1} of {len(meetings)}: {one} and {other}")

    try:
        with Pool(workers, interruption=wish, cluster=cluster, load=loader_for(found)) as pool:
            result = play(
                found,
                meetings,
                options.games,
                zero=zero,
                known=known,
                kind=options.openings,
                seed=seed,
                pool=pool,
                progress=show,
                fitting=lambda: line.count("fitting ratings"),
            )
    finally:
        line.count("")
    return replace(result, renamed=renamed)


def _zero(options: argparse.Namespace, found: Sequence[Player]) -> int:
    """Whose rating is to be 0: its index.

    Raises:
        InputError: nobody of this name plays.
    """
    from evolve.config import anchors

    everybody = [player.name for player in found]
    if options.zero is None:
        return everybody.index(anchors.ZERO) if anchors.ZERO in everybody else 0
    if options.zero in everybody:
        return everybody.index(options.zero)
    known = [player.identity for player in found]
    with contextlib.suppress(InputError):
        (meant,) = shared.players(options, options.zero)
        if meant.identity in known:
            return known.index(meant.identity)
    raise InputError(f"--zero: expected one of those who play ({'; '.join(everybody)}), got {options.zero!r}")
