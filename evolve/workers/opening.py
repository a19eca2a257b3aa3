"""Who does the tasks of a verb: processes of this machine, or a cluster. Chosen here, and known nowhere else."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from evolve.kinds import plugins
from evolve.workers.processes import SharedRows, WorkerProcesses, Workers, choose_start_method

if TYPE_CHECKING:
    from evolve.workers.cluster.address import Cluster


def open_workers(
    count: int,
    cluster: Cluster | None,
    *,
    shared: SharedRows,
    timeout: float,
    tick: Callable[[], None],
    start_method: str = "auto",
    threads: bool = False,
    load: Callable[[], object] | None = None,
    tell: Callable[[str], None] = lambda text: None,
) -> Workers:
    """Processes of this machine, started; or those of a cluster, as soon as one can play.

    Args:
        count: processes of this machine.
        cluster: plays instead of them; None for no cluster.
        shared: genomes that the tasks refer to.
        timeout: seconds after which a task counts as hung.
        tick: called about ten times a second while tasks run or somebody is waited for; it may raise to give up.
        start_method: of processes, as `choose_start_method` takes it.
        threads: whether this process has threads of its own.
        load: loads what tasks need on a machine of a cluster; processes of this machine are to have it already.
        tell: told what is waited for.

    Raises:
        OSError: so many processes cannot be started.
        NoWorkers: nobody of the cluster can play.
    """
    if cluster is None:
        method = choose_start_method(start_method, threads=threads)
        return WorkerProcesses(count, start_method=method, shared=shared, timeout=timeout, tick=tick)
    from evolve.workers.cluster.remote import Preparation
    from evolve.workers.cluster.workers import ClusterWorkers

    preparation = Preparation(plugins.loaded(), load)
    return ClusterWorkers(cluster, shared=shared, preparation=preparation, timeout=timeout, tick=tick, tell=tell)
