"""The command line of Crownhead: one verb, one function, and a verb's modules are imported only when it runs.

Progress goes to standard error, results to standard output. Exit codes: 0 done, 2 the user's mistake, 70 a fault of
ours, 74 disk, 75 busy, 130 / 143 interrupted.
"""

from __future__ import annotations

import argparse
import io
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn

PRESETS = ", ".join(sorted(path.stem for path in Path(__file__).parent.glob("evolve/presets/*.toml")))
RUNS = Path(__file__).resolve().parent / "populations"
NETWORKS = "cnn-247, blondie-1741, anaconda-5046"
MAX_PERFT = 30
SHOWN_ERRORS = 20
DONE, MISTAKE, FAULT, DISK, BUSY, INTERRUPTED = 0, 2, 70, 74, 75, 130


class _Parser(argparse.ArgumentParser):
    """Errors in one line, without the usage text."""

    def error(self, message: str) -> NoReturn:
        self.exit(MISTAKE, f"{self.prog}: {message} (see {self.prog} --help)\n")


def build_parser() -> argparse.ArgumentParser:
    """All verbs and their options; imports nothing of the program."""
    parser = _Parser(prog="main.py", description="Evolve checkers players, watch them improve, play them.")
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)

    perft = verbs.add_parser("perft", help="count move sequences, to prove the move generator")
    perft.add_argument("depth", type=int, metavar="DEPTH", help="plies")
    perft.add_argument("--fen", metavar="FEN", help="start from this position")
    perft.add_argument("--divide", action="store_true", help="count each root move on its own")
    perft.add_argument("--distinct", action="store_true", help="count moves to the same position once")
    perft.add_argument("--no-bulk", action="store_true", help="make every move of the last ply too, to measure speed")
    perft.set_defaults(run=run_perft)

    evolve = verbs.add_parser("evolve", help="evolve a population, or go on with a run")
    evolve.add_argument("--preset", metavar="NAME", help=f"one of {PRESETS} (default: cowan)")
    evolve.add_argument("--config", metavar="FILE", type=Path, help="TOML file with values that differ from the preset")
    evolve.add_argument(
        "--set", metavar="KEY=VALUE", action="append", default=[], dest="settings", help="one value, may be repeated"
    )
    evolve.add_argument("--name", help="name of the new run (default: PRESET-1, PRESET-2, ...)")
    evolve.add_argument("--generations", type=int, metavar="N", help="number of the last generation (the first is 0)")
    evolve.add_argument("--seed", type=int, metavar="N", help="same seed, same run to the byte (default: drawn)")
    evolve.add_argument("--workers", type=int, metavar="N", help="processes (default: one a core)")
    evolve.add_argument("--network", metavar="NAME", help=f"{NETWORKS} or a TOML file (default: the preset's)")
    evolve.add_argument("--resume", metavar="RUN", help="go on with a run: a name, or the path of its folder")
    evolve.add_argument(
        "--from", type=int, metavar="N", dest="restart_from", help="with --resume: give up what came after generation N"
    )
    evolve.add_argument("--out", metavar="DIR", type=Path, default=RUNS, help="folder of runs (default: populations)")
    evolve.set_defaults(run=run_evolve)

    match = verbs.add_parser("match", help="many games between two players: score and Elo, with how sure they are")
    match.add_argument("a", metavar="A", help="random, material, RUN, RUN@15, RUN@15:NAME, FILE.csv or FILE.csv:NAME")
    match.add_argument("b", metavar="B", help="the opponent; all results are from A's view")
    match.add_argument("--games", type=int, default=200, metavar="N", help="an even number (default: 200)")
    match.add_argument(
        "--openings",
        default="three-move",
        metavar="KIND",
        help="start, two-move or three-move ballots, each played with both colours; once two players without chance "
        "have played them all, random moves make more (default: three-move)",
    )
    match.add_argument("--seed", type=int, metavar="N", help="same seed, same games (default: drawn, and told)")
    match.set_defaults(run=run_match)

    progress = verbs.add_parser("progress", help="whether a run got stronger: its last champion against earlier ones")
    progress.add_argument("run_name", metavar="RUN", help="a run: a name, or the path of its folder")
    progress.add_argument(
        "--generations", default="0,5,10", metavar="LIST", help="earlier generations, their best 16 (default: 0,5,10)"
    )
    progress.add_argument("--games", type=int, default=200, metavar="N", help="against each opponent (default: 200)")
    progress.add_argument("--openings", default="three-move", metavar="KIND", help="as for match (default: three-move)")
    progress.add_argument("--seed", type=int, default=1, metavar="N", help="same seed, same games (default: 1)")
    progress.set_defaults(run=run_progress)

    pdn = verbs.add_parser("pdn", help="files of recorded games").add_subparsers(metavar="ACTION", required=True)
    check = pdn.add_parser("check", help="replay every game of a file: counts, and every fault with its line")
    check.add_argument("file", metavar="FILE", help="PDN file; it is read as a stream")
    check.add_argument("--json", action="store_true", help="print one JSON object")
    check.set_defaults(run=run_pdn_check)

    bench = verbs.add_parser("bench", help="how fast this machine plays and evolves, beside the goals")
    bench.add_argument("--signature", action="store_true", help="only the number that stands for all behaviour")
    bench.add_argument("--quick", action="store_true", help="tiny samples, to see that everything runs")
    bench.add_argument(
        "--only",
        metavar="NAME,...",
        help="figures, or groups of them: perft, evaluations, games, sessions, workers, start, peers, signature",
    )
    bench.set_defaults(run=run_bench)

    match.add_argument("--network", metavar="NAME", help=f"of players from CSV files: {NETWORKS} or a TOML file")

    for verb in (match, progress):
        verb.add_argument(
            "--runs", metavar="DIR", type=Path, default=RUNS, help="folder of runs (default: populations)"
        )
    for verb in (perft, evolve, match, progress, bench):
        verb.add_argument("--json", action="store_true", help="print one JSON object")
    return parser


