"""The verb ``progress``: the last champion of a run against the best of its earlier generations."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

from evolve.commands import options as shared
from game.errors import InputError
from game.terminal import output_width

if TYPE_CHECKING:
    from evolve.strength.progress import ProgressRow

EXAMPLES = (
    ("mine", "against the best 16 of generations 0, 5 and 10; around a mean, against their means"),
    ("mine --generations 0,15 --games 400", "against other generations"),
)


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run_name", metavar="RUN", help="name of a run, or path of its folder")
    games = shared.group(parser, shared.GAMES)
    games.add_argument(
        "--generations",
        metavar="LIST",
        help="earlier generations to play against: the best 16 of each, or in a run around a mean, the means (default: "
        "0,5,10, or three whose weights were kept)",
    )
    games.add_argument(
        "--games",
        type=int,
        metavar="N",
        help="games against each opponent (default: 200; fewer in runs that search, such as 100 at depth 4; 16 times "
        "as many against a mean)",
    )
    shared.add_openings(parser)
    shared.add_games_seed(parser)
    shared.add_workers(parser)
    shared.add_cluster(parser)
    shared.add_runs(parser)
    shared.add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Play, and print each row when it is ready.

    The headings are printed with the first row, so that no error message follows headings without a table.
    """
    from evolve.run.folder import Run
    from evolve.session.reporters import CountingLine
    from evolve.strength import effort, progress
    from evolve.strength.match_games import loader_for
    from evolve.workers.pool import Interrupted, Interruption, Pool, worker_count

    generations, seed = _numbers(options.generations), shared.seed(options.seed)
    workers = worker_count(options.workers)
    cluster = shared.cluster(options)
    run = Run.open(options.run_name, options.runs)
    how = run.conditions()
    width = progress.width(how)
    material = effort.material_player(how)
    ahead = material.looks_ahead()
    head = iter([progress.headings(width, ahead=ahead, columns=output_width())])

    def show(*lines: str) -> None:
        for line in () if options.json else lines:
            shared.print_text(line)

    load = None if cluster is None else loader_for((progress.champion_player(run, how), material))
    line, rows = CountingLine(quiet=options.json), list[progress.ProgressRow]()

    def row_is_ready(row: ProgressRow) -> None:
        line.count("")
        rows.append(row)
        show(*head, progress.line(row, width, ahead=ahead, columns=output_width()))

    with Interruption() as wish:
        try:
            with Pool(workers, interruption=wish, cluster=cluster, load=load) as pool:
                progress.measure(
                    run,
                    generations,
                    options.games,
                    seed=seed,
                    kind=options.openings,
                    how=how,
                    pool=pool,
                    progress=row_is_ready,
                    on_games=line.count,
                )
        except Interrupted:
            if not rows:
                raise
        finally:
            line.count("")
    show(*progress.foot(run, how, rows))
    if wish.signal is not None:
        show("Stopped: the remaining opponents are left out, since their games were not finished.")
    if options.json:
        result = {
            "run": str(run.path),
            "search": effort.as_json(how),
            "rows": [progress.as_json(row) for row in rows],
            "stopped": wish.signal is not None,
        }
        print(json.dumps(result))
    return wish.exit_code


def _numbers(given: str | None) -> list[int] | None:
    words = [] if given is None else [word.strip() for word in given.split(",")]
    if not all(word.isascii() and word.isdigit() and len(word) < 10 for word in words):
        raise InputError(f"--generations: expected numbers such as 0,5,10, got {given!r}")
    return None if given is None else [int(word) for word in words]
