"""The processes of a cluster on this machine."""

from __future__ import annotations

import errno
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from evolve.workers.processes import NoWorkers
from extras.cluster.address import Cluster, key_folder
from game.errors import InputError, describe
from game.external.process import ProcessGroup
from game.installation import COMMAND, INSTALLED, TREE
from game.number_text import count_text

PRESET = "blondie24"
"""A preset whose games are long enough for a cluster."""
SILENCE = "120s"
"""A connection counts as cut after this time without an answer; a network may stall for a while."""
NO_DASHBOARD = ("--dashboard-address", "127.0.0.1:0", "--no-dashboard")
"""Options for Dask's HTTP server, which runs even without a dashboard, and by default on all interfaces."""
SETTINGS = {
    "DASK_DISTRIBUTED__COMM__TIMEOUTS__TCP": SILENCE,
    "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "2",  # the third worker lost on a task is the last
    "DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": "15 minutes",  # deep games may take longer than the default of five
    "DASK_DISTRIBUTED__ADMIN__TICK__INTERVAL": "500ms",  # the default is to monitor fifty times a second
    "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False",  # it would sample the call stack a hundred times a second
    # Otherwise a worker returns all memory after each task and fetches it again, page by page, for the next one.
    "MALLOC_MMAP_THRESHOLD_": str(32 << 20),
    "MALLOC_TRIM_THRESHOLD_": str(256 << 20),
    "NUMBA_NUM_THREADS": "1",
}
"""Environment variables for Dask, and for workers with one thread."""


def scheduler_command(cluster: Cluster) -> list[str]:
    """Return the command of a scheduler that listens at a cluster's address.

    Raises:
        InputError: the key is missing.
    """
    host = f"{cluster.protocol}://{cluster.host}"
    return [*_python("dask_scheduler"), "--host", host, "--port", str(cluster.port), *NO_DASHBOARD, *_keys(cluster)]


def worker_command(cluster: Cluster, workers: int) -> list[str]:
    """Return the command that runs workers of a cluster, each in a process that is restarted when it dies.

    Raises:
        InputError: the key is missing, or there is no route to the scheduler.
    """
    options = ["--host", own_address(cluster), "--nworkers", str(workers), "--nthreads", "1"]
    # No memory limit: a session stores little on a worker, and Dask would end a worker that exceeds it.
    options += ["--memory-limit", "0", *NO_DASHBOARD]
    return [*_python("dask_worker"), cluster.address, *options, *_keys(cluster)]


def _python(module: str) -> list[str]:
    # -P: do not import modules from the current folder.
    return [sys.executable, "-P", "-m", f"distributed.cli.{module}"]


def _keys(cluster: Cluster) -> list[str]:
    if cluster.protocol != "tls":
        return []
    certificate, key = cluster.key_files()
    return ["--tls-ca-file", certificate, "--tls-cert", certificate, "--tls-key", key]


def environment() -> dict[str, str]:
    """Return the environment of schedulers and workers: this process's, plus `SETTINGS` and this program's path."""
    root = TREE.parent if INSTALLED else TREE
    path = os.pathsep.join(filter(None, [str(root), os.environ.get("PYTHONPATH", "")]))
    return {**os.environ, **SETTINGS, "PYTHONPATH": path}


