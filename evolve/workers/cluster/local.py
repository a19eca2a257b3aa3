"""A scheduler, workers or both as processes of this machine."""

from __future__ import annotations

import contextlib
import errno
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Any

from evolve.workers.cluster.address import Cluster, key_folder
from evolve.workers.cluster.dask_commands import DASHBOARD, environment, scheduler_command, worker_command
from evolve.workers.cluster.words import play_command
from evolve.workers.processes import NoWorkers
from game.errors import InputError, describe
from game.external.process import GUARD
from game.installation import COMMAND
from game.number_text import count_text

START_SECONDS = 60.0
STOP_SECONDS = 10.0
POLL_SECONDS = 0.1
AGAIN_SECONDS = 2.0
"""Between attempts to find the scheduler that workers have lost."""


class LocalCluster:
    """A context manager that leaves no process behind.

    Args:
        cluster: where the scheduler listens, or is to listen.
        workers: processes; none for the scheduler alone.
        scheduler: start it here; otherwise workers of one that is elsewhere, and need not be there yet.
        dashboard: let Dask's dashboard listen, too.
        logs: the folder of their logs; by default that of the keys.
        tick: called about ten times a second; it may raise to end all.
        tell: told what a person has to know later.

    Raises:
        InputError: somebody listens already where the scheduler is to, or there is no key for it.
        NoWorkers: a process has ended at once; its log says why.
    """

    def __init__(
        self,
        cluster: Cluster,
        workers: int,
        *,
        scheduler: bool = True,
        dashboard: bool = False,
        logs: Path | None = None,
        tick: Callable[[], None] = lambda: None,
        tell: Callable[[str], None] = lambda text: None,
    ) -> None:
        self._cluster, self._workers, self._tick, self._tell = cluster, workers, tick, tell
        self._scheduler, self._dashboard, self._logs = scheduler, dashboard, logs
        self._started: list[tuple[str, _Group, Path]] = []

    def __enter__(self) -> LocalCluster:
        try:
            if self._scheduler:
                self._run_scheduler()
            elif self._cluster.protocol == "tls":
                self._cluster.answers(1.0)  # who has another key is told so, and not by Dask
            if self._workers:
                self._run("workers", worker_command(self._cluster, self._workers))
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def words(self) -> str:
        """What a person needs to know of it."""
        here = ["scheduler"] if self._scheduler else []
        here += [count_text(self._workers, "worker")] if self._workers else []
        where = f"{'at' if self._scheduler else 'of'} {self._cluster.address}"
        lines = [f"{' and '.join(here)} {where}; Ctrl-C ends {'them' if self._scheduler + self._workers > 1 else 'it'}"]
        if not self._scheduler and not self._cluster.answers(1.0):
            lines += ["no scheduler answers there yet; it is waited for"]
        if not self._workers:
            lines += [f"start workers with: {COMMAND} cluster worker {self._cluster.address}"]
        if self._scheduler:
            lines += [f"play on them with: {play_command(self._cluster)}"]
            lines += [self._cluster.exposure] if self._cluster.exposure else []
        if self._dashboard:
            lines += [f"Dask's dashboard: http://{DASHBOARD}"]
        logs = " and ".join(str(log) for _, _, log in self._started)
        return "\n".join([*lines, f"log{'s' if len(self._started) > 1 else ''}: {logs}"])

    def wait(self) -> None:
        """Wait until a process ends; workers that only the network has cut from their scheduler are started again.

        Raises:
            NoWorkers: that is so.
            InputError: there is another scheduler meanwhile, with another key.
        """
        while True:
            try:
                self._look()
            except _WorkersEnded:
                self._start_again()

    def close(self) -> None:
        """End all processes."""
        for _, group, _ in reversed(self._started):
            group.end()
        self._started = []

    def _run_scheduler(self) -> None:
        check_free(self._cluster)
        self._run("scheduler", scheduler_command(self._cluster, dashboard=self._dashboard))
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
            self._started.append((what, _Group(command, log), path))

    def _look(self) -> None:
        self._tick()
        time.sleep(POLL_SECONDS)
        for what, group, log in self._started:
            if (code := group.popen.poll()) is not None:
                # Those that were just starting when the scheduler went end with an error.
                if not self._scheduler and (code == 0 or not self._cluster.answers(1.0)):
                    raise _WorkersEnded
                raise NoWorkers(f"the {what} ended with exit code {code}; the log is {log}")

    def _start_again(self) -> None:
        """Start workers again once there is a way to their scheduler.

        Raises:
            NoWorkers: there is one to its machine, where no scheduler is any more.
        """
        ((_, group, log),) = self._started
        group.end()
        waits = False
        while True:
            for _ in range(round(AGAIN_SECONDS / POLL_SECONDS)):
                self._tick()
                time.sleep(POLL_SECONDS)
            try:
                self._cluster.connect_once(1.0)
            except ConnectionRefusedError as error:
                raise NoWorkers(f"the workers have ended, since their scheduler has; the log is {log}") from error
            except OSError:
                if not waits:
                    self._tell(f"the network is gone; workers start again once {self._cluster.address} answers")
                waits = True
            else:
                break
        self._started = []
        self._run("workers", worker_command(self._cluster, self._workers))
        self._tell(f"{count_text(self._workers, 'worker')} started again")


def check_free(cluster: Cluster) -> None:
    """Refuse to start a scheduler where none can listen.

    Raises:
        InputError: another program listens there, or that is no address of this machine.
    """
    try:
        family, *_, place = socket.getaddrinfo(cluster.host.strip("[]"), cluster.port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, socket.SOCK_STREAM) as found:
            if sys.platform != "win32":
                found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # connections that just ended are nobody
            found.bind(place)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            text = f"{cluster.address}: another program listens there; choose another --port"
        else:
            text = f"{cluster.address}: this machine cannot listen there: {describe(error)}; choose another --host"
        raise InputError(text) from error


class _WorkersEnded(Exception):
    """They do so when they have lost their scheduler."""


class _Group:
    """A process with all that it has started, which ends with this process at the latest.

    Ctrl-C in the terminal does not reach it: who has started it ends it.
    """

    def __init__(self, command: Sequence[str], log: IO[bytes]) -> None:
        self._lifeline: int | None = None
        if sys.platform == "win32":
            flags = subprocess.CREATE_NEW_PROCESS_GROUP
            self.popen = _popen(command, log, creationflags=flags)
            return
        ours, self._lifeline = os.pipe()
        try:
            guarded = [sys.executable, "-I", "-S", str(GUARD), str(ours), *command]
            self.popen = _popen(guarded, log, pass_fds=(ours,), start_new_session=True)
        except OSError:
            os.close(self._lifeline)
            raise
        finally:
            os.close(ours)

    def end(self) -> None:
        """End all of it."""
        if self._lifeline is not None:
            os.close(self._lifeline)
            self._lifeline = None
        with contextlib.suppress(OSError):
            self.popen.terminate()
        try:
            self.popen.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.popen.kill()
            self.popen.wait()


def _popen(command: Sequence[str], log: IO[bytes], **options: Any) -> subprocess.Popen[Any]:
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment(), **options)
