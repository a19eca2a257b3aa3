"""A worker of a cluster, called through an actor of Dask, and its jobs.

A call of an actor is one message to the worker and one back. A task of Dask is queued by the scheduler, which also
fetches its result; for tasks as short as games this takes several times as long.
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
from evolve.workers.cluster.remote import Answer, Preparation, difference
from evolve.workers.processes import Rows, TaskFailure
from game.errors import describe, one_line

if TYPE_CHECKING:
    from distributed import Actor, Client, Future


@dataclass(eq=False)
class Job:
    """A task on its way.

    Attributes:
        key: of the stream of tasks, and of the task in it.
        function: what to do with it.
        task: the task.
        rows: number and genomes that it refers to; None for none.
        lost: workers that were lost on it.
        begun: when it was given to a worker first, by the clock of the event loop; 0 if it was not.
        twice: whether a second worker has it, too.
        answered: whether it has an answer.
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

REACH_SECONDS = 5.0
"""That a worker may take to accept a connection from here."""


class Way:
    """How calls get to workers: straight, or by the scheduler, which reaches each.

    Args:
        client: makes them.
    """

    def __init__(self, client: Client) -> None:
        self._client, self._for_good = client, False

    def go_by_scheduler(self, why: str, seconds: float | None = None) -> None:
        """Let all calls take that way, for so many seconds or for good."""
        if self._client.direct_to_workers:
            log.warning("%s; calls of workers go by the scheduler from now on", one_line(why))
        self._client.direct_to_workers = False
        if seconds is None:
            self._for_good = True
        else:
            asyncio.get_running_loop().call_later(seconds, self._go_straight)

    def _go_straight(self) -> None:
        if not (self._for_good or self._client.direct_to_workers):
            log.info("calls of workers go straight again")
            self._client.direct_to_workers = True


class Member:
    """A worker.

    Args:
        client: knows it; in its event loop all of this runs.
        way: of its calls.
        address: where Dask finds it.

    Attributes:
        name: machine and process.
        ready: whether it is the same as this program, with compiled code loaded.
        gone: set when it is no more.
        jobs: what it has, the one that it does first.
        done: tasks with a result.
        seconds: that they took.
    """

    def __init__(self, client: Client, way: Way, address: str) -> None:
        self._client, self._way, self.address = client, way, address
        self.name = "not compared yet"
        self.ready = False
        self.gone = asyncio.Event()
        self.jobs: list[Job] = []
        self.done, self.seconds = 0, 0.0
        self._future: Future | None = None  # keeps the actor, as long as it is referred to
        self._runner: Actor | None = None
        self._version = 0
        self._sending = asyncio.Lock()

    def __str__(self) -> str:
        return f"{self.address} ({self.name})"

    async def join(self, here: Mapping[str, str], preparation: Preparation) -> bool | None:
        """Compare it with this program and prepare it; whether it can play, and None if it gives no answer.

        Raises:
            OSError: the scheduler is gone.
        """
        answers = await self._client.run(remote.introduce, workers=[self.address], on_error="return")
        found = answers.get(self.address, OSError())
        if isinstance(found, OSError):
            log.info("worker %s: %s", self, one_line(describe(found)))
            return None
        if isinstance(found, BaseException):
            return self._refuse(f"{type(found).__name__}: {found}")
        self.name, there = found
        if wrong := difference(here, there):
            return self._refuse(wrong)
        await self._reach()
        answer = await self._called("load_plugins", preparation.plugins)
        if preparation.load is not None and answer is not None and answer.good:
            log.info("worker %s joins; it loads compiled code", self)
            answer = await self._called("prepare", remote.pack(preparation.load))
        if answer is None:
            return None
        if not answer.good:
            return self._refuse(str(answer.value))
        log.info("worker %s is ready, %.1f s after it has joined", self, answer.seconds)
        self.ready = True
        return True

    def _refuse(self, why: str) -> bool:
        log.warning("worker %s is not used: %s", self, one_line(why))
        return False

    async def _reach(self) -> None:
        """Make the actor, and find the way to it: straight, or by the scheduler if it cannot be reached."""
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
                way = await comm.connect(self.address, timeout=REACH_SECONDS, **self._client.connection_args)
                await way.close()
            except OSError as error:
                self._way.go_by_scheduler(f"worker {self}: {describe(error)}")

    async def perform(self, job: Job, timeout: float | None) -> Answer | None:
        """The answer to a job; None if it was lost on the way, so that another worker has to do it.

        Raises:
            TimeoutError: it was not there in time.
            TaskFailure: it cannot be done at all.
        """
        if job.rows is not None and not await self._share(*job.rows):
            return None
        return await self._called("perform", remote.pack(job.function, job.task), timeout=timeout)

    async def _share(self, version: int, rows: Rows) -> bool:
        """Send the genomes, once."""
        async with self._sending:
            if self._version != version:
                if await self._called("share", rows) is None:
                    return False
                self._version = version
        return True

    async def _called(self, method: str, *arguments: Any, timeout: float | None = None) -> Answer | None:
        """What the actor answers; None if it is gone, or cannot be reached.

        Raises:
            TimeoutError: there was no answer in time.
            TaskFailure: Dask cannot make the call at all.
        """
        if self._runner is None:
            return None
        try:
            found: Answer | None = await self._until_gone(getattr(self._runner, method)(*arguments), timeout)
        except TimeoutError:
            raise
        except (OSError, RuntimeError, KeyError) as error:  # it is lost, by what Dask knows already
            log.debug("%s: %r", self, error)
            return None
        except Exception as error:
            raise TaskFailure(f"worker {self}: {one_line(f'{type(error).__name__}: {error}')}") from error
        return found

    async def _until_gone(self, awaited: Any, timeout: float | None = None) -> Any:
        """What comes of it; None once the worker is gone.

        Raises:
            TimeoutError: nothing in time.
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
            except (asyncio.CancelledError, CancelledError):  # by Dask, which knows that the worker is gone
                return None
            except TimeoutError as error:  # on the way, not of the task
                raise ConnectionError(describe(error)) from error
        finally:
            answer.cancel()
            gone.cancel()
            await asyncio.gather(answer, gone, return_exceptions=True)

    async def end(self, seconds: float) -> None:
        """Let it end what it has started for this session."""
        with contextlib.suppress(TimeoutError, TaskFailure):
            await self._called("end", timeout=seconds)

    def leave(self) -> None:
        """It is no more, or is not to be called any more."""
        self.gone.set()
        self._runner = None
        if self._future is not None:
            self._future.release()

    async def restart(self, seconds: float) -> None:
        """Leave it, and let Dask end its process, and start another one, if that can be."""
        self.leave()
        with contextlib.suppress(Exception):
            await self._client.restart_workers([self.address], timeout=seconds, raise_for_error=False)
