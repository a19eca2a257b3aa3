"""Dask processes and clients with the settings that a session needs."""

from __future__ import annotations

import logging
import os
import socket
import sys
from typing import TYPE_CHECKING

from evolve.workers.cluster.address import Cluster
from evolve.workers.logs import QUIETLY
from game.errors import InputError, describe, one_line
from game.installation import INSTALLED, TREE

if TYPE_CHECKING:
    from distributed import Client

log = logging.getLogger(__name__)

SILENCE = "120s"
"""A connection counts as cut after this time without an answer; a network may stall for a while."""


def new_client(cluster: Cluster, timeout: float) -> Client:
    """Create a client that is not yet connected; call this in an event loop.

    Args:
        cluster: the address of its scheduler.
        timeout: seconds that the scheduler may take to answer.

    Raises:
        InputError: the key is missing.
    """
    import dask
    from distributed import Client
    from distributed.security import Security

    security = None
    if cluster.protocol == "tls":
        certificate, key = cluster.key_files()
        security = Security(
            tls_ca_file=certificate, tls_client_cert=certificate, tls_client_key=key, require_encryption=True
        )
    dask.config.set({"distributed.comm.timeouts.tcp": SILENCE})
    _log_quietly()
    return Client(
        cluster.address,
        asynchronous=True,
        security=security,
        timeout=timeout,
        set_as_default=False,
        direct_to_workers=True,
    )


class _ToLog(logging.Handler):
    """A handler that writes Dask's messages only to the session's log, since the user sees our own messages."""

    def emit(self, record: logging.LogRecord) -> None:
        log.info("%s: %s", record.name, one_line(record.getMessage()), extra=QUIETLY)


def _log_quietly() -> None:
    # Dask adds a handler to each of these loggers.
    for name in ("distributed", "distributed.client", "tornado", "tornado.application", "asyncio"):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [_ToLog(logging.WARNING)], False


LOOPBACK = "127.0.0.1"
NO_DASHBOARD = ("--dashboard-address", f"{LOOPBACK}:0", "--no-dashboard")
"""Options for Dask's HTTP server, which runs even without a dashboard, and by default on all interfaces."""
SETTINGS = {
    "DASK_DISTRIBUTED__COMM__TIMEOUTS__TCP": SILENCE,
    "DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": "15 minutes",  # deep games may take longer than the default of five
    "DASK_DISTRIBUTED__ADMIN__TICK__INTERVAL": "500ms",  # the default is to monitor fifty times a second
    "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False",  # it would sample the call stack a hundred times a second
    # Otherwise a worker returns all memory after each task and fetches it again, page by page, for the next one.
    "MALLOC_MMAP_THRESHOLD_": str(32 << 20),
    "MALLOC_TRIM_THRESHOLD_": str(256 << 20),
    "NUMBA_NUM_THREADS": "1",
}
"""Environment variables for Dask, and for workers with one thread."""


def scheduler_command(cluster: Cluster) -> list[str]:
    """Return the command of a scheduler that listens at a cluster's address.

    Raises:
        InputError: the key is missing.
    """
    host = f"{cluster.protocol}://{cluster.host}"
    return [*_python("dask_scheduler"), "--host", host, "--port", str(cluster.port), *NO_DASHBOARD, *_keys(cluster)]


def worker_command(cluster: Cluster, workers: int) -> list[str]:
    """Return the command that runs workers of a cluster, each in a process that is restarted when it dies.

    Raises:
        InputError: the key is missing, or there is no route to the scheduler.
    """
    options = ["--host", own_address(cluster), "--nworkers", str(workers), "--nthreads", "1"]
    # No memory limit: a session stores little on a worker, and Dask would end a worker that exceeds it.
    options += ["--memory-limit", "0", *NO_DASHBOARD]
    return [*_python("dask_worker"), cluster.address, *options, *_keys(cluster)]


def environment() -> dict[str, str]:
    """Return the environment of schedulers and workers: this process's, plus `SETTINGS` and this program's path."""
    root = TREE.parent if INSTALLED else TREE
    path = os.pathsep.join(filter(None, [str(root), os.environ.get("PYTHONPATH", "")]))
    return {**os.environ, **SETTINGS, "PYTHONPATH": path}


def own_address(cluster: Cluster) -> str:
    """Return the address of this machine as seen by a scheduler: the loopback address if the scheduler runs here.

    Raises:
        InputError: there is no route to the scheduler.
    """
    try:
        family, kind, protocol, _, place = socket.getaddrinfo(
            cluster.host.strip("[]"), cluster.port, type=socket.SOCK_DGRAM
        )[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.connect(place)  # connecting a datagram socket sends nothing
            address = str(probe.getsockname()[0])
            return f"[{address}]" if ":" in address else address
    except OSError as error:
        raise InputError(f"{cluster.address}: no route to it: {describe(error)}") from error


def _python(module: str) -> list[str]:
    # -P: do not import modules from the current folder.
    return [sys.executable, "-P", "-m", f"distributed.cli.{module}"]


def _keys(cluster: Cluster) -> list[str]:
    if cluster.protocol != "tls":
        return []
    certificate, key = cluster.key_files()
    return ["--tls-ca-file", certificate, "--tls-cert", certificate, "--tls-key", key]
