"""The verb ``analyse``: the moves of a position with their scores; annotated games; or the gauge of evaluations."""

from __future__ import annotations

import argparse
import functools
import sys
from pathlib import Path
from typing import Any

from evolve.commands import options as shared
from evolve.run.runs import CHAMPION_RUN
from game.errors import InputError
from game.review.chances import GameKind

EXAMPLES = (
    ("crownhead --fen W:W18,24,K10:B12,K22 --depth 8", "the score of each move, and the line expected after it"),
    ("--pdn games.pdn --out reviewed.pdn", "mark the mistakes of recorded games, with better moves"),
    ("--pdn games.pdn --traits", "the styles of the players of a file"),
    ("--gauge crownhead mine", "compare the scores of players with those of a long search"),
)


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("player", metavar="PLAYER", nargs="?", help=f"as for match (default for games: {CHAMPION_RUN})")
    search = shared.group(parser, "search")
    search.add_argument(
        "--depth", type=int, metavar="N", help="depth in plies (default: the limits of the player; 12 for games)"
    )
    search.add_argument("--nodes", type=int, metavar="N", help="positions to visit")
    search.add_argument("--time", type=float, metavar="SECONDS", help="time to search")
    shared.add_position(parser)
    review = shared.group(parser, "games instead of a position")
    review.add_argument(
        "--pdn",
        metavar="FILE",
        help="review the games of this file, or of standard input (-): mark each move that changed the chances, with a "
        "better move, and print the annotated games; also report games lost gradually without a single mistake",
    )
    review.add_argument(
        "--out", type=Path, metavar="FILE", help="write the annotated games to this file instead of printing them"
    )
    review.add_argument(
        "--calibrate",
        action="store_true",
        help="with --pdn: fit the curve from scores to chances to half of the games, and test it on the other half",
    )
    review.add_argument(
        "--traits",
        action="store_true",
        help="with --pdn: instead of a review, report the traits of each player of the file (docs/cast.md)",
    )
    review.add_argument(
        "--map", metavar="TRAITS", help="with --traits: the cell of each player in a map, as for inspect"
    )
    review.add_argument(
        "--games", metavar="NUMBERS", help="with --pdn: only these games, such as 7, 1-5 or 1-900/3 (every third)"
    )
    review.add_argument(
        "--curve",
        choices=[games.value for games in GameKind],
        help="with --pdn: use the chances in games between players of this kind (default: programs if both players are "
        "programs)",
    )
    parser.add_argument(
        "--gauge",
        metavar="PLAYER",
        nargs="+",
        help="report how well the scores of these players agree with those of a search of a million nodes, on 2,000 "
        "positions (docs/ratings.md); --depth is their depth (default: 1); --pdn adds a position of each game of a "
        "file",
    )
    shared.add_network(parser)
    shared.add_runs(parser)
    shared.add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Analyse a position and print its table, or review the games of a file."""
    if options.gauge is not None:
        return _gauge(options)
    if options.pdn is not None:
        if options.map is not None and not options.traits:
            raise InputError("--map: only together with --traits")
        return _traits(options) if options.traits else _review(options)
    for option in ("out", "calibrate", "games", "curve", "traits", "map"):
        if getattr(options, option):
            raise InputError(f"--{option} is for games: expected their file, as --pdn FILE")
    if options.player is None:
        raise InputError("expected PLAYER, as in analyse crownhead, or games, as in analyse --pdn FILE")
    from game import analysis
    from game.search.interface import Limits

    given = (options.depth, options.nodes, options.time)
    limits = None if given == (None, None, None) else Limits(*given)
    (player,) = shared.players(options, options.player)
    position = shared.position(options.fen)
    likely = analysis.likelihoods(player, position)
    if player.searching is None and likely:
        if limits is not None:
            raise InputError(f"{player.name}: --depth, --nodes, --time: it {player.describe()} and does not search")
        shared.print_result(
            options,
            lambda: analysis.likelihoods_as_json(position, likely),
            lambda: analysis.likelihoods_report(player, position, likely),
        )
        return 0
    analysed = analysis.analyse(player, position, limits)
    results = analysis.result_chances(player, position, analysed.pv)
    shared.print_result(
        options,
        lambda: analysis.as_json(position, analysed, likely, results) | {"tablebase": player.tablebase},
        lambda: analysis.report(player, position, analysed, likely, results),
    )
    return 0


def _traits(options: argparse.Namespace) -> int:
    """Print the traits of the players of a file; return 2 if it has faults."""
    from evolve.inspection import traits
    from evolve.session.reporters import CountingLine

    for option in ("player", "fen", "nodes", "time", "depth", "out", "calibrate", "games", "curve"):
        if shared.is_given(options, option):
            name = "PLAYER" if option == "player" else f"--{option}"
            raise InputError(f"{name}: not with --traits, which reports on all games of the file")
    line = CountingLine(quiet=options.json)
    report = traits.of_file(_source(options), line.count, cells=traits.map_of_option(options.map))
    line.count()
    report.print(as_json=options.json)
    for fault in report.faults:
        print(fault, file=sys.stderr)
    return 2 if report.faults else 0


def _gauge(options: argparse.Namespace) -> int:
    """Print how well the scores of players agree with the judge's."""
    import numpy as np

    from evolve.game_review import ALL, Numbers, selected_records
    from evolve.names.players import frozen_player
    from evolve.session.reporters import CountingLine
    from evolve.strength import gauge
    from game.pdn.check import source_name
    from game.players.names import parse_name
    from game.review.reviewing import Analyst
    from game.search.interface import Limits

    for option in ("player", "fen", "nodes", "time", "out", "calibrate", "curve", "traits", "map"):
        if shared.is_given(options, option):
            name = "PLAYER" if option == "player" else f"--{option}"
            raise InputError(f"{name}: not with --gauge, which takes --depth, --pdn and --games")
    if options.games is not None and options.pdn is None:
        raise InputError("--games is for games: expected their file, as --pdn FILE")
    depth = 1 if options.depth is None else options.depth
    limits, numbers = Limits(depth), ALL if options.games is None else Numbers.of(options.games)
    judged = gauge.read_positions()  # first, since reading players begins to load code that the end would wait for
    analysts = [Analyst(player) for player in shared.players(options, *options.gauge)]
    for index, text in enumerate(options.gauge):
        parsed = parse_name(text)
        if "tablebase" in parsed.allowed and "tablebase" not in parsed.options:
            without = parsed.with_options(tablebase="no").text  # a reading must not depend on the installed tables
            analysts[index] = Analyst(*shared.players(options, without))
    line = CountingLine(quiet=options.json)

    def count(name: str, total: int, done: int) -> None:
        line.count(f"{name}: {done:,} of {total:,} positions")

    try:
        if options.pdn is not None:
            source, known = _source(options), {each.position for each in judged}
            added = gauge.positions_of(selected_records(source, numbers), source_name(source), known)
            judge, done = Analyst(frozen_player(gauge.JUDGE)), functools.partial(count, gauge.JUDGE, len(added))
            searched = gauge.scores(judge, added, Limits(nodes=gauge.JUDGE_NODES), done).tolist()
            judged += map(functools.partial(gauge.GaugePosition, gauge.PositionOrigin.OTHER), added, searched)
        positions = [each.position for each in judged]
        series = [
            gauge.scores(analyst, positions, limits, functools.partial(count, text, len(positions)))
            for analyst, text in zip(analysts, options.gauge, strict=True)
        ]
    finally:
        line.count()
    read = gauge.readings(options.gauge, depth, judged, series, np.random.default_rng(0))
    result = {"judge": gauge.JUDGE, "players": [each.as_json() for each in read]}
    shared.print_result(options, lambda: result, lambda: gauge.report(read))
    return 0


