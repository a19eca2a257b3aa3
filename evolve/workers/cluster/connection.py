"""The way to a scheduler: a client of Dask, its key, and where its own words go."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from evolve.workers.cluster.address import Cluster
from evolve.workers.logs import QUIETLY
from game.errors import one_line

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
