"""The options with which verbs play their games on a cluster, and addresses in forms."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from extras.cluster.address import Cluster, check_cluster_extra
from game.errors import InputError
from game.installation import PROGRAM

if TYPE_CHECKING:
    from extras.cluster.workers import ClusterMachines

EXAMPLE = "a cluster (tcp://…)"
"""An address, in words of a form."""


def add(machines: argparse._ArgumentGroup) -> None:
    machines.add_argument(
        "--cluster",
        metavar="ADDRESS",
        help="play the games on the Dask cluster with this scheduler, tcp://HOST:PORT or tls://HOST:PORT",
    )
    machines.add_argument(
        "--cluster-wait",
        type=float,
        default=0.0,
        metavar="SECONDS",
        help="with --cluster: time to wait for a scheduler or for workers that are gone (default: 5 for a scheduler, "
        "60 for workers)",
    )


def chosen(options: argparse.Namespace) -> ClusterMachines | None:
    """Return the cluster that the options name, if any.

    Raises:
        InputError: there is no such cluster, or it cannot be used.
    """
    if options.cluster is None:
        if options.cluster_wait:
            raise InputError("--cluster-wait: only together with --cluster")
        return None
    if options.workers is not None:
        raise InputError("--workers: not together with --cluster, whose workers play")
    Cluster.parse(options.cluster, options.cluster_wait).check()
    from extras.cluster.workers import ClusterMachines

    where = ClusterMachines.parse(options.cluster, options.cluster_wait)
    warn_of_exposure(where)
    return where


def warn_of_exposure(cluster: Cluster) -> None:
    """Print a line to standard error if a cluster's port is open to other machines."""
    if cluster.exposure and not cluster.is_local:
        print(f"{PROGRAM}: {cluster.exposure}", file=sys.stderr, flush=True)


def option(text: str) -> str | None:
    return f"--cluster={text}" if "://" in text else None


def problem(text: str) -> str:
    try:
        Cluster.parse(text)
        check_cluster_extra("a cluster")
    except InputError as error:
        return str(error).removeprefix("--cluster: ")
    return ""
