"""The verb ``export``: write a run for TensorBoard or as Parquet, or a player in one of the formats of `FORMATS`."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from evolve.commands import options as shared
from evolve.run.files import check_folder, check_target, together, write_new
from game.errors import InputError
from game.installation import check_extra

if TYPE_CHECKING:
    from game.players.player import Player

EXAMPLES = (
    ("crownhead --html crownhead.html", "a page that plays in any browser, without a connection"),
    ("crownhead --onnx crownhead.onnx", "a network for other programs"),
    ("mine --tensorboard", "the curves of a run for TensorBoard"),
    ("mine --parquet tables", "the log and all individuals of a run as two tables"),
)


class Format(NamedTuple):
    """A format of a file for a player with a network.

    Attributes:
        write: returns the contents, given a player that has a network, and the folder of runs.
        packages: packages of the extra `export` that it needs.
    """

    write: Callable[[Player, Path], bytes]
    text: str
    packages: tuple[str, ...] = ()


def _page(player: Player, runs: Path) -> bytes:
    from evolve.export.html import page_of

    return page_of(player, runs).encode()


def _model(player: Player, runs: Path) -> bytes:
    from evolve.export.onnx import onnx_model

    assert player.network is not None
    return onnx_model(player.name, player.network)


FORMATS: dict[str, Format] = {
    "html": Format(_page, "write a page that plays like the player in any browser"),
    "onnx": Format(_model, "write its network as an ONNX model", ("onnx",)),
}
"""Formats of files for players by their endings, which are also the options."""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("target", metavar="PLAYER", help="as for match; with --tensorboard or --parquet, a run")
    parser.add_argument("--tensorboard", action="store_true", help="write event files of the run into its folder")
    parser.add_argument(
        "--parquet",
        metavar="DIR",
        type=Path,
        help="write the log of the run and its individuals as Parquet files into this folder",
    )
    parser.add_argument(
        "--every", type=int, metavar="N", help="with --parquet: only every N-th generation, and the newest"
    )
    for ending, each in FORMATS.items():
        parser.add_argument(f"--{ending}", metavar="FILE", type=Path, help=each.text)
    shared.add_network(parser)
    shared.add_runs(parser)
    shared.add_json(parser)


def run(options: argparse.Namespace) -> int:
    targets = {ending: path for ending in FORMATS if (path := getattr(options, ending)) is not None}
    if not (options.tensorboard or options.parquet or targets):
        formats = ", ".join(f"--{ending} FILE.{ending}" for ending in FORMATS)
        raise InputError(f"export: expected what to write: {formats}, --tensorboard or --parquet DIR")
    if options.every is not None and (options.parquet is None or options.every < 1):
        raise InputError(f"--every: expected 1 or more, together with --parquet, got {options.every}")
    for ending, path in targets.items():
        if path.suffix.lower() != f".{ending}":
            raise InputError(f"{path}: expected a name that ends in .{ending}")
        check_target(path)
    if options.parquet:
        check_folder(options.parquet)
    files = _files(options, targets) if targets else {}  # before anything is written, as a player may be refused
    events: list[Path] = []
    try:
        with together() as begin:
            written = _tables(options, begin) if options.parquet else []
            for path, data in files.items():
                write_new(begin(path), [data], path, durable=False)
                written.append(path)
            if options.tensorboard:
                events.append(_events(options))
    except BaseException:
        for path in events:  # a file with a new name; the one before it is still there
            path.unlink(missing_ok=True)
        raise
    written += events
    shared.print_result(
        options,
        lambda: {"written": [str(path) for path in written]},
        lambda: "\n".join(f"{path}: {path.stat().st_size:,} bytes" for path in written),
    )
    return 0


def _events(options: argparse.Namespace) -> Path:
    check_extra("export --tensorboard needs tensorboardX", "export", ("tensorboardX",))
    from evolve.export.event_file import EventFile
    from evolve.run.folder import Run
    from evolve.run.status import lock

    run = Run.open(options.target, options.runs)
    with lock(run.path):
        file = EventFile(run)
        file.close()
        return file.path


def _tables(options: argparse.Namespace, begin: Callable[[Path], Path]) -> list[Path]:
    check_extra("export --parquet needs pyarrow", "export", ("pyarrow",))
    from evolve.export.parquet import write_run
    from evolve.run.folder import Run
    from evolve.session.reporters import CountingLine

    line = CountingLine(quiet=options.json)
    try:
        run = Run.open(options.target, options.runs)
        every = options.every or 1
        return write_run(run, options.parquet, begin, every, lambda number: line.count(f"generation {number}"))
    finally:
        line.count("")


def _files(options: argparse.Namespace, targets: dict[str, Path]) -> dict[Path, bytes]:
    """Return the files of a player with their contents."""
    for ending in targets:
        packages = FORMATS[ending].packages
        check_extra(f"export --{ending} needs {' and '.join(packages)}", "export", packages)
    (player,) = shared.players(options, options.target)
    if player.network is None:
        raise InputError(f"{options.target}: has no network to export")
    return {path: FORMATS[ending].write(player, options.runs) for ending, path in targets.items()}
