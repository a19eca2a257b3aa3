"""The shipped run that never changes: anchors and the strengths of the window are its champions."""

from __future__ import annotations

import hashlib
from pathlib import Path

from evolve.run.files import CONFIG
from evolve.run.manifest import NAME as MANIFEST
from game.regular_files import read_regular

NAME = "crownhead-2"
SHA256 = "4d1d503215cef38467f8a0a2c04dc090f89466e61c4cb19cb8f38c6026b85344"
"""Of its configuration and its manifest, one after the other. The manifest has the checksums of all generations."""


def is_frozen_run(folder: Path) -> bool:
    """Return whether this is the run as it was shipped."""
    try:
        return hashlib.sha256(read_regular(folder / CONFIG) + read_regular(folder / MANIFEST)).hexdigest() == SHA256
    except OSError:
        return False
