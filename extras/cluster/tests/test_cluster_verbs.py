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
from extras.cluster.local import own_address
from extras.cluster.tests.cluster_sessions import until_ready
from extras.cluster.tests.machines import Machines, free_port
from game.errors import InputError
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
    """Results of a session on one process, and on the cluster."""
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
        made = f"made a certificate and a key in {folder}, valid for a year; copy both files to each other machine"
        assert made in capsys.readouterr().out.replace("\n", " ")
        assert main.main(command) == 2
        assert capsys.readouterr().out == ""
        (folder / "key.pem").unlink()
        assert main.main(command) == 2
    assert "has only one of certificate.pem and key.pem" in capsys.readouterr().err


def test_an_open_port_beyond_this_machine_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(["cluster", "start", "--host=10.1.2.3", "--port=9999"]) == 2
    text = capsys.readouterr().err
    assert text.startswith("main.py: --host 10.1.2.3: expected --tls; without it, anyone who reaches port 9999")
    assert "run programs on all machines" in text and "--insecure" in text
    assert main.main(["cluster", "start", "--host=10.1.2.3", "--tls", "--insecure"]) == 2
    assert capsys.readouterr().err == "main.py: --insecure: not together with --tls\n"


@pytest.mark.parametrize("options", [["--tls"], ["--insecure"]])
def test_a_port_beyond_this_machine_is_opened_as_asked(
    options: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CROWNHEAD_DATA_DIR", str(tmp_path))
    assert main.main(["cluster", "start", "--host=198.51.100.1", *options]) == 2
    assert "198.51.100.1:8786: this machine cannot listen there" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("address", "exposure"),
    [
        ("tls://10.1.2.3", ""),
        ("tcp://127.0.0.1", "every user of this machine can reach tcp://127.0.0.1:8786 and run programs as you"),
        ("tcp://[::1]", "every user of this machine"),
        ("tcp://localhost", "every user of this machine"),
        ("10.1.2.3", "tcp://10.1.2.3:8786 is open: whoever reaches that port can run programs on all machines"),
        ("tcp://other", "tcp://other:8786 is open"),
    ],
)
def test_exposure_of_an_address_is_described(address: str, exposure: str) -> None:
    text = Cluster.parse(address).exposure
    assert text.startswith(exposure) and bool(text) == bool(exposure) and "\n" not in text


@pytest.mark.parametrize(
    ("command", "warned"),
    [
        (["match", "random", "random", "--cluster=tcp://198.51.100.1"], True),
        (["match", "random", "random", "--cluster=tcp://127.0.0.1"], False),
        (["evolve", "--cluster=tcp://198.51.100.1"], True),
        (["cluster", "worker", "tcp://198.51.100.1"], True),
        (["cluster", "worker", "tcp://127.0.0.1"], False),
    ],
)
def test_an_open_port_of_another_machine_is_warned_of(
    command: list[str], warned: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def begin(*_: object, **__: object) -> None:
        raise InputError("begun")

    monkeypatch.setattr("extras.cluster.local.LocalCluster.__enter__", begin)
    monkeypatch.setattr(Cluster, "check", lambda cluster: None)
    monkeypatch.setattr("evolve.commands.options.players", begin)
    monkeypatch.setattr("evolve.session.command.play", begin)
    assert main.main(command) == 2
    lines = capsys.readouterr().err.splitlines()
    assert sum("is open: whoever reaches that port" in line for line in lines) == warned


@pytest.mark.parametrize("host", ["198.51.100.1", "nobody.invalid"])
def test_an_address_of_another_machine_is_refused(host: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(["cluster", "start", f"--host={host}", "--insecure", "--workers=1"]) == 2
    assert f"main.py: tcp://{host}:8786: this machine cannot listen there: " in capsys.readouterr().err


def test_an_address_of_ipv6_may_have_brackets_or_not(capsys: pytest.CaptureFixture[str]) -> None:
    for host in ("2001:db8::5", "[2001:db8::5]"):
        assert main.main(["cluster", "start", f"--host={host}", "--insecure"]) == 2
        assert capsys.readouterr().err.startswith("main.py: tcp://[2001:db8::5]:8786: this machine cannot listen there")


def test_workers_tell_their_own_address_of_ipv6_as_dask_reads_it() -> None:
    cluster = Cluster("tcp", "[::1]", 8786)
    try:
        own = own_address(cluster)
    except InputError:
        pytest.skip("a machine without IPv6")
    assert own == "[::1]"


def test_an_address_that_stands_for_all_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """No machine can be reached by such an address."""
    assert main.main(["cluster", "start", "--host=0.0.0.0"]) == 2
    assert capsys.readouterr().err.startswith("main.py: --host: expected an address at which")


def test_taken_port_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CROWNHEAD_DATA_DIR", str(tmp_path))
    with socket.create_server(("127.0.0.1", 0)) as taken:
        command = [sys.executable, "main.py", "cluster", "start", f"--port={taken.getsockname()[1]}"]
        done = subprocess.run(command, cwd=TREE, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert "another program listens there; choose another --port" in done.stderr


@pytest.mark.check
@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize(
    ("action", "first", "number"),
    [
        *(
            pytest.param(
                ["start", "--workers=1", "--port={port}"],
                "scheduler and 1 worker at tcp://127.0.0.1:",
                number,
                marks=pytest.mark.check,
            )
            for number in (signal.SIGINT, signal.SIGKILL)
        ),
        (["start", "--workers=0", "--port={port}"], "scheduler at tcp://127.0.0.1:", signal.SIGTERM),
        (["worker", "--workers=1", "tcp://127.0.0.1:{port}"], "1 worker of tcp://127.0.0.1:", signal.SIGTERM),
    ],
)
def test_all_ends_with_the_command_that_started_it(action: list[str], first: str, number: int, tmp_path: Path) -> None:
    variables = os.environ | {"CROWNHEAD_DATA_DIR": str(tmp_path), "PYTHONUNBUFFERED": "1"}
    port = free_port()
    command = [sys.executable, "main.py", "cluster", *(each.format(port=port) for each in action)]
    with running(command, cwd=TREE, env=variables, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith(first)
        if action[0] == "worker":
            assert process.stdout.readline() == "no scheduler answers there yet; waiting for it\n"
        everybody = [child.pid for child in psutil.Process(process.pid).children(recursive=True)]
        assert len(everybody) >= (2 if action[:2] == ["start", "--workers=1"] else 1)
        process.send_signal(number)
        assert process.wait(60) == (-number if number == signal.SIGKILL else 128 + number)
    assert gone(everybody, 20.0)