def _source(options: argparse.Namespace) -> Any:
    """Return the file of --pdn, or standard input."""
    if options.pdn != "-":
        return options.pdn
    if sys.stdin is None:
        raise InputError("--pdn: - is standard input, which is closed")
    return sys.stdin.buffer


def _review(options: argparse.Namespace) -> int:
    """Review the games of a file, or fit the curve to them."""
    from evolve.game_review import ALL, GameReviewer, Numbers, open_analyst, review_depth

    for option, given in (("--fen", options.fen), ("--nodes", options.nodes), ("--time", options.time)):
        if given is not None:
            raise InputError(f"{option} is for one position; the games of --pdn are reviewed with PLAYER and --depth")
    if options.out is not None and options.calibrate:
        raise InputError("--out is for annotated games, and --calibrate makes none")
    if options.curve is not None and options.calibrate:
        raise InputError("--curve chooses a curve and --calibrate makes one: use only one of them")
    numbers = ALL if options.games is None else Numbers.of(options.games)
    depth = review_depth(options.depth)
    source = _source(options)
    analyst = open_analyst(options.player, options.runs, options.network)
    curve = None if options.curve is None else GameKind(options.curve)
    reviewer = GameReviewer(analyst, depth, source, as_json=options.json, numbers=numbers, curve=curve)
    return reviewer.calibrate() if options.calibrate else reviewer.review(options.out)
