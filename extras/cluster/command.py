"""The verb ``cluster``: start a scheduler and workers on this machine, or workers of a scheduler elsewhere."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from evolve.commands.options import print_text
from game.errors import InputError

if TYPE_CHECKING:
    from extras.cluster.address import Cluster

PORT = 8786

EXAMPLES = (("start --workers 4", "a cluster on this machine, until Ctrl-C"),)


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = "Play games on several machines, with Dask (extras/cluster/cluster.md)."
    actions = parser.add_subparsers(dest="action", metavar="ACTION", title="actions", required=True)
    start = actions.add_parser("start", help="run a scheduler and workers on this machine, until Ctrl-C")
    worker = actions.add_parser("worker", help="run workers of a scheduler on another machine, until Ctrl-C")
    start.add_argument(
        "--host",
        default="127.0.0.1",
        help="address of this machine at which the scheduler listens (default: 127.0.0.1, for this machine alone)",
    )
    start.add_argument(
        "--port", type=int, default=PORT, metavar="N", help=f"port at which it listens (default: {PORT})"
    )
    start.add_argument(
        "--tls",
        action="store_true",
        help="encrypt, and accept only machines that have the key, which this command creates",
    )
    start.add_argument(
        "--insecure",
        action="store_true",
        help="listen beyond this machine without --tls: anyone who reaches the port can run programs on all machines",
    )
    worker.add_argument(
        "address", metavar="ADDRESS", help="address that the scheduler prints: tcp://HOST:PORT or tls://HOST:PORT"
    )
    for each, none in ((start, "; 0 for the scheduler alone"), (worker, "")):
        each.add_argument("--workers", type=int, metavar="N", help=f"processes (default: one per core{none})")


def run(options: argparse.Namespace) -> int:
    from evolve.workers.pool import Interrupted, Interruption, worker_count
    from extras.cluster.address import Cluster, check_cluster_extra
    from extras.cluster.local import LocalCluster
    from extras.cluster.options import warn_of_exposure

    check_cluster_extra("cluster")
    start = options.action == "start"
    workers = 0 if start and options.workers == 0 else worker_count(options.workers)
    cluster = _place(options) if start else Cluster.parse(options.address)
    if not start:
        warn_of_exposure(cluster)
    with Interruption() as wish:
        try:
            with LocalCluster(cluster, workers, scheduler=start, tick=wish.check, tell=print_text) as local:
                print_text(local.words())
                local.wait()
        except Interrupted:
            print_text("stopped: all processes of this command have ended")
    return wish.exit_code


def _place(options: argparse.Namespace) -> Cluster:
    from extras.cluster.address import Cluster, key_folder, make_keys

    if options.tls and options.insecure:
        raise InputError("--insecure: not together with --tls")
    if not 1 <= options.port <= 65535:
        raise InputError(f"--port: expected 1 to 65535, got {options.port}")
    if options.host.strip("[]") in ("0.0.0.0", "::"):
        raise InputError(f"--host: expected an address at which others reach this one, got {options.host}")
    host = f"[{options.host}]" if options.host.count(":") > 1 and options.host[0] != "[" else options.host
    cluster = Cluster.parse(f"{'tls' if options.tls else 'tcp'}://{host}:{options.port}")
    if cluster.exposure and not (cluster.is_local or options.insecure):
        raise InputError(
            f"--host {options.host}: expected --tls; without it, anyone who reaches port {options.port} of this "
            "machine can run programs on all machines of the cluster (--insecure allows that)"
        )
    if options.tls and make_keys(key_folder()):
        print_text(
            f"made a certificate and a key in {key_folder()}, valid for a year; copy both files to each other machine"
        )
    return cluster
