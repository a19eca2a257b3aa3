"""Whole sessions with kills, signals, full disks and workers that stop: each run ends as if nothing had happened."""

from __future__ import annotations

import os
import random
import resource
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from evolve.run.folder import SESSION_LOG
from evolve.run.status import Request
from tests.faults.harness import (
    MEMORY,
    ROOT,
    TINY,
    Bench,
    Reference,
    Session,
    children,
    differences,
    kill,
    log_rows,
    marked,
    processes_ended,
    snapshot,
    wait_until,
)  # fmt: skip

pytestmark = [
    pytest.mark.check,
    pytest.mark.skipif(sys.platform != "linux", reason="faults are inflicted and seen by means of Linux"),
    pytest.mark.usefixtures("usual_signals"),
]

LAST = 11
OPTIONS = ("--workers", 2, "--generations", LAST)
CODES = {signal.SIGINT: 130, signal.SIGTERM: 143}
METHODS = ("fork", "forkserver", "spawn")

WRAPPER = """
import os, sys
sys.path.insert(0, {root!r})
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[name] = "1"
from evolve.tournament import arena
from tests.faults import tasks
real = arena.play_chunk
def play_chunk(chunk):
    if os.path.exists({trigger!r}):
        tasks.{task}("of this chunk")
    return real(chunk)
play_chunk.__module__ = "evolve.tournament.arena"
arena.play_chunk = play_chunk
import main
sys.exit(main.main(sys.argv[1:]))
"""
"""Runs a session in which no chunk of games can be played as soon as a file is there."""


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with processes_ended():
        yield Bench(tmp_path)


@pytest.fixture(scope="module")
def undisturbed() -> Iterator[Reference]:
    with tempfile.TemporaryDirectory(dir=MEMORY) as folder, processes_ended():
        yield Bench(Path(folder)).reference(*OPTIONS, settings=TINY)


def go_on(bench: Bench, name: str, *settings: str) -> Session:
    """Do what a person does after a crash: the same command if there is no run yet, else resume."""
    there = (bench.work / name / "config.toml").is_file()
    return bench.start(
        *OPTIONS, resume=name if there else None, name=name, settings=(*(() if there else TINY), *settings)
    )


def end_well(session: Session, whole: Reference) -> None:
    ended = session.process.end()
    assert ended.code == 0 and ended.clean, ended.summary()
    assert differences(session.folder, whole.folder) == ""
    assert [row["generation"] for row in log_rows(session.folder)] == [str(each) for each in range(LAST + 1)]


def play_some_time(session: Session, whole: Reference, draw: random.Random) -> None:
    session.wait_ready()
    wait_until(lambda: session.process.over, draw.uniform(0.0, 0.3) * whole.playing)


@pytest.mark.parametrize("which", ["one", "all"])
def test_killed_workers_are_named_and_cost_no_game(which: str, bench: Bench, undisturbed: Reference) -> None:
    draw, session = random.Random(which), go_on(bench, "run")
    killed: list[int] = []
    for _ in range(3):
        play_some_time(session, undisturbed, draw)
        workers = children(session.process.pid)
        if session.newest() > LAST - 3:  # a worker that is killed after its last task is not missed
            break
        killed += kill(workers if which == "all" else workers[:1])
    end_well(session, undisturbed)
    log = (session.folder / SESSION_LOG).read_text()
    assert killed and all(f"(process {pid}) has died" in log for pid in killed)


def test_a_session_that_is_killed_again_and_again_goes_on(bench: Bench, undisturbed: Reference) -> None:
    draw = random.Random(3)
    for turn in range(5):
        session = go_on(bench, "run")
        if turn % 3 == 0:  # while it starts
            wait_until(lambda session=session: session.process.over, draw.uniform(0.0, undisturbed.ready))
        else:
            play_some_time(session, undisturbed, draw)
        session.process.signal(signal.SIGKILL)
        session.process.end()
    end_well(go_on(bench, "run"), undisturbed)


@pytest.mark.parametrize("method", METHODS)
def test_nothing_outlives_a_killed_session(method: str, bench: Bench) -> None:
    for playing in (True, False):
        before = set(os.listdir("/dev/shm"))
        session = bench.start(*OPTIONS, settings=(*TINY, f"workers.start_method={method}"))
        if playing:
            session.wait_ready()
        else:
            wait_until(lambda session=session: len(marked(session.process.mark)) > 1)
        session.process.signal(signal.SIGKILL)
        assert wait_until(lambda session=session: not marked(session.process.mark), 10.0)
        session.process.end()
        # Other programs use shared memory too, for moments.
        assert wait_until(lambda before=before: not set(os.listdir("/dev/shm")) - before, 10.0)


