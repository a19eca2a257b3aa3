"""The golden run: three tiny generations by hash, whoever plays them, however often killed, on whatever processor.

A change of these digests changes the results of every run: raise `evolve.session.create.RESULTS` with it, so that runs
made before are not gone on with.
"""

from __future__ import annotations

import json
import os
import platform
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import main
from evolve.run import manifest
from evolve.session.create import RESULTS
from tests.called import NOTICE, evolve_cowan
from tests.evolve.tiny_sessions import KILLED, ROOT, SIGNATURE, results
from tests.processes import completed

TINY = ("--set=population.parents=4", "--set=stages.0.rounds=2", "--set=stages.1.rounds=2")
OPTIONS = (*TINY, "--seed=1", "--generations=2", "--json")

KINDS = {
    "cowan": (),
    "cowan-ballots": ("--preset=cowan-ballots",),
    "blondie-1741": ("--set=network=blondie-1741",),  # other layers, and king values that evolve
}
KEYS = ("digest", "games", "evaluations", "champion")
GOLDEN = {
    "cowan": ("0f139ac24408cb53711840e3451d83c2922883e5c6343eaa49a475e35d0c1b59", 454, 142068, "Gen02_0044"),
    "cowan-ballots": ("50cbd83f24133d72306cda0aa12035d72e7ba8d961e417befa540937814b2338", 894, 253406, "Gen02_0047"),
    "blondie-1741": ("a13fdb854358ba3d9f6f591611cf4af22e273686eb038eb10c86ae9693d61ba2", 453, 133625, "Gen02_0045"),
}
"""Of version 1 of the results."""


def golden(summary: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(summary[key] for key in KEYS)


@pytest.fixture(scope="module")
def whole(shared: Callable[..., Path]) -> dict[str, bytes]:
    """The files of a golden run in this process, on one worker, undisturbed."""
    words = evolve_cowan("--name=one", "--workers=1", *OPTIONS)
    return results(shared("golden", lambda folder: main.main([*words, f"--out={folder}"])) / "one")


def test_the_digests_belong_to_this_version_of_the_results() -> None:
    assert RESULTS == 2


@pytest.mark.parametrize(
    ("workers", "name"),
    [
        # Outside the check once each; `whole` is cowan by one worker.
        pytest.param(workers, name, marks=pytest.mark.check if (name == "cowan") == (workers == 1) else ())
        for name in GOLDEN
        for workers in (1, 2)
    ],
)
def test_the_golden_run(
    workers: int, name: str, whole: dict[str, bytes], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = (*KINDS[name], f"--out={tmp_path}", "--name=one", f"--workers={workers}", *OPTIONS)
    assert main.main(evolve_cowan(*options)) == 0
    assert golden(json.loads(capsys.readouterr().out)) == GOLDEN[name]
    if name == "cowan":
        assert results(tmp_path / "one") == whole


@pytest.mark.parametrize(
    ("point", "number", "complete"),
    [
        pytest.param("file", 1, -1, marks=pytest.mark.check),  # half of generation 0 under its temporary name
        pytest.param("manifest", 1, -1, marks=pytest.mark.check),  # all of generation 0 but its line in the manifest
        pytest.param("file", 2, 0, marks=pytest.mark.check),
        pytest.param("addition", 4, 0, marks=pytest.mark.check),  # half a line of the log
        pytest.param("addition", 5, 0, marks=pytest.mark.check),  # half a champion
        pytest.param("addition", 6, 0, marks=pytest.mark.check),  # half the games
        pytest.param("manifest", 3, 1, marks=pytest.mark.check),
    ],
)
def test_killed_while_it_saves_and_resumed(
    point: str, number: int, complete: int, whole: dict[str, bytes], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = evolve_cowan(f"--out={tmp_path}", "--name=one", "--workers=1", *OPTIONS)
    done = completed([sys.executable, "-c", KILLED, point, str(number), *options], cwd=ROOT, timeout=300)
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert manifest.read(tmp_path / "one").newest == complete
    assert main.main(["evolve", f"--out={tmp_path}", "--resume=one", "--workers=2", "--json"]) == 0
    assert golden(json.loads(capsys.readouterr().out)) == GOLDEN["cowan"]
    assert results(tmp_path / "one") == whole
    assert not list((tmp_path / "one").glob(".*.tmp"))


X86 = platform.machine() in ("x86_64", "AMD64")

TARGET = """
import sys
import main
turn, *options = sys.argv[1:]
code = main.main([*options, f"--name=cowan-{turn}"])
code = code or main.main([*options, f"--name=blondie-{turn}", "--set=network=blondie-1741"])
code = code or main.main(["bench", "--signature", "--json"])
from numba.core.registry import cpu_target
print(cpu_target.target_context.codegen().magic_tuple()[1], file=sys.stderr)
sys.exit(code)
"""


@pytest.mark.check
@pytest.mark.parametrize(
    "target",
    [
        "generic",
        pytest.param("x86-64-v3", marks=pytest.mark.skipif(not X86, reason="a target of x86 processors")),  # AVX2
        "host",
    ],
)
def test_every_target_of_compiled_code(target: str, whole: dict[str, bytes], tmp_path: Path) -> None:
    """Everything compiled anew for a processor without vectors, with AVX2, and for this one; then from the cache."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    environment = kept | {"CROWNHEAD_CACHE_DIR": str(tmp_path / "cache")}
    if target != "host":
        environment["NUMBA_CPU_NAME"] = target
    for turn in ("compiled", "loaded"):
        command = [sys.executable, "-c", TARGET, turn, *evolve_cowan(f"--out={tmp_path}", "--workers=1", *OPTIONS)]
        done = completed(command, cwd=ROOT, env=environment, timeout=600)
        assert done.returncode == 0, done.stderr
        compiled_for = done.stderr.splitlines()[-1]
        assert target in ("host", compiled_for)
        assert bool(NOTICE.search(done.stderr)) == (turn == "compiled")
        assert any((tmp_path / "cache").rglob("*.nbc"))  # compiled here, not taken from elsewhere
        cnn, blondie, behaviour = map(json.loads, done.stdout.splitlines())
        assert golden(cnn) == GOLDEN["cowan"]
        assert golden(blondie) == GOLDEN["blondie-1741"]
        assert behaviour == {"signature": SIGNATURE}
        assert results(tmp_path / f"cowan-{turn}") == whole
