"""The verbs on a cluster, and the verb that starts one."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

import main
from evolve.kinds import plugins
from evolve.workers.cluster.keys import make_keys
from game.installation import TREE
from tests.evolve.tiny_sessions import TINY, results
from tests.evolve.workers.cluster_sessions import until_ready
from tests.evolve.workers.machines import Machines, free_port
from tests.laplace import LAPLACE
from tests.processes import gone, running


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machines]:
    with Machines(tmp_path_factory.mktemp("machines")) as made:
        made.scheduler()
        until_ready(made, 2)
        yield made


@pytest.mark.parametrize(
    "command",
    [
        ["match", "random", "material,depth=2", "--games=60", "--seed=3", "--json"],
        ["ladder", "random", "material,depth=1", "--anchors=none", "--games=20", "--json"],
    ],
)
def test_games_of_players_are_the_same(
    command: list[str], machines: Machines, capsys: pytest.CaptureFixture[str]
) -> None:
    said = []
    for where in ("--workers=1", f"--cluster={machines.address}"):
        assert main.main([*command, where]) == 0
        said.append(re.sub(r'"(seconds|games_a_second)": [\d.e-]+', "", capsys.readouterr().out))
    assert said[0] == said[1]


CONFIG = """
[plugins]
files = ["ops.py"]
[variation]
mutation = "laplace"
"""


def both(machines: Machines, out: Path, *command: str) -> list[dict[str, bytes]]:
    """Results of a session on one process, and on the cluster."""
    found = []
    for name, where in (("alone", "--workers=1"), ("together", f"--cluster={machines.address}")):
        assert main.main([*command, f"--out={out}", f"--name={name}", where, "--set=workers.chunk=7"]) == 0
        found.append(results(out / name))
    assert re.search(r": [1-9]\d* tasks, ", (out / "together" / "session.log").read_text())
    return found


def test_plugins_come_with_the_session(machines: Machines, tmp_path: Path) -> None:
    (tmp_path / "ops.py").write_text(LAPLACE)
    (tmp_path / "mine.toml").write_text(CONFIG)
    try:
        config = f"--config={tmp_path / 'mine.toml'}"
        alone, together = both(machines, tmp_path, "evolve", config, "--seed=2", "--generations=2", *TINY)
    finally:
        plugins.load([])
    assert alone == together


@pytest.mark.check
def test_own_games_of_a_network_that_learns_are_the_same(machines: Machines, tmp_path: Path) -> None:
    few = [f"--set={each}" for each in ("learning.games=40", "learning.steps=4", "rating.every=0")]
    alone, together = both(machines, tmp_path, "train", "--preset=q-learning", "--seed=2", "--generations=2", *few)
    assert alone == together


def test_the_commands_are_printed_with_what_must_be_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(["cluster", "--host=10.1.2.3", "--port=9999"]) == 0
    said = capsys.readouterr().out
    assert "\n  python main.py cluster start --port 9999\n" in said
    assert "\n  python main.py evolve --cluster tcp://127.0.0.1:9999\n" in said
    assert "\n  python main.py cluster start --host 10.1.2.3 --port 9999\n" in said
    assert "\n  python main.py cluster worker tcp://10.1.2.3:9999\n" in said
    same = " ".join(said.split("The same on all machines: ")[1].split())
    assert re.match(r"Python CPython 3\.\d+, numpy [\d.]+, numba .*, distributed [\d.]+, kernels \w{12}, program", same)
    assert "--tls" in said


def test_under_tls_the_key_is_made_and_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CROWNHEAD_DATA_DIR", str(tmp_path))
    assert main.main(["cluster", "--tls"]) == 0
    said = capsys.readouterr().out
    assert f"made the certificate and the key in {tmp_path / 'cluster'}" in said.replace("\n", " ")
    assert "scp " in said and "tls://127.0.0.1:8786" in said and "cluster start --host " in said
    assert not make_keys(tmp_path / "cluster")
    (tmp_path / "cluster" / "key.pem").unlink()
    assert main.main(["cluster", "--tls"]) == 2
    assert "has only one of certificate.pem and key.pem" in capsys.readouterr().err


def test_a_port_that_is_taken_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CROWNHEAD_DATA_DIR", str(tmp_path))
    with socket.create_server(("127.0.0.1", 0)) as taken:
        command = [sys.executable, "main.py", "cluster", "start", f"--port={taken.getsockname()[1]}"]
        done = subprocess.run(command, cwd=TREE, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert "another program listens there; choose another --port" in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_all_ends_with_the_command_that_started_it(number: int, tmp_path: Path) -> None:
    variables = os.environ | {"CROWNHEAD_DATA_DIR": str(tmp_path), "PYTHONUNBUFFERED": "1"}
    command = [sys.executable, "main.py", "cluster", "start", "--workers=1", f"--port={free_port()}"]
    with running(command, cwd=TREE, env=variables, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("scheduler and 1 worker at tcp://127.0.0.1:")
        everybody = [child.pid for child in psutil.Process(process.pid).children(recursive=True)]
        assert len(everybody) >= 2
        process.send_signal(number)
        assert process.wait(60) == (130 if number == signal.SIGINT else -signal.SIGKILL)
    assert gone(everybody, 20.0)
