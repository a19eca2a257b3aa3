"""Files of weights from a stranger, whose digests fit: each is refused in one line, by commands and by the window."""

from __future__ import annotations

import io
import os
import re
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import main
from evolve.run import champions, weights_file
from evolve.run.folder import Run
from game.errors import InputError
from tests.evolve.run.hostile_weights_helpers import LAST, hostile_files, saved, sound, with_weights

__all__ = ["sound"]  # fixtures

FEN = "W:W18,24,K10:B12,K22"


NAMES = [*hostile_files(weights_file.to_bytes(np.ones(3, np.float32), np.ones(1, np.float32)))]


@pytest.fixture
def hostile(sound: Run, tmp_path: Path, request: pytest.FixtureRequest) -> Run:
    good = weights_file.weights_path(sound.generation_path(LAST)).read_bytes()
    return with_weights(sound, tmp_path / "runs" / "hostile", hostile_files(good)[request.param])


def readers(run: Run) -> list[Callable[[], object]]:
    return [
        lambda: run.read_generation(LAST),
        lambda: run.first_weights(LAST, 1),
        lambda: champions.read_champions(run.path, [LAST]),
        lambda: run.check(run.manifest()),
    ]


def test_sound_files_are_read(sound: Run, tmp_path: Path) -> None:
    good = weights_file.weights_path(sound.generation_path(LAST)).read_bytes()
    for name, data in (("same", good), ("large", saved(np.full_like(np.load(io.BytesIO(good)), 3e38)))):
        run = with_weights(sound, tmp_path / name, data)
        for read in readers(run):
            read()
        weights = run.read_generation(LAST).weights
        assert weights.tobytes() == np.load(io.BytesIO(data))[:1].tobytes()
        weights += 1  # not the bytes of the file, which nothing may change


@pytest.mark.parametrize("hostile", NAMES, indirect=True)
def test_a_file_that_does_not_fit_the_network_is_refused(hostile: Run) -> None:
    refused = (
        "weights_0002.npy: damaged, (its bytes are not what the session wrote: expected|cannot be read: .* at most)"
    )
    for read in readers(hostile):
        with pytest.raises(InputError, match=refused) as raised:
            read()
        assert "\n" not in str(raised.value) and len(str(raised.value)) < 1000


@pytest.mark.parametrize("hostile", ["too many columns", "objects", "not a number", "empty", "nested"], indirect=True)
def test_commands_refuse_it_in_a_line(
    hostile: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    run, out = str(hostile.path), tmp_path / "out"
    for words in (
        ["inspect", run, "--games", "0"],
        ["inspect", f"{run}@{LAST}", "--games", "0"],
        ["move", run, "--fen", FEN],
        ["export", run, f"--onnx={tmp_path / 'x.onnx'}"],
        ["match", run, "random", "--games=2", "--workers=1"],
        ["train", "--branch", run, f"--out={out}", "--generations=4", "--seed=7"],
        ["train", "--resume", run, "--generations=4"],
    ):
        capsys.readouterr()
        assert main.main(words) == main.MISTAKE, words
        output = capsys.readouterr().err.strip().splitlines()[-1]
        assert "weights_0002.npy: damaged, its bytes are not what the session wrote" in output, words
    assert not out.exists() and not (tmp_path / "ran").exists()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_special_files_are_not_read(sound: Run, tmp_path: Path) -> None:
    run = with_weights(sound, tmp_path / "run", b"")
    path = weights_file.weights_path(run.generation_path(LAST))

    def make_sparse() -> None:
        path.touch()
        os.truncate(path, 900 << 20)

    for make, result in (
        (lambda: os.mkfifo(path), "is not a regular file"),
        (lambda: path.symlink_to("/etc/passwd"), "is a symbolic link"),
        (make_sparse, "943,718,400 bytes, at most"),
    ):
        path.unlink()
        make()
        tracemalloc.start()
        for read in (lambda: weights_file.read(path, "0"), lambda: run.check(run.manifest())):
            with pytest.raises(InputError, match=re.escape(result)):
                read()
        assert tracemalloc.get_traced_memory()[1] < 20 << 20
        tracemalloc.stop()
