"""The address of a cluster, its certificate and key, and the check for its packages. This does not import Dask."""

from __future__ import annotations

import ipaddress
import os
import socket
import ssl
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from game.errors import InputError, describe
from game.installation import check_extra, data_folder

EXTRA = ("dask", "distributed", "cryptography")
PORT = 8786
CERTIFICATE, KEY = "certificate.pem", "key.pem"
ANSWER_SECONDS = 10.0
OUT_OF_DATE = (9, 10)
"""OpenSSL's codes for certificates that are not yet valid, and no longer valid."""
MAX_WAIT = 7 * 24 * 3600.0


def key_folder() -> Path:
    return data_folder() / "cluster"


def check_cluster_extra(what: str) -> None:
    """Check that the packages that clusters need are installed.

    Raises:
        MissingExtraError: a package is not installed.
    """
    check_extra(f"{what} needs dask, distributed and cryptography", "cluster", EXTRA)


@dataclass(frozen=True)
class Cluster:
    """A Dask scheduler whose workers play games.

    Attributes:
        protocol: tcp, or tls with a certificate and key.
        wait: seconds for which a session waits if the scheduler or all workers are missing.
    """

    protocol: str
    host: str
    port: int
    wait: float = 0.0

    @classmethod
    def parse(cls, text: str, wait: float = 0.0) -> Self:
        """Parse a scheduler's address: tcp://HOST:PORT, tls://HOST:PORT, or HOST.

        Raises:
            InputError: the address or the number of seconds is invalid.
        """
        protocol, _, place = text.rpartition("://")
        host, colon, port = place.rpartition(":") if ":" in place.rpartition("]")[2] else (place, "", "")
        number = int(port) if port.isascii() and port.isdigit() and len(port) <= 5 else PORT if not colon else 0
        known = protocol in ("", "tcp", "tls")
        if not known or not host or not 1 <= number <= 65535 or any(letter in host for letter in " /@"):
            raise InputError(f"--cluster: expected an address such as tcp://127.0.0.1:{PORT}, got {text!r}")
        if not 0 <= wait <= MAX_WAIT:
            raise InputError(f"--cluster-wait: expected seconds from 0 to {MAX_WAIT:.0f}, got {wait:g}")
        return cls(protocol or "tcp", host, number, wait)

    @property
    def address(self) -> str:
        return f"{self.protocol}://{self.host}:{self.port}"

    @property
    def is_local(self) -> bool:
        """True if other machines cannot reach the scheduler."""
        try:
            return ipaddress.ip_address(self.host.strip("[]")).is_loopback
        except ValueError:
            return self.host == "localhost"

    @property
    def exposure(self) -> str:
        """A one-line warning of who can run programs through the scheduler's port; empty with TLS."""
        if self.protocol == "tls":
            return ""
        if self.is_local:
            return f"every user of this machine can reach {self.address} and run programs as you; --tls prevents it"
        return (
            f"{self.address} is open: whoever reaches that port can run programs on all machines of the cluster; "
            "--tls prevents it"
        )

    def check(self) -> None:
        """Check that games can be played on the cluster.

        Raises:
            MissingExtraError: Dask is not installed.
            InputError: no scheduler listens there, its key is missing here, or the keys differ.
        """
        check_cluster_extra("--cluster")
        try:
            self.connect_once(ANSWER_SECONDS, greeted=True)
        except OSError as error:
            raise InputError(f"--cluster {self.address}: no answer: {describe(error)}") from error

    def connect_once(self, seconds: float = 1.0, *, greeted: bool = False) -> None:
        """Connect to the scheduler and disconnect, without sending data; with TLS, check its certificate.

        Args:
            seconds: the time limit of each step.
            greeted: without TLS, also wait for the scheduler's greeting. A scheduler with TLS sends none, since it
                waits for the client to begin.

        Raises:
            InputError: the key is missing or differs from the scheduler's, or there is no greeting.
            OSError: there is no answer in time.
        """
        context = self._context() if self.protocol == "tls" else None
        with socket.create_connection((self.host.strip("[]"), self.port), seconds) as connected:
            try:
                if context is not None:
                    context.wrap_socket(connected).close()
                elif greeted and not connected.recv(1):
                    raise TimeoutError
            except ssl.SSLCertVerificationError as error:
                if error.verify_code in OUT_OF_DATE:
                    text = f"{error.verify_message}: remove it with its key, make new ones, copy them to all machines"
                else:
                    text = "the scheduler has another certificate; copy it here with its key"
                raise InputError(f"{self.address}: {key_folder() / CERTIFICATE}: {text}") from error
            except ssl.SSLError as error:
                raise InputError(f"{self.address}: no TLS there: {error.reason or error}") from error
            except TimeoutError as error:
                if context is not None:
                    raise
                text = f"no scheduler without TLS listens there; if it uses TLS, use tls{self.address[3:]}"
                raise InputError(f"{self.address}: {text}") from error

    def answers(self) -> bool:
        try:
            self.connect_once()
        except OSError:
            return False
        return True

    def _context(self) -> ssl.SSLContext:
        certificate, key = self.key_files()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False  # all machines share one certificate, which has no host name
        try:
            context.load_verify_locations(certificate)
            context.load_cert_chain(certificate, key)
        except ssl.SSLError as error:
            raise InputError(f"{self.address}: {certificate} and {key}: {error.reason or error}") from error
        return context

    def key_files(self) -> tuple[str, str]:
        """Return the files of the certificate and the key.

        Raises:
            InputError: one of them is missing.
        """
        files = [key_folder() / name for name in (CERTIFICATE, KEY)]
        for file in files:
            if not file.is_file():
                raise InputError(f"{self.address}: {file} is missing; copy it from the scheduler's machine")
        return str(files[0]), str(files[1])


def make_keys(folder: Path) -> bool:
    """Make a certificate and its key in a folder, unless they exist; return whether they are new.

    Whoever has both files may use the cluster, that is, run programs on its machines.

    Raises:
        MissingExtraError: the package that makes them is not installed.
        InputError: only one of the two exists.
        OSError: they cannot be written.
    """
    check_cluster_extra("--tls")
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
