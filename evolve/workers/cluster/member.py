"""A worker of a cluster, called through a Dask actor, and its jobs.

A call of an actor is one message to the worker and one back. A Dask task, by contrast, goes through the queue of the
scheduler, which also fetches its result; for tasks as short as games this takes several times as long.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evolve.workers.cluster import remote
from evolve.workers.cluster.remote import Preparation, TaskAnswer, difference
from evolve.workers.processes import Rows, TaskFailure
from game.errors import describe, one_line

if TYPE_CHECKING:
    from distributed import Actor, Client, Future


@dataclass(eq=False)
class Job:
    """A task for a cluster.

    Attributes:
        key: the number of the stream of tasks, and of the task in the stream.
        function: applied to the task.
        task: the task.
        rows: the genomes that it refers to, and their version, if any.
        lost: number of workers lost while doing it.
        begun: time when it was first given to a worker, by the clock of the event loop; 0 before that.
        twice: whether a second worker also has it.
        answered: whether it was answered.
    """

    key: tuple[int, int]
    function: Callable[[Any], Any]
    task: Any
    rows: tuple[int, Rows] | None
    lost: int = 0
    begun: float = 0.0
    twice: bool = False
    answered: bool = False


log = logging.getLogger(__name__)

OTHER_BUILD = "a checkout and an installed program cannot share a cluster: use the same on all machines"
REACH_SECONDS = 5.0
"""Seconds that a worker may take to accept a connection."""


class Way:
    """The route of calls to workers: direct, or through the scheduler, which can always reach them.

    Args:
        client: makes the calls.
    """

    def __init__(self, client: Client) -> None:
        self._client, self._for_good = client, False

    def go_by_scheduler(self, why: str, seconds: float | None = None) -> None:
        """Send all calls through the scheduler, for some seconds or permanently."""
        if self._client.direct_to_workers:
            log.warning("%s; calls to workers go through the scheduler from now on", one_line(why))
        self._client.direct_to_workers = False
        if seconds is None:
            self._for_good = True
        else:
            asyncio.get_running_loop().call_later(seconds, self._go_straight)

    def _go_straight(self) -> None:
        if not (self._for_good or self._client.direct_to_workers):
            log.info("calls to workers are direct again")
            self._client.direct_to_workers = True


class ClusterWorker:
    """A worker of a cluster. All methods run in the event loop of the client.

    Args:
        client: connected to the scheduler.
        way: the route of calls.
        address: the worker's address in Dask.

    Attributes:
        name: names its machine and process.
        ready: whether it runs the same program and has loaded compiled code.
        gone: set when it disappears.
        jobs: its jobs, the current one first.
        done: number of tasks that it has done.
        seconds: total time of these tasks.
    """

    def __init__(self, client: Client, way: Way, address: str) -> None:
        self._client, self._way, self.address = client, way, address
        self.name = "not compared yet"
        self.ready = False
        self.gone = asyncio.Event()
        self.jobs: list[Job] = []
        self.done, self.seconds = 0, 0.0
        self._future: Future | None = None  # keeps the actor alive
        self._runner: Actor | None = None
        self._version = 0
        self._sending = asyncio.Lock()

    def __str__(self) -> str:
        return f"{self.address} ({self.name})"

    async def join(self, here: Mapping[str, str], preparation: Preparation) -> bool | None:
        """Compare the worker with this program and prepare it; return whether it can play, or None without an answer.

        Raises:
            OSError: the scheduler is gone.
        """
        answers = await self._client.run(remote.introduce, workers=[self.address], on_error="return")
        introduced = answers.get(self.address, OSError())
        if isinstance(introduced, OSError):
            log.info("worker %s: %s", self, one_line(describe(introduced)))
            return None
        if isinstance(introduced, BaseException):
            other = f"; {OTHER_BUILD}" if "No module named" in str(introduced) else ""
            return self._refuse(f"{type(introduced).__name__}: {introduced}{other}")
        self.name, there = introduced
        if differences := difference(here, there):
            return self._refuse(differences)
        await self._reach()
        answer = await self._called("load_plugins", preparation.plugins)
        if preparation.load is not None and answer is not None and answer.good:
            log.info("worker %s joins; it loads compiled code", self)
            answer = await self._called("prepare", remote.pack(preparation.load))
        if answer is None:
            return None
        if not answer.good:
            return self._refuse(str(answer.value))
        log.info("worker %s is ready, %.1f s after it joined", self, answer.seconds)
        self.ready = True
        return True

    def _refuse(self, why: str) -> bool:
        log.warning("worker %s is not used: %s", self, one_line(why))
        return False

    async def _reach(self) -> None:
        """Create the actor, and find out whether it can be reached directly or only through the scheduler."""
        if self._future is not None:
            self._future.release()
        self._future = self._client.submit(
            remote.Runner,
            key=f"crownhead-{uuid.uuid4().hex}",
            workers=[self.address],
            allow_other_workers=False,
            pure=False,
            actor=True,
        )
        self._runner = await self._until_gone(self._future)
        if not self.gone.is_set():
            from distributed import comm

            try:
                probe = await comm.connect(self.address, timeout=REACH_SECONDS, **self._client.connection_args)
                await probe.close()
            except OSError as error:
                self._way.go_by_scheduler(f"worker {self}: {describe(error)}")

    async def perform(self, job: Job, timeout: float | None) -> TaskAnswer | None:
        """Return the answer to a job; None if it was lost, and another worker has to do the job.

        Raises:
            TimeoutError: there was no answer in time.
            TaskFailure: the job cannot be done at all.
        """
        if job.rows is not None and not await self._share(*job.rows):
            return None
        return await self._called("perform", remote.pack(job.function, job.task), timeout=timeout)

    async def _share(self, version: int, rows: Rows) -> bool:
        """Send the genomes unless the worker has them; return False if it cannot be reached."""
        async with self._sending:
            if self._version != version:
                if await self._called("share", rows) is None:
                    return False
                self._version = version
        return True

    async def _called(self, method: str, *arguments: Any, timeout: float | None = None) -> TaskAnswer | None:
        """Return the actor's answer; None if the worker has disappeared, or cannot be reached.

        Raises:
            TimeoutError: there was no answer in time.
            TaskFailure: Dask cannot make the call at all.
        """
        if self._runner is None:
            return None
        try:
            answer: TaskAnswer | None = await self._until_gone(getattr(self._runner, method)(*arguments), timeout)
        except TimeoutError:
            raise
        except (OSError, RuntimeError, KeyError) as error:  # Dask already knows that the worker is lost
            log.debug("%s: %r", self, error)
            return None
        except Exception as error:
            raise TaskFailure(f"worker {self}: {one_line(f'{type(error).__name__}: {error}')}") from error
        return answer

    async def _until_gone(self, awaited: Any, timeout: float | None = None) -> Any:
        """Await something; return None once the worker has disappeared.

        Raises:
            TimeoutError: there was no result in time.
        """
        from distributed import CancelledError

        answer, gone = asyncio.ensure_future(awaited), asyncio.ensure_future(self.gone.wait())
        try:
            done, _ = await asyncio.wait({answer, gone}, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
            if not done:
                raise TimeoutError
            if not answer.done():
                return None
            try:
                return answer.result()
            except (asyncio.CancelledError, CancelledError):  # Dask knows that the worker is gone
                return None
            except TimeoutError as error:  # of the connection, not of the task
                raise ConnectionError(describe(error)) from error
        finally:
            answer.cancel()
            gone.cancel()
            await asyncio.gather(answer, gone, return_exceptions=True)

    async def end(self, seconds: float) -> None:
        """Let the worker end the programs that it has started for this session."""
        with contextlib.suppress(TimeoutError, TaskFailure):
            await self._called("end", timeout=seconds)

    def leave(self) -> None:
        """Stop calling the worker, which has disappeared or is no longer needed."""
        self.gone.set()
        self._runner = None
        if self._future is not None:
            self._future.release()

    async def restart(self, seconds: float) -> None:
        """Leave the worker, and let Dask end its process and start another one if possible."""
        self.leave()
        with contextlib.suppress(Exception):
            await self._client.restart_workers([self.address], timeout=seconds, raise_for_error=False)
