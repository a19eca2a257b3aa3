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
from evolve.run import status
from extras.cluster.address import Cluster
from extras.cluster.command import own_address
from extras.cluster.tests.cluster_sessions import until_ready
from extras.cluster.tests.machines import Machines, free_port
from game.installation import TREE
from tests.evolve.tiny_sessions import TINY, results
from tests.laplace import LAPLACE
from tests.processes import gone, running

pytestmark = pytest.mark.usefixtures("usual_signals")


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
        ["ladder", "random", "material", "--anchors=none", "--games=20", "--limit=depth=1", "--json"],
    ],
)
def test_games_of_players_are_the_same(
    command: list[str], machines: Machines, capsys: pytest.CaptureFixture[str]
) -> None:
    outputs, clients = [], machines.log("scheduler").count("Receive client connection")
    for where in ("--workers=1", f"--cluster={machines.address}"):
        assert main.main([*command, where]) == 0
        out = capsys.readouterr().out
        outputs.append(re.sub(r'(?m)"(seconds|milliseconds|games_a_second)": [\d.e-]+', "", out))
    assert outputs[0] == outputs[1]
    assert machines.log("scheduler").count("Receive client connection") == clients + 1


CONFIG = """
[plugins]
files = ["ops.py"]
[variation]
mutation = "laplace"
"""


def both(machines: Machines, out: Path, *command: str) -> list[dict[str, bytes]]:
    made = []
    for name, where in (("alone", "--workers=1"), ("together", f"--cluster={machines.address}")):
        assert main.main([*command, f"--out={out}", f"--name={name}", where, "--set=workers.chunk=7"]) == 0
        made.append(results(out / name))
    played_on = [each.cluster for each in map(status.read, (out / "alone", out / "together")) if each is not None]
    assert played_on == ["", machines.address]
    return made


def test_plugins_come_with_the_session(machines: Machines, tmp_path: Path) -> None:
    (tmp_path / "ops.py").write_text(LAPLACE)
    (tmp_path / "mine.toml").write_text(CONFIG)
    try:
        config, named = f"--config={tmp_path / 'mine.toml'}", f"--plugin={tmp_path / 'ops.py'}"
        alone, together = both(machines, tmp_path, "evolve", config, named, "--seed=2", "--generations=2", *TINY)
    finally:
        plugins.load([])
    assert alone == together


@pytest.mark.check
@pytest.mark.parametrize(
    "settings",
    [
        ("--preset=q-learning", "learning.games=40"),
        ("--preset=zero", "learning.games=10", "learning.visits=4", "learning.gate=4", "games.max_plies=60"),
    ],
    ids=["q-learning", "zero"],
)
def test_own_games_of_a_network_that_learns_are_the_same(
    machines: Machines, tmp_path: Path, settings: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    from extras.learning import zero

    monkeypatch.setattr(zero, "GAMES_A_TASK", 4)
    preset, *few = *settings, "learning.steps=4", "rating.every=0"
    given = [f"--set={each}" for each in few]
    alone, together = both(machines, tmp_path, "train", preset, "--seed=2", "--generations=3", *given)
    assert alone == together


def test_under_tls_the_key_is_made_and_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CROWNHEAD_DATA_DIR", str(tmp_path))
    folder = tmp_path / "cluster"
    with socket.create_server(("127.0.0.1", 0)) as taken:
        command = ["cluster", "start", "--tls", f"--port={taken.getsockname()[1]}"]
        assert main.main(command) == 2
        made = f"made a certificate and a key in {folder}, valid for a year; copy both to each other machine"
        assert made in capsys.readouterr().out.replace("\n", " ")
        assert main.main(command) == 2
        assert capsys.readouterr().out == ""
        (folder / "key.pem").unlink()
        assert main.main(command) == 2
    assert "has only one of certificate.pem and key.pem" in capsys.readouterr().err


def test_an_open_port_beyond_this_machine_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    for command in (["start", "--host=10.1.2.3", "--port=9999"], ["worker", "tcp://10.1.2.3:9999"]):
        assert main.main(["cluster", *command]) == 2
        text = capsys.readouterr().err
        assert text.startswith("main.py: tcp://10.1.2.3:9999: expected tls:// for another machine")
        assert "run programs on all machines" in text and "--tls" in text


@pytest.mark.parametrize("host", ["198.51.100.1", "nobody.invalid", "2001:db8::5", "[2001:db8::5]"])
def test_an_address_of_another_machine_is_refused(
    host: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CROWNHEAD_DATA_DIR", str(tmp_path))
    assert main.main(["cluster", "start", f"--host={host}", "--tls", "--workers=1"]) == 2
    place = "[2001:db8::5]" if "2001" in host else host
    assert f"main.py: tls://{place}:8786: this machine cannot listen there: " in capsys.readouterr().err


def test_workers_tell_their_own_address_of_ipv6_as_dask_reads_it() -> None:
    cluster = Cluster("tcp", "[::1]", 8786)
    assert own_address(cluster) == "[::1]"


def test_an_address_that_stands_for_all_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(["cluster", "start", "--host=0.0.0.0"]) == 2
    assert capsys.readouterr().err.startswith("main.py: --host: expected an address at which")


@pytest.mark.check
def test_taken_port_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CROWNHEAD_DATA_DIR", str(tmp_path))
    with socket.create_server(("127.0.0.1", 0)) as taken:
        command = [sys.executable, "main.py", "cluster", "start", f"--port={taken.getsockname()[1]}"]
        done = subprocess.run(command, cwd=TREE, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert "this machine cannot listen there: " in done.stderr


@pytest.mark.check
@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize(
    ("action", "first", "number"),
    [
        *(
            pytest.param(
                ["start", "--workers=1", "--port={port}"],
                "1 worker of tcp://127.0.0.1:",
                number,
                marks=pytest.mark.check,
            )
            for number in (signal.SIGINT, signal.SIGKILL)
        ),
        (["start", "--workers=0", "--port={port}"], "scheduler at tcp://127.0.0.1:", signal.SIGTERM),
        (
            ["worker", "--workers=1", "tcp://127.0.0.1:{port}"],
            "no scheduler answers at tcp://127.0.0.1:",
            signal.SIGTERM,
        ),
    ],
)
def test_all_ends_with_the_command_that_started_it(action: list[str], first: str, number: int, tmp_path: Path) -> None:
    variables = os.environ | {"CROWNHEAD_DATA_DIR": str(tmp_path), "PYTHONUNBUFFERED": "1"}
    port = free_port()
    command = [sys.executable, "main.py", "cluster", *(each.format(port=port) for each in action)]
    with running(command, cwd=TREE, env=variables, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert any(line.startswith(first) for line in process.stdout)
        everybody = [child.pid for child in psutil.Process(process.pid).children(recursive=True)]
        assert len(everybody) >= (action[1] == "--workers=1" and action[0] == "start")
        process.send_signal(number)
        assert process.wait(60) == (-number if number == signal.SIGKILL else 128 + number)
    assert gone(everybody, 20.0)
