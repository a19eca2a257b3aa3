"""The verb ``cluster``, which runs a scheduler and workers, and the options with which verbs play on a cluster."""

from __future__ import annotations

import argparse
import contextlib
import socket
from typing import Any

from evolve.commands.options import exit_at_signals, print_text
from extras.cluster.address import ANSWER_SECONDS, PORT, SILENCE, Cluster, check_packages, key_folder, make_keys
from game.errors import InputError, describe
from game.installation import COMMAND
from game.number_text import count_text

EXAMPLES = (("start --workers 4", "a cluster on this machine, until Ctrl-C"),)
# Dask's HTTP servers run even without a dashboard, and by default on all interfaces.
HERE_ALONE: dict[str, Any] = {"dashboard": False, "dashboard_address": "127.0.0.1:0"}
SETTINGS = {
    "distributed.comm.timeouts.tcp": SILENCE,
    "distributed.scheduler.worker-ttl": "15 minutes",  # deep games may take longer than the default of five
    "distributed.admin.tick.interval": "500ms",  # the default is to monitor fifty times a second
    "distributed.worker.profile.enabled": False,  # it would sample the call stack a hundred times a second
    "distributed.nanny.pre-spawn-environ": {
        # Otherwise a worker returns all memory after each task and fetches it again, page by page, for the next one.
        "MALLOC_MMAP_THRESHOLD_": 32 << 20,
        "MALLOC_TRIM_THRESHOLD_": 256 << 20,
        "NUMBA_NUM_THREADS": 1,
    },
}
CLOSE_SECONDS, AGAIN_SECONDS = 2.0, 2.0


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = "Play games on several machines, with Dask (extras/cluster/cluster.md)."
    actions = parser.add_subparsers(dest="action", metavar="ACTION", title="actions", required=True)
    start = actions.add_parser("start", help="run a scheduler and workers on this machine, until Ctrl-C")
    worker = actions.add_parser("worker", help="run workers of a scheduler on another machine, until Ctrl-C")
    listens = "address of this machine at which the scheduler listens (default: 127.0.0.1, for this machine alone)"
    start.add_argument("--host", default="127.0.0.1", help=listens)
    start.add_argument("--port", type=int, default=PORT, metavar="N", help=f"its port (default: {PORT})")
    key = "encrypt, and accept only machines that have the key, which this command creates"
    start.add_argument("--tls", action="store_true", help=key)
    worker.add_argument("address", metavar="ADDRESS", help="tcp://HOST:PORT or tls://HOST:PORT of the scheduler")
    for each, none in ((start, "; 0 for the scheduler alone"), (worker, "")):
        each.add_argument("--workers", type=int, metavar="N", help=f"processes (default: one per core{none})")


def add(machines: argparse._ArgumentGroup) -> None:
    where = "play the games on the Dask cluster with this scheduler, tcp://HOST:PORT or tls://HOST:PORT"
    machines.add_argument("--cluster", metavar="ADDRESS", help=where)
    wait = "time to wait for a scheduler or for workers that are gone (default: 5 for a scheduler, 60 for workers)"
    machines.add_argument("--cluster-wait", type=float, default=0.0, metavar="SECONDS", help=f"with --cluster: {wait}")


def chosen(options: argparse.Namespace) -> Cluster | None:
    """Return the cluster that the options name, if any, after a check that it answers."""
    if options.cluster is None:
        if options.cluster_wait:
            raise InputError("--cluster-wait: only together with --cluster")
        return None
    if options.workers is not None:
        raise InputError("--workers: not together with --cluster, whose workers play")
    from extras.cluster.workers import ClusterMachines

    cluster = ClusterMachines.parse(options.cluster, options.cluster_wait)
    check_packages("--cluster")
    try:
        cluster.connect_once(ANSWER_SECONDS)
    except OSError as error:
        raise InputError(f"--cluster {cluster.address}: no answer: {describe(error)}") from error
    return cluster