def run_perft(options: argparse.Namespace) -> int:
    """`perft`: nodes and speed; `seconds` excludes the loading of compiled code."""
    import time

    from game import moves
    from game.board import Position

    position = Position.start() if options.fen is None else Position.from_fen(options.fen)
    if not 0 <= options.depth <= MAX_PERFT:
        raise _mistake(f"DEPTH: expected 0 to {MAX_PERFT} plies, got {options.depth}")
    if options.divide and options.depth == 0:
        raise _mistake("--divide: expected a DEPTH of 1 or more")
    how = {"distinct": options.distinct, "bulk": not options.no_bulk}
    moves.perft(position, 2, **how)
    started = time.perf_counter()
    result: dict[str, Any] = {"depth": options.depth}
    if options.divide:
        divided = moves.divide(position, options.depth, **how)
        result["nodes"] = sum(divided.values())
    else:
        result["nodes"] = moves.perft(position, options.depth, **how)
    result["seconds"] = time.perf_counter() - started
    result["nodes_per_second"] = round(result["nodes"] / max(result["seconds"], 1e-9))
    if options.divide:
        result["moves"] = divided
    if options.json:
        print(json.dumps(result))
        return DONE
    for move, nodes in result.get("moves", {}).items():
        print(f"{move:>12} {nodes:>16,}")
    print(f"perft {options.depth}: {result['nodes']:,} nodes in {result['seconds']:.3f} s", end="")
    print(f" ({result['nodes_per_second'] / 1e6:.1f} million/s)")
    return DONE


def run_evolve(options: argparse.Namespace) -> int:
    """`evolve`: a session, new or resumed."""
    import logging

    from evolve import command

    logging.raiseExceptions = False  # a log that cannot be written must not fill the screen
    summary = command.evolve(options, terminal=sys.stderr.isatty() and not options.json)
    result = {
        "run": str(summary.run.path),
        "generations": summary.generations,
        "individuals": summary.individuals,
        "games": summary.games,
        "evaluations": summary.evaluations,
        "seconds": summary.seconds,
        "champion": summary.champion,
        "digest": summary.digest,
    }
    if options.json:
        print(json.dumps(result))
    else:
        print(command.report(summary))
    return DONE if summary.signal is None else 128 + summary.signal


def run_match(options: argparse.Namespace) -> int:
    """`match`: many games between two players."""
    import secrets

    from evolve import contest, contest_report, store
    from game.networks.network_file import named
    from game.players import player

    if options.seed is not None and not 0 <= options.seed < 2**63:
        raise _mistake(f"--seed: expected a whole number from 0 to 2**63 - 1, got {options.seed}")
    store.register(options.runs, None if options.network is None else named(options.network))
    a, b = player(options.a), player(options.b)
    seed = secrets.randbits(32) if options.seed is None else options.seed
    show = None
    if sys.stderr.isatty() and not options.json:
        show = _games_counter(options.games)
    result = contest.contest(a, b, options.games, kind=options.openings, seed=seed, progress=show)
    print(json.dumps(contest_report.as_json(result)) if options.json else contest_report.report(result, a, b))
    return DONE


