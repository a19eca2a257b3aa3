"""Dask's processes and clients, with the settings that a session needs."""

from __future__ import annotations

import logging
import os
import socket
import sys
from typing import TYPE_CHECKING

from evolve.workers.cluster.address import Cluster
from evolve.workers.logs import QUIETLY
from game.errors import InputError, describe, one_line
from game.installation import TREE

if TYPE_CHECKING:
    from distributed import Client

log = logging.getLogger(__name__)

SILENCE = "120s"
"""Of a connection, until it counts as cut: longer than a network stalls for a moment."""


def new_client(cluster: Cluster, timeout: float) -> Client:
    """A client that is not connected yet, in an event loop.

    Args:
        cluster: where its scheduler is.
        timeout: seconds that a scheduler may take to answer.

    Raises:
        InputError: there is no key for it.
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
    """Puts what Dask says of this side into the log of the session; a person is told in our words."""

    def emit(self, record: logging.LogRecord) -> None:
        log.info("%s: %s", record.name, one_line(record.getMessage()), extra=QUIETLY)


def _log_quietly() -> None:
    for name in ("distributed", "distributed.client", "tornado", "tornado.application", "asyncio"):  # Dask handles each
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [_ToLog(logging.WARNING)], False


LOOPBACK = "127.0.0.1"
DASHBOARD = f"{LOOPBACK}:8787"
NO_DASHBOARD = ("--dashboard-address", f"{LOOPBACK}:0", "--no-dashboard")
"""Dask listens to HTTP without it, too, and beyond this machine unless told otherwise."""
SETTINGS = {
    "DASK_DISTRIBUTED__COMM__TIMEOUTS__TCP": SILENCE,
    "DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": "15 minutes",  # deep games are longer than Dask's five
    "DASK_DISTRIBUTED__ADMIN__TICK__INTERVAL": "500ms",  # of what watches it, fifty times a second by itself
    "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False",  # a look into the games, a hundred times a second
    # Dask lets a worker give all memory back after each task, to fetch it anew, page by page, for the next one.
    "MALLOC_MMAP_THRESHOLD_": str(32 << 20),
    "MALLOC_TRIM_THRESHOLD_": str(256 << 20),
    "NUMBA_NUM_THREADS": "1",
}
"""Settings of Dask, and of a worker that is one thread, in their environment."""


def scheduler_command(cluster: Cluster, *, dashboard: bool) -> list[str]:
    """The command of a scheduler that listens where a cluster is.

    Args:
        cluster: its address.
        dashboard: let Dask's dashboard listen on this machine.

    Raises:
        InputError: there is no key for it.
    """
    where = f"{cluster.protocol}://{cluster.host}"
    shown = ["--dashboard-address", DASHBOARD] if dashboard else NO_DASHBOARD
    return [*_python("dask_scheduler"), "--host", where, "--port", str(cluster.port), *shown, *_keys(cluster)]


def worker_command(cluster: Cluster, workers: int) -> list[str]:
    """The command of workers of a cluster, a process each, which are started again when they die.

    Raises:
        InputError: there is no key, or no way to the scheduler.
    """
    options = ["--host", own_address(cluster), "--nworkers", str(workers), "--nthreads", "1"]
    # What a session keeps on a worker is small, and a worker that Dask ends for its memory plays nothing.
    options += ["--memory-limit", "0", *NO_DASHBOARD]
    return [*_python("dask_worker"), cluster.address, *options, *_keys(cluster)]


def environment() -> dict[str, str]:
    """The environment of both: that of this process, with settings, and with this program where Python looks."""
    path = os.pathsep.join(filter(None, [str(TREE), os.environ.get("PYTHONPATH", "")]))
    return {**os.environ, **SETTINGS, "PYTHONPATH": path}


def own_address(cluster: Cluster) -> str:
    """The address of this machine on its way to a scheduler: the loopback address if that is on this machine.

    Raises:
        InputError: there is no way.
    """
    try:
        family, kind, protocol, _, place = socket.getaddrinfo(
            cluster.host.strip("[]"), cluster.port, type=socket.SOCK_DGRAM
        )[0]
        with socket.socket(family, kind, protocol) as way:
            way.connect(place)  # of datagrams: nothing is sent
            address = str(way.getsockname()[0])
            return f"[{address}]" if ":" in address else address
    except OSError as error:
        raise InputError(f"{cluster.address}: no way to it: {describe(error)}") from error


def _python(module: str) -> list[str]:
    # -P: what lies in the folder that a person is in is not what is imported.
    return [sys.executable, "-P", "-m", f"distributed.cli.{module}"]


def _keys(cluster: Cluster) -> list[str]:
    if cluster.protocol != "tls":
        return []
    certificate, key = cluster.key_files()
    return ["--tls-ca-file", certificate, "--tls-cert", certificate, "--tls-key", key]
