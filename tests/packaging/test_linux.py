"""The file for Linux in a bare folder: glibc, `sh` and a few utilities, no network; with the code that it brings.

`.ci/run --all` builds the file, and names it in CROWNHEAD_BUILT.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import time
from pathlib import Path

import pytest

BUILT = os.environ.get("CROWNHEAD_BUILT", "")
pytestmark = [
    pytest.mark.check,
    pytest.mark.skipif(not BUILT, reason="CROWNHEAD_BUILT names no file that packaging/build linux has made"),
    pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can change the root folder"),
]

LIBRARIES = ("libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "libutil.so.1")
PROGRAMS = ("cat", "chmod", "head", "id", "mkdir", "mktemp", "mv", "rm", "sh", "sha256sum", "tail", "uname")
LINE = (
    'mount -t proc proc "$0/proc" && exec chroot "$0" /bin/sh -c \'export HOME=/home PATH=/bin; exec "$0" "$@"\' "$@"'
)


class Bare:
    """A folder that a command takes for the whole system."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in ("bin", "lib64", "lib/x86_64-linux-gnu", "tmp", "home", "proc", "dev"):
            (folder / name).mkdir(parents=True)
        shutil.copy("/lib64/ld-linux-x86-64.so.2", folder / "lib64")
        libraries = {f"/lib/x86_64-linux-gnu/{name}" for name in LIBRARIES}
        for name in PROGRAMS:
            program = shutil.which(name)
            assert program is not None
            shutil.copy(program, folder / "bin" / name)
            listed = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
            libraries |= {word for word in listed.split() if word.startswith("/lib/x86_64-linux-gnu/")}
        for path in libraries:
            shutil.copy(path, folder / "lib" / "x86_64-linux-gnu")
        shutil.copy(BUILT, folder / "home" / "crownhead")

    def start(self, *arguments: str, **variables: str) -> subprocess.Popen[str]:
        command = ["unshare", "-n", "-m", "-p", "-f", "--kill-child", "sh", "-c", LINE, str(self.folder)]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        kept = {"PATH": os.environ["PATH"]}
        return subprocess.Popen([*command, "/home/crownhead", *arguments], env=kept | variables, **pipes)  # type: ignore

    def run(self, *arguments: str, **variables: str) -> tuple[int, str, str]:
        with self.start(*arguments, **variables) as process:
            printed, errors = process.communicate(timeout=600)
            return process.returncode, printed, errors


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Bare:
    return Bare(tmp_path_factory.mktemp("bare") / "root")


def test_first_move_needs_nothing_and_compiles_nothing(bare: Bare) -> None:
    code, printed, errors = bare.run("move", "crownhead,depth=4", "--seed", "1")
    assert (code, errors.count("compiling")) == (0, 0), errors
    assert re.fullmatch(r"\d+-\d+", printed.splitlines()[0])
    assert not list(bare.folder.rglob("home/.cache/crownhead/kernels/*.nbc"))


@pytest.mark.parametrize("level", ["x86-64-v2", "x86-64-v3"])
def test_levels_of_processors_play_the_same_games(bare: Bare, level: str) -> None:
    """A level that this processor belongs to is chosen by hand; the others cannot run here."""
    from game.compiled.kernel_cache import LEVELS

    chosen = {"NUMBA_CPU_NAME": level, "NUMBA_CPU_FEATURES": LEVELS[level]}
    arguments = ("match", "crownhead", "first", "--games", "2", "--seed", "1", "--json")
    code, printed, errors = bare.run(*arguments, **chosen)
    assert (code, errors.count("compiling")) == (0, 0), errors
    assert '"seed": 1' in printed


def test_game_in_the_window_reaches_its_first_move(bare: Bare) -> None:
    with bare.start("play", "Club", "--colour", "white", SDL_VIDEODRIVER="dummy") as process:
        end = time.monotonic() + 300
        moves: list[str] = []
        while time.monotonic() < end and process.poll() is None and not moves:
            time.sleep(0.2)
            for path in bare.folder.glob("home/.local/share/crownhead/games/*.json"):
                moves += json.loads(path.read_text(encoding="utf-8"))["moves"]
        process.kill()
        assert moves, process.communicate()


def test_no_display_is_one_line(bare: Bare) -> None:
    code, _, errors = bare.run("play")
    assert code == 2
    assert errors.count("\n") == 1 and "no display" in errors


def test_newer_glibc_is_expected_in_one_line(bare: Bare, tmp_path: Path) -> None:
    path = bare.folder / "lib" / "x86_64-linux-gnu" / "libm.so.6"
    kept = path.read_bytes()
    shutil.rmtree(bare.folder / "home" / ".cache", ignore_errors=True)
    try:
        path.write_bytes(kept.replace(b"GLIBC_2.35\0", b"GLIBC_2.00\0"))
        code, _, errors = bare.run("--version")
    finally:
        path.write_bytes(kept)
    assert code == 2 and errors.count("\n") == 1, errors
    assert "expected Linux with glibc" in errors
