"""Values and functions of `test_hostile_weights` that other tests use, too."""

from __future__ import annotations

import hashlib
import io
import os
import pickle
import shutil
import struct
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evolve.run import manifest, weights_file
from evolve.run.folder import Run
from tests.learnt_run import LARGE, make_learnt_run

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
        "as many bytes as it says, too many rows": shaped(f"(9, {width})") + bytes(36 * width),
        "negative": shaped(f"(-1, {width})") + bytes(4000),
        "objects": saved(np.array([Trap()], object), allow_pickle=True),
        "a pickle": pickle.dumps(Trap()),
        "an archive": packed(),
        "float64": saved(array.astype("f8")),
        "big-endian": saved(array.astype(">f4")),
        "by columns": saved(np.asfortranarray(np.vstack([array, array]))),
        "flat": saved(array.reshape(-1)),
        "no rows": saved(array[:0]),
        "a column short": saved(array[:, :-1].copy()),
        "not a number": saved(np.full_like(array, np.nan)),
        "infinite": saved(np.full_like(array, np.inf)),
        "state not finite": saved(np.vstack([array[:1], np.full_like(array[1:], np.nan)])),
        "empty": b"",
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


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("runs")
    run = make_learnt_run(folder, "sound", LAST, ["learning={method='walk'}", *LARGE], {})
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