@pytest.mark.parametrize("moment", ["starting", "playing", "paused", "again"])
def test_a_signal_saves_what_is_played(moment: str, bench: Bench, undisturbed: Reference) -> None:
    draw = random.Random(moment)
    for turn, number in enumerate((signal.SIGINT, signal.SIGTERM, signal.SIGINT)):
        session = go_on(bench, "run", f"workers.start_method={METHODS[turn]}")
        if moment == "starting":
            wait_until(lambda session=session: session.process.over, draw.uniform(0.1, 1.0) * undisturbed.ready)
        else:
            play_some_time(session, undisturbed, draw)
        if moment == "paused":
            session.ask(Request.PAUSE)
            session.process.wait_for(lambda session=session: session.state() == "paused")
        over = session.process.over
        session.process.signal(number, group=turn == 1)  # the group gets it from a terminal
        if moment == "again" and session.process.wait_for_text("once more"):
            session.process.signal(number)
        ended = session.process.end()
        # Before there is a session, SIGTERM has its usual meaning: the shell makes 143 of that as well.
        assert over or ended.code in (CODES[number], -number, 0), ended.summary()
        assert ended.clean, ended.summary()
        if moment in ("playing", "paused") and ended.code:
            assert session.state() == "stopped"
            current = int(ended.err.partition("finishing generation ")[2].split(";")[0])
            assert session.newest() in (current, current + 1)
        assert wait_until(lambda session=session: not marked(session.process.mark), 10.0)
    end_well(go_on(bench, "run"), undisturbed)


@pytest.mark.parametrize("count", [1, 2])
def test_signals_act_while_kernels_compile(count: int, bench: Bench) -> None:
    environment = dict(os.environ) | {"CROWNHEAD_CACHE_DIR": str(bench.work / "cache")}
    session = bench.start("--generations", 1, settings=TINY, env=environment)
    session.process.wait_for_text("run ")
    for number in range(count):
        session.process.signal(signal.SIGINT, group=True)
        session.process.wait_for_text("once more" if number == 0 else "stopped")
    ended = session.process.end()
    assert (ended.code, ended.clean, marked(session.process.mark)) == (130, True, []), ended.summary()
    assert session.newest() <= 0 and (count == 2 or session.newest() == 0)


def limited(size: int) -> Callable[[], None]:
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


@pytest.mark.parametrize("resumed", [False, True])
def test_a_full_disk_is_one_line_and_loses_nothing(resumed: bool, bench: Bench, undisturbed: Reference) -> None:
    generation = min(path.stat().st_size for path in undisturbed.folder.glob("generation_*.csv"))
    for limit in (0, 700, generation // 2, generation - 1):
        before, name = {}, bench.fresh()
        if resumed:
            half = bench.reference("--workers", 2, "--generations", 1, settings=TINY)
            before = snapshot(Path(shutil.copytree(half.folder, bench.work / name)))
        how: dict[str, object] = {"resume": name} if resumed else {"name": name, "settings": TINY}
        session = bench.start(*OPTIONS, preexec_fn=limited(limit), **how)  # type: ignore[arg-type]
        ended = session.process.end()
        assert (ended.code, ended.clean, len(ended.complaints)) == (74, True, 1), ended.summary()
        assert str(bench.work) in ended.complaints[0] or "shared memory" in ended.complaints[0]
        assert "File too large" in ended.complaints[0]
        after = snapshot(session.folder) if session.folder.exists() else {}
        assert not [file for file in after if file.endswith(".tmp")]
        assert all(after[file] == old for file, old in before.items() if file.startswith("generation_"))
        end_well(go_on(bench, name), undisturbed)


@pytest.mark.parametrize("task", ["die", "hang", "freeze", "fail"])
def test_games_that_cannot_be_played_end_a_session(task: str, bench: Bench, undisturbed: Reference) -> None:
    trigger = bench.work / "trigger"
    code = WRAPPER.format(root=str(ROOT), trigger=str(trigger), task=task)
    settings = [*TINY, "workers.timeout=1.0", "workers.start_method=fork"]
    session = bench.start(*OPTIONS, settings=settings, name="run", wrapper=[sys.executable, "-c", code])
    session.process.wait_for(lambda: session.newest() >= 2)
    trigger.touch()
    ended = session.process.end()
    assert (ended.code, ended.clean, len(ended.complaints)) == (70, True, 1), ended.summary()
    assert "continue with evolve --resume" in ended.complaints[0]
    assert marked(session.process.mark) == []
    assert 2 <= session.newest() < LAST
    end_well(go_on(bench, "run"), undisturbed)


@pytest.mark.parametrize("frozen", ["worker", "session"])
def test_processes_may_stop_for_longer_than_tasks_may_take(frozen: str, bench: Bench, undisturbed: Reference) -> None:
    session = go_on(bench, "run", "workers.timeout=1.0")
    session.process.wait_for(lambda: session.newest() >= 1)
    if frozen == "worker":
        kill(children(session.process.pid)[:1], signal.SIGSTOP)
    else:
        session.process.signal(signal.SIGSTOP, group=True)
        wait_until(lambda: False, 1.5)
        session.process.signal(signal.SIGCONT, group=True)
    end_well(session, undisturbed)
    assert frozen == "session" or "gave no answer for 1 s" in (session.folder / SESSION_LOG).read_text()