def run_progress(options: argparse.Namespace) -> int:
    """`progress`: the last champion of a run against the best of its earlier generations."""
    from evolve import progress, store

    words = [word.strip() for word in options.generations.split(",")]
    if not all(word.isascii() and word.isdigit() and len(word) < 10 for word in words):
        raise _mistake(f"--generations: expected numbers such as 0,5,10, got {options.generations!r}")
    run = store.existing_run(options.runs, options.run_name)
    lines = iter([progress.HEADINGS])  # printed above the first row, so not above an error

    def show(row: progress.Row) -> None:
        if not options.json:
            print(*lines, progress.line(row), sep="\n", flush=True)

    numbers = [int(word) for word in words]
    rows = progress.measure(run, numbers, options.games, seed=options.seed, kind=options.openings, progress=show)
    if options.json:
        print(json.dumps({"run": str(run.path), "rows": [progress.as_json(row) for row in rows]}))
    return DONE


def _games_counter(games: int) -> Callable[[int], None]:
    """A line on standard error that counts games and goes away at the end."""

    def show(done: int) -> None:
        text = f"{done:,} of {games:,} games" if done < games else ""
        print(f"\r{text:40}\r", end="", file=sys.stderr, flush=True)

    return show


def run_pdn_check(options: argparse.Namespace) -> int:
    """`pdn check`: the sums over a file, and what is wrong in it; exit code 2 if anything is."""
    from dataclasses import asdict

    from game import pdn

    report = pdn.check(options.file)
    result = asdict(report)
    left_off = result.pop("errors_left_off")
    if options.json:
        print(json.dumps(result | ({"errors_left_off": left_off} if left_off else {})))
        return MISTAKE if report.errors else DONE
    counts = {name.replace("_", " "): value for name, value in result.items() if isinstance(value, int)}
    counts |= report.results | {"errors": len(report.errors) + left_off}
    for name, value in counts.items():
        print(f"{name:<12} {value:>15,}")
    for error in report.errors[:SHOWN_ERRORS]:
        print(f"{pdn.source_name(options.file)}:{error}")
    if counts["errors"] > SHOWN_ERRORS:
        print(f"... and {counts['errors'] - SHOWN_ERRORS:,} more")
    return MISTAKE if report.errors else DONE


def run_bench(options: argparse.Namespace) -> int:
    """`bench`: speeds of this machine, or the signature of the program's behaviour."""
    if options.signature:
        from evolve.bench.signature import signature

        print(json.dumps({"signature": signature()}) if options.json else signature())
        return DONE
    from evolve.bench import report

    live = sys.stderr.isatty() and not options.json
    show = (lambda text: print(f"\r{text:60}\r", end="", file=sys.stderr, flush=True)) if live else (lambda text: None)
    only = None if options.only is None else [name.strip() for name in options.only.split(",")]
    result = report.measure(quick=options.quick, only=only, show=show)
    print(json.dumps(result) if options.json else report.text(result))
    return DONE


def _mistake(text: str) -> Exception:
    from game.errors import InputError

    return InputError(text)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one verb and return the exit code; each error is one line on standard error."""
    options = build_parser().parse_args(arguments)
    try:
        return int(options.run(options))
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        sys.stderr.close()
        return DONE
    except Exception as error:
        return _report(error)


def _report(error: Exception) -> int:
    from game.errors import InputError

    text = " ".join(str(error).split()) or type(error).__name__
    if isinstance(error, InputError):
        for line in getattr(error, "lines", (text,)):
            _complain(line)
        return MISTAKE
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        _complain(f"{where}{error.strerror or text}")
        return DISK
    if type(error).__name__ == "BusyError":
        _complain(text)
        return BUSY
    if type(error).__name__ == "TaskFailure":
        _complain(f"{text}; what was complete is on disk: go on with evolve --resume")
        return FAULT
    import traceback

    place = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{Path(place.filename).name}:{place.lineno}"
    _complain(f"a fault of the program: {type(error).__name__}: {text} ({where})")
    return FAULT


def _complain(text: str) -> None:
    try:
        if sys.stderr is not None:
            print(f"main.py: {text}", file=sys.stderr, flush=True)
    except OSError:  # a full disk, for one: the exit code still tells, if Python has nothing left to write
        sys.stderr = None


if __name__ == "__main__":
    if isinstance(sys.stdout, io.TextIOWrapper):  # names that a narrow encoding lacks are no reason to fail
        sys.stdout.reconfigure(errors="backslashreplace")
    sys.exit(main())
