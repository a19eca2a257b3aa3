"""The workers of a cluster: connecting to them, and distributing tasks among them.

Everything runs in the event loop of one thread and uses only Dask's client. The crew gives each task to one worker, and
each worker at most two tasks, so it knows which worker has which task; when a worker disappears, its tasks go to
others. Dask gives a restarted worker a new address, so it counts as a new worker.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import deque
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from evolve.workers.cluster import remote
from evolve.workers.cluster.address import Cluster
from evolve.workers.cluster.dask import new_client
from evolve.workers.cluster.member import ClusterWorker, Job, Way
from evolve.workers.cluster.remote import Preparation, conditions
from evolve.workers.processes import TRIES, NoWorkers, TaskFailure
from game.errors import describe, one_line

if TYPE_CHECKING:
    from distributed import Client

log = logging.getLogger(__name__)

AT_A_WORKER = 2
"""Number of tasks assigned to each worker: the current one and the next."""
LATE, LATE_SECONDS = 3.0, 0.5
"""An idle worker gets a copy of a job that another has had for this multiple of the usual time plus these seconds."""
LOOK_SECONDS = 0.5
CONNECT_SECONDS = 5.0
END_SECONDS = 1.0
CUT_SECONDS = 30.0
"""Seconds for which calls go through the scheduler after a connection to a worker was lost, perhaps temporarily."""
GRACE_SECONDS = 5.0
"""Default number of seconds that the scheduler may be missing."""
WORKERS_SECONDS = 60.0
"""Default number of seconds that all workers may be missing. A killed worker is restarted within a few seconds."""


class Crew:
    """The workers of a cluster, which do jobs until the crew is closed.

    Args:
        cluster: the address of the scheduler.
        preparation: done by each worker before its first job.
        timeout: seconds after which a job counts as hung; None for never.
        on_answer: called in the crew's thread with each job and its answer.
        on_end: called once in the crew's thread with the error that ended the crew; None if it was closed.

    Attributes:
        ready: number of workers that take jobs.
        preparing: number of workers that are being prepared.
        refused: number of workers that cannot be used, mostly because they differ from this program.
        lost: number of workers that have disappeared, or were given up because they hung.
    """

    def __init__(
        self,
        cluster: Cluster,
        preparation: Preparation,
        timeout: float | None,
        on_answer: Callable[[Job, remote.TaskAnswer], None],
        on_end: Callable[[Exception | None], None],
    ) -> None:
        self._cluster, self._preparation, self._timeout = cluster, preparation, timeout
        self._on_answer, self._on_end = on_answer, on_end
        self.ready = self.preparing = self.refused = self.lost = 0
        self._members: dict[str, ClusterWorker] = {}
        self._former: list[ClusterWorker] = []
        self._waiting: deque[Job] = deque()
        self._stream = 0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._failure: Exception | None = None
        self._closed = False

    # Called from other threads ------------------------------------------------------------------------------------

    def run(self) -> None:
        """Run the crew in the current thread until it ends."""
        try:
            asyncio.run(self._run())
        except Exception as error:
            self._on_end(error)
        else:
            self._on_end(None)

    def add(self, jobs: list[Job]) -> None:
        """Add jobs, and drop those of earlier streams."""
        self._call(self._add, jobs)

    def close(self) -> None:
        """End the crew as soon as possible."""
        self._closed = True
        self._call(self._end, None)

    def _call(self, function: Callable[..., None], *arguments: Any) -> None:
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # it has ended
                self._loop.call_soon_threadsafe(function, *arguments)

    # In the thread of the crew ------------------------------------------------------------------------------------

    def _add(self, jobs: list[Job]) -> None:
        self._stream = max([self._stream, *(job.key[0] for job in jobs)])
        self._waiting.extend(jobs)
        self._work.set()

    def _end(self, error: Exception | None) -> None:
        self._failure = self._failure or error
        self._ended.set()

    async def _run(self) -> None:
        self._ended, self._work = asyncio.Event(), asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._here = await asyncio.to_thread(conditions)
        try:
            while not (self._ended.is_set() or self._closed):
                client = await self._connect()
                if client is not None:
                    with client.as_current():  # actors use the current client
                        await self._with(client)
        finally:
            self._log_work()
        if self._failure is not None:
            raise self._failure

    async def _connect(self) -> Client | None:
        """Connect to the scheduler; return None if the crew is closed in the meantime.

        Raises:
            NoWorkers: the scheduler was missing for too long.
        """
        loop = asyncio.get_running_loop()
        began = loop.time()
        while not self._ended.is_set():
            client = new_client(self._cluster, CONNECT_SECONDS)
            try:
                await client
                return client
            except (OSError, ValueError, RuntimeError) as error:  # Dask raises any of these for a missing scheduler
                with contextlib.suppress(Exception):
                    await client.close()
                if loop.time() - began > max(self._cluster.wait, GRACE_SECONDS):
                    text = f"the scheduler at {self._cluster.address} does not answer: {one_line(describe(error))}"
                    raise NoWorkers(text) from error
            await self._pause(0.5)
        return None

    async def _with(self, client: Client) -> None:
        """Work through this client until its connection is cut, or the crew is closed."""
        tasks: dict[str, asyncio.Task[None]] = {}
        self._empty_since = asyncio.get_running_loop().time()
        self._way = Way(client)
        try:
            while not self._ended.is_set():
                there = await self._there(client)
                for address in set(tasks) - there:
                    self._gone(address)
                    del tasks[address]
                for address in there - set(tasks):
                    member = self._members[address] = ClusterWorker(client, self._way, address)
                    tasks[address] = asyncio.create_task(self._member(member))
                self._check_has_workers()
                await self._pause(LOOK_SECONDS)
        except OSError as error:
            wait = max(self._cluster.wait, GRACE_SECONDS)
            text = "the scheduler at %s is gone (%s); waiting for it, at most %.0f s"
            log.warning(text, self._cluster.address, one_line(describe(error)), wait)
        else:
            await asyncio.gather(*(member.end(END_SECONDS) for member in self._members.values() if member.ready))
        finally:
            for address in tasks:
                self._gone(address, cut=True)
            for task in tasks.values():
                task.cancel()
            await asyncio.gather(*tasks.values(), return_exceptions=True)
            with contextlib.suppress(Exception):
                await asyncio.wait_for(client.close(), CONNECT_SECONDS)

    async def _there(self, client: Client) -> set[str]:
        """Return the addresses of all workers, which may take a while on a slow network.

        Raises:
            OSError: the connection is cut.
        """
        # Called several times a second, so this requests the smallest answer that includes the addresses.
        request = asyncio.ensure_future(client.scheduler.ncores())
        try:
            while not (request.done() or self._ended.is_set()):
                if client.status != "running":  # Dask would reconnect but forget the tasks, so the crew does it
                    raise OSError("the connection was cut")
                await asyncio.wait({request}, timeout=LOOK_SECONDS)
            return set(request.result()) if request.done() else set(self._members)
        finally:
            request.cancel()

    async def _pause(self, seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._ended.wait(), seconds)

    def _check_has_workers(self) -> None:
        loop = asyncio.get_running_loop()
        if self.ready or self.preparing:
            self._empty_since = loop.time()
        elif loop.time() - self._empty_since > max(self._cluster.wait, WORKERS_SECONDS):
            unusable = f" that can be used ({self.refused} cannot)" if self.refused else ""
            self._end(NoWorkers(f"the cluster at {self._cluster.address} has no workers{unusable}"))

    def _gone(self, address: str, *, cut: bool = False) -> None:
        """Remove a worker that has disappeared, or can no longer be reached."""
        member = self._members.pop(address)
        given_up = member.gone.is_set()
        member.leave()
        if not member.ready:
            return
        self._former.append(member)
        if cut or given_up:
            return
        self._lose(member.jobs[:1])
        log.warning("worker %s is gone; its tasks go to others", member)

    def _lose(self, jobs: list[Job]) -> None:
        """Count a lost worker; end the crew if one job has lost several workers, since it is probably the cause."""
        self.lost += 1
        for job in jobs:
            job.lost += 1
            if job.lost >= TRIES and self._is_of_use(job):
                self._end(TaskFailure(f"task {job.key[1]}: its worker was lost, {TRIES} times in a row"))

    def _log_work(self) -> None:
        for member in self._former:
            log.info("worker %s: %d tasks, %.1f s of work", member, member.done, member.seconds)

    # One worker ---------------------------------------------------------------------------------------------------

    async def _member(self, member: ClusterWorker) -> None:
        """Compare a worker with this program, prepare it, and let it do jobs."""
        try:
            with self._counted("preparing"):
                while (joined := await member.join(self._here, self._preparation)) is None:
                    if await self._is_gone(member):
                        return
                    log.warning("worker %s gave no answer when it joined; it is asked again", member)
            if not joined:
                with self._counted("refused"):
                    await member.gone.wait()
                return
            with self._counted("ready"):
                await asyncio.gather(*(self._slot(member) for _ in range(AT_A_WORKER)))
        except OSError as error:  # the scheduler is gone, which `_there` will also notice
            log.debug("%s: %r", member, error)
        except Exception as error:
            self._end(error)

    @contextlib.contextmanager
    def _counted(self, what: str) -> Iterator[None]:
        setattr(self, what, getattr(self, what) + 1)
        try:
            yield
        finally:
            setattr(self, what, getattr(self, what) - 1)

    async def _slot(self, member: ClusterWorker) -> None:
        """Do one job after the other on a worker until it disappears."""
        while (job := await self._next_job(member)) is not None:
            member.jobs.append(job)
            job.begun = job.begun or asyncio.get_running_loop().time()
            answer = None
            try:
                answer = await self._answer(member, job)
            finally:
                member.jobs.remove(job)
                if answer is None:
                    self._again(job)
            if answer is not None:
                member.done, member.seconds = member.done + 1, member.seconds + answer.seconds
                if not job.answered:
                    job.answered = True
                    self._on_answer(job, answer)

    async def _answer(self, member: ClusterWorker, job: Job) -> remote.TaskAnswer | None:
        """Return a worker's answer to a job; None if it gave none, and another worker has to do the job."""
        try:
            answer = await member.perform(job, self._timeout and self._timeout * len(member.jobs))
        except TimeoutError:
            log.warning("worker %s gave no answer for %s s; its tasks go to others", member, self._timeout)
            self._lose([job])
            await member.restart(CONNECT_SECONDS)
            return None
        if answer is None and not await self._is_gone(member):
            self._way.go_by_scheduler(f"worker {member}: the connection is cut", CUT_SECONDS)
        return answer

    async def _is_gone(self, member: ClusterWorker) -> bool:
        """Return whether a silent worker has disappeared; Dask may notice this shortly after its connection ended."""
        try:
            await asyncio.wait_for(member.gone.wait(), 4 * LOOK_SECONDS)
        except TimeoutError:
            return False
        return True

    async def _next_job(self, member: ClusterWorker) -> Job | None:
        """Return the next job that is still needed; None if the worker has disappeared."""
        while not member.gone.is_set():
            while self._waiting:
                job = self._waiting.popleft()
                if self._is_of_use(job):
                    return job
            if (late := self._late_job(member)) is not None:
                return late
            self._work.clear()
            either = [asyncio.ensure_future(event.wait()) for event in (self._work, member.gone)]
            try:
                await asyncio.wait(either, timeout=LOOK_SECONDS, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for waiting in either:
                    waiting.cancel()
        return None

    def _is_of_use(self, job: Job) -> bool:
        return job.key[0] == self._stream and not job.answered

    def _late_job(self, member: ClusterWorker) -> Job | None:
        """Return a job for an idle worker that another worker has had for much longer than usual.

        A generation thus does not wait for the slowest machine, or for a lost one before its loss is noticed.
        """
        if member.jobs:
            return None
        done = sum(other.done for other in self._members.values())
        usual = sum(other.seconds for other in self._members.values()) / max(1, done)
        now = asyncio.get_running_loop().time()
        for other in self._members.values():
            for job in other.jobs:
                if (
                    not job.twice
                    and self._is_of_use(job)
                    and now - job.begun > LATE * AT_A_WORKER * usual + LATE_SECONDS
                ):
                    job.twice = True
                    return job
        return None

    def _again(self, job: Job) -> None:
        """Put a job back, for another worker."""
        if self._is_of_use(job) and job not in self._waiting:
            self._waiting.appendleft(job)
            self._work.set()
