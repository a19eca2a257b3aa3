"""The verb ``cluster``: print the commands that start a cluster, or start one on this machine."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from evolve.commands.options import print_text, warn_of_exposure
from game.errors import InputError
from game.installation import install_command

if TYPE_CHECKING:
    from evolve.workers.cluster.address import Cluster

PORT = 8786

EXAMPLES = (
    ("", "print the commands for this machine and a second one"),
    ("start --workers 4", "a cluster on this machine, until Ctrl-C"),
)


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Play games on several machines, with Dask. Without an action: print the commands that start a cluster on this "
        "machine and a second one, and the versions that must be the same on both (docs/cluster.md)."
    )
    _add_place(parser)
    actions = parser.add_subparsers(dest="action", metavar="ACTION", title="actions")
    start = actions.add_parser("start", help="run a scheduler and workers on this machine, until Ctrl-C")
    scheduler = actions.add_parser("scheduler", help="run only the scheduler, until Ctrl-C")
    worker = actions.add_parser("worker", help="run workers of a scheduler on this or another machine, until Ctrl-C")
    for each in (start, scheduler):
        _add_place(each, again=True)
        each.add_argument(
            "--dashboard", action="store_true", help="serve Dask's dashboard on this machine (needs bokeh)"
        )
    worker.add_argument(
        "address", metavar="ADDRESS", help="address that the scheduler prints: tcp://HOST:PORT or tls://HOST:PORT"
    )
    for each in (start, worker):
        each.add_argument("--workers", type=int, metavar="N", help="processes (default: one per core)")


def _add_place(parser: argparse.ArgumentParser, *, again: bool = False) -> None:
    """Add the options for where a scheduler listens.

    Args:
        parser: the parser of the verb, or of an action.
        again: whether it is the parser of an action. Options before the action then count unless they are given again.
    """
    defaults = ("127.0.0.1", PORT, False, False)
    host, port, tls, insecure = (argparse.SUPPRESS if again else default for default in defaults)
    parser.add_argument(
        "--host",
        default=host,
        help="address of this machine at which the scheduler listens (default: 127.0.0.1, for this machine alone)",
    )
    parser.add_argument(
        "--port", type=int, default=port, metavar="N", help=f"port at which it listens (default: {PORT})"
    )
    parser.add_argument(
        "--tls",
        action="store_true",
        default=tls,
        help="encrypt, and accept only machines that have the key, which this command creates",
    )
    parser.add_argument(
        "--insecure",
        action="store_true",
        default=insecure,
        help="listen beyond this machine without --tls: anyone who reaches the port can run programs on all machines",
    )


def run(options: argparse.Namespace) -> int:
    from evolve.workers.cluster.address import check_cluster_extra

    check_cluster_extra("cluster")
    actions = {None: _print, "start": _start, "scheduler": _scheduler, "worker": _worker}
    return actions[options.action](options)


def _place(options: argparse.Namespace) -> Cluster:
    from evolve.workers.cluster.address import Cluster, key_folder

    if options.tls and options.insecure:
        raise InputError("--insecure: not together with --tls")
    if not 1 <= options.port <= 65535:
        raise InputError(f"--port: expected 1 to 65535, got {options.port}")
    if options.host.strip("[]") in ("0.0.0.0", "::"):
        raise InputError(f"--host: expected an address at which others reach this one, got {options.host}")
    host = f"[{options.host}]" if options.host.count(":") > 1 and options.host[0] != "[" else options.host
    cluster = Cluster.parse(f"{'tls' if options.tls else 'tcp'}://{host}:{options.port}")
    if options.action is not None and cluster.exposure and not (cluster.is_local or options.insecure):
        raise InputError(
            f"--host {options.host}: expected --tls; without it, anyone who reaches port {options.port} of this "
            "machine can run programs on all machines of the cluster (--insecure allows that)"
        )
    if options.tls:
        from evolve.workers.cluster.address import make_keys

        if make_keys(key_folder()):
            print_text(f"made a certificate and a key in {key_folder()}, valid for a year")
    return cluster


def _print(options: argparse.Namespace) -> int:
    from evolve.workers.cluster.local import instructions

    print_text(instructions(_place(options), insecure=options.insecure))
    return 0


def _start(options: argparse.Namespace) -> int:
    from evolve.workers.pool import worker_count

    return _run(_place(options), worker_count(options.workers), dashboard=options.dashboard)


def _scheduler(options: argparse.Namespace) -> int:
    return _run(_place(options), 0, dashboard=options.dashboard)


def _worker(options: argparse.Namespace) -> int:
    from evolve.workers.cluster.address import Cluster
    from evolve.workers.pool import worker_count

    cluster = Cluster.parse(options.address)
    warn_of_exposure(cluster)
    return _run(cluster, worker_count(options.workers), scheduler=False)


def _run(cluster: Cluster, workers: int, *, scheduler: bool = True, dashboard: bool = False) -> int:
    """Run a scheduler, workers or both until they are interrupted."""
    from importlib.util import find_spec

    from evolve.workers.cluster.local import LocalCluster
    from evolve.workers.pool import Interrupted, Interruption

    if dashboard and find_spec("bokeh") is None:
        raise InputError(f"--dashboard needs bokeh: {install_command('bokeh')}")
    with Interruption() as wish:
        try:
            with LocalCluster(
                cluster, workers, scheduler=scheduler, dashboard=dashboard, tick=wish.check, tell=print_text
            ) as local:
                print_text(local.words())
                local.wait()
        except Interrupted:
            print_text("stopped: all processes of this command have ended")
    return wish.exit_code
