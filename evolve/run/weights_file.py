"""Weights of a large network beside the row of its generation: ``weights_0012.npy``.

As text they would be megabytes a generation. The row has the first 16 hexadecimal digits of the file's SHA-256 in place
of weights, in the column ``genome``; so the manifest, which vouches for the row, vouches for this file, too.

A generation that is thinned keeps the first row of the file, its network, and loses what only the next one needs. Its
row then has the digest of the genome, as in every generation that was thinned. The row is changed before the file, so
whoever reads between them, or after a kill, finds a file whose first row is that genome.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import math
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from evolve.run.columns import GENOME_COLUMN
from evolve.run.errors import RunError
from evolve.run.files import write_atomically
from game.regular_files import read_regular

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from evolve.config.model import Config
    from evolve.run.generation_csv import Generation

LARGE = 10_000
"""Weights from which on those of a network that learns stand in a file of their own."""

MAX_BYTES = 1 << 30


def has_files(config: Config) -> bool:
    """Whether generations of a run have their weights in files of their own."""
    return config.learns and config.network.weights > LARGE


def weights_path(generation_path: Path) -> Path:
    """Where the weights of a generation are, or would be, from where its rows are."""
    return generation_path.with_name(generation_path.name.replace("generation_", "weights_")).with_suffix(".npy")


def to_bytes(weights: NDArray[np.float32], state: NDArray[np.float32]) -> bytes:
    """The bytes of a file: float32 of shape (rows, weights), the network, then its state row by row, then zeros.

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
    """Whether the rows of a generation file have digests in place of weights."""
    return data.split(b"\n", 1)[0].endswith(b"," + GENOME_COLUMN.encode())


def network_of(data: bytes) -> NDArray[np.float32] | None:
    """The first row of a file, float32 of shape (1, weights); None where it is no such file."""
    import numpy as np

    file = io.BytesIO(data)
    try:
        np.lib.format.read_magic(file)
        shape, _, numbers = np.lib.format.read_array_header_1_0(file)
    except ValueError:
        return None
    if len(shape) != 2 or shape[0] < 1 or numbers != np.float32 or len(data) - file.tell() != 4 * math.prod(shape):
        return None
    return np.frombuffer(data, np.float32, shape[1], file.tell())[None]


def thin(generation_path: Path) -> None:
    """Take the state out of the file of a generation whose row has lost it; what does not fit the row stays as it is.

    Raises:
        OSError: it could not be written.
    """
    import numpy as np

    path = weights_path(generation_path)
    try:
        data = read_regular(path, MAX_BYTES)
    except OSError:
        return
    network = network_of(data)
    if network is not None and _is_genome(network, (_digest_now(path),)):
        less = to_bytes(network[0], np.empty(0, np.float32))
        if less != data:
            write_atomically(path, less)


def _is_genome(network: NDArray[np.float32], known: tuple[str, ...]) -> bool:
    from evolve.run.generation_csv import genome_digest

    return genome_digest(network[0]) in known


def digest(data: bytes) -> str:
    """What the row of the generation says of a file."""
    return hashlib.sha256(data).hexdigest()[:16]


def read(path: Path, known: str) -> NDArray[np.float32]:
    """What `to_bytes` wrote, float32 of shape (rows, weights): the network, then its state.

    Args:
        path: the file.
        known: what its row has: the digest of the file as first written, or of the genome.

    Raises:
        RunError: the file is not there, or not what was written.
    """
    import numpy as np

    try:
        data = read_regular(path, MAX_BYTES)
    except FileNotFoundError as error:
        raise RunError(f"{path}: it is not there") from error
    except OSError as error:
        raise RunError(f"{path}: cannot be read: {error.strerror}") from error
    if digest(data) != known:
        network, right = network_of(data), (known, _digest_now(path))
        if network is not None and _is_genome(network, right):
            return network
        if digest(data) not in right:
            raise RunError(f"{path}: its bytes are not what the session wrote")
    array: NDArray[np.float32] = np.load(io.BytesIO(data), allow_pickle=False)
    return array


def row_digest(data: bytes) -> str:
    """What the row of a generation file has in place of weights."""
    return data.partition(b"\n")[2].partition(b"\n")[0].rpartition(b",")[2].decode("utf-8", "replace")


def _digest_now(path: Path) -> str:
    """What the row of a generation has in place of the weights of this file; empty if it has nothing."""
    rows = path.with_name(path.name.replace("weights_", "generation_")).with_suffix(".csv")
    with contextlib.suppress(OSError):
        data = read_regular(rows)
        if stands_for_weights(data):
            return row_digest(data)
    return ""


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
    return replace(rows, weights=array[:1], state=array[1:].reshape(1, -1) if len(array) > 1 else None, genomes=None)
