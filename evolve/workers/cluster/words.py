"""The commands that start a cluster, in words."""

from __future__ import annotations

import socket
from dataclasses import replace

from evolve.workers.cluster.address import CERTIFICATE, KEY, Cluster, key_folder
from evolve.workers.cluster.conditions import conditions
from evolve.workers.cluster.dask_commands import is_loopback
from game.installation import COMMAND


def instructions(cluster: Cluster) -> str:
    """The commands for this machine and a second one, and what must be the same on both.

    Args:
        cluster: where its scheduler is to listen.
    """
    tls = " --tls" if cluster.protocol == "tls" else ""
    port = "" if cluster.port == 8786 else f" --port {cluster.port}"
    local = replace(cluster, host="127.0.0.1").address
    wide = replace(cluster, host=_outer_address()) if is_loopback(cluster.host) else cluster
    lines = [
        "On this machine alone: a cluster in one terminal, a session in another.",
        f"  {COMMAND} cluster start{port}{tls}",
        f"  {COMMAND} evolve --cluster {local}",
        "",
        "With a second machine, which has the same Crownhead: on this one",
        f"  {COMMAND} cluster start --host {wide.host}{port}{tls}",
    ]
    if tls:
        names = " ".join(str(key_folder() / name) for name in (CERTIFICATE, KEY))
        lines += [
            f"  scp {names} OTHER:{key_folder()}/",
            "on the other, where the two files belong into the folder that its own command cluster --tls names",
        ]
    else:
        lines += ["on the other"]
    lines += [
        f"  {COMMAND} cluster worker {wide.address}",
        "and on this one again",
        f"  {COMMAND} evolve --cluster {wide.address}",
        "",
    ]
    if not tls:
        lines += [
            "Whoever reaches that port can run programs on both machines. With --tls only those can who have the key.",
            "",
        ]
    same = ", ".join(f"{name} {value}" for name, value in conditions().items())
    lines += [f"The same on all machines: {same}. A worker that differs is named and not used."]
    return "\n".join(lines)


def _outer_address() -> str:
    """The address by which other machines of the network know this one, as far as can be told."""
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as way:
            way.connect(("192.0.2.1", 9))  # an address of nobody (RFC 5737); nothing is sent
            return str(way.getsockname()[0])
    except OSError:
        return "ADDRESS"
