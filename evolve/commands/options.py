"""What verbs share: their options, whom and what options mean, and how a result is shown. Light, for ``--help``."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evolve.run.runs import DEFAULT_RUNS
from game.errors import InputError, printable
from game.installation import INSTALLED, PROGRAM
from game.terminal import output_width, wrap_lines

if TYPE_CHECKING:
    from evolve.workers.cluster.address import Cluster
    from game.board import Position
    from game.players.player import Player

_RUNS = "folder of runs (default: %(default)s)" if INSTALLED else "folder of runs (default: populations)"
PRESETS = Path(__file__).parents[1] / "config" / "presets"


def add_session(parser: argparse.ArgumentParser, presets: Path, default: str) -> None:
    """The options of a session; presets are the files of a folder."""
    names = ", ".join(sorted(path.stem for path in presets.glob("*.toml")))
    parser.add_argument("--preset", metavar="NAME", help=f"one of {names}{default}, or one of your own")
    parser.add_argument("--config", metavar="FILE", type=Path, help="TOML file with values that differ from the preset")
    parser.add_argument(
        "--set", metavar="KEY=VALUE", action="append", default=[], dest="settings", help="one value, may be repeated"
    )
    parser.add_argument(
        "--save-preset",
        metavar="NAME",
        help="keep these values as a preset of your own, for --preset NAME; plays nothing",
    )
    parser.add_argument("--name", help="name of the new run (default: PRESET-1, PRESET-2, ...)")
    parser.add_argument("--generations", type=int, metavar="N", help="number of the last generation (the first is 0)")
    parser.add_argument("--seed", type=int, metavar="N", help="same seed, same run to the byte (default: random)")
    parser.add_argument("--workers", type=int, metavar="N", help="processes (default: one per core)")
    add_cluster(parser)
    text = f"{network_names()} or a TOML file (default: the preset's)"
    parser.add_argument("--network", metavar="NAME", help=text)
    parser.add_argument("--resume", metavar="RUN", help="go on with a run: a name, or the path of its folder")
    parser.add_argument(
        "--from",
        type=int,
        metavar="N",
        dest="restart_from",
        help="with --resume: give up what came after generation N (-1: everything); its files stay under other names",
    )
    parser.add_argument(
        "--branch",
        metavar="RUN[@N]",
        help="a new run that begins with generations 0 to N of another (default: all it has), with --set or --seed",
    )
    parser.add_argument(
        "--seeds",
        metavar="A-B",
        help="a sweep: a run for each of these seeds, such as 1-8 or 1,2,5, in one folder",
    )
    parser.add_argument(
        "--sweep",
        metavar="KEY=A,B,...",
        action="append",
        default=[],
        help="a sweep: runs for each of these values, for each seed; may be repeated for all combinations",
    )
    parser.add_argument(
        "--stop-behind",
        type=int,
        metavar="N",
        default=0,
        help="with --sweep and three seeds or more: after every N generations stop settings that are behind another",
    )
    parser.add_argument(
        "--plugin",
        metavar="FILE",
        type=Path,
        action="append",
        default=[],
        help="a file of Python with operators of your own, may be repeated; code that a run, a configuration or a "
        "preset lists runs only if it is named here; of a branch also a mended one (docs/operators.md)",
    )
    parser.add_argument(
        "--estimate", action="store_true", help="only tell how long it would take, and memory and disk; begin nothing"
    )
    parser.add_argument("--tensorboard", action="store_true", help="write event files into the run folder, too")
    parser.add_argument("--out", metavar="DIR", type=Path, default=DEFAULT_RUNS, help=_RUNS)
    add_json(parser)


def add_runs(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--runs", metavar="DIR", type=Path, default=DEFAULT_RUNS, help=_RUNS)


def add_network(parser: argparse.ArgumentParser) -> None:
    text = f"of players from CSV files: {network_names()} or a TOML file"
    parser.add_argument("--network", metavar="NAME", help=text)


def network_names() -> str:
    """The networks that have a name."""
    from game.networks.shipped import NAMED

    return ", ".join(NAMED)


def add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def add_player(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("player", metavar="PLAYER", help="as for match")


def add_position(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--fen", metavar="FEN", help="the position (default: the start of a game)")


def add_openings(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--openings", default="three-move", metavar="KIND", help="as for match (default: three-move)")


def add_lots_seed(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seed", type=int, metavar="N", help="of players that draw lots (default: random)")


def add_games_seed(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="same seed, same games (default: 1)")


def add_workers(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--workers", type=int, metavar="N", help="processes (default: one per core if it takes a while)"
    )


def add_cluster(parser: argparse.ArgumentParser) -> None:
    """The options of whatever plays games on a cluster, too."""
    parser.add_argument(
        "--cluster",
        metavar="ADDRESS",
        help="play the games on the Dask cluster whose scheduler is there, tcp://HOST:PORT or tls://HOST:PORT",
    )
    parser.add_argument(
        "--cluster-wait",
        type=float,
        default=0.0,
        metavar="SECONDS",
        help="with --cluster: wait so long for a scheduler, or for workers, that are gone (default: 5 for a scheduler, "
        "60 for workers)",
    )


def cluster(options: argparse.Namespace) -> Cluster | None:
    """The cluster that the options name, found to be there; None if they name none. Warns if it is open to others.

    Raises:
        InputError: it cannot be used.
    """
    from evolve.workers.cluster.address import Cluster

    if options.cluster is not None and options.workers is not None:
        raise InputError("--workers: not together with --cluster, whose workers play")
    where = Cluster.of(options.cluster, options.cluster_wait)
    if where is not None:
        warn_of_exposure(where)
    return where


def warn_of_exposure(cluster: Cluster) -> None:
    """Print a line to standard error if a cluster's port is open to other machines."""
    if cluster.exposure and not cluster.is_local:
        print(f"{PROGRAM}: {cluster.exposure}", file=sys.stderr, flush=True)


