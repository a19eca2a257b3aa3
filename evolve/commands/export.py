"""The verb ``export``: write a run for TensorBoard or as Parquet; players as pages or ONNX models."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from evolve.commands import options as shared
from evolve.run.files import check_folder, check_target, together, write_new
from game.errors import InputError
from game.installation import check_extra

EXAMPLES = (
    ("crownhead --html crownhead.html", "a page that plays in any browser, without a connection"),
    ("crownhead --onnx crownhead.onnx", "a network for other programs"),
    ("mine --tensorboard", "the curves of a run for TensorBoard"),
    ("mine --parquet tables", "the log and all individuals of a run as two tables"),
)


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
    parser.add_argument(
        "--html", metavar="FILE", type=Path, help="write a page that plays like the player in any browser"
    )
    parser.add_argument("--onnx", metavar="FILE", type=Path, help="write its network as an ONNX model")
    shared.add_network(parser)
    shared.add_runs(parser)
    shared.add_json(parser)


def run(options: argparse.Namespace) -> int:
    targets = {".html": options.html, ".onnx": options.onnx}
    if not (options.tensorboard or options.parquet or any(targets.values())):
        raise InputError(
            "export: expected what to write: --html FILE.html, --tensorboard, --parquet DIR or --onnx FILE.onnx"
        )
    if options.every is not None and (options.parquet is None or options.every < 1):
        raise InputError(f"--every: expected 1 or more, together with --parquet, got {options.every}")
    for ending, given in targets.items():
        if given is not None:
            if given.suffix.lower() != ending:
                raise InputError(f"{given}: expected a name that ends in {ending}")
            check_target(given)
    if options.parquet:
        check_folder(options.parquet)
    models = _models(options) if any(targets.values()) else {}  # before anything is written, as a player may be refused
    events: list[Path] = []
    try:
        with together() as begin:
            written = _tables(options, begin) if options.parquet else []
            for path, data in models.items():
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


def _models(options: argparse.Namespace) -> dict[Path, bytes]:
    """Return the files of a player with their contents."""
    (player,) = shared.players(options, options.target)
    if player.network is None:
        raise InputError(f"{options.target}: has no network to export")
    models = {}
    if options.html:
        from evolve.export.html import page_of

        models[options.html] = page_of(player, options.runs).encode()
    if options.onnx:
        check_extra("export --onnx needs onnx", "export", ("onnx",))
        from evolve.export.onnx import onnx_model

        models[options.onnx] = onnx_model(player.name, player.network)
    return models