def run(options: argparse.Namespace) -> int:
    import asyncio  # here, as it takes longer to import than all else that help needs

    from evolve.workers.pool import worker_count

    check_packages("cluster")
    start = options.action == "start"
    workers = 0 if start and options.workers == 0 else worker_count(options.workers)
    cluster = _place(options) if start else Cluster.parse(options.address)
    with exit_at_signals():
        asyncio.run(serve_scheduler(cluster, workers) if start else serve_workers(cluster, workers))
    return 0


def _place(options: argparse.Namespace) -> Cluster:
    if not 1 <= options.port <= 65535:
        raise InputError(f"--port: expected 1 to 65535, got {options.port}")
    if options.host.strip("[]") in ("0.0.0.0", "::"):
        raise InputError(f"--host: expected an address at which others reach this one, got {options.host}")
    host = f"[{options.host}]" if options.host.count(":") > 1 and options.host[0] != "[" else options.host
    cluster = Cluster.parse(f"{'tls' if options.tls else 'tcp'}://{host}:{options.port}")
    if options.tls and make_keys(key_folder()):
        print_text(f"made a certificate and a key in {key_folder()}, valid for a year; copy both to each other machine")
    return cluster


async def serve_scheduler(cluster: Cluster, workers: int) -> None:
    """Run a scheduler and workers on this machine, until the scheduler ends."""
    import dask
    from distributed import Scheduler

    try:  # Dask would leave sockets behind
        family, *_, place = socket.getaddrinfo(*cluster.place, type=socket.SOCK_STREAM)[0]
        socket.create_server(place[:2], family=family).close()
    except OSError as error:
        text = f"this machine cannot listen there: {describe(error)}; choose another --host or --port"
        raise InputError(f"{cluster.address}: {text}") from error
    dask.config.set(SETTINGS)
    async with contextlib.AsyncExitStack() as stack:
        options = {"host": f"{cluster.protocol}://{cluster.host}", "port": cluster.port, **HERE_ALONE}
        scheduler = await stack.enter_async_context(Scheduler(security=cluster.security(), **options))
        print_text(f"scheduler at {cluster.address}, until Ctrl-C")
        print_text(f"more workers: {COMMAND} cluster worker {cluster.address}")
        print_text(f"play on them with: {COMMAND} evolve --preset blondie24 --cluster {cluster.address}")
        if cluster.protocol == "tcp":
            print_text("every user of this machine can reach that port and run programs as you; --tls prevents it")
        if workers:
            await stack.enter_async_context(_workers(cluster, workers))
        await scheduler.finished()


async def serve_workers(cluster: Cluster, workers: int) -> None:
    """Run workers whenever there is a scheduler."""
    import asyncio

    import dask

    dask.config.set(SETTINGS)
    while True:
        if not cluster.answers():
            print_text(f"no scheduler answers at {cluster.address}; waiting for it")
        while not cluster.answers():
            await asyncio.sleep(AGAIN_SECONDS)
        with contextlib.suppress(OSError):  # it has ended in the meantime
            async with _workers(cluster, workers) as started:
                await asyncio.gather(*(nanny.finished() for nanny in started))


@contextlib.asynccontextmanager
async def _workers(cluster: Cluster, count: int) -> Any:
    """Run workers, each in a process of its own that is started again when it dies."""
    import asyncio

    from distributed import Nanny

    # No memory limit: a session stores little on a worker, and Dask would end a worker that exceeds it.
    options = {"nthreads": 1, "memory_limit": 0, "host": own_address(cluster), **HERE_ALONE}
    async with contextlib.AsyncExitStack() as stack:
        nannies = [Nanny(cluster.address, security=cluster.security(), **options) for _ in range(count)]
        for nanny in nannies:
            stack.push_async_callback(_end, nanny)
        await asyncio.gather(*nannies)
        print_text(f"{count_text(count, 'worker')} of {cluster.address}, until Ctrl-C")
        yield nannies


async def _end(nanny: Any) -> None:
    with contextlib.suppress(Exception):  # Dask cannot close one that is still starting, but ends its process
        await nanny.close(timeout=CLOSE_SECONDS)


def own_address(cluster: Cluster) -> str:
    """Return the address of this machine as the scheduler sees it."""
    from distributed.utils import get_ip

    address = str(get_ip(*cluster.place))
    return f"[{address}]" if ":" in address else address
