"""Weights of a large network beside the row of its generation: ``weights_0012.npy``.

As text they would be megabytes a generation. The row has the first 16 hexadecimal digits of the file's SHA-256 in place
of weights, in the column ``genome``; so the manifest, which vouches for the row, vouches for this file, too.
"""

from __future__ import annotations

import hashlib
import io
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from evolve.run.columns import GENOME_COLUMN
from evolve.run.errors import RunError
from evolve.run.files import read_regular

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from evolve.run.generation_csv import Generation

LARGE = 10_000
"""Weights from which on those of a network that learns stand in a file of their own."""

MAX_BYTES = 1 << 30


def weights_path(generation_path: Path) -> Path:
    """Where the weights of a generation are, or would be, from where its rows are."""
    return generation_path.with_name(generation_path.name.replace("generation_", "weights_")).with_suffix(".npy")


def to_bytes(weights: NDArray[np.float32], state: NDArray[np.float32]) -> bytes:
    """The bytes of a file: float32 of shape (rows, weights), the network, then its state row by row, then zeros."""
    import numpy as np

    width = len(weights)
    rows = np.zeros((1 - (-len(state) // width), width), np.float32)
    rows[0] = weights
    rows[1:].reshape(-1)[: len(state)] = state
    file = io.BytesIO()
    np.save(file, rows, allow_pickle=False)
    return file.getvalue()


def stands_for_weights(data: bytes) -> bool:
    """Whether the rows of a generation file have digests in place of weights."""
    return data.split(b"\n", 1)[0].endswith(b"," + GENOME_COLUMN.encode())


def digest(data: bytes) -> str:
    """What the row of the generation says of a file."""
    return hashlib.sha256(data).hexdigest()[:16]


def read(path: Path, known: str) -> NDArray[np.float32]:
    """What `to_bytes` wrote, float32 of shape (rows, weights): the network, then its state.

    Args:
        path: the file.
        known: its digest.

    Raises:
        RunError: the file is not there, or not what was written.
    """
    import numpy as np

    try:
        data = read_regular(path, MAX_BYTES)
    except OSError as error:
        raise RunError(f"{path}: cannot be read: {error.strerror}") from error
    if digest(data) != known:
        raise RunError(f"{path}: damaged, its bytes are not what the session wrote")
    array: NDArray[np.float32] = np.load(io.BytesIO(data), allow_pickle=False)
    return array


def beside(generation_path: Path, known: str) -> NDArray[np.float32] | None:
    """The weights that stand in a file of their own, float32 of shape (1, weights); None if there is no such file.

    Args:
        generation_path: where the rows are.
        known: what stands in place of weights there.

    Raises:
        RunError: the file is not what was written.
    """
    path = weights_path(generation_path)
    return read(path, known)[:1] if path.is_file() else None


def completed(rows: Generation, path: Path) -> Generation:
    """A generation of one row with the weights and state of its file.

    Raises:
        RunError: the file is not there, or not what was written.
    """
    assert rows.genomes is not None
    array = read(path, rows.genomes[0])
    return replace(rows, weights=array[:1], state=array[1:].reshape(1, -1), genomes=None)