def piece_count(text: str) -> int:
    """A number of pieces that there can be tables for, as a type of an option."""
    from game.endgame.slices import LEAST_PIECES, MOST_BUILT

    if len(text) == 1 and text.isascii() and text.isdigit() and LEAST_PIECES <= int(text) <= MOST_BUILT:
        return int(text)
    raise argparse.ArgumentTypeError(f"expected a number of pieces from {LEAST_PIECES} to {MOST_BUILT}, got {text!r}")


def seed(given: int | None) -> int:
    """The seed that was given, else a new one of 32 bits.

    Raises:
        InputError: out of range.
    """
    if given is None:
        import secrets  # not above: it would be a tenth of what --help costs

        return secrets.randbits(32)
    if not 0 <= given < 2**63:
        raise InputError(f"--seed: expected a whole number from 0 to 2**63 - 1, got {given}")
    return given


def players(options: argparse.Namespace, *names: str) -> list[Player]:
    """The players behind names; runs and networks of CSV files as the options say.

    Raises:
        InputError: a name of nobody.
    """
    from evolve.names.registration import register
    from game.networks.network_file import find_network
    from game.players.registry import player

    register(options.runs, None if options.network is None else find_network(options.network))
    return [player(name) for name in names]


def position(fen: str | None) -> Position:
    """The position of a FEN; without one the start of a game.

    Raises:
        InputError: no FEN.
    """
    from game.board import Position

    return Position.start() if fen is None else Position.from_fen(fen)


def print_result(options: argparse.Namespace, as_json: Callable[[], Any], text: Callable[[], object]) -> None:
    """Print the result of a verb as ``--json`` asks: one JSON object, or words for people."""
    if options.json:
        print(json.dumps(as_json()))
    else:
        print_text(str(text()))


def print_text(text: str) -> None:
    """Print words for people, whose lines break between words where a terminal is narrow."""
    width = output_width()
    print(printable(text) if width is None else wrap_lines(printable(text), width), flush=True)
