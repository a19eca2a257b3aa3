"""The commands that start a cluster, in words."""

from __future__ import annotations

import socket
from dataclasses import replace
from pathlib import Path

from evolve.workers.cluster.address import CERTIFICATE, KEY, PORT, Cluster, key_folder
from evolve.workers.cluster.conditions import conditions
from game.installation import COMMAND

PRESET = "blondie24"
"""Whose games are long enough for a cluster; those of the usual one are not."""
UNKNOWN = "ADDRESS"


def play_command(cluster: Cluster) -> str:
    """The command of a session on a cluster."""
    return f"{COMMAND} evolve --preset {PRESET} --cluster {cluster.address}"


def instructions(cluster: Cluster, *, insecure: bool = False) -> str:
    """Return the commands for this machine and a second one, and what must be the same on both.

    Args:
        cluster: where its scheduler is to listen.
        insecure: use a second machine without TLS, too; otherwise name the command that makes certificate and key.
    """
    tls = " --tls" if cluster.protocol == "tls" else ""
    port = "" if cluster.port == PORT else f" --port {cluster.port}"
    wide = replace(cluster, host=_outer_address()) if cluster.is_local else cluster
    lines = [
        "On this machine alone: a cluster in one terminal, a session in another.",
        f"  {COMMAND} cluster start{port}{tls}",
        f"  {play_command(replace(cluster, host='127.0.0.1'))}",
        "",
    ]
    if tls or insecure:
        lines += [
            "With a second machine, OTHER, which has the same Crownhead: on this one",
            *(_copy_commands() if tls else ()),
            f"  {COMMAND} cluster start --host {wide.host}{port}{tls or ' --insecure'}",
            "on the other" + (", which names its folder for the two files where they are missing" if tls else ""),
            f"  {COMMAND} cluster worker {wide.address}",
            "and on this one in another terminal",
            f"  {play_command(wide)}",
            "",
        ]
    else:
        lines += [
            "With a second machine: this makes a certificate and a key, and prints the commands.",
            f"  {COMMAND} cluster --host {wide.host}{port} --tls",
            "",
        ]
    if wide.host == UNKNOWN:
        lines += [f"{UNKNOWN} is the address of this machine in the network of both.", ""]
    if insecure:
        lines += [wide.exposure, ""]
    same = ", ".join(f"{name} {value}" for name, value in conditions().items())
    lines += [f"The same on all machines: {same}. A worker that differs is named and not used."]
    return "\n".join(lines)


def _copy_commands() -> list[str]:
    """Those that bring certificate and key to a machine of the same system."""
    folder, home = key_folder(), Path.home()
    there = (folder.relative_to(home) if folder.is_relative_to(home) else folder).as_posix()
    one, other = (f'"{path}"' if " " in str(path) else str(path) for path in (folder / CERTIFICATE, folder / KEY))
    escaped = there.replace(" ", "\\ ")  # a shell reads it there; scp writes to the path as it stands
    return [f'  ssh OTHER "mkdir -p -m 700 {escaped}"', f'  scp {one} {other} "OTHER:{there}/"']


def _outer_address() -> str:
    """The address by which other machines of the network know this one, as far as can be told."""
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as way:
            way.connect(("192.0.2.1", 9))  # an address of nobody (RFC 5737); nothing is sent
            return str(way.getsockname()[0])
    except OSError:
        return UNKNOWN
