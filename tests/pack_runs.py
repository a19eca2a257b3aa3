"""Pack a run to be published: ``python -m tests.pack_runs FOLDER`` moves generations without weights into one file."""

from __future__ import annotations

import sys
from pathlib import Path

from evolve.run import packed
from evolve.run.files import write_atomically
from evolve.run.folder import Run
from evolve.run.manifest import sha256


def pack(run: Run) -> int:
    """Move the thinned generations of a run into its packed file, and return their number.

    Raises:
        ValueError: a file differs from the manifest, or cannot be packed.
    """
    known = run.manifest()
    thinned = [entry for entry in known.entries if entry.thinned and run.generation_path(entry.generation).is_file()]
    write_atomically(run.path / packed.NAME, packed.pack(run.path, [entry.generation for entry in thinned]))
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
