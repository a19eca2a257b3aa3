"""Cluster processes on this machine."""

from __future__ import annotations

import errno
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from evolve.workers.cluster.address import Cluster, key_folder
from evolve.workers.cluster.dask import environment, scheduler_command, worker_command
from evolve.workers.processes import NoWorkers
from game.errors import InputError, describe
from game.external.process import ProcessGroup
from game.installation import COMMAND
from game.number_text import count_text

PRESET = "blondie24"
"""A preset whose games are long enough for a cluster."""
START_SECONDS = 60.0
POLL_SECONDS = 0.1
AGAIN_SECONDS = 2.0
"""Seconds between attempts to find a scheduler that workers have lost."""


class LocalCluster:
    """A scheduler, workers or both on this machine; a context manager that leaves no process behind.

    Args:
        cluster: the address of the scheduler.
        workers: number of workers; 0 for the scheduler alone.
        scheduler: start the scheduler here; otherwise it runs elsewhere, perhaps later.
        logs: the folder of the logs, by default the folder of the keys.
        tick: called about ten times a second; it may raise an exception to end all processes.
        tell: called with messages for the user.

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
        self._scheduler, self._logs = scheduler, logs
        self._started: list[tuple[str, ProcessGroup, Path]] = []

    def __enter__(self) -> LocalCluster:
        try:
            if self._scheduler:
                self._run_scheduler()
            elif self._cluster.protocol == "tls":
                self._cluster.answers(1.0)  # raises our own error for a wrong key
            if self._workers:
                self._run("workers", worker_command(self._cluster, self._workers))
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def words(self) -> str:
        """Describe the cluster for the user."""
        here = ["scheduler"] if self._scheduler else []
        here += [count_text(self._workers, "worker")] if self._workers else []
        where = f"{'at' if self._scheduler else 'of'} {self._cluster.address}"
        lines = [f"{' and '.join(here)} {where}; Ctrl-C ends {'them' if self._scheduler + self._workers > 1 else 'it'}"]
        if not self._scheduler and not self._cluster.answers(1.0):
            lines += ["no scheduler answers there yet; waiting for it"]
        if not self._workers:
            lines += [f"start workers with: {COMMAND} cluster worker {self._cluster.address}"]
        if self._scheduler:
            lines += [f"play on them with: {COMMAND} evolve --preset {PRESET} --cluster {self._cluster.address}"]
            lines += [self._cluster.exposure] if self._cluster.exposure else []
        logs = " and ".join(str(log) for _, _, log in self._started)
        return "\n".join([*lines, f"log{'s' if len(self._started) > 1 else ''}: {logs}"])

    def wait(self) -> None:
        """Wait until a process ends; restart workers that lost their scheduler only because of the network.

        Raises:
            NoWorkers: a process has ended.
            InputError: a scheduler with another key listens there now.
        """
        while True:
            try:
                self._look()
            except _WorkersEnded:
                self._start_again()

    def close(self) -> None:
        """End all processes."""
        for _, group, _ in reversed(self._started):
            group.kill()
        self._started = []

    def _run_scheduler(self) -> None:
        check_free(self._cluster)
        self._run("scheduler", scheduler_command(self._cluster))
        end = time.monotonic() + START_SECONDS
        while not self._cluster.answers(1.0):
            self._look()
            if time.monotonic() > end:
                raise NoWorkers(f"the scheduler does not answer; its log is {self._started[0][2]}")

    def _run(self, what: str, command: Sequence[str]) -> None:
        folder = self._logs or key_folder()
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        path = folder / f"{what}-{self._cluster.port}.log"
        with path.open("ab") as log:
            self._started.append(
                (what, ProcessGroup(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment()), path)
            )

    def _look(self) -> None:
        self._tick()
        time.sleep(POLL_SECONDS)
        for what, group, log in self._started:
            if (code := group.popen.poll()) is not None:
                # Workers exit with an error if the scheduler ended while they were starting.
                if not self._scheduler and (code == 0 or not self._cluster.answers(1.0)):
                    raise _WorkersEnded
                raise NoWorkers(f"the {what} ended with exit code {code}; the log is {log}")

    def _start_again(self) -> None:
        """Restart workers once their scheduler can be reached again.

        Raises:
            NoWorkers: the machine can be reached, but no scheduler listens there any more.
        """
        ((_, group, log),) = self._started
        group.kill()
        waits = False
        while True:
            for _ in range(round(AGAIN_SECONDS / POLL_SECONDS)):
                self._tick()
                time.sleep(POLL_SECONDS)
            try:
                self._cluster.connect_once(1.0)
            except ConnectionRefusedError as error:
                raise NoWorkers(
                    f"the workers have ended because their scheduler has ended; the log is {log}"
                ) from error
            except OSError:
                if not waits:
                    self._tell(f"the network is gone; workers will start again once {self._cluster.address} answers")
                waits = True
            else:
                break
        self._started = []
        self._run("workers", worker_command(self._cluster, self._workers))
        self._tell(f"{count_text(self._workers, 'worker')} started again")


def check_free(cluster: Cluster) -> None:
    """Check that a scheduler can listen at an address.

    Raises:
        InputError: another program listens there, or the address does not belong to this machine.
    """
    try:
        family, *_, place = socket.getaddrinfo(cluster.host.strip("[]"), cluster.port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            if sys.platform != "win32":
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # ignore connections that have just ended
            probe.bind(place)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            text = f"{cluster.address}: another program listens there; choose another --port"
        else:
            text = f"{cluster.address}: this machine cannot listen there: {describe(error)}; choose another --host"
        raise InputError(text) from error


class _WorkersEnded(Exception):
    """The workers have ended, probably because they lost their scheduler."""
