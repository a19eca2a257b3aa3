"""A real scheduler and real workers of Dask, as processes on the loopback address."""

from __future__ import annotations

import contextlib
import os
import secrets
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any

import psutil

from extras.cluster.address import Cluster
from extras.cluster.command import SETTINGS, own_address
from game.installation import TREE
from tests.processes import gone

START_SECONDS = 60.0
NO_DASHBOARD = ("--dashboard-address", "127.0.0.1:0", "--no-dashboard")


def command(what: str, cluster: Cluster, *options: str) -> list[str]:
    """Return the command of Dask that runs the same as ours, with options of its own."""
    keys = []
    if cluster.protocol == "tls":
        certificate, key = cluster.key_files()
        keys = ["--tls-ca-file", certificate, "--tls-cert", certificate, "--tls-key", key]
    return [sys.executable, "-P", "-m", f"distributed.cli.dask_{what}", *options, *NO_DASHBOARD, *keys]


def environment() -> dict[str, str]:
    """Return variables with which Dask uses our settings, and its processes find the program."""
    names = {f"DASK_{name.replace('.', '__').replace('-', '_').upper()}": repr(SETTINGS[name]) for name in SETTINGS}
    return {**os.environ, **names, "PYTHONPATH": str(TREE)}


def free_port() -> int:
    """Return a port that no program uses, from a range from which systems give none to outgoing connections.

    A port that the system chose could be given to a connection of another test before the scheduler listens there.
    """
    while True:
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", 10_000 + secrets.randbelow(20_000)))
            return int(probe.getsockname()[1])


class Machines:
    """A context manager that leaves no process behind.

    Args:
        folder: for the logs.
        protocol: tcp or tls.
    """

    def __init__(self, folder: Path, protocol: str = "tcp") -> None:
        self.cluster = Cluster(protocol, "127.0.0.1", free_port())
        self.folder = folder
        self._processes: list[subprocess.Popen[Any]] = []

    def __enter__(self) -> Machines:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        everybody = self.everybody()
        for process in reversed(self._processes):
            process.terminate()
        for pid in everybody if not gone(everybody, 1.0) else ():
            if psutil.pid_exists(pid):
                psutil.Process(pid).kill()
        for process in self._processes:
            process.wait()

    @property
    def address(self) -> str:
        return self.cluster.address

    def scheduler(self) -> subprocess.Popen[Any]:
        where = ("--host", f"{self.cluster.protocol}://{self.cluster.host}", "--port", str(self.cluster.port))
        process = self._start("scheduler", command("scheduler", self.cluster, *where), {})
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end and process.poll() is None:
            try:
                socket.create_connection((self.cluster.host, self.cluster.port), 1.0).close()
                return process
            except OSError:
                time.sleep(0.05)
        raise AssertionError(self.log("scheduler"))

    def workers(
        self, count: int = 1, port: int | None = None, own: tuple[int, int] | None = None, **variables: str
    ) -> subprocess.Popen[Any]:
        """Workers, on their way to the scheduler, with more variables.

        Args:
            count: how many.
            port: by which they reach the scheduler; None for its own.
            own: the port where one listens, and that by which others reach it; None for any.
            variables: of their environment.
        """
        where = self.cluster if port is None else replace(self.cluster, port=port)
        at = ["--host", own_address(where), "--nworkers", str(count)]
        if own is not None:
            listen, contact = (f"tcp://127.0.0.1:{each}" for each in own)
            at = ["--listen-address", listen, "--contact-address", contact]
        line = command("worker", where, where.address, *at, "--nthreads", "1", "--memory-limit", "0")
        return self._start("workers", line, variables)

    def log(self, what: str) -> str:
        return (self.folder / f"{what}.log").read_text()

    def everybody(self) -> list[int]:
        return [pid for process in self._processes for pid in _family(process)]

    def pids(self) -> list[int]:
        """Processes of workers, not those that start them again."""
        return [
            child.pid
            for process in self._processes
            for child in (psutil.Process(process.pid).children() if process.poll() is None else ())
            if "spawn_main" in " ".join(child.cmdline())
        ]

    def _start(self, what: str, command: Sequence[str], variables: dict[str, str]) -> subprocess.Popen[Any]:
        with (self.folder / f"{what}.log").open("ab") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log, env=environment() | variables, cwd=self.folder)
        self._processes.append(process)
        return process


class Proxy:
    """Passes on what goes to a port and back, and holds it up as long as it is told to. A context manager."""

    def __init__(self, port: int) -> None:
        self._target = port
        self._open = threading.Event()
        self._open.set()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._sockets = [self._listener]
        self.port = int(self._listener.getsockname()[1])

    def __enter__(self) -> Proxy:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._open.set()
        for each in self._sockets:
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()

    def stall(self, seconds: float) -> None:
        """Pass on nothing for so long; connections stay."""
        self.close()
        time.sleep(seconds)
        self.open()

    def close(self) -> None:
        self._open.clear()

    def open(self) -> None:
        self._open.set()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                ours = self._listener.accept()[0]
                theirs = socket.create_connection(("127.0.0.1", self._target))
                self._sockets += [ours, theirs]
                for source, target in ((ours, theirs), (theirs, ours)):
                    threading.Thread(target=self._pass_on, args=(source, target), daemon=True).start()

    def _pass_on(self, source: socket.socket, target: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(1 << 16):
                self._open.wait()
                target.sendall(data)
            target.shutdown(socket.SHUT_RDWR)


def _family(process: subprocess.Popen[Any]) -> list[int]:
    try:
        return [process.pid, *(child.pid for child in psutil.Process(process.pid).children(recursive=True))]
    except psutil.NoSuchProcess:
        return []
