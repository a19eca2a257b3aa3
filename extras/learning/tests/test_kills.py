"""Runs that learn, killed at random moments: they go on to the same bytes, on any number of workers."""

from __future__ import annotations

import random
import signal
from pathlib import Path

import pytest

from extras.learning.tests.own_games import write_own_games
from tests.faults.harness import ROOT, Bench, Session, differences, marked, processes_ended, wait_until

Q_LEARNING = ("learning.games=40", "learning.steps=30", "learning.window=2", "rating.every=2", "rating.games=2")
ZERO = (
    *("learning.games=20", "learning.visits=4", "learning.steps=30", "learning.window=2", "rating.every=2"),
    *("rating.games=2", "games.max_plies=60"),
)
POLICY = ("learning.samples=4000", "learning.validation=0.1", "learning.test=0.1", "rating.every=2", "rating.games=2")
ENDGAME = (
    *("learning.pieces_to=4", "learning.positions=20000", "learning.samples=20000", "learning.measured=2000"),
    *("rating.every=2", "rating.games=2"),
)
LAST, KILLS = 3, 3


def kill_later(session: Session, generation: int, seconds: float) -> None:
    """Kill a session some time after a generation is on disk: while it plays, learns, saves or starts again."""
    session.process.wait_for(lambda: session.newest() >= generation)
    wait_until(lambda: session.process.over, seconds)
    session.process.signal(signal.SIGKILL)
    assert wait_until(lambda: not marked(session.process.mark), 20.0)
    session.process.end()


@pytest.mark.check
@pytest.mark.parametrize("preset", ["q-learning", "zero", "policy", "endgame"])
def test_killed_sessions_end_with_the_same_bytes(tmp_path: Path, preset: str) -> None:
    options: tuple[object, ...] = ("--generations", LAST, "--preset", preset)
    settings = {"zero": ZERO, "endgame": ENDGAME}.get(preset, Q_LEARNING)
    if preset == "policy":
        games = write_own_games(tmp_path / "games.pdn", 60)
        options = (*options, "--games", games, "--network", ROOT / "docs" / "examples" / "policy-small.toml")
        settings = POLICY
    bench = Bench(tmp_path)
    draw = random.Random(preset)
    with processes_ended():
        whole = bench.start(*options, "--workers", 1, settings=settings, name="whole", verb="train")
        session = bench.start(*options, "--workers", 2, settings=settings, name="run", verb="train")
        for number in range(KILLS):
            kill_later(session, number, draw.uniform(0.0, 2.0))
            session = bench.start("--workers", 1 + number % 2, resume="run", verb="train")
        for each in (whole, session):
            ended = each.process.end()
            assert ended.code == 0 and ended.clean, ended.summary()
            assert each.newest() == LAST
        assert differences(session.folder, whole.folder) == ""
        weights = {path.name: path.read_bytes() for path in whole.folder.glob("weights_*.npy")}
        assert {path.name: path.read_bytes() for path in session.folder.glob("weights_*.npy")} == weights
        assert len(weights) == (0 if preset == "q-learning" else LAST + 1)
