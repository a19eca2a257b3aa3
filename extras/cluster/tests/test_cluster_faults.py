"""Faults of a cluster: of its scheduler or network, a slow worker, one that differs, one without the key."""

from __future__ import annotations

import asyncio
import importlib.util
import re
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest

import main
from evolve.workers.processes import NoWorkers
from extras.cluster import command as command_module
from extras.cluster import remote
from extras.cluster import workers as workers_module
from extras.cluster.address import CERTIFICATE, KEY, Cluster, key_folder, make_keys
from extras.cluster.command import serve_workers
from extras.cluster.tests.cluster_sessions import call, crew, in_the_middle, play
from extras.cluster.tests.machines import Machines, Proxy, free_port
from game.errors import InputError
from game.installation import TREE
from tests.evolve.tiny_sessions import digest

SETTLED_TICKS = 20
"""Of a tenth of a second, after which a worker that is registered has begun, too: until then it ends with an error."""


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[Machines]:
    (tmp_path / "logs").mkdir()
    with Machines(tmp_path / "logs") as made:
        yield made


def double(number: int) -> int:
    return 2 * number


@pytest.mark.check
def test_a_scheduler_that_dies_ends_a_session_that_can_be_resumed(
    machines: Machines, alone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(workers_module, "GRACE_SECONDS", 1.0)
    scheduler = machines.scheduler()
    machines.workers()
    with in_the_middle(tmp_path, scheduler.kill):
        assert call(tmp_path, machines) == 69
    lines = [line for line in capfd.readouterr().err.splitlines() if line.startswith("main.py: ")]
    assert len(lines) == 1
    assert lines[0].startswith(f"main.py: the scheduler at {machines.address} does not answer: ")
    assert lines[0].endswith("; complete generations are on disk: continue with evolve --resume")
    assert main.main(["evolve", f"--out={tmp_path}", "--resume=one", "--workers=1"]) == 0
    assert digest(tmp_path / "one") == digest(alone)


@pytest.mark.check
def test_a_session_waits_for_another_scheduler(machines: Machines, alone: Path, tmp_path: Path) -> None:
    scheduler = machines.scheduler()
    machines.workers()

    def disturb() -> None:
        scheduler.kill()
        scheduler.wait()
        machines.scheduler()
        machines.workers()

    with in_the_middle(tmp_path, disturb):
        assert digest(play(tmp_path, machines, "--cluster-wait=120")) == digest(alone)


def stalled(machines: Machines, alone: Path, out: Path, seconds: float) -> None:
    """The session and its worker reach the scheduler, and all reach the worker, by a network that stalls."""
    machines.scheduler()
    port = free_port()
    with Proxy(machines.cluster.port) as proxy, Proxy(port) as to_worker:
        machines.workers(port=proxy.port, own=(port, to_worker.port))
        machines.cluster = replace(machines.cluster, port=proxy.port)

        def stall() -> None:
            to_worker.close()
            proxy.stall(seconds)
            to_worker.open()

        with in_the_middle(out, stall):
            result = play(out, machines)
    assert f"worker tcp://127.0.0.1:{to_worker.port} " in (result / "session.log").read_text()
    assert digest(result) == digest(alone)


@pytest.mark.check
def test_a_network_may_stall_for_a_minute(machines: Machines, alone: Path, tmp_path: Path) -> None:
    stalled(machines, alone, tmp_path, 60.0)


def other_kernels(folder: Path) -> None:
    """Make a copy of the program whose kernels are of another version."""
    for top in ("game", "evolve", "extras"):
        shutil.copytree(TREE / top, folder / top, ignore=shutil.ignore_patterns("__pycache__", "data"))
    with (folder / "game" / "traits_kernels.py").open("a") as file:
        file.write("\n")


def other_build(folder: Path) -> None:
    """Leave the folder empty: an installed program has no module `evolve`, by which a checkout asks for functions."""


@pytest.mark.check
@pytest.mark.parametrize(
    ("make", "expected"),
    [(other_kernels, r"program \w+ there and \w+ here; use the same build on all machines$"),
     (other_build, r"No module named 'extras'.*; use the same build on all machines$")],
)  # fmt: skip
def test_a_worker_that_differs_is_not_used(
    make: Callable[[Path], None],
    expected: str,
    machines: Machines,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    make(tmp_path)
    monkeypatch.setattr(workers_module, "WORKERS_SECONDS", 3.0)
    machines.scheduler()
    machines.workers(PYTHONPATH=str(tmp_path))
    end = time.monotonic() + 60.0
    while "Registered to" not in machines.log("workers") and time.monotonic() < end:
        time.sleep(0.05)
    with pytest.raises(NoWorkers, match=r"has no workers that can be used \(1 cannot\)"):
        crew(machines)
    (text,) = [record.getMessage() for record in caplog.records if "is not used" in record.getMessage()]
    assert re.search(expected, text)


def test_an_installed_program_differs_from_a_checkout() -> None:
    here = remote.conditions()
    assert remote.difference(here, here | {"build": "installed"}) == "build installed there and checkout here"


@contextmanager
def data_of(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    with monkeypatch.context() as patch:
        patch.setenv("CROWNHEAD_DATA_DIR", str(folder))
        yield key_folder()


@pytest.mark.check
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # Dask leaves a socket behind
def test_workers_that_lost_their_scheduler_start_again_if_there_is_one(
    machines: Machines, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command_module, "AGAIN_SECONDS", 0.1)
    schedulers = [machines.scheduler()]
    ticks = Counter[int]()

    async def lose_both() -> None:
        working = asyncio.create_task(serve_workers(machines.cluster, 1))
        while len(schedulers) < 3:
            await asyncio.sleep(0.1)
            joined = machines.log("scheduler").count("Register worker")
            ticks[joined] += 1
            if joined == len(schedulers) and ticks[joined] > SETTLED_TICKS:
                schedulers[-1].terminate()
                schedulers[-1].wait()
                schedulers.append(machines.scheduler())
        working.cancel()

    asyncio.run(lose_both())
    assert capfd.readouterr().out.count(f"1 worker of {machines.address}, until Ctrl-C") == 2


@pytest.mark.check
def test_tls_refuses_connections_without_the_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, machines: Machines
) -> None:
    monkeypatch.setattr(workers_module, "GRACE_SECONDS", 1.0)
    (tmp_path / "tls").mkdir()
    with Machines(tmp_path / "tls", "tls") as secret:
        with data_of(tmp_path / "ours", monkeypatch) as folder:
            assert make_keys(folder)
            assert [oct((folder / name).stat().st_mode & 0o777) for name in (CERTIFICATE, KEY)] == ["0o600", "0o600"]
            secret.scheduler()
            secret.workers()
            workers = crew(secret)
            assert list(workers.stream(double, [4])) == [8]
            workers.close()
            assert not make_keys(folder)  # the ones that are there go on to be used
        with data_of(tmp_path / "other", monkeypatch) as folder:
            with pytest.raises(InputError, match=r"certificate.pem is missing; copy it from the scheduler's machine"):
                secret.cluster.connect_once()
            make_keys(folder)
            with pytest.raises(NoWorkers, match="does not answer"):
                crew(secret)
        secret.cluster = replace(secret.cluster, protocol="tcp")
        with pytest.raises(NoWorkers, match="does not answer"):
            crew(secret)


@pytest.mark.check
def test_nothing_listens_beyond_this_machine(machines: Machines) -> None:
    machines.scheduler()
    machines.workers()
    crew(machines).close()
    listening = [
        connection.laddr.ip
        for pid in machines.everybody()
        for connection in psutil.Process(pid).net_connections("inet")
        if connection.status == psutil.CONN_LISTEN
    ]
    assert len(listening) >= 3  # scheduler, the process that watches the worker, the worker
    assert set(listening) == {"127.0.0.1"}


@pytest.mark.parametrize("command", [["evolve", "--cluster=tcp://127.0.0.1:1"], ["cluster", "start"]])
def test_missing_parts_are_reported_in_one_line(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    find = importlib.util.find_spec

    def without(name: str, *arguments: Any) -> Any:
        return None if name == "distributed" else find(name, *arguments)

    monkeypatch.setattr(importlib.util, "find_spec", without)
    monkeypatch.chdir(tmp_path)
    assert main.main(command) == 2
    what = "--cluster" if len(command[0]) < 7 else "cluster"
    install = "python -m pip install --require-hashes -r requirements/cluster.txt"
    assert capsys.readouterr().err == f"main.py: {what} needs dask, distributed and cryptography: {install}\n"


@pytest.mark.parametrize(
    ("options", "wrong"),
    [
        (
            ["--cluster=nobody://here"],
            "--cluster: expected an address such as tcp://127.0.0.1:8786, got 'nobody://here'",
        ),
        (["--cluster=tcp://127.0.0.1:x"], "--cluster: expected an address"),
        (["--cluster=tcp://127.0.0.1:1"], "--cluster tcp://127.0.0.1:1: no answer: Connection refused"),
        (["--cluster=tcp://127.0.0.1", "--cluster-wait=-1"], "--cluster-wait: expected seconds from 0 to"),
        (["--cluster=tcp://10.0.0.1"], "tcp://10.0.0.1:8786: expected tls:// for another machine"),
        (["--cluster=other"], "tcp://other:8786: expected tls:// for another machine"),
        (["--cluster-wait=5"], "--cluster-wait: only together with --cluster"),
        (["--cluster=tcp://127.0.0.1", "--workers=2"], "--workers: not together with --cluster"),
    ],
)
def test_wrong_addresses_are_refused_before_a_run_begins(
    options: list[str], wrong: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main.main(["evolve", f"--out={tmp_path / 'runs'}", *options]) == 2
    assert capsys.readouterr().err.startswith(f"main.py: {wrong}")
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("tcp://127.0.0.2:1234", "tcp://127.0.0.2:1234"),
        ("localhost", "tcp://localhost:8786"),
        ("tls://machine", "tls://machine:8786"),
        ("[::1]", "tcp://[::1]:8786"),
    ],
)
def test_addresses_are_parsed(text: str, address: str) -> None:
    assert Cluster.parse(text).address == address
