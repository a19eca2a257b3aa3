"""Signals that end a verb."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from evolve.commands.options import exit_at_signals
from tests.processes import running

pytestmark = pytest.mark.usefixtures("usual_signals")

ROOT = Path(__file__).parents[3]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signals between processes")
@pytest.mark.needs("bench")
def test_ctrl_c_ends_a_count_that_takes_hours() -> None:
    starter = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "from evolve.commands import options as i; "
        "from game.board import Position; from extras.bench.counting import perft; perft(Position.start(), 2); "
        "import contextlib; stack = contextlib.ExitStack(); stack.enter_context(i.end_at_ctrl_c()); "
        "print('counting', flush=True); perft(Position.start(), 30)"
    )
    with running([sys.executable, "-c", starter], cwd=ROOT, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stdout.readline() == b"counting\n"
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == -signal.SIGINT


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGHUP")
def test_a_second_hangup_does_not_interrupt_the_end() -> None:
    done = []
    with pytest.raises(SystemExit) as ended, exit_at_signals():
        try:
            signal.raise_signal(signal.SIGHUP)
        finally:
            signal.raise_signal(signal.SIGHUP)
            done.append("kept")
    assert ended.value.code == 128 + signal.SIGHUP and done == ["kept"]
    assert signal.getsignal(signal.SIGHUP) == signal.SIG_DFL
