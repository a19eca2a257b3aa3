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

PRESETS = ", ".join(sorted(path.stem for path in Path(__file__).parent.glob("evolve/config/presets/*.toml")))
RUNS = Path(__file__).resolve().parent / "populations"
NETWORKS = "cnn-247, blondie-1741, anaconda-5046"
DONE, MISTAKE, FAULT, DISK, BUSY, INTERRUPTED = 0, 2, 70, 74, 75, 130


class _Parser(argparse.ArgumentParser):
    """Errors in one line, without the usage text."""

    def error(self, message: str) -> NoReturn:
        self.exit(MISTAKE, f"{self.prog}: {message} (see {self.prog} --help)\n")


def build_parser() -> argparse.ArgumentParser:
    """All verbs and their options; imports nothing of the program but what is said of names."""
    from game.player_names import FORMS

    parser = _Parser(prog="main.py", description="Evolve checkers players, watch them improve, play them.")
    parser.set_defaults(run=run_home)
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", help="without one the window opens")

    play = verbs.add_parser("play", help="play in the window")
    play.add_argument("player", metavar="PLAYER", nargs="?", help="your opponent (default: the last one)")
    play.add_argument("--colour", choices=("black", "white", "random"), help="yours (default: that of last time)")
    play.add_argument("--fen", metavar="FEN", help="begin from this position")
    play.add_argument("--pdn", metavar="FILE", type=Path, help="show the games of this file instead")
    play.set_defaults(run=run_play)

    watch = verbs.add_parser("watch", help="watch two players in the window")
    watch.add_argument("a", metavar="A", help=f"plays Black: {FORMS}")
    watch.add_argument("b", metavar="B", help="plays White; depth=4 or time=2 after a comma says how it thinks")
    watch.set_defaults(run=run_watch)

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
    evolve.add_argument("--seed", type=int, metavar="N", help="same seed, same run to the byte (default: random)")
    evolve.add_argument("--workers", type=int, metavar="N", help="processes (default: one a core)")
    evolve.add_argument("--network", metavar="NAME", help=f"{NETWORKS} or a TOML file (default: the preset's)")
    evolve.add_argument("--resume", metavar="RUN", help="go on with a run: a name, or the path of its folder")
    evolve.add_argument(
        "--from",
        type=int,
        metavar="N",
        dest="restart_from",
        help="with --resume: give up what came after generation N (-1: everything); its files stay under other names",
    )
    evolve.add_argument("--tensorboard", action="store_true", help="write event files into the run folder, too")
    evolve.add_argument("--out", metavar="DIR", type=Path, default=RUNS, help="folder of runs (default: populations)")
    evolve.set_defaults(run=run_evolve)

    match = verbs.add_parser("match", help="many games between two players: score and Elo, with how sure they are")
    match.add_argument("a", metavar="A", help=FORMS)
    match.add_argument("b", metavar="B", help="the opponent; all results are from A's view")
    match.add_argument(
        "--games", type=int, metavar="N", help="an even number (default: 200; with --sprt at most 100,000)"
    )
    match.add_argument(
        "--openings",
        default="three-move",
        metavar="KIND",
        help="start, two-move or three-move ballots, each played with both colours; once two players without chance "
        "have played them all, random moves make more (default: three-move)",
    )
    match.add_argument("--seed", type=int, metavar="N", help="same seed, same games (default: random, and told)")
    match.add_argument(
        "--sprt",
        metavar="ELO0,ELO1",
        help="play until it is clear whether A is ELO0 or ELO1 stronger, with an error in 1 of 20 matches",
    )
    match.add_argument("--workers", type=int, metavar="N", help="processes (default: one a core if it takes a while)")
    match.add_argument("--pdn", type=Path, metavar="FILE", help="write all games to this file, in place of older games")
    match.set_defaults(run=run_match)

    ladder = verbs.add_parser("ladder", help="ratings of several players on one scale, with fixed opponents")
    ladder.add_argument("players", metavar="PLAYER", nargs="+", help="as for match; with --every one run")
    ladder.add_argument("--games", type=int, default=200, metavar="N", help="of each two players (default: 200)")
    ladder.add_argument("--every", type=int, metavar="N", help="the champion of every N-th generation of a run")
    ladder.add_argument(
        "--anchors",
        default="chain",
        metavar="LIST",
        help="fixed opponents that play along: chain (six of them), all (eleven), none, or names with semicolons "
        "between them (default: chain)",
    )
    ladder.add_argument(
        "--zero",
        metavar="PLAYER",
        help="whose rating is 0 (default: material,depth=8,quiescence=yes, or without it the first player)",
    )
    ladder.add_argument("--openings", default="three-move", metavar="KIND", help="as for match (default: three-move)")
    ladder.add_argument("--seed", type=int, default=1, metavar="N", help="same seed, same games (default: 1)")
    ladder.add_argument("--workers", type=int, metavar="N", help="processes (default: one a core if it takes a while)")
    ladder.set_defaults(run=run_ladder)

    move = verbs.add_parser("move", help="the move of a player in a position, for scripts")
    move.add_argument("--seed", type=int, metavar="N", help="of players that draw lots (default: random)")
    move.set_defaults(run=run_move)
    analyse = verbs.add_parser("analyse", help="what a player thinks of every move in a position, for people")
    analyse.add_argument("--depth", type=int, metavar="N", help="plies (default: the player's own limits)")
    analyse.add_argument("--nodes", type=int, metavar="N", help="positions visited")
    analyse.add_argument("--time", type=float, metavar="SECONDS")
    analyse.set_defaults(run=run_analyse)
    engine = verbs.add_parser("engine", help="a player that other programs ask over standard input (docs/engine.md)")
    engine.add_argument("--seed", type=int, metavar="N", help="of players that draw lots (default: random)")
    engine.set_defaults(run=run_engine)

    progress = verbs.add_parser("progress", help="whether a run got stronger: its last champion against earlier ones")
    progress.add_argument("run_name", metavar="RUN", help="a run: a name, or the path of its folder")
    progress.add_argument(
        "--generations",
        metavar="LIST",
        help="earlier generations, their best 16 (default: 0,5,10, or three that have kept their weights)",
    )
    progress.add_argument(
        "--games",
        type=int,
        metavar="N",
        help="against each opponent (default: 200; of runs with look-ahead fewer, such as 100 at depth 4)",
    )
    progress.add_argument("--openings", default="three-move", metavar="KIND", help="as for match (default: three-move)")
    progress.add_argument("--seed", type=int, default=1, metavar="N", help="same seed, same games (default: 1)")
    progress.add_argument(
        "--workers", type=int, metavar="N", help="processes (default: one a core if it takes a while)"
    )
    progress.set_defaults(run=run_progress)

    inspect = verbs.add_parser("inspect", help="what a run, a generation, an individual or a CSV file is like")
    inspect.add_argument("target", metavar="TARGET", help="RUN, RUN@15, RUN@15:NAME, FILE.csv or FILE.csv:NAME")
    inspect.add_argument(
        "--games",
        type=int,
        default=200,
        metavar="N",
        help="the best against random and material; 0: none (default: 200)",
    )
    inspect.add_argument("--champions", action="store_true", help="of a run: let its champions play each other, too")
    inspect.add_argument("--compare", metavar="RUN", help="of a run: only what differs from this one")
    inspect.add_argument("--plots", metavar="DIR", type=Path, help="write figures into this folder")
    inspect.add_argument("--html", metavar="FILE", type=Path, help="write one page with everything, figures included")
    inspect.set_defaults(run=run_inspect)

    pdn = verbs.add_parser("pdn", help="files of recorded games").add_subparsers(metavar="ACTION", required=True)
    check = pdn.add_parser("check", help="replay every game of a file: counts, and every fault with its line")
    check.add_argument("file", metavar="FILE", help="PDN file, or - for standard input; it is read as a stream")
    check.add_argument("--json", action="store_true", help="print one JSON object")
    check.set_defaults(run=run_pdn_check)

    network = verbs.add_parser("network", help="what a network is: layers, and what each weight of a genome does")
    network.add_argument("network", metavar="NAME", help=f"{NETWORKS}, a TOML file, a run or a preset")
    network.set_defaults(run=run_network)

    bench = verbs.add_parser("bench", help="how fast this machine plays and evolves, beside the goals")
    bench.add_argument("--signature", action="store_true", help="only the number that stands for all behaviour")
    bench.add_argument("--quick", action="store_true", help="tiny samples, to see that everything runs")
    bench.add_argument(
        "--only",
        metavar="NAME,...",
        help="figures or groups: perft, evaluations, games, search, sessions, workers, start, runs, window, peers, "
        "signature",
    )
    bench.set_defaults(run=run_bench)

    for verb in (move, analyse, engine):
        verb.add_argument("player", metavar="PLAYER", help="as for match")
    for verb in (move, analyse):
        verb.add_argument("--fen", metavar="FEN", help="the position (default: the start of a game)")
    for verb in (match, ladder, move, analyse, engine, inspect):
        verb.add_argument("--network", metavar="NAME", help=f"of players from CSV files: {NETWORKS} or a TOML file")
    for verb in (play, watch, match, ladder, move, analyse, engine, progress, inspect, network):
        verb.add_argument(
            "--runs", metavar="DIR", type=Path, default=RUNS, help="folder of runs (default: populations)"
        )
    for verb in (perft, evolve, match, ladder, move, analyse, progress, network, bench, inspect):
        verb.add_argument("--json", action="store_true", help="print one JSON object")
    return parser


