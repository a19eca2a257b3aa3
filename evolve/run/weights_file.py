"""Weights files, such as ``weights_0012.npy``: the weights of a generation that is one large network.

In the generation file, the row of the network has the first 16 hexadecimal digits of the weights file's SHA-256 in
place of weights, in the column ``genome``.

A thinned generation keeps the first row of the weights file, which is the network, and loses the state that only the
next generation needs. The column ``genome`` then has the digest of the genome. It is changed before the file: after a
kill in between, the digest of the file's first row is in the column, so the two still match.
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
from evolve.run.packed import read_generation_file
from game.errors import InputError
from game.regular_files import read_regular

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from evolve.config.model import Config
    from evolve.run.generation_csv import Generation

LARGE = 10_000
"""Networks with more weights get weights files, in runs whose generations are one network."""

_HEADER = re.compile(
    rb"\x93NUMPY\x01\x00(..)"
    rb"(\{'descr': '<f4', 'fortran_order': False, 'shape': \(([0-9]{1,9}), ([0-9]{1,9})\), \} *\n)",
    re.DOTALL,
)
"""Matches the header of the only kind of array that `to_bytes` writes; NumPy's own reader would trust any header."""
_HEADER_BYTES = 1 << 10
"""Upper limit of the length of this header."""
_ROWS_OF_PLUGINS = 16
"""Maximum number of rows if the size of a method's state is unknown because its plugin is not loaded."""


def has_files(config: Config) -> bool:
    return config.individuals == 1 and config.network.weights > LARGE


def weights_path(generation_path: Path) -> Path:
    """Return the path of the weights file that belongs to a generation file; it need not exist."""
    return generation_path.with_name(generation_path.name.replace("generation_", "weights_")).with_suffix(".npy")


def to_bytes(weights: NDArray[np.float32], state: NDArray[np.float32]) -> bytes:
    """Return the content of a weights file: float32 of shape (rows, weights).

    If there is state, it follows in further rows, padded with zeros.
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
    return data.split(b"\n", 1)[0].endswith(b"," + GENOME_COLUMN.encode())


@functools.lru_cache(maxsize=4)
def _largest(config: Path, changed: Signature) -> tuple[int, int]:
    from evolve.config.toml import from_toml

    known = from_toml(config)
    rows = 1 - (-known.state_size // known.network.weights)
    return _ROWS_OF_PLUGINS if issubclass(known.kind.method, Unloaded) else rows, known.network.weights


def _load(path: Path) -> tuple[bytes, NDArray[np.float32]]:
    """Return the bytes of a weights file and its array, float32 of shape (rows, weights)."""
    import numpy as np

    try:
        most, weights = _largest(path.with_name(CONFIG), signature_of(path.with_name(CONFIG)))
        data = read_regular(path, _HEADER_BYTES + 4 * most * weights)
    except FileNotFoundError as error:
        raise RunError(f"{error.filename}: is missing") from error
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
    """Remove the state from the weights file of a thinned generation; a file that does not match the row is kept."""
    import numpy as np

    path = weights_path(generation_path)
    try:
        data, array = _load(path)
    except RunError:
        return
    if _is_genome(array[0], (_digest_now(path),)):
        without_state = to_bytes(array[0], np.empty(0, np.float32))
        if without_state != data:
            write_atomically(path, without_state)


def _is_genome(network: NDArray[np.float32], known: tuple[str, ...]) -> bool:
    from evolve.run.generation_csv import genome_digest

    return genome_digest(network) in known


def digest(data: bytes) -> str:
    """Return the digest of a weights file, for the row of its network."""
    return hashlib.sha256(data).hexdigest()[:16]


def read(path: Path, known: str) -> NDArray[np.float32]:
    """Read a weights file, float32 of shape (rows, weights): the network, then its state.

    Args:
        known: the digest in the row of the network, either of the file as first written or of the genome.

    Raises:
        RunError: the file is missing, or not what was written.
    """
    data, array = _load(path)
    if digest(data) != known:
        valid = (known, _digest_now(path))  # a session may have thinned the generation after `known` was read
        if _is_genome(array[0], valid):
            return array[:1]
        if digest(data) not in valid:
            raise RunError(f"{path}: its bytes are not what the session wrote")
    return array


def row_digest(data: bytes) -> str:
    return data.partition(b"\n")[2].partition(b"\n")[0].rpartition(b",")[2].decode("utf-8", "replace")


def _digest_now(path: Path) -> str:
    rows = path.with_name(path.name.replace("weights_", "generation_")).with_suffix(".csv")
    with contextlib.suppress(OSError):
        data = read_generation_file(rows)
        if stands_for_weights(data):
            return row_digest(data)
    return ""


def beside(generation_path: Path, known: str) -> NDArray[np.float32] | None:
    """Return the network in the weights file of a generation, float32 of shape (1, weights); None without a file."""
    path = weights_path(generation_path)
    return read(path, known)[:1] if path.is_file() else None


def completed(rows: Generation, path: Path) -> Generation:
    """Return a generation of one row with weights and state from its weights file."""
    assert rows.genomes is not None
    array = read(path, rows.genomes[0])
    return replace(rows, weights=array[:1], state=array[1:].reshape(1, -1) if len(array) > 1 else None, genomes=None)