def own_address(cluster: Cluster) -> str:
    """Return the address of this machine as seen by a scheduler: the loopback address if the scheduler runs here.

    Raises:
        InputError: there is no route to the scheduler.
    """
    try:
        family, kind, protocol, _, place = socket.getaddrinfo(
            cluster.host.strip("[]"), cluster.port, type=socket.SOCK_DGRAM
        )[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.connect(place)  # connecting a datagram socket sends nothing
            address = str(probe.getsockname()[0])
            return f"[{address}]" if ":" in address else address
    except OSError as error:
        raise InputError(f"{cluster.address}: no route to it: {describe(error)}") from error


START_SECONDS = 60.0
POLL_SECONDS = 0.1
AGAIN_SECONDS = 2.0
"""Seconds between attempts to find a scheduler that workers have lost."""


class LocalCluster:
    """A scheduler, workers or both on this machine; a context manager that leaves no process behind.

    Args:
        scheduler: start the scheduler here; otherwise it runs elsewhere, perhaps later.

    Raises:
        InputError: another program listens at the scheduler's address, or the key is missing.
        NoWorkers: a process ended at once; its log has the reason.
    """

    def __init__(
        self,
        cluster: Cluster,
        workers: int,
        *,
        scheduler: bool = True,
        logs: Path | None = None,
        tick: Callable[[], None] = lambda: None,
        tell: Callable[[str], None] = lambda text: None,
    ) -> None:
        self._cluster, self._workers, self._tick, self._tell = cluster, workers, tick, tell
        self._scheduler, self._logs = scheduler, logs or key_folder()
        self._started: dict[Path, ProcessGroup] = {}

    def __enter__(self) -> LocalCluster:
        try:
            if self._scheduler:
                self._run_scheduler()
            elif self._cluster.protocol == "tls":
                self._cluster.answers()  # raises our own error for a wrong key
            self._run_workers()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def words(self) -> str:
        here = ["scheduler"] if self._scheduler else []
        here += [count_text(self._workers, "worker")] if self._workers else []
        lines = [f"{' and '.join(here)} {'at' if self._scheduler else 'of'} {self._cluster.address}, until Ctrl-C"]
        if self._scheduler:
            lines += [
                f"more workers: {COMMAND} cluster worker {self._cluster.address}",
                f"play on them with: {COMMAND} evolve --preset {PRESET} --cluster {self._cluster.address}",
            ]
            lines += [self._cluster.exposure] if self._cluster.exposure else []
        elif not self._cluster.answers():
            lines += ["no scheduler answers there yet; waiting for it"]
        return "\n".join([*lines, f"logs: {' and '.join(map(str, self._started))}"])

    def wait(self) -> None:
        """Wait until a process ends; restart workers that lost their scheduler only because of the network.

        Raises:
            NoWorkers: a process has ended.
            InputError: a scheduler with another key listens there now.
        """
        while True:
            self._pause(POLL_SECONDS)
            ended = self._ended()
            # Workers exit with an error if the scheduler ended while they were starting.
            if ended and (self._scheduler or (ended[1] and self._cluster.answers())):
                raise NoWorkers(f"a process ended with exit code {ended[1]}; the log is {ended[0]}")
            if ended:
                self._await_scheduler(ended[0])
                self._run_workers()
                self._tell(f"{count_text(self._workers, 'worker')} started again")

    def close(self) -> None:
        for group in reversed(self._started.values()):
            group.kill()
        self._started = {}

    def _ended(self) -> tuple[Path, int] | None:
        codes = ((log, group.popen.poll()) for log, group in self._started.items())
        return next(((log, code) for log, code in codes if code is not None), None)

    def _pause(self, seconds: float) -> None:
        for _ in range(round(seconds / POLL_SECONDS)):
            self._tick()
            time.sleep(POLL_SECONDS)

    def _run_scheduler(self) -> None:
        check_free(self._cluster)
        self._run("scheduler", scheduler_command(self._cluster))
        end = time.monotonic() + START_SECONDS
        while not self._cluster.answers():
            self._pause(POLL_SECONDS)
            if self._ended() or time.monotonic() > end:
                raise NoWorkers(f"the scheduler does not answer; its log is {next(iter(self._started))}")

    def _run_workers(self) -> None:
        if self._workers:
            self._run("workers", worker_command(self._cluster, self._workers))

    def _run(self, what: str, command: Sequence[str]) -> None:
        self._logs.mkdir(parents=True, exist_ok=True, mode=0o700)
        path = self._logs / f"{what}-{self._cluster.port}.log"
        with path.open("ab") as log:
            self._started[path] = ProcessGroup(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment()
            )

    def _await_scheduler(self, log: Path) -> None:
        """Wait until the scheduler of workers that have ended can be reached again."""
        self.close()
        text = f"the network is gone; workers will start again once {self._cluster.address} answers"
        while True:
            self._pause(AGAIN_SECONDS)
            try:
                return self._cluster.connect_once()
            except ConnectionRefusedError as error:
                text = f"the workers have ended because their scheduler has ended; the log is {log}"
                raise NoWorkers(text) from error
            except OSError:
                self._tell(text) if text else None
                text = ""


def check_free(cluster: Cluster) -> None:
    """Check that a scheduler can listen at an address.

    Raises:
        InputError: another program listens there, or the address does not belong to this machine.
    """
    try:
        family, *_, place = socket.getaddrinfo(cluster.host.strip("[]"), cluster.port, type=socket.SOCK_STREAM)[0]
        socket.create_server(place[:2], family=family).close()
    except OSError as error:
        text = f"this machine cannot listen there: {describe(error)}; choose another --host"
        if error.errno == errno.EADDRINUSE:
            text = "another program listens there; choose another --port"
        raise InputError(f"{cluster.address}: {text}") from error