def run_home(options: argparse.Namespace) -> int:
    """No verb: the window."""
    from gui import doors

    doors.home(RUNS)
    return DONE


def run_play(options: argparse.Namespace) -> int:
    """`play`: a game in the window."""
    from gui import doors

    doors.play(options.runs, options.player, options.colour, options.fen, options.pdn)
    return DONE


def run_watch(options: argparse.Namespace) -> int:
    """`watch`: two players in the window."""
    from gui import doors

    doors.watch(options.runs, options.a, options.b)
    return DONE


def run_perft(options: argparse.Namespace) -> int:
    """`perft`: nodes and speed; `seconds` excludes the loading of compiled code."""
    from game import perft_report

    how = {"divide": options.divide, "distinct": options.distinct, "bulk": not options.no_bulk}
    with perft_report.ended_at_once():
        result = perft_report.measured(_position(options.fen), options.depth, **how)
    print(json.dumps(result) if options.json else perft_report.text(result))
    return DONE


def run_evolve(options: argparse.Namespace) -> int:
    """`evolve`: a session, new or resumed."""
    import logging

    from evolve.commands import evolve as command

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
    from evolve.commands import playing
    from evolve.session.reporters import CountingLine
    from evolve.strength import match_report

    result, a, b = playing.match(options, CountingLine(quiet=options.json))
    print(json.dumps(match_report.as_json(result)) if options.json else match_report.report(result, a, b))
    return DONE


