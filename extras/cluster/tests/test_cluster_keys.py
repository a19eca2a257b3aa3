"""Certificates are checked once under TLS, before a session begins."""

from __future__ import annotations

import contextlib
import datetime
import socket
import ssl
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from extras.cluster.address import CERTIFICATE, KEY, Cluster, key_folder, make_keys
from game.errors import InputError


@contextlib.contextmanager
def scheduler(folder: Path | None) -> Iterator[Cluster]:
    """Listen for one connection with the certificate and key of a folder; without it, send a few bytes as Dask does."""
    context = None
    if folder is not None:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=folder / CERTIFICATE)
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_cert_chain(folder / CERTIFICATE, folder / KEY)

    def answer() -> None:
        with contextlib.suppress(OSError), listener.accept()[0] as way:
            if context is None:
                way.sendall(bytes(64))
            else:
                context.wrap_socket(way, server_side=True).close()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=answer)
        thread.start()
        yield Cluster("tls", "127.0.0.1", listener.getsockname()[1])
        thread.join()


@pytest.fixture
def ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of certificate and key of this machine."""
    monkeypatch.setenv("CROWNHEAD_DATA_DIR", str(tmp_path / "ours"))
    make_keys(key_folder())
    return key_folder()


def test_holder_of_the_same_certificate_is_the_scheduler(ours: Path) -> None:
    with scheduler(ours) as cluster:
        cluster.check()


def test_missing_key_pair_is_reported(ours: Path, tmp_path: Path) -> None:
    make_keys(tmp_path / "theirs")
    with scheduler(tmp_path / "theirs") as cluster, pytest.raises(InputError, match="has another certificate; copy"):
        cluster.check()


def test_expired_certificate_is_reported(ours: Path) -> None:
    before = x509.load_pem_x509_certificate((ours / CERTIFICATE).read_bytes())
    key = load_pem_private_key((ours / KEY).read_bytes(), None)
    now = datetime.datetime.now(datetime.UTC)
    made = x509.CertificateBuilder(
        before.issuer,
        before.subject,
        key.public_key(),  # type: ignore[arg-type]
        before.serial_number,
        now - datetime.timedelta(days=2),
        now - datetime.timedelta(days=1),
    ).sign(key, hashes.SHA256())  # type: ignore[arg-type]
    (ours / CERTIFICATE).write_bytes(made.public_bytes(serialization.Encoding.PEM))
    with scheduler(ours) as cluster, pytest.raises(InputError, match="certificate has expired: remove it with its key"):
        cluster.check()


def test_scheduler_without_tls_is_reported(ours: Path) -> None:
    with scheduler(None) as cluster, pytest.raises(InputError, match="no TLS there"):
        cluster.check()


def test_key_of_another_certificate_is_reported(ours: Path, tmp_path: Path) -> None:
    make_keys(tmp_path / "theirs")
    (tmp_path / "theirs" / KEY).replace(ours / KEY)
    with pytest.raises(InputError, match=r"key\.pem: KEY_VALUES_MISMATCH"):
        Cluster("tls", "127.0.0.1", 1).check()
