"""The address of a cluster, its certificate and key, and the check for its packages, all without Dask."""

from __future__ import annotations

import contextlib
import ipaddress
import os
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self

from game.errors import InputError
from game.installation import check_extra, data_folder

if TYPE_CHECKING:
    from distributed.security import Security

PACKAGES = ("dask", "distributed", "cryptography")
PORT = 8786
CERTIFICATE, KEY = "certificate.pem", "key.pem"
ANSWER_SECONDS = 10.0
SILENCE = "120s"  # A connection counts as cut after this time without an answer; a network may stall for a while.
MAX_WAIT = 7 * 24 * 3600.0


def key_folder() -> Path:
    return data_folder() / "cluster"


def check_packages(what: str) -> None:
    check_extra(f"{what} needs dask, distributed and cryptography", "cluster", PACKAGES)


@dataclass(frozen=True)
class Cluster:
    """A Dask scheduler whose workers play games (`evolve.workers.pool.Machines`)."""

    protocol: str  # tcp, or tls with a certificate and key
    host: str
    port: int
    wait: float = 0.0  # seconds for which a session waits if the scheduler or all workers are missing

    @classmethod
    def parse(cls, text: str, wait: float = 0.0) -> Self:
        """Parse a scheduler's address: tcp://HOST:PORT, tls://HOST:PORT, or HOST."""
        protocol, _, place = text.rpartition("://")
        host, colon, port = place.rpartition(":") if ":" in place.rpartition("]")[2] else (place, "", "")
        number = int(port) if port.isascii() and port.isdigit() and len(port) <= 5 else PORT if not colon else 0
        known = protocol in ("", "tcp", "tls")
        if not known or not host or not 1 <= number <= 65535 or any(letter in host for letter in " /@"):
            raise InputError(f"--cluster: expected an address such as tcp://127.0.0.1:{PORT}, got {text!r}")
        if not 0 <= wait <= MAX_WAIT:
            raise InputError(f"--cluster-wait: expected seconds from 0 to {MAX_WAIT:.0f}, got {wait:g}")
        cluster = cls(protocol or "tcp", host, number, wait)
        if cluster.protocol == "tcp" and not cluster.is_local:
            raise InputError(
                f"{cluster.address}: expected tls:// for another machine, as `cluster start --tls` prints it; without "
                "TLS, anyone who reaches that port can run programs on all machines of the cluster"
            )
        return cluster

    @property
    def address(self) -> str:
        return f"{self.protocol}://{self.host}:{self.port}"

    @property
    def place(self) -> tuple[str, int]:
        return self.host.strip("[]"), self.port

    @property
    def is_local(self) -> bool:
        try:
            return ipaddress.ip_address(self.place[0]).is_loopback
        except ValueError:
            return self.host == "localhost"

    def connect_once(self, seconds: float = 1.0) -> None:
        """Connect to the scheduler and disconnect, without sending data; with TLS, check its certificate."""
        import ssl  # here, because downloads of the program have none, and no packages for a cluster

        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False  # all machines share one certificate, which has no host name
        try:
            if self.protocol == "tls":
                certificate, key = self.key_files()
                context.load_verify_locations(certificate)
                context.load_cert_chain(certificate, key)
            with socket.create_connection(self.place, seconds) as connected:
                if self.protocol == "tls":
                    context.wrap_socket(connected).close()
        except ssl.SSLError as error:
            cause = getattr(error, "verify_message", "") or error.reason or error
            text = f"{cause}: copy the scheduler's {CERTIFICATE} and {KEY} to {key_folder()}; once a year, remove "
            raise InputError(f"{self.address}: {text}them and let `cluster start --tls` make new ones") from error

    def answers(self) -> bool:
        with contextlib.suppress(OSError):
            self.connect_once()
            return True
        return False

    def key_files(self) -> tuple[str, str]:
        certificate, key = (key_folder() / name for name in (CERTIFICATE, KEY))
        for file in (certificate, key):
            if not file.is_file():
                raise InputError(f"{self.address}: {file} is missing; copy it from the scheduler's machine")
        return str(certificate), str(key)

    def security(self) -> Security | None:
        if self.protocol != "tls":
            return None
        from distributed.security import Security

        certificate, key = self.key_files()
        roles = {f"tls_{role}_cert": certificate for role in ("scheduler", "worker", "client")}
        roles |= {f"tls_{role}_key": key for role in ("scheduler", "worker", "client")}
        return Security(tls_ca_file=certificate, require_encryption=True, **roles)


def make_keys(folder: Path) -> bool:
    """Make a certificate and its key in a folder, unless they exist; return whether they are new.

    Whoever has both files may use the cluster, that is, run programs on its machines.
    """
    check_packages("--tls")
    there = [(folder / name).exists() for name in (CERTIFICATE, KEY)]
    if any(there):
        if not all(there):
            raise InputError(f"--tls: {folder} has only one of {CERTIFICATE} and {KEY}; remove it, or add the other")
        return False
    from distributed.security import Security

    made = Security.temporary()
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    for name, text in ((CERTIFICATE, made.tls_ca_file), (KEY, made.tls_client_key)):
        with open(os.open(folder / name, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w", encoding="ascii") as file:
            file.write(text)
    return True
