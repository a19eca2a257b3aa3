"""The verb ``match``: many games between two players."""

from __future__ import annotations

import argparse
import contextlib
from pathlib import Path

from evolve.commands import options as shared
from game.players.names import FORMS

MAX_SPRT_GAMES = 100_000
"""Default maximum number of games in a match that a statistical test can end."""

EXAMPLES = (
    ("mine mine@0", "the last champion of a run against its first"),
    ("mine@15:Gen15_0001 players.csv:Anna --openings two-move", "any individual, and a player from any CSV file"),
    (
        "crownhead,nodes=4000,table=16 crownhead,nodes=4000 --games 2",
        "a transposition table of 16 MB against the usual one",
    ),
    ("mine@15 mine@10 --sprt 0,20 --pdn games.pdn", "until a test decides between 0 and 20 Elo; keep the games"),
    (
        "both.csv,search=tree both.csv,nodes=400 --network docs/examples/both-heads.toml",
        "a tree search against alpha-beta, by a network with a value and a policy",
    ),
)


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("a", metavar="A", help=FORMS)
    parser.add_argument("b", metavar="B", help="the opponent; all results are from A's point of view")
    games = shared.group(parser, shared.GAMES)
    text = "number of games, even (default: 200; with --sprt at most 100,000)"
    games.add_argument("--games", type=int, metavar="N", help=text)
    text = (
        "start, two-move or three-move ballots, each played with both colours; if two deterministic players need "
        "more, random moves extend them (default: three-move)"
    )
    games.add_argument("--openings", default="three-move", metavar="KIND", help=text)
    text = "the same seed gives the same games (default: random; it is printed)"
    games.add_argument("--seed", type=int, metavar="N", help=text)
    text = "play until a test decides whether A is stronger by ELO0 or by ELO1; it errs in about 1 of 20 matches"
    games.add_argument("--sprt", metavar="ELO0,ELO1", help=text)
    shared.add_proved(parser)
    shared.add_workers(parser)
    shared.add_machines(parser)
    text = "write all games to this file, replacing its contents"
    shared.group(parser, shared.OUTPUT).add_argument("--pdn", type=Path, metavar="FILE", help=text)
    shared.add_network(parser)
    shared.add_runs(parser)
    shared.add_json(parser)


def run(options: argparse.Namespace) -> int:
    from evolve.session.reporters import CountingLine
    from evolve.strength import effort, match_report
    from evolve.strength.elo import Sprt
    from evolve.strength.match import DEFAULT_GAMES, play_match
    from evolve.strength.match_games import loader_for
    from evolve.strength.match_report import pdn_file
    from evolve.workers.pool import Interruption, Pool, worker_count

    sprt = None if options.sprt is None else Sprt.parse(options.sprt)
    games = options.games if options.games is not None else DEFAULT_GAMES if sprt is None else MAX_SPRT_GAMES
    seed, workers = shared.seed(options.seed), worker_count(options.workers)
    cluster = shared.machines(options)
    if cluster is None:
        shared.compile_shared_code()
    a, b = shared.players(options, options.a, options.b)
    line = CountingLine(quiet=options.json)
    with Interruption() as wish:
        with contextlib.ExitStack() as stack:
            stack.callback(line.count)
            tables = match_report.tables_text(a, b)
            event = f"Match of {a.name} and {b.name}, {options.openings}, seed {seed}{tables and f', {tables}'}"
            on_game = None if options.pdn is None else stack.enter_context(pdn_file(options.pdn, event))
            load = loader_for((a, b))
            pool = stack.enter_context(Pool(workers, interruption=wish, machines=cluster, load=load))
            result = play_match(
                a, b, games, kind=options.openings, seed=seed, sprt=sprt, pool=pool,
                progress=lambda score: line.count(*match_report.score_parts(score, games)), on_game=on_game,
                proved=options.proved,
            )  # fmt: skip
        nodes = effort.of_match(a, b, result)  # takes a while; if interrupted meanwhile, the result is still printed
    shared.print_result(
        options,
        lambda: (
            {"players": {"a": a.name, "b": b.name}}
            | match_report.as_json(result)
            | {"nodes": dict(zip("ab", nodes, strict=True)), "tablebase": {"a": a.tablebase, "b": b.tablebase}}
        ),
        lambda: match_report.report(result, a, b, wanted=games, nodes=nodes),
    )
    return wish.exit_code if result.stopped else 0
