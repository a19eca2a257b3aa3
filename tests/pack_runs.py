"""Pack a run to be published: ``python -m tests.pack_runs FOLDER`` moves generations without weights into one file."""

from __future__ import annotations

import sys
from pathlib import Path

from evolve.run import packed
from evolve.run.files import write_atomically
from evolve.run.folder import Run
from evolve.run.manifest import generation_name, sha256
from game.regular_files import read_regular

FIRST = b"generation,"
"""The first column of a packed file."""


def packed_bytes(folder: Path, numbers: list[int]) -> bytes:
    """Return the packed file of generation files, all of which have the same header.

    Raises:
        OSError: a file cannot be read.
        ValueError: a file has another header, or its bytes would not come again.
    """
    pieces: list[bytes] = []
    for number in numbers:
        header, *rows = read_regular(folder / generation_name(number)).splitlines(keepends=True)
        pieces = pieces or [FIRST + header]
        if FIRST + header != pieces[0] or not all(row.endswith(b"\n") for row in (header, *rows)) or not rows:
            raise ValueError(f"{folder / generation_name(number)}: cannot be packed with the others")
        pieces += [b"%d,%s" % (number, row) for row in rows]
    return b"".join(pieces)


def pack(run: Run) -> int:
    """Move the thinned generations of a run into its packed file, and return their number.

    Raises:
        ValueError: a file differs from the manifest, or cannot be packed.
    """
    known = run.manifest()
    thinned = [entry for entry in known.entries if entry.thinned and run.generation_path(entry.generation).is_file()]
    write_atomically(run.path / packed.NAME, packed_bytes(run.path, [entry.generation for entry in thinned]))
    for entry in thinned:
        path = run.generation_path(entry.generation)
        if sha256(packed.packed(path) or b"") != entry.now:
            raise ValueError(f"{path}: its bytes do not come again from {packed.NAME}")
    for entry in thinned:
        run.generation_path(entry.generation).unlink()
    return len(thinned)


if __name__ == "__main__":
    for folder in sys.argv[1:]:
        print(f"{folder}: {pack(Run(Path(folder)))} generations packed")
