"""Certificate and key of a cluster under TLS: one pair for all of its machines, which signs itself."""

from __future__ import annotations

import os
from pathlib import Path

from evolve.workers.cluster.address import CERTIFICATE, KEY, check_cluster_extra
from game.errors import InputError


def make_keys(folder: Path) -> bool:
    """Make a certificate and its key in a folder, unless they are there; whether they are new.

    Whoever has both may use the cluster, and that is to run programs on its machines.

    Raises:
        MissingExtraError: what makes them is not installed.
        InputError: one of the two is there without the other.
        OSError: they cannot be written.
    """
    check_cluster_extra("--tls")
    there = [(folder / name).exists() for name in (CERTIFICATE, KEY)]
    if any(there):
        if not all(there):
            raise InputError(f"--tls: {folder} has only one of {CERTIFICATE} and {KEY}; remove it, or bring the other")
        return False
    from distributed.security import Security

    made = Security.temporary()
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    for name, text in ((CERTIFICATE, made.tls_ca_file), (KEY, made.tls_client_key)):
        with open(os.open(folder / name, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w", encoding="ascii") as file:
            file.write(text)
    return True
