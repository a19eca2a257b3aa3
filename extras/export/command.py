"""The verb ``export``: write a run or a player in one of the formats of the extras."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from evolve.commands import options as shared
from evolve.run.files import check_folder, check_target, together
from extras import formats
from game.errors import InputError
from game.installation import check_extra

EXAMPLES = (
    ("crownhead --html crownhead.html", "a page that plays in any browser, without a connection"),
    ("crownhead --onnx crownhead.onnx", "a network for other programs"),
    ("--evolving page.html", "a page whose player evolves while you play against it"),
    ("mine --tensorboard curves", "the curves of a run for TensorBoard"),
)


def arguments(parser: argparse.ArgumentParser) -> None:
    tables = " or ".join(f"--{name}" for name in formats("run"))
    what = f"as for match; with {tables}, a run; nothing with --evolving alone"
    parser.add_argument("target", metavar="PLAYER", nargs="?", help=what)
    for name, each in formats("run").items():
        parser.add_argument(f"--{name}", metavar="DIR", type=Path, help=each.TEXTS["run"])
    for name, each in formats("player").items():
        parser.add_argument(f"--{name}", metavar="FILE", type=Path, help=each.TEXTS["player"])
    text = "write a page that evolves a player in any browser"
    parser.add_argument("--evolving", metavar="FILE", type=Path, help=text)
    parser.add_argument("--seed", type=int, metavar="N", help="with --evolving: seed of its run (default: random)")
    shared.add_network(parser)
    shared.add_runs(parser)
    shared.add_json(parser)


def run(options: argparse.Namespace) -> int:
    targets = _given(options, "player")
    folders = _given(options, "run")
    if not (folders or targets or options.evolving):
        ways = [f"--{name} FILE.{name}" for name in formats("player")] + ["--evolving FILE.html"]
        ways += [f"--{name} DIR" for name in formats("run")]
        raise InputError(f"export: expected what to write: {', '.join(ways[:-1])} or {ways[-1]}")
    if options.target is None and (folders or targets):
        raise InputError("export: expected a player or a run; only --evolving needs none")
    if options.target is not None and not (folders or targets):
        raise InputError(f"export: --evolving begins with random weights, so it takes no player, got {options.target}")
    if options.seed is not None and not options.evolving:
        raise InputError("--seed: expected --evolving, too, as only its page has a seed")
    evolving = {"html": options.evolving} if options.evolving else {}
    for name, path in [*targets.items(), *evolving.items()]:
        if path.suffix.lower() != f".{name}":
            raise InputError(f"{path}: expected a name that ends in .{name}")
        check_target(path)
    for folder in folders.values():
        check_folder(folder)
    files = _files(options, targets) if targets else {}  # before anything is written, as a player may be refused
    if options.evolving:
        from extras.export.evolving_page import evolving_page

        files[options.evolving] = evolving_page(shared.seed(options.seed)).encode()
    written: list[Path] = []
    with together() as save:
        for name, folder in folders.items():
            written += _of_run(options, name, folder, save)
        for path, data in files.items():
            save(path, data)
            written.append(path)
    shared.print_result(
        options,
        lambda: {"written": [str(path) for path in written]},
        lambda: "\n".join(f"{path}: {path.stat().st_size:,} bytes" for path in written),
    )
    return 0


def _given(options: argparse.Namespace, what: str) -> dict[str, Path]:
    given = {name: path for name in formats(what) if (path := getattr(options, name)) is not None}
    for name in given:
        packages = formats(what)[name].PACKAGES
        check_extra(f"export --{name} needs {' and '.join(packages)}", "export", packages)
    return given


def _of_run(options: argparse.Namespace, name: str, folder: Path, save: Callable[[Path, bytes], None]) -> list[Path]:
    from evolve.run.folder import Run
    from evolve.session.reporters import CountingLine

    line = CountingLine(quiet=options.json)
    try:
        run = Run.open(options.target, options.runs)
        paths: list[Path] = formats("run")[name].of_run(
            run, folder, save, lambda number: line.count(f"generation {number}")
        )
        return paths
    finally:
        line.count("")


def _files(options: argparse.Namespace, targets: dict[str, Path]) -> dict[Path, bytes]:
    (player,) = shared.players(options, options.target)
    if player.network is None:
        raise InputError(f"{options.target}: has no network to export")
    return {path: formats("player")[name].of_player(player, options.runs) for name, path in targets.items()}
