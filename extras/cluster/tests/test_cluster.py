"""Workers of a cluster, and the certificates that are checked before a session begins."""

from __future__ import annotations

import contextlib
import datetime
import os
import signal
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.serialization import load_pem_private_key

import main
from evolve.kinds import plugins
from evolve.workers import processes
from evolve.workers.processes import SharedRows, TaskFailure, refers_to_rows
from extras.cluster.address import CERTIFICATE, KEY, Cluster, key_folder, make_keys
from extras.cluster.tests.cluster_sessions import crew, in_the_middle, play, until_ready
from extras.cluster.tests.machines import Machines
from game.errors import InputError
from tests import cast_run
from tests.evolve.tiny_sessions import digest, results
from tests.laplace import LAPLACE


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machines]:
    """A cluster with a worker, to which others may be added."""
    with Machines(tmp_path_factory.mktemp("machines")) as made:
        made.scheduler()
        made.workers(1)
        yield made


def square(number: int) -> int:
    return number * number


def refuse(number: int) -> int:
    raise ValueError(f"not {number}")


@refers_to_rows
def sum_of(row: int) -> tuple[float, int]:
    return float(processes.get_shared_rows().genomes()[row].sum()), len(processes.get_shared_rows().kings())


def die_once(folder: str) -> int:
    mark = Path(folder) / "died"
    if not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return 7


def hang_once(folder: str) -> int:
    mark = Path(folder) / "hung"
    if not mark.exists():
        mark.touch()
        time.sleep(1e6)
    return 7