def run_ladder(options: argparse.Namespace) -> int:
    """`ladder`: a round robin, or a run's champions against anchors, and the ratings that fit."""
    from evolve.commands import playing
    from evolve.session.reporters import CountingLine
    from evolve.strength import ladder_report

    result, ranked = playing.ladder(options, CountingLine(quiet=options.json)), options.every is None
    told = ladder_report.as_json(result, by_rating=ranked)
    print(json.dumps(told) if options.json else ladder_report.report(result, by_rating=ranked))
    return DONE


def run_move(options: argparse.Namespace) -> int:
    """`move`: one choice of a player."""
    from evolve.commands import playing
    from game import analysis

    (player,) = playing.players(options, options.player)
    choice = analysis.chosen(player, _position(options.fen), playing.seed(options.seed))
    print(json.dumps(analysis.choice_as_json(choice)) if options.json else analysis.choice_report(choice))
    return DONE


def run_analyse(options: argparse.Namespace) -> int:
    """`analyse`: every move of a position with its score."""
    from evolve.commands import playing
    from game import analysis
    from game.search.limits import Limits

    given = (options.depth, options.nodes, options.time)
    limits = None if given == (None, None, None) else Limits(*given)
    (player,) = playing.players(options, options.player)
    position = _position(options.fen)
    found = analysis.analysed(player, position, limits)
    result = analysis.as_json(position, found)
    print(json.dumps(result) if options.json else analysis.report(player, position, found))
    return DONE


