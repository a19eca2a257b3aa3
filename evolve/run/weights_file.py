"""Weights of a large network in a file of their own, ``weights_0012.npy``, beside the row of its generation.

As text they would be megabytes for each generation. The row has the first 16 hexadecimal digits of the file's SHA-256
in place of weights, in the column ``genome``. So the manifest, which has the checksum of the row, vouches for this
file, too.

A thinned generation keeps the first row of the file, its network, and loses the state that only the next one needs. Its
row then has the digest of the genome, as in every thinned generation. The row is changed before the file, so a reader
in between, or after a kill, finds a file whose first row is that genome.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import io
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from evolve.kinds.plugins import Unloaded
from evolve.run.columns import GENOME_COLUMN
from evolve.run.files import CONFIG, RunError, Signature, signature_of, write_atomically
from game.errors import InputError
from game.regular_files import read_regular

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from evolve.config.model import Config
    from evolve.run.generation_csv import Generation

LARGE = 10_000
"""Weights from which a network has a file of its own, in runs whose generations are one network."""

_HEADER = re.compile(
    rb"\x93NUMPY\x01\x00(..)"
    rb"(\{'descr': '<f4', 'fortran_order': False, 'shape': \(([0-9]{1,9}), ([0-9]{1,9})\), \} *\n)",
    re.DOTALL,
)
"""Of the one kind of array that `to_bytes` writes. NumPy's own reader would trust any header."""
_HEADER_BYTES = 1 << 10
"""More than the length of that header."""
_ROWS_OF_PLUGINS = 16
"""Most rows if the method is a plugin that is not loaded, so that the size of its state is unknown."""


def has_files(config: Config) -> bool:
    """Return whether generations of a run have their weights in files of their own."""
    return config.individuals == 1 and config.network.weights > LARGE


def weights_path(generation_path: Path) -> Path:
    """Return where the weights of a generation are, or would be, given the path of its rows."""
    return generation_path.with_name(generation_path.name.replace("generation_", "weights_")).with_suffix(".npy")


def to_bytes(weights: NDArray[np.float32], state: NDArray[np.float32]) -> bytes:
    """Return the bytes of a file: float32 of shape (rows, weights), the network, then its state row by row, padded with
    zeros.

    Without state there is the one row.
    """
    import numpy as np

    width = len(weights)
    rows = np.zeros((1 - (-len(state) // width), width), np.float32)
    rows[0] = weights
    rows[1:].reshape(-1)[: len(state)] = state
    file = io.BytesIO()
    np.save(file, rows, allow_pickle=False)
    return file.getvalue()


def stands_for_weights(data: bytes) -> bool:
    """Return whether the rows of a generation file have digests in place of weights."""
    return data.split(b"\n", 1)[0].endswith(b"," + GENOME_COLUMN.encode())


@functools.lru_cache(maxsize=4)
def _largest(config: Path, changed: Signature) -> tuple[int, int]:
    """Return how many rows a file of this run has at most, and how many weights a row; `changed` is part of the key."""
    from evolve.config.toml import from_toml

    known = from_toml(config)
    rows = 1 - (-known.state_size // known.network.weights)
    return _ROWS_OF_PLUGINS if issubclass(known.kind.method, Unloaded) else rows, known.network.weights


def _load(path: Path) -> tuple[bytes, NDArray[np.float32]]:
    """Return the bytes of a file and its array, float32 of shape (rows, weights).

    The largest accepted size comes from the network of the run, not from the file.

    Raises:
        RunError: the file or the configuration of its run cannot be read, or it is no array of finite numbers that
            fits the network.
    """
    import numpy as np

    try:
        most, weights = _largest(path.with_name(CONFIG), signature_of(path.with_name(CONFIG)))
        data = read_regular(path, _HEADER_BYTES + 4 * most * weights)
    except FileNotFoundError as error:
        raise RunError(f"{error.filename}: it is not there") from error
    except OSError as error:
        raise RunError(f"{path}: cannot be read: {error.strerror}") from error
    except InputError as error:
        raise RunError(str(error)) from error
    wrong = f"{path}: its bytes are not what the session wrote: "
    header = _HEADER.match(data)
    if header is None or int.from_bytes(header[1], "little") != len(header[2]):
        raise RunError(f"{wrong}expected the header of an array of float32 in C order, shape (rows, {weights})")
    rows, width = int(header[3]), int(header[4])
    if width != weights or not 1 <= rows <= most:
        raise RunError(f"{wrong}expected 1 to {most} rows of {weights} weights, got {rows} of {width}")
    if len(data) != header.end() + 4 * rows * width:
        raise RunError(f"{wrong}expected {header.end() + 4 * rows * width:,} bytes, got {len(data):,}")
    array = np.frombuffer(data, "<f4", rows * width, header.end()).reshape(rows, width).astype(np.float32)
    if not np.isfinite(array).all():
        raise RunError(f"{wrong}expected finite numbers")
    return data, array


def thin(generation_path: Path) -> None:
    """Remove the state from the file of a generation whose row was thinned; a file that does not fit the row is left
    alone.

    Raises:
        OSError: it could not be written.
    """
    import numpy as np

    path = weights_path(generation_path)
    try:
        data, array = _load(path)
    except RunError:
        return
    if _is_genome(array[0], (_digest_now(path),)):
        less = to_bytes(array[0], np.empty(0, np.float32))
        if less != data:
            write_atomically(path, less)


def _is_genome(network: NDArray[np.float32], known: tuple[str, ...]) -> bool:
    from evolve.run.generation_csv import genome_digest

    return genome_digest(network) in known


def digest(data: bytes) -> str:
    """Return the digest of a file for the row of its generation."""
    return hashlib.sha256(data).hexdigest()[:16]


def read(path: Path, known: str) -> NDArray[np.float32]:
    """Read a file, float32 of shape (rows, weights): the network, then its state.

    Args:
        path: the file.
        known: the digest in its row: of the file as first written, or of the genome.

    Raises:
        RunError: the file is not there, or not what was written.
    """
    data, array = _load(path)
    if digest(data) != known:
        right = (known, _digest_now(path))
        if _is_genome(array[0], right):
            return array[:1]
        if digest(data) not in right:
            raise RunError(f"{path}: its bytes are not what the session wrote")
    return array


def row_digest(data: bytes) -> str:
    return data.partition(b"\n")[2].partition(b"\n")[0].rpartition(b",")[2].decode("utf-8", "replace")


def _digest_now(path: Path) -> str:
    """Return the digest in the row that this file belongs to; empty if there is none."""
    rows = path.with_name(path.name.replace("weights_", "generation_")).with_suffix(".csv")
    with contextlib.suppress(OSError):
        data = read_regular(rows)
        if stands_for_weights(data):
            return row_digest(data)
    return ""


def beside(generation_path: Path, known: str) -> NDArray[np.float32] | None:
    """Return weights from a file of their own, float32 of shape (1, weights); None if there is no such file.

    Args:
        generation_path: of the rows.
        known: the digest in the row.

    Raises:
        RunError: the file is not what was written.
    """
    path = weights_path(generation_path)
    return read(path, known)[:1] if path.is_file() else None


def completed(rows: Generation, path: Path) -> Generation:
    """Return a generation of one row with the weights and state of its file.

    Raises:
        RunError: the file is not there, or not what was written.
    """
    assert rows.genomes is not None
    array = read(path, rows.genomes[0])
    return replace(rows, weights=array[:1], state=array[1:].reshape(1, -1) if len(array) > 1 else None, genomes=None)