def die(_: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return 0


def test_results_come_in_order_and_errors_are_reported(machines: Machines) -> None:
    workers = crew(machines)
    try:
        assert list(workers.stream(square, range(30))) == [number * number for number in range(30)]
        first = workers.stream(square, iter(range(10**9)), ahead=4)
        assert [next(first) for _ in range(5)] == [0, 1, 4, 9, 16]  # the others are of no use to anybody
        assert list(workers.stream(square, [5])) == [25]
        assert workers.seconds > 0
        with pytest.raises(TaskFailure, match=r"task 0 failed .*ValueError: not 3 \(refuse:"):
            list(workers.stream(refuse, [3]))
        assert list(workers.stream(square, [6])) == [36]
    finally:
        workers.close()


def test_genomes_are_those_that_were_put_last(machines: Machines) -> None:
    shared = SharedRows(4, 3)
    workers = crew(machines, shared=shared)
    try:
        for factor in (1, 2):
            shared.put(factor * np.arange(6, dtype=np.float32).reshape(2, 3), np.ones(2, np.float32))
            assert (
                list(workers.stream(sum_of, [0, 1, 0] * 8))
                == [(3.0 * factor, 2), (12.0 * factor, 2), (3.0 * factor, 2)] * 8
            )
    finally:
        workers.close()


@refers_to_rows
def seen(row: int) -> tuple[float, int]:
    return float(processes.get_shared_rows().genomes()[row].sum()), len(plugins.loaded())


def test_each_session_has_its_own_genomes_and_plugins(machines: Machines, tmp_path: Path) -> None:
    (tmp_path / "ops.py").write_text(LAPLACE)
    files = (), (plugins.read_plugin(tmp_path / "ops.py"),)
    sessions = []
    try:
        for number, loaded in enumerate(files, 1):
            shared = SharedRows(1, 3)
            shared.put(np.full((1, 3), number, np.float32), np.ones(1, np.float32))
            plugins.load(loaded)
            sessions.append(crew(machines, shared=shared))
        for _ in range(2):
            for number, workers in enumerate(sessions, 1):
                assert list(workers.stream(seen, [0] * 6)) == [(3.0 * number, number - 1)] * 6
    finally:
        plugins.load([])
        for workers in sessions:
            workers.close()


def test_a_lost_worker_costs_no_task(machines: Machines, tmp_path: Path) -> None:
    shared = SharedRows(1, 3)
    shared.put(np.ones((1, 3), np.float32), np.ones(1, np.float32))
    workers = crew(machines, shared=shared)
    try:
        assert list(workers.stream(sum_of, [0])) == [(3.0, 1)]
        assert list(workers.stream(die_once, [str(tmp_path)])) == [7]
        assert list(workers.stream(sum_of, [0])) == [(3.0, 1)]
    finally:
        workers.close()


@pytest.mark.parametrize("count", [2, *(pytest.param(count, marks=pytest.mark.check) for count in (1, 3))])
def test_a_session_is_the_same_on_workers(machines: Machines, alone: Path, tmp_path: Path, count: int) -> None:
    until_ready(machines, count)
    result = play(tmp_path, machines)
    assert results(result) == results(alone)
    assert (result / "session.log").read_text().count(" is ready, ") >= count


@pytest.mark.check
def test_a_cast_is_the_same_on_a_worker(machines: Machines, tmp_path: Path) -> None:
    """The session proposes mutants with pyribs, and the cluster plays all their games."""
    assert main.main(cast_run.begin(tmp_path, "--name=one", f"--cluster={machines.address}")) == 0
    assert digest(tmp_path / "one") == cast_run.GOLDEN
    assert " is ready, " in (tmp_path / "one" / "session.log").read_text()


@pytest.mark.check
def test_a_worker_is_killed_and_others_come_late(machines: Machines, alone: Path, tmp_path: Path) -> None:
    """In the middle of a generation: the session goes on, with the one that is started again and with one more."""

    def disturb() -> None:
        os.kill(machines.pids()[0], signal.SIGKILL)
        machines.workers()

    with in_the_middle(tmp_path, disturb):
        result = play(tmp_path, machines)
    assert digest(result) == digest(alone)
    assert "is gone; its tasks go to others" in (result / "session.log").read_text()


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.check
def test_a_task_that_kills_workers_is_given_up(machines: Machines, count: int) -> None:
    until_ready(machines, count)
    workers = crew(machines)
    try:
        with pytest.raises(TaskFailure, match="task 0: its worker was lost, 3 times in a row"):
            list(workers.stream(die, [0]))
    finally:
        workers.close()


@pytest.mark.check
def test_a_worker_that_hangs_is_started_again(
    machines: Machines, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    workers = crew(machines, timeout=2.0)
    try:
        assert list(workers.stream(hang_once, [str(tmp_path)])) == [7]
    finally:
        workers.close()
    assert "gave no answer for 2" in caplog.text


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
    monkeypatch.setenv("CROWNHEAD_DATA_DIR", str(tmp_path / "ours"))
    make_keys(key_folder())
    return key_folder()


def test_holder_of_the_same_certificate_is_the_scheduler(ours: Path) -> None:
    with scheduler(ours) as cluster:
        cluster.connect_once()


def test_missing_key_pair_is_reported(ours: Path, tmp_path: Path) -> None:
    make_keys(tmp_path / "theirs")
    with scheduler(tmp_path / "theirs") as cluster, pytest.raises(InputError, match="self-signed certificate: copy"):
        cluster.connect_once()


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
    with scheduler(ours) as cluster, pytest.raises(InputError, match="certificate has expired: copy"):
        cluster.connect_once()


def test_scheduler_without_tls_is_reported(ours: Path) -> None:
    with scheduler(None) as cluster, pytest.raises(InputError, match="copy the scheduler's certificate"):
        cluster.connect_once()


@pytest.mark.check
def test_key_of_another_certificate_is_reported(ours: Path, tmp_path: Path) -> None:
    make_keys(tmp_path / "theirs")
    (tmp_path / "theirs" / KEY).replace(ours / KEY)
    with pytest.raises(InputError, match="KEY_VALUES_MISMATCH"):
        Cluster("tls", "127.0.0.1", 1).connect_once()