def run_engine(options: argparse.Namespace) -> int:
    """`engine`: answers on standard output what comes on standard input."""
    from evolve.commands import playing
    from game.engine import MAX_LINE, Engine

    seed = playing.seed(options.seed)
    (player,) = playing.players(options, options.player)
    if sys.stdin is None:
        raise _mistake("standard input is closed: commands are read from there")
    lines = iter(lambda: sys.stdin.buffer.readline(MAX_LINE + 2).decode("utf-8", "replace"), "")
    Engine(player, lambda line: print(line, flush=True), seed=seed).run(lines)
    return DONE


def _position(fen: str | None) -> Any:
    from game.board import Position

    return Position.start() if fen is None else Position.from_fen(fen)


def run_progress(options: argparse.Namespace) -> int:
    """`progress`: the last champion of a run against the best of its earlier generations."""
    from evolve.commands import playing

    found = playing.progress(options, lambda line: None if options.json else print(line, flush=True))
    if options.json:
        print(json.dumps(found))
    return DONE


def run_inspect(options: argparse.Namespace) -> int:
    """`inspect`: a report on a run, a generation, an individual or a CSV file."""
    from evolve.inspection import command

    report = command.inspect(options, _shown(options))
    print(json.dumps(report.plain())) if options.json else report.show()
    return DONE


def run_pdn_check(options: argparse.Namespace) -> int:
    """`pdn check`: the sums over a file, and what is wrong in it; exit code 2 if anything is."""
    from game.pdn import check as pdn

    if options.file == "-" and sys.stdin is None:
        raise _mistake("FILE: - is standard input, which is closed")
    source = sys.stdin.buffer if options.file == "-" else options.file
    report = pdn.check(source)
    print(json.dumps(report.as_json()) if options.json else report.text(pdn.source_name(source)))
    return MISTAKE if report.errors else DONE


def run_network(options: argparse.Namespace) -> int:
    """`network`: what a network is, and which weight does what."""
    from evolve.names import networks
    from game.networks import description

    spec = networks.found(options.runs, options.network)
    print(json.dumps(description.as_json(spec)) if options.json else description.text(spec))
    return DONE


def run_bench(options: argparse.Namespace) -> int:
    """`bench`: speeds of this machine, or the signature of the program's behaviour."""
    if options.signature:
        if options.only is not None or options.quick:
            raise _mistake(f"--{'quick' if options.only is None else 'only'}: not together with --signature")
        from evolve.bench.signature import signature

        print(json.dumps({"signature": signature()}) if options.json else signature())
        return DONE
    from evolve.bench import report

    only = None if options.only is None else [name.strip() for name in options.only.split(",") if name.strip()]
    result = report.measure(quick=options.quick, only=only, show=_shown(options))
    print(json.dumps(result) if options.json else report.text(result))
    return DONE


def _shown(options: argparse.Namespace) -> Callable[[str], None]:
    """A line on standard error that says what is being done; nothing without a terminal."""
    if options.json or not sys.stderr.isatty():
        return lambda text: None
    return lambda text: print(f"\r{text:60}\r", end="", file=sys.stderr, flush=True)


def _mistake(text: str) -> Exception:
    from game.errors import InputError

    return InputError(text)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one verb and return the exit code; each error is one line on standard error."""
    from game import compiling

    options = build_parser().parse_args(_joined(sys.argv[1:] if arguments is None else arguments))
    live = sys.stderr is not None and sys.stderr.isatty() and not getattr(options, "json", False)
    try:
        with compiling.told(compiling.Notice(sys.stderr, live=live)):
            return int(options.run(options))
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        sys.stderr.close()
        return DONE
    except Exception as error:
        return _report(error, options.verb)


def _joined(arguments: Sequence[str]) -> list[str]:
    """The arguments with ``--sprt -5,5`` as one word, since argparse would take the second for an option."""
    found: list[str] = []
    for each in arguments:
        if found[-1:] == ["--sprt"] and each[:1] == "-" and each[1:].lstrip(".")[:1].isdigit():
            found[-1] += f"={each}"
        else:
            found.append(each)
    return found


def _report(error: Exception, verb: str) -> int:
    from game.errors import InputError, one_line

    text = one_line(str(error)) or type(error).__name__
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
        _complain(f"{text}; what was complete is on disk: go on with evolve --resume" if verb == "evolve" else text)
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
