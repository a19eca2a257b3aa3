"""Files of weights from a stranger, whose digests fit: each is refused in one line, by commands and by the window."""

from __future__ import annotations

import hashlib
import io
import os
import pickle
import re
import shutil
import struct
import tracemalloc
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import main
from evolve.run import champions, manifest, weights_file
from evolve.run.folder import Run
from game.errors import InputError
from tests.evolve.learning.walk import Walks
from tests.learnt_run import LARGE, make_learnt_run

FEN = "W:W18,24,K10:B12,K22"
LAST = 2


class Trap:
    """Runs a command where it is unpickled."""

    def __reduce__(self) -> Any:
        return os.system, ("touch ran",)


def headed(text: str, version: bytes = b"\1\0") -> bytes:
    data = text.encode() + b" " * (63 - (10 + len(text)) % 64) + b"\n"
    return b"\x93NUMPY" + version + struct.pack("<H", len(data)) + data


def shaped(shape: str, descr: str = "'<f4'") -> bytes:
    return headed(f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}")


def saved(array: Any, *, allow_pickle: bool = False) -> bytes:
    file = io.BytesIO()
    np.save(file, array, allow_pickle=allow_pickle)
    return file.getvalue()


def packed() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.npy", bytes(20_000_000))
    return file.getvalue()


def hostile_files(good: bytes) -> dict[str, bytes]:
    array = np.load(io.BytesIO(good))
    width = array.shape[1]
    start = len(good) - array.nbytes
    return {
        "too many columns": shaped("(1, 1099511627776)") + bytes(4000),
        "too many rows": shaped(f"(100000000, {width})") + bytes(4000),
        "some rows too many": shaped(f"(9999, {width})") + bytes(4000),
        "as many bytes as it says, too many rows": shaped(f"(9, {width})") + bytes(36 * width),
        "negative": shaped(f"(-1, {width})") + bytes(4000),
        "objects": saved(np.array([Trap()], object), allow_pickle=True),
        "a pickle": pickle.dumps(Trap()),
        "an archive": packed(),
        "float64": saved(array.astype("f8")),
        "whole numbers": saved(array.astype("i4")),
        "big-endian": saved(array.astype(">f4")),
        "by columns": saved(np.asfortranarray(np.vstack([array, array]))),
        "flat": saved(array.reshape(-1)),
        "three axes": saved(array[None]),
        "no rows": saved(array[:0]),
        "a column short": saved(array[:, :-1].copy()),
        "a column long": saved(np.hstack([array, array[:, :1]])),
        "not a number": saved(np.full_like(array, np.nan)),
        "infinite": saved(np.full_like(array, np.inf)),
        "state not finite": saved(np.vstack([array[:1], np.full_like(array[1:], np.nan)])),
        "empty": b"",
        "a word": b"\x93NUMPY",
        "version 9": b"\x93NUMPY\x09\x00" + good[8:],
        "nested": headed("(" * 3000 + ")" * 3000),
        "fields": saved(np.zeros((1, width), [("a", "f4")])),
        "text": shaped(f"(1, {width})", "'<U100'") + bytes(400 * width),
        "fields of objects": shaped("(1,)", "[('a', '|O')]") + pickle.dumps(Trap()),
        "an expression": headed("__import__('os').system('touch ran')"),
        "numbers of thousands of digits": shaped(f"({'9' * 5000}, {width})"),
        "a header that says another length": good[:8] + b"\x10\x00" + good[10:],
        "cut": good[: start + array.nbytes // 2],
        "too long": good + b"x" * 100,
    }


NAMES = [*hostile_files(weights_file.to_bytes(np.ones(3, np.float32), np.ones(1, np.float32)))]


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("runs")
    run = make_learnt_run(folder, "sound", LAST, [f"learning={{method='{Walks.kind}'}}", *LARGE], {})
    games = [f'[Round "{number}.1"]\n[Result "*"]\n\n1. 9-13 *\n\n' for number in range(LAST + 1)]
    (run.path / "champions.pdn").write_text("".join(games))
    return run


def with_weights(sound: Run, folder: Path, data: bytes) -> Run:
    """A copy whose newest file of weights has these bytes, with digests that fit."""
    shutil.copytree(sound.path, folder)
    run = Run(folder)
    rows = run.generation_path(LAST)
    weights_file.weights_path(rows).write_bytes(data)
    changed = []
    for path in (rows, run.path / "hall_of_fame.csv"):
        head, _, _ = path.read_bytes().rstrip(b"\n").rpartition(b",")
        path.write_bytes(head + b"," + weights_file.digest(data).encode() + b"\n")
        changed.append(hashlib.sha256(path.read_bytes()).hexdigest())
    entries = list(run.manifest().entries)
    entries[LAST] = replace(entries[LAST], first=changed[0], now=changed[0])
    manifest.Manifest(tuple(entries)).write(run.path)
    return run


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
        with pytest.raises(InputError, match=refused) as found:
            read()
        assert "\n" not in str(found.value) and len(str(found.value)) < 1000


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
        said = capsys.readouterr().err.strip().splitlines()[-1]
        assert "weights_0002.npy: damaged, its bytes are not what the session wrote" in said, words
    assert not out.exists() and not (tmp_path / "ran").exists()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_what_is_no_ordinary_file_is_neither_waited_for_nor_read(sound: Run, tmp_path: Path) -> None:
    run = with_weights(sound, tmp_path / "run", b"")
    path = weights_file.weights_path(run.generation_path(LAST))

    def make_sparse() -> None:
        path.touch()
        os.truncate(path, 900 << 20)

    for make, said in (
        (lambda: os.mkfifo(path), "is no ordinary file"),
        (lambda: path.symlink_to("/etc/passwd"), "is a symbolic link"),
        (make_sparse, "943,718,400 bytes, it has at most"),
    ):
        path.unlink()
        make()
        tracemalloc.start()
        for read in (lambda: weights_file.read(path, "0"), lambda: run.check(run.manifest())):
            with pytest.raises(InputError, match=re.escape(said)):
                read()
        assert tracemalloc.get_traced_memory()[1] < 20 << 20
        tracemalloc.stop()
